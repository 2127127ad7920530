"""*Four rules* draws and says what `lib` computes, before and after a reader has moved scores."""

import numpy as np
import pytest
from figure_page import OVERLAPS, attributes, grip, opened, table
from gallery import rules as figure
from in_node import ask

from book.example import SCORES
from book.figures import FourRules

S = np.array(SCORES)
NAMES = ("softmax", "squares", "sparsemax")
ROWS = [S, S + 1, S - 3, -S, np.array([1.0, 1.0]), np.array([800.0, -800.0, 799.5]), np.zeros(3), 1e200 * S]


def ratio_texts(scores, i, j):
    """The ratio of these two weights as the page writes it, under each rule."""
    answer = "([name, s, i, j]) => ratioText(name, s, i, j)"
    return ask(answer, [[name, scores, i, j] for name in NAMES], "four_rules")


def ratios(page):
    return [text.split("   ")[1] for text in page.locator(".ws-of-map .ws-aside").all_text_contents()]


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_those_of_lib(name):
    rows = [row.tolist() for row in ROWS]
    found = ask(f"(scores) => weightsUnder('{name}', scores)", rows, "four_rules")
    for row, weights in zip(rows[:-1], found, strict=False):
        words = [str(i) for i in range(len(row))]
        np.testing.assert_allclose(weights, FourRules(words, row).maps[name], rtol=1e-12, atol=1e-15)
    assert sum(found[-1]) == pytest.approx(1), "no square overflows"


def test_the_ratios_in_python_and_in_words():
    words = ratio_texts(SCORES, 1, 4)
    assert words == ["1.65", "1.78", "3"]
    assert [f"{figure().ratios[name]:.3g}" for name in NAMES] == words
    assert figure(token=5).ratios["sparsemax"] == 0
    assert np.isnan(figure(token=5, against=0).ratios["sparsemax"])


@pytest.mark.parametrize(
    ("scores", "i", "j", "texts"),
    [
        ([2.0, 0.0], 0, 1, ["7.39", "∞", "∞"]),
        ([-1.0, -1.0, 5.0], 0, 1, ["1", "none : none", "none : none"]),
        ([0.0, 900.0, 0.0], 0, 2, ["1", "none : none", "none : none"]),
    ],
)
def test_the_ratio_of_weights_that_are_0(scores, i, j, texts):
    assert ratio_texts(scores, i, j) == texts


@pytest.mark.parametrize("scores", [SCORES, (S + 1).tolist(), (S - 3).tolist()])
def test_the_picture_has_the_weights_of_lib(visit, scores):
    page = visit(figure(scores=scores)).page
    for name, weights in figure(scores=scores).maps.items():
        np.testing.assert_allclose(attributes(page, f".ws-bar.ws-{name}", "height") / 100, weights, atol=1e-9)


def test_a_reader_adds_a_point_to_all_takes_it_away_and_moves_a_score(visit):
    page = visit(figure()).page
    assert ratios(page) == ["1.65", "1.78", "3"], "at rest nothing has moved"
    page.get_by_role("button", name="+ 1 point").click()
    assert ratios(page) == ["1.65", "1.78 → 1.44", "3"]
    page.get_by_role("button", name="− 1 point").click()
    assert ratios(page) == ["1.65", "1.78", "3"]
    for _ in range(8):
        grip(page, 2).press("ArrowUp")
    assert ratios(page) == ["1.65", "1.78", "3 → 16"]


def test_the_table_has_the_numbers(visit):
    page = opened(visit(figure()))
    rows = table(page)
    assert rows[1] == ["cat", "2.0", "37%", "49%", "75%"]
    assert rows[5] == ["because", "−0.6", "2.7%", "0", "0"]


@pytest.mark.parametrize("width", [1280, 360])
def test_the_line_of_all_the_weight_is_named_and_crosses_no_number(visit, width):
    made = [
        figure(scores=[lead * (i == leader) for i in range(7)], name=f"led-{leader}-{k}")
        for leader in (0, 3, 6)
        for k, lead in enumerate((1.5, 2.0, 9.0))
    ]
    page = visit(*made, width=width).page
    assert page.locator(".ws-level").all_text_contents() == ["100%"] * 3 * len(made)
    for one in made:
        assert page.evaluate(OVERLAPS, f"#{one.name} .ws-of-map + svg text") == []
    widths = "all => [...new Set(all.map(el => getComputedStyle(el).strokeWidth))]"
    assert page.eval_on_selector_all(".ws-of-map + svg text", widths) == ["6px"]  # a halo
