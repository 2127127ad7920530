"""*Two rules* draws what `lib` computes, offers one thing after the other, and names the rules only in the end."""

import re

import numpy as np
import pytest
from figure_page import attributes, between_lines, do, opened, said, shades, table, thick
from gallery import GALLERY
from in_node import SEED, assert_same

import lib
from book.figures import RealHead, TwoRules
from book.figures.real_head import OWN_BETA, WORDS
from book.figures.two_rules import LAST, squares

CAT, MILK, IT, N = 2, 5, 7, 11
WIDE, NARROW = 52, 34  # pixels: how thick the arc of all the weight is, over one line and between two
STATES = GALLERY["two-rules"]
SHARE = re.compile(r'<b class="ws-part"[^>]*>([^<]*)</b>')
SCORE = re.compile(r'<small class="ws-small"[^>]*>([^<]*)</small>')


def weights_of(figure, rule=None):
    scores = np.array(figure.scores)
    return lib.softmax(scores, OWN_BETA) if (rule or figure.rule) == "A" else squares(scores)


# --- Python, and its twin ------------------------------------------------------------------------


def test_squares_are_those_of_the_positive_scores():
    np.testing.assert_allclose(squares(np.array([3.0, 1.0, -5.0, 0.0])), [0.9, 0.1, 0, 0])
    assert squares(np.array([-1.0, 0.0])).tolist() == [0, 0]
    rng = np.random.default_rng(SEED)
    rows = [(rng.normal(size=n) * size).tolist() for n in (1, 2, 7, 11) for size in (1e-150, 1e-3, 1, 40, 1e150)]
    assert_same("squareNorm", rows, lambda row: squares(np.array(row) / np.abs(row).max()), rtol=1e-12)
    assert_same("squareNorm", [[-1, 0], [0], [-2, -3]], lambda row: np.zeros(len(row)))


def test_the_numbers_that_the_text_states():
    """Of "thirsty", in percent."""
    show = lambda **state: [round(100 * TwoRules(**state).weights[i]) for i in (CAT, MILK, 0)]  # noqa: E731
    assert show() == [46, 22, 10]
    assert show(ten="yes") == [46, 22, 10]
    assert show(rule="B") == [43, 26, 13]
    assert show(rule="B", ten="yes")[0] == 27
    scores = TwoRules().scores
    assert [round(scores[i], 1) for i in (CAT, MILK)] == [19.5, 15.2]


def test_the_words_are_those_of_the_real_head_and_each_press_changes_who_is_meant():
    assert sorted(LAST) == sorted(WORDS)
    ahead = [figure.weights[CAT] > figure.weights[MILK] for figure in map(TwoRules, LAST)]
    assert ahead == [True, False] * 3
    for last in LAST:
        assert TwoRules(last).weights == RealHead(last).weights


# --- the picture ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_arcs_shades_scores_and_the_three_largest_are_those_of_lib(draw, state):
    figure = STATES[state]
    html, weights = draw(figure), weights_of(figure)
    np.testing.assert_allclose(thick(html), np.concatenate([WIDE * weights, NARROW * weights]), atol=1e-4)
    np.testing.assert_allclose(shades(html), 50 * weights, atol=6e-3)
    largest = np.argsort(-weights)[:3]
    shares = [f"{round(100 * w)}%" if i in largest else "" for i, w in enumerate(weights)]
    assert SHARE.findall(html) == shares
    scores = [float(text.replace("−", "-")) for text in SCORE.findall(html)]
    np.testing.assert_allclose(scores, figure.scores, atol=0.051)
    label = re.search(r'aria-label="weights from “it”: ([^"]*)"', html)[1]
    assert label.startswith(f"start mark {round(100 * weights[0])}%, the ")
    assert label.endswith(f"{figure.last} {round(100 * weights[9])}%, end mark {round(100 * weights[10])}%")
    assert re.findall(r'ws-mark-of ws-\w+"[^>]*>([^<]*)<', html) == ["start", "end"]


def test_on_a_phone_arcs_stand_between_two_lines_as_thick_as_the_weights(visit):
    for state in ("plain", "melted"):
        page = visit(STATES[state], width=360).page
        words, ends, thickness = between_lines(page)
        np.testing.assert_allclose(thickness, NARROW * weights_of(STATES[state]), atol=1e-4)
        others = np.arange(N) != IT
        np.testing.assert_allclose(ends[others, 1, 0], words[others, 0], atol=0.6)
        np.testing.assert_allclose(ends[others, 0, 0], words[IT, 0], atol=0.6)
        middle, half = words[:, 1], words[:, 2] / 2
        touched = np.where(middle < middle.mean(), middle + half, middle - half)  # the sides that face each other
        np.testing.assert_allclose(ends[others, 1, 1], touched[others], atol=1.5)
        assert page.locator(".ws-between").is_visible()


@pytest.mark.parametrize(("width", "tall"), [(1032, 560), (688, 560), (360, 700)])
def test_it_is_not_higher_than_a_screen_and_the_sentence_stands_in_one_line_or_two(visit, width, tall):
    for figure in STATES.values():
        page = visit(figure, width=width).page
        assert page.locator(".ws-figure").bounding_box()["height"] <= tall
        middles = "all => all.map(el => el.getBoundingClientRect()).map(box => Math.round(box.y + box.height / 2))"
        assert len(set(page.locator(".ws-word").evaluate_all(middles))) == (1 if width > 600 else 2)
        gaps = page.locator(".ws-word").evaluate_all(
            """all => all.map(el => el.getBoundingClientRect()).map(
              (box, i, boxes) => i && box.left > boxes[i - 1].left ? box.left - boxes[i - 1].right : 1)"""
        )
        assert min(gaps) > 0, figure.last


def test_without_a_script_the_last_word_stands_in_the_sentence(visit):
    page = visit(TwoRules("fresh"), java_script_enabled=False).page
    assert page.locator(".ws-word:visible").all_text_contents()[-2].startswith("fresh")
    for hidden in (".ws-acts", ".ws-badge", ".ws-turn"):
        assert page.locator(hidden).first.is_hidden()


# --- one thing after the other -------------------------------------------------------------------


def offered(page):
    """What catches the eye, and which of the question and the ten points is there."""
    seen = {
        "bet": page.get_by_role("button", name="B", exact=True).is_visible(),
        "ten": page.get_by_role("checkbox").is_visible(),
    }
    return page.locator(".ws-figure").get_attribute("data-next"), [name for name, there in seen.items() if there]


def test_one_thing_after_the_other_is_offered_and_nothing_is_told_before(visit):
    page = visit(TwoRules()).page
    told = lambda: re.findall("softmax|squares", page.locator(".ws-figure").inner_text())  # noqa: E731
    found = []
    for move in (
        ("button", "thirsty"),
        ("radio", "rule B"),
        ("radio", "rule A"),
        ("button", "A"),
        ("radio", "rule B"),
        ("checkbox", "ten points"),
    ):
        found.append((*offered(page), told()))
        do(page, move)
    assert found == [
        ("word", [], []),
        ("B", [], []),
        ("bet", ["bet"], []),
        ("bet", ["bet"], []),
        ("ten", ["ten"], []),
        ("ten", ["ten"], []),
    ]
    assert offered(page) == ("A", ["ten"])
    assert set(told()) == {"softmax", "squares"}
    assert "You chose A, and so it is" in said(page)
    do(page, ("radio", "rule A"))
    assert offered(page) == ("", ["ten"])
    assert said(page).startswith("Under rule A, “milk” has 41%; with ten points more for everybody, still 41%.")
    do(page, ("checkbox", "ten points"))
    assert offered(page) == ("", ["ten"])
    assert set(told()) == {"softmax", "squares"}, "what is known stays known"


@pytest.mark.parametrize(
    ("state", "next_", "open_"),
    [
        ({"rule": "B"}, "bet", ["bet"]),
        ({"guess": "B"}, "ten", ["ten"]),
        ({"rule": "B", "ten": "yes"}, "A", ["ten"]),
        ({"ten": "yes"}, "B", ["ten"]),
        ({"last": "warm"}, "word", []),  # the figure begins there
    ],
    ids=str,
)
def test_a_state_from_elsewhere_counts_what_must_have_come_before_as_seen(visit, state, next_, open_):
    assert offered(visit(TwoRules(**state)).page) == (next_, open_)


def test_ten_points_more_move_nothing_under_a_and_melt_the_arc_under_b(visit):
    page = visit(TwoRules(guess="A")).page
    arcs = lambda: attributes(page, ".ws-arcs:not(.ws-between) .ws-arc", "stroke-width") / WIDE  # noqa: E731
    before = arcs()
    page.locator(".ws-slot label").click()
    assert (arcs() == before).all()
    assert page.locator(".ws-small").nth(CAT).text_content() == "29.5"
    assert page.locator(".ws-part").nth(CAT).text_content() == "46%"
    past = lambda: attributes(page, ".ws-arcs:not(.ws-between) .ws-past", "stroke-width") / WIDE  # noqa: E731
    assert (past() == before).all(), "covered by what is"
    page.get_by_role("radio", name="rule B").click()
    melted = arcs()
    np.testing.assert_allclose(past(), TwoRules(rule="B").weights, atol=1e-5)
    assert "grey: before" in page.locator(".ws-legend").text_content()
    np.testing.assert_allclose(melted, TwoRules(rule="B", ten="yes").weights, atol=1e-5)
    page.locator(".ws-slot label").click()
    np.testing.assert_allclose(arcs(), TwoRules(rule="B").weights, atol=1e-5)
    assert arcs()[CAT] - melted[CAT] > 0.15
    assert past().tolist() == [0] * N
    assert page.locator(".ws-small").nth(CAT).text_content() == "19.5"


def test_a_finger_brings_the_next_word_and_the_arc_lands_on_it(visit):
    page = visit(TwoRules(), width=360, has_touch=True).page
    page.locator(".ws-ring").tap()
    assert page.locator(".ws-word").nth(9).text_content().startswith("fresh")
    _, _, thickness = between_lines(page)
    assert int(thickness.argmax()) == MILK
    assert page.locator(".ws-ring").evaluate("el => getComputedStyle(el).touchAction") == "manipulation"


def test_the_arc_glides_from_one_word_to_the_other(visit):
    page = visit(TwoRules(), still=False).page
    seen = page.evaluate("""() => new Promise(done => {
      const arcs = [2, 5].map(i => document.querySelectorAll('.ws-arc')[i]), seen = [];
      const look = () => {
        seen.push(arcs.map(arc => Number(arc.getAttribute('stroke-width'))));
        const last = seen.slice(-30).map(String);
        if (seen.length > 30 && new Set(last).size === 1) done(seen); else requestAnimationFrame(look);
      };
      document.querySelector('.ws-ring').click();
      requestAnimationFrame(look);
    })""")
    cat, milk = np.array(seen).T / WIDE
    end = TwoRules("fresh").weights
    assert len({*cat}) > 4
    assert (np.diff(cat) <= 0).all() and (np.diff(milk) >= 0).all()  # noqa: PT018
    np.testing.assert_allclose([cat[-1], milk[-1]], [end[CAT], end[MILK]], atol=1e-5)


def test_more_has_both_rules_and_where_the_scores_come_from(visit):
    figure = TwoRules("warm", ten="yes")
    page = opened(visit(figure))
    cells = table(page)
    assert [cells[0][0], cells[CAT][0], cells[-1][0]] == ["[CLS], the start mark", "cat", "[SEP], the end mark"]
    number = lambda text: float(text.replace("−", "-").strip("<%"))  # noqa: E731
    np.testing.assert_allclose([number(cell[1]) for cell in cells], figure.scores, atol=0.006)
    for column, rule in ((2, "A"), (3, "B")):
        found = [number(cell[column]) for cell in cells]
        np.testing.assert_allclose(found, 100 * weights_of(figure, rule), atol=0.5)
    assert "all-MiniLM-L6-v2 (Apache-2.0), layer 4 of 6, head 2 of 12" in page.locator(".ws-text").text_content()
