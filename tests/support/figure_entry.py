"""What is asked of every figure alike, figure by figure: `test_every_figure.py` asks it.

An entry of the table says how its figure is made and led through its states. What is special to one figure, above
all that its weights are those of `lib`, stands in the test file of that figure.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from figure_page import grip


@dataclass
class Entry:
    """A figure: `make(**state)` makes it, without any state as it is at rest.

    `bad` has, for a trait, values with the words of the error with which the figure refuses them in the state
    `asked`. A page takes none of the parts of a link in `damaged`.

    From the state `start` a reader makes the `moves`; the link is then `link` and the state `moved`. An address
    holds each of the states `others`, too.

    From each state in `walked` the figure is led through every combination of the moves in `walk`: nothing in
    `below` moves, and no two texts of those in `apart` lie on one another. `opened` is what stands behind More.

    In each of the states `fits` the figure fits one screen, with a sentence at most as high as `says`: on a wide
    screen, on a narrow one. Where they are `alike`, all have one height, on a narrow one all with as many tokens.

    Each of the `sliders` is led, by keys and by clicks at a share of its rail, to what it then says: "Home: 8
    tokens; 50%: 100 tokens". That done, the state is `slid`. The knob of a token, its `grip`, follows a pointer.

    What is `typed` into fields is the state `is_typed`, and what is typed as `junk` is put back.
    """

    make: Callable
    asked: dict = field(default_factory=dict)
    bad: dict = field(default_factory=dict)
    damaged: str = ""
    start: dict = field(default_factory=dict)
    moves: list = field(default_factory=list)
    link: str = ""
    moved: dict = field(default_factory=dict)
    others: list = field(default_factory=list)
    walked: list = field(default_factory=lambda: [{}])
    walk: list = field(default_factory=list)
    below: str = "svg track say tools caption"
    apart: str = ""
    opened: bool = False
    fits: list = field(default_factory=list)
    says: tuple = (inf, inf)
    alike: bool = False
    sliders: dict = field(default_factory=dict)
    slid: dict = field(default_factory=dict)
    grip: int | None = None
    typed: list = field(default_factory=list)
    is_typed: dict = field(default_factory=dict)
    junk: list = field(default_factory=list)


def of(kind, **usual):
    """Makes figures of this kind, with what is usual for them in the tests."""
    return lambda **state: kind(**{**usual, **state})


# --- what a reader does: functions of a page ---------------------------------------------------------


def stay(page):
    """Nothing, for a walk that looks before its first step."""


def key(name, *keys):
    """Press keys on a slider, unless it is out of use."""

    def act(page):
        slider = page.get_by_role("slider", name=name)
        if slider.is_enabled():
            for one in keys:
                slider.press(one)

    return act


def keys(name, *all_):
    return [key(name, one) for one in all_]


def pick(name):
    return lambda page: page.get_by_role("radio", name=name, exact=True).check()


def picks(*names):
    return [pick(name) for name in names]


def tick(name, on=True):
    return lambda page: page.get_by_role("checkbox", name=name).set_checked(on)


def pressing(name, exact=False):
    return lambda page: page.get_by_role("button", name=name, exact=exact).click()


def lift(i):
    """Raise a score by a tenth."""
    return lambda page: grip(page, i).press("ArrowUp")


def walk(page, levels):
    """Make every combination of moves, one of each level; comes back after each."""
    if not levels:
        yield
        return
    for move in levels[0]:
        move(page)
        yield from walk(page, levels[1:])
