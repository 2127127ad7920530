"""*Lamps* draws what `lib` computes, and a lamp goes out only where a move has shown that a rule fails a wish."""

import itertools
import math
import re

import numpy as np
import pytest
from figure_page import (
    SCROLLED,
    assert_shares,
    attributes,
    copied,
    do,
    grip,
    in_a_notebook,
    marks,
    numbers,
    opened,
    press,
    said,
    slider,
    table,
)
from gallery import GALLERY
from gallery import lamps as figure
from in_node import ask

from book.example import SCORES, TOKENS
from book.figures import Lamps, Predict
from book.figures.lamps import HIGHEST, LAMPS, LOWEST, RULES, WISHES, judged, weights_under

S = np.array(SCORES)
PAIR = [1, 4]  # cat and milk
LOW, HIGH = LOWEST, HIGHEST
DISC = 7  # CSS pixels: how large a lamp is


def row(i, score):
    return [score if k == i else one for k, one in enumerate(SCORES)]


# --- what is measured --------------------------------------------------------------------------------------


def test_names_and_axis_are_the_same_in_both_languages():
    assert ask("() => [ROOM, RULES, WISHES, LAMPS]", [0], "lamps") == [
        [[LOW, HIGH], list(RULES), list(WISHES), list(LAMPS)]
    ]


@pytest.mark.parametrize("rule", RULES)
def test_the_weights_are_those_of_lib(rule):
    rows = [
        S,
        S + 1,
        S - 0.9,
        -S,
        np.zeros(3),
        np.full(4, -1.0),
        *np.random.default_rng(1).uniform(LOW, HIGH, (200, 7)),
        *np.random.default_rng(1).integers(-15, 31, (2000, 5)) / 10,  # some at the edge of sparsemax
    ]
    found = ask(f"(scores) => weightsUnder('{rule}', scores)", [one.tolist() for one in rows], "lamps")
    for scores, weights in zip(rows, found, strict=True):
        expected = weights_under(rule, scores)
        np.testing.assert_allclose(weights, expected, rtol=1e-11, atol=1e-15)
        assert ((np.array(weights) > 0) == (expected > 1e-13)).all(), "nothing is nothing, and no rounding"


def random_moves(rng, count, digits=1):
    """Rows of scores, before and after: one word, everybody, two that swap, several at once, or nothing."""
    for k in range(count):
        n = int(rng.integers(3, 9))
        before = rng.uniform(LOW, HIGH, n)
        if digits is not None:
            before = np.round(before, digits)
        after, kind = before.copy(), k % 6
        i, j = rng.choice(n, 2, replace=False)
        if kind == 0:
            after[i] = np.round(rng.uniform(LOW, HIGH), digits or 6)
        elif kind == 1:
            after[i] = np.clip(after[i] + 0.1 * rng.choice([-1, 1]), LOW, HIGH)
        elif kind == 2:
            after = before + rng.uniform(LOW - before.min(), HIGH - before.max())
        elif kind == 3:
            after[[i, j]] = before[[j, i]]
        elif kind == 4:
            after[2:] = rng.uniform(LOW, HIGH, n - 2)
        yield before.tolist(), after.tolist(), [int(rng.integers(0, 2)), int(rng.integers(2, n))]


JUDGED = "([rule, from, to, pair]) => judged(rule, from, to, pair)"


def test_what_a_move_shows_is_the_same_in_both_languages():
    rng = np.random.default_rng(2)
    moves = [*random_moves(rng, 1500), *random_moves(rng, 600, digits=None)]
    asked = [[rule, *move] for move in moves for rule in RULES]
    found = ask(JUDGED, asked, "lamps")
    assert found == [judged(*one) for one in asked]
    for wish in range(4):
        answers = [one[wish] for one in found]
        assert {True, None} <= set(answers)
        assert (False in answers) == (wish != 1), "no rule here looks at a word's place"


def test_no_lamp_of_softmax_goes_out_whatever_is_moved():
    """Nor by steps of a tenth, which a computer cannot write, one after another, there and back."""
    rng = np.random.default_rng(3)
    moves = [*random_moves(rng, 6000), *random_moves(rng, 6000, digits=None)]
    for _ in range(60):
        scores, there = np.round(rng.uniform(LOW, HIGH, 7), 1), []
        for _ in range(40):
            i, step = rng.integers(0, 8), 0.1 * rng.choice([-1, 1])
            moved = scores + step * ((np.arange(7) == i) | (i == 7))
            if moved.min() >= LOW and moved.max() <= HIGH:
                there.append((scores.tolist(), moved.tolist(), PAIR))
                scores = moved
        moves += [*there, *((after, before, PAIR) for before, after, _ in there)]
    tiny = [(row(1, HIGH - 1e-6), row(1, HIGH), PAIR), (row(5, -1.5), row(5, -1.5 + 1e-6), PAIR)]
    found = ask(JUDGED, [["softmax", *move] for move in [*moves, *tiny]], "lamps")
    assert [move for move, one in zip([*moves, *tiny], found, strict=True) if False in one] == []
    assert sum(one[3] is True for one in found) > 3000


@pytest.mark.parametrize(
    ("rule", "before", "after", "shows"),
    [
        ("sparsemax", SCORES, row(2, 1.9), [False, None, None, True]),
        ("squares", SCORES, row(2, 1.9), [True, None, None, True]),
        ("sparsemax", SCORES, row(2, 2.0), [False, None, None, True]),  # from 3 to ∞
        ("sparsemax", row(2, 2.0), row(2, 2.2), [True, None, None, True]),  # ∞ before and after
        ("sparsemax", SCORES, row(2, 3.5), [False, None, None, True]),  # from 3 to none at all
        ("sparsemax", row(2, 3.5), row(2, 3.9), [None, None, None, False]),  # none before, none after: not asked
        ("sparsemax", SCORES, row(2, 1.2), [True, None, None, False]),
        ("sparsemax", [1.7, 1.1, -1.4, 1.6], [1.7, 1.1, -1.4, 1.5], [True, None, None, True]),  # 1.1 at the edge
        ("squares", SCORES, row(5, -0.1), [True, None, None, False]),
        ("squares", SCORES, (S + 1).tolist(), [None, None, False, None]),
        ("sparsemax", SCORES, (S + 1).tolist(), [None, None, True, None]),
        ("squares", [-0.5, -0.7, -0.1], [0.5, 0.3, 0.9], [None, None, False, None]),
        ("squares", [-0.5, -0.7, -0.1], [-0.4, -0.6, 0.0], [None] * 4),  # no weights before, and none after
        ("squares", [-0.5, -0.7, -0.1], [-0.5, -0.1, -0.7], [None] * 4),
        ("sparsemax", row(1, 3.0), row(1, 3.5), [None, None, None, False]),  # it has all already
        ("sparsemax", SCORES, SCORES, [None] * 4),
    ],
)
def test_a_wish_fails_where_the_numbers_say_so_and_what_has_no_answer_never_held(rule, before, after, shows):
    pair = PAIR if len(before) == 7 else [0, 1]
    for language in (judged, lambda *one: ask(JUDGED, [list(one)], "lamps")[0]):
        assert language(rule, list(before), list(after), pair) == shows


def test_an_act_goes_on_in_one_direction():
    begins = lambda *rows: ask("([a, b, c]) => beginning(a, b, c)", [[list(one) for one in rows]], "lamps")[0]  # noqa: E731
    assert begins(SCORES, row(2, 1.5), row(2, 1.6)) == list(SCORES)
    assert begins(SCORES, row(2, 1.5), row(2, 1.4)) == row(2, 1.5), "back"
    assert begins(SCORES, row(2, 1.5), [*row(2, 1.5)[:6], 1.0]) == row(2, 1.5), "another word"
    assert begins(SCORES, (S + 1).tolist(), (S + 1.5).tolist()) == list(SCORES)
    assert begins(SCORES, row(2, 1.5), (np.array(row(2, 1.5)) + 1).tolist()) == row(2, 1.5), "everybody"


def test_python_says_which_lamps_are_out():
    one = figure(out=["squares-3"])
    one.scores = row(2, 1.9)
    assert one.dark == ["squares-3", "sparsemax-1"]
    assert {name: f"{ratio:.3g}" for name, ratio in one.ratios.items()} == {
        "softmax": "1.65", "squares": "1.78", "sparsemax": "16"
    }  # fmt: skip
    one.scores = row(2, 2.0)
    assert one.ratios["sparsemax"] == math.inf
    assert math.isnan(figure(token=3, against=5).ratios["sparsemax"])
    assert [f"{figure(shift=1).ratios[rule]:.3g}" for rule in RULES] == ["1.44", "1.65", "3"]


def test_fewer_than_three_words_are_refused():
    with pytest.raises(ValueError, match=r"^tokens: .*fewer than three"):
        Lamps(["a", "b"], [1, 2])


# --- what is seen ------------------------------------------------------------------------------------------


def ratios(page):
    return page.locator(".ws-ratio").all_text_contents()


def out(page):
    """The lamps that are out: as they are named, and as they are drawn, which has to be the same."""
    labels = page.eval_on_selector_all(".ws-lamp", "all => all.map(el => el.getAttribute('aria-label'))")
    named = [label.endswith(": out") for label in labels]
    discs = attributes(page, ".ws-disc", "r")
    struck = page.eval_on_selector_all(
        ".ws-struck", "all => all.map(el => el.getAttribute('visibility') === 'visible')"
    )
    assert struck == named == (discs == 0).tolist()
    assert set(discs) <= {0, DISC}
    return [lamp for lamp, gone in zip(LAMPS, named, strict=True) if gone]


def badge(page):
    return page.locator(".ws-call:not(.ws-gone)")


def ringed(page):
    """The lamps with a ring, which have just gone out."""
    seen = "all => all.map(el => el.checkVisibility({ visibilityProperty: true }))"
    shown = page.eval_on_selector_all(".ws-just", seen)
    return [lamp for lamp, there in zip(LAMPS, shown, strict=True) if there]


def spine(page):
    return page.evaluate("document.querySelector('.ws-spine').y.baseVal.value") + 1.5


def pull(page, knob, pixels, release=True):
    box = knob.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(x, y - pixels * k / 8)
    if release:
        page.mouse.up()


POINT = 122 / (HIGH - LOW)  # CSS pixels
knob = lambda page, i: grip(page, i).locator(".ws-knob")  # noqa: E731
everybody = lambda page: page.locator(".ws-handle .ws-knob")  # noqa: E731


@pytest.mark.parametrize("state", ["plain", "one", "risen", "shifted", "low", "none", "high"])
def test_the_picture_has_what_lib_computes(draw, state):
    made = GALLERY["lamps"][state]
    html, now = draw(made), np.array(made.now)
    bars = marks(html, "ws-score")
    top, height = numbers(bars, "y"), numbers(bars, "height")
    foot = numbers(marks(html, "ws-spine"), "y")[0] + 1.5
    np.testing.assert_allclose(np.where(np.array(made.scores) < 0, top, top + height), foot, atol=1e-3)
    np.testing.assert_allclose(height, np.abs(made.scores) * POINT, atol=1e-3)
    zero = numbers(marks(html, "ws-zero-line"), "y1")[0]
    np.testing.assert_allclose(zero - foot, made.shift * POINT, atol=1e-3)
    labels = [one for one in marks(html, "ws-label") if one["class"] == "ws-label"]
    np.testing.assert_allclose(numbers(labels, "text"), now, atol=0.006)
    wide = numbers(marks(html, "ws-times"), "width") / 25
    expected = [min(ratio, 4) for ratio in np.nan_to_num(list(made.ratios.values()), nan=0.0)]
    np.testing.assert_allclose(wide, expected, atol=1e-4)
    gone = numbers(marks(html, "ws-disc"), "r") == 0
    assert [lamp for lamp, one in zip(LAMPS, gone, strict=True) if one] == made.dark


def test_pulling_drank_up_bends_the_bar_of_sparsemax_alone(visit):
    page = opened(visit(figure(out=["squares-3"])))
    assert (ratios(page), out(page)) == (["1.78×", "1.65×", "3×"], ["squares-3"])
    assert badge(page).is_visible()
    assert page.locator(".ws-meant").count() == 1
    assert said(page) == "Squares has lost its third lamp already: points for everybody moved its weights."
    assert ringed(page) == [], "that was before"
    pull(page, knob(page, 2), 0.8 * POINT)
    assert ringed(page) == ["sparsemax-1"]
    assert ratios(page) == ["1.78×", "1.65×", "16×"]
    assert out(page) == ["squares-3", "sparsemax-1"], "and not the fourth, though it passed 1.2"
    told = "Sparsemax: “drank” rose, and “cat” over “milk” went from 3 to 16: its first lamp is out."
    assert said(page) == f"{told} Softmax has all four."
    for k, weights in enumerate(figure(scores=row(2, 1.9)).maps.values()):
        assert_shares([one[2 + k] for one in table(page)], weights)
    pull(page, knob(page, 2), 0.1 * POINT)
    assert ratios(page)[2] == "∞"
    assert "“milk” has nothing left" in said(page)
    assert page.locator(".ws-one").nth(2).is_hidden(), "milk is no measure any more"
    pull(page, knob(page, 2), -0.9 * POINT)
    assert ratios(page)[2] == "3×"
    assert out(page) == ["squares-3", "sparsemax-1"], "it stays out"
    press(page, "Reset")
    assert out(page) == ["squares-3"]
    assert badge(page).is_visible()


def test_seven_other_words_are_other_words(visit):
    act = """({ el, hear }) => {
      const scores = [1, 2, 0.5, 0.2, 1.5, -0.6, 0.8];
      const others = { tokens: [...'abcdefg'], scores, was: scores };
      for (const [name, value] of Object.entries(others)) hear(name, value);
      const knob = el.querySelector('.ws-meant').parentElement;
      return [el.querySelector('.ws-call:not(.ws-gone)').textContent, knob.getAttribute('aria-label')];
    }"""
    done = in_a_notebook(visit().page, figure(out=["squares-3"]), act)["done"]
    assert done == ["pull me up", "score of a (token 1 of 7)"]


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_then_because_is_asked_for_and_a_little_puts_out_two_lamps(visit, width):
    page = visit(figure(out=["squares-3"]), width=width).page
    assert badge(page).text_content() == "pull me up"
    pull(page, knob(page, 2), 0.8 * POINT, release=False)
    assert badge(page).is_hidden(), "not while a knob is held"
    page.mouse.up()
    assert badge(page).text_content() == "up a little"
    assert page.locator(".ws-meant").evaluate_all("all => all.map(el => el.parentElement.ariaLabel)") == [
        "score of because (token 6 of 7)"
    ]
    call, words, labels, whole = page.evaluate(
        """() => ['.ws-call:not(.ws-gone)', '.ws-sentence > *', '.ws-plot text.ws-label', '.ws-figure'].map(kind =>
          [...document.querySelectorAll(kind)].map(el => el.getBoundingClientRect()).map(
            ({ left, right, top, bottom }) => [left, right, top, bottom]))"""
    )
    ((left, right, top, bottom),), ((begin, end, *_),) = call, whole
    assert begin <= left < right <= end
    for x0, x1, y0, y1 in [*words, *labels]:
        assert right <= x0 or x1 <= left or bottom <= y0 + 1 or y1 <= top
    pull(page, knob(page, 5), 0.3 * POINT)
    assert out(page) == ["squares-3", "squares-4", "sparsemax-1", "sparsemax-4"]
    told = "Squares and sparsemax: “because” rose, and its weight stayed 0%: their fourth lamps are out."
    assert said(page) == f"{told} Softmax has all four."
    assert badge(page).is_hidden()
    assert page.locator(".ws-meant").count() == 0


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_at_first_everybody_is_asked_for_and_then_the_best_of_the_others(visit, width):
    page = visit(figure(), width=width).page
    meant = lambda: page.locator(".ws-meant").evaluate_all("all => all.map(el => el.parentElement.ariaLabel)")  # noqa: E731
    assert (badge(page).text_content(), meant()) == ("pull us up", ["scores of everybody"])
    call, whole = badge(page).bounding_box(), page.locator(".ws-figure").bounding_box()
    assert whole["x"] <= call["x"]
    pull(page, everybody(page), POINT)
    assert out(page) == ["squares-3"]
    assert (badge(page).text_content(), meant()) == ("pull me up", ["score of drank (token 3 of 7)"])
    call, whole = badge(page).bounding_box(), page.locator(".ws-figure").bounding_box()
    assert whole["y"] <= call["y"]
    pull(page, knob(page, 2), 0.8 * POINT)
    assert out(page) == ["squares-3", "sparsemax-1"]
    assert badge(page).count() == 0, "because is above 0 now, and a little would show nothing"


def test_on_a_phone_a_lamp_keeps_clear_of_line_and_bars_and_the_bars_have_their_name(visit):
    page = visit(figure(), width=360).page
    rows, bars, asked, lamps = page.evaluate(
        """() => ['.ws-rule', '.ws-compare > svg', '.ws-asked-pair', '.ws-lamp'].map(kind =>
          [...document.querySelectorAll(kind)].map(el => el.getBoundingClientRect()).map(
            ({ left, right, top, bottom }) => [left, right, top, bottom]))"""
    )
    for k, (_, _, top, bottom) in enumerate(lamps):
        assert top >= rows[k // 4][2] + 5
        assert bottom <= bars[k // 4][2] - 6
    np.testing.assert_allclose(np.diff([left for left, *_ in lamps[:4]], 2), 0, atol=0.1)
    assert bars[2][3] <= asked[0][2] + 1 <= bars[2][3] + 8, "right under the last of them"
    assert asked[0][1] <= rows[0][1]


def test_it_says_how_many_words_have_nothing(visit):
    page = visit(figure()).page
    notes = lambda: page.locator(".ws-rule small").all_text_contents()  # noqa: E731
    expected = ["1 word gets 0", "all get some", "5 words get 0"]
    assert notes() == expected
    zeros = [sum(w == 0 for w in weights) for weights in figure().maps.values()]
    assert zeros == [1, 0, 5]
    pull(page, everybody(page), POINT)
    assert notes() == ["all get some", "all get some", "5 words get 0"]
    press(page, "Reset")
    pull(page, knob(page, 1), 500)
    assert notes()[2] == "6 words get 0"
    none = visit(figure(scores=[-0.5, -0.5, -1.5, -1.0, -0.2, -0.6, -0.8])).page
    assert none.locator(".ws-rule small").nth(0).text_content() == "all get 0"
    assert "; 5 words get 0" in label_of(visit(figure()).page, 2)


def test_under_a_question_the_first_row_has_the_ground_of_the_question(visit):
    question = Predict("What happens?", ["It falls", "It stays"], answer="It falls")
    cells = "".join(f'<div class="cell">{one._repr_html_()}</div>' for one in (question, figure()))
    grounds = lambda page, parts: page.locator(parts).evaluate_all(  # noqa: E731
        "all => all.map(el => getComputedStyle(el).backgroundColor)"
    )
    page = visit(cells).page
    card, none = grounds(page, ".ws-predict")[0], "rgba(0, 0, 0, 0)"
    assert page.locator(".ws-called b").all_text_contents() == list(RULES) == ["squares", "softmax", "sparsemax"]
    assert card != none
    assert grounds(page, ".ws-rule") == [card, none, none]
    assert grounds(visit(figure()).page, ".ws-rule") == [none] * 3


def label_of(page, rule):
    return page.locator(".ws-rule").nth(rule).get_attribute("aria-label")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_lamp_that_is_on_is_bright_and_one_that_is_out_is_hollow(visit, theme):
    page = visit(figure(out=["squares-3"]), theme=theme).page
    fill = lambda kind, k: page.locator(kind).nth(k).evaluate("el => getComputedStyle(el).fill")  # noqa: E731
    red, green, blue = (int(part) for part in re.findall(r"\d+", fill(".ws-disc", 0)))
    assert red > 230 and green > 180 and blue < 120  # noqa: PT018
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert fill(".ws-rim", 2) == paper
    assert attributes(page, ".ws-disc", "r")[2] == 0


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_heads_badge_and_numbers_stand_free(visit, width):
    page = visit(figure(), width=width).page
    heads, numbers, lamps, call, labels, knobs = page.evaluate("""() =>
      ['.ws-wish', '.ws-ratio', '.ws-lamp', '.ws-call:not(.ws-gone)', '.ws-comb text.ws-label, .ws-everybody',
       '.ws-knob'].map(kind =>
        [...document.querySelectorAll(kind)].map(el => {
          const range = document.createRange();
          range.selectNodeContents(el);
          const { left, right, top, bottom } = (kind === '.ws-wish' ? range : el).getBoundingClientRect();
          return [left, right, top, bottom];
        }))""")
    gaps = [after[0] - before[1] for before, after in itertools.pairwise(heads)]
    assert min(gaps) >= 7
    assert max(number[1] for number in numbers) < min(lamp[0] for lamp in lamps), "no number in a column of lamps"
    ((left, right, top, bottom),) = call
    for x0, x1, y0, y1 in [*labels, *knobs]:
        assert right <= x0 or x1 <= left or bottom <= y0 or y1 <= top


def test_everybody_moves_as_one_comb_on_an_axis_that_stays(visit):
    page = visit(figure()).page
    tops = lambda: np.array([grip(page, i).bounding_box()["y"] for i in range(7)])  # noqa: E731
    bars = lambda: attributes(page, "rect.ws-score", "height")  # noqa: E731
    lines = lambda: attributes(page, ".ws-points line", "y1").tolist()  # noqa: E731
    at, heights, axis, foot = tops(), bars(), lines(), spine(page)
    pull(page, everybody(page), POINT)
    np.testing.assert_allclose(at - tops(), POINT, atol=0.02)
    np.testing.assert_allclose(bars(), heights, atol=1e-9)
    assert lines() == axis
    assert foot - spine(page) == pytest.approx(POINT)
    assert ratios(page) == ["1.44×", "1.65×", "3×"]
    assert out(page) == ["squares-3"]
    assert said(page).startswith(
        "Squares: everybody got 1 point more, and “cat” over “milk” went from 1.78 to 1.44"
    )
    pull(page, everybody(page), 500)
    assert slider(page, "score of cat").get_attribute("aria-valuetext") == "cat, score 3.0", (
        "as far as there is room"
    )
    pull(page, everybody(page), -500)
    assert slider(page, "score of because").get_attribute("aria-valuetext") == "because, score −1.5"
    np.testing.assert_allclose(bars(), heights, atol=1e-9)
    assert lines() == axis
    assert out(page) == ["squares-3"]


def test_a_word_alone_is_pulled_no_further_than_the_axis_goes(visit):
    page = visit(figure(shift=1)).page
    axis = attributes(page, ".ws-points line", "y1").tolist()
    for pixels, text in [(500, "cat, score 3.0"), (-500, "cat, score −1.5")]:
        pull(page, knob(page, 1), pixels)
        assert grip(page, 1).get_attribute("aria-valuetext") == text
        assert attributes(page, ".ws-points line", "y1").tolist() == axis


def test_a_swap_puts_no_lamp_out(visit):
    page = visit(figure()).page
    do(page, ("button", "swap the scores of cat and milk"))
    assert [grip(page, i).get_attribute("aria-valuenow") for i in (1, 4)] == ["1.5", "2"]
    assert ratios(page) == ["0.563×", "0.607×", "0.333×"]
    assert out(page) == []
    assert said(page) == "“cat” and “milk” swapped their scores. Under all three they swapped their weights."


def test_the_fourth_wish_is_asked_when_a_knob_is_let_go(visit):
    page = visit(figure()).page
    pull(page, knob(page, 2), 0.1 * POINT, release=False)
    assert out(page) == []
    assert said(page) == "“drank” rose. Under all three “cat” over “milk” stays."
    page.mouse.up()
    assert out(page) == ["sparsemax-4"]
    assert said(page) == "Sparsemax: “drank” rose, and its weight stayed 0%: its fourth lamp is out."
    press(page, "Reset")
    pull(page, knob(page, 1), 0.8 * POINT)
    assert (ratios(page)[2], out(page)) == ("∞", []), "it rose, from 75% to all"
    pull(page, knob(page, 1), 0.2 * POINT)
    assert out(page) == ["sparsemax-4"]
    assert said(page) == "Sparsemax: “cat” rose, and its weight stayed 100%: its fourth lamp is out."


def test_a_touch_alone_changes_nothing(visit):
    page = visit(figure()).page
    for one in (knob(page, 2), everybody(page)):
        one.click()
    assert (ratios(page), out(page)) == (["1.78×", "1.65×", "3×"], [])
    assert badge(page).is_visible()


def test_by_keys_alone(visit):
    page = visit(figure()).page
    for _ in range(8):
        slider(page, "score of drank").press("ArrowUp")
    assert ratios(page)[2] == "16×"
    assert out(page) == ["sparsemax-1", "sparsemax-4"], "each press is a move: the first gave drank nothing"
    assert "went from 3 to 16" in said(page)
    handle = slider(page, "scores of everybody")
    for key, text in [("PageUp", "+1"), ("ArrowDown", "+0.9"), ("Home", "−0.9"), ("End", "+1")]:
        handle.press(key)
        assert handle.get_attribute("aria-valuetext") == f"{text} points for everybody"
    page.get_by_role("button", name="swap the scores").press("Enter")
    assert out(page) == ["squares-3", "sparsemax-1", "sparsemax-4"]


def test_a_link_carries_what_went_out_and_why(visit):
    page = opened(visit(figure()))
    pull(page, knob(page, 2), 0.8 * POINT)
    pull(page, everybody(page), 0.5 * POINT)
    link, seen = copied(page), (said(page), ratios(page), out(page))
    scores = "0.2,2,1.9,0.2,1.5,-0.6,0.8"
    assert link == f"lamps?scores={scores}&shift=0.5&was={scores}&out=squares-3,sparsemax-1"
    there = visit(figure(), link=f"#{link}").page
    assert (said(there), ratios(there), out(there)) == seen
    mixed = visit(figure(), link="#lamps?out=sparsemax-4,softmax-1").page
    assert out(mixed) == ["softmax-1", "sparsemax-4"], "in any order"
    beyond = visit(figure(), link="#lamps?shift=1.5").page
    assert said(beyond).startswith("All lamps are on")


def test_a_finger_scrolls_the_page_unless_it_begins_on_a_knob(visit):
    found = visit(
        "<p style='height: 60px'>Before.</p>",
        figure(),
        "<p style='height: 2000px'>After.</p>",
        width=360,
        has_touch=True,
    )
    page, touch = found.page, found.context.new_cdp_session(found.page)

    def swiped(x, y, by):
        """How far the page has come when it is at rest again, and put back."""
        for kind, dy in [("touchStart", 0), *(("touchMove", by * k / 8) for k in range(1, 9)), ("touchEnd", None)]:
            points = [] if dy is None else [{"x": x, "y": y + dy}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        came = page.evaluate(SCROLLED)
        page.evaluate("scrollTo(0, 0)")
        page.evaluate(SCROLLED)
        return came

    middle = lambda box: (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # noqa: E731
    for part in (".ws-tokens", ".ws-wishes", ".ws-rule"):
        assert swiped(*middle(page.locator(part).first.bounding_box()), -80) > 30, part
    x, y = middle(knob(page, 1).bounding_box())
    assert swiped(x, y + 40, -80) > 30, "on its bar"
    assert (ratios(page), out(page)) == (["1.78×", "1.65×", "3×"], []), "nothing has moved"
    for near in (14, 20, 26):  # browsers lead a finger that begins close to a knob to it, or not; never to both
        scrolled = swiped(x, y + near, -80) > 0
        assert scrolled == (ratios(page)[0] == "1.78×"), near
        press(page, "Reset")
    assert swiped(*middle(knob(page, 2).bounding_box()), -0.8 * POINT) == 0
    assert (ratios(page)[2], out(page)) == ("16×", ["sparsemax-1"])
    assert swiped(*middle(everybody(page).bounding_box()), -POINT) == 0
    assert out(page) == ["squares-3", "sparsemax-1"]


@pytest.mark.parametrize("still", [False, True])
def test_a_lamp_goes_out_in_sight_unless_motion_is_unwanted(visit, still):
    page = visit(figure(), still=still).page
    page.evaluate("""() => {
      [window.seen, window.flashes] = [new Set(), new Set()];
      const look = () => {
        seen.add(Number(document.querySelectorAll('.ws-disc')[8].getAttribute('r')));
        flashes.add(Number(document.querySelectorAll('.ws-flash')[8].getAttribute('opacity')));
        requestAnimationFrame(look);
      };
      look();
    }""")
    slider(page, "score of drank").press("PageUp")
    page.wait_for_function("document.querySelectorAll('.ws-disc')[8].getAttribute('r') === '0'")
    between = page.evaluate(f"[...seen].filter(r => r > 0 && r < {DISC}).length")
    assert (between == 0) if still else (between > 2)
    assert (page.evaluate("Math.max(...flashes)") > 0) != still
    assert page.locator(".ws-flash").nth(8).get_attribute("opacity") == "0"
    assert ringed(page) == ["sparsemax-1"], "which stays, in any case"


@pytest.mark.parametrize(("width", "most"), [(1000, 600), (360, 700)])
def test_all_of_it_fits_a_screen(visit, width, most):
    wide = "<style>.ws-figure { max-width: 1000px !important }</style>"
    page = visit(wide, figure(caption="Two lines of a caption, " * 3), width=width).page
    assert page.locator(".ws-figure").bounding_box()["height"] <= most
    words = page.eval_on_selector_all(".ws-sentence > *", "all => all.map(el => el.scrollWidth <= el.clientWidth)")
    assert words == [True] * len(TOKENS), "no word is cut"
