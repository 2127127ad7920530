"""A phrase of the text sets a figure of its page: pressed, spoken, and plain where nothing can be pressed."""

import re
from pathlib import Path

import pytest
from figure_page import example, rgb, said
from gallery import GALLERY

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
    return reader.read(made.as_data(), state)


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
        ("lake", "level=5", "cannot show level=5"),  # the view knows
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


def current(page, *names):
    return [button(page, name).get_attribute("aria-current") for name in names]


def test_pressed_it_sets_the_figure_which_says_so_and_keeps_the_focus(visit):
    page = visit(
        text(phrase("scores=0,0,0,0,0,0,0", "all alike"), phrase("beta=0", "even"), phrase()), example()
    ).page
    at = page.evaluate("scrollY")
    assert current(page, "at β = 4", "even") == ["false", "false"]
    button(page, "all alike").click()
    assert "14%" in said(page)
    for name, press, says in (
        ("at β = 4", "Enter", FOUR),
        ("even", "Space", "At β = 0"),
        ("at β = 4", None, FOUR),  # all that it does not name is as at the start
    ):
        button(page, name).press(press) if press else button(page, name).click()
        assert said(page).startswith(says)
        spoken(page, says)
        assert button(page, name).evaluate("el => el === document.activeElement")
    assert current(page, "at β = 4", "even") == ["true", "false"]
    page.locator(".ws-range").press("Home")
    assert current(page, "at β = 4", "even") == ["false", "true"], "however it came to be"
    assert page.evaluate("scrollY") == at
    assert page.locator(".ws-back").count() == 0
    assert "#" not in page.url, "the address stays, as when a slider is moved"


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


def test_the_page_scrolls_to_a_figure_out_of_view_and_back_by_its_button_or_the_browsers(visit):
    page = visit(example(), text(phrase(), before=FAR), FAR).page
    button(page).scroll_into_view_if_needed()
    at, address = button(page).evaluate(TOP), page.url
    button(page).press("Enter")
    assert 0 <= page.locator("#beta-weights").evaluate(TOP) < 450
    assert button(page).evaluate("el => el === document.activeElement")
    back = button(page, "Back to the text")
    assert back.evaluate("el => { const box = el.getBoundingClientRect(); return box.bottom <= innerHeight }")
    page.keyboard.press("Tab")
    assert back.evaluate("el => el === document.activeElement")
    page.keyboard.press("Enter")
    assert button(page).evaluate(TOP) == pytest.approx(at, abs=1)
    assert button(page).evaluate("el => el === document.activeElement")
    assert back.count() == 0

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

LOOKS = """el => {
  const { color, textDecorationLine, backgroundImage, padding } = getComputedStyle(el);
  return [color, textDecorationLine, backgroundImage, padding];
}"""
PLAIN = ["none", "none", "0px"]
# As high as the same paragraph without the buttons.
HEIGHTS = """p => {
  const plain = p.cloneNode(true);
  for (const el of plain.querySelectorAll('.ws-set')) el.replaceWith(...el.childNodes);
  p.after(plain);
  const found = [p.offsetHeight, plain.offsetHeight];
  plain.remove();
  return found;
}"""


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (360, "dark")])
def test_it_looks_unlike_a_link_has_24_pixels_to_press_moves_no_line_and_is_plain_on_paper(visit, width, theme):
    long = phrase("beta=2", "at twice the inverse temperature of the transformer that everybody has read about")
    link = ' <a href="#beta-weights">link</a>'
    found = visit(text(phrase() + link, long), example(), width=width, theme=theme)
    page = found.page
    assert button(page).bounding_box()["height"] >= 24
    buttons, none = page.locator("article p").evaluate(HEIGHTS)
    assert buttons == none
    assert page.locator(".ws-set").nth(1).evaluate("el => el.getClientRects().length") > (width == 360)
    own, other = (page.locator(name).first.evaluate(LOOKS) for name in (".ws-set", "article a"))
    assert own[0] == rgb("ink", theme) != other[0]
    assert own[1] == "none"
    assert rgb("quiet", theme) in own[2], "a mark that can be seen"
    assert 'button "at β = 4"' in page.locator("article").aria_snapshot()
    assert button(page).get_attribute("aria-controls") == "beta-weights"
    assert button(page).get_attribute("title") == "Moves the figure"
    assert found.axe() == []
    page.emulate_media(media="print")
    assert page.locator(".ws-set").first.evaluate(LOOKS)[1:] == PLAIN


def test_without_a_script_it_is_plain_text(visit):
    page = visit(text(phrase()), example(), java_script_enabled=False).page
    assert page.get_by_role("button").count() == 0
    assert page.locator(".ws-set").evaluate(LOOKS)[1:] == PLAIN


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
