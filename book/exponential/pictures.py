"""The static pictures of the chapter *exponential*: gaps and ratios, and a copy that joins."""

import numpy as np

from book.plots import canvas, ink, label
from book.rows import bar_rows, blank
from lib import softmax


def between(name, scores=(1.1, 1.5, 2.0), words=("drank", "milk", "cat")):
    """Three words on a line: above it gaps that add up, below it ratios that multiply."""
    fig, ax = canvas(name, height=270, left=48, right=40, top=12, bottom=12)
    ax.plot([scores[0], scores[-1]], [0, 0], color=ink("line"), linewidth=1.5)
    for at, word in zip(scores, words, strict=True):
        ax.plot(at, 0, "o", color=ink("score"), markersize=10, zorder=3, clip_on=False)
        label(ax, at, 0, word, "score", dy=-32, ha="center")
    pairs = ((0, 1, 1), (1, 2, 1), (0, 2, 2))
    for low, high, level in pairs:
        gap = scores[high] - scores[low]
        middle = (scores[high] + scores[low]) / 2
        for y, says, colour in (
            (0.62 * level, f"{gap:.1f} points" if level == 2 else f"{gap:.1f}", "score"),
            (-0.38 - 0.62 * level, f"× {np.exp(gap):.2f}", "weight"),
        ):
            arrow = {"arrowstyle": "-|>", "color": ink(colour), "linewidth": 1.5, "shrinkA": 2, "shrinkB": 2}
            ax.annotate("", (scores[high], y), (scores[low], y), arrowprops=arrow)
            label(ax, middle, y, says, colour, dy=10, ha="center")
    ax.set(xlim=(scores[0], scores[-1]), ylim=(-1.68, 1.68))
    blank(ax)
    gaps = [scores[1] - scores[0], scores[2] - scores[1], scores[2] - scores[0]]
    fig.show(
        title="Gaps add, ratios multiply",
        alt="Drank, milk and cat on a line of scores. Above it arrows for the gaps: "
        f"{gaps[0]:.1f} and {gaps[1]:.1f} add up to {gaps[2]:.1f} points. Below it arrows for the ratios: "
        f"{np.exp(gaps[0]):.2f} times {np.exp(gaps[1]):.2f} is {np.exp(gaps[2]):.2f}.",
        caption="Above the line gaps add up. Below it ratios multiply, here those of softmax at β = 1.",
    )


def copied(scores, tokens, name):
    """The weights before and after a second copy of the best word joins."""
    s = np.asarray(scores, dtype=float)
    joined = softmax(np.append(s, s[tokens.index("cat")]))
    order = [tokens.index("cat"), len(s), *(i for i, token in enumerate(tokens) if token != "cat")]
    alone = [*softmax(s), None]
    columns = {"one cat": [alone[i] for i in order], "two cats": joined[order]}
    names = ["cat", "copy", *(token for token in tokens if token != "cat")]
    fig, _ = bar_rows(names, columns, row=28, name=name)
    pair = joined[[order[0], len(s)]].sum()
    fig.show(
        title="A second copy of cat",
        alt=f"The weights of softmax before and after a copy of cat joins. Cat falls from "
        f"{softmax(s)[order[0]]:.2f} to {joined[order[0]]:.2f}, and the copy has as much, together {pair:.2f}. "
        "All others shrink by one factor.",
        caption="The copies do not share what cat had. Everybody, cat too, shrinks by the same factor.",
    )
