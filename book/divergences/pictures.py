"""The static plots of the chapter on divergences: what is drawn is computed, how it looks is `book.plots`."""

import numpy as np

from book.divergences.derivations import first_given_mean
from book.plots import MAPS, canvas, ink, label
from book.rows import blank
from lib import softmax

TINT = 0.3  # of the word behind, as in the live figure


def conditioned(scores, tokens, beta, name):
    """Each token's chance to be the first of m from u, given their mean score, against m; and softmax."""
    scores = np.asarray(scores, dtype=float)
    null = np.full(len(scores), 1 / len(scores))
    pi = softmax(scores, beta)
    m = np.unique(np.rint(np.geomspace(1, 1000, 46)).astype(int))
    chances = np.array([first_given_mean(scores, null, k, at_least=pi @ scores) for k in m])  # (46, n)
    fig, ax = canvas(name, x="tokens drawn m", y="chance of each token to be the first", height=410, right=112)
    end, below = m[-1] * 1.22, -np.inf
    for i in np.unique(scores, return_index=True)[1]:  # from the smallest weight up
        ax.plot(m, chances[:, i], color=ink("ink"), linewidth=1.5)
        ax.plot(end, pi[i], "o", color=ink("weight"), markersize=7, clip_on=False)
        text = tokens[i] if (scores == scores[i]).sum() == 1 else f"{tokens[i]} ×2"
        below = max(pi[i], below + 0.046)  # names stay as far apart as their text is high at its largest
        label(ax, end, below, text, "weight", dx=9, dy=-6)
    ax.axhline(null[0], color=ink("prior"), linewidth=1, linestyle=(0, (1, 2.5)))
    label(ax, 1, null[0], "u", "prior", dx=2, dy=6)
    ax.set(
        xscale="log", xlim=(1, end), ylim=(0, 0.55), xticks=[1, 10, 100, 1000], yticks=[0, 0.1, 0.2, 0.3, 0.4, 0.5]
    )
    ax.set_xticks([1, 10, 100, 1000], labels=["1", "10", "100", "1000"])
    fig.show(
        title="The first of many, given that their mean is high",
        alt="Each token's chance to be the first of m tokens drawn from the uniform null, given that their mean "
        "score is at least that of softmax at β = 1, against m from 1 to 1000. At m = 1 only cat and milk are "
        "possible, one half each. As m grows the seven chances come to those of softmax, drawn as dots.",
        caption="Tokens are drawn evenly from u, and only samples with a high mean score are looked at. "
        "As samples grow, the first token comes to softmax, the dots, not at every step but on the whole: samples "
        "of a few tokens have few possible means, hence the jumps on the left. The dotted line is u.",
    )


def curves(name, places=(-1.2, 0.9), step=0.5):
    """From scores to weights over the null: an exponential for KL, a straight line for squares."""
    x = np.linspace(-1.9, 1.6, 120)
    kinds = {
        "KL": (np.exp, "weight", "-"),
        "squares": (lambda x: np.maximum(1 + x / 2, 0), *MAPS["sparsemax"]),
    }
    fig, ax = canvas(name, x="β (s − λ)", y="weight over null, g", height=400)
    said = {}
    for kind, (g, colour, dashes) in kinds.items():
        ax.plot(x, g(x), color=ink(colour), linestyle=dashes, linewidth=2)
        for place in places:
            pair = np.array([place, place + step])
            factor = g(pair[1]) / g(pair[0])
            ax.plot(pair, g(pair), "o", color=ink(colour), markersize=7)
            dy = (-28 if kind == "KL" else 20) if place < 0 else (10 if kind == "KL" else -26)
            label(ax, pair.mean(), g(pair).mean(), f"× {factor:.2f}", colour, dx=-16 if dy == 10 else 4, dy=dy,
                  ha="right" if dy == 10 else "center")  # fmt: skip
            said.setdefault(kind, []).append(f"{factor:.2f}")
    label(ax, 1.6, np.exp(1.6), "KL", "weight", dx=-12, ha="right")
    label(ax, 1.6, 1.8, "squares", "sparsemax", dy=14, ha="right")
    ax.set(xlim=(-1.95, 1.65), ylim=(-0.45, 5.2), xticks=[-1, 0, 1], yticks=[0, 1, 2, 3, 4, 5])
    fig.show(
        title="One step, two places",
        alt="Two curves from scores to weights over the null, an exponential for KL and a straight line for "
        f"squares. A step of half a point multiplies KL’s by {' and '.join(said['KL'])} at two places, and "
        f"squares’ by {' and '.join(said['squares'])}.",
        caption="Dots are half a point apart, at β = 1. Only the exponential has the same factor at both places.",
    )


def ties(name):
    """Two tables of the same totals as areas: the one that squares gave, and the product."""
    tied = np.array([[0.4, 0.1], [0.2, 0.3]])
    tables = {"tied": tied, "not tied": np.outer(tied.sum(axis=1), tied.sum(axis=0))}
    fig, ax = canvas(name, height=320, left=70, right=10, top=44, bottom=44)
    for panel, (says, table) in enumerate(tables.items()):
        left = 1.25 * panel
        label(ax, left + 0.5, 1, says, dy=12, ha="center")
        for place in (0, 1):
            total, start = table[:, place].sum(), left + table[:, :place].sum()
            cat = table[0, place] / total
            for bottom, height, alpha in ((0, cat, 1), (cat, 1 - cat, TINT)):
                look = {"color": ink("weight"), "alpha": alpha, "linewidth": 0, "align": "edge"}
                ax.bar(start + 0.01, height - 0.02, total - 0.02, bottom=bottom + 0.01, **look)
            label(ax, start + total / 2, 0, "first" if place == 0 else "second", "quiet", dy=-24, ha="center")
    for y, word in ((0.16, "cat"), (0.8, "milk")):
        label(ax, 0, y, word, "weight", dx=-12, ha="right")
    ax.set(xlim=(0, 2.25), ylim=(0, 1))
    blank(ax)
    fig.show(
        title="A tie, seen as a step",
        alt="Two squares, each cut into two sentences as wide as their totals, and each sentence into cat below "
        "and milk above. Left, the cut is higher in the first sentence than in the second. Right it is level.",
        caption="Area is weight, and both squares have the same totals. A tie is a step in the line between cat "
        "and milk.",
    )


def entropies(name, scores=(2.0, 1.5, 0.8), words=("cat", "milk", "it"), beta=1.0):
    """The entropy of all weights of three tokens with one expected score, and where softmax is."""
    s = np.array(scores)
    pi = softmax(s, beta)
    c = pi @ s
    highest = min((s[0] - c) / (s[0] - s[1]), (c - s[2]) / (s[1] - s[2]))  # beyond it another weight is below 0
    middle = np.linspace(0, highest, 301)  # of the second word
    first = (c - s[1] * middle - s[2] * (1 - middle)) / (s[0] - s[2])
    rows = np.clip(np.stack([first, middle, 1 - middle - first], axis=1), 0, 1)  # (301, 3)
    spread = -np.sum(np.where(rows > 0, rows * np.log(np.where(rows > 0, rows, 1)), 0), axis=1)
    fig, ax = canvas(name, x=f"weight of {words[1]}", y="entropy, nats", height=340)
    ax.plot(middle, spread, color=ink("ink"), linewidth=2)
    top = -(pi * np.log(pi)).sum()
    ax.plot(pi[1], top, "o", color=ink("weight"), markersize=10)
    label(ax, pi[1], top, "softmax", "weight", dy=12, ha="center")
    for i, dx, ha in ((0, 6, "left"), (-1, 0, "right")):
        text = "\n".join(f"{word} {x:.0%}" for word, x in zip(words, rows[i], strict=True))
        label(ax, middle[i], spread[i], text, "quiet", dx=dx, dy=-29, ha=ha, hang=True)
    ax.set(xlim=(0, 0.8), ylim=(0, 1.25), yticks=[0, 0.5, 1])
    ax.set_xticks([0, 0.25, 0.5, 0.75], ["0", "0.25", "0.5", "0.75"])
    fig.show(
        title="Of all weights with one expected score, softmax is the most spread out",
        alt=f"Three words, and all weights whose expected score is {c:.2f} points. Their entropy, against the "
        f"weight of {words[1]}, is an arch. Its top, {top:.2f} nats, is softmax.",
        caption=f"Three words with {s[0]:g}, {s[1]:g} and {s[2]:g} points, and all their weights with the "
        f"expected score {c:.2f}, from one end to the other. The most spread-out of them are those of softmax.",
    )
