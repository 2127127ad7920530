"""The static plots of the chapter on other roads: what is drawn is computed, how it looks is `lib.book.plots`."""

import numpy as np

from lib import softmax
from lib.book.divergences.derivations import first_given_mean, power_weights, product_of_margins
from lib.book.plots import canvas, ink, label, show


def orders(first, second, name):
    """How far the best weights of two independent parts are from a product, for each power divergence."""
    scores = np.add.outer(first, second)  # (k, l)
    even = np.full(scores.size, 1 / scores.size)

    def dependence(order):
        best = power_weights(scores.ravel(), even, 0.5, order).reshape(scores.shape)
        return abs(best - product_of_margins(best)).max()

    order = np.linspace(0, 2.5, 251)
    fig, ax = canvas(
        x="order α of the divergence",
        y="largest difference of a best weight from the product of its margins",
        height=330,
    )
    ax.plot(order, [dependence(x) for x in order], color=ink("ink"), linewidth=2)
    top = max(dependence(0.0), dependence(2.5))
    named = {0.0: "KL(u‖π)", 0.5: "Hellinger", 2.0: "χ²"}
    for x, text in named.items():
        y = dependence(x)
        ax.plot(x, y, "o", color=ink("ink"), markersize=7)
        label(ax, x, y, text, dx=8 if x < 1 else -10, dy=9, ha="left" if x < 1 else "right")
    ax.plot(1, 0, "o", color=ink("weight"), markersize=10, clip_on=False)
    label(ax, 1, 0, "KL(π‖u)", "weight", dy=30, ha="center")
    ax.set(xlim=(-0.05, 2.55), ylim=(0, 1.08 * top), xticks=[0, 0.5, 1, 1.5, 2, 2.5])
    show(
        fig,
        name,
        title="Of these, only KL leaves independent parts independent",
        alt="Largest difference of a best weight from the product of its margins, against the order of the "
        "divergence, from 0 to 2.5. The curve falls from KL the other way round, at order 0, over Hellinger's at "
        "one half, to exactly 0 at order 1, which is KL, where it has a corner, and rises again to chi squared at "
        "order 2 and beyond.",
        caption="How far the best weights for the parts a and b above are from a product, by order of the "
        "divergence, at β = ½. Order ½ is Hellinger's 2Σ(√π − √u)², order 2 is ½χ², which at β = ½ is χ² "
        "at β = 1, with the difference that the text gives. Only at order 1, which is KL, are they a product. The "
        "corner there comes from the absolute value: the difference itself changes its sign.",
    )


def conditioned(scores, tokens, beta, name):
    """Each token's chance to be the first of m from u, given their mean score, against m; and softmax."""
    scores = np.asarray(scores, dtype=float)
    null = np.full(len(scores), 1 / len(scores))
    pi = softmax(scores, beta)
    m = np.unique(np.rint(np.geomspace(1, 1000, 46)).astype(int))
    chances = np.array([first_given_mean(scores, null, k, at_least=pi @ scores) for k in m])  # (46, n)
    fig, ax = canvas(x="tokens drawn m", y="chance of each token to be the first", height=360, right=104)
    end = m[-1] * 1.22
    for i in np.unique(scores, return_index=True)[1]:
        ax.plot(m, chances[:, i], color=ink("ink"), linewidth=1.5)
        ax.plot(end, pi[i], "o", color=ink("weight"), markersize=7, clip_on=False)
        text = tokens[i] if (scores == scores[i]).sum() == 1 else f"{tokens[i]} ×2"
        label(ax, end, pi[i], text, "weight", dx=9, dy=-5)
    ax.axhline(null[0], color=ink("prior"), linewidth=1, linestyle=(0, (1, 2.5)))
    label(ax, 1, null[0], "u", "prior", dx=2, dy=6)
    ax.set(
        xscale="log", xlim=(1, end), ylim=(0, 0.55), xticks=[1, 10, 100, 1000], yticks=[0, 0.1, 0.2, 0.3, 0.4, 0.5]
    )
    ax.set_xticks([1, 10, 100, 1000], labels=["1", "10", "100", "1000"])
    show(
        fig,
        name,
        title="The first of many, given that their mean is high",
        alt="Each token's chance to be the first of m tokens drawn from the uniform null, given that their mean "
        "score is at least that of softmax at β = 1, against m from 1 to 1000. At m = 1 only cat and milk are "
        "possible, one half each. As m grows the seven chances come to those of softmax, drawn as dots.",
        caption="Tokens are drawn evenly from u, and only samples with a high mean score are looked at. "
        "As samples grow, the first token comes to softmax, the dots, not at every step but on the whole: samples "
        "of a few tokens have few possible means, hence the jumps on the left. The dotted line is u.",
    )
