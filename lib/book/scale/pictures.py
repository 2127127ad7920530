"""The static plots of the chapter on the scale."""

import numpy as np

from lib.book.plots import canvas, ink, label, show
from lib.book.scale.training import least_loss, train
from lib.figures.random_queries import QUERIES, random_rows

DASHES = {4: (0, (1, 2.5)), 16: "-", 32: (0, (6, 3))}
RUNS = {4: QUERIES, 16: QUERIES, 32: 801}
LABELS = {4: (8, -20), 16: (32, -22), 32: (64, 10)}  # at which width, and how far above the line


def ratio_against_width(name, widths=(4, 8, 16, 32, 64, 128, 256, 512), runs=None):
    """How many times larger the typical gradient is without the division, for several numbers of keys."""
    fig, ax = canvas(
        x="width d of queries and keys", y="typical gradient, undivided over divided (logarithmic)", height=430
    )
    ax.axhline(1, color=ink("quiet"), linewidth=1)
    for n, dashes in DASHES.items():
        typical = {
            scale: np.array([np.median(random_rows(d, scale, n, runs or RUNS[n]).gradient) for d in widths])
            for scale in ("undivided", "divided")
        }
        ratio = typical["undivided"] / typical["divided"]
        ax.plot(widths, ratio, color=ink("plus"), linestyle=dashes, linewidth=2)
        at, above = LABELS[n]
        if at in widths:
            label(ax, at, ratio[widths.index(at)], f"{n} keys", "plus", dy=above, ha="center")
    label(ax, widths[0], 1, "as large as with it", "quiet", dx=-4, dy=-18)
    ax.set(xscale="log", yscale="log", xlim=(3.6, 560), ylim=(0.01, 30))
    ax.set_xticks(widths, [str(d) for d in widths])
    ax.set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    ax.minorticks_off()
    show(
        fig,
        name,
        title="Gradient without the division over the gradient with it",
        alt="For 4, 16 and 32 keys the ratio rises from d = 4 to a peak that is higher the more keys there are, "
        "and falls from there. With 4 keys it falls below one before d = 64, with 16 before 256, with 32 later.",
        caption="Above the line the typical query is pulled harder without the division, below it less. The more "
        "keys, the wider the head in which the two are equal. With 4 keys the ratio is below 0.01 at d = 256, and "
        "leaves the picture. Medians over many random queries.",
    )


def loss_against_beta(name, d=64):
    """What 100 steps of training leave of the loss: with one step size for all, and with each β's own best."""
    times = np.array([1 / 16, 1 / 4, 1, 2, 4, 8, 16])
    one = train(times / d**0.5, 1.0)[0][:, -1]
    own = [least_loss(beta) for beta in times / d**0.5]
    fig, ax = canvas(x="β, in units of 1/√d", y="loss after 100 steps", height=430)
    ax.plot(times, one, color=ink("quiet"), linestyle=(0, (6, 3)), linewidth=2, marker="o", markersize=5)
    ax.plot(times, own, color=ink("ink"), linewidth=2, marker="o", markersize=5)
    label(ax, times[1], one[1], "one step size for all", "quiet", dx=8, dy=8)
    label(ax, times[0], own[0], "the best step size for each", "ink", dx=-2, dy=8)
    label(ax, times[2], own[2], "divided", "quiet", dy=-16, ha="center")
    label(ax, times[5], own[5], "not divided", "quiet", dx=26, dy=-28, ha="center")
    ax.set(xscale="log", xlim=(0.055, 18), ylim=(-0.04, 0.44), yticks=[0, 0.1, 0.2, 0.3, 0.4])
    ax.set_xticks([1 / 16, 1 / 4, 1, 4, 8, 16], ["1/16", "1/4", "1", "4", "8", "16"])
    ax.minorticks_off()
    show(
        fig,
        name,
        title="Loss after a hundred steps, for each β",
        alt="With one step size the loss left after a hundred steps is low only for β near one or two over root "
        "d, and rises on both sides. With the best step size for each β it is low for every smaller β, and rises "
        "steeply for larger ones.",
        caption="At d = 64, where 8/√d = 1 is no division. Dashed: steps of η = 1 for all. A small β is only "
        "slow: give it larger steps, and nothing is lost. A large β is a bad start, and no step size that was "
        "tried makes up for it. The mean of four random problems.",
    )
