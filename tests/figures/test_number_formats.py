"""*Number formats* rounds as torch does, bit by bit, and says what becomes of the weights."""

from itertools import product

import numpy as np
import pytest
import torch
from figure_page import attributes, number_in, opened, table
from gallery import formats as example
from in_node import SEED, ask, number

from book.example import SCORES, TOKENS
from book.numerics.formats import KINDS, by_steps, ends

FORMATS = "float16", "bfloat16", "float32", "float64"
FORMAT = {name: f"FORMATS[{i}]" for i, name in enumerate(FORMATS)}
SIXTEEN_BITS = ["bfloat16", "float16"]


def by_torch(figure):
    """The weights in each format, by torch, step by step."""
    rows = {name: torch.tensor(figure.shown, dtype=torch.float64).to(kind) for name, kind in KINDS.items()}
    return {name: by_steps(row, figure.way == "shifted").double().numpy() for name, row in rows.items()}


# --- the arithmetic --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_a_number_is_rounded_as_torch_rounds_it(name):
    rng = np.random.default_rng(SEED)
    anywhere = rng.normal(size=3000) * 10.0 ** rng.uniform(-330, 308, size=3000)
    near = rng.normal(size=3000) * 10.0 ** rng.uniform(-50, 40, size=3000)
    small = rng.integers(-4000, 4000, size=500) * 2.0**-27  # many lie halfway between two numbers of float16
    edge = 65504 + rng.uniform(0, 40, size=300)
    x = np.concatenate([anywhere, near, small, edge, [0.0, 65519.9, 65520.0, 2.0**-25, 2.0**-134, 2.0**-150]])
    found = number(ask(f"x => rounded(x, {FORMAT[name]})", x.tolist(), view="number_formats"))
    np.testing.assert_array_equal(found, torch.tensor(x).to(KINDS[name]).double().numpy())


@pytest.mark.parametrize("name", SIXTEEN_BITS)
def test_the_exponential_of_every_number_of_16_bits_is_that_of_torch(name):
    every = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(KINDS[name])
    finite = every[torch.isfinite(every)]
    answer = f"x => rounded(Math.fround(Math.exp(x)), {FORMAT[name]})"
    found = number(ask(answer, finite.double().tolist(), view="number_formats"))
    np.testing.assert_array_equal(found, finite.exp().double().numpy())


@pytest.mark.parametrize("name", KINDS)
def test_the_range_ends_where_it_does_in_torch(name):
    (found,) = ask(f"() => ends({FORMAT[name]})", [0], view="number_formats")
    np.testing.assert_allclose(found, [float(x) for x in ends(KINDS[name])], rtol=1e-14)


ROW = f"state => {list(SCORES)}.map((s) => s + state.shift)"
STATES = [{"shift": -22 + 0.5 * i, "way": way} for i, way in product(range(69), ("plain", "shifted"))]


def test_the_weights_are_those_of_torch_in_every_state():
    """Of 16 bits to the last; of more to the rounding of the exponential, which no two machines share."""
    answer = f"""state => FORMATS.map((format) =>
      stepByStep(({ROW})(state), format, state.way === "shifted").weights)"""
    found = ask(answer, STATES, view="number_formats")
    rtol = {"float64": 1e-14, "float32": 1e-6, "bfloat16": 0, "float16": 0}
    for state, weights in zip(STATES, found, strict=True):
        wanted = by_torch(example(**state))
        for name, got in zip(FORMATS, weights, strict=True):
            np.testing.assert_allclose(number(got), wanted[name], rtol=rtol[name], err_msg=str((state, name)))


# --- the picture ---------------------------------------------------------------------------------

AXIS = -31, 18
FLOOR = 172  # CSS pixels


def place(score):
    """Where a score stands on the axis, in percent."""
    return 100 * (np.clip(score, *AXIS) - AXIS[0]) / (AXIS[1] - AXIS[0])


def test_the_cliffs_are_where_the_format_ends_or_it_is_said_how_far_off_they_are(visit):
    for name, kind in KINDS.items():
        page = visit(example(format=name)).page
        low, high = (float(x) for x in ends(kind))
        earth = page.locator(".ws-earth")
        left, width = (float(earth.get_attribute(key).rstrip("%")) for key in ("x", "width"))
        np.testing.assert_allclose([left, left + width], place([low, high]), atol=2e-3)
        said = page.locator(".ws-way-left, .ws-way-right").all_text_contents()
        off = [f"← cliff at {int(low)}".replace("-", "−"), f"cliff at {int(high)} →"]
        assert said == (["", ""] if name == "float16" else off)
        seen = page.locator(".ws-ghost-wall").evaluate_all("all => all.map(el => el.getAttribute('visibility'))")
        assert set(seen) == {"hidden" if name == "float16" else "visible"}


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"shift": 9},
        {"shift": 10.5},
        {"shift": -19},
        {"shift": -21.5, "format": "bfloat16"},
        {"shift": 11.5, "way": "shifted"},
        {"shift": -22, "way": "shifted", "format": "float32"},
    ],
    ids=str,
)
def test_pins_bars_labels_table_and_controls_are_those_of_torch(visit, state):
    figure = example(**state)
    page = opened(visit(figure))
    all_weights = by_torch(figure)
    kind, weights = KINDS[figure.format], all_weights[figure.format]
    held = torch.tensor(figure.shown, dtype=torch.float64).to(kind)
    powers = held - held.max() if figure.way == "shifted" else held
    grown = powers.exp()
    np.testing.assert_allclose(attributes(page, ".ws-dot", "cx"), place(powers.double().numpy()), atol=2e-3)
    lost = page.locator(".ws-dot").evaluate_all("all => all.map(el => el.classList.contains('ws-lost'))")
    assert lost == ((grown == 0) | grown.isinf()).tolist()
    fallen = attributes(page, ".ws-dot", "cy") == FLOOR - 6
    assert fallen.tolist() == lost
    bars = np.nan_to_num(weights)
    highest = max(bars.max(), *figure.weights)  # the largest weight of all, or what it should be, fills the height
    np.testing.assert_allclose(attributes(page, ".ws-weight", "height") / 64, bars / highest, atol=2e-5)
    outlines = attributes(page, ".ws-prior", "height") / 64
    np.testing.assert_allclose(outlines, np.array(figure.weights) / highest, atol=2e-5)
    labels = page.locator(".ws-weight ~ .ws-label").all_text_contents()
    for label, weight in zip(labels, weights, strict=True):
        if np.isnan(weight) or weight == 0:
            assert label == ("NaN" if np.isnan(weight) else "0")
        elif label[0] not in "<>":
            assert number_in(label) == pytest.approx(100 * weight, abs=0.51)
    rows = table(page)[:-1]
    assert [row[0] for row in rows] == list(TOKENS)
    wanted = np.array([all_weights[name] for name in FORMATS]).T
    np.testing.assert_allclose([[number_in(text) for text in row[1:]] for row in rows], wanted, rtol=6e-3)
    assert page.get_by_role("radio", checked=True).get_attribute("value") == figure.format
    pressed = page.get_by_role("button", name="subtract").get_attribute("aria-pressed")
    assert pressed == str(figure.way == "shifted").lower()


def test_all_are_dragged_over_the_cliff_and_one_press_brings_them_back(visit):
    page = visit(example()).page
    call = page.locator(".ws-call:visible")
    assert call.all_text_contents() == ["drag us over a cliff"]
    slider = page.get_by_role("slider", name="shift of all scores")
    box, dot = slider.bounding_box(), page.locator(".ws-dot").first
    before, unit = dot.bounding_box()["x"], (box["width"] - 24) / 34
    page.mouse.move(box["x"] + 12 + 22 * unit, box["y"] + 22)
    page.mouse.down()
    page.mouse.move(box["x"] + 12 + 32 * unit, box["y"] + 22, steps=5)
    page.mouse.up()
    assert dot.bounding_box()["x"] - before == pytest.approx(10 * unit, abs=3)  # the row goes with the hand
    assert page.locator(".ws-of-nan").all_text_contents() == ["NaN"] * 3
    assert call.all_text_contents() == ["subtract the largest score"]
    page.get_by_role("button", name="subtract the largest score").click()
    assert call.count() == 0
    assert page.locator(".ws-of-nan").count() == 0
    top = attributes(page, ".ws-dot", "cx").max()
    assert top == pytest.approx(place(0), abs=2e-3)
    slider.press("Home")  # scores may go where they like now
    assert attributes(page, ".ws-dot", "cx").max() == top


def test_pins_hang_unbroken_on_the_rail_and_the_knob_holds_its_middle(visit):
    page = visit(example()).page
    ends = [
        attributes(page, f".ws-{kind}", key) for kind, key in (("prong", "y2"), ("stick", "y1"), ("dot", "cy"))
    ]
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[1], ends[2])
    assert set(attributes(page, ".ws-prong", "y1")) == {22.0}
    rail, track = page.locator(".ws-rail").bounding_box(), page.locator(".ws-land .ws-range").bounding_box()
    knob = track["x"] + 12 + (track["width"] - 24) * 22 / 34  # at a shift of 0
    assert rail["x"] + rail["width"] / 2 == pytest.approx(knob, abs=1)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", FORMATS)
def test_what_a_format_is_called_stands_in_the_middle_of_its_land_and_no_mark_on_another(visit, width, name):
    page = visit(example(format=name), width=width).page
    middle = lambda kind: (box := page.locator(kind).bounding_box())["x"] + box["width"] / 2  # noqa: E731
    assert middle(".ws-of-land") == pytest.approx(middle(".ws-earth"), abs=3)
    met = page.evaluate("""() => {
      const seen = [...document.querySelectorAll(".ws-level, .ws-limit")].filter((el) =>
        el.checkVisibility({ visibilityProperty: true })).map((el) => el.getBoundingClientRect());
      return seen.filter((a) => seen.some((b) => a !== b && a.left < b.right + 3
        && b.left < a.right + 3 && a.top < b.bottom && b.top < a.bottom)).length;
    }""")
    assert met == 0


@pytest.mark.parametrize("width", [688, 360])
def test_no_line_runs_through_the_words(visit, width):
    """At rest; the names stand to the right of their pins, where the others' sticks are lower."""
    page = visit(example(), width=width).page
    crossed = page.evaluate("""() => {
      const boxes = (kind) => [...document.querySelectorAll(kind)].map((el) => el.getBoundingClientRect());
      const within = (line, name) => line.left > name.left && line.right < name.right
        && line.top < name.bottom - 3 && line.bottom > name.top + 3;
      return boxes(".ws-pin-name").filter((name) =>
        boxes(".ws-stick, .ws-prong").some((line) => within(line, name))).length;
    }""")
    assert crossed == 0


@pytest.mark.parametrize("width", [688, 360])
@pytest.mark.parametrize("way", ["plain", "shifted"])
def test_the_worst_and_the_best_have_their_names_which_stand_clear_wherever_they_go(visit, width, way):
    page = visit(example(way=way), width=width).page
    assert page.locator(".ws-pin-name").all_text_contents() == ["because", "cat"]
    slider = page.get_by_role("slider", name="shift of all scores")
    for k in range(69):
        slider.fill(str(-22 + 0.5 * k))
        met = page.evaluate("""() => {
          const boxes = (kind) => [...document.querySelectorAll(kind)].filter((el) => el.checkVisibility(
            { visibilityProperty: true })).map((el) => [el, el.getBoundingClientRect()]);
          const names = boxes(".ws-pin-name");
          const others = boxes(".ws-land .ws-label:not(.ws-of-land), .ws-wall, .ws-floor, .ws-pull");
          return names.flatMap(([name, a]) => others.filter(([other, b]) => other !== name && a.left < b.right - 1
            && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3).map(([other]) =>
              `${name.textContent} on ${other.textContent || other.getAttribute("class")}`));
        }""")
        assert met == [], -22 + 0.5 * k


def test_the_heads_of_the_table_stand_over_their_columns(visit):
    page = opened(visit(example()))
    left = [page.locator(f".ws-table {row} th").first for row in ("thead", "tbody")]
    aligned = [one.evaluate("el => getComputedStyle(el).textAlign") for one in left]
    assert aligned == ["left", "left"]


# --- Python ----------------------------------------------------------------------------------------


def test_scores_that_cannot_be_shown_are_refused():
    with pytest.raises(ValueError, match=r"^(tokens|scores): "):
        example(tokens=["a", "b"], scores=[1.0])


def test_the_exact_weights_are_those_of_float64():
    figure = example(shift=-19, way="shifted")
    np.testing.assert_allclose(figure.weights, by_torch(figure)["float64"], rtol=1e-13)
