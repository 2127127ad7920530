"""*Make it flat*: what is drawn is what Python computes, and the game can be won by thinking, not by chance."""

import re
from itertools import islice

import numpy as np
import pytest
from figure_page import attributes, marks, numbers, points, press, said, slider
from gallery import GALLERY, MAKE
from in_node import SEED, ask
from scipy.interpolate import PchipInterpolator

from book.figures.make_it_flat_curve import AT, FAR, PLACES, SCORES, WORDS, is_flat, log_ratios, log_share

make = MAKE["flat"]
STATES = GALLERY["flat"]
TASK = "Bend the curve until the pen writes a flat line."
FOUND = "Flat. On log paper the rule is one straight line."
POWERS = {
    "squares": [1, 4, 9, 16, 25],
    "straight": [2, 4, 6, 8, 10],
    "cubes": [1, 8, 27, 64, 125],
    "alike": [3] * 5,
}
GEOMETRIC = [[factor**k for k in range(5)] for factor in (1.1, 1.3, 2, 4, 30, 0.5)]


# --- the curve -------------------------------------------------------------------------------------


def some_rules(count=400):
    rng = np.random.default_rng(SEED)
    for i in range(count):
        steps = rng.normal(0.8, (0.05, 0.3, 1.0, 3.0)[i % 4], 4) * (i % 9 > 0)
        yield np.exp(np.cumsum([rng.normal(), *steps])).tolist()


RULES = [*some_rules(), *POWERS.values(), *GEOMETRIC]
DENSE = np.linspace(1, 5, 161)


def test_the_curve_is_the_same_in_javascript_and_python():
    answer = f"(shares) => {{ const curve = logCurve(logsOf(shares)); return {DENSE.tolist()}.map(curve); }}"
    for shares, found in zip(RULES, ask(answer, RULES, "make_it_flat"), strict=True):
        np.testing.assert_allclose(found, log_share(shares, DENSE), atol=1e-11, err_msg=str(shares))


def test_the_pen_and_the_judge_are_the_same_in_javascript_and_python():
    answer = "(shares) => { const line = penLine(logCurve(logsOf(shares))); return [line, judge(line)]; }"
    near = [np.exp(np.log(one) + shift).tolist() for one in GEOMETRIC for shift in np.eye(5) * 0.03]
    rows = [*RULES, *near, [20, 21, 22, 23, 24], [1, 2, 4, 8, 16.5], [1, 2, 4, 8, 18]]
    verdicts = []
    for shares, (line, verdict) in zip(rows, ask(answer, rows, "make_it_flat"), strict=True):
        np.testing.assert_allclose(line, log_ratios(shares), atol=1e-11)
        assert is_flat(shares) == (verdict == "flat"), shares
        verdicts.append(verdict)
    assert {*verdicts} == {"flat", "bent", "even", "fallen"}


def test_words_and_scores_are_the_same_in_javascript_and_python():
    found = ask("() => [ROW, AT, FAR, SQUARES, PLACES]", [0], "make_it_flat")[0]
    assert found[:4] == [[*WORDS], [*AT], FAR, [1, 4, 9, 16, 25]]
    np.testing.assert_allclose(found[4], PLACES, atol=1e-15)


def test_it_is_scipys_monotone_cubic_in_the_logarithm_but_near_powers_of_the_score():
    for shares in RULES[:400]:
        power, rest = np.polyfit(np.log(SCORES), np.log(shares), 1)
        off = np.abs(np.log(shares) - power * np.log(SCORES) - rest).max()
        if off > 0.04 * np.ptp(np.log(shares)):
            expected = PchipInterpolator(SCORES, np.log(shares))(DENSE)
            np.testing.assert_allclose(log_share(shares, DENSE), expected, atol=1e-11)


@pytest.mark.parametrize("shares", POWERS.values(), ids=POWERS)
def test_powers_of_the_score_are_exact(shares):
    power = np.log(shares[1] / shares[0]) / np.log(2)
    np.testing.assert_allclose(log_share(shares, DENSE), np.log(shares[0]) + power * np.log(DENSE), atol=1e-12)


@pytest.mark.parametrize("shares", GEOMETRIC, ids=str)
def test_equal_factors_make_an_exponential_and_a_flat_line(shares):
    np.testing.assert_allclose(log_share(shares, DENSE), np.log(shares[1]) * (DENSE - 1), atol=1e-12)
    assert np.ptp(log_ratios(shares)) < 1e-13
    assert is_flat(shares) == (shares[1] > 1.17), "at 1.17, “cat” has 1.08 times the weight"


def test_where_a_handle_is_touched_nothing_jumps():
    """A thousandth more or less moves no point of the curve by more than a few thousandths."""
    for shares in RULES:
        for change in np.eye(5) * 1e-3:
            moved = log_share(np.exp(np.log(shares) + change), DENSE) - log_share(shares, DENSE)
            if np.ptp(np.log(shares)) > 0.5:
                assert np.abs(moved).max() < 6e-3


@pytest.mark.parametrize("shares", [*POWERS.values(), [1, 3, 9, 16, 25], [1, 2, 4, 8, 20]], ids=str)
def test_no_other_rule_is_flat(shares):
    assert not is_flat(shares)


def test_the_numbers_of_the_text():
    ends = lambda shares: np.exp(log_ratios(shares, [0, FAR])).round(1).tolist()  # noqa: E731
    assert ends([1, 4, 9, 16, 25]) == [1.8, 1.2]
    assert ends([5, 10, 15, 20, 25]) == [1.4, 1.1]
    step = np.exp(log_ratios([2.8, 3, 3.2, 24, 25]))
    assert (step[0].round(1), step.max().round(1), step[-1].round(1)) == (1.0, 3.9, 1.0)
    factors = np.array([4, 9, 16, 25]) / [1, 4, 9, 16]
    assert factors.round(2).tolist() == [4, 2.25, 1.78, 1.56]
    shares = [make(beta=beta).weights[2].round(2) for beta in (0.8, 2.4, 8)]
    assert shares == [0.46, 0.71, 0.98]


# --- the picture -------------------------------------------------------------------------------------


def shown_height(figure, scores):
    """How far below the top of the paper the curve is, as a share of the paper, at these scores."""
    scores = np.asarray(scores, dtype=float)
    if figure.slope is not None:  # log paper of three decades, score 3 in its middle
        return 0.5 - figure.slope * (scores - 3) / np.log(1000)
    return 1 - 25 / 30 * np.exp(log_share(figure.shares, scores)) / max(figure.shares)


@pytest.mark.parametrize("state", STATES)
def test_beads_line_strip_and_pen_are_what_python_says(draw, state):
    figure = STATES[state]
    html = draw(figure)
    beads = marks(html, "ws-bead")
    np.testing.assert_allclose(numbers(beads, "cx"), 20 * (figure.scores - 0.5), atol=2e-3)
    heights = np.clip(shown_height(figure, figure.scores), 0, 1)
    np.testing.assert_allclose(numbers(beads, "cy"), 100 * heights, atol=2e-3)
    bow = points(marks(html, "ws-bow")[0]["d"]) / 1000
    scores = 0.5 + 5 * bow[:, 0]
    np.testing.assert_allclose(bow[:, 1], np.clip(shown_height(figure, scores), -0.5, 1.5), atol=3e-4)
    assert (scores[0], scores[-1]) == (1, 5)
    long = re.findall(r'class="ws-weight" x="[\d.]+%" width="([\d.]+)%"', html)
    np.testing.assert_allclose(np.array(long, float) / 100, figure.weights, atol=2e-5)
    trace = points(marks(html, "ws-trace")[0]["d"]) / 1000
    if figure.slope is None:
        ratios = log_ratios(figure.shares)
    else:
        ratios = np.full(len(PLACES), figure.slope / 2)
    heights = (np.log(4.2) - ratios) / np.log(4.2 / 0.95)
    np.testing.assert_allclose(trace[:, 1], np.clip(heights, 0.004, 0.996), atol=1e-4)
    np.testing.assert_allclose(0.5 + 5 * trace[:, 0], 1.9 + PLACES, atol=6e-4)
    where = np.clip((np.log(4.2) - np.log(figure.ratio)) / np.log(4.2 / 0.95), 0.004, 0.996)
    assert numbers(marks(html, "ws-spot"), "cy") == pytest.approx(100 * where, abs=2e-3)


def test_on_the_way_to_log_paper_each_point_goes_straight():
    at = "(x) => [0, 0.25, 1].map((log) => heightOf(Math.log(x), Math.log(0.2), log))"
    for linear, quarter, log in ask(at, [0.01, 0.2, 0.7, 1.0], "make_it_flat"):
        assert quarter == pytest.approx(0.75 * linear + 0.25 * log)


def test_bars_are_shares_on_linear_paper_and_there_are_none_on_log_paper(draw):
    for state, wide in (("plain", 7), ("found", 0)):
        rods = marks(draw(STATES[state]), "ws-rod")
        assert numbers(rods, "stroke-width").tolist() == [wide] * 3


def test_the_still_picture_says_the_task_and_what_the_pen_writes(draw):
    html = draw(make())
    text = re.sub(r"<[^>]+>", "", html)
    assert TASK in text
    assert "“cat” gets 1.4× the weight of “milk”" in text
    assert "pull down" in text
    assert "β" not in re.sub(r"<[^>]*hidden[^>]*>.*?</(span|div|button)>", "", html.split("ws-tools")[0])[-400:]


# --- a reader plays ------------------------------------------------------------------------------------


def knob(page, k):
    """The knob of the share at score k + 1."""
    return page.locator(".ws-bends").nth(k - 1)


def middle(part):
    box = part.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def factors(page):
    return [float(part.get_attribute("aria-valuenow")) for part in page.locator(".ws-bends").all()]


def pixels(page, k, goal):
    """How far down this knob has to be dragged until its factor is the goal."""
    paper = page.locator(".ws-curve-paper").bounding_box()
    own = paper["y"] + paper["height"] - middle(knob(page, k))[1]
    return own - own / factors(page)[k - 1] * goal


def drag(page, part, dx, dy, let_go=True):
    x, y = middle(part)
    page.mouse.move(x, y)
    page.mouse.down()
    for share in (0.3, 0.7, 1):
        page.mouse.move(x + share * dx, y + share * dy)
    if let_go:
        page.mouse.up()


def touch(found, part, dx, dy, steps=6, beside=0):
    x, y = middle(part)
    x += beside
    session = found.context.new_cdp_session(found.page)
    send = lambda kind, at: session.send(  # noqa: E731
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": at}
    )
    send("touchStart", [{"x": x, "y": y}])
    for k in range(1, steps + 1):
        send("touchMove", [{"x": x + dx * k / steps, "y": y + dy * k / steps}])
    send("touchEnd", [])
    found.page.wait_for_timeout(50)


def has_won(page):
    return page.locator(".ws-found").count() == 1


def follow_factors(page, drag_by, rng):
    """Drags the knob whose factor is furthest from the first one's, again and again; yields after each drag."""
    while not has_won(page):
        off = np.abs(np.log(np.array(factors(page)) / factors(page)[0]))
        k = int(np.argmax(off)) + 1
        drag_by(k, rng.uniform(-3, 3), pixels(page, k, factors(page)[0]) + rng.uniform(-3, 3))
        yield k


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("width", [700, 360, 1032])
def test_who_follows_the_factors_wins_with_a_mouse_in_four_drags(visit, width, seed):
    page, rng = visit(make(), width=width).page, np.random.default_rng(seed)
    drags = follow_factors(page, lambda k, dx, dy: drag(page, knob(page, k), dx, dy), rng)
    assert len([*islice(drags, 4)]) >= 3
    assert has_won(page), factors(page)


@pytest.mark.parametrize("width", [700, 360])
def test_who_follows_the_factors_wins_with_a_finger(visit, width):
    found, rng = visit(make(), width=width, has_touch=True), np.random.default_rng(3)
    drags = follow_factors(found.page, lambda k, dx, dy: touch(found, knob(found.page, k), dx, dy), rng)
    assert len([*islice(drags, 4)]) >= 3
    assert has_won(found.page), factors(found.page)


@pytest.mark.parametrize("seed", range(3))
def test_who_drags_at_random_does_not_win(visit, seed):
    page, rng = visit(make(), width=700).page, np.random.default_rng(seed)
    for _ in range(8):
        k = int(rng.integers(1, 5))
        if page.locator(".ws-bends").nth(k - 1).is_visible():
            drag(page, knob(page, k), 0, rng.uniform(-60, 60))
    assert not has_won(page)


def test_keys_alone_win_and_lead_on_to_the_slope(visit):
    page = visit(make()).page
    for k in (2, 3, 4):
        knob(page, k).focus()
        for _ in range(40):
            if has_won(page) or abs(np.log(factors(page)[k - 1] / factors(page)[0])) < 1e-3:
                break
            page.keyboard.press("PageUp" if factors(page)[k - 1] < factors(page)[0] / 1.3 else "ArrowUp")
    assert has_won(page)
    assert page.evaluate("document.activeElement.className").startswith("ws-nub-box ws-turns")
    page.keyboard.press("Home")
    assert said(page) == "At β = 0 a point is worth nothing: all words get the same."


def test_a_drag_changes_one_factor_and_the_top_stays_where_it_is(visit):
    page = visit(make()).page
    before = factors(page)
    drag(page, knob(page, 3), 0, -40)
    after = factors(page)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, True, False, True]
    assert float(knob(page, 4).evaluate("el => el.style.top").strip("%")) == pytest.approx(100 * 5 / 30, abs=1e-3)


def test_a_held_knob_follows_the_pointer_and_is_never_made_anew(visit):
    page = visit(make()).page
    knob(page, 3).evaluate("el => { window.kept = el; }")
    _, y = middle(knob(page, 3))
    drag(page, knob(page, 3), 0, -70, let_go=False)
    assert middle(knob(page, 3))[1] == pytest.approx(y - 70, abs=1)
    page.mouse.move(300, -200)  # far above the page
    paper = page.locator(".ws-curve-paper").bounding_box()
    assert middle(knob(page, 3))[1] > paper["y"] - 1
    page.mouse.up()
    assert knob(page, 3).evaluate("el => el === window.kept")
    assert max(factors(page)) > 5


def test_near_another_factor_a_knob_snaps_and_both_are_marked(visit):
    page = visit(make()).page
    drag(page, knob(page, 3), 0, pixels(page, 3, 2.25) + 6, let_go=False)
    assert factors(page)[1:3] == [2.25, 2.25]
    marked = page.locator(".ws-factor").evaluate_all("all => all.map(el => el.classList.contains('ws-alike'))")
    assert marked == [False, True, True, False]
    page.mouse.up()


def test_who_merely_touches_changes_nothing(visit):
    page = visit(make()).page
    before = page.evaluate("document.querySelector('.ws-figure').innerHTML")
    for part in (knob(page, 1), knob(page, 4), page.locator(".ws-comb")):
        drag(page, part, 1, 1)
    page.mouse.move(0, 0)
    found = page.evaluate("document.querySelector('.ws-figure').innerHTML")
    assert re.sub(r' class="[^"]*"', "", found) == re.sub(r' class="[^"]*"', "", before)
    assert factors(page) == [4, 2.25, 1.78, 1.56]
    assert page.locator(".ws-pull-me").is_visible(), "it is no try"
    drag(page, page.locator(".ws-comb"), 2, 40)
    assert page.locator(".ws-comb").get_attribute("aria-valuenow") == "1.3", "the row goes sideways only"


def test_mere_touches_are_no_tries(visit):
    page = visit(make()).page
    drag(page, knob(page, 3), 0, -40)
    drag(page, knob(page, 2), 0, 20)
    for k in (1, 2, 4):
        drag(page, knob(page, k), 1, 1)
    assert page.get_by_role("button", name="Show me").count() == 0, "two drags, so no third try yet"
    assert page.locator(".ws-pen-paper .ws-ghost:not([d=''])").count() == 2


def test_before_a_line_is_let_go_it_says_so(visit):
    page = visit(make([1, 2, 4, 8, 14])).page
    drag(page, knob(page, 4), 0, pixels(page, 4, 2), let_go=False)
    assert page.locator(".ws-ask").text_content() == "Flat. Let go."
    assert knob(page, 4).is_visible()
    page.mouse.up()
    assert has_won(page)
    assert page.locator(".ws-bends:visible").count() == 0


# --- what helps, and what is left ---------------------------------------------------------------------------


def test_factors_and_the_hint_come_with_the_first_drag_and_the_way_out_with_the_third(visit):
    page = visit(make()).page
    assert page.locator(".ws-factor:visible").count() == 0
    assert page.locator(".ws-pull-me").is_visible()
    for k, dy in ((3, -40), (2, -30), (4, 20)):
        assert page.get_by_role("button", name="Show me").count() == 0
        drag(page, knob(page, k), 0, dy)
        assert page.locator(".ws-factor:visible").count() == 4
        shown = ", ".join(page.locator(".ws-factor").all_text_contents())
        assert said(page).endswith(f"{shown}: make them equal.")
    press(page, "Show me")
    assert has_won(page)


@pytest.mark.parametrize(("shares", "beta"), [([1, 4, 9, 16, 25], np.log(25) / 4), ([25, 16, 9, 4, 1], np.log(2))])
def test_show_me_takes_the_readers_mean_factor_or_two(visit, shares, beta):
    page = visit(make(shares)).page
    for _ in range(3):
        for part in (knob(page, 4), knob(page, 3)):
            drag(page, part, 0, 12)
            drag(page, part, 0, -12)
    mean = np.log(np.prod(factors(page))) / 4
    press(page, "Show me")
    found = float(slider(page, "β, the slope").get_attribute("aria-valuenow"))
    assert found == pytest.approx(mean if mean > 0.16 else np.log(2), abs=5e-3)


def test_tries_stay_behind_as_grey_lines(visit):
    page = visit(make()).page
    lines = ".ws-pen-paper .ws-ghost:not([d=''])"
    first = page.locator(".ws-trace").get_attribute("d")
    assert page.locator(lines).count() == 0
    drag(page, knob(page, 3), 0, -40)
    assert page.locator(lines).evaluate_all("all => all.map(el => el.getAttribute('d'))") == [first]
    drag(page, knob(page, 2), 0, 20)
    assert page.locator(lines).count() == 2
    press(page, "Reset")
    assert page.locator(lines).count() == 0


def test_the_row_slides_under_the_curve_and_the_pen_along_its_line(visit):
    page = visit(make(place=0)).page
    comb = page.locator(".ws-comb")
    seen = []
    for key in ("Home", "End"):
        comb.press(key)
        spot = attributes(page, ".ws-spot", "cx")[0], attributes(page, ".ws-spot", "cy")[0]
        trace = points(page.locator(".ws-trace").get_attribute("d")) / 10
        np.testing.assert_allclose(spot, trace[0 if key == "Home" else -1], atol=0.02)
        seen.append(page.locator(".ws-times").text_content())
    assert seen == ["1.8×", "1.2×"]
    wide = page.locator(".ws-curve-paper").bounding_box()["width"]
    drag(page, comb, -wide / 5, 9)
    np.testing.assert_allclose(attributes(page, ".ws-bead", "cx"), 20 * (np.array(AT) + 2.1 - 0.5), atol=0.2)


def test_on_a_phone_the_pen_stands_under_cat(visit):
    page = visit(make(), width=360).page
    cat, tooth, spot = (middle(page.locator(part).last)[0] for part in (".ws-bead", ".ws-tooth", ".ws-spot"))
    assert cat == pytest.approx(tooth, abs=1) == pytest.approx(spot, abs=1)


def test_the_lever_turns_the_line_under_the_pointer(visit):
    page = visit(make(beta=0.8), width=1032).page
    lever = page.locator(".ws-turns")
    paper = page.locator(".ws-curve-paper").bounding_box()
    for dx, dy in ((-30, -40), (-60, 10), (0, 500)):
        x, y = middle(lever)
        drag(page, lever, dx, dy)
        beta = float(lever.get_attribute("aria-valuenow"))
        run = (x + dx - paper["x"] - paper["width"] / 2) / paper["width"] * 5
        rise = (paper["y"] + paper["height"] / 2 - y - dy) / paper["height"] * np.log(1000)
        assert beta == pytest.approx(np.clip(rise / run, 0, 10), abs=0.05)
    np.testing.assert_allclose(attributes(page, ".ws-bead", "cy"), 50, atol=1e-3)  # β = 0
    trace = points(page.locator(".ws-trace").get_attribute("d"))
    assert np.ptp(trace[:, 1]) == 0


# --- what to do next, and what is seen -------------------------------------------------------------------------


def test_one_badge_at_a_time_on_the_knob_that_is_furthest_off_and_then_on_the_line(visit):
    page = visit(make(), width=360).page
    badges = lambda: page.locator(".ws-call:visible").all_text_contents()  # noqa: E731
    meant = "all => all.flatMap((el, i) => el.querySelector('.ws-meant') ? [i + 1] : [])"
    halos = lambda: page.locator(".ws-nub-box:visible").evaluate_all(meant)  # noqa: E731
    for k, way in ((1, "down"), (4, "up"), (3, "up")):
        assert (badges(), halos()) == ([f"pull {way}"], [k])
        drag(page, knob(page, k), 0, pixels(page, k, 2.25), let_go=False)
        assert (badges(), halos()) == ([], [])
        page.mouse.up()
        page.wait_for_timeout(700)
    assert has_won(page)
    assert badges() == ["turn me"]
    page.locator(".ws-turns").press("ArrowUp")
    assert (badges(), halos()) == ([], [])


def test_who_follows_the_badge_wins_from_any_rule():
    """The knob that is meant goes to the factor that is meant; where the way is wrong, this never ends."""
    answer = """(shares) => {
      for (let tries = 0; tries < 9; tries++) {
        if (slopeOf({ shares, beta: null }) !== null) return tries;
        const { k, up } = mostNeeded(shares);
        const own = factorsOf(shares)[k - 1];
        const wanted = factorsOf(shares).filter((x) => x >= 1.2 && x !== own && x > own === up);
        shares = bent(shares, k, (wanted.length ? Math.min(...wanted) : 2) / own);
      }
      return null;
    }"""
    rules = [POWERS["squares"], POWERS["straight"], POWERS["alike"], [2.8, 3, 3.2, 24, 25]]
    assert None not in ask(answer, rules, "make_it_flat")


def test_the_text_that_turns_the_line_takes_the_badge_away(visit):
    page = visit(make([1, 2, 4, 8, 16])).page
    assert page.locator(".ws-turn-me").is_visible()
    page.evaluate("location.hash = 'make-it-flat?beta=0.8'")
    page.locator(".ws-turn-me").wait_for(state="hidden")


def test_who_has_bent_an_exponential_sees_it_before_log_paper_comes(visit):
    page = visit(make([1, 2, 4, 8, 14]), still=False).page
    drag(page, knob(page, 4), 0, pixels(page, 4, 2))
    page.get_by_text("Flat. Every point multiplies by the same number.").wait_for()
    assert page.locator(".ws-factor:visible").all_text_contents() == ["×2"] * 4
    assert float(page.locator(".ws-rod").first.get_attribute("stroke-width")) == 7, "linear paper"
    page.get_by_text(FOUND).wait_for()
    page.wait_for_function("document.querySelector('.ws-rod').getAttribute('stroke-width') === '0'")
    assert page.locator(".ws-axis").text_content() == "shares, on log paper"
    assert page.locator(".ws-factor:visible").all_text_contents() == ["×2"] * 4
    press(page, "Reset")
    page.get_by_text(TASK).wait_for()


@pytest.mark.parametrize("way", ["still", "link"])
def test_nobody_waits_for_log_paper_on_a_link_or_without_motion(visit, way):
    page = visit(make([1, 2, 4, 8, 14]), still=way == "still").page
    if way == "link":
        page.evaluate("location.hash = 'make-it-flat?shares=1,2,4,8,16'")
        page.get_by_text(FOUND).wait_for(timeout=800)
    else:
        drag(page, knob(page, 4), 0, pixels(page, 4, 2))
        assert page.locator(".ws-ask").text_content() == FOUND


RECTS = """el => [...el.querySelectorAll('.ws-factor, .ws-slope b, .ws-of-squares, .ws-call, .ws-nub')]
  .filter(part => part.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map(part => {
    const { x, y, width, height } = part.getBoundingClientRect();
    return [part.className.baseVal ?? part.className, x, y, width, height];
  })"""


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_no_label_of_the_curve_lies_on_another_or_on_a_line(visit, width):
    figures = [make([5, 10, 15, 20, 25]), make([9, 10, 11, 12, 25]), make([2.8, 3, 3.2, 24, 25]),
               make([25, 16, 9, 4, 1]), make([1, 2, 4, 8, 16]), make(beta=0.8), make(beta=0.2)]  # fmt: skip
    for figure in visit(*figures, width=width).page.locator(".ws-figure").all():
        boxes = figure.evaluate(RECTS)
        paper = figure.locator(".ws-curve-paper").bounding_box()
        bow = points(figure.locator(".ws-bow").get_attribute("d")) / 1000
        line = bow * [paper["width"], paper["height"]] + [paper["x"], paper["y"]]
        for i, (kind, x, y, wide, tall, *_) in enumerate(boxes):
            if "ws-nub" in kind:
                continue
            on = (line[:, 0] > x) & (line[:, 0] < x + wide) & (line[:, 1] > y) & (line[:, 1] < y + tall)
            assert not on.any(), f"{kind} on the line"
            for other, x2, y2, wide2, tall2, *_ in boxes[:i] + boxes[i + 1 :]:
                apart = x2 >= x + wide - 4 or x >= x2 + wide2 - 4 or y2 >= y + tall - 4 or y >= y2 + tall2 - 4
                assert apart, f"{kind} on {other}"


@pytest.mark.parametrize("width", [1032, 360])
def test_what_is_written_on_the_papers_covers_no_line(visit, width):
    page = visit(make(beta=0.8), make([5, 10, 15, 20, 25]), width=width).page
    grounds = page.locator(".ws-factor, .ws-goal-name").evaluate_all(
        "all => all.map(el => getComputedStyle(el).backgroundColor)"
    )
    assert {*grounds} == {"rgba(0, 0, 0, 0)"}
    score, one = page.locator(".ws-score-name").first, page.locator(".ws-digit").first
    digit = one.evaluate("""el => {
      const range = document.createRange();
      range.selectNodeContents(el.lastChild);
      return range.getBoundingClientRect().x;
    }""")
    assert digit - (score.bounding_box()["x"] + score.bounding_box()["width"]) >= 2


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_nothing_is_cut_and_the_pen_writes_through_no_number(visit, width):
    page = visit(make([2.8, 3, 3.2, 24, 25], place=FAR), make([2.8, 3, 3.2, 24, 25], place=0), make(beta=8),
                 make(beta=0.3), make(beta=0.4), make([5, 10, 15, 20, 25]), width=width).page  # fmt: skip
    for figure in page.locator(".ws-figure").all():
        box = lambda part: part.bounding_box()  # noqa: E731
        own = box(figure)
        paper, pen = box(figure.locator(".ws-curve-paper")), box(figure.locator(".ws-pen-paper"))
        for part in figure.locator(".ws-call:visible, .ws-score-name, .ws-goal-name").all():
            at = box(part)
            assert own["x"] <= at["x"]
            assert at["x"] + at["width"] <= own["x"] + own["width"]
        turn = figure.locator(".ws-turn-me:visible")
        assert not turn.count() or box(turn)["y"] >= paper["y"] - 1
        name = box(figure.locator(".ws-goal-name"))
        assert pen["y"] <= name["y"] <= name["y"] + name["height"] <= pen["y"] + pen["height"] + 1
        written = box(figure.locator(".ws-trace"))["x"]
        assert all(box(one)["x"] + box(one)["width"] < written for one in figure.locator(".ws-level").all())


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_at_rest_every_piece_of_the_strip_has_its_percentage(visit, width):
    page = visit(make(), width=width).page
    assert page.locator(".ws-of:visible").all_text_contents() == ["23%", "32%", "45%"]
    strip = page.locator(".ws-strip")
    for label, piece in zip(strip.locator("text").all(), strip.locator("rect").all(), strict=True):
        inside, outside = label.bounding_box(), piece.bounding_box()
        assert inside["width"] < outside["width"] - 4


def test_factors_that_differ_look_different_and_only_those_that_do_not_are_marked(visit, draw):
    rows = [*(np.array(shares[1:]) / shares[:-1] for shares in RULES), [1.33, 1.326, 1.26, 1.001]]
    answer = "(row) => [factorTexts(row), row.map((x) => row.filter((y) => alike(x, y)).length > 1)]"
    for row, (texts, _) in zip(rows, ask(answer, [list(row) for row in rows], "make_it_flat"), strict=True):
        for x, one in zip(row, texts, strict=True):
            for y, other in zip(row, texts, strict=True):
                apart = abs(np.log(x / y))
                of_three = 0.004 < apart < 0.011  # of which two pairs may be alike
                assert of_three or (one == other) == (apart < 0.005)
            assert float(one[1:]) == pytest.approx(x, rel=0.05)
    shown = lambda state: visit(STATES[state]).page.locator(".ws-factor")  # noqa: E731
    assert shown("straight").all_text_contents() == ["×2", "×1.5", "×1.33", "×1.25"]
    assert shown("straight").evaluate_all("all => all.filter(el => el.matches('.ws-alike')).length") == 0
    step = shown("step")
    assert step.all_text_contents() == ["×1.07", "×1.07", "×7.5", "×1.04"]
    marked = step.evaluate_all("all => all.map(el => el.matches('.ws-alike'))")
    assert marked == [True, True, False, False]


def test_a_factor_stands_beside_its_own_piece_of_the_curve(visit):
    for state in ("straight", "step"):
        page = visit(STATES[state], width=1032).page
        paper = page.locator(".ws-curve-paper").bounding_box()
        bow = points(page.locator(".ws-bow").get_attribute("d")) / 1000
        for k, part in enumerate(page.locator(".ws-factor").all(), 1):
            own = bow[(bow[:, 0] >= (k - 0.5) / 5) & (bow[:, 0] <= (k + 0.5) / 5)]
            at = own * [paper["width"], paper["height"]] + [paper["x"], paper["y"]]
            box = part.bounding_box()
            low = np.array([box["x"], box["y"]])
            gaps = np.maximum(np.maximum(low - at, at - low - [box["width"], box["height"]]), 0)
            assert 2 < np.hypot(*gaps.T).min() < 14
            length = np.cumsum(np.hypot(*np.diff(at, axis=0).T))
            assert 0.3 < length[np.argmin(np.hypot(*gaps.T))] / length[-1] < 0.75


def test_the_line_has_no_corners(draw):
    trace = points(marks(draw(STATES["step"]), "ws-trace")[0]["d"]) * [0.48, 0.3]  # pixels
    way = np.diff(trace, axis=0)
    turned = np.diff(np.unwrap(np.arctan2(way[:, 1], way[:, 0])))
    assert np.degrees(np.abs(turned).max()) < 25


def test_a_line_that_goes_up_and_down_is_said_to_do_so(visit):
    page = visit(make()).page
    assert said(page).startswith("The line falls from 1.8 to 1.2")
    drag(page, knob(page, 3), 0, pixels(page, 3, 2.9))
    assert said(page).startswith("The line goes up and down, between 1.2 and 1.9")


# --- the goal ----------------------------------------------------------------------------------------------------


def test_a_line_in_the_band_is_flat_and_a_flat_line_lies_in_the_band():
    answer = "(shares) => { const line = penLine(logCurve(logsOf(shares))); return [line, goalOf(line)]; }"
    near = [np.exp(np.log(one) + shift).tolist() for one in GEOMETRIC[:5] for shift in np.eye(5) * 0.04]
    rows = [*RULES, *near]
    for shares, (line, goal) in zip(rows, ask(answer, rows, "make_it_flat"), strict=True):
        off = np.abs(np.array(line) - goal["middle"]).max()
        assert (off < goal["wide"] / 2) == is_flat(shares) or np.mean(line) < np.log(1.15)


@pytest.mark.parametrize("state", STATES)
def test_the_band_is_drawn_about_the_middle_of_the_line(draw, state):
    html, figure = draw(STATES[state]), STATES[state]
    line = np.full(2, figure.slope / 2) if figure.slope is not None else log_ratios(figure.shares)
    middle = max((line.min() + line.max()) / 2, np.log(1.08))
    wide = min(np.log(1.05), 0.16 * max(line.mean(), np.log(1.08)))
    ends = np.clip((np.log(4.2) - middle + np.array([-wide, wide]) / 2) / np.log(4.2 / 0.95), 0.004, 0.996)
    band = marks(html, "ws-goal")[0]
    top, high = (float(band[key].strip("%")) for key in ("y", "height"))
    np.testing.assert_allclose([top, top + high], 100 * ends, atol=0.01)
    text = marks(html, "ws-goal-name")[0]["text"]
    assert text == ("flat" if figure.slope is None else f"{times(figure.ratio)} × everywhere")


def times(ratio):
    return f"{ratio:.1f}" if ratio < 9.95 else f"{float(f'{ratio:.1e}'):.0f}"


# --- a finger scrolls the page -------------------------------------------------------------------------------


@pytest.mark.parametrize("across", [4, 48])
@pytest.mark.parametrize("part", [".ws-pen-paper", ".ws-curve-paper", ".ws-comb", ".ws-strip"])
def test_a_swipe_scrolls_the_page(visit, part, across):
    found = visit("<p style='height: 300px'>above</p>", make(), "<p style='height: 900px'>below</p>",
                  width=360, height=780, has_touch=True)  # fmt: skip
    page = found.page
    page.locator(".ws-pen-paper").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    touch(found, page.locator(part), across, -120, steps=12)
    page.wait_for_function("before => scrollY > before + 60", arg=before)
    assert factors(page) == [4, 2.25, 1.78, 1.56]
    assert page.locator(".ws-comb").get_attribute("aria-valuenow") == "1.3"


def test_a_swipe_that_begins_beside_a_knob_scrolls_and_bends_nothing(visit):
    found = visit(make(), "<p style='height: 900px'>below</p>", width=360, height=780, has_touch=True)
    touch(found, knob(found.page, 3), 0, -120, steps=12, beside=20)
    found.page.wait_for_function("scrollY > 60")
    assert factors(found.page) == [4, 2.25, 1.78, 1.56]
    assert found.page.locator(".ws-pull-me").is_visible()


def test_a_finger_on_a_knob_bends_and_scrolls_nothing(visit):
    found = visit(make(), "<p style='height: 900px'>below</p>", width=360, height=780, has_touch=True)
    touch(found, knob(found.page, 3), 0, -40)
    assert found.page.evaluate("scrollY") == 0
    assert factors(found.page)[2] != 1.78


def test_a_finger_slides_the_row(visit):
    found = visit(make(), width=360, has_touch=True)
    touch(found, found.page.locator(".ws-comb"), 66, 2, steps=12)
    assert float(found.page.locator(".ws-comb").get_attribute("aria-valuenow")) == pytest.approx(2.3, abs=0.1)
