"""*Two maps learn* trains, pauses and ends, in a Worker and without one."""

import json
import re

import numpy as np
import pytest
from figure_page import more, press, said
from two_maps_page import DONE, LOOK, QUICK, curves, recorded

from book.figures import TwoMapsLearn

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
    second.select_option("relu_norm")  # while it trains
    assert page.evaluate("window.ended") == 3
    assert page.locator(".ws-train").text_content() == "Train"
    second.select_option("sparsemax")
    assert said(page) == ENDING
    more(page)
    assert page.locator(".ws-table caption").first.text_content().startswith("softmax, 0.")
    press(page, "Reset")
    assert said(page).startswith("Recorded runs: ")
