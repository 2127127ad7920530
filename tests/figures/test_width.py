"""*The width* draws and says what `lib` computes from random queries and keys."""

import json
import re

import numpy as np
import pytest
from figure_page import attributes, more, number_in, opened, points, slider, table
from in_node import ask

from book.figures import Width
from book.figures.random_queries import KEYS, SCALES, WIDTHS, by_width, random_rows
from lib import softmax


def middle(d, scale):
    """The scores and weights of the query in the middle, the best key first, and its largest possible pull."""
    rows = random_rows(d, scale)
    i = rows.middle
    scores = -np.sort(-rows.scores[i])
    return scores, softmax(scores), rows.pull[i]


# --- the numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("d", [4, 48, 512])
def test_the_rows_are_those_of_the_definition(d, scale):
    """Query by query, by plain products and central differences."""
    draws = np.random.default_rng(0)
    q, k = draws.standard_normal((100, 512))[:, :d], draws.standard_normal((100, 16, 512))[:, :, :d]
    rows, beta = random_rows(d, scale), d**-0.5 if scale == "divided" else 1.0
    for i in (0, 50, 99):
        np.testing.assert_allclose(rows.scores[i], beta * (k[i] @ q[i]), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(rows.weights[i], softmax(k[i] @ q[i], beta), rtol=1e-11, atol=1e-300)
        step = 1e-5 * np.eye(d)
        slopes = (
            np.stack([softmax(k[i] @ (q[i] + e), beta) - softmax(k[i] @ (q[i] - e), beta) for e in step]) / 2e-5
        )
        largest = np.linalg.norm(slopes, 2)
        assert rows.pull[i] == pytest.approx(largest, rel=1e-5, abs=1e-9)


def test_the_query_shown_has_the_median_of_the_largest_pulls_and_a_narrow_one_is_the_beginning_of_a_wide():
    for scale in SCALES:
        rows = random_rows(64, scale)
        assert rows.pull[rows.middle] == np.median(rows.pull)
    wide, narrow = random_rows(512, "undivided").scores, random_rows(384, "undivided").scores
    assert np.corrcoef(wide.ravel(), narrow.ravel())[0, 1] == pytest.approx((384 / 512) ** 0.5, abs=0.02)


def test_what_travels_is_what_was_computed_to_four_digits():
    travelling = by_width()
    assert travelling["widths"] == list(WIDTHS)
    for scale in SCALES:
        for at, d in enumerate(WIDTHS):
            scores, _, pull = middle(d, scale)
            found = {key: values[at] for key, values in travelling[scale].items()}
            np.testing.assert_allclose(found["scores"], scores, rtol=6e-4)
            assert len(found["scores"]) == KEYS
            assert found["pull"] == pytest.approx(pull, rel=6e-4)
            assert found["spread"] == pytest.approx(random_rows(d, scale).scores.std(), rel=6e-4)
    assert len(json.dumps(travelling)) < 6000


def test_another_seed_draws_others():
    assert by_width(1)["divided"]["scores"][0] != by_width(0)["divided"]["scores"][0]
    assert Width(seed=1).pull == pytest.approx(Width().pull, rel=0.15)


# --- the picture ---------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("d", [4, 64, 512])
def test_bars_the_sentence_and_python_have_the_numbers_of_lib(visit, d, scale):
    figure = Width(d=d, scale=scale)
    page = visit(figure).page
    scores, weights, pull = middle(d, scale)
    np.testing.assert_allclose(attributes(page, "rect.ws-weight", "height") / 81, weights, atol=2e-3)
    heights = attributes(page, "rect.ws-score", "height")
    np.testing.assert_allclose((heights / 6.6) ** 2, abs(scores), rtol=2e-3, atol=1e-3)
    said = page.locator(".ws-say").inner_text()
    assert said.startswith(f"At d = {d}, {'divided by √d' if scale == 'divided' else 'not divided'}, scores ")
    assert float(re.search(r"pull has the median ([\d.]+)\. ", said)[1]) == pytest.approx(pull, rel=6e-3)
    assert page.get_by_role("radio", checked=True).get_attribute("value") == scale
    assert page.locator("path.ws-chosen").get_attribute("class") == f"ws-pull ws-{scale} ws-chosen"
    np.testing.assert_allclose(figure.weights, weights, atol=2e-3)
    assert figure.pull == pytest.approx(pull, rel=6e-4)
    assert figure.spread == pytest.approx(random_rows(d, scale).scores.std(), rel=6e-4)


def test_the_view_admits_the_widths_that_python_has():
    admitted = ask("isWidth", list(range(1, 600)), view="width")
    assert [d for d, fits in zip(range(1, 600), admitted, strict=True) if fits] == list(WIDTHS)


def test_the_dots_lie_on_their_curves(visit):
    page = visit(Width(d=32)).page
    dots = np.stack(
        [attributes(page, "circle.ws-here", "cx") * 10, attributes(page, "circle.ws-here", "cy")], axis=1
    )
    for dot, scale in zip(dots, SCALES, strict=True):
        curve = points(page.locator(f"path.ws-pull.ws-{scale}").get_attribute("d"))
        assert len(curve) == len(WIDTHS)
        np.testing.assert_allclose(dot, curve[WIDTHS.index(32)], atol=0.1)


def test_a_plain_figure_keeps_the_pulls_behind_more(visit):
    page = visit(Width(plain=True)).page
    assert "pull" not in page.locator(".ws-figure").inner_text()
    assert page.locator("svg[role=img]:visible").count() == 2
    more(page)
    assert page.locator(".ws-more .ws-rise svg[role=img]:visible").count() == 1
    slider(page, "width d").press("Home")
    scale = page.locator(".ws-more .ws-ticks span").first.bounding_box()
    dot = page.locator("circle.ws-here").first.bounding_box()
    assert dot["x"] + dot["width"] / 2 == pytest.approx(scale["x"] + scale["width"] / 2, abs=1)


def test_the_table_holds_all_widths(visit):
    page = opened(visit(Width()))
    rows = table(page)
    assert [int(row[0]) for row in rows] == list(WIDTHS)
    for d, row in zip(WIDTHS, rows, strict=True):
        for i, scale in enumerate(SCALES):
            _, weights, pull = middle(d, scale)
            spread, share = row[1 + i], row[3 + i]
            assert float(spread) == pytest.approx(random_rows(d, scale).scores.std(), rel=6e-3)
            assert share[0] in "<>" or number_in(share) == pytest.approx(100 * weights[0], abs=0.6)
            assert float(row[5 + i]) == pytest.approx(pull, rel=6e-3)


OVERLAPS = """([labels, marks]) => {
  const boxes = (parts) =>
    [...document.querySelectorAll(parts)].map((part) => [part, part.getBoundingClientRect()]);
  return boxes(labels).flatMap(([label, a]) => boxes(marks).filter(([, b]) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).map(() => label.textContent));
}"""


@pytest.mark.parametrize("width", [1280, 360])
def test_no_name_of_a_line_meets_the_marker_or_a_bar(visit, width):
    page = opened(visit(Width(d=4, plain=True), width=width))
    for scale in ("not divided", "divided by √d"):
        page.get_by_role("radio", name=scale).check()
        slider(page, "width d").press("Home")
        for d in WIDTHS:
            assert page.evaluate(OVERLAPS, [".ws-rise .ws-level, .ws-more .ws-ticks span", ".ws-now"]) == [], d
            bars = ".ws-score, .ws-weight, .ws-label:not(.ws-level):not(.ws-rise *)"
            assert page.evaluate(OVERLAPS, [".ws-level:not(.ws-rise *)", bars]) == [], d
            slider(page, "width d").press("ArrowRight")


def test_the_lines_of_the_scores_are_named_in_one_place(visit):
    page = visit(Width()).page
    names = page.locator("svg[aria-label^=scores] .ws-level")
    assert names.all_text_contents() == ["40 points", "10", "−10", "−40"]
    assert len({round(box.bounding_box()["x"] + box.bounding_box()["width"]) for box in names.all()}) == 1
