"""*Can you tell?* as a reader's browser shows it, and as Python sets it."""

import math
import re

import numpy as np
import pytest
from figure_page import opened, press, said, table
from gallery import tell as figure

from book.example import SCORES, TOKENS
from book.figures import tell


def slider(page, name):
    return page.get_by_role("slider", name=name)


@pytest.mark.parametrize(
    ("m", "beta", "hold"),
    [(20, 1.0, "neither"), (1, 0.125, "misses"), (1000, 10.0, "false alarms"), (3, 2.0, "neither")],
)
def test_rows_sentence_and_table_have_the_numbers_of_lib(visit, m, beta, hold):
    page = opened(visit(figure(m=m, beta=beta, hold=hold)))
    exponents = lambda m: [tell.exponent(SCORES, beta, m, hold=one) for one in tell.HOLDS]  # noqa: E731
    texts = page.locator("label.ws-test .ws-cell:nth-of-type(3)").all_inner_texts()
    np.testing.assert_allclose([*map(float, texts)], exponents(m), rtol=6e-3)
    opening = f"At β = {beta:g} and m = {m}, with {hold} held"
    assert said(page).startswith(opening if hold == "neither" else f"{opening} at 5%, the fewest ")
    own = exponents(m)[tell.HOLDS.index(hold)]
    assert float(re.search(r"an exponent of (\S+) nats", said(page))[1]) == pytest.approx(own, rel=6e-3)
    limits = [tell.limit(SCORES, beta, one) for one in tell.HOLDS]
    rows = table(page)
    assert [row[0] for row in rows] == ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "limit"]
    for name, *shown in rows:
        expected = limits if name == "limit" else exponents(int(name))
        np.testing.assert_allclose(np.array(shown, dtype=float), expected, rtol=6e-3)


# --- moving it -----------------------------------------------------------------------------------


def test_a_screen_readers_single_steps_never_stand_still(visit):
    page = visit(figure(m=1)).page
    step = "(range, by) => { range.value = Number(range.value) + by; range.dispatchEvent(new Event('input')) }"
    for by, m in [(1, 2), (1, 3), (-1, 2), (-1, 1)]:
        slider(page, "words").evaluate(step, by)
        assert slider(page, "words").get_attribute("aria-valuetext").startswith(f"m = {m} ")


def test_each_test_is_chosen_by_its_row(visit):
    page = visit(figure()).page
    rows = page.locator(".ws-held")
    for hold in ("misses", "false alarms", "neither"):
        rows.get_by_text(hold, exact=True).click()
        assert f"with {hold} held" in said(page)
        assert page.get_by_role("radio", checked=True).get_attribute("value") == hold
        chosen = page.locator("path.ws-chosen")
        assert chosen.count() == 1
        assert f"ws-test-{tell.HOLDS.index(hold)}" in chosen.get_attribute("class")
    page.get_by_role("radio", checked=True).press("ArrowUp")
    assert "with false alarms held" in said(page)


EXPONENTS = ".ws-rise, .ws-tests, .ws-table, input[type=radio]"


def test_exponents_can_be_left_out(visit):
    page = visit(figure()).page
    assert page.locator(EXPONENTS).count() == 6  # a plot, three rows with a button each, a table
    page = opened(visit(figure(m=5, exponents=False)))
    assert page.locator(EXPONENTS).count() == 0
    test = figure(m=5).test
    errors = [f"{100 * math.exp(log):.1f}%" for log in (test.log_false_alarm, test.log_miss)]
    free = "with the sum of both errors as small as can be, false alarms are {} and misses {}."
    assert said(page) == f"At β = 1 and m = 5, {free.format(*errors)}"
    assert page.locator(".ws-valued .ws-value").all_inner_texts() == ["m = 5", "β = 1.00"]
    slider(page, "β").press("End")
    assert said(page).startswith("At β = 10 and m = 5, with the sum")


@pytest.mark.parametrize("hold", ["misses", "false alarms"])
def test_without_exponents_a_held_error_is_said(draw, hold):
    said = draw.sentence(figure(m=19, hold=hold, exponents=False)._repr_html_())
    least = 100 * math.exp(tell.log_least_error(SCORES, 1.0, 19, hold=hold))
    other = "false alarms" if hold == "misses" else "misses"
    assert said == f"At β = 1 and m = 19, with {hold} held at 5%, the fewest {other} are {least:.1f}%."


# --- the game ------------------------------------------------------------------------------------


def ask(page):
    return page.locator(".ws-ask").inner_text()


def test_a_sample_is_drawn_guessed_and_counted(visit):
    page = opened(visit(figure(m=13)))
    test, score = figure(m=13).test, dict(zip(TOKENS, SCORES, strict=True))
    assert ask(page).startswith("Somebody shows you 13 words, all drawn from π or all from the null u.")
    right = of_test = 0
    for rounds in range(1, 10):
        press(page, "Draw")
        assert page.get_by_role("button", name="They are from u").evaluate("el => el === document.activeElement")
        counts = {token: int(count) for count, token in re.findall(r"(\d+) × (\w+)", ask(page))}
        assert sum(counts.values()) == 13
        mean = sum(counts[token] * score[token] for token in score) / 13
        says = "π" if 13 * mean > test.bar - 1e-9 else "u"
        assert page.locator(".ws-drawn").get_attribute("visibility") == "hidden"
        press(page, "from π")
        verdict = ask(page)
        truth = re.search(r"from (\w)\.", verdict)[1]
        assert verdict.startswith("Right" if truth == "π" else "No")
        right, of_test = right + (truth == "π"), of_test + (truth == says)
        assert float(re.search(r"mean score is (\d\.\d\d)", verdict)[1]) == pytest.approx(mean, abs=0.0051)
        assert f"the test says {says}." in verdict
        assert f"You: {right} of {rounds}. The test: {of_test} of {rounds}, and " in verdict
        assert page.locator(".ws-game [aria-live]").text_content() == verdict
        assert page.locator(".ws-drawn").get_attribute("visibility") == "visible"
        place = float(page.locator(".ws-drawn").get_attribute("cx").rstrip("%"))
        assert place == pytest.approx(100 * (0.18 + (mean + 0.6) / 2.6) / 1.36, abs=0.01)
        assert page.get_by_role("button", name="Draw another").evaluate("el => el === document.activeElement")
    expected = 9 * (1 - (math.exp(test.log_false_alarm) + math.exp(test.log_miss)) / 2)
    assert verdict.endswith(f"and {expected:.1f} on average.")
    assert 0 < right < of_test < 9


def test_the_same_seed_gives_the_same_samples_and_another_gives_others(visit):
    seen = []
    for seed in (1, 1, 2):
        page = opened(visit(figure(seed=seed)))
        press(page, "Draw")
        seen.append(ask(page))
    assert seen[0] == seen[1] != seen[2]


def test_more_words_may_be_asked_for_before_the_guess_but_not_after(visit):
    page = opened(visit(figure(m=3)))
    press(page, "Draw")
    first = ask(page).removeprefix("3 words: ").removesuffix(".").split(", ")
    slider(page, "words").focus()
    page.keyboard.press("ArrowRight")
    assert ask(page).removeprefix("4 words: ").split(", ")[:3] == first
    press(page, "from u")
    slider(page, "words").focus()
    page.keyboard.press("ArrowRight")
    assert ask(page).startswith("Somebody shows you 5 words")
    assert page.locator(".ws-drawn").get_attribute("visibility") == "hidden"


# --- what it keeps -------------------------------------------------------------------------------


def test_reset_begins_to_count_anew(visit):
    page = opened(visit(figure(m=7, beta=2)))
    press(page, "Draw")
    press(page, "from u")
    press(page, "Reset")
    assert ask(page).startswith("Somebody")
    press(page, "Draw a sample")
    press(page, "from u")
    assert "of 1. The test" in ask(page)


# --- how it looks --------------------------------------------------------------------------------


def test_ticks_differ_also_where_the_scores_are_close(draw):
    for scores in ([0.0, 0.1], [-0.3, -0.1], [0.0, 10.0], SCORES):
        html = draw(
            figure(tokens=list(map(str, range(len(scores)))), scores=scores, exponents=False)._repr_html_()
        )
        labels = re.findall(r'ws-tick-label"[^>]*>([^<]*)<', html)
        assert 3 <= len(set(labels)) == len(labels) <= 7


# --- Python --------------------------------------------------------------------------------------


def test_python_has_the_test_its_exponent_and_its_limit():
    widget = figure()
    widget.m, widget.hold, widget.beta = 7, "misses", 2
    assert widget.exponent == tell.exponent(SCORES, 2.0, 7, hold="misses")
    assert widget.test == tell.best_test(SCORES, 2.0, 7, hold="misses")
    assert widget.limit == tell.limit(SCORES, 2.0, "misses")
