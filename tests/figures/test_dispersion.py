"""*Dispersion* draws and says what `lib` computes for the best of n tokens."""

import itertools
import math
import re

import numpy as np
import pytest
from figure_page import more
from in_node import ask

import lib
from lib.figures import Dispersion
from lib.figures.dispersion import RULES, TRENDS

MAPS = [lib.softmax, lib.entmax, lib.sparsemax]
NAMES = ["softmax", "entmax", "sparsemax"]
WAYS = list(itertools.product(RULES, TRENDS))
ANOTHER = {"crowd": 4096, "rule": "grows", "trend": "shrinks", "lead": 11.0}


def top(n, ahead):
    """Under each map, the weight of the best of n tokens, in a row of all their scores."""
    scores = np.append(ahead, np.zeros(n - 1))
    return [float(each(scores)[0]) for each in MAPS]


def top_in(figure):
    """The same by the definition of the figure's settings."""
    beta = math.log(figure.crowd, 8) if figure.rule == "grows" else 1.0
    lead = figure.lead * 8 / figure.crowd if figure.trend == "shrinks" else figure.lead
    return top(figure.crowd, beta * lead)


def slider(page):
    return page.get_by_role("slider", name="number of tokens n")


def assert_shown(page, figure):
    """Bars, dots and the sentence are those of `figure`, which Python computes."""
    expected = top_in(figure)
    bars = page.eval_on_selector_all(".ws-bar", "all => all.map(el => parseFloat(el.getAttribute('width')))")
    np.testing.assert_allclose(bars, 100 * np.array(expected), atol=1e-6)
    dots = [float(page.locator(f"circle.ws-{name}").get_attribute("cy")) for name in NAMES]
    np.testing.assert_allclose(dots, 18 + 171 * (1 - np.array(expected)), atol=1e-6)
    many = f"{figure.crowd:,}".replace(",", "\u202f") if figure.crowd >= 10_000 else str(figure.crowd)
    assert page.locator(".ws-say").text_content().startswith(f"Among {many} tokens the best, ")
    assert slider(page).get_attribute("aria-valuetext") == f"{many} tokens"
    assert page.locator(".ws-value").first.text_content() == f"n = {many}"


# --- the numbers -----------------------------------------------------------------------------------


def test_the_closed_forms_equal_lib():
    leads = [0.0, 1e-9, 0.3, 0.999999, 1.0, 1.5, 1.999999, 2.0, 2.000001, 7.0, 40.0, 800.0]
    rows = [(n, ahead) for n in (2, 3, 8, 97, 1009, 100_003) for ahead in leads]
    found = ask("([n, ahead]) => topWeights(n, ahead)", rows, view="dispersion")
    np.testing.assert_allclose(found, [top(*row) for row in rows], rtol=1e-12, atol=1e-14)


def test_the_half_of_softmax_is_where_it_says():
    for lead, half in zip([2.0, 5.0, 12.0], ask("halfAt", [2.0, 5.0, 12.0], view="dispersion"), strict=True):
        below, above = (top(n, lead)[0] for n in (math.floor(half), math.ceil(half)))
        assert above <= 0.5 <= below


@pytest.mark.parametrize(("rule", "trend"), WAYS)
def test_python_gives_the_weights_of_lib(rule, trend):
    figure = Dispersion(crowd=1009, rule=rule, trend=trend, lead=3.0)
    assert list(figure.top_weights) == NAMES
    np.testing.assert_allclose(list(figure.top_weights.values()), top_in(figure), rtol=1e-12)


# --- the picture of the build ------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "trend"), WAYS)
@pytest.mark.parametrize(("n", "lead"), [(8, 1.4), (1009, 5.0)])
def test_the_picture_has_the_weights_of_lib(draw, n, lead, rule, trend):
    figure = Dispersion(crowd=n, rule=rule, trend=trend, lead=lead)
    html = draw(figure._repr_html_())
    bars = re.findall(r'class="ws-bar[^>]* width="([\d.e-]+)%"', html)
    np.testing.assert_allclose(np.array(bars, dtype=float) / 100, top_in(figure), atol=1e-5)
    for k, name in enumerate(NAMES):
        path = re.search(rf'<path class="ws-map ws-{name}" d="M([^"]+)"', html)[1]
        points = np.array([point.split() for point in path.split("L")], dtype=float)
        for i, y in points[[0, 17, 60]]:
            there = Dispersion(crowd=8, rule=rule, trend=trend, lead=lead)
            crowd = 8 * 125_000 ** (
                i / 120
            )  # not a whole number: β and the lead are those of it, n is the nearest
            beta, lead_there = (math.log(crowd, 8), lead * 8 / crowd)
            ahead = (beta if rule == "grows" else 1.0) * (lead_there if trend == "shrinks" else there.lead)
            near = [top(m, ahead)[k] for m in (math.floor(crowd), math.ceil(crowd))]
            assert min(near) - 1e-4 <= 1 - (y - 18) / 171 <= max(near) + 1e-4


# --- a reader moves it -----------------------------------------------------------------------------


def test_keys_move_the_number_of_tokens(visit):
    page = visit(Dispersion()).page
    assert_shown(page, Dispersion())
    slider(page).focus()
    keys = ["ArrowRight", "ArrowUp", "ArrowLeft", "PageUp", "PageUp", "End", "ArrowLeft", "Home", "ArrowLeft"]
    for key, n in zip(keys, [10, 13, 10, 100, 1000, 1_000_000, 800_000, 8, 8], strict=True):
        page.keyboard.press(key)
        assert_shown(page, Dispersion(crowd=n))


def test_rules_and_leads_are_chosen(visit):
    page = visit(Dispersion(crowd=1009)).page
    page.get_by_text("β grows with log n").click()
    assert_shown(page, Dispersion(crowd=1009, rule="grows"))
    page.get_by_text("lead shrinks as 1/n").click()
    assert_shown(page, Dispersion(crowd=1009, rule="grows", trend="shrinks"))
    more(page)
    lead = page.get_by_role("slider", name="lead among 8 tokens")
    for key, value in [("End", 12.0), ("ArrowLeft", 11.9), ("Home", 0.0)]:
        lead.press(key)
        assert_shown(page, Dispersion(crowd=1009, rule="grows", trend="shrinks", lead=value))
        assert lead.get_attribute("aria-valuetext") == f"lead {value:g} points"


def test_the_dots_stand_over_the_thumb(visit):
    page = visit(Dispersion()).page
    range_ = slider(page).bounding_box()
    for n in (8, 8000, 1_000_000):
        share = math.log(n / 8) / math.log(125_000)
        thumb = range_["x"] + 12 + share * (range_["width"] - 24)
        page.mouse.click(thumb, range_["y"] + range_["height"] / 2)
        assert_shown(page, Dispersion(crowd=n))
        for dot in page.locator("circle.ws-dot").all():
            box = dot.bounding_box()
            assert box["x"] + box["width"] / 2 == pytest.approx(thumb, abs=1.5)


def test_the_table_holds_several_numbers_of_tokens(visit):
    page = visit(Dispersion(**ANOTHER)).page
    more(page)
    rows = [row.split("\t") for row in page.locator(".ws-table tbody tr").all_inner_texts()]
    counts = [int(row[0].replace("\u202f", "")) for row in rows]
    assert counts == [8, 100, 1000, 10_000, 100_000, 1_000_000]
    for n, row in zip(counts, rows, strict=True):
        figure = Dispersion(**ANOTHER | {"crowd": n})
        assert float(row[1]) == pytest.approx(figure.beta, abs=6e-3)
        assert float(row[2].replace("e−", "e-")) == pytest.approx(figure.lead_now, rel=6e-3)
        for text, weight in zip(row[3:], top_in(figure), strict=True):
            assert (
                text == "<0.1%"
                if weight < 1e-3
                else float(text.strip("<>%")) == pytest.approx(100 * weight, abs=0.6)
            )


# --- Python --------------------------------------------------------------------------------------


def test_python_has_beta_and_the_lead():
    widget = Dispersion(**ANOTHER)
    assert widget.beta == pytest.approx(4.0)
    assert widget.lead_now == pytest.approx(11 * 8 / 4096)


@pytest.mark.parametrize("width", [1280, 360])
def test_the_name_of_a_map_stands_on_one_line_beside_its_bar(visit, width):
    page = visit(Dispersion(), width=width).page
    page.add_style_tag(content=".ws-figure * { overflow-wrap: break-word }")  # as the book has it
    look = """() => [...document.querySelectorAll('.ws-melting .ws-axis')].map((el) => {
      const words = document.createRange();
      words.selectNodeContents(el);
      const room = el.nextElementSibling.getBoundingClientRect().left - words.getBoundingClientRect().right;
      return [words.getClientRects().length, room];
    })"""
    found = page.evaluate(look)
    assert [lines for lines, _ in found] == [1, 1, 1]
    assert min(room for _, room in found) >= 4
