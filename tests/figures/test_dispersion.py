"""*Dispersion* draws and says what `lib` computes for the best of n tokens."""

import itertools
import math

import numpy as np
import pytest
from figure_page import attributes, number_in, opened, points, table
from in_node import ask, assert_same

import lib
from book.figures import Dispersion
from book.figures.dispersion import RULES, TRENDS

MAPS = {"softmax": lib.softmax, "entmax": lib.entmax, "sparsemax": lib.sparsemax}
WAYS = list(itertools.product(RULES, TRENDS))
ANOTHER = {"crowd": 4096, "rule": "grows", "trend": "shrinks", "lead": 11.0}


def top(n, ahead):
    """Under each map, the weight of the best of n tokens, in a row of all their scores."""
    scores = np.append(ahead, np.zeros(n - 1))
    return [float(each(scores)[0]) for each in MAPS.values()]


def top_in(crowd=8, rule="fixed", trend="stays", lead=5.0):
    """The same by the definition of the figure's settings."""
    beta = math.log(crowd, 8) if rule == "grows" else 1.0
    return top(crowd, beta * (lead * 8 / crowd if trend == "shrinks" else lead))


def test_the_closed_forms_equal_lib():
    leads = [0.0, 1e-9, 0.3, 0.999999, 1.0, 1.5, 1.999999, 2.0, 2.000001, 7.0, 40.0, 800.0]
    rows = [(n, ahead) for n in (2, 3, 8, 97, 1009, 10_007) for ahead in leads]
    answer = "([n, ahead]) => topWeights(n, ahead)"
    assert_same(answer, rows, lambda row: top(*row), "dispersion", rtol=1e-12, atol=1e-14)


def test_the_half_of_softmax_is_where_it_says():
    for lead, half in zip([2.0, 5.0, 12.0], ask("halfAt", [2.0, 5.0, 12.0], view="dispersion"), strict=True):
        rows = (np.append(lead, np.zeros(n - 1)) for n in (math.floor(half), math.ceil(half)))
        below, above = (lib.softmax(row)[0] for row in rows)
        assert above <= 0.5 <= below


@pytest.mark.parametrize(("rule", "trend"), WAYS)
def test_python_gives_the_weights_of_lib(rule, trend):
    state = {"crowd": 1009, "rule": rule, "trend": trend, "lead": 3.0}
    weights = Dispersion(**state).top_weights
    assert list(weights) == list(MAPS)
    np.testing.assert_allclose(list(weights.values()), top_in(**state), rtol=1e-12)


def test_python_has_beta_and_the_lead():
    widget = Dispersion(**ANOTHER)
    assert (widget.beta, widget.lead_now) == pytest.approx((4.0, 11 * 8 / 4096))


@pytest.mark.parametrize(("rule", "trend"), WAYS)
@pytest.mark.parametrize(("n", "lead"), [(8, 1.4), (10_000, 5.0)])
def test_bars_dots_and_curves_are_those_of_lib(visit, n, lead, rule, trend):
    page = visit(Dispersion(crowd=n, rule=rule, trend=trend, lead=lead)).page
    expected = np.array(top_in(n, rule, trend, lead))
    np.testing.assert_allclose(attributes(page, ".ws-bar", "width"), 100 * expected, atol=1e-6)
    many = f"{n:,}".replace(",", "\u202f") if n >= 10_000 else str(n)
    assert page.locator(".ws-say").text_content().startswith(f"Among {many} words the leader keeps ")
    assert page.locator(".ws-value").first.text_content() == f"{many} words"
    for k, name in enumerate(MAPS):
        (dot,) = attributes(page, f"circle.ws-{name}", "cy")
        assert dot == pytest.approx(18 + 131 * (1 - expected[k]), abs=1e-6)
        for i, y in points(page.locator(f"path.ws-map.ws-{name}").get_attribute("d"))[[0, 17, 60]]:
            crowd = 8 * 125_000 ** (i / 120)  # not a whole number: β and the lead are its, n is the nearest
            ahead = (
                lead * (math.log(crowd, 8) if rule == "grows" else 1) * (8 / crowd if trend == "shrinks" else 1)
            )
            near = [top(m, ahead)[k] for m in (math.floor(crowd), math.ceil(crowd))]
            assert min(near) - 1e-4 <= 1 - (y - 18) / 131 <= max(near) + 1e-4


def test_the_table_holds_several_numbers_of_tokens(visit):
    rows = table(opened(visit(Dispersion(**ANOTHER))))
    for count, row in zip([8, 100, 1000, 10_000, 100_000, 1_000_000], rows, strict=True):
        figure = Dispersion(**ANOTHER | {"crowd": count})
        assert number_in(row[0]) == count
        assert number_in(row[1]) == pytest.approx(figure.beta, abs=6e-3)
        assert number_in(row[2].replace("e−", "e-")) == pytest.approx(figure.lead_now, rel=6e-3)
        for text, weight in zip(row[3:], top_in(**ANOTHER | {"crowd": count}), strict=True):
            assert text == "<0.1%" if weight < 1e-3 else number_in(text) == pytest.approx(100 * weight, abs=0.6)


ROOM = """() => [...document.querySelectorAll('.ws-melting .ws-axis')].map((el) => {
  const words = document.createRange();
  words.selectNodeContents(el);
  const [bar, box] = [el.nextElementSibling.getBoundingClientRect(), words.getBoundingClientRect()];
  return [words.getClientRects().length, bar.top >= box.bottom ? Infinity : bar.left - box.right];
})"""


@pytest.mark.parametrize("width", [1280, 360])
def test_the_name_of_a_map_stands_on_one_line_beside_its_bar(visit, width):
    page = visit(Dispersion(), width=width).page
    page.add_style_tag(content=".ws-figure * { overflow-wrap: break-word }")  # as the book has it
    found = page.evaluate(ROOM)
    assert [lines for lines, _ in found] == [1, 2, 0]  # the last bar is the second one's
    assert min(room for lines, room in found if lines) >= 4


@pytest.mark.parametrize(("state", "one"), [({}, True), ({"lead": 1.2}, False), ({"trend": "shrinks"}, False)])
def test_lines_that_coincide_are_drawn_once_and_named_together(visit, state, one):
    page = visit(Dispersion(crowd=100, **state)).page
    names = [el.text_content() for el in page.locator(".ws-melting .ws-axis").all() if el.is_visible()]
    assert names == (["softmax", "entmax and sparsemax"] if one else ["softmax", "entmax", "sparsemax"])
    lines = page.locator(".ws-on-scale path.ws-map").evaluate_all(
        "all => all.filter(el => getComputedStyle(el).visibility === 'visible').map(el => el.getAttribute('d'))"
    )
    assert len(lines) == len(set(lines)) == len(names)


def test_it_rests_where_something_is_seen_and_the_reader_lets_the_text_grow(visit):
    page = visit(Dispersion(crowd=100)).page
    (call,) = page.locator(".ws-call").all()
    (at_rest,) = attributes(page, ".ws-bar.ws-softmax", "width")
    assert 40 < at_rest < 80
    slices = page.locator(".ws-each")
    assert slices.get_attribute("d").count("M") == 99
    assert call.text_content() == "let the text grow"
    knob = page.locator(".ws-growth .ws-slider")
    assert "ws-meant-knob" in knob.get_attribute("class")
    page.get_by_role("slider", name="number of tokens n").press("PageUp")
    assert call.is_hidden()
    assert "ws-meant-knob" not in knob.get_attribute("class")
    assert slices.get_attribute("d").count("M") == 400
    assert page.locator(".ws-of-rivals").text_content() == "999 rivals"


@pytest.mark.parametrize(("width", "most"), [(688, 470), (360, 600)])
def test_it_fits_under_the_question(visit, width, most):
    page = visit(Dispersion(crowd=100, caption="A caption."), width=width).page
    figure, caption = page.locator(".ws-figure").bounding_box(), page.locator(".ws-caption").bounding_box()
    assert caption["y"] - figure["y"] <= most
    assert page.locator(".ws-hint").count() == 0


SEEN = "el => Math.round(1000 * parseFloat(el.getAttribute('width'))) / 1000"


def test_curves_reach_as_far_as_the_text_has_grown(visit):
    """The question is how they go on; and a link to a state shows what the reader saw who made it."""
    page = visit(Dispersion(crowd=100)).page
    window, slider = page.locator(".ws-on-scale > svg"), page.get_by_role("slider", name="number of tokens n")
    place = lambda n: 100 * math.log(n / 8) / math.log(125_000)  # noqa: E731
    assert window.evaluate(SEEN) == pytest.approx(place(100), abs=0.01)
    slider.press("PageUp")
    assert window.evaluate(SEEN) == pytest.approx(place(1000), abs=0.01)
    _, _, wide, _ = map(float, window.get_attribute("viewBox").split())
    assert wide == pytest.approx(1.2 * place(1000)), "the scale across stays"
    slider.press("PageDown")
    assert window.evaluate(SEEN) == pytest.approx(place(100), abs=0.01)


def test_where_the_bar_is_short_a_slice_stands_for_several_rivals(visit):
    page = visit(Dispersion(crowd=100), width=360).page
    assert page.locator(".ws-slices:visible").count() == 1
    (bar,) = (one.bounding_box()["width"] for one in page.locator(".ws-melting > .ws-svg:has(.ws-several)").all())
    (best,) = attributes(page, ".ws-bar.ws-softmax", "width")
    several = page.locator(".ws-several").get_attribute("d").count("M")
    assert several == 20, "five rivals in each"
    assert bar * (1 - best / 100) / several >= 3


def test_the_names_of_the_levels_stand_clear_of_the_lines(visit):
    page = visit(Dispersion(crowd=100)).page
    for name, line in zip(
        *(page.locator(f".ws-on-scale > {one}").all() for one in (".ws-level", ".ws-all")), strict=True
    ):
        box = name.bounding_box()
        assert box["y"] + box["height"] <= line.bounding_box()["y"] - 2


@pytest.mark.parametrize("width", [1280, 360])
def test_the_bars_of_all_maps_are_as_long(visit, width):
    """A share is a length, so the whole must be the same length for each."""
    page = visit(Dispersion(crowd=100, trend="shrinks"), width=width).page
    wide = [bar.bounding_box()["width"] for bar in page.locator(".ws-melting > .ws-svg:not(.ws-swatch)").all()]
    assert len(wide) == 3
    assert np.ptp(wide) < 0.5
