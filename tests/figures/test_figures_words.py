"""What the figures say, in full: numbers, and the sentence under each as the book and its notebooks have it."""

import math

import pytest
from gallery import compromise, tell, weights
from in_node import ask

from lib.figures import Compromise

inf = math.inf

# A number in three digits, in three that keep their places, in two decimals, as an amount, as a score.
NUMBERS = [
    (0.0, "0", "0", "0.00", "0.00", "0.0"),
    (1.0, "1", "1.00", "1.00", "1.00", "1.0"),
    (-1.0, "−1", "−1.00", "−1.00", "−1.00", "−1.0"),
    (0.25, "0.25", "0.250", "0.25", "0.25", "0.25"),
    (2.5, "2.5", "2.50", "2.50", "2.50", "2.5"),
    (-0.5, "−0.5", "−0.500", "−0.50", "−0.50", "−0.5"),
    (0.1 + 0.2, "0.3", "0.300", "0.30", "0.30", "0.3"),
    (-0.004, "−0.004", "−0.00400", "0.00", "0.00", "−0.004"),
    (0.005, "0.005", "0.00500", "0.01", "0.01", "0.01"),
    (0.125, "0.125", "0.125", "0.13", "0.13", "0.13"),
    (9.995, "9.99", "9.99", "9.99", "9.99", "9.99"),
    (99.95, "100", "100", "99.95", "99.95", "99.95"),
    (999.4, "999", "999", "999.40", "999.40", "999.4"),
    (999.5, "1000", "1000", "999.50", "999.50", "999.5"),
    (1234.0, "1230", "1230", "1234.00", "1234.00", "1234.0"),
    (12345.0, "12300", "12300", "12345.00", "12300", "12300"),
    (999999.9, "1e6", "1e6", "999999.90", "1e6", "1e6"),
    (1e-4, "0.0001", "0.000100", "0.00", "0.00", "0.0001"),
    (9.99e-5, "9.99e−5", "9.99e−5", "0.00", "0.00", "9.99e−5"),
    (-2.5e8, "−2.5e8", "−2.5e8", "−250000000.00", "−2.5e8", "−2.5e8"),
]
SHARES = [(0, "0%"), (1e-300, "<0.1%"), (0.0009, "<0.1%"), (0.001, "0.1%"), (0.09, "9.0%"), (0.0994, "9.9%")]
SHARES += [(0.0996, "10%"), (1 / 7, "14%"), (0.5, "50%"), (0.994, "99%"), (0.9951, "99.5%"), (0.999, "99.9%")]
SHARES += [(0.9991, ">99.9%"), (1 - 2**-53, ">99.9%"), (1, "100%")]
CHANCES = [
    (1.0, "100%"),
    (0.9961, "99.6%"),
    (0.385, "38.5%"),
    (0.0011, "0.1%"),
    (1e-5, "1.0·10⁻⁵"),
    (4.2e-12, "4.2·10⁻¹²"),
    (9.97e-8, "1.0·10⁻⁷"),
]


def test_numbers_are_written_with_sensible_digits():
    answer = "(x) => [short(x), steady(x), fixed(x, 2), amount(x), scoreText(x)]"
    for (x, *texts), said in zip(NUMBERS, ask(answer, [x for x, *_ in NUMBERS]), strict=True):
        assert said == texts, x
    assert ask("short", [inf, -inf]) == ["∞", "−∞"]


def test_all_and_nothing_are_said_of_nothing_else():
    assert list(zip([x for x, _ in SHARES], ask("percent", [x for x, _ in SHARES]), strict=True)) == SHARES


def test_chances_are_written_however_small():
    logs = [math.log(x) for x, _ in CHANCES] + [-2000.3, -1e5]
    texts = [text for _, text in CHANCES] + ["1.9·10⁻⁸⁶⁹", "3.6·10⁻⁴³⁴³⁰"]
    assert ask("chance", logs, view="can_you_tell") == texts


def only(*places):
    return [i in places for i in range(7)]


SENTENCES = [
    (
        weights(),
        "At β = 1, “cat” gets 37% of the weight.\n"
        "The spread is that of 5.3 equal weights, 0.28 nats from the null.",
    ),
    (weights(0), "At β = 0 the scores do not count: the weights are the null, 14% each."),
    (
        weights(0, prior=[1, 1, 1, 1, 1, 1, 2]),
        "At β = 0 the scores do not count: the weights are the null.",
    ),
    (
        weights(inf),
        "At β = ∞ all the weight is on the highest score, “cat”.\nThat is 1.95 nats from the null.",
    ),
    (
        weights(-inf),
        "At β = −∞ all the weight is on the lowest score, “because”.\nThat is 1.95 nats from the null.",
    ),
    (
        weights(-1),
        "At β = −1 low scores win: “because” gets 40%.\n"
        "The spread is that of 5.2 equal weights, 0.30 nats from the null.",
    ),
    (
        weights(50),
        "At β = 50, “cat” gets >99.9% of the weight.\n"
        "The spread is that of a single weight, 1.95 nats from the null.",
    ),
    (
        weights(0.005),
        "At β = 0.005, “cat” gets 14% of the weight.\n"
        "The spread is that of 7.0 equal weights, 0.00 nats from the null.",
    ),
    (
        weights(0.5, prior=[1, 1, 2, 1, 1, 9, 0]),
        "At β = 0.5, “because” gets 39% of the weight.\n"
        "The spread is that of 4.9 equal weights, 0.12 nats from the null.",
    ),
    (weights(where=only()), "No token takes part, so every weight is 0."),
    (weights(where=only(0)), "Only “the” takes part, so it has all the weight at every β."),
    (weights(where=only(0, 3)), "The scores are equal, so at every β the weights are the null, 50% each."),
    (
        weights(scores=[1.0] * 7, prior=[1, 2, 3, 4, 5, 6, 7]),
        "The scores are equal, so at every β the weights are the null.",
    ),
    (
        weights(where=only(0, 3, 5)),
        "At β = 1, 2 tokens share the lead with 41% each.\n"
        "The spread is that of 2.8 equal weights, 0.06 nats from the null.",
    ),
    (
        weights(inf, where=only(0, 3, 5)),
        "At β = ∞ all the weight is on the highest score, shared equally by the 2 tokens that tie for it.\n"
        "That is 0.41 nats from the null.",
    ),
    (
        weights(inf, where=only(0, 3, 5), prior=[3, 1, 1, 1, 1, 1, 1]),
        "At β = ∞ all the weight is on the highest score, shared in proportion to the null by the 2 tokens that "
        "tie for it.\nThat is 0.22 nats from the null.",
    ),
    (
        weights(inf, where=only(0, 2, 4, 6)),
        "At β = ∞ all the weight is on the highest score, “milk”.\nThat is 1.39 nats from the null.",
    ),
    (weights(plain=True), "At β = 1, “cat” gets 37% of the weight."),
    (weights(0, plain=True), "At β = 0 the scores do not count: the weights are equal, 14% each."),
    (weights(inf, plain=True), "At β = ∞ all the weight is on the highest score, “cat”."),
    (
        weights(where=only(0, 3), plain=True),
        "The scores are equal, so at every β the weights are equal, 50% each.",
    ),
    (
        weights(0.5, prior=[1, 1, 2, 1, 1, 9, 0], plain=True),  # what has a null says so
        "At β = 0.5, “because” gets 39% of the weight.\n"
        "The spread is that of 4.9 equal weights, 0.12 nats from the null.",
    ),
    (
        compromise(),
        "At 1 point a nat the best is 0.10 nats from the null: “cat” 52%, “milk” 32%, “it” 16%.\n"
        "Each weight is above 0, as at every finite β.",
    ),
    (
        compromise(beta=0.4, prior=[2, 3, 5]),
        "At 2.5 points a nat the best is 0.02 nats from the null: “cat” 26%, “milk” 33%, “it” 41%.\n"
        "Each weight is above 0, as at every finite β.",
    ),
    (compromise(beta=0), "At β = 0 no score is worth any divergence: the weights stay at the null."),
    (
        compromise(beta=inf),
        "At β = ∞ divergence is free: all the weight is on “cat”, 1.10 nats from the null.",
    ),
    (
        Compromise(["a", "b", "c"], [1, 3, 2], beta=inf),
        "At β = ∞ divergence is free: all the weight is on “b”, 1.10 nats from the null.",
    ),
    (
        compromise(beta=inf, divergence="euclidean"),
        "At β = ∞ divergence is free: all the weight is on “cat”, 0.33 from the null.",
    ),
    (
        compromise(beta=0.5, divergence="tsallis"),
        "At 2 points a unit the best is 0.05 from the null: “cat” 50%, “milk” 34%, “it” 16%.\n"
        "No weight is exactly 0 yet.",
    ),
    (
        compromise(beta=1.7, divergence="euclidean"),
        "At 0.588 points a unit the best is 0.26 from the null: “cat” 93%, “milk” 7.5%, “it” 0%.\n"
        "An edge at a finite β: “it” has exactly 0.",
    ),
    (
        compromise(beta=100, divergence="tsallis"),
        "At 0.01 points a unit the best is 0.56 from the null: “cat” 100%, “milk” 0%, “it” 0%.\n"
        "A corner at a finite β: two have exactly 0.",
    ),
    (
        compromise(mode="budget", epsilon=0.3),
        "A budget of 0.3 nats is spent in full: “cat” 67%, “milk” 26%, “it” 6.8%.\n"
        "A little more is worth 0.523 points a nat: the price 1/β.",
    ),
    (
        compromise(mode="budget", epsilon=0.1, divergence="euclidean"),
        "A budget of 0.1 is spent in full: “cat” 63%, “milk” 37%, “it” 0.1%.\n"
        "A little more is worth 1.91 points a unit: the price 1/β.",
    ),
    (compromise(mode="budget", epsilon=0), "A budget of 0 nats allows nothing but the null."),
    (
        compromise(mode="budget", epsilon=inf),
        "A budget of ∞ nats is enough for all the weight on “cat”, which takes 1.10.\n"
        "More would buy nothing: β = ∞.",
    ),
    (
        Compromise(["a", "b", "c"], [1, 1, 0], mode="budget", epsilon=2),
        "A budget of 2 nats is enough for all the weight on the 2 best tokens, which takes 0.41.\n"
        "More would buy nothing: β = ∞.",
    ),
    (
        Compromise(["a", "b", "c"], [1, 1, 1], prior=[1, 2, 3]),
        "The scores are equal, so the best choice is the null itself.",
    ),
    (
        tell(),
        "At β = 1 and m = 20, with neither held, false alarms are 4.5% and misses 4.0%.\n"
        "Their sum has an exponent of 0.124 nats a word, on its way to Chernoff’s 0.0742.",
    ),
    (
        tell(m=1, hold="misses"),
        "At β = 1 and m = 1, with misses held at 5%, the fewest false alarms are 80.4%.\n"
        "That is an exponent of 0.218 nats a word, on its way to KL(π‖u) = 0.277.",
    ),
    (
        tell(m=3, hold="false alarms"),
        "At β = 1 and m = 3, with false alarms held at 5%, the fewest misses are 64.8%.\n"
        "That is an exponent of 0.144 nats a word, on its way to KL(u‖π) = 0.312.",
    ),
    (
        tell(beta=0.5, m=1000),
        "At β = 0.5 and m = 1000, with neither held, false alarms are 1.2·10⁻¹⁰ and misses 1.1·10⁻¹⁰.\n"
        "Their sum has an exponent of 0.0222 nats a word, on its way to Chernoff’s 0.0201.",
    ),
    (
        tell(beta=10, m=5, hold="false alarms"),
        "At β = 10 and m = 5, with false alarms held at 5%, the fewest misses are 5.7·10⁻¹³.\n"
        "That is an exponent of 5.64 nats a word, on its way to KL(u‖π) = 10.6.",
    ),
    (
        tell(beta=2, m=1000, hold="misses"),
        "At β = 2 and m = 1000, with misses held at 5%, the fewest false alarms are 3.7·10⁻³¹⁴.\n"
        "That is an exponent of 0.722 nats a word, on its way to KL(π‖u) = 0.766.",
    ),
]


@pytest.mark.parametrize(("figure", "sentence"), SENTENCES, ids=[str(i) for i in range(len(SENTENCES))])
def test_the_sentence_says_the_state(draw, figure, sentence):
    assert draw.sentence(figure._repr_html_()) == sentence
