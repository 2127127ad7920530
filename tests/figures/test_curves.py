"""The curves above the slider of *β and the weights*, and the number of words under it."""

import math
import re

import numpy as np
import pytest
from figure_page import OVERLAPS, attributes, example, frames, marks, numbers, opened, points, said, slider
from gallery import GALLERY, curved
from in_node import ask

import lib
from book.example import SCORES

inf = math.inf
BETA = "inverse temperature β"
STATES = GALLERY["curves"]


def weight(y):
    return 1 - (np.asarray(y, dtype=float) - 12) / 190


def read(page):
    """Every curve as the page draws it: its β, its weights there, and those at β = 0 and at the end."""
    lines = page.locator("path.ws-curve:not(.ws-snap)").evaluate_all("all => all.map(el => el.getAttribute('d'))")
    places, heights = np.array([re.findall(r"[\d.]+", d) for d in lines], float).reshape(len(lines), -1, 2).T
    ends = weight(attributes(page, ".ws-end", "cy"))
    return 10 ** ((places[:, 0] - 120) / 50), weight(heights).T, ends.reshape(-1, 2)


@pytest.mark.parametrize(
    "options",
    [{}, {"beta": -2.0}, {"prior": [1, 2, 3, 4, 5, 6, 7]}, {"where": [True, False] + [True] * 5}],
    ids=["plain", "negative", "prior", "masked"],
)
def test_curves_are_softmax_at_every_beta(visit, options):
    figure = curved(**options)
    sign = -1 if figure.beta < 0 else 1
    given = {
        key: np.array(value, dtype=float if key == "prior" else bool)
        for key, value in options.items()
        if key != "beta"
    }
    betas, curves, ends = read(visit(figure).page)
    assert betas[[0, -1]] == pytest.approx([0.01, 100])
    expected = [lib.softmax(np.array(SCORES), sign * beta, **given) for beta in (*betas, 0.0, inf)]
    rows = np.array(expected).T[lib.softmax(np.array(SCORES), 0.0, **given) > 0]
    if "prior" not in options:  # the two “the” share a curve
        rows = rows[sorted(np.unique(rows[:, 0:-2], axis=0, return_index=True)[1])]
    # The page writes heights to a hundredth of a pixel, of 190.
    np.testing.assert_allclose(np.c_[curves, ends], rows, atol=0.005 / 190 + 1e-9)


@pytest.mark.parametrize("state", ["plain", "low", "masked"])
def test_a_curve_is_led_to_its_ends(draw, state):
    html = draw(STATES[state])
    paths, ends = marks(html, "ws-curve"), numbers(marks(html, "ws-end"), "cy").reshape(-1, 2)
    curves, snaps = ([one["d"] for one in paths if ("ws-snap" in one["class"]) == snap] for snap in (False, True))
    assert len(curves) == len(snaps) == len(ends) > 3
    assert ["ws-first" in one["class"] for one in marks(html, "ws-dot")] == (
        ends[:, 1] == ends[:, 1].min()
    ).tolist()
    weights = np.array(STATES[state].weights)[STATES[state].where or slice(None)]
    dots = weight(numbers(marks(html, "ws-dot"), "cy"))
    np.testing.assert_allclose(np.sort(dots), np.unique(weights.round(12)), atol=2e-5)
    for curve, snap, (first, last) in zip(curves, snaps, ends, strict=True):
        (*_, begins), *_, (*_, stops) = points(curve)
        assert points(snap).tolist() == [[0, first], [20, begins], [220, stops], [240, last]]


@pytest.mark.parametrize("state", ["plain", "many", "tied"])
def test_a_leader_goes_from_each_dot_to_its_name(draw, state):
    html = draw(STATES[state])
    names, leaders = marks(html, "ws-name"), marks(html, "ws-leader")
    assert len(names) == len(leaders) > 2
    ends = np.array([re.search(r"M\S+ ([\d.]+)L\S+ ([\d.]+)h", one["d"]).groups() for one in leaders], float)
    np.testing.assert_allclose(ends[:, 1] + 4, numbers(names, "y"), atol=1e-3)
    assert set(ends[:, 0].round(2)) <= set(numbers(marks(html, "ws-dot"), "cy").round(2))


@pytest.mark.parametrize("width", [1280, 360])
def test_the_marker_stands_over_the_thumb(visit, width):
    """Of the 240 places 0 and ∞ have the ends, a decade has 50, from 20 to 220; what is beyond stands halfway."""
    page = visit(curved(beta=0.5), width=width).page
    for beta, place in [(0.0, 0), (0.01, 20), (1.25, 125), (-3.3, 146), (5000.0, 230), (inf, 240)]:
        page.evaluate("beta => { location.hash = `beta-weights?beta=${beta}` }", str(beta))
        page.wait_for_function("place => document.querySelector('.ws-range').value == place", arg=place)
        rail = page.locator(".ws-range").bounding_box()
        marker = page.locator(".ws-marker").evaluate("el => el.getBoundingClientRect().left")
        assert marker == pytest.approx(rail["x"] + 12 + place / 240 * (rail["width"] - 24), abs=1.2), beta


ON_THE_WAY = """() => {
  const read = (parts, name) => [...document.querySelectorAll(parts)].map(el => el.getAttribute(name));
  const [x] = read('.ws-curves > svg:last-child', 'x');
  return [parseFloat(x) * 2.4, read('.ws-dot', 'cy').map(Number), read('.ws-curve:not(.ws-snap)', 'd')];
}"""


def test_the_dots_stay_on_their_curves_while_the_marker_moves(visit):
    seen = frames(visit(curved(), still=False).page, ON_THE_WAY, "PageUp")
    assert len({place for place, _, _ in seen}) > 2, "it was seen on the way"
    for place, dots, lines in seen:
        for y, d in zip(dots, lines, strict=True):
            assert y == pytest.approx(np.interp(place, *points(d).T), abs=1)


BEYOND = """id => [...document.querySelectorAll(`#${id} .ws-name`)].filter(el => {
  const [frame, name] = [document.getElementById(id), el].map(part => part.getBoundingClientRect());
  return name.left < frame.left || name.right > frame.right;
}).map(el => el.textContent)"""


NAMED = "{0} .ws-called, {0} .ws-name .ws-number, {0} .ws-ticks span"


@pytest.mark.parametrize("width", [1280, 360])
def test_no_name_lies_on_another_or_leaves_the_figure_at_any_beta(visit, width):
    page = visit(*STATES.values(), width=width).page
    for figure in STATES.values():
        page.locator(f"#{figure.name} .ws-beta .ws-range").focus()
        for step in range(7):
            overlaps = page.evaluate(OVERLAPS, NAMED.format(f"#{figure.name}"))
            assert overlaps == [], (figure.name, step)
            assert page.evaluate(BEYOND, figure.name) == [], (figure.name, step)
            page.keyboard.press("PageUp")


NAMES = {
    "plain": ["cat", "milk", "drank", "it", "the, the", "because"],
    "low": ["because", "the, the", "it", "drank", "milk", "cat"],
    "tied": ["3 tokens", "the, becau…", "the, it"],
    "alike": ["7 tokens"],
    "masked": ["milk", "drank", "it", "the, the"],
    "empty": [],
    "fan": ["cat", "milk"],
    "crowd": ["cat", "each other"],
    "many": ["internatio…"] * 10,
}


def called(page, names=".ws-name"):
    """Names without their numbers."""
    return page.locator(names).evaluate_all("all => all.map(el => el.firstChild.textContent)")


def test_every_name_has_the_weight_where_there_is_room(visit):
    page = visit(curved()).page
    wanted = ["cat 37%", "milk 22%", "drank 15%", "it 11%", "the, the 6.1%", "because 2.7%"]
    assert page.locator(".ws-name").all_text_contents() == wanted
    page = visit(curved(), width=360).page
    assert page.locator(".ws-name .ws-number").first.is_hidden()


def test_every_curve_is_named_beside_its_dot(visit):
    page = visit(*STATES.values()).page
    for state, names in NAMES.items():
        assert called(page, f"#{STATES[state].name} .ws-name") == names, state


def test_names_keep_their_order_and_a_line_apart():
    rng, gap, options = np.random.default_rng(7), 14, {"places": [0, 120, 240], "top": 240, "low": 18, "high": 166}
    asked = []
    for n, place in [(1, 0), (2, 120), (5, 240), (7, 80), (10, 120)]:
        heights = np.sort(rng.uniform(24, 164, n))
        names = [{"y": y, "letters": int(k)} for y, k in zip(heights, rng.integers(1, 12, n), strict=True)]
        curves = rng.uniform(24, 164, (n, 3)).tolist()
        asked.append([names, {**options, "place": place, "curves": curves}])
    for (names, _), found in zip(asked, ask("(row) => placeNames(...row)", asked, "beta_weights"), strict=True):
        assert len(found) == len(names)
        y = np.array([each["y"] for each in found])
        assert (np.diff(y) >= gap).all()
        assert y.min() >= 18
        assert y.max() <= 166


def test_where_no_curve_runs_a_name_stands_beside_its_dot():
    state = {"places": [0, 240], "curves": [], "top": 240, "low": 18, "high": 166, "place": 120}
    row = [[{"y": y, "letters": 4} for y in (30, 44, 100)], state]
    (found,) = ask("(row) => placeNames(...row)", [row], "beta_weights")
    assert [each["y"] for each in found] == [30, 44, 100]
    assert len({each["side"] for each in found}) == 1


COVERED = """id => {
  const root = document.querySelector(`#${id} .ws-curves`);
  const names = [...root.querySelectorAll('.ws-name')].map(el => [el.textContent, el.getBoundingClientRect()]);
  return [...root.querySelectorAll('.ws-curve')].flatMap(path => {
    const there = path.getScreenCTM();
    const size = path.getTotalLength();
    const at = k => path.getPointAtLength(size * k / 799).matrixTransform(there);
    const points = Array.from({ length: 800 }, (_, k) => at(k));
    return names.filter(([, box]) => points.some(({ x, y }) =>
      box.left < x && x < box.right && box.top + 2 < y && y < box.bottom - 2)).map(([text]) => text);
  });
}"""


@pytest.mark.parametrize("width", [1280, 600, 360])
def test_no_name_covers_a_curve(visit, width):
    betas = [0.0, 0.01, 0.1, 0.5, 1.0, 1.6, 2.5, 4.0, 10.0, 30.0, 100.0, inf, -2.0]
    made = [curved(beta=beta, name=f"curves-{i}") for i, beta in enumerate(betas)]
    page = visit(*made, width=width).page
    assert {figure.beta: page.evaluate(COVERED, figure.name) for figure in made} == {beta: [] for beta in betas}


def test_the_lines_from_names_to_dots_take_nothing_of_the_curves_below_them(visit):
    """As a border in the colour of the page would, which had made dashes of the leader's curve."""
    page = visit(curved(beta=1.0)).page
    look = "all => all.map(el => [getComputedStyle(el).stroke, parseFloat(getComputedStyle(el).strokeWidth)])"
    lines = page.locator(".ws-weights svg:has(> .ws-marker) > path").evaluate_all(look)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert len(lines) >= 6
    assert [line for line in lines if line[0] == paper or line[1] > 1] == []


def test_equal_curves_part_when_a_score_is_pulled_away(visit):
    page = opened(visit(curved()))
    page.locator(".ws-grip").nth(0).focus()
    page.keyboard.press("ArrowUp")
    assert page.locator("path.ws-curve:not(.ws-snap)").count() == 7
    assert called(page).count("the") == 2


def test_the_curve_of_a_token_that_is_pointed_at_stands_out(visit):
    page = opened(visit(curved()))
    lit = page.locator(".ws-name.ws-lit")
    assert lit.count() == 0
    for reach in (lambda part: part.hover(), lambda part: part.focus()):
        reach(page.locator(".ws-grip").nth(4))
        assert called(page, ".ws-name.ws-lit") == ["milk"]
        widths = page.locator("path.ws-curve:not(.ws-snap)").evaluate_all(
            "all => all.map(el => [el.classList.contains('ws-lit'), parseFloat(getComputedStyle(el).strokeWidth)])"
        )
        assert min(w for on, w in widths if on) > max(w for on, w in widths if not on)
        page.mouse.move(5, 5)
        page.evaluate("document.activeElement.blur()")
        assert lit.count() == 0


def test_low_scores_preferred_at_zero_turn_the_curves_round(visit):
    page = opened(visit(curved(beta=0)))
    page.get_by_role("checkbox", name="prefer low scores").check()
    assert "−∞" in page.locator(".ws-ends").inner_text()
    assert "because 14% to 100%" in page.locator(".ws-curves").get_attribute("aria-label")
    _, _, ends = read(page)
    assert ends[:, 1].tolist() == [0, 0, 0, 0, 1, 0]


def test_without_curves_the_figure_is_as_it_was(visit):
    page = visit(example()).page
    assert page.locator(".ws-curves, .ws-crowd, .ws-call").count() == 0
    assert "ws-curves" not in example()._repr_html_()
    assert page.locator(".ws-beta").bounding_box()["height"] == 98


def test_without_script_the_curves_stand_on_their_scale(visit):
    page = visit(curved(beta=inf), java_script_enabled=False).page
    assert page.locator(".ws-curves").is_visible()
    assert page.locator(".ws-ticks").is_visible()
    gap = page.locator(".ws-ticks").bounding_box()["y"] - page.locator(".ws-curves").bounding_box()["y"]
    assert 210 <= gap <= 228


# --- a crowd of words --------------------------------------------------------------------------------------


HALF = [0, 0.5, 0, 0, 0, 0, 0]


def fan(**state):
    return curved(plain=True, **state)


def words(page):
    return slider(page, "number of words")


@pytest.mark.parametrize("n", [8, 1000, 100_000])
def test_one_that_leads_a_crowd_has_the_weight_that_lib_gives_it(visit, n):
    page = visit(fan(scores=HALF, crowd=n)).page
    betas, curves, ends = read(page)
    rest = np.zeros(n - 1)
    assert len(curves) == 2
    first = int(np.argmax(ends[:, 1]))
    at = np.arange(0, len(betas), 20)
    expected = [lib.softmax(np.append(0.5, rest), beta)[0] for beta in betas[at]]
    np.testing.assert_allclose(curves[first][at], expected, atol=0.005 / 190 + 1e-9)
    np.testing.assert_allclose((1 - curves[first]) / (n - 1), curves[1 - first], atol=0.011 / 190)
    assert fan(scores=HALF, crowd=n, beta=3.0).weights == pytest.approx(
        lib.softmax(np.append(0.5, rest), 3.0)[[1, 0, 1, 1, 1, 1, 1]]
    )


@pytest.mark.parametrize("where", [None, [True, False] + [True] * 5])
def test_of_a_crowd_of_different_words_the_others_stand_equally_often(visit, where):
    figure = fan(crowd=607, beta=2.0, where=where)
    there = np.array(SCORES)[where or slice(None)]
    best, others = there.max(), np.delete(there, np.argmax(there))
    times = 1 + 600 // len(others)
    all_words = lib.softmax(np.append(best, np.repeat(others, times)), 2.0)
    expected = np.insert(all_words[1::times], np.argmax(there), all_words[0])
    np.testing.assert_allclose(np.array(figure.weights)[where or slice(None)], expected)
    dots = weight(attributes(visit(figure).page, ".ws-dot", "cy"))
    np.testing.assert_allclose(np.sort(dots), np.unique(expected.round(12)), atol=2e-5)


def test_what_the_question_asks_is_seen(visit):
    figure = fan(scores=HALF)
    page = visit(figure).page
    need = np.log(99_999 * 9) / 0.5
    page.evaluate(
        "state => { location.hash = state }", f"beta-weights?scores=0,0.5,0,0,0,0,0&beta={need}&crowd=100000"
    )
    page.wait_for_function("document.querySelector('.ws-of-many').textContent.startsWith('100')")
    assert page.locator(".ws-name").all_text_contents() == ["cat 90%", "each other <0.1%"]
    assert said(page) == "At β = 27.4, “cat” gets 90% of the weight. The 99\u202f999 others share 10% of it."
    ghost = page.locator(".ws-ghost").get_attribute("d")
    places, heights = np.array(re.findall(r"[\d.]+", ghost), float).reshape(-1, 2).T
    alone = [lib.softmax(np.array(HALF), beta)[1] for beta in 10 ** ((places - 120) / 50)]
    np.testing.assert_allclose(weight(heights), alone, atol=0.005 / 190 + 1e-9)
    words(page).press("Home")
    assert page.locator(".ws-ghost").count() == 0
    assert said(page) == "At β = 27.4, “cat” gets >99.9% of the weight."


def test_at_no_beta_the_words_of_a_crowd_are_equal(visit):
    page = visit(fan(crowd=1000, beta=0.0)).page
    assert said(page) == "At β = 0 the scores do not count: the weights are equal, 0.1% each."


def test_badges_lead_from_beta_to_more_words_one_at_a_time(visit):
    page = visit(fan()).page
    seen = page.locator(".ws-call:visible")
    assert seen.all_text_contents() == ["drag me"]
    slider(page, BETA).press("PageUp")
    assert seen.all_text_contents() == ["now more words"]
    words(page).press("PageUp")
    assert seen.count() == 0
    page.get_by_role("button", name="Reset").click()
    assert seen.all_text_contents() == ["drag me"]


@pytest.mark.parametrize("place", [0, 60, 120, 200, 240])
@pytest.mark.parametrize("width", [688, 360])
def test_the_ring_lies_on_the_thumb_and_its_badge_in_the_figure(visit, width, place):
    beta = {0: 0.0, 60: 10**-1.2, 120: 1.0, 200: 10**1.6, 240: inf}[place]
    page = visit(fan(beta=beta), width=width).page
    rail, ring, call, all_ = (
        page.locator(part).bounding_box()
        for part in (".ws-beta .ws-range", ".ws-thumb-ring", ".ws-thumb-ring .ws-call", ".ws-figure")
    )
    assert ring["x"] + 12 == pytest.approx(rail["x"] + 12 + place / 240 * (rail["width"] - 24), abs=1.5)
    assert ring["y"] + 12 == pytest.approx(rail["y"] + rail["height"] / 2, abs=1.5)
    assert all_["x"] <= call["x"]
    assert call["x"] + call["width"] <= all_["x"] + all_["width"]


@pytest.mark.parametrize(("width", "most"), [(688, 470), (360, 600)])
def test_all_of_it_is_seen_on_arrival(visit, width, most):
    page = visit(fan(), width=width).page
    figure, thumb = (page.locator(part).bounding_box() for part in (".ws-figure", ".ws-thumb-ring"))
    assert figure["height"] <= most
    assert thumb["y"] - figure["y"] <= 250
    curves, last = (
        page.locator(part).bounding_box() for part in (".ws-curves", ".ws-crowd .ws-ticks :last-child")
    )
    assert curves["y"] + curves["height"] <= thumb["y"] + 10, "the curves come first"
    assert last["x"] + last["width"] <= figure["x"] + figure["width"]


@pytest.mark.parametrize("width", [688, 360])
@pytest.mark.parametrize("beta", [0.3, 1.0, 3.0, 10.0])
def test_the_name_of_the_other_curve_keeps_clear_of_the_marker(visit, width, beta):
    page = visit(fan(beta=beta, crowd=1000), width=width).page
    name, marker = (page.locator(part).bounding_box() for part in (".ws-ghost-name", ".ws-marker"))
    assert name["x"] + name["width"] < marker["x"]


def test_a_prior_has_no_crowd_and_a_link_beyond_its_end_is_not_followed(visit):
    page = visit(fan(), link="#beta-weights?crowd=100001").page
    assert page.locator(".ws-of-many").text_content().startswith("7 words")
    assert fan(crowd=1000, prior=[1] * 7).weights == fan(prior=[1] * 7).weights == pytest.approx(fan().weights)
