"""The checks of the chapter *tell*."""

from itertools import product

import numpy as np

from book.claims import claim, fails, largest, measures, says
from book.example import SCORES, n, pi, s, u
from book.figures import tell
from book.tell import bounds, listed
from lib import kl_divergence, log_partition, softmax


def error(m, hold, beta=1.0):
    """The least chance of one error when the other is held at 5%; with neither held, of their sum."""
    return np.exp(tell.log_least_error(SCORES, beta, m, hold=hold))


halving = 0.5 ** np.arange(n)[::-1]  # (n,), from the first token to the last, which asks


def log_mean(b):
    """log Z at b: the logarithm of the null's average of e^(bs), which is 0 at b = 0."""
    return b * log_partition(s, b) if b else 0.0


def gap(b):
    """b log Z(β) − log Z(bβ) at β = 1: at its largest over b it is Chernoff's exponent."""
    return b * (log_partition(s, 1.0) - log_partition(s, b))


def largest_share(bound, up_to):
    """The bound over the least sum of errors, at its largest, with divergences below `up_to`."""
    shares = []
    for beta in (0.25, 1.0, 4.0):
        weights = softmax(s, beta)
        for divergence in (kl_divergence(weights, u), kl_divergence(u, weights)):
            shares += [
                bound(m * divergence) / error(m, "neither", beta)
                for m in (1, 2, 3, 5, 7, 10, 20, 50, 100)
                if not m * divergence >= up_to  # NaN counts
            ]
    for p, r in bounds.pairs():
        shares += [
            bound(one) / np.minimum(p, r).sum()
            for one in (kl_divergence(p, r), kl_divergence(r, p))
            if not (one == 0 or one >= up_to)
        ]
    return largest(shares)


@claim("tell-best", "A4")
@says(
    "At β = 1, among all rules for three words with no more false alarms, coins included, none misses "
    "less than the one that adds up scores, with the uniform null and with another one, which halves with "
    "every word further back."
)
@measures(
    "largest excess of its misses over the least that a solver finds among all rules, at six chances of "
    "a false alarm",
    at_most=1e-9,
)
@fails("with scores rounded down to fifths of a point before they are added", values=np.round(10 * s) // 2)
def largest_excess(values=s):
    excess = []
    for null in (u, halving / halving.sum()):
        under_u, under_pi = listed.sequences(null, 3), listed.sequences(softmax(s, prior=null), 3)  # (n³,) each
        for level in (0.01, 0.05, 0.1, 0.3, 0.5, 0.8):
            misses = listed.misses_above_a_bar(listed.sums(values, 3), under_u, under_pi, level)
            excess.append(misses - listed.fewest_misses(under_u, under_pi, level))
    return largest(excess)


@claim("tell-nineteen")
@says("Both errors of a test on the running example at β = 1 can be at most 5% from 19 words on, not from fewer.")
@measures(
    "fewest words with both errors at most 5% (infinity unless they stay so up to 100 words)",
    equal_to=19,
    within=0,
)
@fails(
    "if, with misses held, the false alarms were e to the −m KL(π‖u)",
    alarms=lambda m: np.exp(-m * kl_divergence(pi, u)),
)
def words_needed(alarms=lambda m: error(m, "misses")):
    good = [alarms(m) <= 0.05 for m in range(1, 101)]
    return good.index(True) + 1 if all(good[good.index(True) :]) else np.inf


@claim("tell-simulated", "A4")
@says(
    "At β = 1, simulated tests on 5, 10, 20 and 40 words are wrong as often as computed, in either way, "
    "up to four standard errors."
)
@measures("largest deviation of eight counted rates from the exact ones, in standard errors", at_most=4)
@fails("with false alarms counted on words drawn at β = 0.05", null=softmax(s, 0.05))
def largest_deviation(null=u, runs=200_000):
    rng = np.random.default_rng(5)
    for m in (5, 10, 20, 40):
        test = tell.best_test(SCORES, 1.0, m, hold="neither")
        bar = test.bar - 0.05  # at the bar itself it says π
        for drawn_from, log_exact in ((null, test.log_false_alarm), (pi, test.log_miss)):
            says_pi = tell.simulated(s, drawn_from, m, bar, runs, rng)
            exact, counted = np.exp(log_exact), says_pi if drawn_from is null else 1 - says_pi
            yield (counted - exact) / np.sqrt(exact * (1 - exact) / runs)


@claim("tell-stein", "A4")
@says(
    "On the running example at β = 1, with 100\u202f000 words, each exponent is within 2% of its own "
    "divergence, whether the other error is held at 5% or at 95%."
)
@measures("largest of the four relative distances", at_most=0.02)
@fails("with the two divergences exchanged", swap=True)
def largest_distance(swap=False):
    own = {"misses": kl_divergence(pi, u), "false alarms": kl_divergence(u, pi)}
    other = {"misses": "false alarms", "false alarms": "misses"}
    for hold, level in product(own, (0.05, 0.95)):
        rate = tell.exponent(s, 1.0, 100_000, hold=hold, level=level)
        yield abs(rate / own[other[hold] if swap else hold] - 1)


@claim("tell-chernoff", "A4")
@says(
    "On the running example at β = 1, from 1 to 100\u202f000 words in powers of ten, the exponent of the "
    "least sum of errors is above Chernoff's, by less and less: by at most 0.1% at the end."
)
@measures(
    "relative distance from Chernoff's exponent at the end, or infinity if it ever grows or falls below 0",
    at_most=0.001,
)
@fails("with b = ½ in place of the best b", end=gap(0.5))
def distance_from_chernoff(end=None):
    end = tell.limit(s, 1.0, "neither") if end is None else end
    away = np.array([tell.exponent(s, 1.0, m, hold="neither") / end - 1 for m in 10 ** np.arange(6)])
    return away[-1] if (np.diff(away) < 0).all() and away[-1] > 0 else np.inf


@claim("tell-between")
@says("The largest b log Z(β) − log Z(bβ) is the divergence from u, and from π, of one softmax in between.")
@measures(
    "largest gap between the two divergences and the largest b log Z(β) − log Z(bβ), at β = ¼, 1 and 4, in nats",
    at_most=1e-9,
)
@fails("with the softmax at half of β", between=lambda beta: beta / 2)
def gap_between(between=lambda beta: tell.tilt(SCORES, beta, "neither")):
    b = np.linspace(0, 1, 100_001)
    for beta in (0.25, 1.0, 4.0):
        most = (b * beta * (log_partition(s, beta) - log_partition(s, b[:, None] * beta))).max()
        p = softmax(s, between(beta))
        yield from [abs(kl_divergence(p, end) - most) for end in (u, softmax(s, beta))]


@claim("tell-trade", "A4")
@says(
    "With the bar where the sums of words from the softmax p at ¼, ½ or ¾ lie, 100\u202f000 words, β = 1, the "
    "false alarms fall with the exponent KL(p‖u) and the misses with KL(p‖π), up to 2%."
)
@measures("largest of the six relative distances", at_most=0.02)
@fails("with the two divergences exchanged", swap=True)
def largest_distance_between(swap=False, m=100_000):
    for between in (0.25, 0.5, 0.75):
        p = softmax(s, between)
        sums, chances = tell.score_sum(s, p, m)  # drawn from p, and weighed as if drawn from u or from π
        over, ends = sums > m * (p @ s), (pi, u) if swap else (u, pi)
        limits = [kl_divergence(p, end) for end in ends]
        for end, wrong, limit in zip((0.0, 1.0), (over, ~over), limits, strict=True):
            log_ratio = (end - between) * sums - m * (log_mean(end) - log_mean(between))
            logs = log_ratio[wrong & (chances > 0)] + np.log(chances[wrong & (chances > 0)])
            yield abs(-np.logaddexp.reduce(logs) / m / limit - 1)


@claim("tell-pinsker", "A4")
@says("Where Pinsker's bound is above 0, the best test's errors sum to at least that, with either divergence.")
@measures(
    "largest ratio of the bound to the least sum of errors, at β = ¼, 1 and 4 and on one word from 2000 "
    "random pairs of distributions and 30 pairs of which one is sure of a word",
    at_most=1,
)
@fails("with the divergence over 2.1 in place of 2", bound=lambda divergence: 1 - np.sqrt(divergence / 2.1))
def pinskers_share(bound=bounds.pinsker):
    return largest_share(bound, up_to=2)


@claim("tell-huber", "A4")
@says("The best test's errors sum to at least 1 − √(1 − e^(−m KL)), with either divergence.")
@measures(
    "largest ratio of the bound to the least sum of errors, at β = ¼, 1 and 4 and on one word from 2000 "
    "random pairs of distributions and 30 pairs of which one is sure of a word",
    at_most=1,
)
@fails("with 95% of the divergence", bound=lambda divergence: bounds.bretagnolle_huber(0.95 * divergence))
def hubers_share(bound=bounds.bretagnolle_huber):
    return largest_share(bound, up_to=np.inf)


@claim("tell-indifferent", "A10")
@says("With the uniform null, reordering the scores reorders the weights.")
@measures("largest change of a weight over 100 random orders, at β = ¼, 1 and 4", at_most=1e-15)
@fails("with a null that halves with every step back and is not reordered", null=halving)
def largest_change(null=u):
    orders = np.random.default_rng(6).permuted(np.tile(np.arange(n), (100, 1)), axis=1)  # (100, n)
    for beta in (0.25, 1.0, 4.0):
        yield softmax(s[orders], beta, prior=null) - softmax(s, beta, prior=null)[orders]


@claim("tell-mask")
@says("Softmax with a mask is softmax with a null that is 0 where the mask rules out and uniform elsewhere.")
@measures("largest difference of a weight, at β = ¼, 1 and 4", at_most=1e-15)
@fails("with small entries in place of zeros", low=0.01)
def distance_from_mask(low=0.0):
    admitted = np.arange(n) % 3 > 0
    null = np.where(admitted, 1.0, low)
    for beta in (0.25, 1.0, 4.0):
        yield softmax(s, beta, where=admitted) - softmax(s, beta, prior=null / null.sum())


@claim("tell-alibi")
@says(
    "Softmax of βs less a constant times the distance is softmax with a null that falls by one factor a "
    "step, the same at β = ½ and 4."
)
@measures("largest difference of a weight, for two constants", at_most=1e-15)
@fails("with the bias multiplied by β", power=1)
def distance_from_alibi(power=0):
    distance = np.arange(n)[::-1]  # (n,)
    for beta, a in product((0.5, 4.0), (0.1, 0.7)):
        yield softmax(beta * s - beta**power * a * distance) - softmax(s, beta, prior=np.exp(-a * distance))
