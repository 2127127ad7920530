"""The static plots of the chapter *patterns*."""

import numpy as np
from matplotlib.patches import Rectangle

from book.figures import encoder_heads
from book.patterns import copier, sinks
from book.patterns.copier import BLOCK, FOUND, READ
from book.plots import canvas, ink, label
from book.rows import bar_rows, blank
from lib import attention_distance, effective_count

LETTERS = {0: "t", 1: "l", 2: "e", 3.5: "…", 5: "t", 6: "l", 7: "?"}  # place on the page: letter
BEFORE, COPIED, LAST, NEXT = 1, 2, 6, 7


def trick(name):
    """The previous-token head writes what came before; the induction head finds it there."""
    fig, ax = canvas(name, height=290, left=6, right=6, top=8, bottom=8)
    for x, letter in LETTERS.items():
        if letter != "…":
            look = {"facecolor": "none", "edgecolor": ink("line" if x == NEXT else "ink"), "linewidth": 1.4}
            ax.add_patch(Rectangle((x - 0.25, -0.25), 0.5, 0.5, **look))
        label(ax, x, 0, letter, "quiet" if x == NEXT else "ink", dy=-5, ha="center")
    _arrow(ax, (COPIED, -0.33), (BEFORE, -0.33), bend=-0.55)
    label(ax, (BEFORE + COPIED) / 2, -0.33, "layer 1: “before me came an l”", "weight", dy=-44, ha="center")
    _arrow(ax, (LAST, 0.33), (COPIED, 0.33), bend=0.4)
    label(ax, (COPIED + LAST) / 2, 0.33, "layer 2: who says “after an l”?", "weight", dy=90, ha="center")
    label(ax, COPIED, 0.33, "e, after an l", "ink", dx=-14, dy=12, ha="right")
    label(ax, NEXT, -0.33, "“e”", "weight", dy=-24, ha="center")
    ax.set(xlim=(-0.6, 7.6), ylim=(-1.15, 1.65))
    blank(ax)
    fig.show(
        title="Two heads, one trick",
        alt="The letters t, l, e, and later t, l and a question mark. In layer 1 an arrow leads from the e to the "
        "l before it; the list of the e then says: e, after an l. In layer 2 a longer arrow leads from the second "
        "l to this e, and an e is expected next.",
        caption="An arrow leads from the place that looks to the place it looks at. Layer 1: every place takes up "
        "what stands just before it. Layer 2: the last l finds the place that says “after an l”, and reads its "
        "letter.",
    )


def _arrow(ax, start, end, bend):
    look = {"arrowstyle": "-|>", "connectionstyle": f"arc3,rad={bend}", "color": ink("weight"), "linewidth": 2.0}
    ax.annotate("", end, start, arrowprops=look)


def matters(name):
    """Weight in layer 2 beside what the right letter loses without a place, in either layer."""
    end = BLOCK + READ
    others = set(range(1, end)) - {FOUND - 1, FOUND}
    rows = {"before it": {FOUND - 1}, "to copy": {FOUND}, "the last": {end}, "all others": others}
    weight = copier.last_layer(copier.blocks()[0]).mean(axis=0)  # (t,)
    lost = [[copier.lost_if_silent(at, layer).mean() for at in range(end + 1)] for layer in (0, 1)]
    values = [[np.mean([row[at] for at in places]) for places in rows.values()] for row in (weight, *lost)]
    titles = ("weight\nin layer 2", "nats lost, if\nsilent in layer 1", "nats lost, if\nsilent in layer 2")
    # What is tiny is not an exact 0, which would be a ring.
    columns = {title: np.maximum(row, 1e-9) for title, row in zip(titles, values, strict=True)}
    fig, _ = bar_rows(list(rows), columns, ["weight", "ink", "ink"], row=36, shared=False, left=112, name=name)
    share, first, second = values
    fig.show(
        title="Weight beside effect",
        alt=f"The letter before the one to copy has a weight of {share[0]:.3f} in layer 2; without what it hands "
        f"over in layer 1 the right letter loses {first[0]:.1f} nats, in layer 2 nothing. The letter to copy has "
        f"{share[1]:.2f}, and costs nothing in layer 1 and {second[1]:.1f} nats in layer 2. The last letter and "
        "the others cost nothing.",
        caption="Letters of 200 random texts: the one to copy, the one before it, the last one, and the mean of "
        "the others. What is lost is log-probability of the right letter, in nats.",
    )


def resting(name):
    """How far the vector turns if one head hands over something else: heads at rest, and the others."""
    titles = {"hands over\nnothing": "zero", "all on\nthe mark": "start", "equal\nweights": "uniform"}
    turned = [[1000 * sinks.turned(rests, change) for rests in (True, False)] for change in titles.values()]
    fig, _ = bar_rows(["at rest", "others"], dict(zip(titles, turned, strict=True)), "ink", row=36, name=name)
    (rest, other), (rest_mark, other_mark), (rest_even, other_even) = turned
    fig.show(
        title="What a head is missed for",
        alt=f"In thousandths: a head at rest that hands over nothing turns the vector by {rest:.2f}, with all its "
        f"weight on the mark {rest_mark:.2f}, with equal weights {rest_even:.2f}. For the others it is "
        f"{other:.2f}, {other_mark:.2f} and {other_even:.2f}.",
        caption="How far the vector of a sentence turns if one head of layers 2 to 5 hands over something else: 1 "
        "less the cosine, in thousandths, on average over heads and sentences.",
    )


def spread(name, named=((1, 3), (3, 8))):
    """Effective tokens against distance for the 72 heads, with those at rest filled."""
    weights = encoder_heads.weights("thirsty")
    count, far = effective_count(weights).mean(axis=-1), attention_distance(weights).mean(axis=-1)
    rest = encoder_heads.shares(weights)["start"] >= encoder_heads.MOSTLY
    fig, ax = canvas(name, x="mean distance, tokens", y="effective tokens", height=380)
    ring = {
        "markeredgecolor": ink("ink"),
        "markeredgewidth": 1.2,
        "markersize": 6,
        "linestyle": "none",
        "zorder": 3,
    }
    ax.plot(far[~rest], count[~rest], "o", markerfacecolor=ink("paper"), **ring)
    ax.plot(far[rest], count[rest], "o", color=ink("weight"), markersize=7, linestyle="none", zorder=3)
    for layer, head in named:
        x, y = far[layer - 1, head - 1], count[layer - 1, head - 1]
        words, ha = ((x, 0.15), "center") if x < 2 else ((5.15, 0.15), "right")
        ax.plot([x, x], [y, 1.08 if y > 1.1 else y], color=ink("quiet"), linewidth=1, zorder=2)
        label(ax, *words, f"layer {layer}, head {head}", "ink", ha=ha)
    label(ax, 5.15, 4.1, "at rest", "weight", ha="right")
    ax.set(xlim=(0, 5.2), ylim=(0, 11), xticks=range(6), yticks=[1, 3, 5, 7, 9, 11])
    fig.show(
        title="Sharpness and distance of 72 heads",
        alt="Effective tokens against mean distance. Layer 1, head 3, stands alone at a distance below 1 and one "
        "effective token. The others lie between distances of 2.8 and 4.8; the filled ones, at rest on the start "
        "mark, are mostly at the right and below.",
        caption="Each point is a head of the encoder, for the sentence with “thirsty”. Filled: at least half of "
        "its weight is on the start mark.",
    )
