"""The static plots of the chapter *kl*: `lib` computes what they draw."""

import numpy as np

from lib import beta_for_kl, kl_divergence, softmax
from lib.book.plots import canvas, dots, ink, label, line, show


def frontier(scores, name):
    """The best expected score for each divergence from the uniform null, and random weights below it."""
    scores = np.asarray(scores, dtype=float)
    n = len(scores)
    u = np.full(n, 1 / n)
    path = softmax(scores, np.linspace(0, 12, 500)[:, None])  # (500, n)
    rng = np.random.default_rng(4)
    spread = 10 ** rng.uniform(-0.8, 0.35, size=500)
    others = rng.dirichlet(np.ones(n), size=500) ** (1 / spread[:, None])
    others /= others.sum(axis=1, keepdims=True)  # (500, n), from nearly even to nearly one-hot

    fig, ax = canvas(x="divergence from the null KL(π‖u), nats", y="expected score ⟨π, s⟩, points", height=470)
    dots(ax, kl_divergence(others, u), others @ scores)
    ax.plot([np.log(n)] * 2, [-0.7, scores.max()], color=ink("quiet"), linewidth=1, linestyle=(0, (1, 2.5)))
    ax.plot([*kl_divergence(path, u), 2.2], [*(path @ scores), scores.max()], **line("softmax"))
    half = float(beta_for_kl(scores, np.log(n) / 2))
    earned = softmax(scores, half) @ scores
    for beta in (0, 1, half, 4):
        pi = softmax(scores, float(beta))
        cost, score = kl_divergence(pi, u), pi @ scores
        ax.plot(cost, score, "o", color=ink("weight"), markersize=8)
        if beta == 0:
            label(ax, cost, score, "β = 0", "weight", dx=-9, dy=-5, ha="right")
        else:
            label(ax, cost, score, f"β = {beta:.3g}", "weight", dx=9, dy=-21)
        if beta == 1:
            ax.plot([cost - 0.27, cost + 0.4], [score - 0.27, score + 0.4], color=ink("ink"), linewidth=1)
            label(ax, cost + 0.4, score + 0.4, "slope 1/β = 1", dx=-9, dy=1, ha="right")
        if beta == half:
            ax.plot([cost] * 2, [-0.7, score], color=ink("quiet"), linewidth=1, linestyle=(0, (1, 2.5)))
            label(ax, cost, score, f"half of log {n}", "quiet", dy=14, ha="center")
    label(ax, np.log(n), scores.max(), f"log {n}", "quiet", dy=10, ha="center")
    ax.set(xlim=(-0.27, 2.2), ylim=(-0.7, 2.4), xticks=[0, 0.5, 1, 1.5, 2], yticks=[-0.5, 0, 0.5, 1, 1.5, 2])
    show(
        fig,
        name,
        title="The best score for each budget",
        alt="Expected score against divergence from the null. Softmax traces a rising, flattening curve from "
        f"β = 0 at no divergence to the largest score at log {n} nats, after which it is level, as more budget is "
        "of no use. Five hundred random weightings, drawn as dots, all lie below it. At β = 1 its tangent has "
        f"slope 1. A line marks half of log {n} nats, where β is {half:.2f} and the score {earned:.2f} points.",
        caption="Softmax is the upper edge of what is possible: other weights, the dots, earn less for the same "
        f"divergence. The slope of the edge, 1/β, is what a little more budget is worth: it falls along the edge, "
        f"as β grows. All the weight on the best of the {n} words costs log {n} nats; more budget stays unspent. "
        f"(Half of log {n} is another budget than half of log 3 in the prediction, so it has another β.)",
    )


def tangent(name):
    """The logarithm below the line x − 1, which touches it at 1."""
    x = np.linspace(0.02, 3.0, 300)
    fig, ax = canvas(x="x", y="value", height=260)
    ax.plot(x, x - 1, color=ink("quiet"), linewidth=1.5)
    ax.plot(x, np.log(x), color=ink("ink"), linewidth=2.5)
    ax.plot(1, 0, "o", color=ink("ink"), markersize=8)
    label(ax, 2.6, 1.6, "x − 1", "quiet", dx=-8, dy=4, ha="right")
    label(ax, 2.4, np.log(2.4), "log x", "ink", dx=6, dy=-18)
    label(ax, 1, 0, "they touch at 1", "quiet", dx=10, dy=-16)
    ax.set(xlim=(0, 3), ylim=(-2.2, 2.0), xticks=[0, 1, 2, 3], yticks=[-2, -1, 0, 1, 2])
    show(
        fig,
        name,
        title="A line above a curve",
        alt="The curve log x and the straight line x − 1. They touch at x = 1, where both are 0. Everywhere else "
        "the line is above the curve.",
        caption="The difference x − 1 − log x has the slope 1 − 1/x: it falls up to x = 1, where it is 0, and "
        "rises from there.",
    )
