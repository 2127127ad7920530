"""*Two maps learn* in the page: the bet, what trains, with a Worker or without, and what is played instead."""

import gzip
import json
import re

import numpy as np
import pytest
from figure_page import do, more, points, press, said, tops
from gallery import GALLERY
from gallery import SAID as ALL_SAID
from in_node import ask

from book.figures import TwoMapsLearn
from book.figures.bundle import page_script
from book.figures.two_maps_learn import record

STATES = GALLERY["learn"]
REST = ALL_SAID["learn"][0][1]
HONEST = "One run shows little: another seed, step size or β can turn it round."
NOTE = "document.querySelector('.ws-progress').textContent"
HOW = "document.querySelector('.ws-learn').dataset.how"
# Paths from below: the second map's lies under that of the first.
LOOK = """() => ({
  paths: [...document.querySelectorAll('.ws-learning path.ws-map')].map(el => el.getAttribute('d')).reverse(),
  shades: [...document.querySelectorAll('.ws-shade')].map(el => el.getAttribute('d')).join(''),
  flags: [...document.querySelectorAll('.ws-flag')].filter(el => el.checkVisibility({ visibilityProperty: true }))
    .map(el => el.textContent),
  does: [...document.querySelectorAll('.ws-does')].map(el => el.textContent),
  labels: [...document.querySelectorAll('.ws-learn svg[role=img]')].map(el => el.ariaLabel),
})"""
SEEN = """() => [...document.querySelectorAll(
  '.ws-learn :is(.ws-learning, .ws-flag, .ws-dot, .ws-shade, .ws-does)')].filter(
  el => el.checkVisibility({ visibilityProperty: true })).length"""


def curves(page):
    return [points(path or "") for path in page.evaluate(LOOK)["paths"]]


def recorded(map_):
    shares = np.array(record()["runs"][map_]["accuracy"])
    return np.stack([100 * np.arange(len(shares)) / 40, 100 * (1 - shares)], axis=-1)


def note(page):
    return page.locator(".ws-progress").text_content()


def bet(page, name):
    page.get_by_role("group", name="your bet").get_by_role("button", name=name).click()


def train(page):
    """Bets, if no bet is placed, and begins."""
    if not page.locator(".ws-bet[aria-pressed=true]").count():
        bet(page, "neither")
    press(page, "Train")


def until(page, how):
    page.wait_for_function(f"{HOW} === '{how}'", timeout=60_000)


# A Worker that answers at once, with made-up states: what is tested is the figure, not the training. A map has all
# right after as many steps as it `takes`, a state `costs` so many milliseconds on a clock that nothing else moves,
# and none goes beyond the `last` step.
QUICK = """() => {
  window.spoken = [];
  const aloud = document.querySelector('.ws-say + [aria-live]');
  new MutationObserver(() => window.spoken.push(aloud.textContent)).observe(aloud, { childList: true });
  Object.assign(window, { made: 0, ended: 0, wait: 4, cost: 100, now: 0, last: 600, takes: {} });
  performance.now = () => window.now;
  const shades = new Uint8Array(528).fill(4);
  const head = level => ({ previous: 0.7, induction: level, spread: 2, beta: 0.3, shades });
  window.Worker = class {
    step = -10;
    constructor() { window.made += 1; }
    postMessage({ map }) {
      this.step += 10;
      window.now += window.cost;
      const level = Math.min(1, this.step / (window.takes[map] ?? 200));
      const heads = [0.1, 0.1, level, 0].map(head);
      const data = { step: this.step, loss: 3 - 3 * level, accuracy: level, heads };
      const answer = () =>
        this.step <= window.last ? this.onmessage({ data }) : setTimeout(answer, window.wait);
      setTimeout(answer, window.wait);
    }
    terminate() { window.ended += 1; }
  };
}"""


def quick(found, **how):
    """The page of a visit, with such a Worker."""
    found.page.evaluate(QUICK)
    found.page.evaluate("how => Object.assign(window, how)", how)
    return found.page


# --- at rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", [True, False])
def test_the_result_is_not_shown_before_it_is_asked_for(visit, script):
    """Not in the picture that stands before the script runs either."""
    page = visit(STATES["plain"], script=script).page
    assert said(page) == REST
    assert page.evaluate(SEEN) == 0
    assert page.locator(".ws-printed").is_hidden()
    assert all(label.count("not trained") for label in page.evaluate(LOOK)["labels"][1:])
    cells = page.locator(".ws-more tbody td").all_text_contents()
    assert set(cells) == ({"–"} if script else set())


@pytest.mark.parametrize("state", ["plain", "pair", "entmax"])
def test_without_a_script_it_shows_the_recorded_runs_and_says_so(visit, state):
    figure = STATES[state]
    page = visit(figure, java_script_enabled=False).page
    maps = [figure.first, figure.second]
    for found, name in zip(curves(page), maps, strict=True):
        np.testing.assert_allclose(found, recorded(name), atol=0.0051)
    assert page.evaluate(SEEN) > 9
    steps = [figure.steps_to(0.98, name) for name in maps]
    assert [int(text.split()[-1]) for text in page.evaluate(LOOK)["flags"]] == steps
    text = page.locator(".ws-printed").text_content()
    assert text.startswith("A recorded run. ")
    assert all(f"{step}" in text for step in steps)
    assert text.endswith(HONEST)
    assert page.locator(".ws-say").is_hidden()
    assert page.locator(".ws-train").is_hidden()


def test_on_paper_it_shows_the_recorded_runs_too(visit):
    page = visit(STATES["plain"]).page
    page.emulate_media(media="print")
    shown, seen, words = page.locator(".ws-train").is_visible(), page.evaluate(SEEN), page.locator(".ws-printed")
    assert (shown, seen > 9, words.is_visible()) == (False, True, True)
    page.emulate_media(media="screen")


@pytest.mark.parametrize("state", ["empty", "one"])
def test_where_nothing_is_recorded_the_axes_are_empty(visit, state):
    page = visit(STATES[state], java_script_enabled=False).page
    found = page.evaluate(LOOK)
    assert (found["paths"], found["shades"], found["flags"]) == ([""] * 2, "", [])
    assert said(page) == REST
    assert page.locator(".ws-say").is_visible()


def test_it_is_light():
    size = lambda text: len(gzip.compress(text.encode()))  # noqa: E731
    assert size(page_script("two_maps_learn")) < 27 * 1024
    assert size(TwoMapsLearn()._repr_html_()) < 8 * 1024


# --- words ---------------------------------------------------------------------------------------

RUNS = """([close, at]) => ({
  step: [0, close ?? 0, at ?? 600], accuracy: [0.1, close ? 0.97 : 0.1, at ? 0.98 : 0.97],
})"""
VERDICT = f"""(pairs) => verdict(["entmax", "relu_norm"], pairs.map({RUNS}))"""
VERDICTS = [
    (160, 310, "Entmax was first, after 160 steps, ReLU over its sum after 310."),
    (310, 300, "ReLU over its sum was first, after 300 steps, entmax after 310."),
    (160, None, "Entmax was first, after 160 steps; ReLU over its sum did not get there in 600."),
    (None, 600, "ReLU over its sum was first, after 600 steps; entmax did not get there in 600."),
    (160, 160, "Neither was first: both took 160 steps."),
    (None, None, "Neither got there in 600 steps."),
]


def test_how_it_ended():
    found = ask(VERDICT, [[[None, one], [None, other]] for one, other, _ in VERDICTS], view="two_maps_learn")
    assert found == [f"{text}\n{HONEST}" for *_, text in VERDICTS]


def test_who_has_long_been_close_is_not_called_slow():
    rows = [[[150, 160], [180, 260]], [[150, 160], [220, 260]]]
    long, short = ask(VERDICT, rows, view="two_maps_learn")
    assert "ReLU over its sum after 260 (97% right after 180).\n" in long
    assert "ReLU over its sum after 260.\n" in short


def test_no_share_is_rounded_up_to_the_finish():
    shares = {0.9799: "97%", 0.98: "98%", 0.0831: "8%", 1: "100%", 0.29: "29%"}
    assert ask("rightText", [*shares], view="two_maps_learn") == [*shares.values()]


DURATIONS = {
    (0.2, True): "about 1 second",
    (1.4, True): "about 1 second",
    (1.6, False): "at most 2 seconds",
    (14.4, True): "about 14 seconds",
    (21.6, False): "at most 20 seconds",
    (88.0, True): "about 90 seconds",
    (91.0, True): "about 2 minutes",
    (200.0, False): "at most 3 minutes",
}


def test_a_promise_is_in_round_numbers():
    found = ask("([seconds, known]) => duration(seconds, known)", [*map(list, DURATIONS)], view="two_maps_learn")
    assert found == [*DURATIONS.values()]


HEADS = {(0.2, 0.8): "copies", (0.9, 0.7): "copies", (0.7, 0.6): "one back at first", (0.52, 0.12): ""}


def test_a_head_is_named_by_what_it_does():
    heads = [{"previous": previous, "induction": induction} for previous, induction in HEADS]
    assert ask("(head) => doing(head)", heads, view="two_maps_learn") == [*HEADS.values()]


HEADLINE = """({ at, bet }) => {
  const run = (step) => ({ step: [0, step ?? 600], accuracy: [0.1, step ? 0.98 : 0.97] });
  return headline(["entmax", "relu_norm"], at.map(run), bet);
}"""
HEADLINES = {
    ((160, 310), 0): "Entmax was first: you won!",
    ((160, 310), 2): "Entmax was first: you lost!",
    ((310, None), 1): "Entmax was first: you lost!",
    ((310, 300), 1): "ReLU was first: you won!",
    ((160, 160), 2): "Neither was first: you won!",
    ((None, None), 0): "Neither was first: you lost!",
}


def test_the_headline_says_who_was_first_and_whether_one_has_won():
    rows = [{"at": at, "bet": chosen} for at, chosen in HEADLINES]
    assert ask(HEADLINE, rows, view="two_maps_learn") == [*HEADLINES.values()]


# --- the bet -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("takes", "name", "ends"),
    [
        (
            {"softmax": 100, "sparsemax": 200},
            "softmax",
            "Softmax was first, after 100 steps, sparsemax after 200.",
        ),
        (
            {"softmax": 100, "sparsemax": 50},
            "softmax",
            "Sparsemax was first, after 50 steps, softmax after 100.",
        ),
        (
            {"softmax": 100, "sparsemax": 900},
            "sparsemax",
            "Softmax was first, after 100 steps; sparsemax did not get",
        ),
        ({}, "neither", "Neither was first: both took 200 steps."),
        ({"softmax": 900, "sparsemax": 900}, "neither", "Neither got there in 600 steps."),
    ],
)
def test_a_bet_is_placed_kept_while_they_train_and_resolved(visit, takes, name, ends):
    page = quick(visit(TwoMapsLearn()), takes=takes)
    options = page.locator(".ws-bet")
    chosen = lambda: [one.get_attribute("aria-pressed") for one in options.all()]  # noqa: E731
    bet(page, "neither")
    bet(page, "neither")
    assert chosen() == ["false"] * 3, "taken back"
    bet(page, "softmax" if name == "sparsemax" else "sparsemax")
    bet(page, name)
    assert chosen() == ["true" if one == name else "false" for one in ("softmax", "sparsemax", "neither")]
    before = chosen()
    train(page)
    assert options.evaluate_all("all => all.every(el => el.disabled)")
    until(page, "done")
    assert said(page).startswith(ends)
    assert "bet" not in said(page), "the headline says it"
    assert note(page) == ""
    assert said(page).endswith(HONEST)
    assert chosen() == before
    won = options.evaluate_all(
        "all => all.filter(el => el.classList.contains('ws-won')).map(el => el.textContent)"
    )
    assert won == [re.match(r"\w+", ends)[0].lower()]
    press(page, "Reset")
    assert (said(page), chosen(), page.evaluate(HOW)) == (REST, ["false"] * 3, "bet")
    assert options.evaluate_all("all => all.every(el => !el.disabled)")


def halos(page):
    return page.locator(".ws-meant").evaluate_all("all => all.map(el => el.textContent)")


def test_what_comes_next_is_marked_and_nothing_trains_before_a_bet(visit):
    page = quick(visit(TwoMapsLearn()))
    badge = page.locator(".ws-call")
    assert (halos(page), badge.is_visible()) == (["softmax", "sparsemax", "neither"], True)
    assert page.locator(".ws-train").is_disabled()
    bet(page, "softmax")
    assert (halos(page), badge.is_visible()) == (["Train"], False)
    train(page)
    until(page, "done")
    assert (halos(page), badge.is_visible()) == ([], False)
    assert page.locator(".ws-question").text_content() == "Neither was first: you lost!"
    assert page.locator(".ws-learning").is_visible()
    press(page, "Reset")
    assert page.locator(".ws-question").text_content() == "Which learns to copy first?"
    assert (halos(page), badge.is_visible()) == (["softmax", "sparsemax", "neither"], True)


@pytest.mark.parametrize("width", [1280, 360])
def test_pictures_of_heads_are_square_and_their_legend_is_there(visit, width):
    page = quick(visit(TwoMapsLearn(), width=width), takes={"softmax": 100, "sparsemax": 300})
    train(page)
    until(page, "done")
    boxes = [one.bounding_box() for one in page.locator(".ws-square").all() if one.is_visible()]
    assert len(boxes) == (8 if width > 400 else 2)
    assert all(box["width"] == pytest.approx(box["height"], abs=1) and box["width"] > 70 for box in boxes)
    assert page.locator(".ws-grids > .ws-note").is_visible()
    if width < 400:
        assert (
            page.locator(".ws-learning .ws-zero").bounding_box()["y"]
            - page.locator(".ws-learning .ws-finish").bounding_box()["y"]
            > 115
        ), "the race is what one looks at"
        shown = [one.text_content() for one in page.locator(".ws-does").all() if one.is_visible()]
        assert shown == ["copies"] * 2, "of the heads, the one that copies most"


def test_a_run_ends_where_98_percent_are_right_and_the_other_goes_on(visit):
    page = quick(visit(TwoMapsLearn()), takes={"softmax": 100, "sparsemax": 300})
    train(page)
    until(page, "done")
    first, second = curves(page)
    assert (first[-1, 0], second[-1, 0]) == pytest.approx((100 / 4, 300 / 4), abs=0.01)
    for found in (first, second):
        np.testing.assert_allclose(found[:, 0], 100 * np.arange(len(found)) / 40, atol=0.0051)  # no step twice
    found = page.evaluate(LOOK)
    assert found["flags"] == ["softmax 100", "300"], "no room for the other name"
    assert found["does"] == ["one back at first", "one back at first", "copies", "one back at first"] * 2
    assert (
        found["labels"][0] == "right answers against steps: softmax 100% at step 100, sparsemax 100% at step 300"
    )
    assert page.evaluate("[window.made, window.ended]") == [2, 2]


AXIS = """() => [...document.querySelectorAll('.ws-learning .ws-level')].map(el => el.textContent)"""


def test_the_plot_ends_where_both_are_known_to_have_ended_unless_one_goes_on(visit):
    levels = ["finish: 98% right", "50%"]
    short, long = ([*levels, "0", *ends] for ends in (["200", "400 steps"], ["300", "600 steps"]))
    page = quick(visit(TwoMapsLearn()), takes={"softmax": 100, "sparsemax": 260})
    seen = [page.evaluate(AXIS)]
    train(page)
    until(page, "done")
    assert [*seen, page.evaluate(AXIS)] == [short] * 2
    assert page.evaluate(LOOK)["flags"] == ["softmax 100", "sparsemax 260"]
    page = quick(visit(TwoMapsLearn()), takes={"softmax": 100, "sparsemax": 500})
    train(page)
    until(page, "done")
    assert page.evaluate(AXIS) == long
    assert curves(page)[1][-1, 0] == pytest.approx(100 * 490 / 600, abs=0.01)  # 98% of what all right takes
    assert visit(TwoMapsLearn(seed=2)).page.evaluate(AXIS) == long, "nobody knows yet"


def test_at_the_end_the_answer_stands_in_the_task(visit):
    page = quick(visit(TwoMapsLearn()))
    shown = lambda: page.locator(".ws-task").inner_text().split()  # noqa: E731
    assert shown() == [*"beacbea?"]
    train(page)
    until(page, "done")
    assert shown() == [*"beacbeac", "is", "right"]
    press(page, "Reset")
    assert shown() == [*"beacbea?"]


def test_the_earlier_of_two_flags_is_the_higher_one(visit):
    for takes in ({"softmax": 150, "sparsemax": 200}, {"softmax": 200, "sparsemax": 150}):
        page = quick(visit(TwoMapsLearn()), takes=takes)
        train(page)
        until(page, "done")
        heights = page.eval_on_selector_all(".ws-flag", "all => all.map(el => el.getBoundingClientRect().top)")
        assert (heights[0] < heights[1]) == (takes["softmax"] < takes["sparsemax"])


def test_other_random_numbers_are_another_bet(visit):
    page = quick(visit(TwoMapsLearn()))
    train(page)
    until(page, "done")
    press(page, "Other random numbers")
    assert (said(page), page.evaluate(HOW)) == (REST, "bet")
    more(page)
    assert page.get_by_role("textbox", name="seed").input_value() == "2"


def test_a_bet_is_placed_with_a_finger_and_with_keys(visit):
    page = quick(visit(TwoMapsLearn(), width=360, has_touch=True))
    page.locator(".ws-bet").nth(1).tap()
    assert page.locator(".ws-bet[aria-pressed=true]").text_content() == "sparsemax"
    page.locator(".ws-bet").nth(0).focus()
    page.keyboard.press("Space")
    assert page.locator(".ws-bet[aria-pressed=true]").text_content() == "softmax"
    page.locator(".ws-train").tap()
    until(page, "done")


def test_on_a_phone_it_fits_and_nothing_shifts(visit):
    page = quick(visit(TwoMapsLearn("relu_norm", "sigmoid_weights"), width=360), takes={"relu_norm": 900})
    box = "() => document.querySelector('.ws-learn').getBoundingClientRect().height"
    assert page.evaluate(box) <= 700
    before = tops(page, "duel learning grids say tools caption")
    bet(page, "sigmoid")
    train(page)
    page.wait_for_function(f"{HOW} === 'training'")
    assert tops(page, "duel learning grids say tools caption") == before
    until(page, "done")
    assert page.evaluate(box) <= 722  # where one map fails, the sentence may take a line more


# --- choices -------------------------------------------------------------------------------------


def test_each_choice_goes_back_to_the_bet_and_moves_nothing(visit):
    page = quick(visit(TwoMapsLearn()))
    more(page)
    before = tops(page, "duel learning one say tools")
    for role, name, key in [
        ("slider", "", "PageUp"),
        ("radio", "stays as it is", "ArrowRight"),
        ("radio", "two layers", "ArrowLeft"),
        ("checkbox", "symbols may repeat in a block", "Space"),
    ]:
        bet(page, "neither")
        train(page)
        until(page, "done")
        page.get_by_role(role, name=name).press(key)
        assert (said(page), page.evaluate(HOW), note(page)[:7]) == (REST, "bet", "at most")
        assert page.locator(".ws-bet[aria-pressed=true]").count() == 0
        assert tops(page, "duel learning one say tools") == before
        press(page, "Reset")
        assert note(page)[:5] == "about"
    do(page, ("textbox", "step size", "0.003"))
    assert note(page)[:7] == "at most"
    assert page.evaluate(LOOK)["paths"] == [""] * 2


def test_what_is_under_way_ends_when_the_maps_change(visit):
    page = quick(visit(TwoMapsLearn()), wait=1e6)
    more(page)
    train(page)
    page.get_by_label("the second map").select_option("entmax")
    assert page.evaluate("window.ended") == 2
    assert (said(page), page.locator(".ws-train").text_content()) == (REST, "Train")
    assert page.locator(".ws-bet").all_text_contents() == ["softmax", "entmax", "neither"]


# --- the promise ---------------------------------------------------------------------------------


def test_it_promises_seconds_and_corrects_them(visit):
    page = quick(visit(TwoMapsLearn()), cost=250, last=20)
    more(page)
    assert note(page) == "about 9 seconds, in your browser"
    train(page)
    # Half a second for ten steps of both, and 260 are known to be the last.
    page.wait_for_function(f"{NOTE} === 'step 20, about 12 seconds left'")
    press(page, "Stop")
    assert note(page) == "stopped at step 20"
    page.evaluate("() => { window.last = 600; }")
    press(page, "Go on")
    until(page, "done")
    page.get_by_label("the second map").select_option("entmax")
    assert note(page) == "about 8 seconds, in your browser", "160 steps, as quick as it has been"


def test_what_is_not_recorded_takes_at_most_so_long(visit):
    page = visit(TwoMapsLearn(beta=1.0)).page
    assert note(page) == "at most 20 seconds, in your browser"
    assert "at most 11 seconds" in note(visit(TwoMapsLearn(beta=1.0, layers=1)).page)


SLOW = {"cost": 1500, "last": 30}


def test_where_the_machine_is_slow_the_recorded_run_is_played(visit):
    page = quick(visit(TwoMapsLearn(), still=False), **SLOW)
    more(page)
    bet(page, "softmax")
    train(page)
    until(page, "playing")
    assert note(page) == "Recorded on another machine; yours would take about 80 seconds."
    page.wait_for_function("document.querySelectorAll('.ws-learning path.ws-map')[0].getAttribute('d').length > 9")
    until(page, "played")
    for found, name in zip(curves(page), ("softmax", "sparsemax"), strict=True):
        np.testing.assert_allclose(found, recorded(name), atol=0.0051)
    ending = "Softmax was first, after 160 steps, sparsemax after 260 (97% right after 180)."
    assert said(page) == f"{ending}\n{HONEST}"
    assert page.evaluate(LOOK)["does"][2:4] == ["copies"] * 2
    assert page.evaluate("window.ended") == 0, "it can be gone on with"
    check_tables(page)
    press(page, "Train here")
    assert note(page).startswith("step 30, ")
    page.evaluate("() => { window.last = 600; }")
    until(page, "done")
    assert page.evaluate("window.made") == 2, "and is not begun anew"
    assert [len(found) for found in curves(page)] == [21, 21]


def check_tables(page):
    rows = [row.split("\t") for row in page.locator(".ws-table").nth(2).locator("tbody tr").all_inner_texts()]
    run = record()["runs"]["sparsemax"]
    assert [int(row[0]) for row in rows] == list(range(0, 601, 50))
    there, absent = rows[:6], rows[6:]
    assert {cell for row in absent for cell in row[1:]} == {"–"}, "it has ended"
    assert np.array([row[1] for row in there], float) == pytest.approx(run["loss"][::5], abs=6e-4)
    accuracy = [float(row[2].strip("<>%")) / 100 for row in there]
    assert accuracy == pytest.approx(run["accuracy"][::5], abs=0.0051)
    heads = [row.split("\t") for row in page.locator(".ws-table").nth(3).locator("tbody tr").all_inner_texts()]
    assert [row[0] for row in heads] == ["1.1", "1.2", "2.1", "2.2"]
    assert [float(row[3]) for row in heads] == pytest.approx([one["spread"] for one in run["heads"]], abs=0.0051)
    assert {row[4] for row in heads} == {"0.25"}


def test_what_is_not_recorded_is_trained_however_long_it_takes(visit):
    page = quick(visit(TwoMapsLearn(beta=1.0)), cost=1500)
    train(page)
    until(page, "done")
    assert page.evaluate("window.ended") == 2


def test_reset_ends_a_recorded_run_that_plays(visit):
    page = quick(visit(TwoMapsLearn(), still=False), **SLOW)
    train(page)
    until(page, "playing")
    page.evaluate("() => { const own = setTimeout; window.setTimeout = (call, ms) => own(call, ms / 50); }")
    press(page, "Reset")
    page.wait_for_timeout(500)  # by then it would have ended
    assert (said(page), page.evaluate(HOW), page.evaluate("window.ended")) == (REST, "bet", 2)
    assert page.evaluate(SEEN) == 0


def test_who_is_patient_need_not_see_the_recorded_run_to_its_end(visit):
    page = quick(visit(TwoMapsLearn(), still=False), **SLOW)
    train(page)
    until(page, "playing")
    page.evaluate("() => { window.last = 600; }")
    press(page, "Train here")
    until(page, "done")
    assert [len(found) for found in curves(page)] == [21, 21]


def test_who_wants_no_motion_sees_the_recorded_run_at_once(visit):
    page = quick(visit(TwoMapsLearn()), **SLOW)
    page.evaluate("""() => {
      window.seen = new Set();
      const path = document.querySelector('.ws-learning path.ws-map');
      const look = () => window.seen.add(path.getAttribute('d'));
      new MutationObserver(look).observe(path, { attributes: true });
    }""")
    train(page)
    until(page, "played")
    assert page.evaluate("window.seen.size") <= 5, "before any step, after three states, and whole"


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
PATIENT = "() => { performance.now = () => 0; }"  # no machine is too slow


def train_to(page, step):
    page.evaluate(PATIENT)
    train(page)
    at = f"Number(/step (\\d+)/.exec({NOTE})?.[1]) >= {step}"
    page.wait_for_function(at, timeout=60_000)
    press(page, "Stop")


def assert_begins_as_recorded(page, least):
    for found, name in zip(curves(page), ("softmax", "sparsemax"), strict=True):
        assert least <= len(found) < 16
        np.testing.assert_allclose(found, recorded(name)[: len(found)], atol=0.0101, err_msg=name)


def test_a_worker_trains_as_the_recorded_run_did_and_on_from_a_stop(visit):
    page = visit(TwoMapsLearn()).page
    page.evaluate(WATCHED)
    train_to(page, 20)
    assert page.evaluate("window.made") == 2
    assert_begins_as_recorded(page, 3)
    before = page.evaluate(LOOK)
    page.wait_for_timeout(300)
    assert page.evaluate(LOOK) == before
    press(page, "Go on")
    page.wait_for_function("!/step (20|NaN)/.test(document.querySelector('.ws-progress').textContent)")
    press(page, "Stop")
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


def test_it_is_told_at_start_stop_and_end_alone(visit):
    page = quick(visit(TwoMapsLearn()), wait=50)
    button = page.locator(".ws-train")
    bet(page, "neither")
    page.evaluate("window.spoken.length = 0")
    button.focus()
    page.keyboard.press("Enter")
    assert button.text_content() == "Stop"
    page.wait_for_function("window.spoken.length === 1")
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    assert button.text_content() == "Go on"
    page.wait_for_function("window.spoken.length === 2")
    page.evaluate("() => { window.wait = 4; }")
    page.keyboard.press("Enter")
    until(page, "done")
    ending = f"Neither was first: both took 200 steps.\n{HONEST}"
    page.wait_for_function(f"window.spoken.at(-1) === {json.dumps(ending)}")
    start, stop, *rest = page.evaluate("window.spoken")
    assert start == "Softmax and sparsemax begin to learn."
    assert re.fullmatch(r"After \d+ steps softmax has \S+% right, sparsemax \S+%\.", stop)
    assert len(rest) <= 2  # that it goes on, if it takes longer than a moment, and the end
    assert said(page) == ending


def test_what_was_under_way_at_a_stop_waits_for_its_end(visit):
    page = quick(visit(TwoMapsLearn()), last=10)
    train(page)
    page.wait_for_function(f"{NOTE}.startsWith('step 10,')")
    press(page, "Stop")
    page.evaluate("() => { window.last = 20; }")
    page.wait_for_timeout(100)
    assert note(page) == "stopped at step 10"
    press(page, "Go on")
    assert note(page).startswith("step 20, ")


def test_a_link_has_the_choices_and_no_weights(visit):
    page = quick(visit(TwoMapsLearn()), wait=20)
    more(page)
    page.get_by_label("the second map").select_option("entmax")
    train(page)
    page.wait_for_function("/step \\d\\d+/.test(document.querySelector('.ws-progress').textContent)")
    press(page, "Copy link")
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    assert page.url.endswith("#two-maps-learn?second=entmax")
