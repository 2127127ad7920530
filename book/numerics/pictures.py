"""The static pictures of the chapter *numerics*: where the numbers of a format lie, and end."""

import numpy as np
import torch

from book.numerics.formats import KINDS, ends, zero_from
from book.plots import canvas, ink, label
from book.rows import dot_rows

STARTS = (64, 256, 512, 1024, 2048)


def numbers_between(start, end):
    """All numbers of float16 from one to the other, both included if the format has them."""
    found, x = [], np.float16(start)
    while x <= end:
        found.append(float(x))
        x = np.nextafter(x, np.float16(np.inf))
    return np.array(found)


def ruler(name):
    """Rulers of one point of score, further and further from 0, with a mark at each number of float16."""
    fig, ax = canvas(name, x="points further on", height=330, left=132, right=112, top=20, bottom=64)
    for row, start in enumerate(STARTS):
        marks = numbers_between(start, start + 1) - start
        ax.plot([0, 1], [row, row], color=ink("line"), linewidth=1)
        ends, heights = np.repeat(marks, 3), np.tile([row, row - 0.62, np.nan], len(marks))
        ends[2::3] = np.nan
        ax.plot(ends, heights, color=ink("ink"), linewidth=1.5)
        label(ax, 0, row, f"from {start}", "ink", dx=-12, dy=4, ha="right")
        gap = float(np.spacing(np.float16(start)))
        label(ax, 1, row, f"gap {gap:g}" if gap >= 1 else f"gap 1/{1 / gap:g}", "quiet", dx=12, dy=4)
    ax.set(xlim=(-0.01, 1.01), ylim=(len(STARTS) - 0.6, -1), yticks=[])
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    ax.grid(False)
    counts = ", ".join(f"{len(numbers_between(x, x + 1))} from {x}" for x in STARTS)
    fig.show(
        title="A ruler of float16",
        alt="Five rulers, each one point long, with a mark at every number of float16. How many marks there are, "
        f"both ends included: {counts}.",
        caption="Each ruler is one point of score long, and each mark is a number of float16. The further from 0, "
        "the fewer there are; from 2048 on, a whole point falls into a gap.",
    )


def moved(scores, name):
    """Rows of scores that were moved, and where the shift brings each, beside what float16 can exponentiate."""
    s = np.asarray(scores, dtype=float)
    low, high = (float(end) for end in ends(torch.float16))
    rows = {f"moved by {by}".replace("-", "−"): s + by for by in (9, 10, -19, -21)} | {"shifted": s - s.max()}
    fig, ax = canvas(name, x="score, points", height=310, left=172, right=16, top=52, bottom=64)
    ax.axvspan(low, high, color=ink("prior"), alpha=0.16, linewidth=0)
    label(ax, (low + high) / 2, -0.6, "e to this power is neither 0 nor ∞", "quiet", dy=12, ha="center")
    for y, (says, row) in enumerate(rows.items()):
        fits = (row > low) & (row < high)
        colour = ink("ink" if says == "shifted" else "score")
        ax.plot(row[fits], [y] * fits.sum(), "o", color=colour, markeredgecolor=ink("paper"), markersize=7)
        ax.plot(row[~fits], [y] * (~fits).sum(), "o", color=ink("paper"), markeredgecolor=colour, markersize=6,
                markeredgewidth=1.5)  # fmt: skip
        label(ax, -23, y, says, dx=-14, dy=-5, ha="right")
    ax.set(xlim=(-23, 13.5), ylim=(len(rows) - 0.4, -0.6), yticks=[], xticks=[-20, -10, 0, 10])
    ax.grid(False)
    fig.show(
        title="Moved to where the machine is at ease",
        alt=f"Five rows of seven scores, and a band from {low:.1f} to {high:.1f}. Moved up by 9, all are inside. "
        "Moved up by 10, three are beyond it. Moved down by 19, all but one are below it, moved by 21 all are. "
        "With the largest subtracted, all are inside, and the largest is at 0.",
        caption="Filled dots have an exponential in float16, rings have 0 or ∞; at 9 only the sum is ∞. "
        "Subtracting the largest score brings every row to the place of the last.",
    )


def lost(name):
    """How far behind the best a weight is 0, in each format."""
    behind = {kind: zero_from(dtype) for kind, dtype in reversed(KINDS.items())}
    fig, _ = dot_rows(
        behind, x="points behind the best, at β = 1", ticks=(1, 10, 100, 1000), write="{:.1f}", name=name
    )
    fig.show(
        title="How far behind a weight becomes 0",
        alt="Points behind the best at which a weight is 0 at the latest: "
        + ", ".join(f"{kind} {value:.1f}" for kind, value in behind.items())
        + ".",
        caption="Right of its dot, a format has no weight but 0. The axis goes in powers of ten.",
    )
