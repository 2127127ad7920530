"""The static plot of the chapter on tests: errors that are computed, simulated and bounded."""

import numpy as np

from lib import kl_divergence, softmax
from lib.book.plots import canvas, ink, label, show
from lib.book.tell.bounds import bretagnolle_huber, pinsker
from lib.figures import tell

DASHED, DOTTED = (0, (6, 3)), (0, (1, 2.5))
LOWEST = 2e-4


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

    fig, ax = canvas(x="tokens seen m", y="sum of the two errors", height=460, left=70)
    ax.plot(fine, above, color=ink("quiet"), linestyle=DASHED, linewidth=1.5)
    ax.plot(m, exact, color=ink("weight"), linewidth=2)
    ax.plot(seen, counted, "o", color=ink("ink"), markersize=6)
    ax.plot(fine[flat > LOWEST], flat[flat > LOWEST], color=ink("minus"), linestyle=DOTTED, linewidth=2)
    ax.plot(fine, curved, color=ink("plus"), linestyle=DASHED, linewidth=2)
    at = np.exp(-19 * tell.limit(scores, beta, "neither"))
    label(ax, 19, at, "never more than this (Chernoff)", "quiet", dy=9)
    label(ax, 23, exact[22], "the best test, and simulated", "weight", dx=-4, dy=-20, ha="right")
    label(ax, 7.1, 0.004, "Pinsker", "minus", dx=-8, ha="right")
    label(ax, 15, bretagnolle_huber(15 * forward), "Bretagnolle and Huber", "plus", dx=10, dy=8)
    ax.set(xlim=(0, 31), ylim=(LOWEST, 1.3), yscale="log")
    ax.set_xticks([0, 5, 10, 15, 20, 25, 30])
    ax.set_yticks([1e-3, 1e-2, 1e-1, 1], ["0.001", "0.01", "0.1", "1"])
    ax.minorticks_off()
    show(
        fig,
        name,
        title="The least sum of errors, and its bounds",
        alt="The least sum of the two errors against the number of tokens, on a logarithmic scale: from about "
        "two thirds at one token it falls, nearly on a straight line, to a few hundredths at thirty, and "
        "simulated tests lie on it. A straight line bounds it from above. Pinsker's bound lies below it and "
        "drops to zero after seven tokens. Bretagnolle and Huber's bound falls on a steeper line, far below it "
        "at thirty tokens.",
        caption="What the best test comes to on the running example at β = 1 (line: exact; dots: 200 000 "
        "simulated runs each), and the two bounds with KL(π‖u), below which no test gets. The line above it "
        "falls with Chernoff's exponent; by the steps above, the best test never exceeds it at any m.",
    )
