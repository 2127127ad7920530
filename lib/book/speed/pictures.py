"""The static pictures and the table of the chapter *speed*, all from the last full run of the benchmark."""

from lib.book.plots import canvas, ink, label, line, show
from lib.book.speed.measured import curve, machine, reached, rows
from lib.book.tables import Table

DASHED = (0, (5, 2.5))
DRAWN = {  # the curve in the results, its name in the picture, and its line
    "softmax, scores stored": ("scores stored", {"color": ink("score"), "linewidth": 2.0}),
    "softmax": ("fused", line("softmax")),
    "softmax, window of 256": ("window of 256", {"color": ink("weight"), "linestyle": DASHED, "linewidth": 2.0}),
    "linear attention, causal": ("linear", {"color": ink("ink"), "linestyle": (0, (1.2, 1.8)), "linewidth": 2.0}),
}
SIZES = (256, 1024, 4096, 16_384)


def _curves(which, y, ticks, low, placed):
    """Each way against n, both axes in powers; `placed` shifts the names at the ends of the lines."""
    fig, ax = canvas(x="tokens n", y=y, height=380, left=66, right=152)
    for key, (name, drawn) in DRAWN.items():
        points = {n: both[which] for n, both in curve(key).items()}
        n = max(points)
        ax.plot(list(points), list(points.values()), marker="o", markersize=4, **drawn)
        colour = {"scores stored": "score", "linear": "ink"}.get(name, "weight")
        dx, dy = placed.get(name, (8, -5))
        label(ax, n, points[n], name, colour, dx=dx, dy=dy, ha="left" if dx > 0 else "right")
    ax.set(xscale="log", yscale="log", ylim=(low, None))
    ax.set_xticks(SIZES, [f"{n:,}".replace(",", "\u202f") for n in SIZES])
    ax.set_yticks(ticks, [f"{tick:,g}".replace(",", "\u202f") for tick in ticks])
    ax.minorticks_off()
    return fig


def _told(which, unit):
    ends = {name: list(curve(key).items())[-1] for key, (name, _) in DRAWN.items()}
    return "; ".join(f"{name} {both[which]:.0f} {unit} at {n} tokens" for name, (n, both) in ends.items())


def memory(name):
    """The memory of four ways to attention as n grows."""
    show(
        _curves(1, "memory, MB", (1, 10, 100, 1000), 0.3, {"window of 256": (8, 1), "fused": (8, -14)}),
        name,
        title="Memory as the text grows",
        alt=f"Memory against the number of tokens, four lines on logarithmic axes. {_told(1, 'MB')}. The line "
        "with scores stored is twice as steep as the others.",
        caption=f"Measured, beside queries, keys and values: {machine()}; four heads, d = 64, float32. With "
        "scores stored the run ends at 8192 tokens. Linear attention, in pieces, holds more than fused.",
    )


def time(name):
    """The time of the same."""
    show(
        _curves(
            0,
            "time, ms",
            (1, 10, 100, 1000),
            0.6,
            {"scores stored": (-10, -1), "window of 256": (8, 4), "linear": (8, -16)},
        ),
        name,
        title="Time as the text grows",
        alt=f"Time against the number of tokens, four lines on logarithmic axes. {_told(0, 'ms')}. Window and "
        "linear attention have half the slope of the other two.",
        caption="The same run, on a machine that others use too: repeated, points move by a fifth and more. "
        "Window and linear hide later words, the other two do not.",
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
