"""What holds of every figure alike: what it refuses and says, its links, its Reset, and that nothing shifts.

The table in tests/support has an entry for each figure: `figure_entry.py` says what stands there.
"""

import json
import re

import pytest
from figure_entry import walk
from figure_page import OVERLAPS, assert_refused, grip, in_a_notebook, more, opened, pull, tops
from figure_table import SAID, TABLE
from gallery import GALLERY

from book.figures.base import Figure

BAD = [(kind, name, *one) for kind, entry in TABLE.items() for name, all_ in entry.bad.items() for one in all_]
SENTENCES = [(kind, *one) for kind, all_ in SAID.items() for one in all_]
CASES = [(kind, values) for kind, entry in TABLE.items() for values in entry.others]
WALKED = [(kind, state) for kind, entry in TABLE.items() if entry.walk for state in entry.walked]
SECOND = {"curves": "weights", "humps": "tell"}  # a second entry of one figure


def those(what):
    return [kind for kind, entry in TABLE.items() if getattr(entry, what)]


def test_every_figure_stands_in_the_table():
    """But for the question, which draws nothing and says nothing at rest."""
    assert {entry.make().view for entry in TABLE.values()} == {
        figure.view for figure in Figure.__subclasses__()
    } - {"predict"}
    assert set(TABLE) - {"humps"} == set(GALLERY) - {"predict"}
    for kind in set(TABLE) - set(SECOND):
        entry = TABLE[kind]
        assert entry.bad, kind
        assert entry.damaged, kind
        assert kind in SAID, kind


# --- Python --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "name", "value", "says"), BAD)
def test_a_bad_value_is_named_and_nothing_is_lost(kind, name, value, says):
    entry = TABLE[kind]
    widget = entry.make(**entry.asked)
    assert_refused(widget, name, value, says)
    before = widget.get_state()
    with pytest.raises(ValueError, match=rf"^{name}: "), widget.hold_trait_notifications():
        setattr(widget, name, value)
    assert widget.get_state() == before
    with pytest.raises(ValueError, match=r"^\w+: "):
        entry.make(**{**entry.asked, name: value})


@pytest.mark.parametrize("kind", TABLE)
def test_traits_are_set_and_observed(kind):
    entry = TABLE[kind]
    for values in filter(None, [entry.moved, *entry.others]):
        widget, seen = entry.make(**entry.start), []
        widget.observe(lambda change, seen=seen: seen.append((change["name"], change["new"])), list(values))
        with widget.hold_trait_notifications():
            for name, value in values.items():
                setattr(widget, name, value)
        assert seen == list(values.items())
        json.dumps(widget.get_state(), allow_nan=False)


@pytest.mark.parametrize(
    ("kind", "state", "says"), SENTENCES, ids=[f"{kind} {state}" for kind, state, _ in SENTENCES]
)
def test_the_sentence(draw, kind, state, says):
    assert draw.sentence(TABLE[kind].make(**state)._repr_html_()) == says


# --- the page ------------------------------------------------------------------------------------

# The state of the figure as the page shows it: its pictures, its texts, its tables, and what its controls hold.
LOOK = r"""() => {
  const unseen = el => {
    const { display, visibility } = getComputedStyle(el);
    return display === 'none' || visibility === 'hidden';
  };
  const plain = el => {
    const copy = el.cloneNode(true), parts = [...copy.querySelectorAll('*')];
    [...el.querySelectorAll('*')].forEach((part, i) => unseen(part) && parts[i].remove());
    return copy.outerHTML.replace(/\bws[a-z0-9]{5,7}\b/g, 'id').replace(/ (value|checked)="[^"]*"/g, '');
  };
  const found = parts => [...document.querySelectorAll(parts)];
  return {
    drawn: found('svg[role=img], .ws-say, .ws-value, .ws-ask').map(plain),
    written: found('.ws-table tbody tr').map(el => el.textContent),
    held: found('.ws-figure :is(input, select)').map(el => [el.type, el.value, el.checked]),
    told: found('[role=slider], input[type=range]').map(el => el.getAttribute('aria-valuetext')),
  };
}"""
NONSENSE = "nothing=1&start=1&__proto__=1&constructor=1&toString=1&="
FOLLOW = """hash => new Promise(done => {
  addEventListener('hashchange', () => setTimeout(done), { once: true });
  location.hash = hash;
})"""


@pytest.fixture(scope="module")
def look(pages):
    """What a page shows of a figure, or of its HTML; of figures that are alike one page is opened."""
    seen = {}

    def found(figure):
        html = figure if isinstance(figure, str) else figure._repr_html_()
        if html not in seen:
            seen[html] = pages(html).page.evaluate(LOOK)
        return seen[html]

    return found


def copied(page):
    """The state in the page's address, once a reader has copied the link."""
    more(page)
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    return page.url.partition("#")[2]


def moved_to(figure, values):
    """Its HTML once these values are set; it still knows what it was made as."""
    for name, value in values.items():
        setattr(figure, name, value)
    return figure._repr_html_()


@pytest.mark.parametrize("kind", those("damaged"))
def test_a_damaged_link_changes_nothing(visit, look, kind):
    entry = TABLE[kind]
    figure, start = entry.make(), entry.make(**entry.start)
    rest, moved = look(figure), look(moved_to(entry.make(**entry.start), entry.moved))
    page = visit(figure).page
    for part in ["", *entry.damaged.split()]:
        page.evaluate(FOLLOW, f"{figure.name}?{part}")
        assert page.evaluate(LOOK) == rest, part
    damaged = "&".join(part for part in entry.damaged.split() if "&" not in part)
    assert visit(figure, link=f"#{figure.name}?{damaged}").page.evaluate(LOOK) == rest
    if entry.link:
        page = visit(start, link=f"#{entry.link}&{NONSENSE}").page
        assert page.evaluate(LOOK) == moved != rest, "the rest counts"


@pytest.mark.parametrize("kind", those("link"))
def test_moves_make_a_link_and_reset_takes_them_back(visit, look, kind):
    entry = TABLE[kind]
    rest, moved = look(entry.make(**entry.start)), look(moved_to(entry.make(**entry.start), entry.moved))
    page = opened(visit(entry.make(**entry.start)))
    for move in entry.moves:
        move(page)
    assert copied(page) == entry.link
    assert page.evaluate(LOOK) == moved != rest
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(LOOK) == rest
    for hash_ in ("elsewhere", entry.link):
        page.evaluate(FOLLOW, hash_)
    assert page.evaluate(LOOK) == moved, "followed within the page"


@pytest.mark.parametrize(("kind", "values"), CASES, ids=str)
def test_an_address_brings_back_every_trait(visit, look, kind, values):
    entry = TABLE[kind]
    make = lambda: entry.make(**entry.start)  # noqa: E731
    rest, there = look(make()), visit(moved_to(make(), values)).page
    shown, address = there.evaluate(LOOK), copied(there)
    assert set(re.findall(r"[?&](\w+)=", address)) == set(values), "what differs, and nothing else"
    here = visit(make(), link=f"#{address}").page
    assert here.evaluate(LOOK) == shown
    assert copied(here) == address
    here.get_by_role("button", name="Reset").click()
    assert here.evaluate(LOOK) == rest != shown


def test_those_are_all_traits_that_stand_in_an_address():
    for kind in set(TABLE) - set(SECOND):
        entries = [TABLE[kind]] + [TABLE[other] for other, of in SECOND.items() if of == kind]
        tried = {name for entry in entries for values in (entry.moved, *entry.others) for name in values}
        assert tried == set(TABLE[kind].make().address), kind


@pytest.mark.parametrize("kind", those("sliders"))
def test_keys_and_clicks_move_a_slider_and_the_figure_follows(visit, look, kind):
    entry = TABLE[kind]
    shown = look(moved_to(entry.make(), entry.slid))
    page = opened(visit(entry.make()))
    for name, steps in entry.sliders.items():
        slider = page.get_by_role("slider", name=name)
        for step in steps.split("; "):
            move, _, says = step.partition(": ")
            if move.endswith("%"):  # a click; the thumb's middle stays 12 pixels from the ends of the rail
                rail = slider.bounding_box()
                x = 12 + float(move[:-1]) / 100 * (rail["width"] - 24)
                slider.click(position={"x": x, "y": rail["height"] / 2})
            else:
                slider.press(move)
            told = slider.get_attribute("aria-valuetext").replace("\u202f", " ")
            assert told.partition(", ")[0] == says, step
    assert page.evaluate(LOOK) == shown


@pytest.mark.parametrize("kind", those("grip"))
def test_the_end_of_a_bar_follows_a_pointer(visit, kind):
    page, i = opened(visit(TABLE[kind].make())), TABLE[kind].grip
    here = lambda: (grip(page, i).bounding_box()["y"], float(grip(page, i).get_attribute("aria-valuenow")))  # noqa: E731
    y, score = here()
    pull(page, i, -14)
    assert here()[0] == pytest.approx(y + 14, abs=3)
    assert here()[1] < score


@pytest.mark.parametrize("kind", those("link"))
def test_in_a_notebook_moves_reach_the_kernel_and_what_it_sets_the_figure(visit, look, kind):
    entry = TABLE[kind]
    figure, moved = entry.make(**entry.start), entry.make(**entry.start)
    moved_to(moved, entry.moved)
    rest = look(figure)
    page = visit("<p>A cell.</p>", script=False).page
    in_a_notebook(page, figure, "(found) => { window.kernel = found; }", kept=True)
    more(page)
    for move in entry.moves:
        move(page)
    wanted = moved._json(entry.moved)
    assert page.evaluate("names => names.map(name => kernel.state[name])", list(wanted)) == list(wanted.values())
    assert page.evaluate("kernel.model.saved"), "it is sent to the kernel"
    page.evaluate("([all]) => all.forEach(one => kernel.hear(...one))", [[*figure._json(entry.moved).items()]])
    assert page.evaluate(LOOK) == rest


@pytest.mark.parametrize("kind", those("typed"))
def test_numbers_are_typed_and_what_does_not_fit_is_put_back(visit, look, kind):
    entry = TABLE[kind]
    shown = look(moved_to(entry.make(), entry.is_typed))
    page = opened(visit(entry.make()))

    def type_in(name, text):
        page.get_by_role("textbox", name=name, exact=True).fill(text)
        page.keyboard.press("Enter")

    for name, text in entry.typed:
        type_in(name, text)
    assert page.evaluate(LOOK) == shown
    for name, text in entry.junk:
        type_in(name, text)
        assert "stays" in page.get_by_role("status").inner_text()
        assert page.evaluate(LOOK) == shown


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize(("kind", "state"), WALKED)
def test_no_state_moves_what_is_below_the_figure(visit, kind, state, width):
    entry = TABLE[kind]
    page = visit(entry.make(**{"caption": "A caption.", **state}), width=width).page
    if entry.opened:
        more(page)
    before = tops(page, entry.below)
    for _ in walk(page, entry.walk):
        assert tops(page, entry.below) == before, page.locator(".ws-say").inner_text()
        assert not entry.apart or page.evaluate(OVERLAPS, entry.apart) == []


# In the book a figure is 656 pixels wide on a screen of 1280, as here on one of 688.
SCREENS = {(1280, 800): 620, (688, 800): 620, (360, 740): 700}
SIZES = """() => [...document.querySelectorAll('.ws-figure')].map(el =>
  [el, el.querySelector('.ws-say')].map(part => part.getBoundingClientRect().height))"""
HEADS_FIT = "[...document.querySelectorAll('.ws-head')].every(el => el.scrollWidth <= el.clientWidth)"


@pytest.mark.parametrize("screen", SCREENS, ids=str)
@pytest.mark.parametrize("kind", those("fits"))
def test_it_fits_one_screen_in_every_state(visit, kind, screen):
    entry, (width, height) = TABLE[kind], screen
    figures = [entry.make(**state, name=f"{kind}-{i}") for i, state in enumerate(entry.fits)]
    if width == 360:  # there four rows of symbols are a little too high
        figures = [figure for figure in figures if len(getattr(figure, "sequence", "")) < 64]
    page = visit(*figures, width=width, height=height).page
    sizes = page.evaluate(SIZES)
    assert len(sizes) == len(figures)
    assert max(tall for tall, _ in sizes) <= SCREENS[screen]
    if width != 688:
        assert max(say for _, say in sizes) <= entry.says[width == 360]
        assert page.evaluate(HEADS_FIT)
    if entry.alike:
        tokens = [width == 360 and len(getattr(figure, "tokens", "")) for figure in figures]
        assert len({(n, *size) for n, size in zip(tokens, sizes, strict=True)}) == len(set(tokens))
