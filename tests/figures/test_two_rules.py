"""*Two rules* draws what `lib` computes, offers one thing after the other, and names the rules only in the end."""

import re

import numpy as np
import pytest
from figure_page import attributes, between_lines, do, opened, press, said, shades, table, thick
from gallery import GALLERY
from in_node import SEED, assert_same

import lib
from book.figures import RealHead, TwoRules
from book.figures.real_head import OWN_BETA, WORDS
from book.figures.two_rules import LAST, squares

CAT, MILK, IT, N = 2, 5, 7, 11
WIDE, NARROW = 52, 34  # pixels: how thick the arc of all the weight is, over one line and between two
STATES = GALLERY["two-rules"]
SHARE = re.compile(r'<b class="ws-part"[^>]*><s>([^<]*)</s><span>([^<]*)</span></b>')
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


def share(had, has):
    """What is written under a word: its percentage, if it is or was much, and the old one if it changed."""
    old, new = (f"{round(100 * w)}" for w in (had, has))
    return ("", "") if max(had, has) < 0.05 else (old if old != new else "", f"{new}%")


# --- the picture ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_arcs_shades_scores_and_percentages_are_those_of_lib(draw, state):
    figure = STATES[state]
    html, weights = draw(figure), weights_of(figure)
    np.testing.assert_allclose(thick(html), np.concatenate([WIDE * weights, NARROW * weights]), atol=1e-4)
    np.testing.assert_allclose(shades(html), 50 * weights, atol=6e-3)
    before = weights_of(TwoRules(figure.last, figure.rule))
    shares = [share(had, w) for had, w in zip(before, weights, strict=True)]
    assert SHARE.findall(html) == shares
    sizes = [float(size) for size in re.findall(r"--ws-part:\s*([\d.]+)", html)]
    np.testing.assert_allclose(sizes, weights, atol=6e-5)
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
        above = words[:, 1] < words[:, 1].mean()
        np.testing.assert_allclose(ends[above, 0, 0], words[IT, 0], atol=0.6)
        beside = np.abs(ends[others & ~above, 0, 0] - words[IT, 0])
        assert ((beside > 8) & (beside < 15)).all(), "from the side of “it”, clear of the arcs from above"
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
    assert page.locator(".ws-legend").is_visible()
    for hidden in (".ws-acts > .ws-choice", ".ws-bet", ".ws-slot .ws-tick", ".ws-call", ".ws-turn"):
        assert page.locator(hidden).first.is_hidden()


# --- one thing after the other -------------------------------------------------------------------


def offered(page):
    """What catches the eye, and which of the question and the ten points is there."""
    seen = {
        "bet": page.get_by_role("button", name="guess B", exact=True).is_visible(),
        "ten": page.get_by_role("checkbox").is_visible(),
    }
    return page.locator(".ws-figure").get_attribute("data-next"), [name for name, there in seen.items() if there]


def test_one_thing_after_the_other_is_offered_and_nothing_is_told_before(visit):
    page = visit(TwoRules()).page
    told = lambda: re.findall("softmax|squares", page.locator(".ws-figure").inner_text())  # noqa: E731
    found = []
    for move in (
        ("button", "thirsty"),
        ("button", "fresh"),
        ("radio", "rule B"),
        ("radio", "rule A"),
        ("button", "guess A"),
        ("radio", "rule B"),
        ("checkbox", "ten points"),
    ):
        found.append((*offered(page), told()))
        do(page, move)
    assert found == [
        ("word", [], []),
        ("back", [], []),
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
    assert said(page).startswith("Under rule A, “cat” has 46%; with ten points more for everybody, still 46%.")
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
        ({"last": "warm", "seen": "word"}, "B", []),
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
    written = lambda: page.locator(".ws-part").nth(CAT).locator("> *").all_text_contents()  # noqa: E731
    assert written() == ["", "46%"], "it stays"
    past = lambda: attributes(page, ".ws-arcs:not(.ws-between) .ws-past", "stroke-width") / WIDE  # noqa: E731
    assert (past() == before).all(), "covered by what is"
    page.get_by_role("radio", name="rule B").click()
    melted = arcs()
    np.testing.assert_allclose(past(), TwoRules(rule="B").weights, atol=1e-5)
    assert written() == ["43", "27%"]
    assert (
        page.locator(".ws-part s").first.evaluate("el => getComputedStyle(el).textDecorationLine")
        == "line-through"
    )
    np.testing.assert_allclose(melted, TwoRules(rule="B", ten="yes").weights, atol=1e-5)
    page.locator(".ws-slot label").click()
    np.testing.assert_allclose(arcs(), TwoRules(rule="B").weights, atol=1e-5)
    assert arcs()[CAT] - melted[CAT] > 0.15
    assert past().tolist() == [0] * N
    assert page.locator(".ws-small").nth(CAT).text_content() == "19.5"


def test_what_the_ten_points_did_stays_beside_the_rule_until_reset(visit):
    page = visit(TwoRules(guess="A")).page
    traces = lambda: page.locator(".ws-trace-of").all_text_contents()  # noqa: E731
    assert traces() == ["", ""]
    page.locator(".ws-slot label").click()
    assert traces() == ["+10: nothing moved", ""]
    page.get_by_role("radio", name="rule B").click()
    assert traces() == ["+10: nothing moved", "+10: 43% → 27%"]
    page.locator(".ws-slot label").click()
    assert traces() == ["+10: nothing moved", "+10: 43% → 27%"], "also without the ten points"
    press(page, "Reset")
    assert traces() == ["", ""]
    for one in (
        visit(TwoRules(guess="A", ten="yes", seen="all")).page.locator(".ws-acts .ws-choice .ws-tick").all()
    ):
        text, own = one.locator(".ws-trace-of").bounding_box(), one.bounding_box()
        assert own["x"] < text["x"] < text["x"] + text["width"] < own["x"] + own["width"]


BOXES = """(figure) => {
  const box = (el) => el.getBoundingClientRect();
  const texts = [...figure.querySelectorAll('.ws-part > *, .ws-small, .ws-word, .ws-slot > *, .ws-choice > *')];
  const seen = texts.filter(el => el.textContent && el.checkVisibility({ visibilityProperty: true })).map(box);
  return [[...figure.querySelectorAll('.ws-call, .ws-meant')].map(box), seen, [box(figure)]].map(
    all => all.map(({ left, top, right, bottom }) => [left, top, right, bottom]));
}"""


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_no_number_lies_on_another_and_what_is_next_stands_free_and_inside(visit, width):
    states = [{}, {"last": "fresh"}, {"guess": "A"}, {"rule": "B", "ten": "yes", "guess": "A"}]
    states += [{"last": last, "rule": "B", "ten": "yes", "seen": "all"} for last in LAST]
    for state in states:
        page = visit(TwoRules(**state), width=width).page
        pointed, texts, (whole,) = page.locator(".ws-figure").evaluate(BOXES)
        for k, (left, top, right, bottom) in enumerate(texts):
            assert all(left >= r or right <= x or top >= b - 2 or bottom <= y + 2 for x, y, r, b in texts[:k]), (
                state
            )
        for left, _, right, _ in [*texts, *((x - 5, y, r + 5, b) for x, y, r, b in pointed)]:
            assert (left >= whole[0] - 0.5, right <= whole[2] + 0.5) == (True, True), state


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_the_badge_on_the_ring_lies_on_no_arc(visit, width):
    page = visit(TwoRules(), width=width).page
    hit = """(badge) => {
      const { left, right, top, bottom } = badge.getBoundingClientRect();
      return [...document.querySelectorAll('.ws-arc')].some(arc => {
        const [grid, half, n] = [arc.getScreenCTM(), Number(arc.getAttribute('stroke-width')) / 2, 400];
        if (!grid || !arc.getBoundingClientRect().height) return false;
        return Array.from({ length: n + 1 }, (_, k) =>
          arc.getPointAtLength(arc.getTotalLength() * k / n).matrixTransform(grid)).some(({ x, y }) =>
            x > left - half && x < right + half && y > top - half && y < bottom + half);
      });
    }"""
    assert not page.locator(".ws-call").evaluate(hit)


def test_one_badge_goes_from_one_thing_to_the_next(visit):
    page = visit(TwoRules()).page
    badges = lambda: page.locator(".ws-call").evaluate_all(  # noqa: E731
        "all => all.map(el => [el.parentElement.textContent, el.parentElement.matches('.ws-meant')])"
    )
    found = []
    for move in (
        ("button", "thirsty"),
        ("button", "fresh"),
        ("radio", "rule B"),
        ("button", "guess A"),
        ("checkbox", "ten"),
        ("radio", "rule A"),
    ):
        found.append(badges())
        do(page, move)
    found.append(badges())
    halo = lambda text: [[f"{text}press", True]]  # noqa: E731
    assert found == [
        halo("thirsty"), [["freshback", True]], halo("rule B"), [],
        halo("everybody gets ten points more"), halo("rule Asoftmax"), [],
    ]  # fmt: skip


def test_from_another_word_one_is_led_back_to_the_first_before_the_other_rule(visit):
    """Only there the two rules are as close as the text says."""
    page = visit(TwoRules()).page
    page.locator(".ws-ring").press("ArrowDown")
    assert offered(page) == ("back", [])
    page.locator(".ws-ring").press("ArrowDown")
    assert page.locator(".ws-name").text_content() == "hungry", "keys go where they go"
    assert said(page).endswith(" Now go back to “thirsty”.")
    page.locator(".ws-ring").click()
    assert page.locator(".ws-name").text_content() == "thirsty"
    assert offered(page) == ("B", [])
    assert "go back" not in said(page)
    page.locator(".ws-ring").click()
    page.locator(".ws-ring").click()
    assert page.locator(".ws-name").text_content() == "hungry", "and now a press goes on"
    assert offered(page) == ("word", []), "but not yet to the other rule"


def test_a_guess_is_answered_at_once(visit):
    page = visit(TwoRules(rule="B")).page
    do(page, ("button", "guess A"))
    rest = "Under rule B, “cat” has 43% and “milk” 26%."
    assert said(page) == f"You chose A. Test it: give everybody ten points more.\n{rest}"
    do(page, ("checkbox", "ten points"))
    assert "Test it" not in said(page)


@pytest.mark.parametrize("width", [1032, 688])
def test_what_is_beside_the_rules_stands_in_their_line(visit, width):
    page = visit(TwoRules(guess="A"), width=width).page
    tops = [page.locator(kind).bounding_box()["y"] for kind in (".ws-acts > .ws-choice", ".ws-slot > .ws-tick")]
    assert tops[1] == pytest.approx(tops[0], abs=1)


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_the_halo_of_the_ring_lies_on_no_number(visit, width):
    page = visit(TwoRules(), width=width).page
    box = lambda kind: page.locator(kind).bounding_box()  # noqa: E731
    ring, score = box(".ws-ring"), box(".ws-cell:nth-last-child(2) .ws-small >> nth=-1")
    assert score["y"] >= ring["y"] + ring["height"] + 5


def test_there_is_no_arc_from_it_to_itself(visit):
    page = visit(TwoRules("hungry", rule="B", ten="yes")).page
    assert page.locator(".ws-arc").evaluate_all("all => all.map(el => el.getTotalLength() > 0)").count(False) == 2
    assert page.locator(".ws-part").nth(IT).text_content() == "710%", "but its number, 7 struck out"


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
