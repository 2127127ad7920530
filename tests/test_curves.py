"""The curves above the slider of *β and the weights*, and the buttons under it."""

import io
import json
import math
import re

import numpy as np
import pytest
from figure_page import OVERLAPS, READY, drawn, example, more
from PIL import Image

import lib
from lib.book.example import SCORES, TOKENS
from lib.figures import BetaWeights
from lib.figures.bundle import page_script
from lib.figures.static_curves import LABEL, apart, to_place

inf = math.inf
PRESETS = [("T = 1", 1.0), ("T = 10", 0.1), ("1/√64", 64**-0.5), ("hard", inf)]


def curved(beta=1.0, scores=SCORES, tokens=TOKENS, **options):
    return BetaWeights(tokens, scores, beta, curves=True, presets=PRESETS, query="it", **options)


STATES = {
    "plain": curved(),
    "zero": curved(0),
    "hard": curved(inf),
    "low": curved(-2.5),
    "lowest": curved(-inf),
    "tied": curved(0.3, [1.0, 2.0, 2.0, 0.2, 2.0, 1.0, 0.2]),
    "alike": curved(0.07, [1.0] * 7),
    "masked": curved(3.15, where=[True, False, True, True, True, False, True]),
    "prior": curved(0.0005, prior=[1, 1, 2, 1, 1, 9, 0]),
    "empty": curved(5.0, where=[False] * 7),
    "huge": curved(2000.0, [1e308, -1e308, 0, 1, 2, 3, 4]),
    "many": curved(1.0, [k / 8 for k in range(13)], [f"internationalisation {k}" for k in range(13)]),
}


# Every shape with its numbers: attributes as they are, paths as their list of numbers.
PICTURE = r"""() => [...document.querySelectorAll('.ws-curves :not(title)')].map(el => ({
  tag: el.tagName, kind: el.getAttribute('class'), text: el.textContent,
  letters: el.getAttribute('d')?.match(/[a-z]/gi),
  numbers: ['x', 'x1', 'x2', 'y', 'y1', 'y2', 'cx', 'cy', 'r', 'width', 'height', 'd'].flatMap(
    a => (el.getAttribute(a) ?? '').match(/-?[\d.]+/g) ?? []).map(Number),
  colours: el.tagName === 'svg' || getComputedStyle(el).fill + getComputedStyle(el).stroke,
}))"""


@pytest.mark.parametrize("state", STATES)
def test_the_static_curves_are_the_live_ones(visit, state):
    still = visit(STATES[state], script=False).page
    live = visit(STATES[state], name="live").page
    for a, b in zip(still.evaluate(PICTURE), live.evaluate(PICTURE), strict=True):
        assert a.pop("numbers") == pytest.approx(b.pop("numbers"), abs=0.011)
        assert a == b
    label = "svg => svg.getAttribute('aria-label')"
    assert still.locator(".ws-curves").evaluate(label) == live.locator(".ws-curves").evaluate(label)
    words = ".ws-ticks span, .ws-ends span, .ws-presets .ws-button"
    assert still.locator(words).all_text_contents() == live.locator(words).all_text_contents()


def weight(y):
    return 1 - (np.asarray(y, dtype=float) - 24) / 140


def read(page):
    """Every curve as the page draws it: its β, its weights there, and those at β = 0 and at the end."""
    lines = page.locator("path.ws-curve:not(.ws-snap)").evaluate_all("all => all.map(el => el.getAttribute('d'))")
    places, heights = np.array([re.findall(r"[\d.]+", d) for d in lines], float).reshape(len(lines), -1, 2).T
    ends = page.locator(".ws-end").evaluate_all("all => all.map(el => el.getAttribute('cy'))")
    return 10 ** ((places[:, 0] - 120) / 50), weight(heights).T, weight(ends).reshape(-1, 2)


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
    # The page writes heights to a hundredth of a pixel, of 140.
    np.testing.assert_allclose(np.c_[curves, ends], rows, atol=0.005 / 140 + 1e-9)


def thumb(page):
    """The x of the thumb's middle, from the picture: a chord of its circle above the rail."""
    box = page.locator(".ws-track").bounding_box()
    row = {"x": box["x"], "y": round(box["y"] + box["height"] / 2 - 6), "width": box["width"], "height": 1}
    pixels = np.array(Image.open(io.BytesIO(page.screenshot(clip=row))).convert("L"))[0]
    dark = np.flatnonzero(pixels < 128)
    return box["x"] + (dark[0] + dark[-1] + 1) / 2


@pytest.mark.parametrize("width", [1280, 360])
def test_the_thumb_stands_under_the_marker(visit, width):
    page = visit(curved(0.5), width=width).page
    for beta in [0.0, 0.01, 0.044, 1 / 8, 1.0, 1.25, -3.3, 100.0, 5000.0, inf]:
        page.evaluate("beta => { location.hash = `beta-weights?beta=${beta}` }", str(beta))
        page.wait_for_function("place => document.querySelector('.ws-range').value == place", arg=place_of(beta))
        marker = page.locator(".ws-marker").evaluate("el => el.getBoundingClientRect().left")
        assert marker == pytest.approx(thumb(page), abs=1), beta


def place_of(beta):
    return math.floor(to_place(abs(beta)) + 0.5)


def test_the_dots_are_the_weights_and_follow_the_slider(visit):
    page = visit(curved()).page
    dots = ".ws-dot"
    at = "all => all.map(el => Number(el.getAttribute('cy')))"
    page.locator(".ws-range").focus()
    for key in ["ArrowRight", "PageUp", "Home", "End"]:
        page.keyboard.press(key)
        found = weight(page.locator(dots).evaluate_all(at))
        np.testing.assert_allclose(found, drawn(page)[[0, 1, 2, 4, 5, 6]], atol=1e-9)


ON_THE_WAY = """() => new Promise(done => {
  const seen = [];
  const start = performance.now();
  const read = (kind, name) => [...document.querySelectorAll(kind)].map(el => el.getAttribute(name));
  const look = () => {
    const [x] = read('.ws-curves > svg:last-child', 'x');
    seen.push([parseFloat(x) * 2.4, read('.ws-dot', 'cy').map(Number), read('.ws-curve:not(.ws-snap)', 'd')]);
    if (performance.now() - start < 400) requestAnimationFrame(look); else done(seen);
  };
  document.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp' }));
  requestAnimationFrame(look);
})"""


def test_the_dots_stay_on_their_curves_while_the_marker_moves(visit):
    seen = visit(curved(), still=False).page.evaluate(ON_THE_WAY)
    assert len({round(place, 3) for place, _, _ in seen}) > 3
    for place, dots, lines in seen:
        for y, d in zip(dots, lines, strict=True):
            xs, ys = np.array(re.findall(r"[\d.]+", d), float).reshape(-1, 2).T
            assert y == pytest.approx(np.interp(place, xs, ys), abs=1)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", STATES)
def test_no_name_lies_on_another_or_leaves_the_figure(visit, state, width):
    page = visit(STATES[state], width=width).page
    page.locator(".ws-range").focus()
    for _ in range(7):
        names = page.locator(".ws-name")
        assert page.evaluate(OVERLAPS, ".ws-name, .ws-ticks span") == []
        boxes = [names.nth(i).bounding_box() for i in range(names.count())]
        frame = page.locator(".ws-figure").bounding_box()
        assert all(frame["x"] <= b["x"] and b["x"] + b["width"] <= frame["x"] + frame["width"] for b in boxes)
        page.keyboard.press("PageUp")


@pytest.mark.parametrize(
    ("state", "names"),
    [
        ("plain", ["cat", "milk", "drank", "it", "the ×2", "because"]),
        ("low", ["because", "the ×2", "it", "drank", "milk", "cat"]),
        ("tied", ["3 tokens", "the, because", "the, it"]),
        ("alike", ["7 tokens"]),
        ("masked", ["milk", "drank", "it", "the ×2"]),
        ("empty", []),
        ("many", ["internatio…"] * 10),
    ],
)
def test_every_curve_is_named_beside_its_dot(visit, state, names):
    page = visit(STATES[state]).page
    said = page.locator(".ws-name").all_text_contents()
    said = ["the, because" if text == "the, becau…" else text for text in said]
    assert said == names


def test_names_stand_as_near_to_their_dots_as_they_can():
    rng = np.random.default_rng(7)
    for n in (1, 2, 5, 7):
        wanted = np.sort(rng.uniform(24, 164, n))
        found = np.array(apart(wanted.tolist(), 18, 166))
        assert (np.diff(found) >= LABEL["gap"] - 1e-9).all()
        assert found[0] >= 18 - 1e-9
        assert found[-1] <= 166 + 1e-9
        cost = ((found - wanted) ** 2).sum()
        for _ in range(300):  # no other admissible places do better
            other = np.sort(found + rng.normal(scale=rng.choice([0.3, 3.0, 20.0]), size=n))
            if n == 1 or np.diff(other).min() >= LABEL["gap"]:
                inside = other[0] >= 18 and other[-1] <= 166
                assert not inside or ((other - wanted) ** 2).sum() >= cost - 1e-9


def test_equal_curves_part_when_a_score_is_pulled_away(visit):
    page = visit(curved()).page
    page.locator(".ws-grip").nth(0).focus()
    page.keyboard.press("ArrowUp")
    assert page.locator("path.ws-curve:not(.ws-snap)").count() == 7
    assert page.locator(".ws-name").all_text_contents().count("the") == 2


def test_the_curve_of_a_token_that_is_pointed_at_stands_out(visit):
    page = visit(curved()).page
    lit = page.locator(".ws-name.ws-lit")
    assert lit.count() == 0
    for reach in (lambda part: part.hover(), lambda part: part.focus()):
        reach(page.locator(".ws-grip").nth(4))
        assert lit.all_text_contents() == ["milk"]
        widths = page.locator("path.ws-curve:not(.ws-snap)").evaluate_all(
            "all => all.map(el => [el.classList.contains('ws-lit'), parseFloat(getComputedStyle(el).strokeWidth)])"
        )
        assert min(w for on, w in widths if on) > max(w for on, w in widths if not on)
        page.mouse.move(5, 5)
        page.evaluate("document.activeElement.blur()")
        assert lit.count() == 0


def test_low_scores_preferred_at_zero_turn_the_curves_round(visit):
    page = visit(curved(0)).page
    more(page)
    page.get_by_role("checkbox", name="prefer low scores").check()
    assert "−∞" in page.locator(".ws-ends").inner_text()
    assert "because 14% to 100%" in page.locator(".ws-curves").get_attribute("aria-label")
    _, _, ends = read(page)
    assert ends[:, 1].tolist() == [0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("still", [True, False])
def test_a_button_leads_to_its_beta_and_says_where_it_is(visit, still):
    page = visit(curved(0.3), still=still).page
    group = page.get_by_role("group", name="β at")
    buttons = group.get_by_role("button")
    assert buttons.all_text_contents() == [label for label, _ in PRESETS]
    assert group.locator("[aria-pressed=true]").count() == 0
    for (label, beta), way in zip(PRESETS, ["click", "Enter", "Space", "click"], strict=True):
        button = group.get_by_role("button", name=label, exact=True)
        if way == "click":
            button.click()
        else:
            button.press(way)
        assert group.locator("[aria-pressed=true]").all_text_contents() == [label]
        cat = 127 * float(lib.softmax(np.array(SCORES), beta)[1])
        bar = "document.querySelectorAll('rect.ws-weight')[1].getAttribute('height')"
        page.wait_for_function(f"cat => Math.abs({bar} - cat) < 1e-9", arg=cat)
        # Not by its colour alone: a bar stands under the pressed one.
        assert button.evaluate("el => getComputedStyle(el).boxShadow") != "none"
    page.locator(".ws-range").focus()
    page.keyboard.press("Home")
    assert group.locator("[aria-pressed=true]").count() == 0


def test_without_presets_and_curves_the_figure_is_as_it_was(visit):
    page = visit(example()).page
    assert page.locator(".ws-curves, .ws-presets").count() == 0
    assert "ws-curves" not in example()._repr_html_()
    assert page.locator(".ws-beta").bounding_box()["height"] == 100


@pytest.mark.parametrize("width", [1280, 500, 360])
def test_nothing_moves_when_the_curves_come_alive(visit, width):
    page = visit(curved(caption="A caption."), script=False, width=width).page
    tops = """() => ['.ws-curves', '.ws-ticks', '.ws-ends', '.ws-presets', '.ws-say', '.ws-read', '.ws-tools'].map(
      part => document.querySelector(part).getBoundingClientRect().top)"""
    before, height = page.evaluate(tops), page.locator("main").bounding_box()["height"]
    page.add_script_tag(content=page_script())
    page.wait_for_selector(READY)
    assert page.evaluate(tops) == before
    assert page.locator("main").bounding_box()["height"] == height


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing(visit, width, theme):
    found = visit(STATES["plain"], width=width, theme=theme)
    found.page.locator(".ws-grip").nth(1).focus()
    more(found.page)
    assert found.axe() == []


@pytest.mark.parametrize("width", [1280, 360])
def test_buttons_fit_a_finger_and_the_page(visit, width):
    page = visit(curved(), width=width).page
    boxes = [b.bounding_box() for b in page.locator(".ws-presets button").all()]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_without_script_the_curves_stand_on_their_scale_and_no_button_does(visit):
    page = visit(curved(inf), java_script_enabled=False).page
    assert page.locator(".ws-presets").is_hidden()
    assert page.locator(".ws-curves").is_visible()
    assert page.locator(".ws-ticks").is_visible()
    gap = page.locator(".ws-ticks").bounding_box()["y"] - page.locator(".ws-curves").bounding_box()["y"]
    assert 172 <= gap <= 190
    assert page.locator("svg[role=img]").count() == 3


def test_on_paper_the_curves_keep_their_scale(visit):
    page = visit(curved()).page
    page.emulate_media(media="print")
    assert page.locator(".ws-presets").is_hidden()
    assert page.locator(".ws-track").is_hidden()
    assert page.locator(".ws-ticks").is_visible()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([("hot", math.nan)], "NaN"),
        ([("hot", "1")], "'1' is not a number"),
        ([("hot",)], "('T = 1', 1.0)"),
        ([(1.0, "T = 1")], "('T = 1', 1.0)"),
        ([("", 1.0)], "('T = 1', 1.0)"),
        (["T = 1"], "a (label, beta)"),
        (3.0, "a list of pairs"),
    ],
)
def test_bad_presets_are_named_and_nothing_is_lost(value, says):
    figure = curved()
    with pytest.raises(ValueError, match=rf"^presets: .*{re.escape(says)}"):
        figure.presets = value
    assert figure.presets == PRESETS


def test_presets_travel_as_json():
    sent = curved().get_state()["presets"]
    assert json.loads(json.dumps(sent, allow_nan=False))[-1] == ["hard", "inf"]
    figure = example()
    figure.set_state({"presets": sent})
    assert figure.presets == PRESETS
