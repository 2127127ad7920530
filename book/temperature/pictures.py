"""The static plots of the chapter on temperature."""

import numpy as np

from book.plots import canvas, grouped, ink, label
from book.temperature.sharpness import winning_beta
from lib import entropy, kl_divergence, log_softmax, softmax

DASHED, DOTTED = (0, (6, 3)), (0, (1, 2.5))


def two_measures(scores, null, name):
    """Entropy and the divergence from the null along β, for a null that is sure of a token with a low score."""
    beta = np.linspace(0, 8, 161)
    pi = softmax(np.asarray(scores), beta[:, None], prior=null)  # (161, n)
    spread, away = entropy(pi), kl_divergence(pi, null)
    even = entropy(softmax(np.asarray(scores), beta[:, None]))
    top = spread.argmax()
    fig, ax = canvas(name, x="inverse temperature β, per point", y="nats", height=430, left=44)
    ax.plot(beta, away, color=ink("ink"), linestyle=DOTTED, linewidth=2)
    ax.plot(beta, even, color=ink("quiet"), linestyle=DASHED, linewidth=2)
    ax.plot(beta, spread, color=ink("ink"), linewidth=2)
    ax.plot(beta[top], spread[top], "o", color=ink("ink"), markersize=7)
    sure = "null sure\nof “because”"
    label(ax, 4, np.interp(4, beta, away), f"divergence, {sure}", "ink", dx=-16, dy=10, ha="right")
    label(ax, 0, even[0], "entropy,\nuniform null", "quiet", dy=12)
    label(ax, 3, np.interp(3, beta, spread), f"entropy, {sure}", "ink", dx=12, dy=8)
    ax.set(xlim=(-0.1, 8.1), ylim=(-0.12, 4.8), xticks=range(0, 9, 2), yticks=range(5))
    fig.show(
        title="Two measures of sharpness",
        alt="Against β, three lines. The divergence from a null that is sure of the word because rises from 0 all "
        "the way. The entropy of the same weights rises from a third of a nat to about one and a half, and then "
        "falls. From the uniform null, entropy falls all the way.",
        caption="The same scores from two nulls. The divergence from the null rises all the way. From the "
        "uniform null entropy falls all the way; from a null that is sure of another token it rises first. "
        f"The dot marks its top, as spread as {np.exp(spread[top]):.1f} even weights, at β = {beta[top]:.1f}.",
    )


def beta_needed(name, rest=0.1):
    """The β at which a leader has all but `rest`, against the number of tokens, for three leads."""
    n = np.logspace(np.log10(2), 6, 100)
    fig, ax = canvas(name, x="number of tokens n", y="β needed for nine tenths, per point", height=400, left=44)
    for lead, dashes in ((0.5, "-"), (1.0, DASHED), (2.0, DOTTED)):
        needed = winning_beta(n, lead, rest)
        ax.plot(n, needed, color=ink("ink"), linestyle=dashes, linewidth=2)
        says = "1 point" if lead == 1 else f"{lead:g} points" if lead > 1 else "a lead of half a point"
        label(ax, n[-1], needed[-1], says, "ink", dx=-4, dy=9 if lead < 2 else -34, ha="right")
    for size in (7, 100_000):
        needed, says = winning_beta(size, 0.5, rest), f"n = {grouped(f'{size:,}')}"
        ax.plot(size, needed, "o", color=ink("ink"), markersize=8)
        place = {"dx": -14, "dy": -40} if size > 7 else {"dy": 24, "ha": "center"}
        label(ax, size, needed, says, "ink", **place)
    ax.set(xscale="log", xlim=(1.7, 1.3e6), ylim=(-1, 37), yticks=[0, 10, 20, 30])
    ax.set_xticks([10**k for k in range(1, 6)], ["10", "100", "1000", "10\u202f000", "100\u202f000"])
    ax.minorticks_off()
    fig.show(
        title="The β that a winner needs",
        alt="The β at which one token has nine tenths of the weight, against the number of tokens, which is drawn "
        "in powers of ten. For each lead the curve is nearly a straight line. It is twice as steep for half the "
        "lead.",
        caption="All rivals tie. Powers of ten are equally far apart, and from about ten tokens on the curves are "
        "nearly straight: ten times as many tokens need about log(10)/Δ more β, "
        f"{np.log(10) / 0.5:.1f} at a lead Δ of half a point. Half the lead needs twice the β.",
    )


def log_loss(scores, name):
    """The average log loss against β, where words come as the weights at three other β say."""
    scores = np.asarray(scores)
    beta = np.logspace(-1, 1, 121)
    says = "average log loss, in nats (natural logarithms)"
    fig, ax = canvas(name, x="inverse temperature β, per point", y=says, height=400, left=44)
    for true, dashes, says, height, place in (
        (0.5, DOTTED, "true at β = ½", 2.65, {"dx": -12, "ha": "right"}),
        (1.0, DASHED, "at 1", 2.65, {"dx": 10}),
        (2.0, "-", "true at 2", 0.78, {"ha": "center"}),
    ):
        chances = softmax(scores, true)  # (n,)
        loss = -log_softmax(scores, beta[:, None]) @ chances  # (121, n) @ (n,)
        ax.plot(beta, loss, color=ink("ink"), linestyle=dashes, linewidth=2)
        best = -chances @ log_softmax(scores, true)
        ax.plot(true, best, "o", color=ink("ink"), markersize=8)
        right = beta > true  # beside the rising side, or, where it is lower than the curve, under its lowest point
        at = np.interp(height, loss[right], beta[right]) if height > best else true
        label(ax, at, height, says, "ink", **place)
    even = np.log(len(scores))
    ax.axhline(even, color=ink("quiet"), linewidth=1)
    label(ax, 10.8, even, f"log {len(scores)}", "quiet", dy=-26, ha="right")
    ax.set(xscale="log", xlim=(0.09, 11), ylim=(0.7, 3.6), yticks=[1, 1.5, 2, 2.5, 3, 3.5])
    ax.set_xticks([0.1, 0.5, 1, 2, 10], ["0.1", "½", "1", "2", "10"])
    ax.minorticks_off()
    fig.show(
        title="The log loss is least at the true β",
        alt="Average log loss against β, three valleys. Where words come as the weights at β = ½ say, the lowest "
        "point is at ½; at 1 for β = 1, and at 2 for β = 2. To the right of it the loss rises, and most steeply "
        "where the true β is small. To the left it stays below log 7.",
        caption="Each curve: words come as often as the weights at one β say. A dot marks that β, and there the "
        "loss is least. Right of it weights are overconfident, and the loss rises without a bound. Left of it "
        "the loss stays below log 7, that of even weights.",
    )


def turning(scores, tokens, name):
    """The average score along β, and the scores that it passes: there a weight turns from gain to loss."""
    s = np.asarray(scores, dtype=float)
    beta = np.linspace(0, 6, 121)
    average = softmax(s, beta[:, None]) @ s
    fig, ax = canvas(name, x="inverse temperature β, per point", y="score, points", height=390, right=80)
    for token in ("cat", "milk", "drank", "it"):
        score = s[tokens.index(token)]
        ax.plot([0, 6], [score, score], color=ink("score"), linewidth=1.2, linestyle=DASHED)
        label(ax, 6, score, token, "score", dx=8, dy=-5)
        if average[0] < score < average[-1]:
            at = float(np.interp(score, average, beta))
            ax.plot(at, score, "o", color=ink("ink"), markersize=9)
            if token == "milk":
                turn = at
                label(ax, at, score, f"β = {at:.2f}: milk turns", dx=8, dy=-24)
    ax.plot(beta, average, color=ink("ink"), linewidth=2)
    label(ax, 4.4, np.interp(4.4, beta, average), "the average score", dx=8, dy=-34, ha="center")
    ax.set(xlim=(0, 6), ylim=(0.5, 2.2), xticks=[0, 1, 2, 3, 4, 5, 6], yticks=[0.5, 1, 1.5, 2])
    fig.show(
        title="The average passes one score after another",
        alt="The average score rises with β towards the score of cat, which it never reaches. On the way it "
        f"passes the scores of it, drank and milk; milk at β = {turn:.2f}.",
        caption="While its score is above the curve, a word gains. From its dot on it loses. Cat always gains.",
    )
