"""What holds of every figure alike: what it refuses and says, its links, its Reset, and that nothing shifts.

The table in tests/support has an entry for each figure: `figure_entry.py` says what stands there.
"""

import json
import re

import pytest
from figure_entry import more, walk
from figure_page import OVERLAPS, assert_refused, tops
from figure_table import SAID, TABLE
from gallery import GALLERY

from lib.figures.base import Figure

BAD = [(kind, name, *one) for kind, entry in TABLE.items() for name, all_ in entry.bad.items() for one in all_]
SENTENCES = [(kind, *one) for kind, all_ in SAID.items() for one in all_]
CASES = [
    (kind, i)
    for kind, entry in TABLE.items()
    for i, _ in enumerate([entry.moved, *entry.others])
    if entry.moved or i
]
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
        assert entry.traits, kind
        assert kind in SAID or kind in ("race", "sampling"), kind  # these say what was drawn: see their own tests


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


@pytest.mark.parametrize("kind", those("traits"))
def test_traits_are_set_and_observed(kind):
    widget, seen = TABLE[kind].make(), []
    traits = TABLE[kind].traits
    widget.observe(lambda change: seen.append((change["name"], change["new"])), list(traits))
    for name, value in traits.items():
        setattr(widget, name, value)
    assert seen == list(traits.items())
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
def test_a_damaged_link_changes_nothing(visit, kind):
    entry = TABLE[kind]
    figure = entry.make()
    page = visit(figure).page
    rest = page.evaluate(LOOK)
    for part in ["", *entry.damaged.split()]:
        page.evaluate(FOLLOW, f"{figure.name}?{part}")
        assert page.evaluate(LOOK) == rest, part
    damaged = "&".join(part for part in entry.damaged.split() if "&" not in part)
    assert visit(figure, link=f"#{figure.name}?{damaged}").page.evaluate(LOOK) == rest
    if entry.link:
        start = entry.make(**entry.start)
        moved = visit(moved_to(entry.make(**entry.start), entry.moved)).page.evaluate(LOOK)
        assert visit(start, link=f"#{entry.link}&{NONSENSE}").page.evaluate(LOOK) == moved != rest, (
            "the rest counts"
        )


@pytest.mark.parametrize("kind", those("link"))
def test_moves_make_a_link_and_reset_takes_them_back(visit, kind):
    entry = TABLE[kind]
    moved = visit(moved_to(entry.make(**entry.start), entry.moved)).page.evaluate(LOOK)
    page = visit(entry.make(**entry.start)).page
    rest = page.evaluate(LOOK)
    more(page)
    for move in entry.moves:
        move(page)
    assert copied(page) == entry.link
    assert page.evaluate(LOOK) == moved != rest
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(LOOK) == rest
    for hash_ in ("elsewhere", entry.link):
        page.evaluate(FOLLOW, hash_)
    assert page.evaluate(LOOK) == moved, "followed within the page"


@pytest.mark.parametrize(("kind", "i"), CASES)
def test_an_address_brings_back_every_trait(visit, kind, i):
    entry = TABLE[kind]
    values = [entry.moved, *entry.others][i]
    make = lambda: entry.make(**entry.start)  # noqa: E731
    there = visit(moved_to(make(), values)).page
    shown, address = there.evaluate(LOOK), copied(there)
    assert set(re.findall(r"[?&](\w+)=", address)) == set(values), "what differs, and nothing else"
    here = visit(make(), link=f"#{address}").page
    assert here.evaluate(LOOK) == shown
    assert copied(here) == address
    here.get_by_role("button", name="Reset").click()
    assert here.evaluate(LOOK) == visit(make()).page.evaluate(LOOK) != shown


def test_those_are_all_traits_that_stand_in_an_address():
    for kind in set(TABLE) - set(SECOND):
        entries = [TABLE[kind]] + [TABLE[other] for other, of in SECOND.items() if of == kind]
        tried = {name for entry in entries for values in (entry.moved, *entry.others) for name in values}
        assert tried == set(TABLE[kind].make().address), kind


@pytest.mark.parametrize("kind", those("typed"))
def test_numbers_are_typed_and_what_does_not_fit_is_put_back(visit, kind):
    entry = TABLE[kind]
    shown = visit(moved_to(entry.make(), entry.is_typed)).page.evaluate(LOOK)
    page = visit(entry.make()).page
    more(page)

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
