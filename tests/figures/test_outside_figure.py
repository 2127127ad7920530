"""*Outside* draws the weights of `lib` under every test, and its marks are what these weights say."""

import re

import numpy as np
import pytest
from figure_page import assert_shares, attributes, number_in, opened, press, table, tops
from gallery import outside
from in_node import ask, assert_same

from book.example import SCORES, TOKENS
from book.figures.outside import NEWCOMER, RULES, TESTS
from lib import linear_attention, relu_norm, sigmoid_weights, softmax, softmax_plus_one

ROW = np.array(SCORES)
UNDER = {  # the scores under each test
    "none": ROW,
    "shift": ROW + 3,
    "fall": ROW - 4,
    "times": 10 * ROW,
    "rise": ROW + 0.4 * (np.arange(7) == 5),
    "join": np.append(ROW, NEWCOMER[1]),
}
PASSED = {  # worked out by hand in the chapter
    "shift": ["softmax"],
    "fall": ["softmax", "linear attention"],
    "times": ["softmax", "softmax-plus-one"],
    "rise": ["softmax", "sigmoid", "softmax-plus-one", "linear attention"],
    "join": ["softmax", "ReLU over its sum", "softmax-plus-one", "linear attention"],
}


def expected(scores):
    """The weights under each rule, by lib."""
    s = np.asarray(scores, dtype=float)
    linear = linear_attention(np.ones((1, 1)), s[:, None], np.eye(len(s)))[0]
    plain = (softmax(s), relu_norm(s), sigmoid_weights(s, bias=-np.log(len(s))), softmax_plus_one(s))
    return np.array([*plain, linear])


# --- the numbers -------------------------------------------------------------------------------------


def test_the_rules_are_those_of_lib():
    rng = np.random.default_rng(0)
    rows = [(rng.normal(size=n) * 10.0**k).tolist() for n in (1, 2, 5) for k in (-2, 0, 1)]
    rows += [[0.0] * 3, [0.0, -1.0, 0.0], [-3.0, -2.0], *(one.tolist() for one in UNDER.values())]
    assert_same("(row) => weightsUnderAll(row)", rows, expected, "outside", rtol=1e-12, atol=1e-300)


def test_linear_attention_has_the_features_of_its_keys_over_their_sum():
    features = np.where(ROW < 0, np.exp(ROW), ROW + 1)
    np.testing.assert_allclose(outside().maps["linear attention"], features / features.sum())


@pytest.mark.parametrize("test", UNDER)
def test_python_has_the_scores_the_weights_and_who_passes(test):
    figure = outside(test=test)
    np.testing.assert_allclose(figure.tested, UNDER[test])
    np.testing.assert_allclose(list(figure.maps.values()), expected(UNDER[test]))
    assert figure.kept == PASSED.get(test, [*RULES])


def test_both_languages_judge_alike():
    rng = np.random.default_rng(1)
    rows = [rng.normal(size=n) * 3 for n in (2, 3, 6) for _ in range(4)] + [ROW, -abs(ROW), abs(ROW) + 1]
    asked = [[row.tolist(), test] for row in rows for test in TESTS]
    for (row, test), found in zip(asked, ask("(row) => passing(...row)", asked, "outside"), strict=True):
        kept = outside(tokens=[str(k) for k in range(len(row))], scores=row, test=test).kept
        assert found == [rule in kept for rule in RULES], (row, test)


# --- the picture -------------------------------------------------------------------------------------


def seen_marks(page):
    read = "all => all.map(row => [...row.querySelectorAll('.ws-verdict')].map(el => el.dataset.is))"
    return page.eval_on_selector_all(".ws-rule-row:not(.ws-score-row)", read)


@pytest.mark.parametrize("test", UNDER)
def test_bars_lines_and_the_table_are_those_of_lib(visit, test):
    page = opened(visit(outside(test=test)))
    now, was = expected(UNDER[test]), expected(ROW)
    n = len(TOKENS) + 1
    bars = attributes(page, ".ws-strip rect.ws-weight", "height").reshape(5, n) / 38
    np.testing.assert_allclose(bars[:, : now.shape[1]], np.minimum(now, 1), atol=1e-9)
    assert (bars[:, now.shape[1] :] == 0).all()
    lines = 41 - 1 - attributes(page, ".ws-strip rect.ws-was", "y").reshape(5, n)
    np.testing.assert_allclose(lines[:, : len(TOKENS)] / 38, was, atol=1e-9)
    scores = attributes(page, ".ws-score-row rect", "height")[: len(UNDER[test])]
    np.testing.assert_allclose(scores, 21 * np.minimum(abs(UNDER[test]), 5) / 5, atol=1e-9)
    rows = table(page)[: len(UNDER[test])]
    for k in range(5):
        assert_shares([row[k + 2] for row in rows], np.minimum(now[k], 1))


READ = {  # of a row of weights, what is read under a test
    "none": lambda w: 100 * w[1],
    "shift": lambda w: 100 * w[1],
    "fall": sum,
    "times": lambda w: w[1] / w[4],
    "rise": lambda w: 100 * w[5],
    "join": lambda w: w[1] / w[4],
}


@pytest.mark.parametrize("test", UNDER)
def test_what_is_read_beside_a_strip_is_read_of_it(visit, test):
    texts = visit(outside(test=test)).page.locator(".ws-reading").all_text_contents()
    pairs = zip(expected(ROW), expected(UNDER[test]), strict=True)
    for text, (was, now) in zip(texts, pairs, strict=True):
        numbers = [number_in(one) for one in re.findall(r"[\d.]+%?", text)]
        wanted = [READ[test](now)] if test == "none" else [READ[test](was), READ[test](now)]
        assert numbers == pytest.approx(wanted, rel=0.02, abs=0.51 if max(wanted) > 5 else 0.006)


def test_the_question_of_the_chapter_is_answered_by_a_state(visit):
    reading = visit(outside(test="shift")).page.locator(".ws-reading").nth(1).text_content()
    assert reading == f"cat {100 * relu_norm(ROW)[1]:.0f}% → {100 * relu_norm(ROW + 3)[1]:.0f}%"


def test_each_test_that_is_pressed_leaves_its_marks(visit):
    page = visit(outside()).page
    assert seen_marks(page) == [["open"] * 5] * 5
    assert page.locator(".ws-call").is_visible()
    for k, test in enumerate(TESTS):
        page.locator(".ws-tests .ws-button").nth(k).click()
        made = TESTS[: k + 1]
        wanted = [
            ["open" if one not in made else "kept" if rule in PASSED[one] else "broken" for one in TESTS]
            for rule in RULES
        ]
        assert seen_marks(page) == wanted, test
        assert page.locator(".ws-call").is_hidden()
    assert page.locator(".ws-say").text_content().endswith("Passed all five: softmax.")
    page.locator(".ws-tests .ws-button").nth(4).click()  # it is taken back, and its marks stay
    assert seen_marks(page) == wanted
    np.testing.assert_allclose(
        attributes(page, ".ws-strip rect.ws-weight", "height").reshape(5, 8)[:, :7] / 38, expected(ROW), atol=1e-9
    )
    press(page, "Reset")
    assert seen_marks(page) == [["open"] * 5] * 5


ROOM = """() => [...document.querySelectorAll('.ws-rule-row')].flatMap(row => {
  const strip = row.querySelector('.ws-strip').getBoundingClientRect(), all = row.getBoundingClientRect();
  return [...row.querySelectorAll('.ws-rule-name, .ws-reading')].map(el => {
    const words = document.createRange();
    words.selectNodeContents(el);
    const box = words.getBoundingClientRect();
    const meets = box.left < strip.right && box.right > strip.left && box.top < strip.bottom &&
      box.bottom > strip.top;
    return [el.textContent, meets || box.left < all.left - 1 || box.right > all.right + 1];
  }).filter(([, wrong]) => wrong);
})"""


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_every_text_stays_in_its_column_and_nothing_moves(visit, width):
    page = visit(outside(caption="A caption."), width=width).page
    before = tops(page, "strip say tools caption")
    for k in range(5):
        page.locator(".ws-tests .ws-button").nth(k).click()
        assert page.evaluate(ROOM) == []
        assert tops(page, "strip say tools caption") == before
