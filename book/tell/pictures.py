"""The static plots of the chapter on tests: evidence that adds up, errors that fall, and their bounds."""

import numpy as np

from book.figures import tell
from book.plots import canvas, ink, label
from book.tell.bounds import bretagnolle_huber, pinsker
from lib import kl_divergence, softmax

DASHED, DOTTED, DASH_DOT = (0, (6, 3)), (0, (1, 2.5)), (0, (6, 2, 1.2, 2))
LOWEST = 2e-4


def walks(scores, beta, name, words=60, runs=6, seed=4):
    """Running sums of log-ratios, of words from π and of words from u, and the lines that they follow."""
    scores = np.asarray(scores, dtype=float)
    u, pi = softmax(scores, 0.0), softmax(scores, beta)
    log_ratio = np.log(pi / u)  # (n,)
    rng = np.random.default_rng(seed)
    m = np.arange(words + 1)
    fig, ax = canvas(name, x="words seen m", y="sum of the log-ratios, nats", height=400, right=138)
    for weights, kind in ((pi, "weight"), (u, "quiet")):
        for _ in range(runs):
            sums = np.cumsum(log_ratio[rng.choice(len(scores), size=words, p=weights)])
            ax.plot(m, np.append(0, sums), color=ink(kind), linewidth=0.9, alpha=0.6)
        slope = weights @ log_ratio
        ax.plot(m, slope * m, color=ink(kind), linewidth=2.5)
        label(ax, words, slope * words, "m KL(π‖u)" if slope > 0 else "−m KL(u‖π)", kind, dx=8, dy=-4)
    ax.axhline(0, color=ink("line"), linewidth=1)
    label(ax, 2, 15.5, "words from π", "weight")
    label(ax, 2, -17.5, "words from u", "quiet")
    ax.set(xlim=(0, words), xticks=np.arange(0, words + 1, 10), ylim=(-28, 26))
    fig.show(
        title="The evidence adds up",
        alt=f"Running sums of log-ratios against the number of words. {runs} runs with words from π climb along a "
        f"straight line of slope KL(π‖u), {runs} runs with words from u sink along a line of slope −KL(u‖π). "
        "After the first few words the two kinds stay apart.",
        caption=f"The sum of the log-ratios while words are drawn, {runs} times from π and {runs} times from u. "
        "Each kind wanders about a straight line. The slopes of the two lines are the two divergences.",
    )


def falling(scores, beta, name):
    """The two errors against the number of words, each with the other held at 5%."""
    m = np.arange(1, 101)
    fig, ax = canvas(name, x="words seen m", y="chance of the error that is not held", height=380, left=70)
    for hold, kind, style in (("misses", "quiet", "-"), ("false alarms", "weight", DASHED)):
        least = [np.exp(tell.log_least_error(scores, beta, int(k), hold=hold)) for k in m]
        ax.plot(m, least, color=ink(kind), linestyle=style, linewidth=2)
    label(ax, 100, 4e-5, "false alarms", "quiet", ha="right")
    label(ax, 67, 2e-8, "misses", "weight", ha="right")
    ax.set(xlim=(0, 101), ylim=(1e-10, 1.5), yscale="log")
    ax.set_xticks([0, 20, 40, 60, 80, 100])
    ax.set_yticks([1e-9, 1e-6, 1e-3, 1], ["10⁻⁹", "10⁻⁶", "0.001", "1"])
    ax.minorticks_off()
    fig.show(
        title="Hold one error, and the other falls",
        alt="Two chances of error against the number of words, on a logarithmic scale, from 1 to 100 words. The "
        "solid line, false alarms with misses held at 5%, and the dashed line, misses with false alarms held at "
        "5%, start together and fall nearly straight. The dashed one falls a little faster: at 100 words it is "
        "about a fifth of the other.",
        caption="On the running example at β = 1, exactly. On this scale a straight line divides by the same "
        "factor with every word. The dashed line is a little steeper: KL(u‖π) is a little larger than KL(π‖u).",
    )


def between(scores, beta, name):
    """How far the softmaxes on the way from u to π are from either end: the exponents of the two errors."""
    scores = np.asarray(scores, dtype=float)
    u, pi = softmax(scores, 0.0), softmax(scores, beta)
    x = np.linspace(0, beta, 201)
    p = softmax(scores, x[:, None])  # (201, n)
    from_u, from_pi = kl_divergence(p, u), kl_divergence(p, pi)
    even, height = tell.tilt(scores, beta, "neither"), tell.limit(scores, beta, "neither")
    fig, ax = canvas(name, x="inverse temperature of p, from u to π", y="exponent, nats per word", height=380)
    ax.plot(x, from_u, color=ink("quiet"), linewidth=2)
    ax.plot(x, from_pi, color=ink("weight"), linestyle=DASHED, linewidth=2)
    top = max(from_u.max(), from_pi.max())
    ax.plot([even, even], [height, 0.39 * top], color=ink("quiet"), linewidth=1)
    ax.plot(even, height, "o", color=ink("ink"), markersize=8)
    label(ax, even, 0.42 * top, "Chernoff’s\nexponent", ha="center")
    label(ax, 0.85 * beta, 0.7 * top, "of false alarms:\nKL(p‖u)", "quiet", dx=-8, ha="right")
    label(ax, 0.2 * beta, 0.7 * top, "of misses:\nKL(p‖π)", "weight", dx=4)
    ax.set(xlim=(-0.01 * beta, 1.01 * beta), ylim=(0, 1.08 * top), yticks=[0, 0.1, 0.2, 0.3])
    fig.show(
        title="What each place of the bar costs",
        alt="Two exponents against the inverse temperature of p, from 0, where p is u, to β, where p is π. The "
        "exponent of the false alarms, KL(p‖u), rises from 0 to KL(π‖u). The exponent of the misses, KL(p‖π), "
        "falls from KL(u‖π) to 0. They cross near the middle, at about a quarter of their height at the ends: at "
        "Chernoff's exponent.",
        caption="Each p is a softmax between u and π, and stands for a bar where the sums of words from p lie. At "
        "the ends one error is held and the other falls as fast as it can. At the crossing both fall alike.",
    )


def simulated_sum(scores, beta, m, runs, rng):
    """How often the best test is wrong on tokens from u, and how often on tokens from π, added up."""
    bar = tell.best_test(scores, beta, m, hold="neither").bar - 0.05  # it says π at the bar, too
    alarms = tell.simulated(scores, softmax(scores, 0.0), m, bar, runs, rng)
    return alarms + 1 - tell.simulated(scores, softmax(scores, beta), m, bar, runs, rng)


def errors(scores, beta, name, runs=200_000):
    """The least sum of errors against m: exact, simulated, and between its bounds."""
    scores = np.asarray(scores, dtype=float)
    null, weights = softmax(scores, 0.0), softmax(scores, beta)
    m = np.arange(1, 31)
    exact = [np.exp(tell.log_least_error(scores, beta, int(k), hold="neither")) for k in m]
    rng = np.random.default_rng(3)
    seen = np.array([1, 2, 5, 10, 15, 20, 25, 30])
    counted = [simulated_sum(scores, beta, int(k), runs, rng) for k in seen]
    fine = np.linspace(0, 30, 1201)
    forward = kl_divergence(weights, null)
    flat, curved = pinsker(fine * forward), bretagnolle_huber(fine * forward)
    above = np.exp(-fine * tell.limit(scores, beta, "neither"))

    fig, ax = canvas(name, x="words seen m", y="sum of the two errors", height=460, left=70)
    ax.plot(fine, above, color=ink("quiet"), linestyle=DASHED, linewidth=1.5)
    ax.plot(m, exact, color=ink("ink"), linewidth=2.5)
    ax.plot(seen, counted, "o", color=ink("ink"), markersize=6)
    ax.plot(fine[flat > LOWEST], flat[flat > LOWEST], color=ink("quiet"), linestyle=DOTTED, linewidth=2)
    ax.plot(fine, curved, color=ink("quiet"), linestyle=DASH_DOT, linewidth=2)
    at = np.exp(-17 * tell.limit(scores, beta, "neither"))
    label(ax, 17, at, "Chernoff: never more", "quiet", dy=9)
    label(ax, 22, exact[21], "the best test", "ink", dx=-4, dy=-26, ha="right")
    label(ax, 7.1, 0.004, "Pinsker", "quiet", dx=-8, ha="right")
    label(ax, 17, bretagnolle_huber(17 * forward), "Bretagnolle and Huber", "quiet", dx=6, dy=8)
    ax.set(xlim=(0, 31), ylim=(LOWEST, 1.3), yscale="log")
    ax.set_xticks([0, 5, 10, 15, 20, 25, 30])
    ax.set_yticks([1e-3, 1e-2, 1e-1, 1], ["0.001", "0.01", "0.1", "1"])
    ax.minorticks_off()
    fig.show(
        title="The least sum of errors, and its bounds",
        alt="The least sum of the two errors against the number of words, on a logarithmic scale: from about "
        "two thirds at one word it falls, nearly on a straight line, to a few hundredths at thirty, and "
        "simulated tests lie on it. A straight line bounds it from above. Pinsker's bound lies below it and "
        "drops to zero after seven words. Bretagnolle and Huber's bound falls on a steeper line, far below it "
        "at thirty words.",
        caption="What the best test comes to on the running example at β = 1 (line: exact; dots: 200\u202f000 "
        "simulated runs each), and the two bounds with KL(π‖u), below which no test gets. The line above it "
        "falls with Chernoff's exponent, and the best test is never above it.",
    )
