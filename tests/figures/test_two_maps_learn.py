"""*Two maps learn* at rest: it shows and says what is recorded, and takes a reader's choices."""

import gzip

import numpy as np
import pytest
from figure_page import in_a_notebook, more, opened, press, said, tops, wait_until_ready
from figure_table import SAID as TABLE_SAID
from gallery import GALLERY
from in_node import ask
from two_maps_page import DONE, LOOK, QUICK, curves, recorded

from book.figures import TwoMapsLearn
from book.figures.bundle import page_script
from book.figures.two_maps_learn import record

STATES = GALLERY["learn"]

# --- at rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["plain", "pair", "entmax"])
def test_at_rest_it_shows_the_recorded_runs_and_says_so(visit, state):
    figure = STATES[state]
    page = visit(figure).page
    for (name, side), found in curves(page).items():
        np.testing.assert_allclose(found, recorded(name, [figure.first, figure.second][side]), atol=0.0051)
    scores = page.evaluate(LOOK)["scores"]
    heads = [head for name in (figure.first, figure.second) for head in record()["runs"][name]["heads"]]
    expected = [head["previous"] for head in heads[:4]] + [head["induction"] for head in heads[:4]]
    assert np.array(scores[:8], float) == pytest.approx(expected, abs=0.00501)
    notes = page.locator(".ws-pair .ws-aside").all_inner_texts()
    steps = [figure.steps_to(0.98, name) for name in (figure.first, figure.second)]
    assert notes == [f"recorded: 98% at step {step}" for step in steps]


@pytest.mark.parametrize("state", ["empty", "one"])
def test_where_nothing_is_recorded_the_axes_are_empty(visit, state):
    page = visit(STATES[state]).page
    assert all(len(found) == 0 for found in curves(page).values())
    assert page.evaluate(LOOK)["cells"] == ""
    assert page.locator(".ws-pair .ws-aside").all_inner_texts() == ["not trained"] * 2


SAID = {state: text for state, (_, text) in zip(("plain", "pair", "empty"), TABLE_SAID["learn"], strict=True)}


SENTENCE = """({ how, ends, steps }) => {
  const run = (end, step) => ({ heads: [1], step: [0, step], accuracy: [0.1, end], induction: [0.1, end / 2] });
  const runs = ends.map((end, k) => (end === null ? null : run(end, steps[k])));
  return learningSentence(how, ["entmax", "relu_norm"], runs);
}"""
HEADS = "The best induction head scores .25 with entmax, .49 with ReLU over its sum."
MIDWAY = f"entmax gets 50% right, ReLU over its sum 98%.\n{HEADS}"
SENTENCES = [
    ("training", [None, None], [0, 0], "Entmax and ReLU over its sum begin to learn."),
    ("training", [0.5, 0.98], [40, 40], f"At step 40 {MIDWAY}"),
    ("paused", [0.5, 0.98], [40, 40], f"Paused. At step 40 {MIDWAY}"),
    (
        "paused",
        [0.5, 0.98],
        [600, 40],
        f"Paused. Entmax gets 50% right at step 600, ReLU over its sum 98% at step 40.\n{HEADS}",
    ),
    (
        "done",
        [0.5, 0.98],
        [600, 600],
        f"Trained here: entmax never gets 98% right, ReLU over its sum does at step 600.\n{HEADS}",
    ),
    (
        "mixed",
        [0.98, 0.98],
        [600, 600],
        "Entmax gets 98% right at step 600, ReLU over its sum at step 600.\n"
        "The best induction head scores .49 with entmax, .49 with ReLU over its sum.",
    ),
    (
        "done",
        [0.5, 0.96],
        [600, 600],
        "Trained here: entmax ends with 50% right, ReLU over its sum with 96%.\n"
        "The best induction head scores .25 with entmax, .48 with ReLU over its sum.",
    ),
]


def test_the_sentences():
    rows = [{"how": how, "ends": ends, "steps": steps} for how, ends, steps, _ in SENTENCES]
    assert ask(SENTENCE, rows, view="two_maps_learn") == [text for *_, text in SENTENCES]


def test_it_is_light():
    size = lambda text: len(gzip.compress(text.encode()))  # noqa: E731
    assert size(page_script("two_maps_learn")) < 25 * 1024
    assert size(TwoMapsLearn()._repr_html_()) < 8 * 1024


# --- choices -------------------------------------------------------------------------------------


def test_who_chooses_the_map_of_the_other_side_swaps_them(visit):
    page = visit(TwoMapsLearn()).page
    page.get_by_label("the first map").focus()
    page.keyboard.press("s")  # the next name with that letter
    assert page.get_by_label("the first map").input_value() == "sparsemax"
    assert page.get_by_label("the second map").input_value() == "softmax"
    assert [found.shape for found in curves(page).values()] == [(61, 2)] * 6


def test_each_choice_is_made_with_the_keyboard_and_empties_the_axes(visit):
    page = opened(visit(TwoMapsLearn()))
    moves = [
        (page.get_by_role("slider"), "PageUp"),
        (page.get_by_role("radio", name="stays as it is"), "ArrowRight"),
        (page.get_by_role("radio", name="two layers"), "ArrowLeft"),
        (page.get_by_role("checkbox", name="symbols may repeat in a block"), "Space"),
    ]
    before = tops(page, "three pair say tools")
    for control, key in moves:
        control.focus()
        page.keyboard.press(key)
        assert said(page) == SAID["empty"]
        press(page, "Reset")
        assert said(page) == SAID["plain"]
    seed = page.get_by_role("textbox", name="seed")
    for text in ("-1", "1.5", "x"):
        seed.fill(text)
        page.keyboard.press("Enter")
        assert "stays" in page.get_by_role("status").inner_text()
        assert said(page) == SAID["plain"]
    seed.fill("7")
    page.keyboard.press("Enter")
    assert said(page) == SAID["empty"]
    assert tops(page, "three pair say tools") == before


def test_a_link_has_the_choices_and_no_weights(visit):
    found = visit(TwoMapsLearn())
    page = found.page
    page.evaluate(QUICK)
    page.get_by_label("the second map").select_option("relu_norm")
    more(page)
    page.get_by_role("radio", name="grows with log n").check()
    press(page, "Train")
    page.wait_for_function(DONE)
    press(page, "Copy link")
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    assert page.url.endswith("#two-maps-learn?second=relu_norm&rule=log-n")
    with found.beside(page.url) as again:
        wait_until_ready(again)
        assert again.get_by_label("the second map").input_value() == "relu_norm"
        assert said(again).startswith("With these choices nothing has been trained yet.")


def test_the_tables_hold_the_numbers(visit):
    page = opened(visit(TwoMapsLearn()))
    rows = [row.split("\t") for row in page.locator(".ws-table").nth(2).locator("tbody tr").all_inner_texts()]
    run = record()["runs"]["sparsemax"]
    assert [int(row[0]) for row in rows] == list(range(0, 601, 50))
    assert np.array([row[1] for row in rows], float) == pytest.approx(run["loss"][::5], abs=6e-4)
    accuracy = [float(row[2].strip("<>%")) / 100 for row in rows]
    assert accuracy == pytest.approx(run["accuracy"][::5], abs=0.0051)
    heads = [row.split("\t") for row in page.locator(".ws-table").nth(3).locator("tbody tr").all_inner_texts()]
    assert [row[0] for row in heads] == ["1.1", "1.2", "2.1", "2.2"]
    assert [float(row[3]) for row in heads] == pytest.approx([one["spread"] for one in run["heads"]], abs=0.0051)
    assert {row[4] for row in heads} == {"0.25"}


def test_in_a_notebook_what_is_chosen_reaches_the_kernel_and_its_wish_the_figure(visit):
    act = """({ el, state, hear }) => {
      const first = el.querySelector('select');
      first.value = 'sparsemax';
      first.dispatchEvent(new Event('change'));
      const chosen = [state.first, state.second];
      hear('first', 'softmax');
      hear('second', 'relu_norm');
      return [...chosen, el.dataset.first, el.dataset.second];
    }"""
    found = in_a_notebook(visit(script=False).page, TwoMapsLearn(), act)
    assert found["done"] == ["sparsemax", "softmax", "softmax", "relu_norm"]
    assert found["saved"]


def test_on_a_phone_the_button_leaves_room_to_the_curves(visit):
    page = visit(TwoMapsLearn(), width=360).page
    look = "(what) => document.querySelector(what).getBoundingClientRect()"
    button, titles = page.evaluate(look, ".ws-train"), page.evaluate(look, ".ws-three")
    assert titles["top"] - button["bottom"] >= 4
