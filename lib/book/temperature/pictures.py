"""The static plots of the chapter on temperature."""

import numpy as np

from lib.book.plots import canvas, ink, label, show
from lib.book.temperature.sensitivity import random_rows
from lib.book.temperature.training import least_loss, train

DASHED, DOTTED = (0, (6, 3)), (0, (1, 2.5))


def sensitivity_against_width(widths, name):
    """The norm of the softmax Jacobian for random queries and keys, with and without the scale."""
    rows = {scaled: [random_rows(d, d**-0.5 if scaled else 1.0).jacobian for d in widths] for scaled in (1, 0)}
    lines = (
        (1, np.median, "minus", "-", "divided by √d: mean and median", {"dy": 9, "ha": "right"}, -1),
        (0, np.mean, "plus", DASHED, "not divided: mean", {"dy": -27, "ha": "right"}, -1),
        (0, np.median, "plus", "-", "not divided: median", {"dx": -12, "dy": -8, "ha": "right"}, -2),
    )
    fig, ax = canvas(x="width d of queries and keys", y="norm of the Jacobian ∂π/∂(βs)", height=440, left=78)
    for scaled, middle, colour, dashes, says, place, at in lines:
        y = [middle(norms) for norms in rows[scaled]]
        ax.plot(widths, y, color=ink(colour), linestyle=dashes, linewidth=2)
        label(ax, widths[at], y[at], says, colour, **place)
    ax.set(xscale="log", yscale="log", xlim=(14.5, 560), ylim=(2e-4, 0.6))
    ax.set_xticks(widths, [str(d) for d in widths])
    ax.set_yticks([1e-3, 1e-2, 1e-1, 0.5], ["0.001", "0.01", "0.1", "0.5"])
    ax.minorticks_off()
    show(
        fig,
        name,
        title="Sensitivity against width",
        alt="With scores divided by the root of d the norm of the Jacobian stays near a fifth at every width from "
        "16 to 512. Without, its mean falls slowly, and its median plunges below a thousandth.",
        caption="Sixteen random keys for each of 500 queries. Undivided, the typical row goes dead; the mean "
        "lives on in the few rows whose two best keys happen to be close.",
    )


def loss_against_beta(name, d=16):
    """What 100 steps of training leave of the loss: with one step size for all, and with each β's own best."""
    times = np.array([1 / 16, 1 / 4, 1, 2, 4, 8, 16])
    one = train(times / d**0.5, 1.0, d=d).losses[:, -1]
    own = [least_loss(beta) for beta in times / d**0.5]
    fig, ax = canvas(x="β, in units of 1/√d", y="loss after 100 steps", height=430)
    ax.plot(times, one, color=ink("quiet"), linestyle=DASHED, linewidth=2, marker="o", markersize=5)
    ax.plot(times, own, color=ink("ink"), linewidth=2, marker="o", markersize=5)
    label(ax, times[1], one[1], "one step size for all", "quiet", dx=8, dy=8)
    label(ax, times[0], own[0], "the best step size for each", "ink", dx=-2, dy=-26)
    ax.set(xscale="log", xlim=(0.055, 18), ylim=(-0.09, 0.36), yticks=[0, 0.1, 0.2, 0.3])
    ax.set_xticks([1 / 16, 1 / 4, 1, 4, 16], ["1/16", "1/4", "1", "4", "16"])
    ax.minorticks_off()
    show(
        fig,
        name,
        title="Loss after a hundred steps, for each β",
        alt="With one step size the loss left after a hundred steps is low only for β near one over root d, and "
        "rises on both sides. With the best step size for each β it is level for every smaller β, and rises "
        "steeply for larger ones.",
        caption="A small β is only slow: give it larger steps, and nothing is lost. A large β is a bad start, "
        "nearly one-hot before anything has been learnt, and no step size makes up for it. "
        "Mean of four random problems.",
    )
