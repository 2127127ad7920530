"""The static plots of the chapter *patterns*."""

import numpy as np
from matplotlib.patches import Rectangle

from lib import attention_distance, effective_count
from lib.book.patterns import copier
from lib.book.patterns.copier import BLOCK, FOUND, READ
from lib.book.plots import canvas, ink, label, show
from lib.book.rows import bar_rows, blank
from lib.figures import encoder_heads

LETTERS = {0: "t", 1: "l", 2: "e", 3.5: "…", 5: "t", 6: "l", 7: "?"}  # place on the page: letter
BEFORE, COPIED, LAST, NEXT = 1, 2, 6, 7


def trick(name):
    """The previous-token head writes what came before; the induction head finds it there."""
    fig, ax = canvas(height=330, left=6, right=6, top=8, bottom=8)
    for x, letter in LETTERS.items():
        if letter != "…":
            look = {"facecolor": "none", "edgecolor": ink("line" if x == NEXT else "ink"), "linewidth": 1.4}
            ax.add_patch(Rectangle((x - 0.3, -0.3), 0.6, 0.6, **look))
        label(ax, x, 0, letter, "quiet" if x == NEXT else "ink", dy=-5, ha="center")
    _arrow(ax, (BEFORE, -0.36), (COPIED, -0.36), bend=0.55)
    label(ax, (BEFORE + COPIED) / 2, -0.36, "layer 1: “before me came an l”", "weight", dy=-44, ha="center")
    _arrow(ax, (COPIED, 0.36), (LAST, 0.36), bend=-0.4)
    label(ax, (COPIED + LAST) / 2, 0.36, "layer 2: “before whom came an l?”", "weight", dy=92, ha="center")
    label(ax, COPIED, 0.36, "e, after an l", "ink", dx=-14, dy=12, ha="right")
    label(ax, NEXT, -0.36, "“e”", "weight", dy=-24, ha="center")
    ax.set(xlim=(-0.6, 7.6), ylim=(-1.15, 1.95))
    blank(ax)
    show(
        fig,
        name,
        title="Two heads, one trick",
        alt="The letters t, l, e, and later t, l and a question mark. In layer 1 an arrow leads from the first l to "
        "the e after it, whose list then says: e, after an l. In layer 2 a longer arrow leads from this e to the "
        "second l, which then expects an e.",
        caption="Arrows lead from where something is read to where it goes. Layer 1: every place takes up what stands "
        "just before it. Layer 2: the last l finds the place before which an l came, and reads off its letter.",
    )


def _arrow(ax, start, end, bend):
    look = {"arrowstyle": "-|>", "connectionstyle": f"arc3,rad={bend}", "color": ink("weight"), "linewidth": 2.0}
    ax.annotate("", end, start, arrowprops=look)


def matters(name):
    """Weight in layer 2 beside what the right letter loses without a place, in either layer."""
    rows = {"before it": FOUND - 1, "to copy": FOUND, "last": BLOCK + READ, "all others": None}
    found = [[copier.place(at)] if at else _others() for at in rows.values()]
    columns = {
        "weight\nin layer 2": [np.mean([one.weight for one in each]) for each in found],
        "lost without\nlayer 1": [np.mean([one.silent[0] for one in each]) for each in found],
        "lost without\nlayer 2": [np.mean([one.silent[1] for one in each]) for each in found],
    }
    shown = {title: np.maximum(values, 1e-9) for title, values in columns.items()}  # what is tiny is not an exact 0
    fig, _ = bar_rows(list(rows), shown, ["weight", "ink", "ink"], row=36, shared=False, left=112)
    weight, first, second = columns.values()
    show(
        fig,
        name,
        title="Weight beside effect",
        alt=f"The letter before the one to copy has a weight of {weight[0]:.3f} in layer 2; without what it hands over "
        f"in layer 1 the right letter loses {first[0]:.1f} nats, in layer 2 nothing. The letter to copy has "
        f"{weight[1]:.2f}, and costs nothing in layer 1 and {second[1]:.1f} nats in layer 2. The last letter and the "
        "others cost nothing.",
        caption="Places of 200 random texts, and what log-probability the right letter loses, in nats, if one of them "
        "hands over nothing in layer 1, or in layer 2. “All others” is the mean over them.",
    )


def _others():
    """All places but the start and the three that are shown."""
    apart = {FOUND - 1, FOUND, BLOCK + READ}
    return [copier.place(at) for at in range(1, BLOCK + READ + 1) if at not in apart]


def spread(name, named=((1, 3, "1.3"), (3, 8, "3.8"), (4, 2, "4.2"))):
    """Effective tokens against distance for the 72 heads, with those at rest filled."""
    weights = encoder_heads.weights("thirsty")
    count, far = effective_count(weights).mean(axis=-1), attention_distance(weights).mean(axis=-1)
    rest = encoder_heads.shares(weights)["start"] >= encoder_heads.MOSTLY
    fig, ax = canvas(x="mean distance, tokens", y="effective tokens", height=380)
    ring = {"markeredgecolor": ink("ink"), "markeredgewidth": 1.2, "markersize": 6, "linestyle": "none", "zorder": 3}
    ax.plot(far[~rest], count[~rest], "o", markerfacecolor=ink("paper"), **ring)
    ax.plot(far[rest], count[rest], "o", color=ink("weight"), markersize=7, linestyle="none", zorder=3)
    for layer, head, text in named:
        label(ax, far[layer - 1, head - 1], count[layer - 1, head - 1], text, "ink", dx=9, dy=-12)
    label(ax, 4.95, 5.2, "at rest", "weight", ha="right")
    ax.set(xlim=(0, 5.2), ylim=(0, 11), xticks=range(6), yticks=[1, 3, 5, 7, 9, 11])
    show(
        fig,
        name,
        title="Sharpness and distance of 72 heads",
        alt="Effective tokens against mean distance. Layer 1, head 3, stands alone at a distance below 1 and one "
        "effective token. The others lie between distances of 3 and 5; the filled ones, at rest on the start mark, "
        "are at the right and below.",
        caption="Each point is a head of the encoder, with “thirsty”. Filled: more than half of its weight is on the "
        "start mark. Two heads can be equally sharp, and one of them reads a word while the other reads nothing.",
    )
