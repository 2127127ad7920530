"""*Four rules* draws and says what `lib` computes, before and after a reader has moved scores."""

import json
import re

import numpy as np
import pytest
from figure_page import OVERLAPS, grip, more, pull
from in_node import ask

from lib.book.example import SCORES, TOKENS
from lib.figures import FourRules

S = np.array(SCORES)
NAMES = ("softmax", "squares", "sparsemax")
ROWS = [S, S + 1, S - 3, -S, np.array([1.0, 1.0]), np.array([800.0, -800.0, 799.5]), np.zeros(3), 1e200 * S]


def figure(scores=SCORES, **options):
    return FourRules(TOKENS, scores, **{"token": 1, "against": 4, **options})


def ratios(page):
    return [text.split("   ")[1] for text in page.locator(".ws-of-map .ws-aside").all_text_contents()]


def said(page):
    return page.locator(".ws-say").text_content()


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_those_of_lib(name):
    rows = [row.tolist() for row in ROWS]
    found = ask(f"(scores) => weightsUnder('{name}', scores)", rows, "four_rules")
    for row, weights in zip(rows[:-1], found, strict=False):
        words = [str(i) for i in range(len(row))]
        np.testing.assert_allclose(weights, FourRules(words, row).maps[name], rtol=1e-12, atol=1e-15)
    assert sum(found[-1]) == pytest.approx(1), "no square overflows"


def test_the_ratios_in_python_and_in_words():
    python = figure().ratios
    words = [
        ask(
            "([s, i, j]) => ratioText(name, s, i, j)".replace("name", f"'{n}'"),
            [[SCORES, 1, 4]],
            "four_rules",
        )[0]
        for n in NAMES
    ]
    assert words == ["1.65", "1.78", "3"]
    assert [f"{python[name]:.3g}" for name in NAMES] == words
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
    found = [ask(f"([s, i, j]) => ratioText('{n}', s, i, j)", [[scores, i, j]], "four_rules")[0] for n in NAMES]
    assert found == texts


@pytest.mark.parametrize("scores", [SCORES, (S + 1).tolist(), (S - 3).tolist()])
def test_the_picture_has_the_weights_of_lib(draw, scores):
    html = draw(figure(scores)._repr_html_())
    for name, weights in figure(scores).maps.items():
        found = [float(x) for x in re.findall(rf'class="ws-bar ws-{name}"[^>]* height="([\d.e-]+)%"', html)]
        np.testing.assert_allclose(np.array(found) / 100, weights, atol=1e-3)


def test_a_reader_adds_a_point_to_all_and_takes_it_away(visit):
    page = visit(figure()).page
    assert ratios(page) == ["1.65", "1.78", "3"], "at rest nothing has moved"
    page.get_by_role("button", name="+ 1 point").click()
    assert ratios(page) == ["1.65", "1.78 → 1.44", "3"]
    page.get_by_role("button", name="− 1 point").click()
    assert ratios(page) == ["1.65", "1.78", "3"]


def test_a_reader_moves_scores(visit):
    page = visit(figure()).page
    grip(page, 2).focus()
    for _ in range(8):
        page.keyboard.press("ArrowUp")
    assert ratios(page) == ["1.65", "1.78", "3 → 16"]
    pull(page, 1, 20)
    assert said(page).startswith("The weight of “cat”")


def test_the_table_has_the_numbers(visit):
    page = visit(figure()).page
    more(page)
    rows = page.locator(".ws-table tbody tr").all_text_contents()
    assert rows[1] == "cat2.037%49%75%"
    assert rows[5] == "because−0.62.7%00"


@pytest.mark.parametrize("leader", [0, 3, 6])
@pytest.mark.parametrize("lead", [1.5, 2.0, 9.0])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_line_of_all_the_weight_is_named_and_crosses_no_number(visit, leader, lead, width):
    row = np.zeros(7)
    row[leader] = lead
    page = visit(figure(row.tolist()), width=width).page
    assert page.locator(".ws-level").all_text_contents() == ["100%"] * 3
    assert page.evaluate(OVERLAPS, ".ws-of-map + svg text") == []
    halos = page.eval_on_selector_all(
        ".ws-of-map + svg text", "all => all.map(el => getComputedStyle(el).strokeWidth)"
    )
    assert set(halos) == {"6px"}


def test_the_state_is_read_from_python():
    state = json.loads(re.search(r'data-state="([^"]*)"', figure()._repr_html_())[1].replace("&quot;", '"'))
    assert (state["token"], state["against"], state["start"]) == (1, 4, {"tokens": [*TOKENS], "scores": [*SCORES]})
