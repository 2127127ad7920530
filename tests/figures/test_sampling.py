"""*Sampling* cuts, draws and says what `lib` and the chapter compute; its logits are those of the script."""

import hashlib
import json
import math
import platform

import numpy as np
import pytest
import torch
from figure_page import OVERLAPS, assert_shares, attributes, number_in, opened, table
from gallery import sampling as figure
from in_node import ask

from book.figures import Sampling
from book.figures.races import random_numbers
from book.output import train
from book.output.cutting import min_p, top_k, top_p
from book.output.steps import BEFORE, CHARACTERS, LOGITS, MADE
from lib import softmax

ALONE = 10  # characters with a column of their own
START = {
    "step": 0,
    "temperature": 1.0,
    "cut": "nothing",
    "top_k": 5,
    "top_p": 0.9,
    "min_p": 0.1,
    "earlier": "temperature",
    "draws": 1000,
    "seed": 1,
}
CUT = {
    "nothing": lambda w, state: np.ones(len(w), dtype=bool),
    "top-k": lambda w, state: top_k(w, state["top_k"]),
    "top-p": lambda w, state: top_p(w, state["top_p"]),
    "min-p": lambda w, state: min_p(w, state["min_p"]),
}


def expected(scores=None, **changed):
    """What the page should show: ranking, weights before and after the cut, counts; all in that order."""
    state = {**START, **changed}
    scores = LOGITS[state["step"]] if scores is None else np.array(scores)
    order = np.argsort(-scores, kind="stable")
    heat = 1 / state["temperature"]
    before = softmax(scores, 1.0 if state["earlier"] == "cut" else heat)
    kept = CUT[state["cut"]](before, state)
    after = softmax(scores, heat, where=kept)
    ends = np.cumsum(after[order])
    drawn = np.searchsorted(ends[: kept.sum()], random_numbers(state["seed"], state["draws"]), side="right")
    counts = np.bincount(np.minimum(drawn, kept.sum() - 1), minlength=len(scores))
    return {
        "order": order,
        "before": before[order],
        "kept": int(kept.sum()),
        "after": after[order],
        "counts": counts,
    }


# --- the cuts and the draws ----------------------------------------------------------------------

ROWS = [
    np.random.default_rng(seed).normal(0, 3, size=n).round(2).tolist() for seed, n in enumerate((2, 5, 94, 300))
]
ROWS += [[1.0, 1.0, 1.0, 0.0, 1.0], [0.0, 0.0], *LOGITS.tolist()]
CASES = [
    {**START, "scores": row, "cut": cut, "temperature": heat, "earlier": earlier, **amount}
    for row in ROWS
    for cut in CUT
    for heat in (0.1, 1.0, 2.3, 10.0)
    for earlier in ("temperature", "cut")
    for amount in (
        {},
        {"top_k": 1, "top_p": 0.01, "min_p": 1.0, "draws": 37},
        {"top_k": 1000, "top_p": 1.0, "min_p": 0.01},
    )
]


def test_the_page_cuts_and_draws_as_the_chapter_does():
    found = ask("(row) => sample(row.scores, row)", CASES, view="sampling")
    for case, got in zip(CASES, found, strict=True):
        right = expected(**{key: value for key, value in case.items()})
        assert got["order"] == right["order"].tolist()
        assert got["kept"] == right["kept"], case
        np.testing.assert_allclose(got["before"], right["before"], atol=1e-14)
        np.testing.assert_allclose(got["after"], right["after"], atol=1e-14)
        assert got["counts"] == right["counts"].tolist(), case
        assert sum(got["counts"]) == case["draws"]


@pytest.mark.parametrize("step", range(len(LOGITS)))
def test_draws_follow_the_weights(step):
    right = expected(step=step, cut="top-k", top_k=8, temperature=2.0, draws=10_000)
    error = np.sqrt(right["after"] * (1 - right["after"]) / 10_000)
    assert (np.abs(right["counts"] / 10_000 - right["after"]) <= 4.5 * error).all()


# --- the picture ---------------------------------------------------------------------------------


def in_columns(values):
    return np.append(values[:ALONE], values[ALONE:].sum())


def assert_table(page, right):
    """It holds the weights before and after the cut and the draws."""
    names = [{" ": "␣", "\n": "↵"}.get(CHARACTERS[i], CHARACTERS[i]) for i in right["order"][:ALONE]]
    columns = [*zip(*table(page), strict=True)]
    assert list(columns[0]) == [*names, f"+{len(CHARACTERS) - ALONE}"]
    for texts, key in zip(columns[2:4], ("before", "after"), strict=True):
        assert_shares(texts, in_columns(right[key]))
    assert [*map(number_in, columns[4])] == in_columns(right["counts"]).tolist()


@pytest.mark.parametrize(
    ("changed", "top"),
    [
        ({}, 0.4),
        ({"cut": "top-p"}, 0.4),
        ({"step": 1, "cut": "min-p", "temperature": 3.0}, 1),
        ({"step": 2, "cut": "top-k", "temperature": 2.0, "earlier": "cut"}, 0.6),
    ],
)
def test_the_picture_and_the_table_have_the_weights_what_is_cut_and_the_draws(visit, changed, top):
    page = opened(visit(figure(**changed)))
    right = expected(**changed)
    kept = np.arange(len(CHARACTERS)) < right["kept"]
    for part, room, wanted in [
        (".ws-weights .ws-weight", 85, np.where(kept, right["before"], 0)),
        (".ws-weights .ws-cut", 85, np.where(kept, 0, right["before"])),
        (".ws-drawn .ws-weight", 85, right["counts"] / 1000),
    ]:
        found = attributes(page, part, "height") / room * top
        np.testing.assert_allclose(found, in_columns(wanted), atol=1e-4, err_msg=part)
    marks = attributes(page, ".ws-drawn .ws-remains", "y")
    np.testing.assert_allclose(marks / 85 * top, in_columns(right["after"]), atol=1e-4)
    assert_table(page, right)
    assert page.locator(".ws-before").text_content() == BEFORE[figure(**changed).step] + "▁"


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_no_number_lies_on_another(visit, width):
    """After a hundred draws, too, when one more bar is nearly as long as the axis."""
    texts = "svg text, .ws-tokens li, .ws-head span:not(:has(*)), .ws-value, .ws-call"
    for changed in ({"draws": 100}, {"draws": 0}, {"draws": 10_000, "cut": "min-p"}, {"step": 1, "draws": 7}):
        page = visit(figure(**changed), width=width).page
        seen = texts.replace(", ", ":not(.ws-gone):not([hidden]), ")
        assert page.evaluate(OVERLAPS, seen) == [], changed


def test_one_is_asked_to_draw_until_one_has(visit):
    page = visit(figure(draws=0)).page
    call, draw = page.locator(".ws-call"), page.get_by_role("button", name="draw 100")
    assert call.is_visible()
    assert "ws-meant" in draw.get_attribute("class")
    draw.click()
    assert not call.is_visible()
    assert "ws-meant" not in draw.get_attribute("class")
    right = in_columns(expected(draws=100)["counts"])
    np.testing.assert_allclose(
        attributes(page, ".ws-drawn .ws-weight", "height") / 85 * 0.4, right / 100, atol=1e-4
    )


def test_the_letter_beside_the_slider_is_the_cuts_own(visit):
    for cut, says in {"top-k": "k = 5", "top-p": "p = 0.90", "min-p": "a = 0.10", "nothing": "no cut"}.items():
        page = visit(figure(cut=cut)).page
        assert page.locator(".ws-amount > .ws-value").text_content() == says


# --- Python ----------------------------------------------------------------------------------------


def test_python_has_the_weights():
    np.testing.assert_allclose(figure(step=1, temperature=2, cut="min-p").weights, softmax(LOGITS[1], 0.5))
    assert Sampling(["a", "b"], [[0, 1]], ["x"]).weights == softmax(np.array([0.0, 1.0])).tolist()


# --- the shipped logits ------------------------------------------------------------------------------


def test_the_file_says_how_it_was_made():
    assert MADE["seed"] == train.SEED
    assert list(train.CONTEXTS) == BEFORE
    assert LOGITS.shape == (len(train.CONTEXTS), len(CHARACTERS))
    assert len(set(CHARACTERS)) == len(CHARACTERS)
    assert len(MADE["first_losses"]) == train.CHECK_AT
    assert MADE["first_losses"][0] == pytest.approx(math.log(len(CHARACTERS)), abs=0.2)  # it knows nothing yet
    assert MADE["held_out_loss"] < 2
    assert len(train.FILE.read_bytes()) < 5000


def test_the_script_makes_the_first_steps_again():
    """All of it takes minutes; the first updates depend on the seed, the text and every line of the model."""
    model, alphabet, losses = train.train(train.CHECK_AT)
    assert len(train.logits_after(model, alphabet, BEFORE[0])) == len(alphabet)
    text = hashlib.sha256("".join(train.texts()).encode()).hexdigest()
    if text == MADE["text"]:
        assert alphabet == CHARACTERS
        np.testing.assert_allclose(losses, MADE["first_losses"], atol=0.02)
    else:  # the help texts of another Python
        assert platform.python_version() != MADE["python"]
        assert losses[0] == pytest.approx(math.log(len(alphabet)), abs=0.2)
    assert losses[-1] < losses[0]
    assert torch.isfinite(torch.tensor(losses)).all()


def test_the_script_writes_what_the_file_has(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(train, "FILE", tmp_path / "steps.json")
    monkeypatch.setattr(train, "train", lambda say, fully=train.train: fully(train.CHECK_AT))
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    monkeypatch.setattr(train, "held_out_loss", lambda *_: 1.5)
    train.main()
    found = json.loads((tmp_path / "steps.json").read_text(encoding="utf-8"))
    assert set(found) == set(MADE)
    assert [step["before"] for step in found["steps"]] == BEFORE
    assert "1.5 nats" in capsys.readouterr().out
