"""The static pictures of the chapter *masking*: what each mask leaves, and rows with nothing left."""

import numpy as np
import torch
from matplotlib.patches import Rectangle

from book.plots import canvas, ink, label
from book.rows import bar_rows, blank
from lib import causal_mask, padding_mask, softmax, window_mask

SIZE, LENGTH, WINDOW = 5, 3, 2  # as in the code of the chapter, for its second text
SEEN = {"facecolor": ink("score"), "edgecolor": "none", "linewidth": 0}
HIDDEN = {"facecolor": "none", "edgecolor": ink("masked"), "hatch": "///", "linewidth": 0}
OUTLINED = {"facecolor": "none", "edgecolor": ink("ink"), "linewidth": 2}


def kinds():
    """The masks (n, n) by name; the last is what all of them allow."""
    padding = np.broadcast_to(padding_mask(np.array(LENGTH), SIZE), (SIZE, SIZE))
    window = window_mask(SIZE, window=WINDOW)
    return {"causal": causal_mask(SIZE), "window": window, "padding": padding, "together": window & padding}


def three_kinds(name):
    """Four small grids of queries by keys: what each kind of mask allows, and what all allow."""
    fig, ax = canvas(name, height=222, left=64, right=8, top=44, bottom=40)
    step = SIZE + 1.4
    for panel, (kind, allowed) in enumerate(kinds().items()):
        left = panel * step
        label(ax, left + SIZE / 2, 0, kind, dy=9, ha="center")
        for i, j in np.ndindex(SIZE, SIZE):
            look = SEEN if allowed[i, j] else HIDDEN
            ax.add_patch(Rectangle((left + j + 0.06, i + 0.06), 0.88, 0.88, **look))
        for i in np.flatnonzero(~allowed.any(axis=1)):
            ax.add_patch(Rectangle((left, i), SIZE, 1, **OUTLINED))
    places = [panel * step + j + 0.5 for panel in range(4) for j in range(SIZE)]
    ax.set(xlim=(-0.1, 3 * step + SIZE + 0.1), ylim=(SIZE + 0.05, -0.05), aspect="equal")
    ax.set_xticks(places, [j for _ in range(4) for j in range(SIZE)])
    ax.set_yticks(np.arange(SIZE) + 0.5, range(SIZE))
    label(ax, 0, 0, "query", dx=-8, dy=9, ha="right")  # over the numbers of the queries
    label(ax, 0, SIZE, "key", dx=-8, dy=-19, ha="right")  # beside the numbers of the keys
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines["bottom"].set_visible(False)
    fig.show(
        title="Three kinds of masks",
        alt="Four grids of five queries by five keys. The causal mask allows all on and below the diagonal, the "
        "window of two only the diagonal and the cell before it, padding only the first three columns. The last "
        "grid has only what all of these allow: its last row is empty.",
        caption=f"A text of {LENGTH} tokens, made {SIZE} long by padding. Filled cells take part, hatched ones "
        f"are hidden. The window has size {WINDOW}. Together they leave the last query nothing: its row is "
        "outlined.",
    )


def nothing_left(tokens, name):
    """What three kinds of code give a row in which every key is hidden."""
    none = np.zeros(len(tokens), dtype=bool)
    filled = {f"with {says}": torch.softmax(torch.where(torch.tensor(none), 0.0, value), -1).numpy()
              for says, value in (("−∞", -torch.inf), ("−1e9", -1e9))}  # fmt: skip
    columns = filled | {"lib": softmax(np.zeros(len(tokens)), where=none)}
    fig, _ = bar_rows(tokens, columns, name=name)
    fig.show(
        title="A row with nothing left, three times",
        alt="Seven words, all of them hidden. With −∞ every weight is NaN, with −1e9 every weight is 0.14, and in "
        "lib every weight is 0.",
        caption="All seven words are hidden. Left, nothing is a number; in the middle all are seen; right, none.",
    )


def over_cache(name, n_k=7, n_q=2):
    """Two queries over seven keys, with and without the offset: what each may see."""
    fig, ax = canvas(name, height=270, left=150, right=8, top=74, bottom=12)
    for panel, (says, offset) in enumerate((("offset 0", 0), (f"offset {n_k - n_q}", n_k - n_q))):
        top = panel * 3.3
        allowed = np.arange(n_k) <= offset + np.arange(n_q)[:, None]
        for i, j in np.ndindex(n_q, n_k):
            look = SEEN if allowed[i, j] else HIDDEN
            ax.add_patch(Rectangle((j + 0.04, top + i + 0.06), 0.92, 0.88, **look))
            if j == n_k - n_q + i:
                ax.add_patch(Rectangle((j + 0.02, top + i + 0.03), 0.96, 0.94, **OUTLINED))
        label(ax, 0, top, says, dx=-12, dy=8, ha="right")
        for i in range(n_q):
            label(ax, 0, top + i + 0.5, f"query {i}", "quiet", dx=-12, dy=-5, ha="right")
    for j in range(n_k):
        label(ax, j + 0.5, 0, f"{j}", "quiet", dy=8, ha="center")
    label(ax, 0, 0, "keys: the first five are from the cache", "quiet", dy=36)
    ax.set(xlim=(0, n_k), ylim=(5.35, -0.05))
    blank(ax)
    fig.show(
        title="A mask over a cache, without and with the offset",
        alt="Two grids of two queries by seven keys. At offset 0 the first query sees key 0 alone, the second "
        "keys 0 and 1. At offset 5 they see the keys up to their own, keys 5 and 6.",
        caption="Filled cells may be seen, hatched ones are hidden, and a frame marks a query’s own key. Without "
        "the offset (above) neither query reaches its own key.",
    )


def added(scores, tokens, name):
    """Where a score lands after a huge negative number was added to it, in two formats."""
    formats = (("float32", np.float32, -1e9, 1.0), ("float16", np.float16, np.finfo(np.float16).min, 30.0))
    fig, ax = canvas(name, x="points above the number added", height=330, left=104, right=20, top=12, bottom=64)
    for row, (says, kind, low, times) in enumerate(formats):
        exact = times * np.maximum(np.asarray(scores, dtype=float), 0)
        landed = (exact.astype(kind) + kind(low)).astype(float) - float(kind(low))
        gap = float(np.spacing(kind(-low) * kind(0.99)))
        marks = gap * np.arange(int(70 / gap) + 1)
        ax.plot([0, 70], [row] * 2, color=ink("line"), linewidth=1)
        for mark in marks:
            ax.plot([mark] * 2, [row, row - 0.14], color=ink("ink"), linewidth=2)
        for token, at, to in zip(tokens, exact, landed, strict=True):
            if at > 0:
                ax.plot(at, row - 0.6, "o", color=ink("score"), markersize=7)
                ax.plot([at, to], [row - 0.55, row - 0.18], color=ink("quiet"), linewidth=1)
            if token == "cat":
                label(ax, at, row - 0.6, token, "score", dy=10, ha="center")
        label(ax, 0, row, says, dx=-14, dy=-4, ha="right")
    ax.set(xlim=(-2, 72), ylim=(1.1, -0.95), yticks=[], xticks=[0, 32, 64])
    ax.grid(False)
    fig.show(
        title="Scores beside a huge number",
        alt="Two rulers. In float32, with −1e9 added, marks are 64 points apart, and all scores land on the same "
        "mark. In float16, with its lowest number added, marks are 32 points apart: thirty times as large, cat "
        "lands two marks up and no other more than one.",
        caption="Dots are scores, in float16 thirty times as large; marks are the numbers that the format has "
        "there. Each score lands on the nearest mark. (Not drawn: because, below 0.)",
    )
