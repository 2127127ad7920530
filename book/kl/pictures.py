"""The static plots of the chapter *kl*: `lib` computes what they draw."""

import numpy as np

from book.plots import canvas, dots, ink, label, line
from book.rows import bar_rows
from lib import beta_for_kl, kl_divergence, log_partition, objective, softmax


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

    fig, ax = canvas(
        name, x="divergence from the null KL(π‖u), nats", y="expected score ⟨π, s⟩, points", height=470
    )
    dots(ax, kl_divergence(others, u), others @ scores)
    ax.plot([np.log(n)] * 2, [-0.7, scores.max()], color=ink("quiet"), linewidth=1, linestyle=(0, (1, 2.5)))
    ax.plot([*kl_divergence(path, u), 2.2], [*(path @ scores), scores.max()], **line("softmax"))
    half = float(beta_for_kl(scores, np.log(n) / 2))
    earned = softmax(scores, half) @ scores
    for beta in (0, 1, half, 4):
        pi = softmax(scores, float(beta))
        cost, score = kl_divergence(pi, u), pi @ scores
        ax.plot(cost, score, "o", color=ink("weight"), markersize=8)
        if beta <= 1:
            label(ax, cost, score, f"β = {beta}", "weight", dx=-12, dy=16 * beta - 5, ha="right")
        else:
            label(ax, cost, score, f"β = {beta:.3g}", "weight", dy=13, ha="center")
        if beta == 1:
            ax.plot([cost - 0.27, cost + 0.4], [score - 0.27, score + 0.4], color=ink("ink"), linewidth=1)
            label(ax, cost + 0.4, score + 0.4, "slope 1/β = 1", dx=-9, dy=1, ha="right")
        if beta == half:
            ax.plot([cost] * 2, [-0.7, score], color=ink("quiet"), linewidth=1, linestyle=(0, (1, 2.5)))
            label(ax, cost, -0.7, f"half of log {n}", "quiet", dx=8, dy=8)
    label(ax, np.log(n), scores.max(), f"log {n}", "quiet", dy=10, ha="center")
    ax.set(xlim=(-0.27, 2.2), ylim=(-0.7, 2.4), xticks=[0, 0.5, 1, 1.5, 2], yticks=[-0.5, 0, 0.5, 1, 1.5, 2])
    fig.show(
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
    fig, ax = canvas(name, x="x", y="value", height=260)
    ax.plot(x, x - 1, color=ink("quiet"), linewidth=1.5)
    ax.plot(x, np.log(x), color=ink("ink"), linewidth=2.5)
    ax.plot(1, 0, "o", color=ink("ink"), markersize=8)
    label(ax, 2.6, 1.6, "x − 1", "quiet", dx=-8, dy=4, ha="right")
    label(ax, 2.4, np.log(2.4), "log x", "ink", dx=6, dy=-27)
    label(ax, 1, 0, "they touch at 1", "quiet", dx=14, dy=-25)
    ax.set(xlim=(0, 3), ylim=(-2.2, 2.0), xticks=[0, 1, 2, 3], yticks=[-2, -1, 0, 1, 2])
    fig.show(
        title="A line above a curve",
        alt="The curve log x and the straight line x − 1. They touch at x = 1, where both are 0. Everywhere else "
        "the line is above the curve.",
        caption="The difference x − 1 − log x has the slope 1 − 1/x: it falls up to x = 1, where it is 0, and "
        "rises from there.",
    )


def tells(scores, tokens, name):
    """What each word tells on average, π log(π/u): its weight, times the logarithm of its factor."""
    weights, n = softmax(np.asarray(scores, dtype=float)), len(scores)
    speaks = np.log(weights * n)
    columns = {"weight": weights, "× log(π/u)": speaks, "= it tells": weights * speaks}
    fig, _ = bar_rows(tokens, columns, ["weight", "ink", "ink"], shared=False, name=name)
    total = float(kl_divergence(weights, np.full(n, 1 / n)))
    fig.show(
        title="What each word tells",
        alt="For each word its weight under softmax, the logarithm of its weight over one seventh, and the "
        f"product. Words with more than their share tell for the weights, the others against them. Sum of the "
        f"products: {total:.3f}.",
        caption=f"Words with more weight than the null’s {1 / n:.2f} speak for π, the others against it. The last "
        f"column adds up to the divergence, {total:.3f} nats.",
    )


def _bracket(ax, at, value, fine, side):
    """What is missing at one end of the way, from its value up to the best."""
    looks = {"arrowstyle": "|-|,widthA=0.4,widthB=0.4", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (at, value), (at, value + fine), arrowprops=looks | {"color": ink("quiet"), "linewidth": 1.5})
    if side > 0:
        label(ax, at, value + 0.7 * fine, f"fine {fine:.2f}", "quiet", dx=12)
    else:
        label(ax, at, value, f"fine {fine:.2f}", "quiet", dx=6, dy=-28, ha="right")


def fines(scores, tokens, name, beta=2.0):
    """J on the way from the null to softmax and on to all-on-cat: the top is at softmax, the rest is fined."""
    s = np.asarray(scores, dtype=float)
    n = len(s)
    u, best, top = np.full(n, 1 / n), softmax(s, beta), np.eye(n)[s.argmax()]
    way = np.linspace(0, 1, 101)[:, None]
    path = np.concatenate([u + way * (best - u), best + way[1:] * (top - best)])
    worth = [objective(p, s, beta) for p in path]
    fig, ax = canvas(name, y=f"J, points, at β = {beta:g}", height=370, bottom=46)
    ax.plot(np.linspace(0, 2, 201), worth, color=ink("ink"), linewidth=2)
    ax.plot([0, 2], [worth[100]] * 2, color=ink("quiet"), linewidth=1, linestyle=(0, (1, 2.5)))
    fined = {}
    for at, what, p, side in ((0, "equal weights", u, 1), (1, "softmax", best, 0), (2, "all on cat", top, -1)):
        value, fine = objective(p, s, beta), kl_divergence(p, best) / beta
        if side:
            _bracket(ax, at, value, fine, side)
            fined[what] = fine
        ax.plot(at, value, "o", color=ink("ink" if side else "weight"), markersize=9, zorder=4)
    ax.set(xlim=(-0.12, 2.12), ylim=(min(worth) - 0.12, max(worth) + 0.22), yticks=[0.8, 1, 1.2])
    label(ax, 1, worth[100], f"{worth[100]:.2f}, the best there is", "weight", dy=10, ha="center")
    ax.set_xticks([0, 1, 2], ["equal weights", "softmax", "all on cat"])
    for tick, ha in zip(ax.get_xticklabels(), ("left", "center", "right"), strict=True):
        tick.set_ha(ha)
    said = " and ".join(f"{what} by {fine:.2f}" for what, fine in fined.items())
    fig.show(
        title="Every other choice pays a fine",
        alt=f"A hill: J on the way from equal weights to softmax and on to all on cat. The top is at softmax, "
        f"with {worth[100]:.2f} points. Brackets show how much lower the ends are: {said}.",
        caption="Each bracket is as long as the divergence from softmax, divided by β.",
    )


def small_frontier(scores, name):
    """Score against nats for the three words of the prediction, and what half of log 3 buys."""
    s = np.asarray(scores, dtype=float)
    n, half = len(s), np.log(len(s)) / 2
    u, beta = np.full(n, 1 / n), float(beta_for_kl(s, half))
    path = softmax(s, np.linspace(0, 14, 200)[:, None])
    best, between = softmax(s, beta), (u + np.eye(n)[s.argmax()]) / 2
    earned = best @ s
    fig, ax = canvas(name, x="divergence from the null, nats", y="expected score, points", height=380)
    ax.plot(kl_divergence(path, u), path @ s, **line("softmax"))
    ax.plot([half] * 2, [1.35, earned], color=ink("quiet"), linewidth=1, linestyle=(0, (1, 2.5)))
    reach = np.array([-0.3, 0.3])
    ax.plot(half + reach, earned + reach / beta, color=ink("ink"), linewidth=1.2)
    label(ax, half + 0.3, earned + 0.3 / beta, f"slope 1/β = {1 / beta:.2f}", dx=4, dy=13, ha="center")
    label(ax, half, 1.35, "the budget", "quiet", dx=8, dy=6)
    ax.plot(half, earned, "o", color=ink("weight"), markersize=9)
    label(ax, half, earned, f"softmax, β = {beta:.2f}", "weight", dx=10, dy=-24)
    cost = kl_divergence(between, u)
    ax.plot(cost, between @ s, "o", color=ink("score"), markersize=9)
    label(ax, cost, between @ s, "⅔, ⅙, ⅙", "score", dx=12, dy=-10)
    ax.set(xlim=(-0.02, 1.12), ylim=(1.35, 2.1), xticks=[0, 0.25, 0.5, 0.75, 1], yticks=[1.4, 1.6, 1.8, 2])
    fig.show(
        title="What a budget buys",
        alt=f"Score against divergence for three words: the curve of softmax rises steeply at first and flattens. "
        f"A dot on it at a budget of {half:.2f} nats, where β is {beta:.2f}, the score {earned:.2f} and the slope "
        f"{1 / beta:.2f}. The weights two thirds, a sixth and a sixth lie below the curve.",
        caption="Nothing lies above the curve. Its slope, the price, is what a little more budget earns.",
    )


def worth(scores, name):
    """The logarithm of Z against β, with its slopes at 0 and at 1."""
    s = np.asarray(scores, dtype=float)
    betas = np.linspace(0, 3, 121)
    log_z = betas * np.array([log_partition(s, beta) for beta in betas])  # (121,)
    mean, at_one, one = s.mean(), softmax(s) @ s, float(log_partition(s))
    fig, ax = canvas(name, x="inverse temperature β, 1/points", y="log Z", height=340, right=40)
    ax.plot([0, 1.4], [0, 1.4 * mean], color=ink("ink"), linewidth=1)
    ax.plot([0.4, 2.4], [one - 0.6 * at_one, one + 1.4 * at_one], color=ink("ink"), linewidth=1)
    ax.plot(betas, log_z, **line("softmax"))
    ax.plot([0, 1], [0, one], "o", color=ink("weight"), markersize=8, clip_on=False, zorder=3)
    label(ax, 1.4, 1.4 * mean, f"slope {mean:.2f}", dx=8)
    label(ax, 2.4, one + 1.4 * at_one, f"slope {at_one:.2f}", dx=8)
    ax.set(xlim=(0, 3), ylim=(-0.3, 4.6), xticks=[0, 1, 2, 3], yticks=[0, 1, 2, 3, 4])
    fig.show(
        title="The slope of log Z is the expected score",
        alt=f"Log Z against β: a curve that bends upwards. At β = 0 it starts at 0 with the slope {mean:.2f}, the "
        f"mean of the scores. At β = 1 its slope is {at_one:.2f}, the expected score of softmax there.",
        caption="The slope at β = 0 is the mean of the scores, at β = 1 the expected score of softmax. The slope "
        "grows all the way, so the curve bends upwards; how fast it grows is the variance.",
    )
