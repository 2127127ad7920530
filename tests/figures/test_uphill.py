"""*Uphill*: the balls make the steps that training makes, and the counter counts them."""

import math
import re

import numpy as np
import pytest
from figure_page import attributes, points, press, said, slider
from gallery import MAKE
from in_node import ask

from book.figures.uphill import MOST, courses
from book.gradients.unlearning import course, log_loss_descent, steps_to_undo
from lib import softmax

make = MAKE["uphill"]
LEFT, RIGHT = -10.5, 4
TOP, HEIGHT = 36, {"weight": (172 - 1, 0, 1), "logarithm": (138 - 10, LEFT, 0)}
TEXT = {"weight": "weight of the right word", "logarithm": "logarithm of that weight"}
LEADS = [10.0, 7.5, 5.0, 2.0, 1.0]


@pytest.mark.parametrize("lead", LEADS)
def test_the_steps_are_those_of_training(lead):
    """The chapter's own training, with softmax and gradients of `lib`."""
    found = courses(lead)
    np.testing.assert_allclose(found["weight"], course(lead), atol=1e-8)
    np.testing.assert_allclose(found["logarithm"], course(lead, gradient=log_loss_descent), atol=1e-12)
    assert make(lead=lead).needed == {
        "weight": steps_to_undo(lead),
        "logarithm": steps_to_undo(lead, gradient=log_loss_descent),
    }


def test_courses_are_the_same_in_javascript_and_python():
    rows = [[hill, lead] for hill in HEIGHT for lead in LEADS]
    for (hill, lead), found in zip(
        rows, ask("([hill, lead]) => courseOf(hill, lead)", rows, "uphill"), strict=True
    ):
        np.testing.assert_allclose(np.negative(found), courses(lead)[hill], atol=1e-9)
    assert ask("() => MOST_STEPS", [0], "uphill") == [MOST]
    assert steps_to_undo(10.0) <= MOST


def test_the_ground_is_the_weight_and_its_logarithm_and_a_step_is_twice_its_slope():
    xs = np.linspace(-11, 4, 61)
    answer = "(x) => HILLS.map((hill) => [GROUND[hill](x), STRIDE[hill](x)])"
    found = np.array(ask(answer, xs.tolist(), "uphill"))
    weights = np.array([softmax(np.array([0.0, x]))[1] for x in xs])
    np.testing.assert_allclose(found[:, :, 0], np.stack([weights, np.log(weights)], axis=1), rtol=1e-9)
    ahead, back = (np.array(ask(answer, (xs + e).tolist(), "uphill"))[:, :, 0] for e in (1e-5, -1e-5))
    np.testing.assert_allclose(found[:, :, 1], 2 * (ahead - back) / 2e-5, rtol=1e-4, atol=1e-9)


def across(x):
    return 100 * (x - LEFT) / (RIGHT - LEFT)


def assert_balls(page, lead, steps):
    """Each ball stands where so many steps have brought it, and the texts say so."""
    now = make(lead=lead, steps=steps)
    for k, (hill, (foot, least, most)) in enumerate(HEIGHT.items()):
        x = -now.left[hill]
        plot = page.locator(".ws-hill").nth(k)
        weight = 1 / (1 + math.exp(-x))
        ground = {"weight": weight, "logarithm": math.log(weight)}[hill]
        assert attributes(page, "circle.ws-ball", "cx")[k] == pytest.approx(across(x), abs=1e-6)
        y = TOP + (foot - TOP) * (most - ground) / (most - least)
        assert attributes(page, "circle.ws-ball", "cy")[k] == pytest.approx(y - 9, abs=1e-6)
        told = plot.locator(".ws-behind").text_content().replace("\u202f", "")
        if steps >= now.needed[hill]:
            assert told == f"there after {now.needed[hill]} steps"
        else:
            assert float(re.fullmatch(r"([\d.]+) points behind", told)[1]) == pytest.approx(
                -x, abs=0.051 if k else 6e-6
            )
        assert plot.get_attribute("aria-label").replace("\u202f", "") == f"{TEXT[hill]}: {told}"
    seen = page.locator(".ws-count").text_content().replace("\u202f", "")
    assert seen == f"step {min(steps, now.needed['weight'])}"


@pytest.mark.parametrize(("lead", "steps"), [(10.0, 0), (10.0, 6), (10.0, 11_000), (10.0, 12_000), (2.0, 3)])
def test_a_link_shows_the_balls_after_so_many_steps(visit, lead, steps):
    assert_balls(visit(make(lead=lead, steps=steps)).page, lead, steps)


def test_who_presses_sees_one_ball_arrive_and_the_other_stand(visit):
    page = visit(make()).page
    first = attributes(page, "circle.ws-ball", "cx")
    for step in range(1, 7):
        press(page, "One step")
        assert_balls(page, 10.0, step)
    last = attributes(page, "circle.ws-ball", "cx")
    assert last[1] > across(0)
    assert last[0] - first[0] < 0.01  # percent of the width, less than a tenth of a pixel
    prints = points(page.locator(".ws-prints").nth(1).get_attribute("d").replace("h0", ""))
    places = [10 * across(-x) for x in courses(10.0)["logarithm"]]
    np.testing.assert_allclose(prints[:, 0], places, atol=0.0051)
    assert said(page) == "At 5 steps a second the upper ball needs 37 minutes more."


def test_a_run_counts_every_step_and_can_be_paused_and_ends_where_training_does(visit):
    page = visit(make(lead=6.0), still=False).page
    press(page, "Run")
    page.wait_for_function("document.querySelector('.ws-count').textContent === 'step 4'")
    press(page, "Pause")
    steps = int(page.locator(".ws-count").text_content().split()[1])
    page.wait_for_timeout(400)
    assert_balls(page, 6.0, steps)
    press(page, "Fast forward")
    page.wait_for_function("document.querySelector('.ws-paces button').textContent === 'Again'")
    page.wait_for_timeout(400)
    assert_balls(page, 6.0, steps_to_undo(6.0))
    assert said(page) == f"{steps_to_undo(6.0)} steps up the weight, 4 up its logarithm."
    press(page, "Again")
    page.wait_for_timeout(400)
    assert_balls(page, 6.0, 0)


def test_an_answer_shows_the_steps_one_after_another(visit):
    page = visit(make(), still=False).page
    page.evaluate("dispatchEvent(new CustomEvent('ws-answer', { detail: 'uphill?steps=11028' }))")
    page.wait_for_timeout(700)
    behind = page.locator(".ws-behind").first.text_content()
    assert 8 < float(behind.split()[0]) < 10, "most of the steps are made there"
    page.wait_for_function("document.querySelector('.ws-count').textContent.endsWith('028')")
    assert_balls(page, 10.0, 11_028)
    press(page, "Reset")
    page.wait_for_timeout(400)
    assert_balls(page, 10.0, 0)


def test_another_lead_stops_a_run_and_begins_anew(visit):
    page = visit(make(), still=False).page
    press(page, "Fast forward")
    page.wait_for_function("parseInt(document.querySelector('.ws-count').textContent.slice(5)) > 20")
    slider(page, "lead of the wrong word").fill("-3")
    page.wait_for_timeout(400)
    assert_balls(page, 3.0, 0)
    press(page, "Run")
    press(page, "Reset")
    page.wait_for_timeout(700)
    assert_balls(page, 10.0, 0)


def test_one_button_at_a_time_is_asked_for(visit):
    page = visit(make()).page
    meant = lambda: page.locator(".ws-meant").all_inner_texts()  # noqa: E731
    assert meant() == ["One step"]
    press(page, "One step")
    press(page, "One step")
    assert meant() == ["Run"]
    press(page, "Run")
    assert meant() == []
    assert page.locator(".ws-call:visible").count() == 0


@pytest.mark.parametrize("width", [688, 360])
def test_the_figure_is_as_high_as_a_first_screen_has_room_for(visit, width):
    page = visit(make(), width=width).page
    assert page.locator(".ws-figure").bounding_box()["height"] <= (470 if width == 688 else 600)
    buttons, top = (page.locator(kind).bounding_box() for kind in (".ws-paces", ".ws-figure"))
    assert buttons["y"] + buttons["height"] - top["y"] < (310 if width == 688 else 250), "under the hill"


def test_the_knob_goes_no_further_than_the_least_lead_on_a_track_that_ends_where_nobody_leads(visit):
    page = visit(make()).page
    knob = slider(page, "lead of the wrong word")
    knob.focus()
    for _ in range(2):
        knob.press("End")
        assert knob.input_value() == "-1"
    assert_balls(page, 1.0, 0)
    level = page.locator(".ws-starts .ws-ticks span").last.bounding_box()
    track = knob.bounding_box()
    assert track["x"] + track["width"] - 12 == pytest.approx(level["x"] + level["width"] / 2, abs=1)


def test_the_second_hill_waits_until_the_first_has_been_tried(visit):
    page = visit(make()).page
    first, second = (page.locator("circle.ws-ball").nth(k) for k in (0, 1))
    above = lambda: page.locator(".ws-paces").bounding_box()  # noqa: E731
    before = above()
    assert first.is_visible()
    assert not second.is_visible()
    assert page.get_by_text(TEXT["logarithm"]).is_hidden(), "nor its name"
    press(page, "One step")
    assert not second.is_visible()
    press(page, "One step")
    assert second.is_visible()
    assert above() == before
    press(page, "Reset")
    assert not second.is_visible()
    assert visit(make(steps=11_028)).page.locator("circle.ws-ball:visible").count() == 2
