"""The static plot of the chapter *alternatives*: the threshold of sparsemax as a water level."""

import numpy as np

from lib import sparsemax
from lib.book.plots import canvas, ink, label, show


def water(scores, tokens, name, beta=1.0):
    """A pole for each word, as high as β times its score; what stands out of the water is the weight."""
    tops = beta * np.asarray(scores, dtype=float)
    weights = sparsemax(tops)
    level = (tops - weights)[weights > 0].mean()  # the same for every word that has weight
    places, bottom = np.arange(len(tops)), -1.0

    fig, ax = canvas(y="β times the score, at β = 1", height=360, bottom=40)
    ax.bar(places, np.minimum(tops, level) - bottom, 0.5, bottom=bottom, color=ink("score"))
    ax.bar(places, weights, 0.5, bottom=level, color=ink("sparsemax"))
    ax.axhspan(bottom, level, color=ink("sparsemax"), alpha=0.14, linewidth=0, zorder=0.5)
    ax.plot([-0.6, len(tops) - 0.4], [level] * 2, color=ink("sparsemax"), linewidth=1.5)
    label(ax, len(tops) - 0.4, level, f"level τ = {level:.2f}", "sparsemax", dx=-2, dy=8, ha="right")
    for place, top, weight in zip(places, tops, weights, strict=True):
        if weight > 0:
            label(ax, place, top, f"{weight:.2f}", "sparsemax", dy=7, ha="center")
    ax.set(xlim=(-0.6, len(tops) - 0.4), ylim=(bottom, 2.4), yticks=[-1, 0, 1, 2])
    ax.set_xticks(places, tokens)
    out = " and ".join(f"{token} by {w:.2f}" for token, w in zip(tokens, weights, strict=True) if w > 0)
    show(
        fig,
        name,
        title="The water level of sparsemax",
        alt="Seven poles stand in water, one for each word, with its top at β times its score, at β = 1. The "
        f"water level is at {level:.2f}. Two poles stand out, {out}, together by 1. The others are under water.",
        caption="What stands out of the water is the weight, and together it is 1. A larger β moves the tops "
        "further apart, so fewer stand out.",
    )
