"""The static plots of the chapter on temperature."""

import numpy as np

from lib import softmax
from lib.book.plots import canvas, ink, label, line, show
from lib.book.scaling import least_loss, random_rows, train

DASHED, DOTTED = (0, (6, 3)), (0, (1, 2.5))


def weights_against_beta(scores, tokens, name):
    """Each weight from β = 0 to β = ∞; both ends are points of their own beside the logarithmic axis."""
    scores = np.asarray(scores, dtype=float)
    betas = np.geomspace(0.05, 20, 300)
    start, stop = 0.022, 46.0  # where the axis keeps 0 and ∞
    weights = softmax(scores, betas[:, None])  # (300, n)
    ends = {start: softmax(scores, 0.0), stop: softmax(scores, np.inf)}

    fig, ax = canvas(x="inverse temperature β, 1/points", y="weight π", height=470, right=40)
    for i in np.argsort(scores):
        drawn = {**line("softmax"), "linewidth": 2.6 if i == scores.argmax() else 1.5}
        ax.plot(betas, weights[:, i], **drawn)
        ax.plot([start, betas[0]], [ends[start][i], weights[0, i]], **drawn)
    for end in np.unique(ends[stop]):
        ax.plot([betas[-1], stop], [end, end], color=ink("weight"), linestyle=DOTTED, linewidth=2)
    for at, heights in ends.items():
        ax.plot(np.full(len(scores), at), heights, "o", color=ink("weight"), markersize=6)
    first, second = np.argsort(-scores)[:2]
    label(ax, betas[215], weights[215, first], tokens[first], "weight", dx=-12, dy=2, ha="right")
    peak = weights[:, second].argmax()
    label(ax, betas[peak], weights[peak, second], tokens[second], "weight", dy=7, ha="center")
    label(ax, betas[30], 0.02, "the others", "weight", ha="left")
    label(ax, start, 1 / len(scores), "the null", "quiet", dx=-2, dy=10)
    ax.set(xscale="log", xlim=(0.019, 52), ylim=(-0.01, 1.03), yticks=[0, 0.25, 0.5, 0.75, 1])
    ax.set_xticks([start, 0.1, 1, 10, stop], ["0", "0.1", "1", "10", "∞"])
    show(
        fig,
        name,
        title="Each weight against β",
        alt="The weights of the seven tokens against β on a logarithmic axis with 0 and infinity at its ends. All "
        f"start at one seventh. That of {tokens[first]} rises all the way to 1. That of {tokens[second]} rises, "
        "has its peak between 1 and 2, and falls to 0 as the others do.",
        caption="From the null to a single token. A weight grows as long as its score is above the average that "
        f"the weights themselves give; {tokens[second]} is overtaken by the average, {tokens[first]} never.",
    )


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
