"""What *two maps learn* trains: its task, its measures, and its recorded runs, made by the same JavaScript."""

import gzip

import numpy as np
import pytest
from in_node import SEED, ask, number

from book.figures import TwoMapsLearn
from book.figures import two_maps_recorded as script
from book.figures.two_maps_learn import MAPS, record

FILES = ["two_maps_trainer"]
T, SYMBOLS, SHADES = 32, 16, 8
PERIODS = [3, 5, 7, 11, 12]

# --- the task ------------------------------------------------------------------------------------

SEQUENCES = """({ seed, repeat, periods }) => {
  const { tokens, targets } = sequences(drawing(seed), periods.length, (b) => periods[b], repeat);
  return { tokens: Array.from(tokens), targets: Array.from(targets) };
}"""


def drawn(repeat, seeds=range(40)):
    rows = [{"seed": seed, "repeat": repeat, "periods": PERIODS} for seed in seeds]
    found = ask(SEQUENCES, rows, files=FILES)
    return [np.array([one[name] for one in found]).reshape(-1, len(PERIODS), T) for name in ("tokens", "targets")]


def test_a_block_repeats_and_what_can_be_known_counts():
    tokens, targets = drawn(repeat=False)
    for b, period in enumerate(PERIODS):
        rounds, next_ones = tokens[:, b], targets[:, b]
        assert (rounds[:, period:] == rounds[:, :-period]).all()
        assert all(len(set(row)) == period for row in rounds[:, :period].tolist())
        assert (next_ones[:, :period] == -1).all()  # the first round is new, and nobody knows when it ends
        assert (next_ones[:, -1] == -1).all()
        assert (next_ones[:, period:-1] == rounds[:, period + 1 :]).all()
    assert set(tokens.ravel()) == set(range(SYMBOLS))
    counts = np.bincount(tokens[:, :, 0].ravel(), minlength=SYMBOLS)
    assert counts.max() < 3.5 * len(tokens) * len(PERIODS) / SYMBOLS


def test_where_symbols_may_repeat_they_do():
    tokens, _ = drawn(repeat=True)
    long = tokens[:, -1]
    assert (long[:, 12:] == long[:, :-12]).all()
    assert np.mean([len(set(row)) < 12 for row in long[:, :12].tolist()]) > 0.9


BEGINNING = """(seed) => {
  const shape = { symbols: 16, room: 32, width: 32, heads: 2, layers: 2 };
  const { all } = beginning(shape, drawing(seed), 0.7);
  const list = (x) => Array.from(x);
  const layer = Object.fromEntries(Object.entries(all.layers[1]).map(([name, part]) => [name, list(part)]));
  return { ...layer, embed: list(all.embed), unembed: list(all.unembed), beta: list(all.logBeta).map(Math.exp) };
}"""


def test_queries_and_keys_begin_at_half_the_size():
    one, same, other = ask(BEGINNING, [3, 3, 4], files=FILES)
    assert one == same != other
    assert one.pop("beta") == pytest.approx([0.7] * 4)
    sizes = {"query": 0.5, "key": 0.5, "value": 1.0, "out": 1.0, "unembed": 1.0, "embed": 32**0.5}
    assert {name: np.std(part) * 32**0.5 for name, part in one.items()} == pytest.approx(sizes, rel=0.1)
    assert all(abs(np.mean(part)) < 4 * np.std(part) / len(part) ** 0.5 for part in one.values())


# --- what is measured of a head ------------------------------------------------------------------

MEASURED = """({ weights, periods }) => measured(Float64Array.from(weights), 2, 1, periods)"""


def head_that(looks):
    """The weights of two heads on sequences of these periods; the second has all its weight where it looks."""
    weights = np.random.default_rng(SEED).random((len(PERIODS), 2, T, T))
    weights[:, 1] = 0
    for b, period in enumerate(PERIODS):
        for i in range(1, T):
            weights[b, 1, i, looks(i, period)] = 3.0  # only the shares count
    return {"weights": weights.ravel().tolist(), "periods": PERIODS}


def test_a_head_is_called_by_what_it_looks_at():
    looks = [
        lambda i, period: i - 1,
        lambda i, period: max(0, i - period + 1),  # what followed this symbol a round ago
        lambda i, period: i % period + 1 if i >= period else 0,  # the same, in the first round
        lambda i, period: slice(0, i + 1),
        lambda i, period: i if i >= period else slice(i - 1, i + 1),
    ]
    before, after, first, even, half = ask(MEASURED, [head_that(one) for one in looks], files=FILES)
    assert before == pytest.approx({"previous": 1, "induction": 0, "spread": 1})
    first_rounds = sum(period - 1 for period in PERIODS)
    assert after["induction"] == first["induction"] == pytest.approx(1)
    once = len(PERIODS) / first_rounds  # the second symbol sees one before it
    assert after["previous"] == pytest.approx(once)
    assert even["spread"] == pytest.approx(np.mean([i + 1 for period in PERIODS for i in range(period, T)]))
    assert even["previous"] == pytest.approx(
        np.mean([1 / (i + 1) for period in PERIODS for i in range(1, period)])
    )
    assert (half["previous"], half["induction"]) == pytest.approx((0.5, 0))


# --- the recorded runs ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAPS)
def test_a_recorded_run_begins_as_it_would_today(name):
    found = script.kept(script.train({"map": name, **script.CHOICES}, last=20)["states"])
    for curve in ("loss", "accuracy", "induction"):
        assert found[curve] == record()["runs"][name][curve][:3], curve


def test_the_record_is_that_of_the_figure_at_its_start():
    figure = TwoMapsLearn()
    assert record()["choices"] == script.CHOICES == {key: getattr(figure, key) for key in script.CHOICES}
    assert list(record()["runs"]) == list(MAPS) == script.MAPS
    assert len(gzip.compress(script.RESULT.read_bytes())) < 15 * 1024
    for name, run in record()["runs"].items():
        ends = TwoMapsLearn.steps_to(0.98, name)
        assert {len(run[curve]) for curve in ("loss", "accuracy", "induction")} == {ends / 10 + 1}


@pytest.mark.parametrize("name", MAPS)
def test_a_recorded_run_has_learned_with_an_induction_head_and_shows_it(name):
    run = record()["runs"][name]
    assert run["accuracy"][-1] >= 0.98 > max(run["accuracy"][:-1])
    assert run["accuracy"][0] < 0.1
    assert run["loss"][-1] < 0.2
    assert TwoMapsLearn.steps_to(0.98, name) < 400
    best = max(run["heads"], key=lambda head: head["induction"])
    assert best["induction"] == run["induction"][-1] > 0.75
    square = np.zeros((T, T))
    square[np.tril_indices(T)] = [((ord(letter) - ord("a")) / SHADES) ** 2 for letter in best["shades"]]
    period = 8  # of the sequence that is pictured
    there = [square[i, i - period + 1 : 0 : -period].sum() / square[i].sum() for i in range(period, T)]
    assert np.mean(there) == pytest.approx(best["induction"], abs=0.1)


# At these choices the first has 98% right after so many steps, and the second not yet.
TURNED = [
    ({"rate": 0.003}, "sparsemax", "softmax", 320),
    ({"rate": 0.02}, "softmax", "sparsemax", 130),
    ({"rate": 0.02, "beta": 0.03125}, "sparsemax", "softmax", 140),
]


@pytest.mark.parametrize(("choices", "first", "second", "step"), TURNED)
def test_step_size_and_beta_decide_who_is_first(choices, first, second, step):
    for name, arrives in ((first, True), (second, False)):
        states = script.train({**script.CHOICES, "map": name, **choices}, last=step)["states"]
        assert (max(state["accuracy"] for state in states) >= 0.98) == arrives


ENDS = """(states) => states.map(isOver)"""


def test_a_run_ends_when_98_percent_are_right_or_with_step_600():
    states = [(0, 0.1), (260, 0.979), (260, 0.98), (590, 0.5), (600, 0.5)]
    rows = [[{"step": step, "accuracy": accuracy} for step, accuracy in states]]
    assert ask(ENDS, rows, files=FILES) == [[False, False, True, False, True]]


# --- what a choice does --------------------------------------------------------------------------

SHORT = """({ steps, ...choices }) => {
  const run = training(choices);
  let found = null;
  while (found?.step !== steps) found = run.advance() ?? found;
  return { ...found, heads: found.heads.map(({ beta, shades }) => ({ beta, shades: Array.from(shades) })) };
}"""
PLAIN = {
    "map": "softmax",
    "seed": 1,
    "rate": 0.01,
    "beta": 0.25,
    "rule": "fixed",
    "layers": 2,
    "repeats": False,
    "steps": 10,
}


def test_each_choice_changes_the_run_and_nothing_else_does():
    other = {"map": "entmax", "seed": 2, "rate": 0.02, "beta": 0.3}
    other |= {"rule": "log-n", "layers": 1, "repeats": True}
    rows = [PLAIN, PLAIN, *({**PLAIN, name: value} for name, value in other.items())]
    plain, same, *rest = ask(SHORT, rows, files=FILES)
    assert plain == same
    losses = [plain["loss"], *(found["loss"] for found in rest)]
    assert len(set(losses)) == len(losses)
    assert [len(found["heads"]) for found in rest] == [4, 4, 4, 4, 4, 2, 4]


def test_beta_moves_where_it_is_learned_alone():
    fixed, learned = ask(SHORT, [PLAIN, {**PLAIN, "rule": "learned"}], files=FILES)
    assert [head["beta"] for head in fixed["heads"]] == pytest.approx([0.25] * 4, abs=1e-15)
    moved = number([head["beta"] for head in learned["heads"]])
    assert (abs(moved - 0.25) > 1e-4).all()
    assert (abs(moved - 0.25) < 0.05).all()
