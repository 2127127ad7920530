"""The small pictures on the doors at the end of the first page, each computed from what its chapter is about."""

import numpy as np

from book.example import s
from book.figures import encoder_heads
from book.verdicts import VERDICTS, WORDS
from lib import softmax, sparsemax

WIDE, HIGH = 96, 56  # the viewBox


def _line(x, y, kind="ws-door-line"):
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline class="{kind}" points="{points}"/>'


def _bar(x, y, width, height, kind="ws-door-weight"):
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def how_sharp():
    """The weights of the running example from β = 0.05 to 50, on a logarithmic axis."""
    betas = np.geomspace(0.05, 50, 48)
    weights = np.stack([softmax(s, beta) for beta in betas])  # (48, n)
    x = np.linspace(2, WIDE - 2, len(betas))
    return "".join(_line(x, HIGH - 2 - (HIGH - 4) * column) for column in weights.T)


def random_walks():
    """Sums of ±1, nine of them: they spread as the root of how many are added."""
    steps = np.random.default_rng(2).choice([-1.0, 1.0], (9, 64)).cumsum(axis=1)
    sums = np.concatenate([np.zeros((9, 1)), steps], axis=1)  # (9, 65)
    x = np.linspace(2, WIDE - 2, sums.shape[1])
    return "".join(_line(x, HIGH / 2 - row * (HIGH / 2 - 3) / abs(sums).max()) for row in sums)


def water():
    """The scores of the example as poles in water: what stands out is the weight under sparsemax."""
    weights, per_point = sparsemax(s), 18
    level = (s - weights).max()
    foot, width = -0.8, WIDE / len(s)
    drawn = []
    for i, (score, weight) in enumerate(zip(s, weights, strict=True)):
        top = HIGH - (score - foot) * per_point
        drawn.append(_bar(i * width + 3, top, width - 6, HIGH - top, "ws-door-score"))
        drawn.append(_bar(i * width + 3, top, width - 6, weight * per_point))
    surface = HIGH - (level - foot) * per_point
    return "".join(drawn) + _line([0, WIDE], [surface, surface], "ws-door-ink")


def heads():
    """One head of the encoder: a square for each pair of tokens, as large as its weight."""
    weights = encoder_heads.weights("thirsty")[3, 1]  # (n, n)
    step = (HIGH - 2) / len(weights)
    left = (WIDE - HIGH) / 2
    sides = step * np.sqrt(weights)

    def square(i, j):
        side = sides[i, j]
        return _bar(left + (j + 0.5) * step - side / 2, 1 + (i + 0.5) * step - side / 2, side, side)

    return "".join(square(i, j) for i, j in np.argwhere(sides > 0.4))


def claims():
    """How many of the judged sentences have each verdict."""
    counts = [sum(verdict.word == word for verdict in VERDICTS.values()) for word in WORDS]
    width = WIDE / len(counts)
    tall = (HIGH - 2) / max(counts)
    bars = enumerate(count * tall for count in counts)
    return "".join(_bar(i * width + 4, HIGH - high, width - 8, high, "ws-door-score") for i, high in bars)


PICTURES = {
    "chapters/temperature": how_sharp,
    "chapters/scale": random_walks,
    "chapters/alternatives": water,
    "chapters/patterns": heads,
    "appendix/claims": claims,
}


def picture(page):
    """The drawing on the door to a page, as SVG."""
    return f'<svg viewBox="0 0 {WIDE} {HIGH}" aria-hidden="true">{PICTURES[page]()}</svg>'
