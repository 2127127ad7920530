"""Each weight against β, and the places of the buttons, where no script runs: the twin of js/curves.js."""

import math
from html import escape
from itertools import chain

import numpy as np

import lib

from .static import colour
from .words import percent, short

# The numbers of js/beta_slider.js and js/curves.js; a test compares the two pictures.
DECADE, END, TOP = 50, 20, 240
PLOT = {"top": 24, "height": 140, "total": 172, "thumb": 10}
LABEL = {"gap": 14, "most": 10, "letters": 11, "letter": 6.5, "right": 60}
TICKS = (0, 0.01, 0.1, 1, 10, 100, math.inf)
INSIDE = range(END, TOP - END + 1, 4)


def to_place(size: float) -> float:
    """Where a β of this size stands on the slider, from 0 for 0 to 240 for infinity."""
    if size in (0, math.inf):
        return TOP if size else 0
    if size < 0.01:
        return END / 2
    return TOP - END / 2 if size > 100 else TOP / 2 + DECADE * math.log10(size)


def height(weight: float) -> float:
    return PLOT["top"] + (1 - weight) * PLOT["height"]


def apart(wanted, low, high):
    """The heights nearest to the wanted ones, which rise, with room for a line of text between them."""
    gap, blocks = LABEL["gap"], []
    for i, y in enumerate(wanted):
        total, size = y - i * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            before = blocks.pop()
            total, size = total + before[0], size + before[1]
        blocks.append((total, size))
    top = high - (len(wanted) - 1) * gap
    starts = chain.from_iterable([max(low, min(top, total / size))] * size for total, size in blocks)
    return [start + i * gap for i, start in enumerate(starts)]


def _bundles(tokens, scores, prior, null):
    """The tokens that share a curve: of one score and one prior."""
    found = {}
    for i, (score, u) in enumerate(zip(scores, prior or [1.0] * len(scores), strict=True)):
        if null[i] > 0:
            found.setdefault((score, u), []).append(i)
    return [(all_, _name([tokens[i] for i in all_])) for all_ in found.values()]


def _name(words):
    kinds = list(dict.fromkeys(words))
    text = ", ".join(kinds) if len(kinds) < 3 else f"{len(words)} tokens"
    if len(kinds) == 1 and len(words) > 1:
        text += f" ×{len(words)}"
    return text if len(text) <= LABEL["letters"] else text[: LABEL["letters"] - 1] + "…"


def curves(tokens, scores, beta, prior, where) -> str:
    """The curves with their marker, the room of the slider, and its scale."""
    options = {
        "prior": None if prior is None else np.array(prior, dtype=float),
        "where": None if where is None else np.array(where, dtype=bool),
    }
    row, sign = np.array(scores, dtype=float), -1 if beta < 0 else 1

    def at(size):
        return lib.softmax(row, sign * size, **options)

    null, end, now = at(0.0), at(math.inf), lib.softmax(row, beta, **options)
    inside = [at(10 ** ((place - TOP / 2) / DECADE)) for place in INSIDE]
    best, shown, whole = end.max(), [], []
    for (i, *_), text in _bundles(tokens, scores, prior, null):
        kind = " ws-first" if end[i] == best else ""
        shown.append((i, kind, text, [height(w[i]) for w in (null, end, *inside)]))
        whole.append(f"{text} {percent(null[i])} to {percent(end[i])}")
    title = escape(f"weights from β = 0 to {short(sign * math.inf)}: {', '.join(whole)}")
    body = _lines(shown) + _marker(shown, now, math.floor(to_place(abs(beta)) + 0.5), sign * row)
    return (
        f'<svg class="ws-svg ws-curves" height="{PLOT["total"]}" width="100%" role="img" aria-label="{title}">'
        f"<title>{title}</title>{body}</svg>{_scale(sign)}"
    )


def _rule(y, kind):
    return f'<line class="{kind}" x1="0" x2="100%" y1="{y}" y2="{y}" style="stroke:{colour("line")}"/>'


def _lines(shown):
    paths = ends = ""
    for _, kind, _, y in shown:
        solid = "M" + "L".join(f"{place} {h:.2f}" for place, h in zip(INSIDE, y[2:], strict=True))
        snap = f"M0 {y[0]:.2f}L{END} {y[2]:.2f}M{TOP - END} {y[-1]:.2f}L{TOP} {y[1]:.2f}"
        for d, part in ((solid, kind), (snap, f"{kind} ws-snap")):
            style = f"fill:none;stroke:{colour('weight')}"
            paths += f'<path class="ws-curve{part}" d="{d}" vector-effect="non-scaling-stroke" style="{style}"/>'
        for x, h in zip(("0", "100%"), y[:2], strict=True):
            ends += f'<circle class="ws-end{kind}" cx="{x}" cy="{h:.2f}" r="2.5" style="fill:{colour("weight")}"/>'
    total = PLOT["total"]
    return (
        f'<text class="ws-label ws-what" x="0" y="14">each weight at every β</text>'
        f"{_rule(PLOT['top'], 'ws-all')}{_rule(height(0), 'ws-zero')}"
        f'<svg width="100%" height="{total}" viewBox="0 0 {TOP} {total}" overflow="visible" '
        f'preserveAspectRatio="none">{paths}</svg>{ends}'
    )


def _marker(shown, now, place, pull):
    named = sorted(shown, key=lambda one: (-now[one[0]], -pull[one[0]]))[: LABEL["most"]]
    side = 1 if place < LABEL["right"] else -1
    labels = apart([height(now[i]) for i, *_ in named], PLOT["top"] - 6, PLOT["total"] - 6)
    body = (
        f'<line class="ws-marker" x1="0" x2="0" y1="{PLOT["top"]}" y2="{PLOT["total"] + PLOT["thumb"]}" '
        f'style="stroke:{colour("ink")}"/>'
    )
    texts = ""
    for (i, kind, text, _), y in zip(named, labels, strict=True):
        d = f"M{side * 5} {height(now[i]):.2f}L{side * 13} {y:.2f}h{side * 4}"
        body += f'<path class="ws-leader{kind}" d="{d}" style="fill:none;stroke:{colour("weight")}"/>'
        towards, width = " ws-after" if side > 0 else "", 6 + LABEL["letter"] * len(text)
        texts += (
            f'<rect class="ws-behind" x="{17 if side > 0 else -17 - width}" y="{y - LABEL["gap"] / 2:.2f}" '
            f'width="{width}" height="{LABEL["gap"]}" style="fill:{colour("paper")}"/>'
        )
        texts += (
            f'<text class="ws-label ws-name{towards}{kind}" x="{side * 20}" y="{y + 4:.2f}">{escape(text)}</text>'
        )
    for i, kind, *_ in shown:
        at = f'cx="0" cy="{height(now[i]):.2f}" r="4"'
        texts += f'<circle class="ws-dot{kind}" {at} style="fill:{colour("weight")}"/>'
    return f'<svg x="{100 * place / TOP:.6g}%" overflow="visible">{body}{texts}</svg>'


def _scale(sign):
    marks = "".join(
        f'<span style="left:{100 * to_place(size) / TOP:.6g}%">{short(sign * size if size else 0)}</span>'
        for size in TICKS
    )
    end = "−∞: the lowest takes all" if sign < 0 else "∞: the highest takes all"
    return (
        f'<div class="ws-track"></div><div class="ws-ticks" aria-hidden="true">{marks}</div>'
        f'<div class="ws-ends" aria-hidden="true"><span>0: ignore the scores</span><span>{end}</span></div>'
    )


def presets(pairs) -> str:
    """The room that the buttons will take; without a script there is nothing to press."""
    if not pairs:
        return ""
    labels = "".join(f'<span class="ws-button">{escape(label)}</span>' for label, _ in pairs)
    return f'<div class="ws-presets" aria-hidden="true"><span class="ws-note">β at</span>{labels}</div>'
