"""Each exercise takes what is right, and says of what is wrong where it fails."""

import math
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from book.example import SCORES
from book.exercises import EXERCISES, check
from book.judging import Wrong, choice, close, function, number, show, words
from book.kl import questions
from lib import attention, entropy, kl_divergence, linear_attention, log_softmax, softmax, softmax_jacobian

S = np.array(SCORES)
SILENT = math.ceil(2 / kl_divergence(softmax(S, 0.5), np.full(7, 1 / 7)))


def reversed_order(scores=S):
    """The weights of exercise kl-1, by bisection: one over the gap to a level."""
    low, high = scores.max() + 1e-9, scores.max() + 1
    for _ in range(100):
        level = (low + high) / 2
        total = (1 / len(scores) / (level - scores)).sum()
        low, high = (level, high) if total > 1 else (low, level)
    return 1 / len(scores) / (level - scores)


def tempered(weights, factor):
    out = np.zeros_like(weights)
    kept = weights > 0
    power = factor * np.log(weights[kept])
    out[kept] = np.exp(power - power.max())
    return out / out.sum()


def slopes_by_hand(q, keys, beta):
    """The gradient of exercise scale-2, key by key."""
    p = np.exp(beta * keys @ q)
    p /= p.sum()
    return beta * p[:, None] * (keys - p @ keys)


def distances(weights):
    """Exercise patterns-3, query by query: the last of them stands at the last key."""
    n_q, n_k = weights.shape
    return np.array([sum(w * abs(n_k - n_q + i - j) for j, w in enumerate(row)) for i, row in enumerate(weights)])


def zeros_where_nothing_is_left(scores, mask):
    """Exercise masking-3, row by row."""
    out = np.zeros(scores.shape)
    for row, line, part in zip(out, scores, mask, strict=True):
        if part.any():
            grown = np.exp(line[part] - line[part].max())
            row[part] = grown / grown.sum()
    return out


def two_parts(one, other):
    """The answer of exercise numerics-2, by logarithms of whole sums."""
    top = max(one[0], other[0])
    with np.errstate(divide="ignore"):
        return top, np.exp(np.logaddexp(one[0] + np.log(one[1]), other[0] + np.log(other[1])) - top)


def entropy_of_row(scores):
    gap = scores - scores.max()
    grown = np.exp(gap)
    return np.log(grown.sum()) - grown @ gap / grown.sum()


def near(q, k, v, w):
    """The answer of exercise speed-3, a query at a time, from the end."""
    rows = [attention(q[i - 1 : i], k[:i][-w:], v[:i][-w:]) for i in range(len(q), 0, -1)]
    return np.concatenate(rows[::-1])


def spoilt(weights, factor):
    weights[0] = math.nan
    return weights


def boom(*arguments):
    raise RuntimeError("<b>boom</b>")


def margins(weights):
    return np.outer(weights.sum(axis=1), weights.sum(axis=0))


def causal_linear(q, k, v):
    """One query after the other, over its own keys."""
    features = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  # noqa: E731
    weights = np.tril(features(q) @ features(k).T)
    return weights @ v / weights.sum(axis=1, keepdims=True)


# Of each exercise, answers that are right. Here w are weights, s scores, q a query, k keys, b is β, m a mask and i
# the place of what is right.
RIGHT = {
    "exponential-1": [3, 3.0],
    "exponential-2": ["3", " 3", 3, np.int64(3)],
    "exponential-3": [[6 / 9, 2 / 9, 1 / 9], [0.667, 0.222, 0.111]],
    "exponential-4": [0.643],
    "divergences-1": [
        lambda w: (w * np.log(w / margins(w))).sum(),
        lambda w: entropy(w.sum(axis=0)) + entropy(w.sum(axis=1)) - entropy(w.ravel()),
    ],
    "divergences-2": [0.09 / 1.5],
    "divergences-3": ["uniform", " Uniform"],
    "divergences-4": [
        lambda q, k, b: np.exp(-b / 2 * (k**2).sum(axis=1)),
        lambda q, k, b: 5 * np.exp(-b / 2 * ((k - q) ** 2).sum(axis=1) - b * k @ q),
    ],
    "kl-1": [np.log(np.exp(2 * S).mean()) / 2 - S.mean(), 0.545],
    "kl-2": [lambda s, b, u: s + np.log(u) / b, lambda s, b, u: s + np.log(u / u.sum()) / b + 7],
    "kl-3": [reversed_order(), list(reversed_order().round(3)), torch.tensor(reversed_order())],
    "kl-4": ["infinite", " Infinite "],
    "temperature-1": [math.log(100) / 2, np.array(2.3)],
    "temperature-2": [["fish", "milk"], ("Milk", "fish", "milk")],
    "temperature-3": [tempered],
    "temperature-4": [[0.25, 0.75, 0], torch.tensor([0.25, 0.75, 0.0])],
    "tell-1": [lambda pi, u: np.minimum(pi, u).sum(), lambda pi, u: 1 - abs(pi - u).sum() / 2],
    "tell-2": [math.exp(8), 2981],
    "tell-3": [SILENT, float(SILENT)],
    "scale-1": [5 / 2],
    "scale-2": [slopes_by_hand],
    "scale-3": [4, np.array(4)],
    "gradients-1": [-1 / 500],
    "gradients-2": [math.log(3 + 8**0.5), 1.763],
    "gradients-3": [lambda w, i, b: -softmax_jacobian(w, b)[i] / w[i]],
    "masking-1": [lambda n_q, n_k: np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q)],
    "masking-2": [4, 4.0],
    "masking-3": [zeros_where_nothing_is_left],
    "alternatives-1": [3 / 8],
    "alternatives-2": [1, 1.0],
    "alternatives-3": [lambda w, g, b: b * np.where(w > 0, g - g[w > 0].mean(), 0)],
    "outside-1": [1 / 3, 0.3333],
    "outside-2": [-math.log(49), -3.892],
    "outside-3": [causal_linear],
    "patterns-1": [["c", "d"], ("D", "c"), {"c", "d"}],
    "patterns-2": [5, np.int64(5)],
    "patterns-3": [distances],
    "experiments-1": [1 / (1 + 4095 * math.exp(-9)), 0.664],
    "experiments-2": [(1 + math.sqrt(6)) / 5, 0.69],
    "experiments-3": [11],
    "numerics-1": [3],
    "numerics-2": [two_parts, lambda x, y: two_parts(y, x)],
    "numerics-3": [entropy_of_row],
    "speed-1": [2**34 / 1e9, 17.2],
    "speed-2": [256, 256.5],
    "speed-3": [near],
    "output-1": [math.log1p(1 / math.e), 0.3133],
    "output-2": [lambda s, y: np.log(np.exp(s - s.max()).sum()) - (s - s.max())[y]],
    "output-3": [lambda s, T, a: s >= s.max() + T * np.log(a)],
    "attention-1": [2 * math.log(10)],
    "attention-2": [lambda w, i: np.where(np.arange(len(w)) == i, 0, w) / np.delete(w, i).sum()],
    "attention-3": [["rotation", "reflection", "permutation"]],
}
# What one may take for right.
WRONG = {
    "exponential-1": [8, 2],
    "exponential-2": ["1", "4", 1, 5],
    "exponential-3": [[0.6, 0.3, 0.1], [6, 2, 1]],
    "exponential-4": [1.0, 1.57],
    "divergences-1": [lambda w: (w * np.log(w)).sum(), lambda w: (margins(w) * np.log(margins(w) / w)).sum()],
    "divergences-2": [0.02, 0.135],
    "divergences-3": ["negative", "certain"],
    "divergences-4": [lambda q, k, b: np.ones(len(k)), lambda q, k, b: np.exp(-b * (k**2).sum(axis=1))],
    "kl-1": [np.log(np.exp(2 * S).mean()) - S.mean(), 0.312],
    "kl-2": [lambda s, b, u: s + np.log(u), lambda s, b, u: s[:2]],
    "kl-3": [softmax(S), np.full(7, math.nan)],
    "kl-4": ["finite", "∞"],
    "temperature-1": [1, math.log(100)],
    "temperature-2": [["milk"], ["fish", "milk", "bread"], ["dog"], []],
    "temperature-3": [lambda w, c: w**c / (w**c).sum(), lambda w, c: softmax(w, c), lambda w, c: w[:2], spoilt],
    "temperature-4": [[0.5, 0.5, 0], [0.25, 0.75], [1, 3, 0]],
    "tell-1": [lambda pi, u: np.maximum(pi, u).sum(), lambda pi, u: np.minimum(pi, u)],
    "tell-2": [math.exp(5), 8],
    "tell-3": [SILENT - 1, SILENT + 1],
    "scale-1": [10, 6.25],
    "scale-2": [
        lambda q, k, b: softmax_jacobian(softmax(k @ q, b)) @ k,
        lambda q, k, b: (b * softmax_jacobian(softmax(k @ q, b)) @ k).T,
    ],
    "scale-3": [0.25, 2],
    "gradients-1": [1 / 500, -0.001],
    "gradients-2": [1, math.log(2)],
    "gradients-3": [lambda w, i, b: b * (np.eye(len(w))[i] - w), lambda w, i, b: w - np.eye(len(w))[i]],
    "masking-1": [
        lambda n_q, n_k: np.tril(np.ones((n_q, n_k), dtype=bool)),
        lambda n_q, n_k: np.ones((n_k, n_k), dtype=bool),
    ],
    "masking-2": [6, 5],
    "masking-3": [
        lambda s, m: softmax(np.where(m, s, -1e9)),
        lambda s, m: np.exp(s) * m / (np.exp(s) * m).sum(axis=-1, keepdims=True),
    ],
    "alternatives-1": [1 / 4, 3 / 7],
    "alternatives-2": [2, 1 / 2],
    "alternatives-3": [
        lambda w, g, b: softmax_jacobian(w, b) @ g,
        lambda w, g, b: np.where(w > 0, g - g[w > 0].mean(), 0),
    ],
    "outside-1": [1 / 4, 3 / 8],
    "outside-2": [-math.log(7), math.log(49)],
    "outside-3": [lambda q, k, v: linear_attention(q, k, v), lambda q, k, v: attention(q, k, v, causal=True)],
    "patterns-1": [["c"], ["a", "c", "d"], ["e"]],
    "patterns-2": [40 / 11, 10],
    "patterns-3": [
        lambda w: distances(np.pad(w, ((0, w.shape[1] - len(w)), (0, 0))))[: len(w)],
        lambda w: distances(w).mean(),
    ],
    "experiments-1": [0.573, 0.336],
    "experiments-2": [-0.29, 0.5],
    "experiments-3": [10, 12],
    "numerics-1": [2, 2.97],
    "numerics-2": [
        lambda x, y: (max(x[0], y[0]), x[1] + y[1]),
        lambda x, y: (0, x[1] * math.exp(x[0]) + y[1] * math.exp(y[0])),
    ],
    "numerics-3": [
        lambda s: -(softmax(s) * np.log(softmax(s))).sum(),
        lambda s: np.log(np.exp(s).sum()) - softmax(s) @ s,
    ],
    "speed-1": [2**34, 8.6],
    "speed-2": [1 / 256, 128],
    "speed-3": [
        lambda q, k, v, w: attention(q, k, v, window=w),  # i, but for small texts with the whole table
        lambda q, k, v, w: near(q, k, v, w + 1),
    ],
    "output-1": [math.log(2), 1.461],
    "output-2": [lambda s, y: -np.log(softmax(s)[y]), lambda s, y: log_softmax(s)[y]],
    "output-3": [lambda s, T, a: s >= s.max() + np.log(a), lambda s, T, a: softmax(s, 1 / T) >= a],
    "attention-1": [math.log(10), 10],
    "attention-2": [
        lambda w, i: np.where(np.arange(len(w)) == i, 0, w) / (1 - w[i]),
        lambda w, i: np.delete(w, i) / np.delete(w, i).sum(),
    ],
    "attention-3": [["rotation"], ["rotation", "reflection", "permutation", "scaling"]],
}
# What no question has for an answer, and what cannot be one.
STRANGE = [0, -1, math.inf, math.nan, boom]
BAD = [None, "x", True, {}, object(), 1 + 2j, [1, "x"], [[1], [2, 3]]]


def test_a_right_answer_is_told_why():
    for id, answers in RIGHT.items():
        for answer in answers:
            result = check(id, answer)
            assert (result.right, result.says) == (True, EXERCISES[id].why), f"{id}: {show(answer)}"
            assert repr(result).startswith(f"Right [{id}]")


def test_a_wrong_answer_is_told_where_it_fails_and_given_a_hint():
    for id, answers in WRONG.items():
        for answer in [*answers, *STRANGE]:
            result = check(id, answer)
            assert (result.right, result.word) == (False, "Not yet"), f"{id}: {show(answer)}"
            assert len(result.says) > 15, f"{id}: {show(answer)}"
            assert result.hint == EXERCISES[id].hint
            assert f"Hint: {result.hint}" in repr(result)
            assert "Hint: " in result._repr_html_()


def test_what_cannot_be_an_answer_is_told_so_in_a_sentence():
    for id, answer in product(EXERCISES, BAD):
        result = check(id, answer)
        assert (result.right, result.word) == (False, "Not yet"), f"{id}: {show(answer)}"
        assert result.says[:1].isupper() or result.says.startswith("'"), f"{id}: {result.says}"
        assert not re.search("nan|Traceback", result.says), f"{id}: {result.says}"


def test_an_exercise_has_answers_here_and_sentences_and_its_placeholder_is_open():
    assert set(EXERCISES) == set(RIGHT) == set(WRONG), "each needs a right answer here and two wrong ones"
    for id, exercise in EXERCISES.items():
        assert (exercise.asks[-1] + exercise.why[-1] + exercise.hint[-1]).strip(".?") == "", id
        assert max(len(exercise.why), len(exercise.hint), len(exercise.asks)) < 140, id
        for answer in (..., *([lambda *arguments: None] if callable(RIGHT[id][0]) else [])):
            result = check(id, answer)
            assert (result.right, result.word, result.says) == (False, "Open", exercise.asks), id


def test_a_counterexample_names_the_input_the_value_and_the_right_one():
    says = check("temperature-3", lambda weights, factor: weights**factor / (weights**factor).sum()).says
    assert says == "retempered([0.5, 0.5, 0. ], 0) gives [0.3333, 0.3333, 0.3333]; [0.5, 0.5, 0. ] is right."
    assert "the weight of 'bread' is 0.167" in check("temperature-2", ["fish", "milk", "bread"]).says.lower()
    assert "with β larger by 1 the leader has 0.18145" in check("temperature-1", 1).says.replace("With", "with")


@pytest.mark.parametrize(("id", "named"), [("temperature-3", "masked"), ("attention-2", "to full precision")])
def test_a_question_names_the_case_in_which_a_formula_is_refused(id, named):
    chapter = (Path(__file__).parents[2] / "chapters" / f"{id.split('-')[0]}.md").read_text()
    question = chapter[: chapter.index(f'check("{id}"')].rpartition("\n**")[2]
    assert named in EXERCISES[id].asks
    assert named in question


def test_an_unknown_id_lists_those_of_its_chapter():
    with pytest.raises(LookupError, match=r"temperature-1, temperature-2, temperature-3, temperature-4$"):
        check("temperature-99", 1)
    with pytest.raises(LookupError, match=r"kl-1.*temperature-4"):
        check("nowhere-1", 1)


def test_nan_is_never_right_and_infinities_equal_only_themselves():
    assert not close(np.array(math.nan), np.array(math.nan))
    for answer in (math.nan, 1.0, math.inf):
        with pytest.raises(Wrong):
            number(lambda: math.nan, lambda got: "no")(answer)
    assert close(np.array([math.inf, 1.0]), np.array([math.inf, 1.0]))
    assert not close(np.array(math.inf), np.array(-math.inf))
    assert not close(np.array(1e300), np.array(math.inf))


def test_an_exception_of_the_readers_is_reported_kindly_and_ctrl_c_gets_through():
    result = check("temperature-3", boom)
    assert "stopped with RuntimeError: <b>boom</b>" in result.says
    assert "is right" in result.says
    assert "TypeError" in check("temperature-3", lambda: 1).says

    def stop(weights, factor):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("temperature-3", stop)


def test_a_function_that_gives_nothing_later_on_is_wrong():
    calls = []

    def sometimes(weights, factor):
        calls.append(factor)
        return tempered(weights, factor) if len(calls) == 1 else None

    assert check("temperature-3", sometimes).word == "Not yet"


def test_a_function_cannot_spoil_the_arguments_it_is_judged_by():
    def careless(scores, beta, prior):
        right = scores + np.log(prior) / beta
        scores[:] = prior[:] = 0
        return right

    assert check("kl-2", careless).right
    assert np.array_equal(questions.s, SCORES)


def test_what_a_reader_wrote_is_text_and_not_markup():
    for id, answer in (("temperature-3", boom), ("kl-4", "<script>"), ("temperature-2", ["<i>"])):
        html = check(id, answer)._repr_html_()
        assert not re.search("<script>|<b>boom|<i>", html)
        assert "&lt;" in html


def test_a_result_is_true_as_it_is_right():
    assert [bool(check("kl-4", answer)) for answer in ("infinite", "finite", ...)] == [True, False, False]


def test_long_answers_are_cut_short():
    assert all(len(show(answer)) < 70 for answer in ("x" * 500, np.arange(1000.0), object))


def test_judges_say_what_is_wanted():
    for judge, answer, says in (
        (choice(("a", "b"), lambda: "a", lambda said: ""), "c", "one of 'a', 'b'"),
        (words(("a",), lambda: {"a"}, lambda word, belongs: ""), 1, "a list of words"),
        (function("f", lambda x: x, lambda: [(1.0,)]), "f", "a function, f"),
        (number(lambda: 1, lambda got: "no"), math.nan, "NaN"),
    ):
        with pytest.raises(Wrong, match=says):
            judge(answer)
