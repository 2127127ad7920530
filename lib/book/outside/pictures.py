"""The static plot of the chapter *outside*: what linear attention saves."""

import numpy as np

from lib.book.plots import canvas, ink, label, show


def meeting(name, n=6):
    """Left, each query meets each key; right, all keys go into one sum, which each query meets."""
    fig, ax = canvas(height=310, left=16, right=16, top=56, bottom=48)
    places = np.linspace(0, 1, n)
    for left, right, title, count in (
        (0.0, 1.0, "all pairs", f"{n} · {n} = {n * n} meetings"),
        (1.5, 2.5, "one sum between", f"{n} + {n} = {2 * n} meetings"),
    ):
        if left:
            middle = (left + right) / 2
            for y in places:
                ax.plot([left, middle, right], [y, 0.5, y], color=ink("quiet"), linewidth=1.2)
            ax.plot(
                middle,
                0.5,
                "s",
                color=ink("paper"),
                markeredgecolor=ink("ink"),
                markeredgewidth=1.5,
                markersize=30,
            )
            label(ax, middle, 0.5, "Σ", "ink", dy=-5, ha="center")
        else:
            for y in places:
                for other in places:
                    ax.plot([left, right], [y, other], color=ink("quiet"), linewidth=0.8)
        ax.plot([left] * n, places, "o", color=ink("ink"), markersize=8)
        ax.plot([right] * n, places, "o", color=ink("ink"), markersize=8)
        label(ax, left, 1, "keys", "ink", dy=12, ha="center")
        label(ax, right, 1, "queries", "ink", dy=12, ha="center")
        label(ax, (left + right) / 2, 0, count, "ink", dy=-26, ha="center")
        label(ax, (left + right) / 2, 1, title, "quiet", dy=34, ha="center")
    ax.set(xlim=(-0.25, 2.75), ylim=(-0.05, 1.05), xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines["bottom"].set_visible(False)
    show(
        fig,
        name,
        title="What linear attention saves",
        alt=f"Left, {n} keys and {n} queries, and a line from each key to each query, {n * n} lines. Right, a "
        f"line from each of the {n} keys to one box in the middle, and from the box to each of {n} queries.",
        caption="Ordinary attention, left, has as many meetings as pairs. In linear attention, right, the keys "
        "and values are summed up once, and each query meets only the sums.",
    )
