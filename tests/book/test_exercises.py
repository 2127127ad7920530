"""Each exercise takes what is right, and says of what is wrong where it fails."""

import math

import numpy as np
import pytest
import torch

from lib import (
    attention,
    attention_distance,
    entmax_vjp,
    entropy,
    kl_divergence,
    linear_attention,
    log_softmax,
    softmax,
    softmax_jacobian,
)
from lib.book.example import SCORES
from lib.book.exercises import EXERCISES, check
from lib.book.judging import Unanswered, Wrong, choice, close, function, number, numbers, show, words
from lib.book.kl import questions

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


RIGHT = {
    "exponential-1": [3, 3.0],
    "exponential-2": ["3", " 3"],
    "exponential-3": [[6 / 9, 2 / 9, 1 / 9], [0.667, 0.222, 0.111]],
    "exponential-4": [0.643, 0.6429],
    "divergences-1": [
        lambda weights: (weights * np.log(weights / margins(weights))).sum(),
        lambda weights: entropy(weights.sum(axis=0)) + entropy(weights.sum(axis=1)) - entropy(weights.ravel()),
    ],
    "divergences-2": [0.06, 0.09 / 1.5],
    "divergences-3": ["uniform", " Uniform"],
    "divergences-4": [
        lambda query, keys, beta: np.exp(-beta / 2 * (keys**2).sum(axis=1)),
        lambda query, keys, beta: 5 * np.exp(-beta / 2 * ((keys - query) ** 2).sum(axis=1) - beta * keys @ query),
    ],
    "kl-3": [reversed_order(), list(reversed_order().round(3)), torch.tensor(reversed_order())],
    "kl-2": [lambda s, beta, u: s + np.log(u) / beta, lambda s, beta, u: s + np.log(u / u.sum()) / beta + 7],
    "kl-4": ["infinite", " Infinite "],
    "kl-1": [np.log(np.exp(2 * S).mean()) / 2 - S.mean(), 0.545],
    "temperature-1": [math.log(100) / 2, 2.3, np.array(2.3)],
    "tell-3": [SILENT, float(SILENT)],
    "tell-1": [lambda pi, u: np.minimum(pi, u).sum(), lambda pi, u: 1 - abs(pi - u).sum() / 2],
    "tell-2": [math.exp(8), 2981],
    "temperature-2": [["fish", "milk"], ("Milk", "fish", "milk")],
    "temperature-3": [tempered, lambda weights, factor: softmax(np.log(weights), factor)],
    "temperature-4": [[0.25, 0.75, 0], np.array([0.25, 0.75, 0.0]), torch.tensor([0.25, 0.75, 0.0])],
    "scale-1": [2.5, 5 / 2, np.float64(2.5)],
    "scale-2": [slopes_by_hand, lambda q, keys, beta: beta * softmax_jacobian(softmax(keys @ q, beta)) @ keys],
    "scale-3": [4, 4.0, np.array(4)],
    "gradients-1": [-1 / 500, -0.002],
    "gradients-2": [math.log(3 + 8**0.5), 1.763],
    "gradients-3": [
        lambda weights, right, beta: beta * (weights - np.eye(len(weights))[right]),
        lambda weights, right, beta: -softmax_jacobian(weights, beta)[right] / weights[right],
    ],
    "masking-1": [
        lambda n_q, n_k: np.arange(n_k) <= np.arange(n_k - n_q, n_k)[:, None],
        lambda n_q, n_k: np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q),
    ],
    "masking-2": [4, 4.0, np.array(4)],
    "masking-3": [zeros_where_nothing_is_left, lambda scores, mask: softmax(scores, where=mask)],
    "alternatives-1": [3 / 8, 0.375],
    "alternatives-2": [1, 1.0, np.array(1)],
    "alternatives-3": [
        lambda weights, g, beta: beta * np.where(weights > 0, g - g[weights > 0].mean(), 0),
        lambda weights, g, beta: entmax_vjp(weights, g, alpha=2.0, beta=beta),
    ],
    "outside-1": [1 / 3, 0.3333],
    "outside-2": [-math.log(49), -3.892],
    "outside-3": [causal_linear, lambda q, k, v: linear_attention(q, k, v, causal=True)],
    "patterns-1": [["c", "d"], ("D", "c"), {"c", "d"}],
    "patterns-2": [5, 5.0, np.int64(5)],
    "patterns-3": [distances, lambda weights: attention_distance(weights)],
    "experiments-1": [1 / (1 + 4095 * math.exp(-9)), 0.664],
    "experiments-2": [(1 + math.sqrt(6)) / 5, 0.69],
    "experiments-3": [11, 11.0],
    "numerics-1": [3, 3.0, np.int64(3)],
    "numerics-2": [two_parts, lambda one, other: two_parts(other, one)],
    "numerics-3": [entropy_of_row, lambda scores: entropy(softmax(scores))],
    "speed-1": [2**34 / 1e9, 17.2],
    "speed-2": [256, 256.5],
    "speed-3": [near, lambda q, k, v, w: np.concatenate([near(q, k, v, w)])],
    "output-1": [math.log1p(1 / math.e), 0.3133],
    "output-2": [
        lambda s, y: np.log(np.exp(s - s.max()).sum()) - (s - s.max())[y],
        lambda s, y: -log_softmax(s)[y],
    ],
    "output-3": [
        lambda s, T, a: s >= s.max() + T * np.log(a),
        lambda s, T, a: softmax(s, 1 / T) >= a * softmax(s, 1 / T).max() - 1e-12,
    ],
    "attention-1": [2 * math.log(10)],
    "attention-2": [
        lambda weights, i: np.where(np.arange(len(weights)) == i, 0, weights) / np.delete(weights, i).sum()
    ],
    "attention-3": [["rotation", "reflection", "permutation"]],
}
WRONG = {
    "exponential-1": [8, 2, 4, math.nan, "three"],
    "exponential-2": ["1", "2", "4", 3, None],
    "exponential-3": [[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [6, 2, 1], 0.5],
    "exponential-4": [1.0, 1.57, 0, -1, math.nan, "half"],
    "divergences-1": [
        lambda weights: (weights * np.log(weights)).sum(),
        lambda weights: (margins(weights) * np.log(margins(weights) / weights)).sum(),
        boom,
        0.1,
    ],
    "divergences-2": [0.02, 0.135, 0.126, 0, -1, math.nan, "less"],
    "divergences-3": ["negative", "certain", "softmax", None],
    "divergences-4": [
        lambda query, keys, beta: np.ones(len(keys)),
        lambda query, keys, beta: np.exp(-beta * (keys**2).sum(axis=1)),
        lambda query, keys, beta: np.exp(beta / 2 * (keys**2).sum(axis=1)),
        lambda query, keys, beta: [1.0],
        boom,
    ],
    "kl-3": [softmax(S), np.full(7, 1 / 7), S, [0.5, 0.5], np.full(7, math.nan), "softmax"],
    "kl-2": [lambda s, beta, u: s + np.log(u), lambda s, beta, u: s * u, lambda s, beta, u: s[:2], boom, 3],
    "kl-4": ["finite", "∞", 2.3, None],
    "kl-1": [np.log(np.exp(2 * S).mean()) - S.mean(), 0.312, 1.09, "half"],
    "temperature-1": [1, 0, -1, math.log(100), 4.6, 100, math.nan, math.inf, None, "five"],
    "tell-3": [8, SILENT - 1, SILENT + 1, 2 * SILENT, 0, -3, math.inf, math.nan, "many"],
    "tell-1": [
        lambda pi, u: np.maximum(pi, u).sum(),
        lambda pi, u: np.minimum(pi, u),
        lambda pi, u: (pi * u).sum(),
        boom,
        0.7,
    ],
    "tell-2": [math.exp(5), math.exp(0.8), 8, 0, -1, math.inf, "e^8"],
    "temperature-2": [["milk"], "milk", ["fish", "milk", "bread"], ["fish", "milk", "salt"], ["dog"], 3, []],
    "temperature-3": [
        lambda weights, factor: weights**factor / (weights**factor).sum(),
        lambda weights, factor: weights * factor,
        lambda weights, factor: softmax(weights, factor),
        lambda weights, factor: weights[:2],
        lambda weights: weights,
        spoilt,
        boom,
        0.5,
    ],
    "temperature-4": [[0.5, 0.5, 0], [0.1, 0.3, 0.6], [0, 0, 1], [0.25, 0.75], [1, 3, 0], [math.nan] * 3, "tie"],
    "scale-1": [10, 6.25, 5, 0.25, 0, -2.5, math.nan, "√d"],
    "scale-2": [
        lambda q, keys, beta: softmax_jacobian(softmax(keys @ q, beta)) @ keys,
        lambda q, keys, beta: beta * softmax_jacobian(softmax(keys @ q)) @ keys,
        lambda q, keys, beta: (beta * softmax_jacobian(softmax(keys @ q, beta)) @ keys).T,
        boom,
        0.5,
    ],
    "scale-3": [0.25, 0.5, 1, 2, 16, math.nan, math.inf, -4, "4", True, [4], 4j],
    "gradients-1": [1 / 500, -0.001, -0.01, 0, math.nan, "less"],
    "gradients-2": [0, 1, 2, -1.763, math.log(2), math.inf, "half"],
    "gradients-3": [
        lambda weights, right, beta: beta * (np.eye(len(weights))[right] - weights),
        lambda weights, right, beta: -softmax_jacobian(weights, beta)[right],
        lambda weights, right, beta: weights - np.eye(len(weights))[right],
        boom,
        2.0,
    ],
    "masking-1": [
        lambda n_q, n_k: np.tril(np.ones((n_q, n_k), dtype=bool)),
        lambda n_q, n_k: np.arange(n_k) < np.arange(n_k - n_q, n_k)[:, None],
        lambda n_q, n_k: np.ones((n_k, n_k), dtype=bool),
        boom,
        True,
    ],
    "masking-2": [6, 5, 3, 0, 10, math.nan, "four"],
    "masking-3": [
        lambda scores, mask: softmax(np.where(mask, scores, -1e9)),
        lambda scores, mask: softmax(scores) * mask,
        lambda scores, mask: softmax(np.where(mask, scores, 0)),
        lambda scores, mask: np.exp(scores) * mask / (np.exp(scores) * mask).sum(axis=-1, keepdims=True),
    ],
    "alternatives-1": [1 / 4, 1 / 2, 0.43, 3 / 7, 0, math.nan, "three eighths"],
    "alternatives-2": [2, 1 / 2, 4, 0, math.inf, "never"],
    "alternatives-3": [
        lambda weights, g, beta: softmax_jacobian(weights, beta) @ g,
        lambda weights, g, beta: beta * (g - g.mean()),
        lambda weights, g, beta: np.where(weights > 0, g - g[weights > 0].mean(), 0),
        lambda weights, g, beta: beta * (weights > 0) * g,
        boom,
        1.0,
    ],
    "outside-1": [1 / 4, 3 / 8, 0, math.nan, "a third"],
    "outside-2": [-math.log(7), math.log(49), -49, 0, "minus four"],
    "outside-3": [
        lambda q, k, v: linear_attention(q, k, v),
        lambda q, k, v: attention(q, k, v, causal=True),
        lambda q, k, v: np.cumsum(v, axis=0),
        boom,
        1.0,
    ],
    "patterns-1": [["c"], ["d"], ["a", "c", "d"], ["b", "c", "d"], ["e"], 3, "c"],
    "patterns-2": [40 / 11, 10, 5.5, 0, math.nan, "far"],
    "patterns-3": [
        lambda weights: distances(np.pad(weights, ((0, weights.shape[1] - len(weights)), (0, 0))))[: len(weights)],
        lambda weights: weights @ np.arange(weights.shape[1]),
        lambda weights: distances(weights).mean(),
        boom,
        1.0,
    ],
    "experiments-1": [0.573, 1, 0.994, 0.336, 0, 3, math.nan, "two thirds"],
    "experiments-2": [-0.29, 0.2, 0.5, 0.71, 1, math.nan, "most"],
    "experiments-3": [10, 12, 1000, 9.97, 0, -3, math.nan, "eight"],
    "numerics-1": [2, 4, 2.97, 0, math.inf, "three"],
    "numerics-2": [
        lambda one, other: (max(one[0], other[0]), one[1] + other[1]),
        lambda one, other: (0, one[1] * math.exp(one[0]) + other[1] * math.exp(other[0])),
        lambda one, other: one,
        boom,
        3,
    ],
    "numerics-3": [
        lambda scores: -(softmax(scores) * np.log(softmax(scores))).sum(),
        lambda scores: np.log(np.exp(scores).sum()) - softmax(scores) @ scores,
        lambda scores: softmax(scores),
        boom,
        0.5,
    ],
    "speed-1": [2**34, 8.6, 34.4, 0.131, math.nan, "seventeen"],
    "speed-2": [1 / 256, 128, 65536, math.nan, "many"],
    "speed-3": [
        lambda q, k, v, w: attention(q, k, v, window=w),  # right, but for small texts with the whole table
        lambda q, k, v, w: near(q, k, v, w + 1),
        lambda q, k, v, w: near(q, k, v, len(q)),
        lambda q, k, v, w: near(2 * q, k, v, w),
        boom,
        0.5,
    ],
    "output-1": [0, math.log(2), 1.461, -0.313, math.nan, "one"],
    "output-2": [
        lambda s, y: -np.log(softmax(s)[y]),
        lambda s, y: np.log(np.exp(s).sum()) - s[y],
        lambda s, y: log_softmax(s)[y],
        boom,
        0.5,
    ],
    "output-3": [
        lambda s, T, a: s >= s.max() + np.log(a),
        lambda s, T, a: s >= a * s.max(),
        lambda s, T, a: softmax(s, 1 / T) >= a,
        boom,
        True,
    ],
    "attention-1": [math.log(10), 10, math.nan],
    "attention-2": [
        lambda weights, i: np.where(np.arange(len(weights)) == i, 0, weights) / (1 - weights[i]),
        lambda weights, i: np.delete(weights, i) / np.delete(weights, i).sum(),
        boom,
    ],
    "attention-3": [["rotation"], ["rotation", "reflection", "permutation", "scaling"], "all"],
}


def pairs(answers):
    return [(id, answer) for id, all_ in answers.items() for answer in all_]


@pytest.mark.parametrize(("id", "answer"), pairs(RIGHT))
def test_a_right_answer_is_told_why(id, answer):
    result = check(id, answer)
    assert result.right is True
    assert result.says == EXERCISES[id].why
    assert repr(result).startswith(f"Right [{id}]")


@pytest.mark.parametrize(("id", "answer"), pairs(WRONG))
def test_a_wrong_answer_is_told_where_it_fails_and_given_a_hint(id, answer):
    result = check(id, answer)
    assert result.right is False
    assert result.word == "Not yet"
    assert len(result.says) > 20
    assert result.hint == EXERCISES[id].hint
    assert "Hint: " in repr(result)
    assert "Hint: " in result._repr_html_()


def test_every_exercise_has_right_answers_and_two_wrong_ones():
    assert set(RIGHT) == set(WRONG) == set(EXERCISES)
    assert all(len(wrong) >= 2 for wrong in WRONG.values())


@pytest.mark.parametrize("id", EXERCISES)
def test_the_placeholder_is_neither_right_nor_wrong(id):
    for answer in (..., *([lambda *arguments: None] if callable(RIGHT[id][0]) else [])):
        result = check(id, answer)
        assert (result.right, result.word, result.says) == (False, "Open", EXERCISES[id].asks)


@pytest.mark.parametrize("id", EXERCISES)
def test_words_are_sentences(id):
    exercise = EXERCISES[id]
    assert exercise.asks[-1] in ".?"
    assert exercise.why.endswith(".")
    assert exercise.hint[-1] in ".?"
    assert max(len(exercise.why), len(exercise.hint), len(exercise.asks)) < 140


def test_a_counterexample_names_the_input_the_value_and_the_right_one():
    says = check("temperature-3", lambda weights, factor: weights**factor / (weights**factor).sum()).says
    assert says == "retempered([0.5, 0.5, 0. ], 0) gives [0.3333, 0.3333, 0.3333]; [0.5, 0.5, 0. ] is right."
    assert "the weight of 'bread' is 0.167" in check("temperature-2", ["fish", "milk", "bread"]).says.lower()
    assert "with β larger by 1 the leader has 0.18145" in check("temperature-1", 1).says.replace("With", "with")


def test_an_unknown_id_lists_those_of_its_chapter():
    with pytest.raises(LookupError, match=r"temperature-1, temperature-2, temperature-3, temperature-4$"):
        check("temperature-99", 1)
    with pytest.raises(LookupError, match=r"kl-1.*temperature-4"):
        check("nowhere-1", 1)
    with pytest.raises(LookupError):
        check(None, 1)


def test_nan_is_never_right():
    assert not close(np.array(math.nan), np.array(math.nan))
    judge = number(lambda: math.nan, lambda got: "no")
    for answer in (math.nan, 1.0, math.inf):
        with pytest.raises(Wrong):
            judge(answer)
    with pytest.raises(Wrong, match="NaN"):
        numbers(np.array([1.0, math.nan]), (2,))


def test_infinities_equal_only_themselves():
    assert close(np.array([math.inf, 1.0]), np.array([math.inf, 1.0]))
    assert not close(np.array(math.inf), np.array(-math.inf))
    assert not close(np.array(1e300), np.array(math.inf))


def test_an_exception_of_the_readers_is_reported_kindly():
    result = check("temperature-3", boom)
    assert "stopped with RuntimeError: <b>boom</b>" in result.says
    assert "is right" in result.says
    assert "TypeError" in check("temperature-3", lambda: 1).says


def test_a_keyboard_interrupt_gets_through():
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
    assert np.array_equal(questions.S, SCORES)


def test_what_a_reader_wrote_is_text_and_not_markup():
    for id, answer in (("temperature-3", boom), ("kl-4", "<script>"), ("temperature-2", ["<i>"])):
        html = check(id, answer)._repr_html_()
        assert "<script>" not in html
        assert "<b>boom" not in html
        assert "<i>" not in html
        assert "&lt;" in html


def test_a_result_is_true_as_it_is_right():
    assert check("kl-4", "infinite")
    assert not check("kl-4", "finite")
    assert not check("kl-4")


def test_long_answers_are_cut_short():
    assert len(show("x" * 500)) < 70
    assert len(show(np.arange(1000.0))) < 70
    assert len(show(object)) < 70


def test_judges_say_what_is_wanted():
    with pytest.raises(Wrong, match="one of 'a', 'b'"):
        choice(("a", "b"), lambda: "a", lambda said: "")("c")
    with pytest.raises(Wrong, match="a list of words"):
        words(("a",), lambda: {"a"}, lambda word, belongs: "")(1)
    with pytest.raises(Unanswered):
        function("f", lambda x: x, lambda: [(1.0,)])(lambda x: ...)
    with pytest.raises(Wrong, match="a function, f"):
        function("f", lambda x: x, lambda: [(1.0,)])("f")


BAD = [None, "x", b"x", True, [], {}, object(), 1 + 2j, [1, "x"], [[1], [2, 3]], np.full((2, 2), "x")]


@pytest.mark.parametrize("id", sorted(RIGHT))
@pytest.mark.parametrize("answer", BAD, ids=lambda answer: type(answer).__name__)
def test_what_cannot_be_an_answer_is_told_so_in_a_sentence(id, answer):
    result = check(id, answer)
    assert not result.right
    assert result.word == "Not yet"
    assert result.says[:1].isupper() or result.says.startswith("'")
    assert "nan" not in result.says
    assert "Traceback" not in result.says
