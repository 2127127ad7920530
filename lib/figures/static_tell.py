"""*Can you tell?* where no script runs: the twin of js/tell_plots.js and of what js/can_you_tell.js says.

The same boxes in the same order and with the same heights as the live figure.
"""

import math
from html import escape

import numpy as np

import lib

from . import tell
from .bundle import palette
from .words import fixed, score_text, short, steady
from .words_tell import LEAST, LIMITS, chance, sentence

# The numbers of js/tell_plots.js; a test compares the two pictures.
HUMPS = {"height": 180, "top": 58, "floor": 156}
CURVES = {"height": 150, "headroom": 1.2}
MARGIN, BINS, LOWEST, MOST, UNIT = 0.18, 400, 0.4, 1000, 0.1
GRID = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200, 300, 500, 700, 1000)
HUES = {"misses": "weight", "false alarms": "prior", "neither": "ink"}
DASHES = {"misses": "none", "false alarms": "6 3", "neither": "2 2.5"}


def _colour(name: str) -> str:
    return f"var(--ws-{name}, {palette()['light'][name]})"


def _percent(x: float) -> str:
    return f"{math.floor(1e4 * x + 0.5) / 100:g}%"


def _text(kind, x, y, text, anchor, hue="ink", dx=0):
    return (
        f'<text class="ws-label {kind}" x="{x}" dx="{dx}" y="{y:g}" text-anchor="{anchor}" '
        f'style="fill:{_colour(hue)}">{escape(text)}</text>'
    )


def _line(kind, x1, x2, y1, y2, hue, more=""):
    return (
        f'<line class="{kind}" x1="{x1}" x2="{x2}" y1="{y1:g}" y2="{y2:g}" style="stroke:{_colour(hue)};{more}"/>'
    )


def _svg(height, said, body):
    return (
        f'<svg class="ws-svg" height="{height}" width="100%" role="img" aria-label="{escape(said)}">'
        f"<title>{escape(said)}</title>{body}</svg>"
    )


def _inner(y, height, body):
    return (
        f'<svg viewBox="0 0 1000 {height}" preserveAspectRatio="none" width="100%" height="{height}" y="{y}">'
        f"{body}</svg>"
    )


def ticks(low, high):
    """Steps of 1, 2 or 5 times a power of ten, at most six of them over the range."""
    size = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = next(x * size for x in (1, 2, 5, 10) if (high - low) / (x * size) <= 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _outline(bins, size, scale, x, room, start, end):
    """The outline of a distribution between two places, as js/tell_plots.js draws it."""
    flat = f"{room:.1f}"
    path, before, last = "", flat, start
    for b, share in enumerate(bins):
        left, right = max(start, b * size - 0.5), min(end, (b + 1) * size - 0.5)
        if left >= right:
            continue
        y = f"{room * (1 - share * scale):.1f}"
        if y != before:
            path += f"{'H' if path else 'M'}{x(left):.1f}{'' if path else ' ' + flat}V{y}"
        before, last = y, right
    if before != flat:
        path += f"H{x(last):.1f}V{flat}"
    return path and path + "Z"


def humps(scores, beta, m, test):
    """How the mean score is distributed under u and under π, the bar, and both errors as tails."""
    low, high = min(scores), max(scores)
    null, pi = lib.softmax(np.array(scores), 0.0), lib.softmax(np.array(scores), beta)

    def share(score):
        return (score - low + MARGIN * (high - low)) / ((1 + 2 * MARGIN) * (high - low))

    places = round((high - low) * m / UNIT)
    size = math.ceil(places / BINS)
    room = HUMPS["floor"] - HUMPS["top"]
    bins = []
    for weights in (null, pi):
        chances = tell.score_sum(scores, weights, m, direct=100)[1]
        bins.append(np.add.reduceat(chances, np.arange(0, len(chances), size)) / size)
    peaks = [one.max() for one in bins]
    scales = [max(1 / max(peaks), LOWEST / peak) for peak in peaks]
    at = (test.bar - m * low) / UNIT + 0.5 - test.toss

    def x_of(place):
        return share(low + (high - low) * place / places)

    def path(kind, i, start, end, style):
        d = _outline(bins[i], size, scales[i], lambda place: 1000 * x_of(place), room, start, end)
        return f'<path class="{kind}" d="{d}" style="{style}"/>'

    accent, grey = _colour("weight"), _colour("prior")
    paths = (
        path("ws-alarm", 0, at, places + 1, f"fill:{grey}")
        + path("ws-from-pi", 1, -1, places + 1, f"fill:{accent};fill-opacity:0.16;stroke:{accent}")
        + path("ws-miss", 1, -1, at, f"fill:{accent}")
        + path("ws-from-u", 0, -1, places + 1, f"fill:none;stroke:{grey}")
    )
    x, floor, means = _percent(x_of(at)), HUMPS["floor"], (null @ scores, pi @ scores)
    body = _inner(HUMPS["top"], room, paths)
    body += _line("ws-zero", "0", "100%", floor, floor, "line") + _line("ws-bar", x, x, 0, floor, "ink")
    body += _text("ws-null", _percent(share(means[0])), 51, "from u", "end", "prior", -2)
    body += _text("ws-accent", _percent(share(means[1])), 51, "from π", "start", "weight", 2)
    for tick in ticks(low, high):
        body += _text("ws-tick-label", _percent(share(tick)), floor + 18, score_text(tick), "middle", "quiet")
    said = (
        f"mean score under u about {fixed(means[0], 2)}, under π about {fixed(means[1], 2)}; "
        f"says π above {fixed(test.bar / m, 2)}"
    )
    verdicts = (
        f'<div class="ws-verdicts" style="--ws-bar:{x}"><div><span>says u</span>'
        f'<b class="ws-accent">misses {chance(test.log_miss)}</b></div><div><span>says π</span>'
        f'<b class="ws-null">false alarms {chance(test.log_false_alarm)}</b></div></div>'
    )
    return f'<div class="ws-plot">{_svg(HUMPS["height"], said, body)}{verdicts}</div>'


def curves(scores, beta, m, hold, found, limits):
    """The three exponents against m, with what they come to, and where m stands."""
    height = CURVES["height"]
    top = CURVES["headroom"] * max(limits.values())

    def y(e):
        return height * (1 - e / top)

    def across(m):
        return math.log10(m) / math.log10(MOST)

    upper = "misses" if limits["misses"] > limits["false alarms"] else "false alarms"
    apart = abs(y(limits["misses"]) - y(limits["false alarms"])) > 34
    x = _percent(across(m))
    rules, paths, dots, names = "", "", "", ""
    for i, one in enumerate(tell.HOLDS):
        hue, kind = HUES[one], f"ws-test-{i}{' ws-chosen' if one == hold else ''}"
        points = [f"{1000 * across(k):.1f} {y(tell.exponent(scores, beta, k, hold=one)):.1f}" for k in GRID]
        paths += (
            f'<path class="ws-exponent {kind}" d="M{"L".join(points)}" '
            f'style="fill:none;stroke:{_colour(hue)};stroke-dasharray:{DASHES[one]}"/>'
        )
        level = y(limits[one])
        rules += _line(f"ws-limit ws-test-{i}", "0", "100%", level, level, hue, "stroke-dasharray:1 3")
        fill = _colour(hue if one == hold else "paper")
        dots += (
            f'<circle class="ws-here {kind}" r="4.5" cx="{x}" cy="{y(found[one][1]):.1f}" '
            f'visibility="{"hidden" if found[one][1] > top else "visible"}" '
            f'style="fill:{fill};stroke:{_colour(hue)}"/>'
        )
        above = one == upper or (one != "neither" and apart)
        text = f"{LIMITS[one]} {steady(limits[one])}"
        names += _text(kind, "27%", level + (-7 if above else 17), text, "start", hue)
    floor = _line("ws-zero", "0", "100%", height - 0.5, height - 0.5, "line")
    each = (f"{one} held {steady(found[one][1])} of {steady(limits[one])}" for one in tell.HOLDS)
    said = f"exponents at m = {m}: {', '.join(each)}"
    now = _line("ws-now", x, x, 0, height, "line")
    return _svg(height, said, floor + now + rules + _inner(0, height, paths) + dots + names)


def tests(m, hold, found, limits):
    """One row a test: what is held, what is left, and on the way to what."""
    rows = ""
    for i, one in enumerate(tell.HOLDS):
        chosen = " ws-chosen" if one == hold else ""
        _, exponent = found[one]
        stroke = f"fill:none;stroke:{_colour(HUES[one])};stroke-dasharray:{DASHES[one]}"
        rows += (
            f'<div class="ws-test"><span class="ws-radio{chosen}"></span>'
            f'<svg class="ws-swatch" width="24" height="10" aria-hidden="true">'
            f'<line class="ws-exponent ws-test-{i}" x1="0" x2="24" y1="5" y2="5" style="{stroke}"/></svg>'
            f'<span class="ws-held">{one}</span>'
            f'<span class="ws-cell"><span class="ws-wide">{LEAST[one]} </span>{chance(-m * exponent)}</span>'
            f'<span class="ws-cell">{steady(exponent)}</span>'
            f'<span class="ws-cell"><span class="ws-wide">{LIMITS[one]} </span>{steady(limits[one])}</span></div>'
        )
    heads = "".join(f"<span>{text}</span>" for text in ("held at 5%", "least error", "exponent", "its limit"))
    return f'<div class="ws-tests"><div class="ws-test ws-heads">{heads}</div>{rows}</div>'


def _head(*parts):
    return f'<div class="ws-head">{"".join(f"<span class={kind}>{text}</span>" for kind, text in parts)}</div>'


def _slider(scale):
    """The place of a slider, with the ticks of its scale."""
    last = len(scale) - 1
    marks = "".join(f'<span style="left:{100 * i / last:g}%">{short(x)}</span>' for i, x in enumerate(scale))
    return (
        '<div class="ws-slider"><div class="ws-track"></div>'
        f'<div class="ws-ticks" aria-hidden="true">{marks}</div></div>'
    )


def picture(scores, beta, m, hold, caption="") -> str:
    """The inside of a *can you tell?* figure, as HTML without script."""
    found = {
        one: (tell.best_test(scores, beta, m, hold=one), tell.exponent(scores, beta, m, hold=one))
        for one in tell.HOLDS
    }
    limits = {one: float(tell.limit(scores, beta, one)) for one in tell.HOLDS}
    tokens = "1 token" if m == 1 else f"{m} tokens"
    parts = [
        f'<div class="ws-game"><p class="ws-ask">Somebody shows you {tokens}, all drawn from π or all from '
        'the null u.\nCan you tell which?</p><div class="ws-answers"></div></div>',
        _head(("ws-axis", "mean score"), ("ws-note", f"of {tokens}")),
        f"<div>{humps(scores, beta, m, found[hold][0])}</div>",
        _head(
            ("ws-axis", "exponent"),
            ("ws-note", "−log(error)/m, nats a token"),
            ("ws-aside", f"<span class=ws-value>m = {tokens}</span>"),
        ),
        f'<div class="ws-rise">{curves(scores, beta, m, hold, found, limits)}</div>',
        _slider((1, 10, 100, 1000)),
        _head(
            ("ws-value", f"β = {steady(beta)}"),
            ("ws-note", "inverse temperature"),
            ("ws-aside", f"temperature 1/β = {steady(1 / beta)}"),
        ),
        _slider((0.1, 1, 10)),
        tests(m, hold, found, limits),
        f'<p class="ws-say">{escape(sentence(beta, m, hold, *found[hold], limits[hold]))}</p>',
        '<div class="ws-tools"></div>',
    ]
    if caption:
        parts.append(f'<p class="ws-caption">{escape(caption)}</p>')
    return "".join(parts)
