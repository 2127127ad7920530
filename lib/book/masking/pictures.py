"""The static picture of the chapter *masking*: three kinds of masks, and what they leave together."""

import numpy as np
from matplotlib.patches import Rectangle

from lib import causal_mask, padding_mask, window_mask
from lib.book.plots import canvas, ink, label, show

SIZE, LENGTH, WINDOW = 5, 3, 2  # as in the code of the chapter, for its second text


def kinds():
    """The masks (n, n) by name; the last is what all of them allow."""
    padding = np.broadcast_to(padding_mask(np.array(LENGTH), SIZE), (SIZE, SIZE))
    window = window_mask(SIZE, window=WINDOW)
    return {"causal": causal_mask(SIZE), "window": window, "padding": padding, "together": window & padding}


def three_kinds(name):
    """Four small grids of queries by keys: what each kind of mask allows, and what all allow."""
    fig, ax = canvas(height=222, left=64, right=8, top=44, bottom=40)
    step = SIZE + 1.4
    for panel, (kind, allowed) in enumerate(kinds().items()):
        left = panel * step
        label(ax, left + SIZE / 2, 0, kind, dy=9, ha="center")
        for i, j in np.ndindex(SIZE, SIZE):
            seen = {"facecolor": ink("score"), "edgecolor": "none", "linewidth": 0}
            hidden = {"facecolor": "none", "edgecolor": ink("masked"), "hatch": "///", "linewidth": 0}
            look = seen if allowed[i, j] else hidden
            ax.add_patch(Rectangle((left + j + 0.06, i + 0.06), 0.88, 0.88, **look))
        for i in np.flatnonzero(~allowed.any(axis=1)):
            edge = {"facecolor": "none", "edgecolor": ink("ink"), "linewidth": 2}
            ax.add_patch(Rectangle((left, i), SIZE, 1, **edge))
    places = [panel * step + j + 0.5 for panel in range(4) for j in range(SIZE)]
    ax.set(xlim=(-0.1, 3 * step + SIZE + 0.1), ylim=(SIZE + 0.05, -0.05), aspect="equal")
    ax.set_xticks(places, [j for _ in range(4) for j in range(SIZE)])
    ax.set_yticks(np.arange(SIZE) + 0.5, range(SIZE))
    label(ax, 0, 0, "query", dx=-8, dy=9, ha="right")  # over the numbers of the queries
    label(ax, 0, SIZE, "key", dx=-8, dy=-19, ha="right")  # beside the numbers of the keys
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines["bottom"].set_visible(False)
    show(
        fig,
        name,
        title="Three kinds of masks",
        alt="Four grids of five queries by five keys. The causal mask allows all on and below the diagonal, the "
        "window of two only the diagonal and the cell before it, padding only the first three columns. The last "
        "grid has only what all of these allow: its last row is empty.",
        caption=f"A text of {LENGTH} tokens, made {SIZE} long by padding. Filled cells take part, hatched ones "
        f"are hidden. The window has size {WINDOW}. Together they leave the last query nothing: its row is "
        "outlined.",
    )
