"""The checks of the chapter *exponential*."""

import numpy as np
from scipy.stats import gumbel_r, norm

from book.claims import claim, fails, largest, measures, says, smallest
from book.example import SCORES, TOKENS, n, pi, s
from book.exponential.rivals import (
    backwards,
    cubes,
    even,
    favourite,
    log_ratios_for_gaps,
    sharper_in_company,
    two_softmaxes,
    wavy,
)
from book.figures import Race
from book.noisy_choice import chances_to_win, error_bound
from book.other_divergences import total_variation
from book.solver import slope
from book.squares import squares
from book.wishes import broken_wishes
from lib import softmax, sparsemax


@claim("exponential-luce", "A10")
@says(
    "For positive f on gaps of up to 2.6 points, in steps of 0.1, f(x + a) = f(x) f(a) and f(½) = e^½ leave only "
    "softmax at β = 1 as the weights of the example: five solutions, drawn at random from all, give nothing else."
)
@measures("largest difference of two weights", at_most=1e-9)
@fails("with f(−x) = 1/f(x) alone, which is all that two tokens ask", third_token=False)
def largest_gap_of_rules(third_token=True):
    tenths = np.rint(10 * (s - s[0])).astype(int)  # the gaps to the first token, in steps of 0.1
    steps, rng = 26, np.random.default_rng(3)
    basis = log_ratios_for_gaps(steps, third_token)  # (solutions, gaps)
    for _ in range(5):
        logs = rng.normal(size=len(basis)) @ basis  # some solution, for each gap
        logs *= 0.5 / logs[steps + 5]  # with the ratio that softmax gives to a gap of half a point
        ratios = np.exp(logs[tenths + steps])
        yield ratios / ratios.sum() - pi


@claim("exponential-kept")
@says(
    "On 1,000 random rows of seven scores from −1.5 to 4 softmax keeps all four wishes, the third for any "
    "of 20 random numbers added to all scores."
)
@measures("largest breach of a wish", at_most=1e-12)
@fails("with a wave that repeats at each point added to the scores, which a shift by 1 does not show", rule=wavy)
def largest_breach(rule=softmax):
    rows = np.random.default_rng(1).uniform(-1.5, 4.0, size=(1_000, 7))
    return largest(broken_wishes(rule, rows))


@claim("exponential-rivals")
@says(
    "Squares change the ratio of cat to milk when everybody gets a point more, and sparsemax when drank comes "
    "close; softmax keeps it both times."
)
@measures(
    "the smaller of the two rivals' changes, as a factor, if softmax keeps its ratio to rounding", at_least=1.2
)
@fails(
    "with the first score subtracted from all, for sparsemax, and nothing changed, for squares",
    moved=(s - s[0], s),
)
def smallest_change(moved=(np.where(np.arange(7) == 2, 1.9, s), s + 1)):
    def factor(rule, scores):
        before, after = (np.log(w[1] / w[4]) for w in (rule(s), rule(scores)))
        return np.exp(abs(after - before))

    steady = np.abs([np.log(factor(softmax, scores)) for scores in moved]).max() < 1e-12
    return smallest([factor(sparsemax, moved[0]), factor(squares, moved[1])]) if steady else np.nan


@claim("exponential-needed")
@says(
    "Of the four wishes the mean of two softmaxes and a β that grows with the number of words break the first "
    "alone, a favourite the second, cubes of the scores and a wave that repeats at each point the third (for any "
    "of 20 random shifts), a negative β and equal weights the fourth."
)
@measures("smallest breach of the wish that is broken, if all others are kept to rounding", at_least=0.01)
@fails("with softmax at β = 1 for the last", last=softmax)
def smallest_breach(last=even):
    rows = np.random.default_rng(2).normal(size=(300, 7))
    rivals = {two_softmaxes: 0, sharper_in_company: 0, favourite: 1, cubes: 2, wavy: 2, backwards: 3, last: 3}
    breaches = np.array([broken_wishes(rule, rows) for rule in rivals])  # (rules, 4)
    broken = np.eye(4, dtype=bool)[list(rivals.values())]
    return breaches[broken].min() if (breaches[~broken] < 1e-9).all() else np.nan


@claim("exponential-likelihood")
@says("The logarithm of the weight of class i has the slope 1 − πᵢ in its own score and −πⱼ in another.")
@measures("largest error of a slope, for 200 random rows of five scores", at_most=1e-7)
@fails("without the 1 for the class that was observed", own=0.0)
def largest_error_of_likelihood(own=1.0):
    rows, one = np.random.default_rng(4).normal(size=(200, 5)), np.eye(5)
    for j in (0, 3):  # the class that was observed, 0, and another
        rate = slope(lambda x, j=j: np.log(softmax(rows + x * one[j])[:, 0]), 0.0, h=1e-5)
        yield rate - (own * (j == 0) - softmax(rows)[:, j])


@claim("exponential-gumbel", "A10")
@says(
    "The example's chances to win under Gumbel noise, by numerical integration, are softmax at β = 1/size, "
    "for sizes 2, 1 and ¼."
)
@measures("largest difference of a chance and a weight", at_most=1e-9)
@fails("with normal noise of the same standard deviation", form=norm)
def largest_error_in_chances(form=gumbel_r):
    spread = 1 if form is gumbel_r else np.pi / 6**0.5
    for beta in (0.5, 1.0, 4.0):
        yield chances_to_win(s, form(scale=spread / beta)) - softmax(s, beta)


@claim("exponential-race", "A10")
@says(
    "In 100\u202f000 races of the figure the shares of wins are softmax, within a bound that fails at most "
    "one time in 10⁹."
)
@measures(
    "total variation (half the sum of the absolute differences) between shares and weights",
    at_most=error_bound(100_000, n),
)
@fails("with normal noise of the same standard deviation", noise="normal")
def distance_of_wins(noise="Gumbel"):
    return total_variation(np.array(Race(TOKENS, SCORES, noise=noise, races=100_000).wins) / 100_000, pi)
