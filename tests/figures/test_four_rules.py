"""*Four rules* draws and says what `lib` computes, before and after a reader has moved scores."""

import numpy as np
import pytest
from figure_page import attributes, do, grip, opened, table
from gallery import rules as figure
from in_node import ask

from book.example import SCORES
from book.figures import FourRules

S = np.array(SCORES)
NAMES = ("softmax", "squares", "sparsemax")
ROWS = [S, S + 1, S - 3, -S, np.array([1.0, 1.0]), np.array([800.0, -800.0, 799.5]), np.zeros(3), 1e200 * S]


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_those_of_lib(name):
    found = ask(f"(scores) => weightsUnder('{name}', scores)", [row.tolist() for row in ROWS], "four_rules")
    for row, weights in zip(ROWS[:-1], found, strict=False):
        words = [str(i) for i in range(len(row))]
        np.testing.assert_allclose(weights, FourRules(words, row).maps[name], rtol=1e-12, atol=1e-15)
    assert sum(found[-1]) == pytest.approx(1), "no square overflows"


@pytest.mark.parametrize(
    ("scores", "i", "j", "texts"),
    [
        (SCORES, 1, 4, ["1.65", "1.78", "3"]),
        ([2.0, 0.0], 0, 1, ["7.39", "∞", "∞"]),
        ([-1.0, -1.0, 5.0], 0, 1, ["1", "none : none", "none : none"]),
        ([0.0, 900.0, 0.0], 0, 2, ["1", "none : none", "none : none"]),
    ],
)
def test_the_ratio_of_two_weights_in_words(scores, i, j, texts):
    answer = "([name, s, i, j]) => ratioText(name, s, i, j)"
    assert ask(answer, [[name, scores, i, j] for name in NAMES], "four_rules") == texts


def test_the_ratios_in_python():
    assert [f"{figure().ratios[name]:.3g}" for name in NAMES] == ["1.65", "1.78", "3"]
    assert figure(token=5).ratios["sparsemax"] == 0
    assert np.isnan(figure(token=5, against=0).ratios["sparsemax"])


@pytest.mark.parametrize("scores", [SCORES, (S + 1).tolist(), (S - 3).tolist()])
def test_the_picture_has_the_weights_of_lib(visit, scores):
    page = visit(figure(scores=scores)).page
    for name, weights in figure(scores=scores).maps.items():
        np.testing.assert_allclose(attributes(page, f".ws-bar.ws-{name}", "height") / 100, weights, atol=1e-9)


def test_the_ratios_say_what_a_reader_has_moved(visit):
    page = opened(visit(figure()))
    rows = table(page)
    assert rows[1] == ["cat", "2.0", "37%", "49%", "75%"]
    assert rows[5] == ["because", "−0.6", "2.7%", "0", "0"]
    lift = lambda page: [grip(page, 2).press("ArrowUp") for _ in range(8)]  # noqa: E731
    for move, ratios in [
        (lambda page: None, ["1.65", "1.78", "3"]),  # at rest nothing has moved
        (("button", "+ 1 point"), ["1.65", "1.78 → 1.44", "3"]),
        (("button", "− 1 point"), ["1.65", "1.78", "3"]),
        (lift, ["1.65", "1.78", "3 → 16"]),
    ]:
        do(page, move)
        asides = page.locator(".ws-of-map .ws-aside").all_text_contents()
        assert [text.split("   ")[1] for text in asides] == ratios


@pytest.mark.parametrize("width", [1280, 360])
def test_the_line_of_all_the_weight_is_named_and_crosses_no_number(visit, width):
    """That the name lies on no other is asked of every figure; numbers have a halo."""
    page = visit(figure(scores=[9.0] + [0.0] * 6), width=width).page
    assert page.locator(".ws-level").all_text_contents() == ["100%"] * 3
    widths = "all => [...new Set(all.map(el => getComputedStyle(el).strokeWidth))]"
    assert page.eval_on_selector_all(".ws-of-map + svg text", widths) == ["6px"]
