"""The static plots of the chapter *alternatives*: thresholds as water levels, and what weight costs."""

import numpy as np

from book.alternatives.maps import reaches_zero
from book.plots import canvas, ink, label, line
from lib import entmax


def squares(scores, tokens, name, beta=1.0):
    """The lake for entmax at α = 1½: half as high, and what stands out is the side of a square."""
    tops = beta * np.asarray(scores, dtype=float) / 2
    sides = np.sqrt(entmax(2 * tops, alpha=1.5))
    level = (tops - sides)[sides > 0].mean()
    bottom, apart = -0.5, 0.62
    places = apart * np.arange(len(tops))
    fig, ax = canvas(name, y="half of β times the score, at β = 1", height=310, bottom=40)
    ax.bar(places, np.minimum(tops, level) - bottom, 0.25, bottom=bottom, color=ink("score"))
    ax.bar(places, sides, sides, bottom=level, color=ink("entmax"))
    ends = [places[0] - 0.3, places[-1] + 0.3]
    ax.axhspan(bottom, level, color=ink("entmax"), alpha=0.14, linewidth=0, zorder=0.5)
    ax.plot(ends, [level] * 2, color=ink("entmax"), linewidth=1.5)
    label(ax, places[tops.argmin()], level, f"τ = {level:.2f}", "entmax", dy=8, ha="center")
    for place, top, side in zip(places, tops, sides, strict=True):
        if side > 0:
            label(ax, place, top, f"{side**2:.2f}", "entmax", dy=8, ha="center")
    ax.set(xlim=ends, ylim=(bottom, bottom + (ends[1] - ends[0]) * 226 / 560), yticks=[-0.5, 0, 0.5, 1])
    ax.set_xticks(places, tokens)
    fig.show(
        title="The water level of entmax",
        alt=f"Seven poles in water, with their tops at half of the score. The water level is at {level:.2f}. "
        f"{(sides > 0).sum()} poles stand out. On each stands a square whose side is as long as the pole stands "
        "out: large for cat and milk, small for drank, tiny for it.",
        caption="What stands out of the water is the side of a square, and the area of the square is the weight. "
        "What stands out little has hardly any.",
    )


def first_slivers(name):
    """What the next bit of weight costs under three prices; only softmax's has no finite start."""
    x = np.linspace(0.012, 1, 200)
    slopes = {"softmax": np.log(x) + 1, "entmax": 2 * np.sqrt(x) - 4 / 3, "sparsemax": x - 0.5}
    fig, ax = canvas(name, x="weight x that the word has", y="price of the next bit, f′(x)", height=360)
    for of, slope in slopes.items():
        ax.plot(x, slope, **line(of))
    for of, start, where in (("entmax", -4 / 3, (0.3, -0.3)), ("sparsemax", -0.5, (0.62, 0.1))):
        ax.plot(0, start, "o", color=ink(of), markersize=9)
        ax.plot([0, x[0]], [start, slopes[of][0]], **line(of))
        label(ax, *where, of, of, dx=6, dy=-22)
    label(ax, 0.02, -2.9, "softmax: falls without end", "weight", dx=12, dy=2)
    ax.set(xlim=(-0.01, 1), ylim=(-3.2, 1.2), xticks=[0, 0.25, 0.5, 0.75, 1], yticks=[-3, -2, -1, 0, 1])
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    fig.show(
        title="What the next bit of weight costs",
        alt="Three rising curves over the weight from 0 to 1. Those of entmax at α = 1½ and of sparsemax start at "
        "a dot, at minus four thirds and minus one half. That of softmax falls without end towards weight 0.",
        caption="A dot is the price of the first sliver. Where it is finite, a word can be too far behind for it.",
    )


def going_under(scores, tokens, name):
    """The β at which each word goes under, for each α: the lower the curve, the sooner."""
    orders = np.linspace(1.15, 2.25, 45)
    betas = np.array([reaches_zero(np.asarray(scores, dtype=float), alpha) for alpha in orders])
    fig, ax = canvas(name, x="α", y="β from which on the weight is 0", height=400, right=110)
    for token, column in {t: betas[:, i] for i, t in enumerate(tokens) if np.isfinite(betas[0, i])}.items():
        ax.plot(orders, column, **line("entmax"))
        label(ax, 2.25, column[-1], token, "ink", dx=8, dy=-5)
    two = reaches_zero(np.asarray(scores, dtype=float), 2.0)
    ax.plot([2] * len(two), np.where(np.isfinite(two), two, np.nan), "o", color=ink("sparsemax"), markersize=8)
    label(ax, 2, np.nanmax(np.where(np.isfinite(two), two, np.nan)), "sparsemax", "sparsemax", dy=14, ha="center")
    ax.set(yscale="log", xlim=(1.1, 2.25), ylim=(0.04, 15), xticks=[1.25, 1.5, 1.75, 2, 2.25])
    ax.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    ax.minorticks_off()
    fig.show(
        title="When each word goes under, for every α",
        alt="Six falling curves over α, from because, the lowest, to milk, the highest; the two of the word the "
        "coincide. Each is the β from which on the word has weight 0. The curves never cross. Dots mark "
        "sparsemax, at α = 2.",
        caption="Above its curve a word has weight 0. Go up or right, and more words are under, from the bottom.",
    )
