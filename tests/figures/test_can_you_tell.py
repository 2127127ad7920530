"""*Can you tell?* as a reader's browser shows it, and as Python sets it."""

import math
import re

import numpy as np
import pytest
from figure_page import in_a_notebook, more
from gallery import tell as figure

from book_builder.draw_figures import Drawer
from lib.book.example import SCORES, TOKENS
from lib.figures import CanYouTell, tell


@pytest.fixture
def visit(visit):
    return lambda shown=None, **options: visit(shown or figure(), **options)


def slider(page, name):
    return page.get_by_role("slider", name=name)


def said(page, name):
    return slider(page, name).get_attribute("aria-valuetext")


def exponents(page):
    return [float(text) for text in page.locator("label.ws-test .ws-cell:nth-of-type(3)").all_inner_texts()]


def sentence(page):
    return page.locator(".ws-say").inner_text()


def assert_shown(page, m, beta, hold="neither"):
    """The rows say what `lib.figures.tell` says, the sentence of which state it speaks."""
    found = [tell.exponent(SCORES, beta, m, hold=one) for one in tell.HOLDS]
    np.testing.assert_allclose(exponents(page), found, rtol=6e-3)
    opening = f"At β = {beta:g} and m = {m}, with {hold} held"
    assert sentence(page).startswith(opening if hold == "neither" else f"{opening} at 5%, the fewest ")
    own = found[tell.HOLDS.index(hold)]
    assert float(re.search(r"an exponent of (\S+) nats", sentence(page))[1]) == pytest.approx(own, rel=6e-3)
    assert page.get_by_role("radio", checked=True).get_attribute("value") == hold


# --- moving it -----------------------------------------------------------------------------------


def test_keys_move_m_by_round_numbers(visit):
    page = visit().page
    slider(page, "words").focus()
    steps = [("ArrowRight", 25), ("ArrowUp", 32), ("ArrowLeft", 25), ("PageUp", 100), ("PageDown", 10)]
    for key, m in [*steps, ("Home", 1), ("ArrowRight", 2), ("ArrowUp", 3), ("End", 1000), ("ArrowLeft", 800)]:
        page.keyboard.press(key)
        assert said(page, "words") == ("m = 1 word" if m == 1 else f"m = {m} words")
        assert_shown(page, m, 1.0)


def test_keys_move_beta(visit):
    page = visit().page
    slider(page, "β").focus()
    for key, beta in [("ArrowRight", 1.25), ("PageUp", 10), ("ArrowLeft", 8), ("Home", 0.1), ("ArrowUp", 0.125)]:
        page.keyboard.press(key)
        assert said(page, "β").startswith(f"β = {beta:g}, temperature")
        assert_shown(page, 20, beta)


def test_a_pointer_reaches_every_m_between_the_ends(visit):
    page = visit().page
    box = slider(page, "words").bounding_box()
    for share, m in [(0.0, 1), (1 / 3, 10), (0.5, 32), (1.0, 1000)]:
        page.mouse.click(box["x"] + 12 + share * (box["width"] - 24), box["y"] + 22)
        assert said(page, "words").startswith(f"m = {m} ")


def test_a_screen_readers_single_steps_never_stand_still(visit):
    page = visit(figure(m=1)).page
    step = "(range, by) => { range.value = Number(range.value) + by; range.dispatchEvent(new Event('input')) }"
    for by, m in [(1, 2), (1, 3), (-1, 2), (-1, 1)]:
        slider(page, "words").evaluate(step, by)
        assert said(page, "words").startswith(f"m = {m} ")


def test_each_test_is_chosen_by_its_row(visit):
    page = visit().page
    for hold in ("misses", "false alarms", "neither"):
        page.locator(".ws-held").get_by_text(hold, exact=True).click()
        assert_shown(page, 20, 1.0, hold)
        chosen = page.locator("path.ws-chosen")
        assert chosen.count() == 1
        assert f"ws-test-{tell.HOLDS.index(hold)}" in chosen.get_attribute("class")
    page.get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowUp")
    assert_shown(page, 20, 1.0, "false alarms")


def test_the_table_holds_the_exponents_and_their_limits(visit):
    page = visit(figure(beta=2)).page
    more(page)
    rows = [row.split("\t") for row in page.locator(".ws-table tbody tr").all_inner_texts()]
    assert [row[0] for row in rows] == ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "limit"]
    for name, *shown in rows:
        expected = [
            tell.limit(SCORES, 2.0, hold) if name == "limit" else tell.exponent(SCORES, 2.0, int(name), hold=hold)
            for hold in tell.HOLDS
        ]
        np.testing.assert_allclose(np.array(shown, dtype=float), expected, rtol=6e-3)


EXPONENTS = ".ws-rise, .ws-tests, .ws-table, input[type=radio]"


def test_exponents_can_be_left_out(visit):
    page = visit().page
    assert page.locator(EXPONENTS).count() == 6  # a plot, three rows with a button each, a table
    page = visit(figure(m=5, exponents=False)).page
    more(page)
    assert page.locator(EXPONENTS).count() == 0
    test = figure(m=5).test
    errors = [f"{100 * math.exp(log):.1f}%" for log in (test.log_false_alarm, test.log_miss)]
    free = "with the sum of both errors as small as can be, false alarms are {} and misses {}."
    assert sentence(page) == f"At β = 1 and m = 5, {free.format(*errors)}"
    assert page.locator(".ws-valued .ws-value").all_inner_texts() == ["m = 5", "β = 1.00"]
    slider(page, "words").press("PageUp")
    assert said(page, "words") == "m = 10 words"
    slider(page, "β").press("End")
    assert sentence(page).startswith("At β = 10 and m = 10, with the sum")


@pytest.mark.parametrize("hold", ["misses", "false alarms"])
def test_without_exponents_a_held_error_is_said(draw, hold):
    said = draw.sentence(figure(m=19, hold=hold, exponents=False)._repr_html_())
    least = 100 * math.exp(tell.log_least_error(SCORES, 1.0, 19, hold=hold))
    other = "false alarms" if hold == "misses" else "misses"
    assert said == f"At β = 1 and m = 19, with {hold} held at 5%, the fewest {other} are {least:.1f}%."


def test_the_tails_are_as_large_as_the_errors(visit):
    """The area of each shaded tail is its error's share of the area under its outline."""
    area = """(kind) => {
      const path = document.querySelector('path.' + kind);
      const [x0, y0, ...steps] = path.getAttribute('d').match(/[HV]?[\\d.]+/g);
      let [x, height, sum] = [Number(x0), 0, 0];
      for (const step of steps) {
        if (step[0] === 'V') height = 98 - Number(step.slice(1));
        else { sum += height * (Number(step.slice(1)) - x); x = Number(step.slice(1)); }
      }
      return sum;
    }"""
    for options in ({"m": 7, "hold": "misses"}, {"m": 20}, {"m": 3, "hold": "false alarms"}):
        page = visit(figure(**options)).page
        test = figure(**options).test
        for tail, whole, log in (
            ("ws-miss", "ws-from-pi", test.log_miss),
            ("ws-alarm", "ws-from-u", test.log_false_alarm),
        ):
            share = page.evaluate(area, tail) / page.evaluate(area, whole)
            assert share == pytest.approx(math.exp(log), abs=0.01)


# --- the game ------------------------------------------------------------------------------------


def ask(page):
    return page.locator(".ws-ask").inner_text()


def press(page, name):
    page.get_by_role("button", name=name).click()


def test_a_sample_is_drawn_guessed_and_counted(visit):
    page = visit(figure(m=13)).page
    more(page)
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
        page = visit(figure(seed=seed)).page
        more(page)
        press(page, "Draw")
        seen.append(ask(page))
    assert seen[0] == seen[1] != seen[2]


def test_more_words_may_be_asked_for_before_the_guess_but_not_after(visit):
    page = visit(figure(m=3)).page
    more(page)
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
    page = visit(figure(m=7, beta=2)).page
    more(page)
    press(page, "Draw")
    press(page, "from u")
    press(page, "Reset")
    assert ask(page).startswith("Somebody")
    press(page, "Draw a sample")
    press(page, "from u")
    assert "of 1. The test" in ask(page)


def test_of_a_link_what_cannot_be_is_left_out_and_the_rest_counts(visit):
    page = visit(link="#can-you-tell?beta=inf&__proto__=1&m=50&toString=1").page
    assert_shown(page, 50, 1.0)


def test_the_state_is_said_once_it_has_come_to_rest(visit):
    page = visit().page
    spoken = page.locator(".ws-say + [aria-live=polite]")
    assert "m = 20" in spoken.inner_text()
    slider(page, "words").focus()
    page.keyboard.press("End")
    assert "m = 20" in spoken.inner_text()
    page.wait_for_function("document.querySelector('.ws-say + [aria-live]').textContent.includes('m = 1000')")
    assert page.locator(".ws-game [aria-live]").inner_text() == ""


def test_in_a_notebook_what_is_chosen_reaches_the_kernel(visit):
    act = """({ el, state }) => {
      el.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
      el.querySelector('[value=misses]').click();
      return [state.m, state.hold];
    }"""
    found = in_a_notebook(visit(script=False).page, figure(), act)
    assert (found["done"], found["saved"]) == ([1000, "misses"], True)


# --- how it looks --------------------------------------------------------------------------------


def test_ticks_differ_also_where_the_scores_are_close():
    with Drawer() as draw:
        for scores in ([0.0, 0.1], [-0.3, -0.1], [0.0, 10.0], list(SCORES)):
            html = draw(CanYouTell([str(i) for i in range(len(scores))], scores, exponents=False)._repr_html_())
            labels = re.findall(r'ws-tick-label"[^>]*>([^<]*)<', html)
            assert 3 <= len(set(labels)) == len(labels) <= 7


# --- Python --------------------------------------------------------------------------------------


def test_python_has_the_test_its_exponent_and_its_limit():
    widget = figure()
    widget.m, widget.hold, widget.beta = 7, "misses", 2
    assert widget.exponent == tell.exponent(SCORES, 2.0, 7, hold="misses")
    assert widget.test == tell.best_test(SCORES, 2.0, 7, hold="misses")
    assert widget.limit == tell.limit(SCORES, 2.0, "misses")
