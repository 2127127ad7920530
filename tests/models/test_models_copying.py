"""The model that ships: its weights load with NumPy alone, copy what they have read, and have the heads for it."""

import gzip
import json

import numpy as np
import pytest
import torch

from book.models import copying, shipped
from book.models.shipped import FILE, LETTERS, load, pack, unpack

LAST = len(copying.SYMBOLS) - 1


@pytest.fixture(scope="module")
def model():
    return copying.shipped_model()


@pytest.fixture(scope="module")
def found(model):
    return copying.measured(model)


def best(scores, layer):
    """The scores of a layer's heads, the best first."""
    return sorted(scores[layer], reverse=True)


def test_it_copies_what_it_has_read_and_its_heads_have_their_roles(found):
    assert found["loss"] < 0.03
    assert found["accuracy"] > 0.99
    first, second, *_ = best(found["previous"], 0)  # one head of the first layer looks at the previous token
    assert first > 0.95
    assert second < 0.5
    assert best(found["previous"], 1)[0] < 0.1
    assert best(found["induction"], 1)[-1] > 0.9  # those of the second at what came next before
    assert best(found["induction"], 0)[0] < 0.2


@pytest.mark.parametrize("name", ["loss", "accuracy", "previous", "induction"])
def test_what_the_file_says_of_the_model_is_so_and_rounding_its_weights_changed_next_to_nothing(found, name):
    said = load()
    np.testing.assert_allclose(found[name], said["measured"][name], atol=1e-3)
    np.testing.assert_allclose(said["measured"][name], said["before_rounding"][name], atol=2e-3)


@torch.no_grad()
def test_without_its_previous_token_head_it_cannot_copy(model, found):
    """And without one of its four induction heads it can: the measure tells roles apart."""
    batch = copying.TASK.batch(97, torch.Generator().manual_seed(copying.MEASURED))
    previous = int(np.argmax(found["previous"][0]))
    without = {
        head: copying.TASK.accuracy(lambda tokens, head=head: model(tokens, off=[head]), batch)
        for head in [(0, previous), (1, 0), (1, 1), (1, 2), (1, 3)]
    }
    assert without.pop((0, previous)) < 0.3
    assert min(without.values()) > 0.9


@torch.no_grad()
def test_the_scores_of_heads_equal_those_counted_one_by_one(model):
    size, seed = 3, 11
    sequences, start, period = copying.TASK.draw(size, torch.Generator().manual_seed(seed))
    _, layers = model(sequences[:, :-1], look=True)
    got = copying.head_scores(model, size, seed)
    for layer, heads in enumerate(layers):
        for h in range(4):
            before, after = [], []
            for b, (first, p) in enumerate(zip(start.tolist(), period.tolist(), strict=True)):
                weights = heads.weights[b, h]
                before += [weights[i, i - 1].item() for i in range(1, 65)]
                for i in range(first + p, 65):
                    after.append(sum(weights[i, j + 1].item() for j in range(i - p, first - 1, -p)))
            assert got["previous"][layer][h] == pytest.approx(np.mean(before), abs=1e-4)
            assert got["induction"][layer][h] == pytest.approx(np.mean(after), abs=1e-4)


def test_what_it_says_before_a_repeat_means_nothing(model):
    batch = copying.TASK.batch(199, torch.Generator().manual_seed(7))
    early = batch._replace(counts=~batch.counts)
    assert copying.TASK.accuracy(model, early) < 0.15


def test_a_text_becomes_tokens():
    assert [copying.tokens(text).tolist() for text in ("", ".az")] == [[LAST], [LAST, 0, 1, 26]]
    assert len(copying.tokens("a" * 64)) == 65


def test_what_it_has_no_symbols_for_is_refused():
    letters = r"the letters a to z and the full stop; got \[' ', 'M'\]"
    for text, says in (("Mary had", letters), ("ä", r"got \['ä'\]"), ("a" * 65, "up to 64 symbols; got 65")):
        with pytest.raises(ValueError, match=says):
            copying.tokens(text)


def test_the_file_is_small_and_has_all_that_a_figure_needs():
    assert len(gzip.compress(FILE.read_bytes())) < 22_000
    said = load()
    assert "".join(said["symbols"]) == copying.SYMBOLS
    sizes = {name: said[name] for name in ("room", "width", "heads", "layers")}
    assert sizes == {"room": 65, "width": 48, "heads": 4, "layers": 2}
    np.testing.assert_allclose(said["beta"], np.full((2, 4), 12**-0.5), rtol=1e-6)
    names = {name for name, p in copying.Transformer(copying.CONFIG).named_parameters() if p.ndim == 2}
    assert set(said["weights"]) == names
    assert said["made_by"] == "python -m book.models.copying"


def test_packing_rounds_to_a_31st_of_the_largest_entry_of_the_row():
    matrix = np.random.default_rng(0).normal(size=(7, 11)) * np.logspace(-6, 3, 7)[:, None]
    matrix[2, 3] = 0.0
    got = unpack(json.loads(json.dumps(pack(matrix))))
    assert got.dtype == np.float32
    steps = abs(matrix).max(axis=1, keepdims=True) / 31
    assert (abs(got - matrix) <= 0.51 * steps).all()  # half a step, and what a scale of three digits adds
    assert (abs(got - matrix) > 0.3 * steps).any()
    letters = np.array(list(pack(matrix)["letters"])).reshape(7, 11)
    assert set(letters[abs(matrix) == abs(matrix).max(axis=1, keepdims=True)]) == {"A", "-"}


def test_a_letter_is_its_place_in_the_alphabet_less_31():
    assert len(set(LETTERS)) == len(LETTERS) == 64
    assert pack(np.array([[-31.0, -1.0, 0.0, 1.0, 31.0]])) == {"shape": [1, 5], "scale": [1.0], "letters": "Aefg-"}
    places = unpack({"shape": [1, 64], "scale": [2.0], "letters": LETTERS})[0] / 2
    np.testing.assert_array_equal(places, range(-31, 33))
    assert (unpack(pack(np.array([[0.0, 0.0], [1.0, -2.0]])))[0] == 0).all()  # a row of zeros stays one
    for strange in (np.nan, np.inf):
        with pytest.raises(ValueError, match="entries of a matrix are to be finite"):
            pack(np.array([[1.0, strange]]))


def test_the_command_writes_the_file_and_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(copying, "TRAINING", {"steps": 3, "batch": 5})
    monkeypatch.setattr(copying, "SEQUENCES", 13)
    monkeypatch.setattr(copying, "FILE", tmp_path / "copying.json")
    monkeypatch.setattr(shipped, "FILE", tmp_path / "copying.json")
    copying.main(["--seeds", "2", "--folder", str(tmp_path / "kept")])
    said = capsys.readouterr()
    assert not (tmp_path / "copying.json").exists()
    assert said.err == ""
    assert [line for line in said.out.splitlines() if line.startswith("seed")] == ["seed 0", "seed 1"]
    copying.main(["--folder", str(tmp_path / "kept")])
    assert said.out.startswith(capsys.readouterr().out)
    trained = copying.Transformer(copying.CONFIG)
    state = torch.load(tmp_path / "kept" / "copying-0.pt", weights_only=True)["model"]
    trained.load_state_dict(state)
    text = copying.tokens("abcabc")
    torch.testing.assert_close(copying.shipped_model()(text), trained(text), atol=0.2, rtol=0)
    assert load()["training"] == {"steps": 3, "batch": 5}
