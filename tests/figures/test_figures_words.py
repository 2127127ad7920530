"""What the figures say, in full: numbers, and the sentence under each as the book and its notebooks have it."""

import math

from in_node import ask

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
