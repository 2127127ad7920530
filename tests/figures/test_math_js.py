"""The figures' JavaScript computes what `lib` computes, row by row, walks the slider of β, and writes numbers."""

import math
from functools import cache

import numpy as np
import pytest
from in_node import SEED, ask, number

import lib

inf = math.inf
BETAS = [0.0, 1e-300, 1e-15, 1e-6, 0.01, 0.3, 1.0, 2.5, 17.0, 1e3, 1e12, inf]
BETAS += [-beta for beta in BETAS[1:]]


def some_rows(count):
    """Rows of every kind a figure or a reader could come to, with a fixed seed."""
    rng = np.random.default_rng(SEED)
    for i in range(count):
        n = int(rng.choice([1, 2, 3, 5, 7, 11, 13]))
        scores = rng.normal(size=n) * rng.choice([0.01, 1.0, 3.0, 40.0])
        kind = i % 8
        if kind == 1:
            scores = np.round(scores)  # ties
        elif kind == 2:
            scores = scores + 1e6  # an offset that costs digits when β multiplies first
        elif kind == 3:
            scores = scores * 1e30
        elif kind == 4:
            scores[rng.random(n) < 0.3] = -inf
        elif kind == 5:
            scores[rng.random(n) < 0.3] = inf
        elif kind == 6:
            scores = np.full(n, 0.7)
        prior = rng.gamma(0.5, size=n) + 1e-6 if rng.random() < 0.5 else None
        if prior is not None and rng.random() < 0.3:
            prior[rng.integers(n)] = 0.0
        if prior is not None and not prior.any():
            prior = None
        where = rng.random(n) < 0.7 if rng.random() < 0.5 else None
        if where is not None and rng.random() < 0.1:
            where[:] = False
        # Weights of another softmax, some of them 0, to compare with.
        other = np.where(rng.random(n) < 0.2, 0.0, rng.gamma(0.7, size=n))
        other = other / other.sum() if other.any() else other
        yield {
            "scores": scores.tolist(),
            "beta": BETAS[i % len(BETAS)],
            "prior": None if prior is None else prior.tolist(),
            "where": None if where is None else where.tolist(),
            "other": other.tolist(),
        }


ROWS = list(some_rows(3000))
ANSWER = """({ scores, beta, prior, where, other }) => {
  const options = { prior, where };
  const weights = softmax(scores, beta, options);
  const u = nullWeights(scores, options);
  return {
    weights, entropy: entropy(weights), count: effectiveCount(weights), kl: klDivergence(weights, u),
    klOther: klDivergence(other, u), partition: logPartition(scores, beta, options),
    objective: objective(weights, scores, beta, options),
    objectiveOther: objective(other, scores, beta, options),
  };
}"""


@pytest.fixture(scope="module")
def answers():
    return ask(ANSWER, ROWS)


def options(row):
    return {
        "prior": None if row["prior"] is None else np.array(row["prior"]),
        "where": None if row["where"] is None else np.array(row["where"]),
    }


def largest(row):
    """The size of the largest finite score: what rounding is relative to."""
    scores = np.abs(number(row["scores"]))
    return max([1.0, *scores[np.isfinite(scores)]])


def test_rows_cover_what_they_should():
    assert {row["beta"] for row in ROWS} == set(BETAS)
    empty = [row for row in ROWS if row["where"] is not None and not any(row["where"])]
    assert len(empty) > 50
    assert sum(row["prior"] is not None and row["where"] is not None for row in ROWS) > 400


@cache
def weights_and_null(i):
    scores = number(ROWS[i]["scores"])
    weights = lib.softmax(scores, ROWS[i]["beta"], **options(ROWS[i]))
    return weights, lib.softmax(scores, 0.0, **options(ROWS[i]))


def objective_of(weights, row):
    return lib.objective(weights, number(row["scores"]), row["beta"], **options(row))


EXPECTED = {
    "weights": lambda i, row: weights_and_null(i)[0],
    "entropy": lambda i, row: lib.entropy(weights_and_null(i)[0]),
    "count": lambda i, row: lib.effective_count(weights_and_null(i)[0]),
    "kl": lambda i, row: lib.kl_divergence(*weights_and_null(i)),
    "klOther": lambda i, row: lib.kl_divergence(number(row["other"]), weights_and_null(i)[1]),
    "partition": lambda i, row: lib.log_partition(number(row["scores"]), row["beta"], **options(row)),
    "objective": lambda i, row: objective_of(weights_and_null(i)[0], row),
    "objectiveOther": lambda i, row: objective_of(number(row["other"]), row),
}


@pytest.mark.parametrize("key", EXPECTED)
def test_it_is_what_lib_computes(answers, key):
    # Both sides do the same operations in float64 on at most 13 entries: they differ by the last
    # digits of exp and log alone, some 1e-15; a dropped prior, mask or β is wrong by far more.
    for i, (row, answer) in enumerate(zip(ROWS, answers, strict=True)):
        unit = largest(row) if key in ("partition", "objective", "objectiveOther") else 1.0
        np.testing.assert_allclose(
            number(answer[key]) / unit,
            np.asarray(EXPECTED[key](i, row)) / unit,
            rtol=1e-12,
            atol=1e-12,
            err_msg=f"{key} of row {i}: {row}",
        )


def test_a_row_with_a_nan_is_nan():
    row = {"scores": [1.0, math.nan, 2.0], "beta": 1.0, "prior": None, "where": None, "other": [0.0] * 3}
    masked = {**row, "where": [True, False, True]}
    nan, kept = (number(answer["weights"]) for answer in ask(ANSWER, [row, masked]))
    assert np.isnan(nan).all()
    np.testing.assert_allclose(kept, lib.softmax(np.array([1.0, 0.0, 2.0]), where=np.array([True, False, True])))


def test_the_track_reaches_exactly_zero_and_infinity():
    places = list(range(241))
    betas = number(ask("fromPlace", places))
    assert betas[0] == 0
    assert betas[240] == inf
    assert betas[120] == 1
    assert betas[20] == 0.01
    assert betas[220] == 100
    assert (np.diff(betas[20:221]) > 0).all()
    back = number(ask("toPlace", betas.tolist()))
    np.testing.assert_array_equal(number(ask("fromPlace", back.tolist())), betas)


def walk(key, start, steps):
    answer = f"(start) => {{ const path = [start]; for (let i = 0; i < {steps}; i++) \
path.push(keyed('{key}', path.at(-1))); return path; }}"
    return number(ask(answer, [start])[0])


@pytest.mark.parametrize(("key", "start", "end"), [("ArrowRight", 0.0, inf), ("ArrowLeft", inf, 0.0)])
def test_arrow_keys_walk_from_end_to_end(key, start, end):
    path = walk(key, start, 42)  # ten steps in each of four decades, and the two ends
    assert path[-1] == end
    assert np.isin([0.01, 0.1, 1, 10, 100], path).all()
    assert len(np.unique(path)) == 43


def test_page_keys_walk_by_powers_of_ten():
    assert walk("PageUp", 0.0, 6).tolist() == [0, 0.01, 0.1, 1, 10, 100, inf]
    assert walk("PageDown", inf, 6).tolist() == [inf, 100, 10, 1, 0.1, 0.01, 0]


# --- numbers in words ---------------------------------------------------------------------------

# A number in three digits, in three that keep their places, in two decimals, as an amount, as a score.
NUMBERS = [
    (0.0, "0", "0", "0.00", "0.00", "0.0"),
    (1.0, "1", "1.00", "1.00", "1.00", "1.0"),
    (-1.0, "−1", "−1.00", "−1.00", "−1.00", "−1.0"),
    (0.25, "0.25", "0.250", "0.25", "0.25", "0.25"),
    (2.5, "2.5", "2.50", "2.50", "2.50", "2.5"),
    (-0.5, "−0.5", "−0.500", "−0.50", "−0.50", "−0.5"),
    (0.1 + 0.2, "0.3", "0.300", "0.30", "0.30", "0.3"),
    (-0.004, "−0.004", "−0.00400", "0.00", "0.00", "−0.004"),
    (0.005, "0.005", "0.00500", "0.01", "0.01", "0.01"),
    (0.125, "0.125", "0.125", "0.13", "0.13", "0.13"),
    (9.995, "9.99", "9.99", "9.99", "9.99", "9.99"),
    (99.95, "100", "100", "99.95", "99.95", "99.95"),
    (999.4, "999", "999", "999.40", "999.40", "999.4"),
    (999.5, "1000", "1000", "999.50", "999.50", "999.5"),
    (1234.0, "1230", "1230", "1234.00", "1234.00", "1234.0"),
    (12345.0, "12300", "12300", "12345.00", "12300", "12300"),
    (999999.9, "1e6", "1e6", "999999.90", "1e6", "1e6"),
    (1e-4, "0.0001", "0.000100", "0.00", "0.00", "0.0001"),
    (9.99e-5, "9.99e−5", "9.99e−5", "0.00", "0.00", "9.99e−5"),
    (-2.5e8, "−2.5e8", "−2.5e8", "−250000000.00", "−2.5e8", "−2.5e8"),
]
SHARES = [(0, "0%"), (1e-300, "<0.1%"), (0.0009, "<0.1%"), (0.001, "0.1%"), (0.09, "9.0%"), (0.0994, "9.9%")]
SHARES += [(0.0996, "10%"), (1 / 7, "14%"), (0.5, "50%"), (0.994, "99%"), (0.9951, "99.5%"), (0.999, "99.9%")]
SHARES += [(0.9991, ">99.9%"), (1 - 2**-53, ">99.9%"), (1, "100%")]
CHANCES = [
    (1.0, "100%"),
    (0.9961, "99.6%"),
    (0.385, "38.5%"),
    (0.0011, "0.1%"),
    (1e-5, "1.0·10⁻⁵"),
    (4.2e-12, "4.2·10⁻¹²"),
    (9.97e-8, "1.0·10⁻⁷"),
]


def test_numbers_are_written_with_sensible_digits():
    answer = "(x) => [short(x), steady(x), fixed(x, 2), amount(x), scoreText(x)]"
    for (x, *texts), said in zip(NUMBERS, ask(answer, [x for x, *_ in NUMBERS]), strict=True):
        assert said == texts, x
    assert ask("short", [inf, -inf]) == ["∞", "−∞"]


def test_all_and_nothing_are_said_of_nothing_else():
    assert list(zip([x for x, _ in SHARES], ask("percent", [x for x, _ in SHARES]), strict=True)) == SHARES


def test_chances_are_written_however_small():
    logs = [math.log(x) for x, _ in CHANCES] + [-2000.3, -1e5]
    texts = [text for _, text in CHANCES] + ["1.9·10⁻⁸⁶⁹", "3.6·10⁻⁴³⁴³⁰"]
    assert ask("chance", logs, view="can_you_tell") == texts
