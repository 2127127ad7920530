"""The static plots of the chapter on KL: what is drawn is computed by `lib`, how it looks is `lib.book.plots`."""

import numpy as np

from lib import kl_divergence, softmax
from lib.book.plots import canvas, dots, ink, label, line, show
from lib.book.tell import exponent


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
    for beta in (0, 0.5, 1, 2, 4):
        pi = softmax(scores, float(beta))
        cost, score = kl_divergence(pi, u), pi @ scores
        ax.plot(cost, score, "o", color=ink("weight"), markersize=8)
        label(ax, cost, score, f"β = {beta}", "weight", dx=9, dy=-21)
        if beta == 1:
            ax.plot([cost - 0.4, cost + 0.75], [score - 0.4, score + 0.75], color=ink("ink"), linewidth=1)
            label(ax, cost + 0.75, score + 0.75, "slope 1/β = 1", dx=7, dy=1)
    label(ax, np.log(n), scores.max(), f"log {n}", "quiet", dy=10, ha="center")
    ax.set(xlim=(-0.03, 2.2), ylim=(-0.7, 2.4), xticks=[0, 0.5, 1, 1.5, 2], yticks=[-0.5, 0, 0.5, 1, 1.5, 2])
    show(
        fig,
        name,
        title="The best score for each budget",
        alt="Expected score against divergence from the null. Softmax traces a rising, flattening curve from "
        f"β = 0 at no divergence to the largest score at log {n} nats, after which it is level. Five hundred "
        "random weightings, drawn as dots, all lie below it. At β = 1 its tangent has slope 1.",
        caption="Softmax is the upper edge of what is possible: other weights, the dots, earn less for the same "
        f"divergence. The slope of the edge is what a nat buys, 1/β. From log {n} nats on it buys nothing.",
    )


def exponents(scores, beta, name):
    """Both error exponents of the best test against the number of tokens, and the divergences they approach."""
    scores = np.asarray(scores, dtype=float)
    pi, u = softmax(scores, beta), softmax(scores, 0.0)
    counts = np.unique(np.rint(np.geomspace(4, 10_000, 19)).astype(int))
    middle = np.searchsorted(counts, 330)

    fig, ax = canvas(x="tokens seen m", y="exponent: −log(error)/m, nats per token", right=44)
    for held, error, limit, limit_says, colour, dashes, above in (
        ("false alarms", "misses", kl_divergence(u, pi), "KL(u‖π)", "prior", (0, (6, 3)), True),
        ("misses", "false alarms", kl_divergence(pi, u), "KL(π‖u)", "weight", "-", False),
    ):
        values = [exponent(scores, beta, m, hold=held) for m in counts]
        ax.axhline(limit, color=ink(colour), linewidth=1, linestyle=(0, (1, 2.5)))
        ax.plot(counts, values, color=ink(colour), linestyle=dashes, linewidth=2)
        label(ax, 4, limit, limit_says, colour, dy=7 if above else -21)
        shift = {"dx": -8, "dy": 6, "ha": "right"} if above else {"dx": 8, "dy": -18}
        label(ax, counts[middle], values[middle], error, colour, **shift)
    ax.set(xscale="log", xlim=(3.6, 11_000), ylim=(0.1, 0.34), yticks=[0.1, 0.15, 0.2, 0.25, 0.3])
    ax.set_xticks([10, 100, 1000, 10_000], ["10", "100", "1000", "10 000"])
    show(
        fig,
        name,
        title="Error exponents against the number of tokens",
        alt="The exponent of false alarms with misses held at 5% rises slowly towards KL(π‖u), and that of "
        "misses with false alarms held at 5% towards the larger KL(u‖π). At a hundred tokens both are still "
        "more than a quarter below.",
        caption="Each error has its own divergence for an exponent, and comes to it slowly. "
        f"Computed exactly, at β = {beta:g}, with the other error held at 5%.",
    )
