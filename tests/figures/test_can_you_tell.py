"""*Can you tell?* computes what `book.figures.tell` computes, draws samples as it should, and shows both."""

import math
import re

import numpy as np
import pytest
from figure_page import marks, numbers, opened, points, press, said, slider, table
from gallery import GALLERY
from gallery import tell as figure
from in_node import ask
from scipy.stats import binomtest, chisquare

from book.example import SCORES, TOKENS
from book.figures import tell
from lib import softmax

# --- the numbers -----------------------------------------------------------------------------------

BETAS = [0.1, 0.37, 1.0, 2.9, 10.0]
COUNTS = [1, 2, 3, 7, 22, 23, 24, 37, 101, 331, 997, 1000]
LISTS = [list(SCORES), [0.0, 1.0], [-3.1, 0.2, 0.3, 5.9, 6.9], [0.1, 0.1, 0.2]]
CASES = [
    {"scores": scores, "beta": beta, "m": m, "hold": hold}
    for scores in LISTS
    for beta in BETAS
    for m in COUNTS
    for hold in tell.HOLDS
]
ANSWER = """({ scores, beta, m, hold }) => {
  const { sums, ...test } = tester(scores, beta)(m, hold);
  return { ...test, limit: limit(scores, beta, hold) };
}"""


def test_the_page_finds_the_same_tests_exponents_and_limits():
    smallest = 0.0
    for case, found in zip(CASES, ask(ANSWER, CASES, "can_you_tell"), strict=True):
        scores, beta, m, hold = case.values()
        test, exponent = tell.best_test(scores, beta, m, hold=hold), tell.exponent(scores, beta, m, hold=hold)
        assert found["limit"] == pytest.approx(tell.limit(scores, beta, hold), rel=1e-9), case
        assert found["exponent"] == pytest.approx(exponent, rel=1e-9), case
        assert found["logFalseAlarm"] == pytest.approx(test.log_false_alarm, rel=1e-9, abs=1e-11), case
        assert found["logMiss"] == pytest.approx(test.log_miss, rel=1e-9, abs=1e-11), case
        smallest = min(smallest, test.log_false_alarm, test.log_miss)
        # Where no sum has a chance to speak of between two bars, either is the bar.
        if hold != "neither":
            assert found["bar"] == pytest.approx(test.bar, abs=1e-9), case
            assert found["toss"] == pytest.approx(test.toss, abs=1e-7), case
    assert smallest < -2000


STATE = {"tokens": list(TOKENS), "scores": list(SCORES), "beta": 1.0, "seed": 1, "hold": "neither"}


def test_samples_are_drawn_as_often_from_each_and_as_their_weights_say():
    """4000 samples of 23 tokens; each bound fails one time in a million if all is right, and the seed is fixed."""
    samples = ask("drawSample", [{**STATE, "m": 23, "sample": k} for k in range(1, 4001)], "can_you_tell")
    assert binomtest(sum(one["fromPi"] for one in samples), 4000).pvalue > 1e-6
    for from_pi in (False, True):
        drawn = np.concatenate([one["drawn"] for one in samples if one["fromPi"] == from_pi])
        weights = softmax(np.array(SCORES), 1.0 if from_pi else 0.0)
        assert chisquare(np.bincount(drawn, minlength=7), weights * drawn.size).pvalue > 1e-6


def test_the_test_is_right_on_samples_as_often_as_computed():
    answer = """(state) => {
      const sample = drawSample(state);
      return testSays(sample, tester(state.scores, state.beta)(state.m, state.hold)) === sample.fromPi;
    }"""
    for hold in tell.HOLDS:
        right = ask(answer, [{**STATE, "hold": hold, "m": 1, "sample": k} for k in range(1, 2001)], "can_you_tell")
        test = tell.best_test(SCORES, 1.0, 1, hold=hold)  # one token, so that the coin decides often
        chance = 1 - (math.exp(test.log_false_alarm) + math.exp(test.log_miss)) / 2
        assert binomtest(sum(right), 2000, chance).pvalue > 1e-6


def test_the_same_seed_and_number_give_the_same_sample_and_more_tokens_go_on_with_it():
    rows = [
        {**STATE, "m": 5, "sample": 3},
        {**STATE, "m": 11, "sample": 3},
        {**STATE, "m": 5, "sample": 4},
        {**STATE, "m": 5, "sample": 3, "seed": 2},
    ]
    short, long, other, reseeded = ask("drawSample", rows, "can_you_tell")
    assert short == ask("drawSample", rows[:1], "can_you_tell")[0]
    assert long["drawn"][:5] == short["drawn"]
    assert long["fromPi"] == short["fromPi"]
    assert short["drawn"] not in (other["drawn"], reseeded["drawn"])
    assert short["mean"] == pytest.approx(np.mean([SCORES[i] for i in short["drawn"]]))


# --- the picture -------------------------------------------------------------------------------------


def area_and_middle(path):
    """How large the area under an outline of steps is, and where its middle lies."""
    x, _, *steps = re.findall(r"[HV]?[\d.]+", path) or "00"
    x, height, area, moment = float(x), 0.0, 0.0, 0.0
    for step in steps:
        to = float(step[1:])
        if step[0] == "V":
            height = 138 - to
        else:
            area, moment, x = area + height * (to - x), moment + height * (to**2 - x**2) / 2, to
    return area, moment / area if area else math.nan


def game(state):
    """In this state, with the game in view and begun, and its humps in the picture."""
    made = GALLERY["tell"][state]
    values = {name: getattr(made, name) for name in ("tokens", "scores", "beta", "m", "hold")}
    return figure(exponents=False, sample=1, **values)


@pytest.mark.parametrize("state", GALLERY["tell"])
def test_humps_and_their_names_stand_at_the_mean_scores_and_tails_are_as_large_as_errors(draw, state):
    made = game(state)
    html, scores = draw(made), np.array(made.scores)
    low, high = scores.min(), scores.max()

    def across(x):
        return 100 * (0.18 + (np.asarray(x) - low) / (high - low)) / 1.36

    pi = softmax(scores, made.beta)
    # Of a few words the bins are wide: half a bin is as near as the middle of a hump can be.
    near = 100 / 1.36 / 16 / 2 if state in ("few", "other") else 0.3
    for kind, name, mean, tail, log in [
        ("ws-from-u", "equal chances", scores.mean(), "ws-alarm", made.test.log_false_alarm),
        ("ws-from-pi", "softmax", pi @ scores, "ws-miss", made.test.log_miss),
    ]:
        whole, middle = area_and_middle(marks(html, kind)[0]["d"])
        assert middle / 10 == pytest.approx(across(mean), abs=near)
        assert area_and_middle(marks(html, tail)[0]["d"])[0] / whole == pytest.approx(math.exp(log), abs=0.01)
        (named,) = (one for one in marks(html, "ws-label") if one["text"] == name)
        assert float(named["x"].rstrip("%")) == pytest.approx(across(mean), abs=0.01)
    ticks = marks(html, "ws-tick-label")
    np.testing.assert_allclose(numbers(ticks, "x"), across(numbers(ticks, "text")), atol=0.01)


@pytest.mark.parametrize("state", ["few", "other"])
def test_exponents_and_their_limits_are_drawn_where_they_are(draw, state):
    made = GALLERY["tell"][state]
    html, scores, m = draw(made), np.array(made.scores), made.m
    limits = [tell.limit(scores, made.beta, hold) for hold in tell.HOLDS]
    pixel = 1.2 * max(limits) / 140
    x, (now,) = f"{round(100 * math.log(m, 1000), 2):g}%", marks(html, "ws-now")
    assert now["x1"] == now["x2"] == x
    for i, (hold, limit) in enumerate(zip(tell.HOLDS, limits, strict=True)):
        line, curve, dot, name = (
            next(one for one in marks(html, kind) if f"ws-test-{i}" in one["class"])
            for kind in ("ws-limit", "ws-exponent", "ws-here", "ws-label")
        )
        assert pixel * (140 - float(line["y1"])) == pytest.approx(limit, abs=pixel / 10)
        assert float(name["text"].split()[-1]) == pytest.approx(limit, rel=6e-3)
        drawn = {round(10 ** (3 * x / 1000)): pixel * (140 - y) for x, y in points(curve["d"])}
        drawn[m] = pixel * (140 - float(dot["cy"]))
        for tokens in (1, 3, 30, 300, m):
            expected = tell.exponent(scores, made.beta, tokens, hold=hold)
            assert drawn[tokens] == pytest.approx(expected, abs=pixel / 10)
        assert dot["cx"] == x


def test_errors_are_those_of_the_test(draw):
    for state in ("few", "other", "plain"):
        made = game(state)
        shown = re.findall(r">(?:misses|false alarms) ([\d.]+)%</b>", draw(made))
        expected = [100 * math.exp(log) for log in (made.test.log_miss, made.test.log_false_alarm)]
        np.testing.assert_allclose(np.array(shown, float), expected, atol=0.5)


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


EXPONENTS = ".ws-rise, .ws-tests, .ws-table, input[type=radio]"


def test_exponents_can_be_left_out(visit):
    page = visit(figure()).page
    assert page.locator(EXPONENTS).count() == 6  # a plot, three rows with a button each, a table
    page = opened(visit(figure(m=5, exponents=False)))
    assert page.locator(EXPONENTS).count() == 0
    assert page.locator(".ws-valued .ws-value").all_inner_texts() == ["5 words", "β = 1.00"]
    slider(page, "β").press("End")
    assert said(page).startswith("At β = 10 and 5 words, with the sum")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_keys_have_the_colours_of_the_tails(visit, theme):
    page = visit(figure(m=5, exponents=False), theme=theme).page
    paint = "el => { const s = getComputedStyle(el); return [s.fill, s.fillOpacity, s.backgroundColor] }"
    for tail, key in [(".ws-miss", ".ws-of-miss"), (".ws-alarm", ".ws-of-alarm")]:
        fill, opacity, _ = page.locator(tail).evaluate(paint)
        assert (fill, opacity) == (page.locator(key).evaluate(paint)[2], "1")
    kinds = page.locator(".ws-whole path").evaluate_all("all => all.map(el => el.classList[0])")
    assert kinds[2:] == ["ws-miss", "ws-alarm"], "nothing lies over a tail"


def test_the_stroke_of_a_peak_is_whole(visit):
    """The higher hump reaches the upper edge of its drawing, with half of its stroke outside."""
    page = visit(figure(m=5, exponents=False)).page
    assert page.locator(".ws-whole").evaluate("el => getComputedStyle(el).overflow") == "visible"


def test_numbers_wait_until_the_reader_has_begun(visit):
    page = visit(figure(m=5, exponents=False)).page
    assert not re.search(r"[0-9]", said(page) + page.locator(".ws-errors").inner_text())
    press(page, "Draw 5 words")
    test = figure(m=5).test
    for log in (test.log_miss, test.log_false_alarm):
        assert f"{100 * math.exp(log):.1f}%" in page.locator(".ws-errors").inner_text()
    held = visit(figure(m=5, hold="misses", exponents=False)).page
    assert "misses 5.0%" in held.locator(".ws-errors").inner_text()


# --- the game ------------------------------------------------------------------------------------


def on_the_table(page):
    """What was drawn: words, each with what is written under it; "?" for what is still face down."""
    return [tuple(one.split(" ")) for one in page.locator(".ws-drawn-words > *").all_text_contents()]


def verdict_of(page):
    return page.locator(".ws-ask").text_content()


def test_a_sample_is_drawn_guessed_and_counted(visit):
    page = opened(visit(figure(m=13)))
    test, score = figure(m=13).test, dict(zip(TOKENS, SCORES, strict=True))
    assert on_the_table(page) == [("?", "")] * 5
    right = of_test = 0
    for rounds in range(1, 10):
        press(page, "Draw")
        assert page.get_by_role("button", name="equal chances").evaluate("el => el === document.activeElement")
        counts = {token: int(count.removesuffix("×")) for token, count in on_the_table(page)}
        assert sum(counts.values()) == 13
        mean = sum(counts[token] * score[token] for token in score) / 13
        says = "softmax’s weights" if 13 * mean > test.bar - 1e-9 else "equal chances"
        assert page.locator(".ws-drawn").get_attribute("visibility") == "hidden"
        press(page, "softmax’s weights")
        verdict, spoken = verdict_of(page), page.locator(".ws-game [aria-live]").text_content()
        truth = re.match(r"\w+: ([^.]+)\.", verdict)[1]
        assert verdict.startswith("Right" if truth == "softmax’s weights" else "No")
        right, of_test = right + (truth == "softmax’s weights"), of_test + (truth == says)
        assert float(re.search(r"mean score is (\d\.\d\d)", spoken)[1]) == pytest.approx(mean, abs=0.0051)
        assert f"the line says {says}." in spoken
        assert verdict.endswith(f"You: {right} of {rounds} right. The line: {of_test}.")
        assert spoken.startswith(verdict)
        assert page.locator(".ws-drawn").get_attribute("visibility") == "visible"
        place = float(page.locator(".ws-drawn").get_attribute("cx").rstrip("%"))
        assert place == pytest.approx(100 * (0.18 + (mean + 0.6) / 2.6) / 1.36, abs=0.01)
        again = page.get_by_role("button", name="Draw again")
        assert again.evaluate("el => el === document.activeElement")
    expected = 9 * (1 - (math.exp(test.log_false_alarm) + math.exp(test.log_miss)) / 2)
    assert spoken.endswith(f"It is right {expected:.1f} times of 9 on average.")
    assert 0 < right < of_test < 9


def test_the_game_begins_with_a_press_and_without_a_symbol(visit):
    page = visit(figure(m=5, exponents=False, caption="A caption.")).page
    call, draw = page.locator(".ws-call"), page.get_by_role("button", name="Draw 5 words")
    assert call.is_visible()
    assert "ws-meant" in draw.get_attribute("class")
    seen = page.locator(".ws-game").inner_text() + page.locator(".ws-plot, .ws-errors").first.inner_text()
    assert not set("πuμ") & set(re.findall(r"\b\w\b", seen))
    draw.click()
    assert not call.is_visible()


def test_the_same_seed_gives_the_same_samples_and_another_gives_others(visit):
    seen = []
    for seed in (1, 1, 2):
        page = opened(visit(figure(seed=seed)))
        press(page, "Draw")
        seen.append(on_the_table(page))
    assert seen[0] == seen[1] != seen[2]


def test_more_words_may_be_asked_for_before_the_guess_but_not_after(visit):
    page = opened(visit(figure(m=3)))
    press(page, "Draw")
    first = on_the_table(page)
    slider(page, "words").press("ArrowRight")
    assert len(on_the_table(page)) == 4
    assert on_the_table(page)[:3] == first
    press(page, "equal chances")
    slider(page, "words").press("ArrowRight")
    assert on_the_table(page) == [("?", "")] * 5
    assert verdict_of(page) == ""
    assert page.locator(".ws-drawn").get_attribute("visibility") == "hidden"


def test_reset_begins_to_count_anew(visit):
    page = opened(visit(figure(m=7, beta=2)))
    press(page, "Draw")
    press(page, "equal chances")
    press(page, "Reset")
    assert on_the_table(page) == [("?", "")] * 5
    press(page, "Draw 7 words")
    press(page, "equal chances")
    assert "of 1 right. The line" in verdict_of(page)


def test_ticks_differ_also_where_the_scores_are_close(draw):
    for scores in ([0.0, 0.1], [-0.3, -0.1], [0.0, 10.0], SCORES):
        html = draw(
            figure(tokens=list(map(str, range(len(scores)))), scores=scores, exponents=False)._repr_html_()
        )
        labels = re.findall(r'ws-tick-label"[^>]*>([^<]*)<', html)
        assert 3 <= len(set(labels)) == len(labels) <= 7


def test_python_has_the_test_its_exponent_and_its_limit():
    widget = figure()
    widget.m, widget.hold, widget.beta = 7, "misses", 2
    assert widget.exponent == tell.exponent(SCORES, 2.0, 7, hold="misses")
    assert widget.test == tell.best_test(SCORES, 2.0, 7, hold="misses")
    assert widget.limit == tell.limit(SCORES, 2.0, "misses")
