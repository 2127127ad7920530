"""*Outside* draws the weights of `lib` under every test, and its marks are what these weights say."""

import re

import numpy as np
import pytest
from figure_page import assert_shares, attributes, number_in, opened, press, table, tops
from gallery import outside
from in_node import ask, assert_same

from book.example import SCORES
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


DRAWN = [1, 4, 5]  # cat, milk and because: the best, the second and the worst


def seen_marks(page):
    """For each rule what its marks are, from the top down."""
    read = "all => all.map(row => [...row.querySelectorAll('.ws-verdict')].map(el => el.dataset.is))"
    return np.array(page.eval_on_selector_all(".ws-test-row", read)).T.tolist()


def widths(page):
    """Of each drawn word the lengths of its bars, in shares of a column."""
    return np.array([attributes(page, ".ws-strip rect.ws-weight", "width")]).reshape(len(DRAWN), 5) / 100


@pytest.mark.parametrize("test", UNDER)
def test_bars_lines_and_the_table_are_those_of_lib(visit, test):
    page = opened(visit(outside(test=test)))
    now, was = expected(UNDER[test]), expected(ROW)
    np.testing.assert_allclose(widths(page), np.minimum(now[:, DRAWN].T, 1), atol=1e-9)
    lines = attributes(page, ".ws-strip .ws-was", "x1").reshape(len(DRAWN), 5) / 100
    np.testing.assert_allclose(lines, was[:, DRAWN].T, atol=1e-9)
    seen = page.eval_on_selector_all(
        ".ws-was", "all => all.map(el => el.getAttribute('visibility') === 'visible')"
    )
    assert seen == (abs(now[:, DRAWN] - was[:, DRAWN]) > 1e-9).T.ravel().tolist()
    assert_shares(page.locator(".ws-strip .ws-label").all_text_contents(), now[:, 1])
    scores = [
        number_in(one.get_attribute("title").split()[0]) for one in page.locator(".ws-word-row .ws-name").all()
    ]
    np.testing.assert_allclose(scores, UNDER[test][DRAWN], atol=0.051)
    rows = table(page)[: len(UNDER[test])]
    for k in range(5):
        assert_shares([row[k + 2] for row in rows], np.minimum(now[k], 1))


READ = {  # of a row of weights, what is read under a test
    "shift": lambda w: 100 * w[1],
    "fall": sum,
    "times": lambda w: w[1] / w[4],
    "rise": lambda w: 100 * w[5],
    "join": lambda w: w[1] / w[4],
}


@pytest.mark.parametrize("test", TESTS)
def test_what_is_read_beside_a_mark_is_read_of_the_weights(visit, test):
    page = visit(outside(test=test)).page
    texts = page.locator(".ws-reading").filter(visible=True).all_text_contents()
    pairs = zip(expected(ROW), expected(UNDER[test]), strict=True)
    for text, (was, now) in zip(texts, pairs, strict=True):
        numbers = [number_in(one) for one in re.findall(r"[\d.]+%?", text)]
        wanted = [READ[test](was), READ[test](now)]
        assert numbers == pytest.approx(wanted, rel=0.02, abs=0.51 if max(wanted) > 5 else 0.006)


def test_a_ratio_of_nothing_to_nothing_is_called_so(visit):
    page = visit(outside(scores=[-3.0, -1.0, -2.0, -3.0, -2.0, -4.0, -3.0], test="times")).page
    assert page.locator(".ws-reading").filter(visible=True).nth(1).text_content() == "0/0 → 0/0"


def test_the_question_of_the_chapter_is_answered_by_a_state(visit):
    page = visit(outside(test="shift")).page
    reading = page.locator(".ws-reading").filter(visible=True).nth(1).text_content()
    now = f"{100 * relu_norm(ROW + 3)[1]:.0f}%"
    assert reading == f"{100 * relu_norm(ROW)[1]:.0f}% → {now}"
    assert page.locator(".ws-strip .ws-label").nth(1).text_content() == now


def test_each_test_that_is_pressed_leaves_its_marks(visit):
    page = visit(outside()).page
    assert seen_marks(page) == [["open"] * 5] * 5
    assert page.locator(".ws-call").filter(visible=True).all_text_contents() == ["press"]
    for k, test in enumerate(TESTS):
        page.locator(".ws-tests .ws-button").nth(k).click()
        made = TESTS[: k + 1]
        wanted = [
            ["open" if one not in made else "kept" if rule in PASSED[one] else "broken" for one in TESTS]
            for rule in RULES
        ]
        assert seen_marks(page) == wanted, test
        assert page.locator(".ws-call").filter(visible=True).count() == 0
    assert page.locator(".ws-say").text_content().endswith("Passed all five: softmax.")
    page.locator(".ws-tests .ws-button").nth(4).click()  # it is taken back, and its marks stay
    assert seen_marks(page) == wanted
    page.wait_for_timeout(700)
    np.testing.assert_allclose(widths(page), expected(ROW)[:, DRAWN].T, atol=1e-9)
    press(page, "Reset")
    assert seen_marks(page) == [["open"] * 5] * 5


# Texts of the board that leave their cell, or lie on a bar or a cell beside it.
ROOM = """() => [...document.querySelectorAll('.ws-rule-row b > span, .ws-name, .ws-strip .ws-label, .ws-reading')]
  .filter(el => el.checkVisibility()).map(el => {
    const cell = el.closest('.ws-strip, .ws-marked, .ws-who, .ws-rule-row > b');
    const words = document.createRange();
    words.selectNodeContents(el);
    const [box, all] = [words, cell].map(one => one.getBoundingClientRect());
    return [el.textContent, box.left < all.left - 1 || box.right > all.right + 7];
  }).filter(([, wrong]) => wrong)"""


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_every_text_stays_in_its_column_and_nothing_moves(visit, width):
    page = visit(outside(caption="A caption."), width=width).page
    before = tops(page, "strip tests say tools caption")
    whole = "all => all.every(el => el.scrollWidth <= el.clientWidth)"
    assert page.eval_on_selector_all(".ws-asks, .ws-name", whole)
    assert page.evaluate(ROOM) == []
    for k in range(5):
        page.locator(".ws-tests .ws-button").nth(k).click()
        page.wait_for_timeout(700)
        assert page.evaluate(ROOM) == []
        assert tops(page, "strip tests say tools caption") == before


def test_on_a_phone_the_bars_of_all_rules_stand_above_the_first_test(visit):
    page = visit(outside(), width=360).page
    bars = [box for box in (one.bounding_box() for one in page.locator(".ws-strip rect").all()) if box["width"]]
    first = page.locator(".ws-tests .ws-button").first.bounding_box()
    assert len(bars) >= 14
    assert all(box["y"] + box["height"] < first["y"] and box["height"] >= 18 for box in bars)


def test_a_press_anywhere_in_a_row_of_a_phone_makes_its_test(visit):
    page = visit(outside(), width=360).page
    mark = page.locator(".ws-test-row").nth(2).locator(".ws-verdict").nth(1).bounding_box()
    page.mouse.click(mark["x"] + 8, mark["y"] + 8)
    assert "far behind only under softmax" in page.locator(".ws-say").text_content()


def test_other_scores_have_other_words_drawn(visit):
    page = visit(outside(scores=[3.0, 0.0, 1.0, -1.0, 0.0, 2.0, 0.5])).page
    assert page.locator(".ws-word-row .ws-name").all_text_contents() == ["the", "the", "because"]


def test_without_a_script_each_row_says_what_it_tests(visit):
    page = visit(outside(), script=False).page
    names = page.locator(".ws-test-row .ws-button b").evaluate_all(
        "all => all.filter(el => el.checkVisibility({ visibilityProperty: true })).map(el => el.textContent)"
    )
    assert len(names) == 5
    assert names[0] == "all up 3 points"
