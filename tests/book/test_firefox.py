"""The built book in Firefox: a page, at night every page, opens in silence, and its sliders move its figures."""

import pytest
from chapter_code import BUILT

from tools.browser import serve
from tools.firefox import away, complaints, firefox, opened

# The sliders that a key does not move, or that then move nothing of what their figure shows beyond its sliders and
# what they read out themselves. A figure draws in the browser's next frame, which may be late.
DEAD = """
  const done = arguments[0], dead = [];
  const value = (slider) => slider.value ?? slider.getAttribute("aria-valuetext");
  const shown = (slider) => {
    const copy = slider.closest("[data-figure]").cloneNode(true);
    copy.querySelectorAll("input, output, label, [role=slider], [id]").forEach((el) => el.remove());
    return copy.innerHTML;
  };
  const moves = async (slider, key, step) => {
    const before = [value(slider), shown(slider)];
    const press = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    if (slider.dispatchEvent(press) && slider.type === "range") {
      slider[step]();
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
    for (let waited = 0; waited < 2000; waited += 20) {
      await new Promise((next) => setTimeout(next, 20));
      if (value(slider) === before[0] && waited > 200) return false; // the end of the slider
      if (value(slider) !== before[0] && shown(slider) !== before[1]) return true;
    }
    return false;
  };
  (async () => {
    for (const slider of document.querySelectorAll("[data-figure] :is(input[type=range]:enabled, [role=slider])"))
      if (!(await moves(slider, "ArrowRight", "stepUp")) && !(await moves(slider, "ArrowLeft", "stepDown")))
        dead.push(slider.outerHTML);
    done(dead);
  })();
"""
HEAD = "<!doctype html><html lang=en><meta charset=utf-8><title>A page</title>"
ONE = "chapters/attention.html"
AT_NIGHT = [pytest.param(page, marks=pytest.mark.nightly) for page in BUILT if page != ONE]


@pytest.fixture(scope="module")
def fox():
    with firefox() as driver:
        yield driver


@pytest.mark.parametrize("page", [ONE, *AT_NIGHT])
def test_a_page_opens_in_silence_and_every_slider_moves_its_figure(fox, base, page):
    opened(fox, f"{base}/{page}")
    assert fox.execute_async_script(DEAD) == []
    assert complaints(fox) == []
    assert away(fox) == []


def test_what_is_wrong_with_a_page_and_a_slider_that_moves_nothing_are_seen(fox, tmp_path):
    formula = "<msub><mi>x</mi></msub>"
    figure = "<div data-figure=x data-ready><p>stays</p><input type=range aria-label=dead></div>"
    script = "document.createElement('img').src = 'http://elsewhere.invalid/x.png'; setTimeout(() => { lost() })"
    (tmp_path / "page.html").write_text(f"{HEAD}<math>{formula}</math>{figure}<script>{script}</script>")
    with serve(tmp_path) as url:
        opened(fox, f"{url}/page.html")
        (dead,) = fox.execute_async_script(DEAD)
        assert "dead" in dead
        assert complaints(fox) == ["ReferenceError: lost is not defined", formula]
        assert away(fox) == ["http://elsewhere.invalid/x.png"]
