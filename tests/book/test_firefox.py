"""The built book in Firefox: a page, at night every page, opens in silence, and its sliders move its figures."""

import time

import pytest
from chapter_code import BUILT

from tools.browser import serve
from tools.firefox import away, complaints, firefox, opened

# What a figure shows beyond its sliders and what they read out themselves.
SHOWN = """
    const copy = arguments[0].closest("[data-figure]").cloneNode(true);
    copy.querySelectorAll("input, output, label, [role=slider], [id]").forEach((el) => el.remove());
    return copy.innerHTML;
"""
IN_SIGHT = "return arguments[0].checkVisibility({ checkVisibilityCSS: true }) && !arguments[0].disabled"
# Of a slider that stands elsewhere on a phone, the one for this width is in sight.
TWIN_IN_SIGHT = """
    const [figure, slider] = arguments, said = slider.getAttribute("aria-valuetext");
    return [...figure.querySelectorAll("input[type=range]")].some((other) => other !== slider &&
      other.getAttribute("aria-valuetext") === said && other.checkVisibility({ checkVisibilityCSS: true }));
"""
VALUE = "return arguments[0].value ?? arguments[0].getAttribute('aria-valuetext')"
HEAD = "<!doctype html><html lang=en><meta charset=utf-8><title>A page</title>"
SLIDERS = "[data-figure] input[type=range], [data-figure] [role=slider]"


@pytest.fixture(scope="module")
def fox():
    with firefox() as driver:
        yield driver


ONE = "chapters/attention.html"
AT_NIGHT = [pytest.param(page, marks=pytest.mark.nightly) for page in BUILT if page != ONE]


@pytest.mark.parametrize("page", [ONE, *AT_NIGHT])
def test_a_page_opens_in_silence_and_every_slider_moves_its_figure(fox, base, page):
    opened(fox, f"{base}/{page}")
    for slider in fox.find_elements("css selector", SLIDERS):
        assert has_twin(fox, slider) or moves(fox, slider), f"{page}: {slider.get_attribute('outerHTML')}"
    assert complaints(fox) == []
    assert away(fox) == []


def has_twin(driver, slider):
    figure = driver.execute_script("return arguments[0].closest('[data-figure]')", [slider])
    seen = driver.execute_script(IN_SIGHT, [slider])
    return not seen and driver.execute_script(TWIN_IN_SIGHT, [figure, slider])


def moves(driver, slider):
    """Whether a key on the slider changes its value and, beyond it, what its figure shows."""
    bring_into_sight(driver, slider)
    before = driver.execute_script(VALUE, [slider]), driver.execute_script(SHOWN, [slider])
    for key in ("\ue014", "\ue012"):  # an arrow to the right; at the end of the slider one to the left
        slider.send_keys(key)
        until = time.monotonic() + 2
        while time.monotonic() < until:  # a figure draws in the browser's next frame, which may be late
            after = driver.execute_script(VALUE, [slider]), driver.execute_script(SHOWN, [slider])
            if all(a != b for a, b in zip(after, before, strict=True)):
                return True
            if after[0] == before[0]:
                break  # the end of the slider
    return False


def bring_into_sight(driver, slider):
    """Open what the slider waits behind, and of two that take turns ask for the one that is not there."""
    if driver.execute_script(IN_SIGHT, [slider]):
        return
    figure = driver.execute_script("return arguments[0].closest('[data-figure]')", [slider])
    for more in figure.find_elements("css selector", "button[aria-expanded=false]"):
        more.send_keys(" ")
    if driver.execute_script(IN_SIGHT, [slider]):
        return
    for choice in figure.find_elements("css selector", "[role=radiogroup] input:not(:checked)"):
        choice.send_keys(" ")
        if driver.execute_script(IN_SIGHT, [slider]):
            return
    raise AssertionError(f"cannot be brought into sight: {slider.get_attribute('outerHTML')}")


def test_what_is_wrong_with_a_page_and_a_slider_that_moves_nothing_are_seen(fox, tmp_path):
    formula = "<msub><mi>x</mi></msub>"
    figure = "<div data-figure=x data-ready><p>stays</p><input type=range aria-label=dead></div>"
    script = "document.createElement('img').src = 'http://elsewhere.invalid/x.png'; setTimeout(() => { lost() })"
    (tmp_path / "page.html").write_text(f"{HEAD}<math>{formula}</math>{figure}<script>{script}</script>")
    with serve(tmp_path) as url:
        opened(fox, f"{url}/page.html")
        fox.execute_async_script("setTimeout(arguments[0], 500)")
        assert complaints(fox) == ["ReferenceError: lost is not defined", formula]
        assert away(fox) == ["http://elsewhere.invalid/x.png"]
        assert not moves(fox, fox.find_element("css selector", "input"))
