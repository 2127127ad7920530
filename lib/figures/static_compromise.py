"""*The compromise* where no script runs: the twin of js/triangle.js and of what js/compromise.js draws."""

import math
from functools import cache
from html import escape

import numpy as np

from .bundle import palette
from .family import KINDS, bregman, compromise, solve, weights
from .words import amount, fixed, percent, score_text, steady

SIDE, TALL = 1000, 866
N = 44
HUES = {"kl": ("weight", "none"), "tsallis": ("entmax", "7 3 1.5 3"), "euclidean": ("sparsemax", "6 4")}
KEYS = {"price": [("level", "equal J")], "budget": [("ball", "the budget"), ("touch", "equal score")]}


def place(p):
    """Where weights (..., 3) lie in the triangle: (..., 2)."""
    p = np.asarray(p)
    return np.stack([SIDE * (p[..., 2] + p[..., 0] / 2), TALL * (1 - p[..., 0])], axis=-1)


@cache
def grid():
    """Weights on a grid, closer towards the edges, (points, 3), and the small triangles between, (cells, 3)."""
    steps = [(i, N - i - j, j) for i in range(N + 1) for j in range(N - i + 1)]
    number = {step: k for k, step in enumerate(steps)}
    right, up = lambda i, b, c: (i, b - 1, c + 1), lambda i, b, c: (i + 1, b - 1, c)
    cells = [(k, number[right(*s)], number[up(*s)]) for s, k in number.items() if s[1] >= 1]
    cells += [(number[right(*s)], number[up(*right(*s))], number[up(*s)]) for s in steps if s[1] >= 2]
    points = np.array(steps) ** 1.5
    return points / points.sum(axis=1, keepdims=True), np.array(cells)


def _spots(points) -> list[str]:
    return [f"{x:.1f} {y:.1f}" for x, y in points]


def polyline(weights_) -> str:
    return "M" + "L".join(_spots(place(weights_)))


def contours(values, levels) -> str:
    """Where the values on the grid pass one of the levels: a short piece for each small triangle."""
    points, cells = grid()
    spots, pieces = place(points), []
    tail, head = cells, np.roll(cells, -1, axis=1)  # the sides of each cell
    for level in levels:
        crossed = (values[tail] >= level) != (values[head] >= level)  # two sides of a cell, or none
        k, m = tail[crossed], head[crossed]
        t = (level - values[k]) / (values[m] - values[k])
        ends = _spots(spots[k] + t[:, None] * (spots[m] - spots[k]))
        pieces += [f"M{a}L{b}" for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return "".join(pieces)


def route(scores, alpha, u):
    """(β, weights) from the null to the best corner; the bends, where an edge is reached, are exact."""

    def at(beta):
        return beta, weights(scores, alpha, beta, u)

    def zeros(step):
        return int((step[1] == 0).sum())

    width = scores.max() - scores.min()
    way = [at(0.0)]
    for i in range(67 if width > 0 else 0):
        before, after = way[-1], at(10 ** (i / 12 - 2.5) / width)
        step = after
        for _ in range(40 if zeros(before) != zeros(after) else 0):
            middle = at((before[0] + after[0]) / 2)
            before, after = (middle, after) if zeros(middle) == zeros(before) else (before, middle)
        way += [after, step] if after is not step else [step]
    return [*way, at(math.inf)]


def _lines(scores, answer, epsilon, mode, divergence) -> dict[str, str]:
    alpha = KINDS[divergence].alpha
    points, _ = grid()
    costs, gains = bregman(points, answer.u, alpha), points @ scores

    def steps(values, best):
        return [best + t / 10 * (values.min() - best) for t in range(1, 10)]

    lines = {"ball": "", "touch": ""}
    if mode == "budget":
        lines["level"] = contours(gains, steps(gains, scores.max()))
        lines["touch"] = contours(gains, [answer.gain])
        lines["ball"] = contours(costs, [epsilon])
    else:
        gain, cost = (answer.beta, 1.0) if answer.beta < 1 else (1.0, 1 / answer.beta)
        left = gain * gains - cost * costs
        lines["level"] = contours(left, steps(left, gain * answer.gain - cost * answer.spent))
    way = route(scores, alpha, answer.u)
    lines["way"] = polyline([pi for _, pi in way])
    lines["gone"] = polyline([*(pi for beta, pi in way if beta < answer.beta), answer.pi])
    lines["best"] = f"{polyline([answer.pi])}h.1"
    lines["edge"] = f"{polyline(np.eye(3))}Z"
    return lines


def _colour(name):
    return f"var(--ws-{name}, {palette()['light'][name]})"


def _picture(tokens, answer, lines, divergence):
    hue, dashes = HUES[divergence]
    styles = {
        "edge": ("quiet", 1, "none"),
        "level": ("line", 1, "none"),
        "ball": ("prior", 1.5, "none"),
        "touch": ("score", 1.5, "none"),
        "way": (hue, 1.25, dashes),
        "gone": (hue, 3, dashes),
        "best": ("weight", 14, "none"),
    }
    paths = "".join(
        f'<path class="ws-{kind}" d="{lines[kind]}" vector-effect="non-scaling-stroke" style="fill:none;'
        f'stroke:{_colour(colour)};stroke-width:{width};stroke-dasharray:{dash}"/>'
        for kind, (colour, width, dash) in styles.items()
    )

    def said(p):
        return ", ".join(f"{token} {percent(w)}" for token, w in zip(tokens, p, strict=True))

    title = escape(f"null: {said(answer.u)}; weights: {said(answer.pi)}")
    box = f'viewBox="0 0 {SIDE} {TALL}" role="img"'
    return f'<svg class="ws-svg" {box} aria-label="{title}"><title>{title}</title>{paths}</svg>'


def _plot(tokens, scores, answer, lines, divergence):
    corners = "".join(
        f'<div class="ws-corner" aria-hidden="true"><span class="ws-token">{escape(token)}</span>'
        f"<small>s = {score_text(s)}</small><b{'' if w else ' class=ws-none'}>{percent(w)}</b></div>"
        for token, s, w in zip(tokens, scores, answer.pi, strict=True)
    )

    def at(p):
        x, y = place(p)
        return f'style="left:{100 * x / SIDE:.6g}%;top:{100 * y / TALL:.6g}%"'

    leftwards = place(answer.pi)[0] < place(answer.u)[0]
    tags = "".join(
        f'<span class="ws-tag ws-of-{kind}{" ws-left" if left else ""}" aria-hidden="true" {at(p)}>'
        f'<span class="ws-word">{word} </span><i>{symbol}</i></span>'
        for kind, word, symbol, p, left in [
            ("null", "null", "u", answer.u, not leftwards),
            ("best", "best", "π", answer.pi, leftwards),
        ]
    )
    ring = f'<div class="ws-point" {at(answer.u)}><span class="ws-knob"></span></div>'
    picture = _picture(tokens, answer, lines, divergence)
    return f'<div class="ws-plot ws-simplex">{picture}{corners}{tags}{ring}</div>'


def _head(*spans):
    return f'<div class="ws-head">{"".join(f"<span class=ws-{kind}>{text}</span>" for kind, text in spans)}</div>'


def picture(tokens, scores, prior, beta, epsilon, mode, divergence, caption="") -> str:
    """The inside of *the compromise*, as HTML without script."""
    say = escape(compromise(tokens, scores, prior, beta, epsilon, mode, divergence))
    scores = np.array(scores, dtype=float)
    kind = KINDS[divergence]
    answer = solve(scores, prior, beta, epsilon, mode, divergence)
    lines = _lines(scores, answer, epsilon, mode, divergence)
    price = "∞" if answer.beta == 0 else steady(0.0 if math.isinf(answer.beta) else 1 / answer.beta)
    key = "".join(f'<span class="ws-key ws-of-{name}"></span>{text}' for name, text in KEYS[mode])
    heads = {
        "price": (f"β = {steady(answer.beta)}", "inverse temperature", f"price 1/β = {price}"),
        "budget": (
            f"ε = {steady(epsilon)}{kind.unit and ' ' + kind.unit}",
            "budget of divergence",
            f"β = {steady(answer.beta)}, price 1/β = {price}",
        ),
    }
    readings = [
        ("expected score", amount(answer.gain), "points"),
        ("price 1/β", price, f"points {kind.one}"),
        (kind.symbol, fixed(answer.spent, 2), kind.unit),
        ("what is left, J", amount(answer.left), "points"),
    ]
    parts = [
        _head(("axis", "weights <i>π</i>"), ("note", "each corner one token"), ("aside", key)),
        _plot(tokens, scores, answer, lines, divergence),
        '<div class="ws-choice"></div><div class="ws-beta">',
        _head(*zip(("value", "note", "aside"), heads[mode], strict=True)),
        f'</div><p class="ws-say">{say}</p>',
        '<dl class="ws-read">',
        *(f"<div><dt>{name}</dt><dd>{value}<small>{unit}</small></dd></div>" for name, value, unit in readings),
        '</dl><div class="ws-tools"></div>',
    ]
    if caption:
        parts.append(f'<p class="ws-caption">{escape(caption)}</p>')
    return "".join(parts)
