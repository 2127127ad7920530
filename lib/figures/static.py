"""The picture of a figure where no script runs: without JavaScript, in print, before the mount.

The same boxes in the same order and with the same heights as the live figure, so that nothing
moves when that takes its place. Colours are the palette's variables, with the light values as
fallback for a viewer that strips the page's style sheet.
"""

import math
from html import escape

import numpy as np

import lib

from .bundle import palette
from .words import amount, fixed, percent, score_text, sentence, steady

# The numbers of js/beta_weights.js; a test compares the two pictures.
SCORE = {"height": 196, "top": 32, "bottom": 26}
WEIGHT = {"height": 152, "top": 24}
BAR, OUTLINE = 0.56, 0.74
ROOM = 24


def colour(name: str) -> str:
    return f"var(--ws-{name}, {palette()['light'][name]})"


def _bar(i, n, width, y0, y1, kind, style):
    x = 100 * (i + 0.5 - width / 2) / n
    return (
        f'<rect class="ws-{kind}" x="{x:.6g}%" width="{100 * width / n:.6g}%" '
        f'y="{min(y0, y1):.6g}" height="{abs(y1 - y0):.6g}" style="{style}"/>'
    )


def _label(i, n, y, text, kind=""):
    return f'<text class="ws-label{kind}" x="{100 * (i + 0.5) / n:.6g}%" y="{y:.6g}">{escape(text)}</text>'


def _svg(height, title, body):
    return (
        f'<svg class="ws-svg" height="{height}" width="100%" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def _rule(y, kind="zero"):
    return f'<line class="ws-{kind}" x1="0" x2="100%" y1="{y:.6g}" y2="{y:.6g}" style="stroke:{colour("line")}"/>'


def _head(name, note="", aside="", kind="axis"):
    spans = [(kind, name), ("note", note), ("aside", aside)]
    return (
        f'<div class="ws-head">{"".join(f"<span class=ws-{k}>{text}</span>" for k, text in spans if text)}</div>'
    )


def scale(scores) -> tuple[float, float]:
    return float(min(-1, math.floor(min(scores) - 0.3))), float(max(3, math.ceil(max(scores) + 0.3)))


def _scores(tokens, scores, taking_part, hatch):
    low, high = scale(scores)
    room = SCORE["height"] - SCORE["top"] - SCORE["bottom"]

    def y(s):  # halves, since the difference of two huge scores may be infinite
        return SCORE["top"] + (high / 2 - s / 2) / (high / 2 - low / 2) * room

    fill = {True: f"fill:{colour('score')}", False: f"fill:url(#{hatch})"}
    n = len(tokens)
    body = (
        f'<defs><pattern id="{hatch}" width="6" height="6" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><path class="ws-hatch" d="M0 0V6" '
        f'style="stroke:{colour("masked")};stroke-width:3"/></pattern></defs>'
    ) + _rule(y(0))
    for i, (s, open_) in enumerate(zip(scores, taking_part, strict=True)):
        body += _bar(i, n, BAR, y(0), y(s), "score" if open_ else "score ws-out", fill[bool(open_)])
        body += _label(i, n, y(s) + (21 if s < 0 else -12), score_text(s))
    said = ", ".join(f"{t} {score_text(s)}" for t, s in zip(tokens, scores, strict=True))
    return _svg(SCORE["height"], f"scores: {said}", body)


def _weights(tokens, weights, null):
    def y(w):
        return WEIGHT["top"] + (1 - w) * (WEIGHT["height"] - WEIGHT["top"] - 1)

    n = len(tokens)
    accent = f"fill:{colour('weight')}"
    outline = f"fill:none;stroke:{colour('prior')}"
    body = _rule(WEIGHT["top"], "all")
    for i, (w, u) in enumerate(zip(weights, null, strict=True)):
        body += _bar(i, n, BAR, y(0), y(w), "weight", accent)
        body += _bar(i, n, OUTLINE, y(0), y(u), "prior", outline)
        inside = y(w) - y(u) > ROOM  # between the bar and the prior's line above it
        kind = " ws-accent" + (" ws-none" if w == 0 else "") + ("" if u > 0 else " ws-out")
        body += _label(i, n, y(w if inside else max(w, u)) - 6, percent(w) if u > 0 else "out", kind)
    body += _rule(WEIGHT["height"] - 0.5)
    said = ", ".join(f"{t} {percent(w)}" for t, w in zip(tokens, weights, strict=True))
    return _svg(WEIGHT["height"], f"weights: {said}", body)


def beta_weights(name, tokens, scores, beta, prior, where, caption="", query="", above="", below="") -> str:
    """The inside of a *β and the weights* figure, as HTML without script.

    `above` and `below` stand above and below the place of the slider.
    """
    options = {
        "prior": None if prior is None else np.array(prior, dtype=float),
        "where": None if where is None else np.array(where, dtype=bool),
    }
    row = np.array(scores, dtype=float)
    weights = lib.softmax(row, beta, **options)
    null = lib.softmax(row, 0.0, **options)
    count = int((null > 0).sum())
    readings = [
        ("expected score", amount(float(weights @ row)), ""),
        ("entropy H", fixed(float(lib.entropy(weights)), 2), f"of {fixed(math.log(max(1, count)), 2)} nats"),
        ("effective tokens", fixed(float(lib.effective_count(weights)), 1), f"of {count}"),
        ("KL from the prior", fixed(float(lib.kl_divergence(weights, null)), 2), "nats"),
    ]
    words = "".join(
        f'<li title="{escape(t)}"{"" if u > 0 else " class=ws-out"}>{escape(t)}</li>'
        for t, u in zip(tokens, null, strict=True)
    )
    temperature = "∞" if beta == 0 else steady(0.0 if math.isinf(beta) else 1 / beta)
    asked = f"for the query “{escape(query)}”" if query else ""
    key = '<span class="ws-key ws-full"></span>100%<span class="ws-key"></span>prior <i>u</i>'
    parts = [
        _head("score <i>s</i>", asked),
        f'<div class="ws-plot">{_scores(tokens, scores, null > 0, f"{name}-hatch")}</div>',
        f'<ol class="ws-tokens" aria-hidden="true" style="--ws-n:{len(tokens)}">{words}</ol>',
        _head("weight <i>π</i>", aside=key),
        _weights(tokens, weights, null),
        '<div class="ws-beta">',
        _head(f"β = {steady(beta)}", "inverse temperature", f"temperature 1/β = {temperature}", kind="value"),
        above,
        below,
        f'</div><p class="ws-say">{escape(sentence(tokens, scores, beta, prior, where))}</p>',
        '<dl class="ws-read">',
        *(f"<div><dt>{n}</dt><dd>{v}<small>{unit}</small></dd></div>" for n, v, unit in readings),
        '</dl><div class="ws-tools"></div>',
    ]
    if caption:
        parts.append(f'<p class="ws-caption">{escape(caption)}</p>')
    return "".join(parts)
