"""What the tests of *can you tell?* come to, in words: the twin of js/tell_words.js."""

import math

from .words import fixed, percent, short, steady

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LEAST = {"misses": "false alarms", "false alarms": "misses", "neither": "their sum"}
LIMITS = {"misses": "KL(π‖u)", "false alarms": "KL(u‖π)", "neither": "Chernoff’s"}


def chance(log: float) -> str:
    """A chance from its logarithm, however small: 9.1%, 4.2·10⁻¹²."""
    if log > math.log(0.001):
        return percent(math.exp(log))
    power = math.floor(log / math.log(10))
    digits = fixed(math.exp(log - power * math.log(10)), 1)
    if digits == "10.0":
        power, digits = power + 1, "1.0"
    return f"{digits}·10⁻{str(-power).translate(RAISED)}"


def sentence(beta, m, hold, test, exponent, limit) -> str:
    """What the test with `hold` held comes to on m tokens, and what its exponent is on its way to."""
    alarms, misses = chance(test.log_false_alarm), chance(test.log_miss)
    found = {
        "misses": f"misses held at 5%, the fewest false alarms are {alarms}.\nThat is",
        "false alarms": f"false alarms held at 5%, the fewest misses are {misses}.\nThat is",
        "neither": f"neither held, false alarms are {alarms} and misses {misses}.\nTheir sum has",
    }
    return (
        f"At β = {short(beta)} and m = {m}, with {found[hold]} an exponent of {steady(exponent)} nats a token, "
        f"on its way to {LIMITS[hold]} {'' if hold == 'neither' else '= '}{steady(limit)}."
    )
