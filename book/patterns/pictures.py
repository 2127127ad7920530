"""The static plots of the chapter *patterns*."""

import numpy as np
from matplotlib.patches import Rectangle

from book.figures import encoder_heads
from book.patterns import copier, sinks
from book.patterns.copier import BLOCK, FOUND, READ
from book.plots import canvas, ink, label
from book.rows import bar_rows, blank
from lib import attention_distance, effective_count

LETTERS = "zebrazeb?"
BEFORE, COPIED, LAST, NEXT = 2, 3, 7, 8  # places in it, from 0


def trick(name):
    """The previous-token head writes what came before; the induction head finds it there."""
    fig, ax = canvas(name, height=290, left=6, right=6, top=8, bottom=8)
    for x, letter in enumerate(LETTERS):
        look = {"facecolor": "none", "edgecolor": ink("line" if x == NEXT else "ink"), "linewidth": 1.4}
        ax.add_patch(Rectangle((x - 0.25, -0.25), 0.5, 0.5, **look))
        label(ax, x, 0, letter, "quiet" if x == NEXT else "ink", dy=-5, ha="center")
    _arrow(ax, (COPIED, -0.33), (BEFORE, -0.33), bend=-0.55)
    label(ax, (BEFORE + COPIED) / 2, -0.33, "layer 1: “before me came a b”", "weight", dy=-44, ha="center")
    _arrow(ax, (LAST, 0.33), (COPIED, 0.33), bend=0.4)
    label(ax, (COPIED + LAST) / 2, 0.33, "layer 2: who says “after a b”?", "weight", dy=90, ha="center")
    label(ax, COPIED, 0.33, "r, after a b", "ink", dx=-14, dy=12, ha="right")
    label(ax, NEXT, -0.33, "“r”", "weight", dy=-24, ha="center")
    ax.set(xlim=(-0.6, 8.6), ylim=(-1.15, 1.65))
    blank(ax)
    fig.show(
        title="Two heads, one trick",
        alt="The letters z, e, b, r, a, z, e, b and a question mark. In layer 1 an arrow leads from the r to the "
        "b before it; the list of the r then says: r, after a b. In layer 2 a longer arrow leads from the second "
        "b to this r, and an r is expected next.",
        caption="An arrow leads from the place that looks to the place it looks at. Layer 1: every place takes up "
        "what stands just before it. Layer 2: the last b finds the place that says “after a b”, and reads its "
        "letter.",
    )


def _arrow(ax, start, end, bend):
    look = {"arrowstyle": "-|>", "connectionstyle": f"arc3,rad={bend}", "color": ink("weight"), "linewidth": 2.0}
    ax.annotate("", end, start, arrowprops=look)


def matters(name):
    """Weight in layer 2 beside what the right letter loses without a place, in either layer."""
    end = BLOCK + READ
    others = set(range(1, end)) - {FOUND - 1, FOUND}
    rows = {"cue": {FOUND - 1}, "target": {FOUND}, "last letter": {end}, "others": others}
    weight = copier.last_layer(copier.blocks()[0]).mean(axis=0)  # (t,)
    lost = [[copier.lost_if_silent(at, layer).mean() for at in range(end + 1)] for layer in (0, 1)]
    values = [[np.mean([row[at] for at in places]) for places in rows.values()] for row in (weight, *lost)]
    titles = ("weight\nin layer 2", "nats lost, if\nsilent in layer 1", "nats lost, if\nsilent in layer 2")
    # What is tiny is not an exact 0, which would be a ring.
    columns = {title: np.maximum(row, 1e-9) for title, row in zip(titles, values, strict=True)}
    fig, _ = bar_rows(
        list(rows), columns, ["weight", "ink", "ink"], row=36, write="{:.3f}", shared=False, left=112, name=name
    )
    share, first, second = values
    fig.show(
        title="Weight beside effect",
        alt=f"The cue has a weight of {share[0]:.3f} in layer 2; without what it hands over in layer 1 the right "
        f"letter loses {first[0]:.1f} nats, in layer 2 nothing. The target has {share[1]:.2f}, and costs nothing "
        f"in layer 1 and {second[1]:.1f} nats in layer 2. The last letter and the others cost nothing.",
        caption="Letters of 200 random texts: the cue, the target, the last letter, and the mean of the others. "
        "What is lost is log-probability of the right letter, in nats.",
    )


def resting(name):
    """How far the vector turns if one head hands over something else: heads at rest, and the others."""
    rows = {"silent": "zero", "mark only": "start", "equal weights": "uniform"}
    columns = {"heads at rest": True, "other heads": False}
    turned = {title: [sinks.turned(rest, change) for change in rows.values()] for title, rest in columns.items()}
    fig, _ = bar_rows(list(rows), turned, "ink", left=172, row=36, write="{:.1f}°", name=name)
    said = [f"{title} {', '.join(f'{angle:.1f}' for angle in angles)}" for title, angles in turned.items()]
    fig.show(
        title="What a head is missed for",
        alt=f"Degrees if a head is silent, gives the mark only, has equal weights: {'; '.join(said)}.",
        caption="By how many degrees the vector of a sentence turns if one head of layers 2 to 5 hands over "
        "something else, on average over heads. A head’s angle is that of its mean cosine over 48 sentences.",
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
