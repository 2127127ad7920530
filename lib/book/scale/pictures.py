"""The static plots of the chapter on the scale."""

import numpy as np

from lib.book.plots import canvas, ink, label, show
from lib.book.scale.training import least_loss, train
from lib.figures.random_queries import QUERIES, random_rows

DASHES = {4: (0, (1, 2.5)), 16: "-", 32: (0, (6, 3))}
RUNS = {4: QUERIES, 16: QUERIES, 32: 801}


def ratio_against_width(name, widths=(4, 8, 16, 32, 64, 128, 256, 512), runs=None):
    """How many times larger the typical gradient is without the division, for several numbers of keys."""
    fig, ax = canvas(x="width d of queries and keys", y="typical gradient, undivided over divided", height=430)
    ax.axhline(1, color=ink("quiet"), linewidth=1)
    for n, dashes in DASHES.items():
        typical = {
            scale: np.array([np.median(random_rows(d, scale, n, runs or RUNS[n]).gradient) for d in widths])
            for scale in ("undivided", "divided")
        }
        ratio = typical["undivided"] / typical["divided"]
        ax.plot(widths, ratio, color=ink("plus"), linestyle=dashes, linewidth=2)
        top = int(ratio.argmax())
        label(ax, widths[top], ratio[top], f"{n} keys", "plus", dy=10, ha="center")
    label(ax, widths[0], 1, "as large as with it", "quiet", dx=-4, dy=-20)
    ax.set(xscale="log", yscale="log", xlim=(3.6, 560), ylim=(0.01, 30))
    ax.set_xticks(widths, [str(d) for d in widths])
    ax.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    ax.minorticks_off()
    show(
        fig,
        name,
        title="Gradient without the division over the gradient with it",
        alt="For 4, 16 and 32 keys the ratio rises from about two at d = 4 to a peak, falls below one at a "
        "width that is larger the more keys there are, and keeps falling.",
        caption="Above the line the typical query is pulled harder without the division, below it less. The more "
        "keys, the later the turn. Medians over many random queries.",
    )


def loss_against_beta(name, d=16):
    """What 100 steps of training leave of the loss: with one step size for all, and with each β's own best."""
    times = np.array([1 / 16, 1 / 4, 1, 2, 4, 8, 16])
    one = train(times / d**0.5, 1.0)[0][:, -1]
    own = [least_loss(beta) for beta in times / d**0.5]
    fig, ax = canvas(x="β, in units of 1/√d", y="loss after 100 steps", height=430)
    ax.plot(times, one, color=ink("quiet"), linestyle=(0, (6, 3)), linewidth=2, marker="o", markersize=5)
    ax.plot(times, own, color=ink("ink"), linewidth=2, marker="o", markersize=5)
    label(ax, times[1], one[1], "one step size for all", "quiet", dx=8, dy=8)
    label(ax, times[0], own[0], "the best step size for each", "ink", dx=-2, dy=-26)
    ax.set(xscale="log", xlim=(0.055, 18), ylim=(-0.09, 0.44), yticks=[0, 0.1, 0.2, 0.3, 0.4])
    ax.set_xticks([1 / 16, 1 / 4, 1, 4, 16], ["1/16", "1/4", "1", "4", "16"])
    ax.minorticks_off()
    show(
        fig,
        name,
        title="Loss after a hundred steps, for each β",
        alt="With one step size the loss left after a hundred steps is low only for β near one over root d, and "
        "rises on both sides. With the best step size for each β it is low for every smaller β, and rises "
        "steeply for larger ones.",
        caption="A small β is only slow: give it larger steps, and little or nothing is lost. A large β is a bad "
        "start, nearly one-hot before anything has been learnt, and no step size that was tried makes up for it. "
        "The mean of four random problems.",
    )
