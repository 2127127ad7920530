"""The static picture of the chapter *numerics*: where the numbers of float16 lie."""

import numpy as np

from lib.book.plots import canvas, ink, label, show

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
    fig, ax = canvas(x="points further on", height=330, left=132, right=112, top=20, bottom=64)
    for row, start in enumerate(STARTS):
        marks = numbers_between(start, start + 1) - start
        ax.plot([0, 1], [row, row], color=ink("line"), linewidth=1)
        ends = np.stack([marks, marks, np.full(len(marks), np.nan)])
        heights = np.stack(
            [np.full(len(marks), row), np.full(len(marks), row - 0.62), np.full(len(marks), np.nan)]
        )
        ax.plot(ends.T.ravel(), heights.T.ravel(), color=ink("ink"), linewidth=1.5)
        label(ax, 0, row, f"from {start}", "ink", dx=-12, dy=4, ha="right")
        gap = float(np.spacing(np.float16(start)))
        label(ax, 1, row, f"gap {gap:g}" if gap >= 1 else f"gap 1/{1 / gap:g}", "quiet", dx=12, dy=4)
    ax.set(xlim=(-0.01, 1.01), ylim=(len(STARTS) - 0.6, -1), yticks=[])
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    ax.grid(False)
    counts = ", ".join(f"{len(numbers_between(x, x + 1))} from {x}" for x in STARTS)
    show(
        fig,
        name,
        title="A ruler of float16",
        alt="Five rulers, each one point long, with a mark at every number of float16. How many marks there are, "
        f"both ends included: {counts}.",
        caption="Each ruler is one point of score long, and each mark is a number of float16. The further from 0, "
        "the fewer there are; from 2048 on, a whole point falls into a gap.",
    )
