"""The experiment *silence*: its sequences are what it says, and of heads built by hand it finds what they do."""

import pytest
import torch

from book.models import silence
from book.models.silence import CALL, FILLER, MARK, WORD, Calls, Head, measured
from book.models.training import train
from book.repairs.trained import measured as found_in
from book.repairs.trained import whisper


def draw(mark="none", length=16, missing=0.0, fillers=0.0, size=503):
    return Calls(mark, length, missing, fillers).batch(size, torch.Generator().manual_seed(3))


@pytest.mark.parametrize("mark", ["none", "anywhere"])
def test_a_call_asks_for_the_value_of_the_one_earlier_word_of_its_name(mark):
    batch = draw(mark, missing=0.5, fillers=0.25)
    answered = 0
    for kinds, names, values, targets, found in zip(*batch, strict=True):
        assert (kinds == WORD).any()
        for i, kind in enumerate(kinds):
            same = [j for j in range(i) if kinds[j] == WORD and names[j] == names[i]]
            assert len(same) == (kind == CALL and found[i] >= 0)
            assert [*found[i : i + 1]] == (same or [-1])
            torch.testing.assert_close(targets[i], values[same[0]] if same else torch.zeros(silence.AXES))
            answered += len(same)
    assert answered / (batch.kinds == CALL).sum() == pytest.approx(0.5, abs=0.03)


def test_values_have_length_one_and_no_mean_and_fillers_have_none():
    batch = draw("first", fillers=0.25)
    lengths = batch.values.norm(dim=-1)
    assert (lengths == (batch.kinds < FILLER)).all()
    assert batch.values.mean(dim=(0, 1)).abs().max() < 0.01
    assert (batch.kinds == FILLER).float().mean() == pytest.approx(0.25 * 16 / 17, abs=0.01)
    assert (batch.found >= 0).float().mean() == pytest.approx(0.18, abs=0.02)  # so most places are silent


def test_marks_are_where_they_are_said_to_be():
    for mark in ("first", "full"):
        assert ((draw(mark).kinds == MARK) == (torch.arange(17) == 0)).all()
    places = (draw("anywhere").kinds == MARK).int()
    assert (places.sum(dim=-1) == 1).all()
    assert (places.sum(dim=0) > 10).all()
    assert not (draw("word").kinds == MARK).any()
    assert draw("word").kinds.shape == (503, 17)
    assert draw("none").kinds.shape == (503, 16)


def test_a_mark_that_is_full_keeps_its_value_and_others_do_not():
    for mark, stays in (("full", True), ("first", False)):
        model = Head("softmax", task := Calls(mark, 16), seed=0)
        before = model.own.detach().clone()
        train(model, task, steps=3, bar=False, **silence.TRAINING)
        assert torch.equal(model.own[MARK], before[MARK]) == stays
        assert not torch.equal(model.own[WORD], before[WORD])
    assert Head("softmax", Calls("full", 16), 0).own[MARK].norm().item() == pytest.approx(1)


def built(head, task, monkeypatch):
    """A head that does what it should: a call scores 40 with its word, 20 with the mark, a word 40 with it."""
    monkeypatch.setattr(silence, "D", d := 64)
    model, names = Head(head, task, 0), 2 * task.length + 1
    with torch.no_grad():
        for matrix in (model.query, model.key, model.own):
            matrix.zero_()
        model.value.copy_(torch.eye(silence.AXES))
        model.key[WORD] = torch.eye(names, d)
        model.key[MARK, :, -1] = 1
        model.query[CALL] = 40 * d**0.5 * torch.eye(names, d)
        model.query[CALL, :, -1] = 20 * d**0.5
        model.query[WORD, :, -1] = 40 * d**0.5
    return model


def test_a_head_that_rests_on_its_mark_is_found_to_do_so(monkeypatch):
    found = measured(built("softmax", task := Calls("first", 16, missing=0.5), monkeypatch), task)
    assert [found[f"error_{at}"] for at in ("silent", "late", "called", "absent")] == pytest.approx([0] * 4)
    assert found["error_resting"] == found["error_silent"]
    assert [found[f"mark_{at}"] for at in ("silent", "called", "absent")] == pytest.approx([1, 0, 1], abs=1e-6)
    assert [found[f"lead_{at}"] for at in ("late", "absent")] == pytest.approx([40, 20])  # above 0, the median
    assert 35 < found["lead_called"] < 40  # in a row of three tokens the mark is the median
    assert [found[name] for name in ("right", "loud", "quiet", "top_called")] == pytest.approx([1, 1, 0, 1])


def test_a_head_with_a_sink_leaves_its_weight_to_the_empty_place(monkeypatch):
    model = built("sink", task := Calls("none", 16, missing=0.5), monkeypatch)
    model.sink.data.fill_(20 * silence.D**0.5)  # in the unit of q · k
    found = measured(model, task)
    assert [found[f"empty_{at}"] for at in ("silent", "called", "absent")] == pytest.approx([1, 0, 1], abs=1e-6)
    assert [found[f"error_{at}"] for at in ("silent", "called", "absent")] == pytest.approx([0, 0, 0], abs=1e-9)
    assert found["sink"] == 160


def test_a_gate_is_shut_by_the_token_and_cannot_know_what_is_missing(monkeypatch):
    model = built("gate", task := Calls("none", 16, missing=0.5), monkeypatch)
    model.gate.data[WORD], model.gate.data[CALL] = -40, 40
    found = measured(model, task)
    assert [found[f"gate_{at}"] for at in ("silent", "called", "absent")] == pytest.approx([0, 1, 1], abs=1e-6)
    assert [found[f"error_{at}"] for at in ("silent", "called")] == pytest.approx([0, 0], abs=1e-9)
    assert found["error_absent"] > 0.1  # equal weights: the mean of few values


def test_the_error_of_equal_weights_is_one_over_how_many_there_are(monkeypatch):
    found = measured(built("softmax", task := Calls("none", 16), monkeypatch), task)
    expected = sum(1 / n for n in range(1, 17)) / 16
    assert found["error_silent"] == pytest.approx(expected, abs=0.03)
    assert found["error_late"] == pytest.approx(sum(1 / n for n in range(9, 17)) / 8, abs=0.005)
    assert found["error_called"] == pytest.approx(0)
    assert "error_resting" not in found


# --- what came of it -------------------------------------------------------------------------------

RATES = [{"rate": rate} for rate in silence.RATES]
CHANGES = [*RATES, {"rate": 0.003, "steps": 2000}, {"length": 32}]


@pytest.mark.parametrize("change", CHANGES)
def test_softmax_with_a_mark_rests_on_it_and_empties_its_value(change):
    assert found_in("mark_late", "softmax", "first", **change).min() > 0.96
    assert found_in("mark_called", "softmax", "first", **change).max() < 0.02
    assert found_in("quiet", "softmax", "first", **change).max() < 0.001
    assert found_in("error_silent", "softmax", "first", **change).max() < 2e-4
    assert found_in("error_called", "softmax", "first", **change).max() < 0.01


@pytest.mark.parametrize("change", [*CHANGES, {"steps": 2000}, {"missing": 0.5}])
def test_softmax_without_a_mark_finds_what_is_called_and_whispers(change):
    expected = whisper(change.get("length", 16), change.get("missing", 0.0))
    assert found_in("loud", **change) == pytest.approx(expected, abs=0.025)
    assert found_in("error_called", **change) == pytest.approx((1 - expected) ** 2, abs=0.03)
    assert found_in("right", **change).min() > 0.98


def test_what_makes_a_mark_useful_is_that_its_value_is_empty():
    assert found_in("loud", mark="word") == pytest.approx(whisper(17), abs=0.025)  # nothing but one more word
    assert found_in("mark_late", mark="full").max() < 0.07  # less than an equal share
    assert found_in("error_called", mark="full").min() > 0.1
    for resting in ({"mark": "anywhere"}, {"fillers": 0.25}):
        assert found_in("error_resting", **resting).max() < 1e-4
        assert found_in("error_silent", **resting).min() > 0.04  # before


@pytest.mark.parametrize("head", ["plus one", "sink"])
def test_an_empty_place_makes_silence_without_a_mark_but_is_left_if_there_is_one(head):
    assert found_in("empty_late", head).min() > 0.97
    assert found_in("empty_called", head).max() < 0.002
    assert max(found_in(f"error_{at}", head).max() for at in ("silent", "called")) < 1e-3
    assert found_in("empty_late", head, "first").max() < 0.01
    assert found_in("mark_late", head, "first").min() > 0.98


def test_a_gate_works_but_cannot_know_what_is_missing():
    assert found_in("gate_late", "gate").max() < 0.05
    assert found_in("gate_called", "gate").min() > 0.8
    assert found_in("error_absent", "gate", missing=0.5).min() > 0.12
    for head, mark in (("softmax", "first"), ("plus one", "none"), ("sink", "none"), ("gate", "first")):
        assert found_in("error_absent", head, mark, missing=0.5).max() < 0.03
    assert found_in("mark_late", "gate", "first").min() > 0.98  # with a mark, too, it rests on it
    assert found_in("gate_late", "gate", "first").min() > 0.2
