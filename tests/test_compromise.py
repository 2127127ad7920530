"""*The compromise* as a reader's browser shows it, in a page without a kernel."""

import math
import re

import numpy as np
import pytest
from browser import launched
from figure_page import OVERLAPS, READY, Pages, more, rgb
from test_math_js_maps import by_sorting

import lib
from lib.figures import Compromise
from lib.figures.bundle import page_script, widget_module
from lib.figures.static_compromise import SIDE, TALL

inf = math.inf
TOKENS, SCORES = ["cat", "milk", "it"], [2.0, 1.5, 0.8]
ALPHAS = {"kl": 1.0, "tsallis": 1.5, "euclidean": 2.0}


def figure(**options):
    return Compromise(TOKENS, SCORES, **options)


STATES = {
    "plain": figure(),
    "budget": figure(mode="budget", epsilon=0.3, prior=[2, 3, 5]),
    "hard": figure(beta=inf, prior=[0.01, 0.01, 0.98]),
    "zero": figure(beta=0),
    "free": figure(mode="budget", epsilon=inf, caption="A caption."),
    "edge": figure(divergence="euclidean", beta=1.7),
    "corner": figure(divergence="tsallis", mode="budget", epsilon=0.5, prior=[1, 2, 2]),
    "equal": Compromise(["a", "b", "c"], [1, 1, 1], prior=[1, 2, 3]),
    "tied": Compromise(["thirsty", "because", "sentence"], [1, 1, -12], beta=40),
}


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture
def visit(tmp_path, browser):
    pages = Pages(tmp_path, browser)
    yield lambda shown=None, **options: pages(shown or figure(), **options)
    pages.close()


def best(page):
    """The weights where the dot is, to the tenth of the triangle's thousand units that it is drawn to."""
    x, y = map(float, re.findall(r"[\d.]+", page.locator(".ws-best").first.get_attribute("d"))[:2])
    a, c = 1 - y / TALL, x / SIDE - (1 - y / TALL) / 2
    return [a, 1 - a - c, c]


def assert_best(page, scores=SCORES, beta=1.0, prior=None, divergence="kl"):
    row = {"scores": scores, "alpha": ALPHAS[divergence], "prior": prior}
    np.testing.assert_allclose(best(page), by_sorting(row, beta), atol=2e-4)


def null_of(page):
    texts = page.locator(".ws-share").first.get_attribute("aria-valuetext")
    return [float(share) for share in re.findall(r"([\d.]+)%", texts)]


def say(page):
    return page.locator(".ws-say").inner_text()


def ring(page):
    box = page.locator(".ws-point").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def spot(page, p):
    """Where weights p are on the screen."""
    box = page.locator(".ws-simplex").bounding_box()
    return box["x"] + box["width"] * (p[2] + p[0] / 2), box["y"] + box["height"] * (1 - p[0])


def drag(page, p):
    page.mouse.move(*ring(page))
    page.mouse.down()
    x, y = spot(page, p)
    page.mouse.move(x - 30, y - 9)
    page.mouse.move(x, y)
    page.mouse.up()


@pytest.mark.parametrize("to", [[0.2, 0.3, 0.5], [0.7, 0.1, 0.2], [0.06, 0.9, 0.04]])
def test_the_null_is_dragged_and_the_best_weights_follow(visit, to):
    page = visit().page
    drag(page, to)
    assert null_of(page) == [100 * p for p in to]
    assert_best(page, prior=to)
    np.testing.assert_allclose(ring(page), spot(page, to), atol=0.6)


def test_a_null_dragged_outside_stays_at_the_nearest_point_with_a_hundredth_each(visit):
    page = visit().page
    drag(page, [-0.5, 0.75, 0.75])
    assert null_of(page) == pytest.approx([1, 49.5, 49.5], abs=0.6)
    drag(page, [1.4, -0.2, -0.2])
    assert null_of(page) == [98, 1, 1]


def test_near_the_middle_the_null_is_uniform(visit):
    page = visit(figure(prior=[1, 2, 2])).page
    drag(page, [0.34, 0.325, 0.335])
    assert_best(page, prior=[1, 1, 1])
    assert null_of(page) == [33, 33, 33]


def test_the_null_is_dragged_by_a_finger(visit):
    found = visit(width=360, has_touch=True)
    touch = found.context.new_cdp_session(found.page)
    end = spot(found.page, [0.2, 0.3, 0.5])
    for kind, at in [("touchStart", ring(found.page)), ("touchMove", end), ("touchEnd", None)]:
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert null_of(found.page) == pytest.approx([20, 30, 50], abs=1)


def test_the_null_answers_to_keys_share_by_share(visit):
    page = visit(figure(prior=[20, 30, 50])).page
    sliders = page.get_by_role("slider", name="null u, share of")
    assert sliders.count() == 3
    sliders.nth(0).focus()
    page.keyboard.press("ArrowUp")
    assert null_of(page) == [21, 30, 49]  # the others in proportion: 29.6 and 49.4
    assert_best(page, prior=[0.21, 0.79 * 3 / 8, 0.79 * 5 / 8])
    page.keyboard.press("End")
    assert null_of(page) == [98, 1, 1]
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    assert null_of(page)[1] == 1
    assert page.locator(".ws-corner .ws-token").nth(1).evaluate(
        "el => getComputedStyle(el).textDecorationLine"
    ) == ("underline")


@pytest.mark.parametrize("key", ["ArrowUp", "ArrowDown"])
def test_a_key_leaves_the_middle(visit, key):
    page = visit().page
    page.get_by_role("slider", name="share of milk").focus()
    page.keyboard.press(key)
    assert null_of(page)[1] == (34 if key == "ArrowUp" else 32)


def test_the_slider_moves_the_best_weights_from_the_null_to_the_corner(visit):
    page = visit().page
    slider = page.get_by_role("slider", name="inverse temperature")
    slider.focus()
    for key, beta in [("ArrowRight", 1.25), ("PageUp", 10.0), ("Home", 0.0), ("End", inf)]:
        page.keyboard.press(key)
        assert_best(page, beta=beta)
    assert best(page) == [1, 0, 0]
    assert slider.get_attribute("aria-valuetext") == "β = infinity, price 0"
    assert "divergence is free: all the weight is on “cat”, 1.10 nats" in say(page)


def choose(page, name):
    page.get_by_role("radio", name=name).check()


def test_a_price_becomes_the_budget_it_spends_and_back(visit):
    page = visit(figure(beta=2.5)).page
    before = best(page)
    choose(page, "budget")
    assert best(page) == pytest.approx(before, abs=2e-4)
    spent = float(lib.kl_divergence(lib.softmax(np.array(SCORES), 2.5), np.full(3, 1 / 3)))
    assert page.locator(".ws-budget .ws-value").inner_text() == f"ε = {spent:.3g} nats"
    assert page.get_by_role("slider", name="inverse temperature").is_hidden()
    choose(page, "price")
    assert best(page) == pytest.approx(before, abs=2e-4)
    assert page.get_by_role("slider", name="inverse temperature").get_attribute("aria-valuetext") == (
        "β = 2.5, price 0.4"
    )


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 0.9, 1.0986, 1.3])
def test_a_budget_sets_beta(visit, epsilon):
    page = visit(figure(mode="budget")).page
    more(page)
    page.get_by_role("textbox", name="ε").fill(str(epsilon))
    page.keyboard.press("Enter")
    beta = float(lib.beta_for_kl(np.array(SCORES), epsilon))
    assert_best(page, beta=beta)
    assert ("allows nothing" in say(page)) == (beta == 0)
    assert ("is spent in full" in say(page)) == (0 < beta < inf)
    assert ("More would buy nothing: β = ∞" in say(page)) == (beta == inf)


def test_the_budgets_slider_answers_to_keys(visit):
    page = visit(figure(mode="budget", epsilon=0.3)).page
    slider = page.get_by_role("slider", name="budget")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext").startswith("ε = 0.310 nats, β = ")
    assert_best(page, beta=float(lib.beta_for_kl(np.array(SCORES), 0.31)))
    page.keyboard.press("End")
    assert best(page) == [1, 0, 0]


def points_of(page, kind):
    numbers = re.findall(r"-?[\d.]+", page.locator(f".ws-{kind}").first.get_attribute("d"))
    return np.array(numbers, dtype=float).reshape(-1, 2)


def weights_of(points):
    a = 1 - points[:, 1] / TALL
    c = points[:, 0] / SIDE - a / 2
    return np.stack([a, 1 - a - c, c], axis=-1)


def test_the_ball_is_where_the_divergence_is_the_budget(visit):
    page = visit(figure(mode="budget", epsilon=0.3, prior=[2, 3, 5])).page
    ball = np.clip(weights_of(points_of(page, "ball")), 0, 1)
    assert len(ball) > 100
    np.testing.assert_allclose(lib.kl_divergence(ball, np.tile([0.2, 0.3, 0.5], (len(ball), 1))), 0.3, atol=0.01)
    touch = weights_of(points_of(page, "touch"))
    np.testing.assert_allclose(touch @ SCORES, best(page) @ np.array(SCORES), atol=1e-3)


def test_the_lines_of_a_price_are_those_of_equal_objective(visit):
    page = visit(figure(beta=2.0, prior=[2, 3, 5])).page
    level = weights_of(points_of(page, "level"))
    level = level[(level > 0.01).all(axis=1)]
    u = np.array([0.2, 0.3, 0.5])
    values = lib.objective(level, np.tile(SCORES, (len(level), 1)), 2.0, prior=u)
    top = float(lib.log_partition(np.array(SCORES), 2.0, prior=u))
    corners = [SCORES[i] + math.log(u[i]) / 2 for i in range(3)]
    steps = (top - values) / (top - min(corners)) * 10
    assert set(np.rint(steps)) == set(range(1, 10))
    np.testing.assert_allclose(steps, np.rint(steps), atol=0.05)


@pytest.mark.parametrize("divergence", ["tsallis", "euclidean"])
def test_another_divergence_has_its_own_answer_hue_and_line(visit, divergence):
    page = visit(figure(beta=2.0)).page
    assert page.locator(".ws-gone").evaluate("el => getComputedStyle(el).stroke") == rgb("weight", "light")
    more(page)
    choose(page, {"tsallis": "entmax", "euclidean": "sparsemax"}[divergence])
    assert_best(page, beta=2.0, divergence=divergence)
    hue = {"tsallis": "entmax", "euclidean": "sparsemax"}[divergence]
    styles = page.locator(".ws-gone").evaluate(
        "el => [getComputedStyle(el).stroke, getComputedStyle(el).strokeDasharray]"
    )
    assert styles[0] == rgb(hue, "light")
    assert styles[1] != "none"
    assert page.locator(".ws-best").evaluate("el => getComputedStyle(el).stroke") == rgb("weight", "light")


def test_kl_reaches_no_edge_at_a_finite_beta_and_the_others_do(visit):
    page = visit(figure(beta=100)).page
    assert "With KL no finite β reaches an edge" in say(page)
    shown = page.locator(".ws-corner b")
    assert shown.all_inner_texts() == [">99.9%", "<0.1%", "<0.1%"]
    more(page)
    for name in ["entmax", "sparsemax"]:
        choose(page, name)
        assert shown.all_inner_texts() == ["100%", "0%", "0%"]
        assert "A corner at a finite β: two have exactly 0." in say(page)
    page.get_by_role("textbox", name="β").fill("1.7")
    page.keyboard.press("Enter")
    assert "An edge at a finite β: “it” has exactly 0." in say(page)


def test_another_divergence_keeps_beta_also_under_a_budget(visit):
    page = visit(figure(mode="budget", epsilon=0.3)).page
    more(page)
    beta = float(lib.beta_for_kl(np.array(SCORES), 0.3))
    for name, divergence in [("sparsemax", "euclidean"), ("entmax", "tsallis"), ("softmax", "kl")]:
        choose(page, name)
        assert_best(page, beta=beta, divergence=divergence)


def test_scores_and_shares_are_typed_in_the_table(visit):
    page = visit().page
    more(page)
    rows = page.locator(".ws-table tbody tr")
    rows.nth(2).get_by_role("spinbutton").nth(0).fill("2.25")
    rows.nth(0).get_by_role("spinbutton").nth(1).fill("20")
    page.keyboard.press("Tab")
    assert_best(page, scores=[2, 1.5, 2.25], prior=[0.2, 0.4, 0.4])
    rows.nth(0).get_by_role("spinbutton").nth(1).fill("0")
    page.keyboard.press("Tab")
    assert "stays" in page.get_by_role("status").inner_text()
    assert null_of(page) == [20, 40, 40]


def test_a_negative_beta_is_refused(visit):
    page = visit(figure(beta=2.0)).page
    more(page)
    page.get_by_role("textbox", name="β").fill("-1")
    page.keyboard.press("Enter")
    assert "β is 0 or more" in page.get_by_role("status").inner_text()
    assert page.get_by_role("textbox", name="β").input_value() == "2"
    assert_best(page, beta=2.0)


def test_the_readings_add_up(visit):
    page = visit(figure(beta=2.5, prior=[2, 3, 5])).page
    gain, price, spent, left = (
        float(re.match(r"[\d.]+", text).group()) for text in page.locator(".ws-read dd").all_inner_texts()
    )
    assert price == 0.4
    assert left == pytest.approx(gain - price * spent, abs=0.011)
    assert left == pytest.approx(
        float(lib.log_partition(np.array(SCORES), 2.5, prior=np.array([2, 3, 5.0]))), abs=0.006
    )


def test_reset_brings_everything_back(visit):
    page = visit(figure(beta=2.0, prior=[1, 2, 2])).page
    drag(page, [0.7, 0.1, 0.2])
    choose(page, "budget")
    more(page)
    choose(page, "sparsemax")
    page.get_by_role("button", name="Reset").click()
    assert_best(page, beta=2.0, prior=[1, 2, 2])
    assert page.get_by_role("radio", name="price").is_checked()
    assert page.get_by_role("radio", name="softmax").is_checked()


def test_a_link_stores_the_state(visit):
    found = visit()
    page = found.page
    more(page)
    choose(page, "entmax")
    choose(page, "budget")
    page.get_by_role("textbox", name="ε").fill("0.2")
    drag(page, [0.2, 0.3, 0.5])
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    assert page.url.endswith("#compromise?prior=0.2,0.3,0.5&mode=budget&divergence=tsallis&epsilon=0.2")
    again = found.open(page.url)
    again.wait_for_selector(READY)
    assert best(again) == best(page)
    assert best(again) != [1, 0, 0]
    again.get_by_role("button", name="Reset").click()
    assert_best(again)


def test_a_link_can_hold_infinity(visit):
    found = visit()
    page = found.open(found.page.url + "#compromise?mode=budget&epsilon=inf")
    page.wait_for_selector(READY)
    assert best(page) == [1, 0, 0]


@pytest.mark.parametrize(
    "part",
    [
        "beta=-1",
        "beta=-inf",
        "prior=0,1,1",
        "prior=1,1",
        "epsilon=-1",
        "epsilon=much",
        "mode=both",
        "divergence=js",
    ],
)
def test_a_damaged_link_changes_nothing(visit, part):
    found = visit(figure(beta=2.0))
    page = found.open(found.page.url + f"#compromise?{part}")
    page.wait_for_selector(READY)
    assert_best(page, beta=2.0)
    assert found.errors == []


# --- looks -----------------------------------------------------------------------------------------

PATHS = """figure => [...figure.querySelectorAll('svg path')].map(el => {
  const style = getComputedStyle(el);
  return { kind: el.getAttribute('class'), d: el.getAttribute('d'),
    style: [style.stroke, style.strokeWidth, style.strokeDasharray, style.fill, style.vectorEffect] };
})"""
WORDS = """figure => [...figure.querySelectorAll(
  '.ws-axis, .ws-aside, .ws-note, .ws-value, .ws-corner, .ws-tag, dt, dd, .ws-say, .ws-caption')].filter(
  el => el.getClientRects().length && !el.closest('.ws-more')).map(el => el.textContent)"""
BOXES = """figure => [...figure.querySelectorAll('.ws-corner, .ws-tag, .ws-point, .ws-knob, .ws-key')].map(el => {
  const box = el.getBoundingClientRect();
  return [box.x, box.y, box.width, box.height];
})"""


def spots(d):
    return np.array(re.findall(r"-?[\d.]+", d.replace("h.1", "")), dtype=float).reshape(-1, 2)


def assert_same_points(a, b):
    """Each point of one lies within two tenths of one of the other, and back: pieces may come in any order."""
    a, b = spots(a), spots(b)
    assert len(a) == len(b)
    if len(a):
        gaps = np.abs(a[:, None] - b[None]).max(axis=-1)
        assert gaps.min(axis=0).max() < 0.21
        assert gaps.min(axis=1).max() < 0.21


@pytest.mark.parametrize("state", STATES)
def test_the_static_picture_is_the_live_one(visit, state):
    still = visit(STATES[state], script=False).page.locator(".ws-figure")
    live = visit(STATES[state], name="live").page.locator(".ws-figure")
    for a, b in zip(
        sorted(still.evaluate(PATHS), key=lambda path: path["kind"]),
        sorted(live.evaluate(PATHS), key=lambda path: path["kind"]),
        strict=True,
    ):
        assert (a["kind"], a["style"]) == (b["kind"], b["style"])
        assert_same_points(a["d"], b["d"])
    assert still.evaluate(WORDS) == live.evaluate(WORDS)
    np.testing.assert_allclose(still.evaluate(BOXES), live.evaluate(BOXES), atol=0.02)
    labels = [page.locator("svg").get_attribute("aria-label") for page in (still, live)]
    assert labels[0] == labels[1]


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", ["plain", "free", "edge", "tied"])
def test_nothing_moves_when_the_figure_takes_its_pictures_place(visit, state, width):
    page = visit(STATES[state], script=False, width=width).page
    tops = """() => ['.ws-simplex', '.ws-choice', '.ws-beta', '.ws-say', '.ws-read', '.ws-tools'].map(part => {
      const shown = [...document.querySelectorAll(part)].find(el => el.getClientRects().length);
      return shown.getBoundingClientRect().top;
    })"""
    before, height = page.evaluate(tops), page.locator("main").bounding_box()["height"]
    page.add_script_tag(content=page_script())
    page.wait_for_selector(READY)
    assert page.evaluate(tops) == before
    assert page.locator("main").bounding_box()["height"] == height


@pytest.mark.parametrize("width", [1280, 360])
def test_no_state_moves_what_is_below_the_figure(visit, width):
    page = visit(width=width).page
    more(page)
    height = "() => document.querySelector('.ws-tools').offsetTop - document.querySelector('.ws-head').offsetTop"
    top = page.evaluate(height)
    for divergence in ["softmax", "entmax", "sparsemax"]:
        choose(page, divergence)
        for mode, slider in [("price", "inverse temperature"), ("budget", "budget")]:
            choose(page, mode)
            page.get_by_role("slider", name=slider).focus()
            for key in ["Home", *["PageUp"] * 3, *["ArrowRight"] * 2, *["PageUp"] * 2, "End"]:
                page.keyboard.press(key)
                assert page.evaluate(height) == top, say(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", ["plain", "corner"])
def test_axe_finds_nothing(visit, state, width, theme):
    found = visit(STATES[state], width=width, theme=theme)
    assert found.axe() == []
    more(found.page)
    assert found.axe() == []


def test_axe_finds_nothing_in_the_static_picture(visit):
    assert visit(STATES["budget"], script=False).axe() == []


@pytest.mark.parametrize("state", STATES)
def test_a_phone_shows_all_of_it(visit, state):
    page = visit(STATES[state], width=360).page
    for _ in range(2):
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
        outside = """() => [...document.querySelectorAll('.ws-figure *')].filter(el => {
          const box = el.getBoundingClientRect();
          return box.width > 1 && (box.left < 3 || box.right > innerWidth - 3);
        }).map(el => el.className)"""
        assert page.evaluate(outside) == []
        more(page)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", STATES)
def test_no_label_lies_on_another(visit, state, width):
    page = visit(STATES[state], width=width).page
    labels = ".ws-token, .ws-corner small, .ws-corner b, .ws-tag, .ws-head span:not(:has(*))"
    assert page.evaluate(OVERLAPS, labels) == []


@pytest.mark.parametrize("mode", ["price", "budget"])
@pytest.mark.parametrize("width", [1280, 360])
def test_every_target_is_as_large_as_a_fingertip(visit, width, mode):
    page = visit(figure(mode=mode), width=width).page
    more(page)
    targets = """() => [...document.querySelectorAll('.ws-figure :is(button, input, a)')].map(el => {
      const box = (el.closest('label') ?? el).getBoundingClientRect();
      return [el.getAttribute('aria-label') ?? el.value, box.width, box.height];
    }).filter(target => target[1])"""
    found = page.evaluate(targets)
    assert len(found) == 3 + 2 + 1 + 3 + 3 + 2 + 3 * 2 - 1  # null, mode, slider, tools, divergence, ε or β, table
    assert [target for target in found if min(target[1:]) < 44] == []


def test_three_controls_are_in_view(visit):
    page = visit().page
    groups = "[role=radiogroup], .ws-point, .ws-range, .ws-more *"
    seen = [el for el in page.locator(groups).all() if el.is_visible()]
    assert len(seen) == 3


FRAMES = """() => new Promise(done => {
  const dot = document.querySelector('.ws-best');
  const seen = [];
  const start = performance.now();
  const look = () => {
    seen.push(dot.getAttribute('d'));
    if (performance.now() - start < 500) requestAnimationFrame(look); else done(seen);
  };
  document.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp' }));
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize("still", [False, True])
def test_the_dot_glides_along_its_path_unless_motion_is_unwanted(visit, still):
    page = visit(still=still).page
    frames = page.evaluate(FRAMES)
    assert_best(page, beta=10.0)
    between = {frame for frame in frames if frame not in (frames[0], frames[-1])}
    assert (len(between) == 0) if still else (len(between) >= 2)
    betas = np.geomspace(0.5, 20, 4000)[:, None]
    way = lib.softmax(np.array(SCORES), betas)
    for frame in frames:
        at = weights_of(spots(frame))[0]
        assert np.abs(way - at).max(axis=1).min() < 2e-3


def test_without_script_the_picture_stands_and_nothing_can_be_pressed(visit):
    page = visit(java_script_enabled=False).page
    assert page.locator("svg[role=img]").count() == 1
    assert_best(page)
    assert "“cat” 52%" in say(page)
    assert page.locator(".ws-figure :is(button, input, [tabindex])").count() == 0
    assert page.locator(".ws-choice").bounding_box()["height"] == 0


def test_on_paper_there_is_the_picture_and_its_words_alone(visit):
    page = visit(theme="dark").page
    page.emulate_media(media="print")
    for part in [".ws-choice", ".ws-range", ".ws-tools", ".ws-ticks", ".ws-hint"]:
        assert page.locator(part).first.is_hidden()
    for part in [".ws-svg", ".ws-knob", ".ws-say", ".ws-read", ".ws-value >> nth=0"]:
        assert page.locator(part).is_visible()
    assert page.locator(".ws-best").evaluate("el => getComputedStyle(el).stroke") == rgb("weight", "light")


IN_A_NOTEBOOK = """async ([text, state]) => {
  const module = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  const listeners = {};
  const model = {
    get: key => state[key], save_changes() { this.saved = true; },
    set: (key, value) => { state[key] = value; },
    on: (event, call) => (listeners[event] ??= new Set()).add(call),
    off: (event, call) => listeners[event].delete(call),
  };
  const el = document.body.appendChild(document.createElement('div'));
  const end = module.default.render({ model, el });
  el.querySelector('.ws-share').value = 50;
  el.querySelector('.ws-share').dispatchEvent(new Event('input'));
  const { prior } = state;
  state.beta = 'inf';
  for (const call of listeners['change:beta']) call();
  const said = el.querySelector('.ws-say').textContent;
  end();
  const after = Object.values(listeners).map(calls => calls.size);
  return { exports: Object.keys(module), prior, said, after, saved: model.saved };
}"""


def test_the_widgets_module_stands_alone_hears_python_and_cleans_up(visit):
    state = {key: value for key, value in figure().get_state().items() if not key.startswith("_")}
    state.pop("layout")
    found = visit(script=False).page.evaluate(IN_A_NOTEBOOK, [widget_module("compromise"), state])
    assert found == {
        "exports": ["default"],
        "prior": [0.5, 0.25, 0.25],
        "said": "At β = ∞ divergence is free: all the weight is on “cat”, 0.69 nats from the null.",
        "after": [0] * 7,
        "saved": True,
    }
