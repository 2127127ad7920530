"""How checks look: as text and as HTML that reads well without style."""

import math
from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from book.source import body

TICK = "✓"


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
    if bound.kind in ("equal", "between"):
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
    if bound.kind == "between":
        return f"from {number(bound.low, html)} to {number(bound.high, html)} allowed"
    return f"{bound.kind} {number(bound.high if bound.kind == 'at most' else bound.low, html)}"


def counted(claims):
    """How many checks there are, and that they hold."""
    return "1 check holds" if len(claims) == 1 else f"{len(claims)} checks hold"


def checks_text(claims):
    return f"{TICK} {counted(claims)}: {', '.join(claim.id for claim in claims)}"


def checks_html(claims):
    """One line that opens to the list of these checks."""
    entries = "".join(map(entry, claims))
    return (
        f'<details class="ws-checks"><summary>{TICK} {counted(claims)}</summary>'
        f'<ul class="ws-checks-list">{entries}</ul></details>'
    )


def entry(claim):
    """One check: what holds, what was measured and how much was to spare, the counter-case, and how it is done."""
    says, measures, against = escape(claim.says), escape(claim.measures), escape(claim.counter_says)
    value, room = number(claim.value, True), spare(claim.value, claim.bound, True)
    code = highlighted(body(claim.measure, decorators=False))
    return (
        f'<li class="ws-claim" id="claim-{escape(claim.id)}">'
        f'<p class="ws-claim-says">{says} <code class="ws-claim-id">{escape(claim.id)}</code></p>'
        f'<p class="ws-claim-value">{measures[:1].upper() + measures[1:]}: <b>{value}</b>; '
        f"{allowed(claim.bound, True)}, {room}.</p>"
        f'<p class="ws-claim-counter">The counter-case, {against}: <b>{number(claim.counter_value, True)}</b>, '
        f'which fails, as it should.</p><details class="ws-claim-code"><summary>The code of this check</summary>'
        f'<div class="highlight"><pre>{code}</pre></div></details></li>'
    )


def highlighted(code):
    """Code as HTML, in the classes of the page's style sheet."""
    return highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip()
