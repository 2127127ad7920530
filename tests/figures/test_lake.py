"""*The lake* stands at the level that `lib` says, and what stands out of it makes the weights."""

import re

import numpy as np
import pytest
from figure_page import assert_shares, attributes, grip, number_in, opened, said, table
from gallery import lake
from in_node import assert_same

from book.alternatives.maps import by_level
from book.example import SCORES, TOKENS
from lib import entmax

POINT = 46.5  # CSS pixels a point
FLOOR = 218
WORDS = np.array(SCORES)


def formula(scores, beta, alpha, level):
    """The chapter's, with the level τ/((α − 1)β) in place of τ."""
    power = alpha - 1
    tau = power * beta * level
    return np.maximum(power * beta * np.asarray(scores) - tau, 0) ** (1 / power)


def ways():
    return [(beta, alpha) for beta in (0.25, 1.0, 2.0, 4.0) for alpha in (1.05, 1.3, 1.5, 2.0)]


# --- the numbers -------------------------------------------------------------------------------------


def test_the_level_is_the_one_at_which_the_weights_are_those_of_lib():
    rng = np.random.default_rng(3)
    rows = [[rng.uniform(-1, 3, size=n).tolist(), *way] for n in (1, 2, 5) for way in ways()] + [
        [SCORES, 1.0, 2.0]
    ]
    wanted = lambda row: entmax(np.array(row[0]), beta=row[1], alpha=row[2])  # noqa: E731
    answer = "([s, beta, alpha]) => weightsAt(s, beta, alpha, levelOf(s, beta, alpha))"
    assert_same(answer, rows, wanted, "lake", rtol=1e-8, atol=1e-12)


def test_at_a_held_level_the_weights_are_those_of_the_formula():
    rows = [[SCORES, *way, level] for way in ways() for level in (-1.2, 0.4, 1.7, 2.5)]
    assert_same("(row) => weightsAt(...row)", rows, lambda row: formula(*row), "lake", rtol=1e-9)


@pytest.mark.parametrize(("beta", "alpha"), ways())
def test_python_has_the_level_and_the_weights(beta, alpha):
    widget = lake(beta=beta, alpha=alpha, water="found")
    np.testing.assert_allclose(widget.weights, entmax(WORDS, alpha=alpha, beta=beta))
    np.testing.assert_allclose(formula(WORDS, beta, alpha, widget.level_now), widget.weights, atol=1e-9)
    held = lake(beta=beta, alpha=alpha, level=0.5)
    np.testing.assert_allclose(held.weights, formula(WORDS, beta, alpha, 0.5))


def test_under_sparsemax_it_is_the_water_level_of_the_chapter():
    widget = lake(water="found", beta=1.3)
    np.testing.assert_allclose(by_level(WORDS, 1.3), widget.weights)
    assert lake(alpha=1).level_now == -np.inf


# --- the picture -------------------------------------------------------------------------------------

STATES = [
    {},
    {"level": 0.4},
    {"water": "found"},
    {"water": "found", "beta": 2.0},
    {"water": "found", "beta": 0.5, "alpha": 1.5},
    {"alpha": 1.0},
    {"level": 0.2, "alpha": 1.3, "scores": [2.5, -1.0, 1.0, 0.0, 0.5, 0.2, 2.0]},
]


@pytest.mark.parametrize("state", STATES, ids=str)
def test_what_stands_out_and_what_is_in_the_glass_are_the_weights(visit, state):
    page, figure = opened(visit(lake(**state))), lake(**state)
    weights, scores = np.array(figure.weights), np.array(figure.scores)
    depth = lambda s: 30 + POINT * (2.5 - s)  # noqa: E731
    level = max(figure.level_now, -1.5)
    dry = attributes(page, ".ws-dry", "height")
    np.testing.assert_allclose(dry, POINT * np.maximum(scores - level, 0), atol=0.1)
    worth = POINT / figure.beta
    np.testing.assert_allclose(attributes(page, ".ws-over .ws-weight", "height"), worth * weights, atol=1e-6)
    tall = attributes(page, ".ws-glass rect", "height")
    np.testing.assert_allclose(tall, worth * weights - np.minimum(1, worth * weights / 2), atol=1e-6)
    if figure.level_now > -1.2:
        top = page.locator(".ws-water").evaluate("el => parseFloat(el.style.top)")
        assert top == pytest.approx(depth(figure.level_now), abs=1e-3)
    wall = page.locator(".ws-wall").get_attribute("d")
    assert float(re.match(r"M1 ([\d.]+)", wall)[1]) == pytest.approx(FLOOR - 4 - worth)
    texts = page.locator(".ws-share").all_text_contents()
    assert [text == "0" for text in texts] == (weights == 0).tolist()
    if weights.max() <= 1:
        assert_shares(texts, weights)
    assert [row[2] for row in table(page)] == texts
    assert number_in(page.locator(".ws-sum").text_content()) == pytest.approx(100 * figure.total, abs=1)


# --- the act -----------------------------------------------------------------------------------------


def water_by(page, points, steps=8):
    box = page.locator(".ws-buoy .ws-knob").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - POINT * points, steps=steps)
    page.mouse.up()


SEEN_BADGES = "all => all.filter(el => el.checkVisibility({ visibilityProperty: true })).map(el => el.textContent)"


def test_the_reader_lowers_the_water_until_the_glass_is_full(visit):
    page = visit(lake()).page
    seen = lambda: page.locator(".ws-call").evaluate_all(SEEN_BADGES)  # noqa: E731
    assert seen() == ["lower me"]
    assert "30%" in said(page)
    water_by(page, -0.2)
    assert seen() == ["lower me"]
    assert page.locator(".ws-verdict").text_content() == "too little"
    water_by(page, -1.1)
    assert seen() == ["raise me"]
    assert page.locator(".ws-verdict").text_content() == "too much"
    water_by(page, 0.81)  # 0.04 under the right level: there it snaps
    assert page.locator(".ws-sum").text_content() == "100%"
    assert "“cat” has 75% and “milk” 25%" in said(page)
    assert "5 words are under water: exactly nothing" in said(page)
    assert seen() == ["turn the rule"]
    page.get_by_role("slider", name="α, the rule").press("ArrowLeft")
    assert seen() == []


def test_once_found_the_water_finds_its_level_while_a_post_is_pulled(visit):
    page = visit(lake(water="found")).page
    grip(page, 3).press("PageUp")  # drank, to 2.1
    figure = lake(water="found", scores=[0.2, 2.0, 2.1, 0.2, 1.5, -0.6, 0.8])
    top = page.locator(".ws-water").evaluate("el => parseFloat(el.style.top)")
    assert top == pytest.approx(30 + POINT * (2.5 - figure.level_now), abs=1e-3)
    assert page.locator(".ws-sum").text_content() == "100%"


def test_a_post_follows_the_pointer_and_the_axis_never_changes(visit):
    page = visit(lake(water="found")).page
    knob = page.locator(".ws-plot .ws-knob").nth(5)  # because
    box = knob.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 3 * POINT, steps=6)
    assert knob.bounding_box()["y"] == pytest.approx(box["y"] - 3 * POINT, abs=1)
    page.mouse.up()
    assert knob.bounding_box()["y"] == pytest.approx(box["y"] - 3 * POINT, abs=1)


def test_under_softmax_there_is_no_water_to_move(visit):
    page = visit(lake(alpha=1)).page
    assert page.locator(".ws-buoy .ws-grip").get_attribute("tabindex") == "-1"
    assert not page.locator(".ws-buoy .ws-knob").is_visible()
    assert "the water has run off" in said(page)


PLACES = """() => {
  const box = el => el.getBoundingClientRect();
  const bars = [...document.querySelectorAll('.ws-plot .ws-score')].map(box);
  const names = [...document.querySelectorAll('.ws-points text')].filter(el => el.checkVisibility()).map(box);
  const none = [...document.querySelectorAll('.ws-share')].map((el, i) => [el.textContent, box(el), bars[i]]);
  return [
    names.filter(a => bars.some(b =>
      a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top)),
    none.filter(([text, a, b]) => text === '0' && (a.top < b.top || a.bottom > b.bottom)),
    Math.min(...bars.map(bar => bar.top)) - box(document.querySelector('.ws-figure')).top,
    box(document.querySelector('.ws-buoy .ws-call')).height,
  ];
}"""


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_numbers_stand_beside_posts_or_whole_within_them_and_there_is_little_air(visit, width):
    on_posts, cut, air, badge = visit(lake(), width=width).page.evaluate(PLACES)
    assert on_posts == []
    assert cut == []
    assert air < 65
    assert badge <= 24  # in one line


def test_beta_has_numbers_at_both_ends_of_its_track(visit):
    texts = visit(lake()).page.locator(".ws-ticks span").filter(visible=True).all_text_contents()
    assert texts == ["0.25", "1", "4"]


def test_a_finger_moves_the_page_unless_it_is_on_a_knob(visit):
    page = visit(lake(), width=360).page
    touch = page.locator(".ws-figure *").evaluate_all(
        "all => all.filter(el => getComputedStyle(el).touchAction === 'none' && "
        "getComputedStyle(el).pointerEvents !== 'none').map(el => el.className)"
    )
    assert len(touch) == len(TOKENS) + 1
    assert all("ws-knob" in name for name in touch)
