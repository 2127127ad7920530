"""A prediction in the page: committed to, then answered; with a kernel, without one, and without a script."""

import json
import math
import re

import numpy as np
import pytest
from figure_page import OVERLAPS, come_alive, drawn, example, in_a_notebook, said
from gallery import GALLERY, OPTIONS, choice, even, number

from book.example import SCORES
from book.figures import Predict
from lib import softmax


def press(page, i):
    page.locator(".ws-guess").nth(i).click()


def check(page):
    page.get_by_role("button", name="Check my guess").click()


def again(page):
    page.get_by_role("button", name="Ask again").click()


def told(page):
    return page.get_by_role("status").inner_text().removesuffix("Ask again").rstrip()


# --- Python -----------------------------------------------------------------------------------------

CHOICE = {"question": "Which?", "options": ["yes", "no"], "answer": "no"}
NUMBER = {"question": "How far?", "answer": 1, "low": 0, "high": 2}
BAD = [
    (CHOICE, {"answer": "It vanishes"}, "answer", "'It vanishes' is not among the options ['yes', 'no']"),
    (CHOICE, {"answer": None}, "answer", "None is not among"),
    (CHOICE, {"answer": 3}, "answer", "3.0 is not among"),
    (CHOICE, {"options": ["yes"], "answer": "yes"}, "options", "['yes'] are not two different answers or more"),
    (CHOICE, {"options": ["yes", "no", "yes"]}, "options", "not two different answers"),
    (CHOICE, {"options": "yes"}, "options", "'yes' is not a list of words"),
    (CHOICE, {"question": "How *far?"}, "question", "opens an emphasis"),
    (CHOICE, {"why": "*"}, "why", "opens an emphasis"),
    (CHOICE, {"chosen": "perhaps"}, "chosen", "'perhaps' is not among"),
    (CHOICE, {"name": "two words"}, "name", "letters"),
    (NUMBER, {"answer": 5}, "answer", "5.0 is not a number from low = 0.0 to high = 2.0"),
    (NUMBER, {"answer": "5"}, "answer", "'5' is not a number"),
    (NUMBER, {"answer": math.inf}, "answer", "inf has no place"),
    (NUMBER, {"answer": math.nan}, "answer", "nan has no place"),
    (NUMBER, {"low": 2}, "low", "2.0 is not below high = 2.0"),
    (NUMBER, {"log": True}, "low", "0.0 cannot stand on a logarithmic line"),
    (NUMBER, {"chosen": 3}, "chosen", "3.0 is not a number"),
]


@pytest.mark.parametrize(("usual", "values", "name", "says"), BAD)
def test_a_question_that_cannot_be_answered_is_refused_by_name(usual, values, name, says):
    with pytest.raises(ValueError, match=rf"^{name}: .*{re.escape(says)}"):
        Predict(**{**usual, **values})


def test_python_hears_what_was_chosen_and_can_choose_what_is_among_the_answers():
    question, seen = choice(), []
    question.observe(lambda change: seen.append(change["new"]), "chosen")
    question.set_state({"chosen": OPTIONS[1]})
    with pytest.raises(ValueError, match=r"^chosen: 'no' is not among the options"):
        question.chosen = "no"
    question.chosen = None
    assert seen == [OPTIONS[1], None]
    json.dumps(question.get_state(), allow_nan=False)


def test_as_plain_text_it_asks_for_a_number_in_words():
    assert (
        number()._repr_mimebundle_()[0]["text/plain"]
        == "How large must β be? (a number from 1 to 100\u202f000 per point)"
    )


def test_the_picture_has_its_emphasis_and_no_markup_of_its_own_making(draw):
    html = draw(choice())
    assert "<em>doubles</em>" in html
    assert "<em>2.72</em> &lt;β &amp; all&gt;" in html


# --- several answers --------------------------------------------------------------------------------


@pytest.mark.parametrize(("i", "begins"), [(0, "No: “It is squared”."), (2, "Right: “It is squared”.")])
def test_a_press_commits_to_an_answer_which_is_judged(visit, i, begins):
    page = visit(choice()).page
    assert page.locator(".ws-told").inner_text() == ""
    page.get_by_role("group", name="What becomes of it?").get_by_role("button").nth(i).click()
    assert told(page).startswith(begins)
    assert told(page).endswith("It goes from 1.65 to 2.72 <β & all>.")
    assert page.locator(".ws-told em").inner_text() == "2.72"
    assert page.get_by_role("button").all_inner_texts() == ["Ask again"]


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("ask", [choice, number])
def test_nothing_moves_when_the_answer_comes(visit, ask, width):
    """The longest answer has its room from the start, and stands within it."""
    page = visit(ask(), width=width).page
    height = "document.querySelector('.ws-predict').offsetHeight"
    before = page.evaluate(height)
    for at in (0, 1, 2) if ask is choice else (1, 60, 199):
        if ask is choice:
            press(page, at)
        else:
            place(page, at)
            check(page)
        said, card = (page.locator(part).bounding_box() for part in (".ws-told", ".ws-predict"))
        assert page.evaluate(height) == before
        assert said["height"] > 10
        assert said["y"] + said["height"] <= card["y"] + card["height"]
        again(page)
        assert page.evaluate(height) == before


SHORT = "Far fewer than most of us would say, and for one reason."


@pytest.mark.parametrize("ask", [choice, number])
def test_on_a_phone_the_reply_takes_the_place_of_all_that_is_asked(visit, ask):
    """So the card is as tall as what asks, however the reply of a few lines ends."""
    page = visit(ask(why=SHORT), width=360).page
    card, asked = (page.locator(part).bounding_box() for part in (".ws-predict", ".ws-asked"))
    assert card["y"] + card["height"] - asked["y"] - asked["height"] <= 12
    assert card["height"] <= 190
    if ask is number:
        button, words = page.locator(".ws-commit").bounding_box(), page.locator(".ws-value").bounding_box()
        assert button["height"] >= 44
        assert button["y"] < words["y"] < button["y"] + button["height"], "one row"
        place(page, 199)
        assert page.locator(".ws-predict").bounding_box()["height"] == card["height"], "a long number has room"
        check(page)
        assert page.locator(".ws-rail").is_hidden()
        question, reply = (page.locator(part).bounding_box() for part in (".ws-question", ".ws-told"))
        assert reply["y"] - question["y"] - question["height"] <= 8
    else:
        press(page, 0)
    assert page.get_by_role("button", name="Ask again").bounding_box()["height"] >= 44


def test_quotation_marks_within_quotation_marks_are_single(visit):
    nan = "NaN, “not a number”"
    page = visit(Predict("Which?", [nan, "1/7"], answer="1/7")).page
    press(page, 0)
    assert told(page) == "No: “1/7”."


LINES = [
    {"low": 1, "high": 1e5, "log": True, "unit": "per point"},
    {"low": 0.1, "high": 10_000, "log": True, "unit": "GB"},
    {"low": 0, "high": 100, "unit": "%"},
]


@pytest.mark.parametrize("line", LINES, ids=[line["unit"] for line in LINES])
def test_numbers_under_the_line_stand_apart_and_within_the_card(visit, line):
    page = visit(Predict("How far?", answer=50, **line), width=360).page
    for width, fewest in ((360, 5), (1280, 5)):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(OVERLAPS, ".ws-ticks span:not(.ws-crowded)") == []
        shown = page.locator(".ws-ticks span").locator("visible=true")
        assert shown.count() >= fewest
        last, rail = shown.last.bounding_box(), page.locator(".ws-rail").bounding_box()
        assert last["x"] + last["width"] <= rail["x"] + rail["width"] + 0.5


def test_a_number_without_room_leaves_its_tick(visit):
    page = visit(number(), width=360).page
    look = """el => [getComputedStyle(el).visibility, getComputedStyle(el).color,
        getComputedStyle(el, '::before').width]"""
    assert page.locator(".ws-ticks .ws-crowded").first.evaluate(look) == ["visible", "rgba(0, 0, 0, 0)", "1px"]


CELLS = """() => document.querySelectorAll('.ws-figure').forEach(el => {
  const cell = document.createElement('div');
  cell.className = 'cell';
  el.before(cell);
  cell.append(el);
})"""


def test_under_an_open_question_the_badge_of_a_figure_is_an_outline(visit):
    page = visit(choice(), GALLERY["curves"]["fan"]).page
    page.evaluate(CELLS)
    ground = "el => getComputedStyle(el).backgroundColor === getComputedStyle(document.body).backgroundColor"
    badge = page.locator(".ws-call:visible").first
    assert badge.evaluate(ground)
    press(page, 0)
    assert not badge.evaluate(ground)


def test_the_keyboard_alone_is_enough(visit):
    page = visit(choice()).page
    focused = "document.activeElement.textContent"
    for at in OPTIONS:
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == at.replace("*", "")
    page.keyboard.press("Enter")
    assert told(page).startswith("Right")
    assert page.evaluate(focused) == "Ask again", "the focus goes on to what can be pressed now"
    page.keyboard.press("Enter")
    assert page.locator(".ws-told").inner_text() == ""
    assert page.evaluate(focused) == "It stays"
    page.keyboard.press("Space")
    assert told(page).startswith("No")
    assert "#" not in page.url


# --- a number ---------------------------------------------------------------------------------------


def share():
    return Predict("What share?", answer=80.8, unit="%", low=0, high=100, why="", name="share")


def place(page, value):
    page.locator(".ws-predict .ws-range").evaluate(
        "(el, v) => { el.value = v; el.dispatchEvent(new Event('input')) }", value
    )


MARKS = [
    (number, 120, "You said 1000; it is 27.4 per point."),
    (number, 0, "You said 1; it is 27.4 per point."),
    (number, 199, "You said 94\u202f400; it is 27.4 per point."),
    (number, 57, "Right: it is 27.4 per point."),
    (even, 104, "Right: it is 3.2."),
    (even, 0, "You said −2; it is 3.2."),
    (share, 101, "You said 50.5; it is 80.8%."),
]


@pytest.mark.parametrize("ask", [number, even, share])
def test_a_mark_is_measured_against_the_truth(visit, ask):
    page = visit(ask()).page
    for at, says in [(at, says) for asked, at, says in MARKS if asked is ask]:
        place(page, at)
        assert page.locator(".ws-truth").is_hidden()
        check(page)
        assert page.locator(".ws-said").inner_text() == says
        assert page.locator(".ws-range").input_value() == str(at), "the mark stays"
        assert page.locator(".ws-range").is_disabled(), "it is committed to"
        again(page)


@pytest.mark.parametrize("ask", [number, even])
def test_the_truth_stands_where_a_mark_on_it_would(visit, ask):
    question = ask()
    page = visit(question, width=1280).page
    place(page, 3)
    check(page)
    low, high, x = (math.log(v) if question.log else v for v in (question.low, question.high, question.answer))
    rail, truth, first = (
        page.locator(part).first.bounding_box() for part in (".ws-range", ".ws-truth", ".ws-ticks span")
    )
    share = (x - low) / (high - low)
    assert truth["x"] + 1 == pytest.approx(rail["x"] + 12 + share * (rail["width"] - 24), abs=1.5)
    assert first["x"] + first["width"] / 2 == pytest.approx(rail["x"] + 12, abs=1)


@pytest.mark.parametrize("way", ["key", "click"])
def test_the_mark_waits_at_the_low_end_hints_at_nothing_and_can_stay_there(visit, way):
    page = visit(number()).page
    mark = page.get_by_role("slider", name="your mark")
    assert (mark.input_value(), mark.get_attribute("aria-valuetext")) == ("0", "no mark yet")
    if way == "key":
        mark.press("Home")
    else:
        mark.click(position={"x": 12, "y": 22})
    assert mark.get_attribute("aria-valuetext") == "1 per point"


def test_a_mark_is_moved_with_keys_and_said_in_words(visit):
    page = visit(number()).page
    mark = page.get_by_role("slider", name="your mark")
    for key, says in [(None, "no mark yet"), ("Home", "1 per point"), ("ArrowRight", "1.06 per point")]:
        if key:
            mark.press(key)
        assert mark.get_attribute("aria-valuetext") == says
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert told(page).startswith("You said 1.06; it is 27.4 per point.")
    again(page)
    assert mark.get_attribute("aria-valuetext") == "no mark yet"
    assert page.locator(".ws-truth").is_hidden()


def test_without_a_mark_there_is_nothing_to_check(visit):
    page = visit(number(figure=FAR), example()).page
    before, button = said(page), page.get_by_role("button", name="Check my guess")
    assert button.is_disabled()
    button.click(force=True)
    assert page.locator(".ws-told").inner_text() == ""
    assert said(page) == before, "nor is a figure moved"
    place(page, 3)
    assert button.is_enabled()


def test_numbers_stand_under_their_places_on_the_line(draw):
    for state, share in [("number", lambda x: math.log(x, 1e5)), ("even", lambda x: (x + 2) / 10)]:
        html = draw(GALLERY["predict"][state])
        ticks = re.findall(r'<span style="left:([\d.]+)%"[^>]*>([^<]*)</span>', html)
        assert len(ticks) >= 5
        for left, text in ticks:
            x = float(text.replace("\u202f", "").replace("−", "-"))
            assert float(left) == pytest.approx(100 * share(x), abs=1e-3)


# --- the page ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [choice, number])
def test_without_script_the_answer_is_folded_and_can_be_opened(visit, ask):
    page = visit(ask(), java_script_enabled=False).page
    answer = page.locator(".ws-answer p")
    assert page.locator(".ws-room").is_hidden()
    assert page.locator(".ws-question").is_visible()
    options = ["It stays", "It doubles", "It is squared"] if ask is choice else []
    assert page.locator(".ws-guess").all_inner_texts() == options
    assert answer.is_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert answer.is_visible()
    assert page.locator("button, input").count() == 0


def test_on_paper_a_question_that_was_answered_is_printed_as_one_that_was_not(visit):
    page = visit(choice(chosen=OPTIONS[0])).page
    page.emulate_media(media="print")
    assert page.locator(".ws-told").is_hidden()
    for text in ("What becomes of", "It stays", "The answer"):
        assert page.get_by_text(text).locator("visible=true").count() == 1
    assert page.locator(".ws-answer p").bounding_box()["height"] > 10


FAR = "beta-weights?beta=4&scores=0,0,1,0,0,0,0"
FAR_SCORES = [0, 0, 1, 0, 0, 0, 0]
ANSWER = softmax(4.0 * np.array(FAR_SCORES))  # the weights that FAR shows


@pytest.mark.parametrize("first", ["question", "figure"])
def test_to_commit_moves_the_figure_to_the_answer_and_not_the_page(visit, first):
    both = [choice(figure=FAR), example()]
    page = visit(*(both if first == "question" else both[::-1]), example(name="other"), height=400).page
    page.evaluate("scrollBy(0, 40)")
    page.locator(".ws-guess").nth(0).focus()
    before, at = said(page, "#beta-weights"), page.evaluate("scrollY")
    page.keyboard.press("Enter")
    assert said(page, "#beta-weights") != before
    assert drawn(page, "#beta-weights") == pytest.approx(ANSWER, abs=1e-9)
    assert page.evaluate("document.activeElement.textContent") == "Ask again"
    assert page.evaluate("scrollY") == at > 0
    assert "#" not in page.url
    assert said(page, "#other") == before, "the others stay"
    # To take the choice back leaves the figure.
    again(page)
    assert drawn(page, "#beta-weights") == pytest.approx(ANSWER, abs=1e-9)


@pytest.mark.parametrize("still", [True, False])
def test_the_figure_glides_to_the_answer_unless_the_reader_wants_no_motion(visit, still):
    page = visit(choice(figure=FAR), example(), still=still).page
    bars = """() => {
      document.querySelector('.ws-predict .ws-guess').click();
      return [...document.querySelectorAll('rect.ws-weight')].map((bar) => Number(bar.getAttribute('height')));
    }"""
    arrived = page.evaluate(bars) == pytest.approx(105 * ANSWER, abs=1e-9)
    assert arrived == still


COMMIT = """({ el, state }) => {
  el.querySelectorAll('.ws-guess')[1].focus();
  document.activeElement.click();
  return document.activeElement.textContent;
}"""
TAKE_BACK = "({ el, hear }) => hear('chosen', null)"
SHOWN = "({ el, state }) => [state.beta, state.scores, el.querySelector('.ws-say').textContent.slice(0, 9)]"
AT_REST = [1, list(SCORES), "At β = 1,"]
MOVED = [4, FAR_SCORES, "At β = 4,"]


def in_cells(page, *cells):
    return [in_a_notebook(page, figure, act, kept=True) for figure, act in cells]


def test_in_a_notebook_figures_move_that_are_there_or_drawn_later_and_tell_their_kernel(visit):
    page = visit(choice(), script=False).page
    watch = "(found) => { window.shown = () => (" + SHOWN + ")(found); return window.shown(); }"
    before, asked, later, other, set_already = in_cells(
        page,
        (example(), watch),
        (choice(figure=FAR), COMMIT),
        (example(), SHOWN),
        (example(name="other"), SHOWN),
        (moved(example()), SHOWN),
    )
    assert before["done"] == other["done"] == AT_REST
    assert asked["done"] == "Ask again"
    assert page.evaluate("window.shown()") == later["done"] == MOVED
    assert later["saved"]
    assert set_already["done"][0] == 2.0, "what is not at its start stays"


@pytest.mark.parametrize("how", ["taken back", "asked anew"])
def test_an_answer_that_is_taken_back_moves_no_figure_any_more(visit, how):
    page = visit(choice(), script=False).page
    anew = [(choice(figure=FAR), "() => null")] if how == "asked anew" else []
    act = COMMIT if anew else "(found) => { (" + COMMIT + ")(found); (" + TAKE_BACK + ")(found); }"
    *_, later = in_cells(page, (choice(figure=FAR), act), *anew, (example(), SHOWN))
    assert later["done"] == AT_REST


def moved(figure):
    figure.beta = 2.0
    return figure


def test_a_figure_of_the_page_that_comes_alive_after_the_commit_moves_unless_a_link_has_set_it(visit):
    for link, begins in (("", "At β = 4,"), ("#beta-weights?beta=0", "At β = 0")):
        page = visit(example(), script=False, link=link).page
        in_cells(page, (choice(figure=FAR), COMMIT))
        page.evaluate("document.querySelector('.ws-predict').remove()")
        come_alive(page)
        assert said(page, "#beta-weights").startswith(begins)


def test_a_notebook_hears_the_choice_keeps_its_shortcuts_off_and_can_take_it_back(visit):
    act = """({ el, state, hear }) => {
      let taken = 0;
      document.body.addEventListener('keydown', () => taken += 1);
      const option = el.querySelectorAll('.ws-guess')[1];
      option.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      option.click();
      const mine = [state.chosen, el.querySelector('.ws-said').textContent];
      hear('chosen', null); // the kernel takes it back
      return { mine, theirs: el.querySelector('.ws-told').textContent, taken };
    }"""
    found = in_a_notebook(visit(choice(), script=False).page, choice(figure="elsewhere"), act)
    assert found["saved"]
    assert found["done"] == {
        "mine": [OPTIONS[1], "No: “It is squared”."],
        "theirs": "",
        "taken": 0,
    }


def test_two_questions_on_a_page_are_independent(visit):
    page = visit(choice(), Predict("Which?", ["a", "b"], "a", "Because.", name="other")).page
    page.locator("#other .ws-guess").nth(1).click()
    assert page.locator("#other .ws-told").inner_text().startswith("No: “a”.")
    assert page.locator("#choice .ws-told").inner_text() == ""
