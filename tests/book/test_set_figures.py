"""A phrase of the text sets a figure of its page: pressed, spoken, and plain where nothing can be pressed."""

import re
from pathlib import Path
from statistics import median

import pytest
from figure_page import example, rgb, said
from gallery import GALLERY

from book.builder.draw_figures import FIGURE, read_root
from book.builder.set_figures import StateReader
from tools.browser import Visit

ROOT = Path(__file__).parents[2]
STYLE = (ROOT / "book" / "builder" / "book.css").read_text("utf-8")
FOUR = "At β = 4, “cat” gets"
FAR = '<div style="height: 3000px"></div>'


def phrase(state="beta=4", text="at β = 4"):
    return f'<span class="ws-set" data-set="beta-weights?{state}">{text}</span>'


def text(*phrases, before=""):
    """A paragraph with these phrases, in the book's style."""
    return f"<style>{STYLE}</style><article>{before}<p>The weights {', and '.join(phrases)} of it.</p></article>"


def button(page, name="at β = 4"):
    return page.get_by_role("button", name=name, exact=True)


def spoken(page, begins):
    page.wait_for_function(
        "begins => document.querySelector('.ws-unseen[aria-live]').textContent.startsWith(begins)", arg=begins
    )


@pytest.fixture(scope="module")
def reader():
    with StateReader() as found:
        yield found


# --- the build ----------------------------------------------------------------------------------------


def asked(reader, made, state):
    _, view, at_rest = read_root(FIGURE.search(made._repr_html_())[1])
    return reader.read(view, at_rest, state)


@pytest.mark.parametrize("figure", [name for name in GALLERY if name not in ("choice", "number", "even")])
def test_the_start_of_every_figure_is_a_state_that_it_knows(reader, figure):
    for made in list(GALLERY[figure].values())[:3]:
        assert asked(reader, made, "").items() <= made.start.items()


def test_a_state_is_read_as_a_link_is(reader):
    made = example()
    values = asked(reader, made, "beta=inf&scores=1,2.5,0,0,0,0,-.1")
    assert (values["beta"], values["scores"]) == ("inf", [1, 2.5, 0, 0, 0, 0, -0.1])
    assert values["prior"] is None, "as at the start"


@pytest.mark.parametrize(
    ("figure", "state", "says"),
    [
        ("weights", "gamma=4", "no gamma=4"),
        ("weights", "beta=hot", "no beta=hot"),
        ("weights", "beta=4&scores=1,2", "no scores=1,2"),
        ("weights", "beta=4&", "it has no"),
        ("side", "alpha=3", "cannot show alpha=3"),  # the view knows
        ("compromise", "prior=0,1,1", "prior"),
        ("width", "d=65", "d=65"),
        ("outside", "copies=2.5", "copies=2.5"),
        ("real", "last=cold", "last=cold"),
    ],
)
def test_a_state_that_the_figure_does_not_know_is_refused(reader, figure, state, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        asked(reader, GALLERY[figure]["plain"], state)


def test_what_only_python_refuses_is_refused(reader, monkeypatch):
    monkeypatch.setattr(reader, "ask", lambda message: {"values": {**message["state"]["start"], "m": 5000}})
    with pytest.raises(ValueError, match="m: 5000 cannot be shown"):
        asked(reader, GALLERY["tell"]["plain"], "m=5000")


# --- pressed ------------------------------------------------------------------------------------------


def test_pressed_it_sets_the_figure_which_says_so_and_keeps_the_focus(visit):
    page = visit(text(phrase("beta=0", "even"), phrase()), example()).page
    at = page.evaluate("scrollY")
    for name, press, says in (
        ("at β = 4", "Enter", FOUR),
        ("even", "Space", "At β = 0"),
        ("at β = 4", None, FOUR),
    ):
        button(page, name).press(press) if press else button(page, name).click()
        assert said(page).startswith(says)
        spoken(page, says)
        assert button(page, name).evaluate("el => el === document.activeElement")
    assert page.evaluate("scrollY") == at
    assert page.locator(".ws-back").count() == 0
    assert "#" not in page.url, "the address stays, as when a slider is moved"


def current(page, *names):
    return [button(page, name).get_attribute("aria-current") for name in names]


def test_all_that_it_does_not_name_is_as_at_the_start_and_it_says_whether_the_figure_is_so(visit):
    page = visit(
        text(phrase("scores=0,0,0,0,0,0,0", "all alike"), phrase(), phrase("beta=0", "even")), example()
    ).page
    assert current(page, "at β = 4", "even") == ["false", "false"]
    button(page, "all alike").click()
    assert "14%" in said(page)
    button(page).click()
    assert said(page).startswith(FOUR)
    assert current(page, "at β = 4", "even") == ["true", "false"]
    page.locator(".ws-range").press("Home")
    assert current(page, "at β = 4", "even") == ["false", "true"], "however it came to be"


HEARD = """() => {
  window.heard = [];
  const voice = document.querySelector('.ws-unseen[aria-live]');
  new MutationObserver(() => window.heard.push(voice.textContent)).observe(voice, { childList: true });
}"""


@pytest.mark.parametrize("state", ["beta=1", "scores=1.2,3,2.1,1.2,2.5,0.4,1.8"])
def test_a_sentence_that_stays_is_said_all_the_same(visit, state):
    """The figure is so already, or what changes is not in its sentence."""
    page = visit(text(phrase(state)), example()).page
    page.evaluate(HEARD)
    button(page).click()
    page.wait_for_function(
        "window.heard.at(-2) === '' && window.heard.at(-1).startsWith('At β = 1, “cat” gets 37%')"
    )


def test_a_phrase_sets_its_own_figure_also_over_a_state_in_the_address(visit):
    page = visit(text(phrase()), example(), example(name="beta-weights-two"), link="#beta-weights?beta=0").page
    assert said(page, "#beta-weights").startswith("At β = 0")
    button(page).click()
    assert said(page, "#beta-weights").startswith(FOUR)
    assert said(page, "#beta-weights-two").startswith("At β = 1")


# --- out of view --------------------------------------------------------------------------------------

TOP = "el => el.getBoundingClientRect().top"


def test_the_page_scrolls_to_a_figure_out_of_view_and_back(visit):
    page = visit(example(), text(phrase(), before=FAR), FAR).page
    button(page).scroll_into_view_if_needed()
    at = button(page).evaluate(TOP)
    button(page).press("Enter")
    figure = page.locator("#beta-weights")
    assert 0 <= figure.evaluate(TOP) < 450
    assert button(page).evaluate("el => el === document.activeElement")
    back = button(page, "Back to the text")
    assert back.evaluate("el => { const box = el.getBoundingClientRect(); return box.bottom <= innerHeight }")
    page.keyboard.press("Tab")
    assert back.evaluate("el => el === document.activeElement")
    page.keyboard.press("Enter")
    assert button(page).evaluate(TOP) == pytest.approx(at, abs=1)
    assert button(page).evaluate("el => el === document.activeElement")
    assert back.count() == 0


def test_the_browsers_own_back_leads_to_the_phrase_and_the_way_back_goes_once_that_is_in_view(visit):
    page = visit(example(), text(phrase(), before=FAR), FAR).page
    button(page).scroll_into_view_if_needed()
    at, address = button(page).evaluate(TOP), page.url
    button(page).click()
    assert button(page).evaluate(TOP) > 1000
    page.go_back()
    page.wait_for_function("!document.querySelector('.ws-back')")
    assert button(page).evaluate(TOP) == pytest.approx(at, abs=1)
    assert page.url == address
    assert said(page).startswith(FOUR), "the figure stays as it was set"
    button(page).click()
    assert page.locator(".ws-back").count() == 1
    button(page).scroll_into_view_if_needed()
    page.wait_for_function("!document.querySelector('.ws-back')")


# --- how it looks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, 360])
def test_it_has_24_pixels_to_press_moves_no_line_and_breaks_between_lines(visit, width):
    long = phrase("beta=2", "at twice the inverse temperature of the transformer that everybody has read about")
    page = visit(text(phrase(), long), example(), width=width).page
    assert button(page).bounding_box()["height"] >= 24
    heights = page.locator("article p").evaluate("""p => {
      const plain = p.cloneNode(true);
      for (const el of plain.querySelectorAll('.ws-set')) el.replaceWith(...el.childNodes);
      p.after(plain);
      const found = [p.offsetHeight, plain.offsetHeight];
      plain.remove();
      return found;
    }""")
    assert heights[0] == heights[1]
    lines = page.locator(".ws-set").nth(1).evaluate("el => el.getClientRects().length")
    assert lines > 1 if width == 360 else lines >= 1


LOOKS = """el => {
  const { color, textDecorationLine, backgroundImage, padding } = getComputedStyle(el);
  return [color, textDecorationLine, backgroundImage, padding];
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_looks_unlike_a_link_and_is_a_button_that_moves_the_figure_on_screen_alone(visit, theme):
    found = visit(text(phrase() + ' <a href="#beta-weights">link</a>'), example(), theme=theme)
    page = found.page
    own, link = (page.locator(name).evaluate(LOOKS) for name in (".ws-set", "article a"))
    assert own[0] == rgb("ink", theme) != link[0]
    assert own[1] == "none"
    assert rgb("quiet", theme) in own[2], "a mark that can be seen"
    assert 'button "at β = 4"' in page.locator("article").aria_snapshot()
    assert button(page).get_attribute("aria-controls") == "beta-weights"
    assert button(page).get_attribute("title") == "Moves the figure"
    assert found.axe() == []
    page.emulate_media(media="print")
    assert page.locator(".ws-set").evaluate(LOOKS)[1:] == ["none", "none", "0px"]


def test_without_a_script_it_is_plain_text(visit):
    page = visit(text(phrase()), example(), java_script_enabled=False).page
    assert page.get_by_role("button").count() == 0
    assert page.locator(".ws-set").evaluate(LOOKS)[1:] == ["none", "none", "0px"]


# --- in the book --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, 360])
def test_in_the_book_nothing_lies_on_the_way_back(site, browser, width):
    with Visit(browser) as tab:
        tab.go((site / "chapters" / "temperature.html").as_uri(), width=width, still=True)
        first = tab.page.locator(".ws-set[role=button]").first
        first.click()
        tab.page.locator(".ws-back").click()
        top = first.evaluate(TOP)
        assert 0 < top < 900
        assert tab.errors == []


SCREEN = 800
# Of each phrase, how far its top is from that of the figure that it sets, in pixels; and what a press makes of it.
APART = """() => [...document.querySelectorAll('.ws-set')].map((el) => {
  const figure = document.getElementById(el.dataset.set.split('?')[0]);
  return Math.abs(el.getBoundingClientRect().top - figure.getBoundingClientRect().top);
})"""
PRESSED = """() => [...document.querySelectorAll('.ws-set')].map((el) => {
  el.click();
  return [el.role, el.getAttribute('aria-current')];
})"""


def test_every_phrase_of_the_book_stands_near_its_figure_and_moves_it(site, browser):
    """At most two screens from it, half of a page's at most one: else a reader would be led about the page.

    Its figure is then as the phrase says; notebooks have its text alone.
    """
    count = 0
    with Visit(browser) as tab:
        for path in sorted((ROOT / "chapters").glob("*.md")):
            page = site / "chapters" / f"{path.stem}.html"
            wanted = page.read_text("utf-8").count('class="ws-set" data-set="')
            assert wanted == path.read_text("utf-8").count("{set}`")
            tab.go(page.as_uri())
            tab.page.wait_for_function("!document.querySelector('[data-figure]:not([data-ready])')")
            tab.page.evaluate("document.fonts.ready")
            apart = tab.page.evaluate(APART) or [0]
            near = f"{path.stem}: give a section far from its figure one of its own; pixels between are {apart}"
            assert median(apart) <= SCREEN, near
            assert max(apart) <= 2 * SCREEN, near
            assert tab.page.evaluate(PRESSED) == [["button", "true"]] * wanted, path.stem
            notebook = (site / "notebooks" / f"{path.stem}.ipynb").read_text("utf-8")
            assert not re.search(r"ws-set|\{set\}", notebook)
            count += wanted
        assert tab.errors == []
    assert count > 50
