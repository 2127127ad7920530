"""How an executed claim looks: as text and as HTML that reads well without style."""

import math
from html import escape


def number(x, html=False):
    """Three digits, the exponent as a power of ten when there is one.

    >>> number(0.04321), number(2.0), number(3.14159e-9), number(-math.inf)
    ('0.0432', '2', '3.1e-09', '−∞')
    >>> number(1e-7, html=True), number(-2.5e-9, html=True)
    ('10<sup>−7</sup>', '−2.5 × 10<sup>−9</sup>')
    """
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x == 0 or 1e-3 <= abs(x) < 1e5:
        return (f"{x:.0f}" if float(x).is_integer() else f"{x:.3g}").replace("-", "−")
    if not html:
        return f"{x:.1e}".replace("-", "−", 1) if x < 0 else f"{x:.1e}"
    digits, exponent = f"{x:.1e}".split("e")
    power = f"10<sup>{int(exponent)}</sup>".replace("-", "−")
    return power if digits == "1.0" else f"{digits.replace('-', '−')} × {power}"


def spare(value, bound, html=False):
    """How much room is left, as a factor where that says more than a difference."""
    near = bound.high if bound.kind == "at most" else bound.low
    if bound.kind == "equal":
        near = bound.high if bound.high - value < value - bound.low else bound.low
    elif value == near:
        return "exact" if value == 0 else "none to spare"
    elif value > 0 and near > 0:
        ratio = max(value / near, near / value)
        if ratio >= 2:
            return f"{ratio:.0f} times to spare" if ratio < 1000 else "over 1000 times to spare"
    elif value == 0 and near > 0:
        return "exact"
    return f"{number(abs(near - value), html)} to spare"


def allowed(bound, html=False):
    """The bound in words."""
    if bound.kind == "equal":
        middle, half = (bound.low + bound.high) / 2, (bound.high - bound.low) / 2
        return f"{number(middle, html)} expected, to within {number(half, html)}"
    return f"{bound.kind} {number(bound.high if bound.kind == 'at most' else bound.low, html)}"


def claim_text(claim):
    return (
        f"Checked [{claim.id}]: {claim.says}\n"
        f"  {claim.measures}: {number(claim.value)}, {allowed(claim.bound)}; {spare(claim.value, claim.bound)}\n"
        f"  {claim.counter_says}: {number(claim.counter_value)}, which fails"
    )


def claim_html(claim):
    """What holds, what was measured and how much was to spare; in the fold the bound and the counter-case."""
    says, measures, against = escape(claim.says), escape(claim.measures), escape(claim.counter_says)
    return (
        f'<details class="ws-claim" id="claim-{escape(claim.id)}"><summary>'
        f'<span class="ws-claim-mark">Checked</span> <span class="ws-claim-says">{says}</span> '
        f'<span class="ws-claim-value">{measures[:1].upper() + measures[1:]}: <b>{number(claim.value, True)}</b>, '
        f"{spare(claim.value, claim.bound, True)}.</span></summary>"
        f'<p class="ws-claim-counter">The bound: {allowed(claim.bound, True)}. The counter-case, {against}: '
        f"<b>{number(claim.counter_value, True)}</b>, which fails. "
        f'<code class="ws-claim-id">{escape(claim.id)}</code></p></details>'
    )
