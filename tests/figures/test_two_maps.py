"""*Two maps learn* in the page: at rest, when a reader chooses, and while it trains, with a Worker or without."""

import gzip
import json
import re

import numpy as np
import pytest
from figure_page import do, more, opened, points, press, said, tops
from gallery import GALLERY
from gallery import SAID as ALL_SAID
from in_node import ask

from book.figures import TwoMapsLearn
from book.figures.bundle import page_script
from book.figures.two_maps_learn import record

CURVES = {"loss": 3.5, "accuracy": 1, "induction": 1}
STATES = GALLERY["learn"]
LOOK = """() => ({
  paths: [...document.querySelectorAll('.ws-learning path')].map(el => el.getAttribute('d')),
  scores: [...document.querySelectorAll('.ws-scored b')].map(el => el.textContent),
  cells: [...document.querySelectorAll('.ws-square .ws-shade')].map(el => el.getAttribute('d')).join(''),
})"""


def curves(page):
    """{(curve, side): its points}: the second map is drawn below the first."""
    paths = page.evaluate(LOOK)["paths"]
    return {
        (name, side): points(paths[2 * k + 1 - side] or "") for k, name in enumerate(CURVES) for side in (0, 1)
    }


def recorded(name, map_):
    values = np.array(record()["runs"][map_][name])
    return np.stack([100 * np.arange(len(values)) / 60, 100 * (1 - np.minimum(values / CURVES[name], 1))], axis=-1)


# A Worker that answers at once, with made-up states: what is tested is the figure, not the training.
QUICK = """() => {
  window.spoken = [];
  const aloud = document.querySelector('.ws-say + [aria-live]');
  new MutationObserver(() => window.spoken.push(aloud.textContent)).observe(aloud, { childList: true });
  window.ended = 0;
  window.wait = 4;
  const shades = new Uint8Array(528).fill(4);
  const head = level => ({ previous: 0.5, induction: level, spread: 2, beta: 0.3, shades });
  window.Worker = class {
    step = -10;
    postMessage() {
      this.step += 10;
      const level = this.step / 600;
      const heads = [0.1, 0.1, level, 0].map(head);
      const data = { step: this.step, loss: 3 - 3 * level, accuracy: level, heads };
      setTimeout(() => this.onmessage({ data }), window.wait);
    }
    terminate() { window.ended += 1; }
  };
}"""
DONE = "document.querySelector('.ws-train').textContent === 'Train again'"

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


SAID = {state: text for state, (_, text) in zip(("plain", "pair", "empty"), ALL_SAID["learn"], strict=True)}


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


def test_each_choice_empties_the_axes_and_moves_nothing(visit):
    page = opened(visit(TwoMapsLearn()))
    before = tops(page, "three pair say tools")
    for role, name, key in [
        ("slider", "", "PageUp"),
        ("radio", "stays as it is", "ArrowRight"),
        ("radio", "two layers", "ArrowLeft"),
        ("checkbox", "symbols may repeat in a block", "Space"),
    ]:
        page.get_by_role(role, name=name).press(key)
        assert (said(page), tops(page, "three pair say tools")) == (SAID["empty"], before)
        press(page, "Reset")
        assert said(page) == SAID["plain"]
    do(page, ("textbox", "seed", "7"))
    assert said(page) == SAID["empty"]


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


def test_on_a_phone_the_button_leaves_room_to_the_curves(visit):
    page = visit(TwoMapsLearn(), width=360).page
    look = "(what) => document.querySelector(what).getBoundingClientRect()"
    button, titles = page.evaluate(look, ".ws-train"), page.evaluate(look, ".ws-three")
    assert titles["top"] - button["bottom"] >= 4


# --- training ------------------------------------------------------------------------------------

NO_WORKERS = {
    "throws": "window.Worker = class { constructor() { throw new Error('refused'); } }",
    "dies": """const Own = Worker;
    window.Worker = class {
      constructor(address) {
        this.own = new Own(address);
        this.own.onmessage = event => this.onmessage(event);
        this.left = 2;
      }
      postMessage(data) {
        if (this.left-- > 0) this.own.postMessage(data);
        else setTimeout(() => this.onerror({ preventDefault() {} }));
      }
      terminate() { this.own.terminate(); }
    }""",
}
WATCHED = """() => {
  window.made = 0;
  const Own = Worker;
  window.Worker = class extends Own { constructor(address) { super(address); window.made += 1; } };
}"""


def train_to(page, step):
    press(page, "Train")
    at = f"Number(/step (\\d+)/.exec(document.querySelector('.ws-progress').textContent)?.[1]) >= {step}"
    page.wait_for_function(at, timeout=60_000)
    press(page, "Pause")


def assert_begins_as_recorded(page, least):
    for (name, side), found in curves(page).items():
        expected = recorded(name, ["softmax", "sparsemax"][side])
        assert least <= len(found) < 61
        np.testing.assert_allclose(found, expected[: len(found)], atol=0.0101, err_msg=name)


def test_a_worker_trains_as_the_recorded_run_did_and_on_from_a_pause(visit):
    page = visit(TwoMapsLearn()).page
    page.evaluate(WATCHED)
    train_to(page, 20)
    assert page.evaluate("window.made") == 2
    assert_begins_as_recorded(page, 3)
    before = page.evaluate(LOOK)
    page.wait_for_timeout(300)
    assert page.evaluate(LOOK) == before
    press(page, "Continue")
    page.wait_for_function("!document.querySelector('.ws-progress').textContent.includes('step 20 ')")
    press(page, "Pause")
    assert page.evaluate("window.made") == 2
    assert_begins_as_recorded(page, 4)


@pytest.mark.parametrize("how", NO_WORKERS)
def test_without_a_worker_the_page_trains_in_slices_with_the_same_numbers(visit, how):
    page = visit(TwoMapsLearn()).page
    page.evaluate(f"() => {{ {NO_WORKERS[how]} }}")
    page.evaluate("() => { window.turns = 0; setInterval(() => (window.turns += 1), 1); }")
    train_to(page, 30 if how == "dies" else 10)
    assert page.evaluate("window.turns") > 10, "the page has had its turns"
    assert_begins_as_recorded(page, 4 if how == "dies" else 2)


def test_a_page_whose_rules_forbid_workers_trains_all_the_same(visit):
    found = visit(TwoMapsLearn())
    found.page.evaluate("""() => {
      const rule = document.createElement('meta');
      Object.assign(rule, { httpEquiv: 'Content-Security-Policy', content: "worker-src 'none'" });
      document.head.append(rule);
    }""")
    train_to(found.page, 10)
    assert_begins_as_recorded(found.page, 2)
    assert all("worker" in text.lower() for text in found.errors)
    found.errors.clear()


ENDING = (
    "Trained here: softmax gets 98% right at step 590, sparsemax at step 590.\n"
    "The best induction head scores 1.00 with softmax, 1.00 with sparsemax."
)


def test_it_is_told_at_start_pause_and_end_alone(visit):
    page = visit(TwoMapsLearn()).page
    page.evaluate(QUICK)
    page.evaluate("() => { window.wait = 50; }")
    button = page.locator(".ws-train")
    button.focus()
    page.keyboard.press("Enter")
    assert button.text_content() == "Pause"
    page.wait_for_function("window.spoken.length === 1")
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    assert button.text_content() == "Continue"
    page.wait_for_function("window.spoken.length === 2")
    page.evaluate("() => { window.wait = 4; }")
    page.keyboard.press("Enter")
    page.wait_for_function(DONE)
    page.wait_for_function(f"window.spoken.at(-1) === {json.dumps(ENDING)}")
    start, pause, *rest = page.evaluate("window.spoken")
    assert start == "Softmax and sparsemax begin to learn."
    assert re.match(r"Paused\. At step \d+ softmax gets \d", pause)
    assert len(rest) <= 2  # that it goes on, if it takes longer than a moment, and the end
    assert said(page) == ENDING
    assert page.evaluate("window.ended") == 2
    for found in curves(page).values():
        np.testing.assert_allclose(
            found[:, 0], 100 * np.arange(61) / 60, atol=0.0051
        )  # no step twice, none left out
    assert page.locator(".ws-pair .ws-aside").all_inner_texts() == ["98% at step 590"] * 2


def test_what_was_under_way_at_a_pause_waits_for_its_end(visit):
    page = visit(TwoMapsLearn()).page
    page.evaluate(QUICK)
    page.evaluate("() => { window.wait = 150; }")
    press(page, "Train")
    page.wait_for_function("document.querySelector('.ws-progress').textContent === 'step 10 of 600'")
    press(page, "Pause")
    page.wait_for_timeout(300)
    assert page.locator(".ws-progress").text_content() == "step 10 of 600"
    page.evaluate("() => { window.wait = 1e6; }")
    press(page, "Continue")
    assert page.locator(".ws-progress").text_content() == "step 20 of 600"


def test_a_finished_run_stays_with_its_choices_and_others_are_dropped(visit):
    page = visit(TwoMapsLearn()).page
    page.evaluate(QUICK)
    press(page, "Train")
    page.wait_for_function(DONE)
    second = page.get_by_label("the second map")
    second.select_option("entmax")
    assert page.locator(".ws-pair .ws-aside").all_inner_texts() == ["98% at step 590", "recorded: 98% at step 160"]
    assert said(page).startswith("Softmax gets 98% right at step 590, entmax at step 160.")
    page.evaluate("() => { window.wait = 20; }")
    press(page, "Train")
    page.wait_for_function("/step \\d\\d+/.test(document.querySelector('.ws-progress').textContent)")
    more(page)
    press(page, "Copy link")
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    assert page.url.endswith("#two-maps-learn?second=entmax"), "it has the choices and no weights"
    second.select_option("relu_norm")  # while it trains
    assert page.evaluate("window.ended") == 3
    assert page.locator(".ws-train").text_content() == "Train"
    second.select_option("sparsemax")
    assert said(page) == ENDING
    assert re.match(r"softmax, \d\.\d s here", page.locator(".ws-table caption").first.text_content())
    press(page, "Reset")
    assert said(page).startswith("Recorded runs: ")
