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
from book.exercises import answer as place_for
from book.judging import Judge, Wrong, choice, close, complaint, function, number, show, words
from lib import attention, entropy, kl_divergence, linear_attention, softmax, softmax_jacobian

SILENT = math.ceil(2 / kl_divergence(softmax(np.array(SCORES), 0.5), np.full(7, 1 / 7)))


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


def entropy_of_row(scores):
    gap = scores - scores.max()
    grown = np.exp(gap)
    return np.log(grown.sum()) - grown @ gap / grown.sum()


def near(q, k, v, w):
    """The answer of exercise speed-3, a query at a time, from the end."""
    rows = [attention(q[i - 1 : i], k[:i][-w:], v[:i][-w:]) for i in range(len(q), 0, -1)]
    return np.concatenate(rows[::-1])


def boom(*arguments):
    raise RuntimeError("<b>boom</b>")


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
    "divergences-1": [2 * entropy(np.full(2, 1 / 2)) - entropy(np.array([0.4, 0.1, 0.1, 0.4])), 0.193],
    "divergences-2": [0.09 / 1.5],
    "divergences-3": ["uniform", " Uniform"],
    "divergences-4": [
        lambda q, k, b: np.exp(-b / 2 * (k**2).sum(axis=1)),
        lambda q, k, b: 5 * np.exp(-b / 2 * ((k - q) ** 2).sum(axis=1) - b * k @ q),
    ],
    "kl-1": [math.log((math.e**2 + 1) / 2) / 2 - 1 / 2, 0.217],
    "kl-2": [math.log(3) / 2, 0.55],
    "kl-3": [math.sqrt(1 / 2), 0.707],
    "kl-4": ["infinite", " Infinite "],
    "temperature-1": [math.log(100) / 2, np.array(2.3)],
    "temperature-2": [["fish", "milk"], ("Milk", "fish", "milk")],
    "temperature-3": [np.array([25, 9, 4]) / 38, [0.66, 0.24, 0.11]],
    "temperature-4": [[0.25, 0.75, 0], torch.tensor([0.25, 0.75, 0.0])],
    "tell-1": [19 / 30, 0.633],
    "tell-2": [math.exp(8), 2981],
    "tell-3": [SILENT, float(SILENT)],
    "scale-1": [5 / 2],
    "scale-2": [slopes_by_hand],
    "scale-3": [4, np.array(4)],
    "gradients-1": [-1 / 500],
    "gradients-2": [math.log(3 + 8**0.5), 1.763],
    "gradients-3": [-softmax_jacobian(np.array([0.7, 0.2, 0.1]), 2.0)[1] / 0.2, [1.4, -1.6, 0.2]],
    "masking-1": [lambda n_q, n_k: np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q)],
    "masking-2": [4, 4.0],
    "masking-3": [zeros_where_nothing_is_left],
    "alternatives-1": [3 / 8],
    "alternatives-2": [1, 1.0],
    "alternatives-3": [[3, -3, 0]],
    "outside-1": [1 / 3, 0.3333],
    "outside-2": [-math.log(49), -3.892],
    "outside-3": [causal_linear],
    "patterns-1": [["c", "d"], ("D", "c"), {"c", "d"}],
    "patterns-2": [5, np.int64(5)],
    "patterns-3": [distances],
    "experiments-1": [1 / (1 + 4095 * math.exp(-9)), 0.664],
    "experiments-2": [(1 + math.sqrt(6)) / 5, 0.69],
    "experiments-3": [11],
    "repairs-1": [math.log(16), 2.7726],
    "repairs-2": ["1", " 1", 1],
    "repairs-3": [[16 / 21, 4 / 21, 1 / 21], [0.762, 0.19, 0.048]],
    "repairs-4": [0.5, 1 / 2],
    "numerics-1": [3],
    "numerics-2": [[1000, 1.25 + 3 * math.exp(-2)], (1000, 1.656)],
    "numerics-3": [entropy_of_row],
    "speed-1": [2**34 / 1e9, 17.2],
    "speed-2": [256, 256.5],
    "speed-3": [near],
    "output-1": [math.log1p(1 / math.e), 0.3133],
    "output-2": [math.log(math.e + 1 + 1 / math.e), 1.41],
    "output-3": [["milk", "tea", "wine"]],
    "attention-1": [2 * math.log(10)],
    "attention-2": [[0, 3 / 4, 1 / 4]],
    "attention-3": [["rotation", "reflection", "permutation"]],
}
# What one may take for right.
WRONG = {
    "exponential-1": [8, 2],
    "exponential-2": ["1", "4", 1, 5],
    "exponential-3": [[0.6, 0.3, 0.1], [6, 2, 1]],
    "exponential-4": [1.0, 1.57],
    "divergences-1": [0.278, 0.223],
    "divergences-2": [0.02, 0.135],
    "divergences-3": ["negative", "certain"],
    "divergences-4": [lambda q, k, b: np.ones(len(k)), lambda q, k, b: np.exp(-b * (k**2).sum(axis=1))],
    "kl-1": [0.717, 0.434],
    "kl-2": [3, math.log(3)],
    "kl-3": [0.731, 1],
    "kl-4": ["finite", "∞"],
    "temperature-1": [1, math.log(100)],
    "temperature-2": [["milk"], ["fish", "milk", "bread"], ["dog"], []],
    "temperature-3": [[1, 0.6, 0.4], [0.25, 0.09, 0.04], [0.42, 0.32, 0.26]],
    "temperature-4": [[0.5, 0.5, 0], [0.25, 0.75], [1, 3, 0]],
    "tell-1": [41 / 30, 11 / 30],
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
    "gradients-3": [[-1.4, 1.6, -0.2], [0.7, -0.8, 0.1]],
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
    "alternatives-3": [[1.5, -1.5, 0], [1, -1, 0], [0, -6, 6], [3, -3]],
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
    "repairs-1": [math.log(4), math.log(8)],
    "repairs-2": ["2", "4", 3],
    "repairs-3": [[1, 0, 0], [0.665, 0.245, 0.09]],
    "repairs-4": [0.25, 2],
    "numerics-1": [2, 2.97],
    "numerics-2": [[1000, 4.25], [998, 12.236]],
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
    "output-2": [0.408, -1.408],
    "output-3": [["milk", "tea"], ["milk", "tea", "wine", "ink"]],
    "attention-1": [math.log(10), 10],
    "attention-2": [[0, 0.6, 0.4], [0.75, 0.25]],
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
            assert len(result.says) >= len("Too small."), f"{id}: {show(answer)}"
            assert result.hint == EXERCISES[id].hint
            assert f"Hint: {result.hint}" in repr(result)
            assert "Hint: " in result._repr_html_()


def test_what_cannot_be_an_answer_is_told_so_in_a_sentence():
    for id, answer in product(EXERCISES, BAD):
        result = check(id, answer)
        assert (result.right, result.word) == (False, "Not yet"), f"{id}: {show(answer)}"
        assert result.says[:1].isupper() or result.says[0] in "'“", f"{id}: {result.says}"
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
    says = check("numerics-3", lambda scores: 0.0).says
    assert says == "row_entropy([0.2, 2. , 1.1]) gives 0; 0.87434 is right."
    assert check("temperature-2", ["fish", "milk", "bread"]).says.startswith("The weight of “bread” is 0.167")
    assert check("temperature-1", 1).says.startswith("Too small. With β larger by 1 the leader has 0.18145")
    assert check("kl-3", 0.731).says.startswith("That is softmax, for the divergence the other way round. So ")


def test_a_question_names_the_case_in_which_a_formula_is_refused():
    chapter = (Path(__file__).parents[2] / "chapters" / "numerics.md").read_text()
    question = chapter[: chapter.index('check("numerics-3"')].rpartition("\n**")[2]
    assert "10^300" in EXERCISES["numerics-3"].asks
    assert "$10^{300}$" in question


def test_what_can_be_judged_in_the_page_is_given_a_place_there():
    """Each exercise but for those that ask for a function."""
    for id, answers in RIGHT.items():
        if callable(answers[0]):
            with pytest.raises(LookupError, match=f"{id} asks for a function"):
                place_for(id)
        else:
            place = place_for(id)
            assert (place.name, place.why, place.hint) == (id, EXERCISES[id].why, EXERCISES[id].hint)
            assert EXERCISES[id].asks in place._plain()
    assert sum(not callable(answers[0]) for answers in RIGHT.values()) >= 40
    with pytest.raises(LookupError, match=r"temperature-1, "):
        place_for("temperature-99")


def test_a_known_slip_is_wrong_and_differs_from_the_others():
    """Else what is said of it would be said of something right, or of another slip."""
    for id, exercise in EXERCISES.items():
        asked = exercise.judge.asked() if isinstance(exercise.judge, Judge) else {}
        known = asked.get("slips", [])
        for value, _, says in known:
            assert complaint(asked, value) == says, (id, value)
            assert not any(np.allclose(value, other, rtol=1e-3) and of != says for other, _, of in known), id


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
    result = check("patterns-3", boom)
    assert "stopped with RuntimeError: <b>boom</b>" in result.says
    assert "is right" in result.says
    assert "TypeError" in check("patterns-3", lambda: 1).says

    def stop(weights):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("patterns-3", stop)


def test_a_function_that_gives_nothing_later_on_is_wrong():
    calls = []

    def sometimes(weights):
        calls.append(weights)
        return distances(weights) if len(calls) == 1 else None

    assert check("patterns-3", sometimes).word == "Not yet"


def test_a_function_cannot_spoil_the_arguments_it_is_judged_by():
    def careless(scores, mask):
        right = zeros_where_nothing_is_left(scores, mask)
        scores[:], mask[:] = 0, False
        return right

    assert check("masking-3", careless).right


def test_what_a_reader_wrote_is_text_and_not_markup():
    for id, answer in (("patterns-3", boom), ("kl-4", "<script>"), ("temperature-2", ["<i>"])):
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
