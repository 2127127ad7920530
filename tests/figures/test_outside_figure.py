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
    """For each rule what its marks are, in the order of the tests."""
    read = "all => all.map(rule => [...rule.querySelectorAll('.ws-verdict')].map(el => el.dataset.is))"
    return page.eval_on_selector_all(".ws-rule", read)


def heights(page):
    """Of each rule the heights of its bars, in shares of the drawing's, from its floor."""
    top, tall = (attributes(page, ".ws-strip rect", one).reshape(5, len(DRAWN)) / 100 for one in ("y", "height"))
    np.testing.assert_allclose(top + tall, 1)
    return tall


@pytest.mark.parametrize("test", UNDER)
def test_bars_lines_and_the_table_are_those_of_lib(visit, test):
    page = opened(visit(outside(test=test)))
    now, was = expected(UNDER[test]), expected(ROW)
    np.testing.assert_allclose(heights(page), np.minimum(now[:, DRAWN], 1), atol=1e-9)
    lines = 1 - attributes(page, ".ws-strip .ws-was", "y1").reshape(5, len(DRAWN)) / 100
    np.testing.assert_allclose(lines, was[:, DRAWN], atol=1e-9)
    seen = page.eval_on_selector_all(
        ".ws-was", "all => all.map(el => el.getAttribute('visibility') === 'visible')"
    )
    assert seen == (abs(now[:, DRAWN] - was[:, DRAWN]) > 1e-9).ravel().tolist()
    assert_shares(page.locator(".ws-strip .ws-label").all_text_contents(), now[:, 1])
    for said, weights in zip(page.locator(".ws-strip").all(), now, strict=True):
        words, shares = zip(
            *(one.rsplit(" ", 1) for one in said.get_attribute("aria-label").split(", ")), strict=True
        )
        assert words == ("cat", "milk", "because")
        assert_shares(shares, np.minimum(weights[DRAWN], 1))
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


WHAT = {"shift": "cat", "fall": "sum", "times": "cat : milk", "rise": "because", "join": "cat : milk"}


@pytest.mark.parametrize("test", TESTS)
def test_what_is_read_under_the_marks_is_read_of_the_weights(visit, test):
    page = visit(outside(test=test)).page
    assert page.locator(".ws-what").all_text_contents() == [WHAT[test]] * 5
    texts = page.locator(".ws-reading").all_text_contents()
    pairs = zip(expected(ROW), expected(UNDER[test]), strict=True)
    for text, (was, now) in zip(texts, pairs, strict=True):
        numbers = [number_in(one) for one in re.findall(r"[\d.]+%?", text)]
        wanted = [READ[test](was), READ[test](now)]
        assert numbers == pytest.approx(wanted, rel=0.02, abs=0.51 if max(wanted) > 5 else 0.006)


def test_a_ratio_of_nothing_to_nothing_is_called_so(visit):
    page = visit(outside(scores=[-3.0, -1.0, -2.0, -3.0, -2.0, -4.0, -3.0], test="times")).page
    assert page.locator(".ws-reading").nth(1).text_content() == "cat : drank0/0 → 0/0"


def test_the_question_of_the_chapter_is_answered_by_a_state(visit):
    page = visit(outside(test="shift")).page
    reading = page.locator(".ws-reading").nth(1).text_content()
    now = f"{100 * relu_norm(ROW + 3)[1]:.0f}%"
    assert reading == f"cat{100 * relu_norm(ROW)[1]:.0f}% → {now}"
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
    np.testing.assert_allclose(heights(page), expected(ROW)[:, DRAWN], atol=1e-9)
    assert page.locator(".ws-reading").all_text_contents() == [""] * 5
    press(page, "Reset")
    assert seen_marks(page) == [["open"] * 5] * 5


# Texts that leave their column, but for a number that is wider than its bar.
ROOM = """() => [...document.querySelectorAll('.ws-rule :is(b, .ws-name, .ws-what, text), .ws-tests b, .ws-asks')]
  .filter(el => el.checkVisibility() && el.textContent).map(el => {
    const words = document.createRange();
    words.selectNodeContents(el);
    const [box, all] = [words, el.closest('.ws-rule, .ws-button')].map(one => one.getBoundingClientRect());
    const spare = el.localName === 'text' ? 12 : 1;
    return [el.textContent, box.left < all.left - spare || box.right > all.right + spare];
  }).filter(([, wrong]) => wrong)"""
CUT = "all => all.filter(el => el.scrollWidth > el.clientWidth).map(el => el.textContent)"
PARTS = "strip tests rules say tools caption"


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_every_text_stays_in_its_column_and_nothing_moves(visit, width):
    page = visit(outside(caption="A caption."), width=width).page
    before = tops(page, PARTS)
    for k in range(5):
        page.locator(".ws-tests .ws-button").nth(k).click()
        page.wait_for_timeout(700)
        assert page.evaluate(ROOM) == []
        assert page.eval_on_selector_all(".ws-asks, .ws-name, .ws-what", CUT) == []
        assert tops(page, PARTS) == before


@pytest.mark.parametrize(("width", "least"), [(760, 70), (360, 45)])
def test_the_bars_are_tall_and_seen_with_the_tests(visit, width, least):
    """On arrival the best word's bar is the largest thing there, and nothing stands where no test was made."""
    page = visit(outside(), width=width).page
    best = page.locator(".ws-rule rect.ws-weight").first.bounding_box()
    assert best["height"] >= least
    assert page.locator(".ws-marks").all_text_contents() == [""] * 5
    tests, marks = (page.locator(part).first.bounding_box() for part in (".ws-tests", ".ws-marks"))
    assert marks["y"] + marks["height"] - tests["y"] < 370


def test_the_number_of_a_bar_that_shrank_a_little_stands_above_the_line(visit):
    page = visit(outside(test="join")).page
    for strip in page.locator(".ws-strip").all():
        label, line = (strip.locator(part).first.bounding_box() for part in (".ws-label", ".ws-was"))
        assert label["y"] + label["height"] <= line["y"] + 3


def test_on_a_phone_the_badge_meets_neither_text_nor_bar(visit):
    page = visit(outside(), width=360).page
    badge = page.locator(".ws-tests .ws-call:visible").bounding_box()
    for part in page.locator(".ws-tests b, .ws-strip rect").all():
        box = part.bounding_box()
        assert badge["y"] + badge["height"] < box["y"] or not box["width"]


def test_other_scores_have_other_words_drawn(visit):
    page = visit(outside(scores=[3.0, 0.0, 1.0, -1.0, 0.0, 2.0, 0.5])).page
    assert page.locator(".ws-rule").first.locator(".ws-name").all_text_contents() == ["the", "the", "because"]
    assert page.locator(".ws-drawn").text_content() == "weights of the, the, because"


def test_without_a_script_each_test_says_what_it_does(visit):
    page = visit(outside(), script=False).page
    names = page.locator(".ws-tests .ws-button b").evaluate_all(
        "all => all.filter(el => el.checkVisibility({ visibilityProperty: true })).map(el => el.textContent)"
    )
    assert len(names) == 5
    assert names[0] == "3 points up"
