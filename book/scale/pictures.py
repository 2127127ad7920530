"""The static plots of the chapter on the scale."""

import numpy as np

from book.figures.random_queries import QUERIES, random_rows
from book.plots import canvas, ink, label
from book.scale.sensitivity import loss_ratio
from book.scale.training import least_loss, train

# The quantity, its dashes, and where its name stands: at which width, how far right of its line and above it;
# or, with a thin line that leads to it, above the lines.
LINES = {
    "mean, single numbers": ((0, (6, 2, 1.2, 2)), (512, 0, None, "right")),
    "64 numbers": ("-", (128, 12, -2, "left")),
    "single numbers": ((0, (6, 3)), (256, -18, -8, "right")),
    "largest pull": ((0, (1, 2.5)), (32, 0, None, "center")),
}


def ratio_against_width(name, widths=(4, 8, 16, 32, 64, 128, 256, 512), runs=4000):
    """How many times as large the gradient of a loss is without the division, beside the largest possible pull."""
    pulls = [[np.median(random_rows(d, scale).pull) for d in widths] for scale in ("undivided", "divided")]
    ratios = {
        "mean, single numbers": [loss_ratio(d, 16, 1, np.mean, runs=runs) for d in widths],
        "64 numbers": [loss_ratio(d, 16, 64, runs=runs) for d in widths],
        "single numbers": [loss_ratio(d, 16, 1, runs=runs) for d in widths],
        "largest pull": np.divide(*pulls),
    }
    fig, ax = canvas(name, x="width d of queries and keys", y="undivided over divided (logarithmic)", height=430)
    ax.axhline(1, color=ink("quiet"), linewidth=1)
    for what, ratio in ratios.items():
        dashes, (at, right, above, ha) = LINES[what]
        colour = "quiet" if "pull" in what else "ink"
        ax.plot(widths, ratio, color=ink(colour), linestyle=dashes, linewidth=2)
        if at in widths and above is None:
            ax.plot([at, at], [ratio[widths.index(at)], 13], color=ink("quiet"), linewidth=1, zorder=1)
            label(ax, at, 15, what, colour, dx=right, ha=ha)
        elif at in widths:
            label(ax, at, ratio[widths.index(at)], what, colour, dx=right, dy=above, ha=ha)
    label(ax, widths[0], 1, "as large as with it", "quiet", dx=-4, dy=-26)
    ax.set(xscale="log", yscale="log", xlim=(3.6, 560), ylim=(0.01, 50))
    ax.set_xticks(widths, [str(d) for d in widths])
    ax.set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    ax.minorticks_off()
    fig.show(
        title="The gradient of a loss without the division over the gradient with it",
        alt="With 16 keys the three medians rise a little, are above one at width 64, and fall steeply: below one "
        "before 128 for values of single numbers, before 256 for the largest possible pull and for values of 64 "
        "numbers. The mean gradient of the loss stays above one at every width.",
        caption="The gradient of a loss in the query, for 16 keys and values of single numbers or of 64, and the "
        "largest possible pull; all but one are medians. In wide heads all medians are smaller without the "
        "division. The mean is not.",
    )


def loss_against_beta(name, d=64):
    """What 100 steps of training leave of the loss: with one step size for all, and with each start's own best."""
    times = np.array([1 / 16, 1 / 8, 1 / 4, 1, 2, 4, 8, 16])  # β in 1/√d, so that βs is spread by as many points
    one = train(times / d**0.5, 1.0)[0][:, -1]
    own = [least_loss(beta) for beta in times / d**0.5]
    x, y = "spread of the scores at the start, in points", "loss after 100 steps"
    fig, ax = canvas(name, x=x, y=y, height=458, bottom=92)
    ax.plot(times, one, color=ink("quiet"), linestyle=(0, (6, 3)), linewidth=2, marker="o", markersize=5)
    ax.plot(times, own, color=ink("ink"), linewidth=2, marker="o", markersize=5)
    label(ax, times[2], one[2], "one step size for all", "quiet", dx=8, dy=8)
    label(ax, times[0], own[0], "the best for each", "ink", dx=-2, dy=13)
    ax.set(xscale="log", xlim=(0.055, 18), ylim=(-0.04, 0.44), yticks=[0, 0.1, 0.2, 0.3, 0.4])
    ax.set_xticks(times, ["1/16", "1/8", "1/4", "1", "2", "4", "8", "16"])
    for at, says in ((1, "divided"), (8, "not divided")):
        label(ax, at, -0.04, says, "quiet", dy=-49, ha="center")
    ax.minorticks_off()
    fig.show(
        title="Loss after a hundred steps, for each start",
        alt="With one step size the loss left after a hundred steps is low only where scores are spread by one or "
        "two points at the start, and rises on both sides. With the best step size for each it is low for every "
        "smaller spread, and rises steeply for larger ones.",
        caption="At d = 64: scores divided by √d are spread by 1 point, undivided ones by 8 points. Dashed: step "
        "size 1 for all. A flat start is only slow: give it larger steps, and nothing is lost. A sharp start is "
        "worse, and no step size that was tried makes up for it. The mean of four random problems.",
    )


def how_sure(name, widths=(4, 8, 16, 32, 64, 128, 256, 512)):
    """The largest weight of a random query against the width, with and without the division: medians of many."""
    fig, ax = canvas(name, x="width d of queries and keys", y="largest of 16 weights, median", height=320, left=72)
    for scale, says, at, dashes in (
        ("undivided", "not divided", 16, "-"),
        ("divided", "divided by √d", 512, (0, (6, 3))),
    ):
        medians = [np.median(random_rows(d, scale).weights.max(axis=1)) for d in widths]
        ax.plot(widths, medians, color=ink("weight"), linestyle=dashes, linewidth=2, marker="o", markersize=6)
        label(ax, at, medians[widths.index(at)], says, "weight", dy=14, ha="right")
    ax.set(xscale="log", xlim=(3.6, 560), ylim=(0, 1.05))
    ax.set_xticks(widths, [str(d) for d in widths])
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25%", "50%", "75%", "100%"])
    ax.minorticks_off()
    fig.show(
        title="How sure a random query is",
        alt="Without the division the median of the largest weight rises with the width, to nearly 100%. With the "
        "division it is about the same at every width.",
        caption=f"{QUERIES} random queries at each width, with 16 random keys each, before anything is learnt.",
    )


def _spreads(name, first, second, *, y, ticks, **words):
    """Two courses over the width: what the division by √d leaves, and what it would have to leave."""
    widths = np.array([16, 64, 128, 256, 512])
    fig, ax = canvas(name, x="width d", y=y, height=320)
    for (says, course, place), colour, dashes in ((first, "ink", "-"), (second, "quiet", (0, (6, 3)))):
        ax.plot(widths, course(widths), color=ink(colour), linestyle=dashes, linewidth=2, marker="o", markersize=6)
        label(ax, *place, says, colour)
    ax.set(xlim=(0, 530), ylim=(0, 1.15 * max(first[1](512), second[1](512))), yticks=ticks)
    ax.set_xticks([64, 128, 256, 512], ["64", "128", "256", "512"])
    fig.show(**words)


def shared_parts(name):
    """The spread of divided scores, with independent components and with components that share half."""
    _spreads(
        name,
        ("half of the variance is shared", lambda d: np.sqrt((d + d * (d - 1) / 4) / d), (20, 9.6)),
        ("independent", lambda d: np.ones(len(d)) if np.ndim(d) else 1.0, (330, 1.6)),
        y="spread of divided scores, points",
        ticks=[0, 4, 8, 12],
        title="What the root cannot repair",
        alt="With independent components the spread of divided scores is 1 point at every width. If components "
        "share half of their variance, it grows with the width, to more than eleven points at 512.",
        caption="With shared parts, the division by √d does not keep scores at 1 point.",
    )


def agreeing(name):
    """The score of a pair whose products have the mean 1/10, divided by √d and by d."""
    _spreads(
        name,
        ("divided by √d", lambda d: d / 10 / np.sqrt(d), (50, 1.6)),
        ("divided by d", lambda d: d / 10 / d, (330, 0.18)),
        y="mean score of a pair that agrees, points",
        ticks=[0, 0.5, 1, 1.5, 2, 2.5],
        title="Agreement over the width",
        alt="The mean score of a query and a key that agree. Divided by √d it grows with the width, to more "
        "than two points at 512. Divided by d it is a tenth of a point at every width.",
        caption="Chance adds up like √d, agreement like d.",
    )
