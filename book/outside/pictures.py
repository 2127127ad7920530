"""The static plots of the chapter *outside*: what linear attention saves and loses, and the other maps."""

from itertools import product

import numpy as np

from book.plots import canvas, ink, label
from book.rows import bar_rows, blank
from lib import attention, entmax, linear_attention, sigmoid_weights, softmax, softmax_plus_one, sparsemax


def meeting(name, n=6):
    """Left, each query meets each key; right, all keys go into one sum, which each query meets."""
    fig, ax = canvas(name, height=310, left=16, right=16, top=56, bottom=48)
    places = np.linspace(0, 1, n)
    for left, right, title, count in (
        (0.0, 1.0, "all pairs", f"{n} · {n} = {n * n} meetings"),
        (1.5, 2.5, "one sum between", f"{n} + {n} = {2 * n} meetings"),
    ):
        if left:
            middle = (left + right) / 2
            for y in places:
                ax.plot([left, middle, right], [y, 0.5, y], color=ink("quiet"), linewidth=1.2)
            box = {"color": ink("paper"), "markeredgecolor": ink("ink"), "markeredgewidth": 1.5, "markersize": 30}
            ax.plot(middle, 0.5, "s", **box)
            label(ax, middle, 0.5, "Σ", "ink", dy=-5, ha="center")
        else:
            for y, other in product(places, places):
                ax.plot([left, right], [y, other], color=ink("quiet"), linewidth=0.8)
        ax.plot([left] * n, places, "o", color=ink("ink"), markersize=8)
        ax.plot([right] * n, places, "o", color=ink("ink"), markersize=8)
        label(ax, left, 1, "keys", "ink", dy=12, ha="center")
        label(ax, right, 1, "queries", "ink", dy=12, ha="center")
        label(ax, (left + right) / 2, 0, count, "ink", dy=-26, ha="center")
        label(ax, (left + right) / 2, 1, title, "quiet", dy=34, ha="center")
    ax.set(xlim=(-0.25, 2.75), ylim=(-0.05, 1.05))
    blank(ax)
    fig.show(
        title="What linear attention saves",
        alt=f"Left, {n} keys and {n} queries, and a line from each key to each query, {n * n} lines. Right, a "
        f"line from each of the {n} keys to one box in the middle, and from the box to each of {n} queries.",
        caption="Ordinary attention, left, has as many meetings as pairs. In linear attention, right, the keys "
        "and values are summed up once, and each query meets only the sums.",
    )


def empty_word(name, lower=3.0):
    """Softmax-plus-one is softmax with an empty word of score 0, which takes all if the others are low."""
    s = np.log([3.0, 2.0, 2.0])

    def with_empty(scores):
        weights = softmax_plus_one(scores)
        return [*weights, 1 - weights.sum()]

    columns = {
        "softmax": [*softmax(s), None],
        "plus one": with_empty(s),
        f"{lower:.0f} points lower": with_empty(s - lower),
    }
    hues = ["weight", "softmax-one", "softmax-one"]
    fig, _ = bar_rows(["log 3", "log 2", "log 2", "empty"], columns, hues, row=36, write="{:.3f}", name=name)
    fig.show(
        title="One empty word more",
        alt="Three words with scores log 3, log 2 and log 2, and an empty one. Softmax gives the three all the "
        "weight. Softmax-plus-one gives the empty word one eighth, and if all scores are three points lower, "
        f"{columns[f'{lower:.0f} points lower'][-1]:.2f}.",
        caption="The weight of the empty word is handed over to nobody. If all scores fall, it takes nearly all.",
    )


def each_map(scores, tokens, name):
    """The weights of one row under each map of the table that has scores."""
    s = np.asarray(scores, dtype=float)
    columns = {
        "softmax": softmax(s),
        "entmax": entmax(s, alpha=1.5),
        "sparse-\nmax": sparsemax(s),
        "plus\none": softmax_plus_one(s),
        "sigmoid": sigmoid_weights(s, bias=-np.log(len(s))),
    }
    hues = ["weight", "entmax", "sparsemax", "softmax-one", "sigmoid"]
    fig, _ = bar_rows(tokens, columns, hues, write="", name=name)
    sums = {k.replace("-\n", "").replace("\n", " "): v.sum() for k, v in columns.items()}
    fig.show(
        title="One row of scores under five maps",
        alt="The seven words of the example at β = 1. Entmax gives no weight to three words, sparsemax to all but "
        "cat and milk. The weights sum to " + ", ".join(f"{v:.2f} under {k}" for k, v in sums.items()) + ".",
        caption="The same scores, at β = 1 and on one scale; a ring is a weight of exactly 0. Sigmoid has the "
        "bias −log 7.",
    )


def rank(name, n=32, seed=3):
    """The error of looking up n keys against the number of features, and the bound that rank sets."""
    widths, eye = (2, 4, 8, 16, 24, 32), np.eye(n)
    soft, linear = [], []
    for d in widths:
        unit = np.random.default_rng(seed).normal(size=(n, d))
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        soft.append(((attention(unit, unit, eye, beta=10) - eye) ** 2).sum() / n)
        linear.append(((linear_attention(unit, unit, eye) - eye) ** 2).sum() / n)
    fig, ax = canvas(name, x="number of features d", y=f"error of looking up {n} keys", height=360)
    ax.fill_between([0, n], 0, [1, 0], color=ink("prior"), alpha=0.16, linewidth=0)
    ax.plot([0, n], [1, 0], color=ink("quiet"), linewidth=1.5)
    ax.plot(widths, linear, "s-", color=ink("ink"), linewidth=1.5, markersize=7, clip_on=False)
    ax.plot(widths, soft, "o-", color=ink("weight"), linewidth=1.5, markersize=8, clip_on=False, zorder=3)
    label(ax, 17, linear[3], "linear attention", dy=10)
    label(ax, 9, soft[2], "softmax, β = 10", "weight", dx=6, dy=10, halo=False)
    label(ax, 6, 0.3, "not for rank d", "quiet", halo=False)
    ax.set(xlim=(0, n), ylim=(0, 1.1), xticks=[0, 8, 16, 24, 32], yticks=[0, 0.5, 1])
    fig.show(
        title="Rank sets a bound",
        alt=f"Error against the number of features. The bound falls in a straight line from 1 to 0 at d = {n}. "
        "Linear attention stays near 1, above the bound. Softmax falls steeply, below the bound.",
        caption="No table of rank d gets below the line. The exponential lifts the rank, so softmax does.",
    )
