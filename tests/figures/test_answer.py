"""An exercise that is answered in the page: judged there as Python judges it, however it is answered."""

import json
import math
from itertools import chain, combinations

import numpy as np
import pytest
from figure_page import in_a_notebook
from gallery import FOUR, GALLERY, PETS, SIDES, THIRDS, place
from in_node import ask

from book.exercises import EXERCISES, answer, check
from book.judging import Judge, complaint

IN_PAGE = {id: exercise for id, exercise in EXERCISES.items() if isinstance(exercise.judge, Judge)}
JUDGE = "({ data, given }) => judge(data, given)"


# --- what the page says, and what Python says ----------------------------------------------------------


def numbers_for(asked):
    """The right number, those at the edges of what is taken for it, others on both sides, and the known slips."""
    right, within = asked["right"], asked["within"]
    edges = [right + sign * within * (1 + more) for sign in (-1, 1) for more in (-1e-4, 1e-4)]
    return [right, *edges, right - 10 * within - 1, right + 10 * within + 1, *(x for x, *_ in asked["slips"])]


def rows_for(asked):
    right, within = np.array(asked["right"]), asked["within"]
    yield from [right, right + 1, right - 1, 2 * right, -right, *(np.array(x) for x, *_ in asked["slips"])]
    for one in np.eye(len(right)):
        yield from [right + sign * within * (1 + more) * one for sign in (-1, 1) for more in (-1e-4, 1e-4)]
        yield from (right + one - np.roll(one, 1), right + 0.1 * (one - np.roll(one, 1)))


def answers_for(asked):
    """[(the answer as the page has it, as Python has it)]"""
    if asked["kind"] == "number":
        return [(repr(float(x)), float(x)) for x in numbers_for(asked)]
    if asked["kind"] == "row":
        return [(";".join(repr(float(x)) for x in row), row) for row in rows_for(asked)]
    if asked["kind"] == "choice":
        return [(word, word) for word in asked["options"]]
    sizes = range(1, len(asked["options"]) + 1)
    some = chain.from_iterable(combinations(asked["options"], size) for size in sizes)
    return [(",".join(words), words) for words in some]


def test_the_page_says_of_every_answer_to_every_exercise_what_python_says():
    """Of a number that is wrong in no known way Python adds what it leads to."""
    rows, found = [], []
    for id, exercise in IN_PAGE.items():
        asked = json.loads(json.dumps(exercise.judge.asked()))
        for text, value in answers_for(asked):
            rows.append({"data": {"asked": asked, "why": exercise.why}, "given": text})
            found.append((id, value))
    verdicts = ask(JUDGE, rows, "answer")
    words = {}
    for row, verdict, (id, value) in zip(rows, verdicts, found, strict=True):
        result = check(id, value)
        assert verdict["word"] == result.word, (id, value, verdict)
        rest = result.says.removeprefix(verdict["says"])
        assert rest == "" or (rest[0] == " " and row["data"]["asked"]["kind"] == "number"), (id, value, result)
        words.setdefault(id, []).append(result.word)
    assert all({"Right", "Not yet"} == set(found) for found in words.values())
    assert len(words) >= 40


def test_what_is_no_answer_is_open_and_what_is_no_number_is_wrong_on_both_sides():
    rows = [
        {"data": {"asked": exercise.judge.asked(), "why": ""}, "given": text}
        for exercise in IN_PAGE.values()
        for text in ("", "abc")
    ]
    verdicts = ask(JUDGE, rows, "answer")
    for (id, exercise), empty, strange in zip(IN_PAGE.items(), verdicts[::2], verdicts[1::2], strict=True):
        assert empty["word"] == check(id, ...).word == "Open"
        typed = exercise.judge.asked()["kind"] == "number"
        assert strange["word"] == ("Not yet" if typed else "Open"), id
        assert check(id, "abc").word == "Not yet"


@pytest.mark.parametrize(
    ("asked", "given", "says"),
    [
        (THIRDS, "1/3;1/3;", "Open Fill in every field first."),
        (THIRDS, "1/3;1/3", "Open Fill in every field first."),
        (THIRDS, "1/3;b;1/3", "Not yet “b” is not a number that I can read."),
        (THIRDS, "1/2;1/2;1/2", "Not yet The weights sum to more than 1."),
        (THIRDS, "0.2;0.3;0.3", "Not yet The weights sum to less than 1."),
        (THIRDS, "1/3;1;-1/3", "Not yet A weight is never below 0."),
        (THIRDS, "1/3;1/2;1/6", "Not yet “b” is too large."),
        (THIRDS, "0.33;0.33;0.33", "Right "),
        (THIRDS, "1;0;0", "Not yet They share alike."),
        (FOUR, "22", "Not yet That is two beside two."),
        (FOUR, "3,900", "Not yet “3,900” can be read in two ways: leave the comma out, or write a point."),
        (FOUR, "3,99", "Right "),
        (PETS, "dog,cat,unicorn", "Right "),
        (PETS, "cat", "Not yet Mind the dog."),
        (SIDES, "middle", "Open Choose an answer first."),
    ],
)
def test_the_page_says(asked, given, says):
    ((verdict),) = ask(JUDGE, [{"data": {"asked": asked, "why": ""}, "given": given}], "answer")
    assert f"{verdict['word']} {verdict['says']}" == says
    if asked is THIRDS and "b" not in given and given.count(";") == 2 and given[-1] != ";":
        row = [float(eval(x)) for x in given.split(";")]  # the texts above
        assert (complaint(asked, row) or "") == verdict["says"]


READ = {
    "0.75": 0.75,
    "-3": -3,
    "−3": -3,
    "+.5": 0.5,
    "5.": 5,
    "0,75": 0.75,
    "2,3": 2.3,
    "0,125": 0.125,
    "75%": 0.75,
    "1/3": 1 / 3,
    "1 ⁄ 3": 1 / 3,
    "131 072": 131_072,
    "131\u202f072": 131_072,
    "1e-3": 1e-3,
    "2e3": 2000,
    "2 log 10": 2 * math.log(10),
    "2·log(10)": 2 * math.log(10),
    "log 100 / 2": math.log(100) / 2,
    "-log 49": -math.log(49),
    "ln(1 + 1/e)": math.log1p(1 / math.e),
    "e^8": math.exp(8),
    "e^-2": math.exp(-2),
    "2e^-2": 2 * math.exp(-2),
    "exp(-9)": math.exp(-9),
    "exp(2)^3": math.exp(6),
    "-2^2": -4,
    "2^3^2": 512,
    "(1 + √6)/5": (1 + 6**0.5) / 5,
    "sqrt(1/2)": 0.5**0.5,
    "√6/5": 6**0.5 / 5,
    "1/(1 + 4095 exp(-9))": 1 / (1 + 4095 * math.exp(-9)),
    "8 - 2 - 1": 5,
    "8/2/2": 2,
    "2(3+4)": 14,
    "LOG 10": math.log(10),
}
UNREAD = """abc|1/0|log 0|√-1|1,000|12,345,678|2+|(3|3)|3..1|1.2.3|2**3|^2|%|log|e e^|0x10|∞|;|--""".split("|")


def test_a_text_is_read_as_the_number_that_it_is():
    found = ask("readNumber", list(READ), "answer")
    np.testing.assert_allclose(found, list(READ.values()), rtol=1e-14)
    assert ask("readNumber", ["", " ", *UNREAD[:-1]], "answer") == ["nan"] * (len(UNREAD) + 1)


# --- the place ----------------------------------------------------------------------------------------


def told(page):
    return page.get_by_role("status").inner_text()


def press(page, name):
    page.get_by_role("button", name=name).click()


def test_a_number_is_typed_and_judged_with_enter_and_can_be_typed_anew(visit):
    page = visit(place(asked=FOUR, name="four")).page
    for key in ("Tab", *"2+1", "Enter"):
        page.keyboard.press(key)
    assert told(page) == "Not yet. Too small."
    assert page.locator(".ws-equals").inner_text() == "= 3"
    assert page.evaluate("document.activeElement.value") == "2+1", "the focus stays"
    page.keyboard.press("Backspace")
    assert told(page) == "", "what was said was of another answer"
    for key in ("2", "Enter"):
        page.keyboard.press(key)
    assert told(page) == "Right. Two and two are four, and so are two times two."
    assert "#" not in page.url
    page.get_by_role("textbox").fill("4")
    assert page.locator(".ws-equals").inner_text() == "", "a number is not said again"


def test_a_hint_is_there_from_the_start_and_an_empty_answer_is_none(visit):
    page = visit(place(asked=FOUR, name="four")).page
    assert page.get_by_role("button").all_inner_texts() == ["Check", "Hint"]
    press(page, "Check")
    assert told(page).strip() == "Type your answer first."
    press(page, "Hint")
    assert told(page) == "Hint: Count your fingers."
    assert page.get_by_role("button").all_inner_texts() == ["Check", "Hint"]


def test_words_are_ticked_and_one_is_chosen_with_the_mouse_or_with_keys(visit):
    page = visit(place(asked=PETS, name="pets"), place(asked=SIDES, name="sides")).page
    pets, sides = page.locator("#pets"), page.locator("#sides")
    pets.get_by_role("checkbox", name="cat").check()
    pets.get_by_role("button", name="Check").click()
    assert told(pets) == "Not yet. Mind the dog."
    pets.get_by_text("dog", exact=True).click()
    assert told(pets) == ""
    pets.get_by_role("button", name="Check").click()
    assert told(pets).startswith("Right.")
    sides.get_by_role("radio").first.focus()
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert told(sides) == "Not yet. Look to the other side."
    for key in ("ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert told(sides).startswith("Right.")
    assert told(pets).startswith("Right."), "each has its own"


def test_each_field_of_a_row_has_its_name(visit):
    page = visit(place(asked=THIRDS, name="row")).page
    for name, text in zip("abc", ("1/3", "1/3", "33%"), strict=True):
        page.get_by_role("textbox", name=name, exact=True).fill(text)
    press(page, "Check")
    assert told(page).startswith("Right.")


def test_a_link_has_the_answer_and_reset_takes_it_back(visit):
    row = place(asked=THIRDS, name="row")
    page = visit(row, link="#row?given=1%2F3%3B33%25%3Be%5E-1").page
    assert page.get_by_role("textbox").evaluate_all("all => all.map(el => el.value)") == ["1/3", "33%", "e^-1"]
    assert told(page) == "Not yet. The weights sum to more than 1."
    page.get_by_role("textbox").last.fill("1/3")
    press(page, "Check")
    press(page, "Copy link")
    page.get_by_role("status").get_by_text("opens this page with this answer").wait_for()
    assert page.url.endswith("#row?given=1%2F3%3B33%25%3B1%2F3")
    anew = visit(row, link="#" + page.url.partition("#")[2]).page
    assert told(anew).startswith("Right.")
    press(anew, "Reset")
    assert told(anew) == ""
    assert anew.get_by_role("textbox").evaluate_all("all => all.map(el => el.value)") == [""] * 3
    assert anew.get_by_role("button").all_inner_texts() == ["Check", "Hint"]


@pytest.mark.parametrize("given", ["middle", "left,right", "x" * 300, ""])
def test_a_damaged_link_leaves_the_question_open(visit, given):
    page = visit(place(asked=SIDES, name="sides"), link=f"#sides?given={given}").page
    assert told(page) == ""
    assert page.locator("input:checked").count() == 0


# How high each exercise is at rest, with each verdict and with the hint.
HEIGHTS = """() => {
  const all = [...document.querySelectorAll('.ws-exercise')];
  const heights = () => all.map(el => el.getBoundingClientRect().height);
  const found = [heights()];
  const answer = wrong => all.forEach((el) => {
    const { asked } = JSON.parse(el.dataset.state);
    const right = asked.options ? [asked.right].flat() : [asked.right].flat().map(String);
    const inputs = [...el.querySelectorAll('input')];
    if (asked.options) inputs.forEach((input, i) => (input.checked = right.includes(asked.options[i]) !== wrong));
    else inputs.forEach((input, i) => (input.value = wrong ? '1e9' : right[i]));
    el.querySelector('form').requestSubmit();
  });
  for (const wrong of [true, false]) {
    answer(wrong);
    found.push(heights());
  }
  const right = all.filter(el => el.classList.contains('ws-is-right')).length;
  all.forEach(el => [...el.querySelectorAll('button')].find(one => one.textContent === 'Hint').click());
  found.push(heights());
  return { found, right, beyond: document.documentElement.scrollWidth > innerWidth };
}"""


@pytest.mark.parametrize("width", [360, 688, 1280])
def test_nothing_moves_whatever_is_said_of_an_answer(visit, width):
    page = visit(*map(answer, IN_PAGE), width=width).page
    seen = page.evaluate(HEIGHTS)
    rest, *later = seen["found"]
    assert later == [rest] * 3
    assert seen["right"] == len(IN_PAGE)
    assert not seen["beyond"]
    assert max(rest) < (340 if width == 360 else 180)


# --- the still picture, paper and notebooks ---------------------------------------------------------------


def test_without_a_script_and_on_paper_there_is_a_line_to_write_on_and_what_to_choose(visit):
    for options in ({"java_script_enabled": False}, {}):
        page = visit(*GALLERY["answer"].values(), **options).page
        if not options:
            page.emulate_media(media="print")
        lines = page.locator(".ws-to-write").evaluate_all(
            "all => all.map(el => el.getBoundingClientRect().height)"
        )
        assert lines == [44] * 5
        assert page.locator("#answer-words .ws-options-of > *").all_inner_texts() == PETS["options"]
        assert page.locator("#answer-row .ws-blank-name").all_inner_texts() == ["a", "b", "c"]
        assert page.get_by_text("Two and two").locator("visible=true").count() == 0
        assert page.locator("button").locator("visible=true").count() == 0
        page.emulate_media(media="screen")


def test_the_right_answer_is_not_written_in_the_picture(draw):
    html = draw(answer("temperature-1")).partition(">")[2]
    assert "2.3" not in html
    assert '<div class="ws-outcome">' in html


def test_a_notebook_hears_the_answer_and_can_take_it_back(visit):
    act = """({ el, state, hear }) => {
      el.querySelector('input').value = '2 + 2';
      el.querySelector('form').requestSubmit();
      const mine = [state.given, el.querySelector('[role=status]').textContent];
      hear('given', '');
      const theirs = [el.querySelector('input').value, el.querySelector('[role=status]').textContent];
      hear('given', '5');
      return { mine, theirs, set: el.querySelector('[role=status]').textContent };
    }"""
    found = in_a_notebook(visit("<p>A cell.</p>", script=False).page, place(asked=FOUR), act)
    assert found["saved"]
    assert found["done"]["mine"] == ["2 + 2", "Right. Two and two are four, and so are two times two."]
    assert found["done"]["theirs"] == ["", ""]
    assert found["done"]["set"] == "Not yet. Too large."


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"asked": {}}, "asked: .* none of the kinds number"),
        ({"given": 4}, "given: 4 is no text"),
        ({"given": "1" * 201}, "given: .* at most 200"),
    ],
)
def test_what_is_no_place_for_an_answer_is_refused_by_name(values, says):
    with pytest.raises(ValueError, match=says):
        place(**{"asked": FOUR, **values})
