"""Pictures in rows, which a phone can read: a name on each line, and bars, or one dot, beside it."""

import numpy as np

from book.plots import WIDTH, canvas, grouped, ink, label


def blank(ax):
    """Take away axes, grid and frame: what is drawn stands for itself."""
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    ax.spines["bottom"].set_visible(False)


def bar_rows(names, columns, colours="weight", *, left=104, row=30, write="{:.2f}", shared=True, name=""):
    """A line for each name, and for each column a bar on it, with its number at its end.

    `columns` has the values by title (a title of two lines makes more room), `colours` one name or one for
    each column, which may be a list with one for each line. All columns have one scale, or with
    `shared=False` each its own. An exact 0 is a ring, and NaN an empty frame; None leaves a line empty. With
    `write=""` bars have no numbers.
    """
    count, lines = len(columns), max(title.count("\n") for title in columns)
    top = 42 + 24 * lines
    fig, ax = canvas(name, height=top + row * len(names) + 12, left=left, right=4, top=top, bottom=6)
    wide = (WIDTH - left - 4) / count
    ax.set(xlim=(0, wide * count), ylim=(len(names) - 0.5, -0.5))
    blank(ax)
    colours = [colours] * count if isinstance(colours, str) else colours
    most = max(value for values in columns.values() for value in _numbers(values))
    for i, ((title, values), colour) in enumerate(zip(columns.items(), colours, strict=True)):
        for n, words in enumerate(reversed(title.split("\n"))):
            label(ax, i * wide, -0.5, words, dx=0, dy=12 + 24 * n)
        _bars(ax, i * wide, wide, values, most if shared else max(_numbers(values)), colour, write)
    for y, words in enumerate(names):
        label(ax, 0, y, words, dx=-12, dy=-5, ha="right")
    return fig, ax


def _numbers(values):
    """Those of the values that have a length."""
    return [value for value in values if value is not None and np.isfinite(value)] or [0.0]


def _bars(ax, start, wide, values, most, colour, write):
    """One column of `bar_rows`, from `start` on; values below 0 go to the left of a base further in."""
    low, numbers = min(0.0, *_numbers(values), 0.0), [write.format(value) for value in _numbers(values)]
    room = 18 + 13 * max(4, *map(len, numbers), 0) if write else 16  # for a number, at its largest
    each = (wide - room) / (most - low)  # units for a 1
    base = start - low * each
    ax.plot([base, base], [-0.5, len(values) - 0.5], color=ink("line"), linewidth=1)
    colours = [colour] * len(values) if isinstance(colour, str) else colour
    for y, (value, colour) in enumerate(zip(values, colours, strict=True)):
        if value is None:
            continue
        if np.isnan(value):
            ax.barh(y, wide - room, 0.56, left=base, facecolor="none", edgecolor=ink("prior"), linewidth=1.5,
                    linestyle=(0, (2, 2)))  # fmt: skip
            label(ax, base + wide - room, y, "NaN", "quiet", dx=6, dy=-5)
        elif value == 0:
            ring = {"markeredgecolor": ink(colour), "markeredgewidth": 1.5, "markersize": 8}
            ax.plot(base, y, "o", color=ink("paper"), clip_on=False, zorder=3, **ring)
        else:
            ax.barh(y, value * each, 0.56, left=base, color=ink(colour))
        if write and not np.isnan(value):
            shown = write.format(value) if value else "0"
            dx = 8 if value else 12  # beside a ring
            label(ax, base + max(value, 0) * each, y, shown.replace("-", "−"), colour, dx=dx, dy=-5)


def dot_rows(numbers, *, x, ticks, write="{:,.0f}", name=""):
    """A line for each name, a dot at its number, on an axis in powers of ten, and the number beside it."""
    fig, ax = canvas(name, x=x, height=36 * len(numbers) + 84, left=150, right=90, top=12, bottom=72)
    for y, (words, value) in enumerate(numbers.items()):
        ax.plot([ticks[0], value], [y, y], color=ink("line"), linewidth=1.5)
        ax.plot(value, y, "o", color=ink("ink"), markersize=9)
        label(ax, ticks[0], y, words, dx=-12, dy=-5, ha="right")
        label(ax, value, y, grouped(write.format(value)), dx=12, dy=-5)
    ends = (ticks[0], 1.5 * max(*numbers.values(), ticks[-1]))
    ax.set(xscale="log", xlim=ends, ylim=(len(numbers) - 0.4, -0.6), yticks=[])
    ax.set_xticks(ticks, [grouped(f"{tick:,}") for tick in ticks])
    ax.minorticks_off()
    ax.grid(False)
    return fig, ax
