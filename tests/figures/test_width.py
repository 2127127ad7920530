"""*The width* draws and says what `lib` makes of random queries and keys, and walks spread like √d."""

import re

import numpy as np
import pytest
from figure_page import OVERLAPS, attributes, points, press, said, slider
from in_node import ask

from book.figures import Width
from book.figures.random_queries import SCALES, random_rows
from book.figures.walks import WIDEST, walks
from lib import softmax

HEIGHT, REACH, WALKED, THICKEST = 280, 20, 0.8, 32  # the plot in pixels and points, the part that is walked

# --- the numbers -----------------------------------------------------------------------------------


def test_walks_are_the_same_in_javascript_and_python():
    rows = [[1, 7], [26, 7], [999, 2], [5, 9]]
    answer = "([query, words]) => walksOf(query, words)"
    for (query, words), found in zip(rows, ask(answer, rows, "width"), strict=True):
        np.testing.assert_allclose(found, walks(query, words), atol=1e-11)


def test_over_many_queries_scores_are_spread_by_the_root_of_the_width():
    many = np.concatenate([walks(query, 7) for query in range(1, 1000)])
    for d in (1, 4, 16, 64):
        assert many[:, d].std() == pytest.approx(d**0.5, rel=0.03)
        assert abs(many[:, d].mean()) < 0.05 * d**0.5


def test_python_has_the_scores_and_weights():
    for scale, by in (("undivided", 1), ("divided", 30**0.5)):
        figure = Width(30, scale, query=4)
        np.testing.assert_allclose(figure.scores, walks(4, 7)[:, 30] / by)
        np.testing.assert_allclose(figure.weights, softmax(walks(4, 7)[:, 30] / by))


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


def test_a_narrow_query_is_the_beginning_of_a_wide_one_and_the_middle_has_the_median_of_the_largest_pulls():
    for scale in SCALES:
        rows = random_rows(64, scale)
        assert rows.pull[rows.middle] == np.median(rows.pull)
    wide, narrow = random_rows(512, "undivided").scores, random_rows(384, "undivided").scores
    assert np.corrcoef(wide.ravel(), narrow.ravel())[0, 1] == pytest.approx((384 / 512) ** 0.5, abs=0.02)


# --- the picture ---------------------------------------------------------------------------------


def courses(page, parts):
    return [points(d) for d in page.eval_on_selector_all(parts, "all => all.map(el => el.getAttribute('d'))")]


def height(scores):
    """Where these scores are on the axis, in pixels from its top."""
    return HEIGHT * (0.5 - np.clip(np.asarray(scores) / REACH, -1, 1) / 2)


def thickness(page):
    """How thick each ribbon is where it ends at its word."""
    ends = page.eval_on_selector_all("path.ws-ribbon", "all => all.map(el => el.getAttribute('d'))")
    found = [re.search(r" 1000 ([\d.-]+)V([\d.-]+)C", d).groups() for d in ends]
    return np.array([float(below) - float(above) for above, below in found])


def assert_drawn(page, d, scale, query=1):
    by = np.sqrt(np.maximum(np.arange(WIDEST + 1), 1)) if scale == "divided" else np.ones(WIDEST + 1)
    scores = walks(query, 7) / by
    weights = softmax(scores[:, d])
    lines = courses(page, "path.ws-walk")
    for line, walk in zip(lines, scores, strict=True):
        np.testing.assert_allclose(line[:, 0], 1000 * WALKED * np.arange(d + 1) / WIDEST, atol=0.051)
        np.testing.assert_allclose(line[:, 1], height(walk[: d + 1]), atol=0.0051)
    np.testing.assert_allclose(thickness(page), np.maximum(1, THICKEST * weights), atol=0.011)
    np.testing.assert_allclose(attributes(page, "circle.ws-tip", "cy"), height(scores[:, d]), atol=1e-9)
    upper, lower = courses(page, "path.ws-edge")
    typical = np.sqrt(WIDEST * (upper[:, 0] / (1000 * WALKED))) if scale == "undivided" else np.ones(len(upper))
    furthest = pytest.approx(lines[0][-1, 0], abs=0.11)
    assert upper[:, 0].max() == lower[:, 0].max() == furthest, "no further than the walks"
    late = upper[:, 0] > 1000 * WALKED / WIDEST  # from one term on
    np.testing.assert_allclose(upper[late, 1], height(typical)[late], atol=0.03)
    np.testing.assert_allclose(lower[late, 1], HEIGHT - upper[late, 1], atol=0.011)
    best = page.locator(".ws-ends-at li").nth(int(np.argmax(weights))).inner_text().split()
    assert f"“{best[0]}” gets {best[1]}." in said(page)


@pytest.mark.parametrize("scale", ["undivided", "divided"])
@pytest.mark.parametrize("d", [1, 4, 16, 64])
def test_walks_ribbons_and_the_sentence_have_the_numbers_of_lib(visit, d, scale):
    assert_drawn(visit(Width(d=d, scale=scale)).page, d, scale)


def test_who_drags_the_width_and_divides_sees_the_fan_open_and_close_on_one_axis(visit):
    page = visit(Width()).page
    rail = slider(page, "width d").bounding_box()
    across, up = rail["x"] + 12, rail["y"] + rail["height"] / 2
    page.mouse.move(across + 0.25 * (rail["width"] - 24), up)
    page.mouse.down()
    page.mouse.move(across + 0.7 * (rail["width"] - 24), up)
    page.mouse.move(rail["x"] + rail["width"], up)
    page.mouse.up()
    assert_drawn(page, 64, "undivided")
    levels = page.locator(".ws-fan .ws-level").all_text_contents()
    lines = attributes(page, ".ws-fan .ws-all", "y1")
    page.get_by_role("radio", name="divided by √d").check()
    assert_drawn(page, 64, "divided")
    assert page.locator(".ws-fan .ws-level").all_text_contents() == levels == ["−10", "+10"]
    assert attributes(page, ".ws-fan .ws-all", "y1").tolist() == lines.tolist() == height([-10, 10]).tolist()
    press(page, "Another query")
    assert_drawn(page, 64, "divided", query=2)


def test_one_thing_at_a_time_is_asked_for_and_nothing_when_all_is_done(visit):
    page = visit(Width()).page
    called = lambda: [one.inner_text() for one in page.locator(".ws-call:visible").all()]  # noqa: E731
    assert called() == ["drag me"]
    slider(page, "width d").press("End")
    assert called() == ["press"]
    assert page.locator(".ws-meant").inner_text().split() == ["divided", "by", "√d", "press"]
    page.get_by_role("radio", name="divided by √d").check()
    assert called() == []


@pytest.mark.parametrize("width", [688, 360])
def test_the_figure_is_as_high_as_a_first_screen_has_room_for(visit, width):
    page = visit(Width(), width=width).page
    whole = page.locator(".ws-figure").bounding_box()["height"]
    assert whole <= (470 if width == 688 else 600)


@pytest.mark.parametrize("width", [688, 360])
def test_no_word_lies_on_another_at_any_width(visit, width):
    page = visit(Width(), width=width).page
    for d in range(1, WIDEST + 1):
        slider(page, "width d").fill(str(d))
        assert (
            page.evaluate(OVERLAPS, ".ws-fan text, .ws-ends-at span, .ws-ends-at b, .ws-call, .ws-of-slider") == []
        ), d
