"""Numbers as text, and the sentence under the static picture: the twin of js/words.js."""

import math
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

import lib

_MINUS = "−"


def _rounded(x: float, digits: int) -> str:
    # As JavaScript does: exact decimal value, halves away from zero.
    return str(Decimal(x).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def _significant(x: float, digits: int = 3) -> str:
    if x == 0:
        return "0"
    exponent = Decimal(x).adjusted()
    text = _rounded(x, digits - 1 - exponent)
    if Decimal(text).adjusted() > exponent:  # 9.999 became 10.00
        text = _rounded(x, digits - 2 - exponent)
    return f"{Decimal(text):f}"


def fixed(x: float, digits: int) -> str:
    text = _rounded(x, digits)
    return text.replace("-", "" if float(text) == 0 else _MINUS)


def short(x: float) -> str:
    """Three significant digits without trailing zeros."""
    if math.isinf(x):
        return "∞" if x > 0 else f"{_MINUS}∞"
    text = _significant(x)
    size = abs(float(text))
    if size == 0 or 1e-4 <= size < 1e6:
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, exponent = f"{float(text):.2e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    return text.replace("-", _MINUS, 1)


def steady(x: float) -> str:
    return _significant(x).replace("-", _MINUS) if 1e-4 <= abs(x) < 999.5 else short(x)


def amount(x: float) -> str:
    return short(x) if abs(x) >= 1e4 else fixed(x, 2)


def score_text(x: float) -> str:
    if abs(x) >= 1e4 or 0 < abs(x) < 0.005:
        return short(x)
    return fixed(x, 2).removesuffix("0")


def percent(w: float) -> str:
    if w in (0, 1):
        return "100%" if w else "0%"
    p = 100 * w
    if p < 0.1:
        return "<0.1%"
    if p > 99.9:
        return ">99.9%"
    return _rounded(p, 1 if p < 9.95 or p >= 99.5 else 0) + "%"


def _equal(row) -> bool:
    return row.min() == row.max()


def sentence(tokens, scores, beta, prior, where) -> str:
    """The state of *β and the weights* in plain words."""
    options = {
        "prior": None if prior is None else np.array(prior, dtype=float),
        "where": None if where is None else np.array(where, dtype=bool),
    }
    scores = np.array(scores, dtype=float)
    null = lib.softmax(scores, 0.0, **options)
    parts = [i for i, u in enumerate(null) if u > 0]
    if not parts:
        return "No token takes part, so every weight is 0."
    if len(parts) == 1:
        return f"Only “{tokens[parts[0]]}” takes part, so it has all the weight at every β."
    uniform = _equal(null[parts])
    the_prior = "the weights are the prior" + (f", {percent(null[parts[0]])} each." if uniform else ".")
    if _equal(scores[parts]):
        return f"The scores are equal, so at every β {the_prior}"
    if beta == 0:
        return f"At β = 0 the scores do not count: {the_prior}"

    weights = lib.softmax(scores, beta, **options)
    distance = f"{fixed(float(lib.kl_divergence(weights, null)), 2)} nats from the prior."
    if math.isinf(beta):
        first = [i for i in parts if weights[i] > 0]
        how = "equally" if _equal(weights[first]) else "in proportion to the prior"
        whom = f", shared {how} by the {len(first)} tokens that tie for it"
        if len(first) == 1:
            whom = f", “{tokens[first[0]]}”"
        side = "highest" if beta > 0 else "lowest"
        return f"At β = {short(beta)} all the weight is on the {side} score{whom}.\nThat is {distance}"
    most = weights.max()
    lead = np.flatnonzero(weights == most)
    who = f"{len(lead)} tokens share the lead with {percent(most)} each"
    if len(lead) == 1:
        who = f"“{tokens[lead[0]]}” gets {percent(most)}" + ("" if beta < 0 else " of the weight")
    opening = f"At β = {short(beta)} low scores win: " if beta < 0 else f"At β = {short(beta)}, "
    count = fixed(float(lib.effective_count(weights)), 1)
    spread = "a single weight" if count == "1.0" else f"{count} equal weights"
    return f"{opening}{who}.\nThe spread is that of {spread}, {distance}"
