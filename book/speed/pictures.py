"""The static pictures and the table of the chapter *speed*, all from the last full run of the benchmark."""

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from book.plots import canvas, grouped, ink, label, line
from book.rows import blank
from book.speed.measured import curve, fresh, machine, reached, rows
from book.tables import Table
from lib import causal_mask, window_mask

DASHED = (0, (5, 2.5))
DRAWN = {  # the curve in the results, its name in the picture, and its line
    "softmax, scores stored": ("scores stored", {"color": ink("score"), "linewidth": 2.0}),
    "softmax": ("fused", line("softmax")),
    "softmax, window of 256": ("window of 256", {"color": ink("weight"), "linestyle": DASHED, "linewidth": 2.0}),
    "linear attention, causal": ("linear", {"color": ink("ink"), "linestyle": (0, (1.2, 1.8)), "linewidth": 2.0}),
}
SIZES = (256, 1024, 4096, 16_384)


def _curves(name, which, y, ticks, low, placed):
    """Each way against n, both axes in powers; `placed` shifts the names at the ends of the lines."""
    fig, ax = canvas(name, x="words n", y=y, height=380, left=66, right=152)
    for key, (words, drawn) in DRAWN.items():
        points = {n: both[which] for n, both in curve(key).items()}
        n = max(points)
        ax.plot(list(points), list(points.values()), marker="o", markersize=4, **drawn)
        colour = {"scores stored": "score", "linear": "ink"}.get(words, "weight")
        dx, dy = placed.get(words, (8, -5))
        label(ax, n, points[n], words, colour, dx=dx, dy=dy, ha="left" if dx > 0 else "right")
    ax.set(xscale="log", yscale="log", ylim=(low, None))
    ax.set_xticks(SIZES, [grouped(f"{n:,}") for n in SIZES])
    ax.set_yticks(ticks, [grouped(f"{tick:,g}") for tick in ticks])
    ax.minorticks_off()
    return fig


def _told(which, unit):
    ends = {name: list(curve(key).items())[-1] for key, (name, _) in DRAWN.items()}
    return "; ".join(f"{name} {both[which]:.0f} {unit} at {n} words" for name, (n, both) in ends.items())


def memory(name):
    """The memory of four ways to attention as n grows."""
    placed = {"window of 256": (8, 1), "fused": (8, -14)}
    _curves(name, 1, "memory, MB", (1, 10, 100, 1000), 0.3, placed).show(
        title="Memory as the text grows",
        alt=f"Memory against the number of words, four lines on logarithmic axes. {_told(1, 'MB')}. The line "
        "with scores stored is about twice as steep as the others.",
        caption=f"Measured, beside queries, keys and values: {machine()}; four heads, d = 64, float32. With "
        "scores stored the run ends at 8192 words. Linear attention, in pieces, holds more than fused.",
    )


def time(name):
    """The time of the same."""
    placed = {"scores stored": (-10, -1), "window of 256": (8, 4), "linear": (8, -16)}
    _curves(name, 0, "time, ms", (1, 10, 100, 1000), 0.6, placed).show(
        title="Time as the text grows",
        alt=f"Time against the number of words, four lines on logarithmic axes. {_told(0, 'ms')}. Window "
        "and linear attention rise less steeply than the first two.",
        caption="Others used the machine too: when repeated, points move by a fifth and more. “Window” and "
        "“linear” are explained below. These two hide later words, the others do not.",
    )


def table():
    """The rows about attention of the last full run."""
    lines = [
        (
            work,
            f"{row['ours_ms']:.1f}",
            row["peer"],
            f"{row['ratio']:.2f}",
            f"{row['target']:.2f}" + ("" if reached(row) else ", missed"),
        )
        for work, row in rows().items()
        if "attention" in work or "decode" in work
    ]
    return Table(("work", "ms", "against", "ratio", "wanted"), tuple(lines), right=(1, 3))


def fresh_table():
    """Times with new memory for each large array, and with memory kept."""
    new, kept = (fresh()[how] for how in ("new", "kept"))
    told = lambda one: (f"{one['ms']:.0f}", grouped(f"{one['faults']:,}"))  # noqa: E731
    lines = [
        (DRAWN[name][0], grouped(f"{n:,}"), *told(one), *told(kept[name][n]))
        for name, points in new.items()
        for n, one in points.items()
    ]
    heads = ("attention", "words", "new memory, ms", "page faults", "memory kept, ms", "page faults")
    return Table(heads, tuple(lines), right=(1, 2, 3, 4, 5))


def reads(name, blocks=(1, 16, 256)):
    """Products for each byte moved against n, if keys and values are read once for each block of queries."""
    n = np.geomspace(16, 1_048_576, 200)
    fig, ax = canvas(name, x="words n", y="products for each byte moved", height=360, left=78, right=176)
    ax.plot(n, n / 8, color=ink("quiet"), linewidth=1.5, linestyle=(0, (1.2, 1.8)))
    label(ax, 4096, 512, "each byte once: n/8", "quiet", dx=20, dy=-12)
    for a in blocks:
        read = n / (4 * (1 + n / a))  # 2n²d products; queries and outputs once, keys and values n/a times
        read = np.where(n < a, n / 8, read)
        ax.plot(n, read, color=ink("ink"), linewidth=2)
        label(ax, n[-1], read[-1], f"blocks of {a}" if a > 1 else "one query", "ink", dx=8, dy=-5)
    ax.set(xscale="log", yscale="log", xlim=(16, n[-1]), ylim=(0.1, 3000))
    ax.set_xticks([16, 256, 4096, 65_536], ["16", "256", "4096", "65\u202f536"])
    ax.set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1000"])
    ax.minorticks_off()
    fig.show(
        title="The longer the block, the more products for each byte",
        alt="On logarithmic axes the products for each byte moved, against n. If each byte were moved once, they "
        "would rise in proportion to n. With blocks of queries they level off, at a quarter of the size of "
        "the block.",
        caption="In a long text it is the size of the block that counts, a quarter of it, and no longer n.",
    )


def ring(name, count=4):
    """At which step each process has which part of the keys, as these go round in a ring."""
    fig, ax = canvas(name, height=330, left=132, right=20, top=64, bottom=12)
    for process, part in np.ndindex(count, count):
        step = (process - part) % count + 1
        look = {"facecolor": ink("score"), "alpha": 0.46 - 0.11 * (step - 1), "linewidth": 0}
        ax.add_patch(Rectangle((part - 0.47, process - 0.46), 0.94, 0.92, **look))
        label(ax, part, process, f"step {step}", dy=-5, ha="center", halo=False)
    ax.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    blank(ax)
    for i in range(count):
        label(ax, -0.5, i, f"process {i + 1}", dx=-10, dy=-5, ha="right")
        label(ax, i, -0.5, f"part {i + 1}", dy=10, ha="center")
    label(ax, -0.5, -0.5, "keys and values of", "quiet", dy=38)
    fig.show(
        title="Keys and values go round in a ring",
        alt=f"A grid of {count} processes and {count} parts of the text. In step 1 each process has its own part, "
        "in each further step the part of the one before it, until each has met all.",
        caption="Each row is a process with the queries of its part. In each step every process works, on another "
        "part of the keys, and then hands it on; at the end each query has met every key. With later "
        "words hidden, there is less to do.",
    )


def pairs(name, n=16, window=4):
    """Which pairs of query and key meet: all, up to its own, in a window, and none; what is hidden is hatched."""
    ways = {
        "all pairs": np.ones((n, n), dtype=bool),
        "later hidden": causal_mask(n),
        "window": window_mask(n, window=window),
        "linear": np.zeros((n, n), dtype=bool),
    }
    fig, ax = canvas(name, height=214, left=4, right=4, top=34, bottom=36)
    each = 1.08 * n
    for place, (what, meet) in enumerate(ways.items()):
        left = place * each
        if meet.any():
            edges = [(left + row.argmax(), left + row.argmax() + row.sum()) for row in meet]
            down = [(end, i + step) for i, (_, end) in enumerate(edges) for step in (0, 1)]
            up = [(start, i + step) for i, (start, _) in enumerate(edges) for step in (0, 1)]
            square = {"facecolor": "none", "edgecolor": ink("line"), "hatch": "////", "linewidth": 0}
            ax.add_patch(Rectangle((left, 0), n, n, **square))  # what is hidden, and over it what meets
            ax.add_patch(Polygon([*down, *up[::-1]], facecolor=ink("score"), linewidth=0))
        ax.add_patch(Rectangle((left, 0), n, n, facecolor="none", edgecolor=ink("quiet"), linewidth=1))
        label(ax, left, 0, what, dy=10)
        label(ax, left, n, f"{meet.mean():.0%}" if meet.any() else "no pairs", "quiet", dy=-26)
    ax.set(xlim=(0, 3 * each + n), ylim=(n, 0))
    blank(ax)
    fig.show(
        title="Which pairs meet",
        alt=f"Four squares of {n} queries by {n} keys, filled where a query meets a key. All pairs: the whole "
        "square. Later words hidden: the half below the diagonal. A window: a narrow band along the diagonal. "
        "Linear: empty.",
        caption=f"A row for each of {n} queries, a column for each of {n} keys, filled where the two meet "
        f"and hatched where a mask hides the key; the window is {window} keys wide. In a longer text the half "
        "stays a half, and the band gets ever thinner.",
    )
