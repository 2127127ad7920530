"""The static plots of what attention costs as n grows; the points come from the benchmarks' result file."""

import numpy as np

from lib.book.plots import canvas, ink, label, line, show

# What each curve is called on the plot, its colour and its line. Softmax has one colour, however it is computed.
LOOKS = {
    "softmax, scores stored": ("scores stored", "weight", {**line("softmax"), "linestyle": (0, (1, 2))}),
    "softmax": ("softmax", "weight", line("softmax")),
    "entmax 1.5": ("entmax", "entmax", line("entmax")),
    "sparsemax": ("sparsemax", "sparsemax", line("sparsemax")),
    "softmax, window of 256": ("window", "weight", {**line("softmax"), "linestyle": (0, (8, 2))}),
    "linear attention, causal": ("linear", "ink", {"color": ink("ink"), "linewidth": 2.0}),
}
AXES = {"ms": ("time", "time of one call, ms"), "mb": ("memory", "memory that one call adds, MB")}
HEIGHT, TOP, BOTTOM = 460, 44, 64
APART = 25  # units between two names at the right: more than the height of the largest text


def against_length(curves, key, name):
    """Time (key "ms") or memory ("mb") against n, both logarithmic: a line for each curve, named at its end.

    `curves` is what stands under "scaling" in the result file: by the names above, the points (a list of
    {"n", "ms", "mb"}), the "powers" of n that fit them, the n they are "fitted_from", "heads" and "width".
    """
    what, title = AXES[key]
    lines = {curve: measured(curves[curve], key) for curve in LOOKS if curve in curves}
    lines = {curve: points for curve, points in lines.items() if len(points) > 0}
    n, y = np.concatenate(list(lines.values())).T
    low, high = np.floor(np.log10(y.min())), np.log10(y.max()) + 0.3

    fig, ax = canvas(x="sequence length n", y=title, height=HEIGHT, left=84, right=134, top=TOP, bottom=BOTTOM)
    for curve, points in lines.items():
        ax.plot(*points.T, marker="o", markersize=5, clip_on=False, **LOOKS[curve][2])
    ax.set(xscale="log", yscale="log", xlim=(n.min() / 1.2, n.max()), ylim=(10**low, 10**high))
    sizes = np.unique(n)[::-2]
    ax.set_xticks(sizes, [f"{size:.0f}" for size in sizes])
    ticks = 10 ** np.arange(low, high)
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    name_lines(ax, lines, n.max(), (HEIGHT - TOP - BOTTOM) / (high - low))

    powers = {LOOKS[curve][0]: curves[curve]["powers"][key] for curve in lines}
    fits = ", ".join(f"{words} {power:.2f}" for words, power in powers.items() if power is not None)
    one = curves[next(iter(lines))]
    show(
        fig,
        name,
        title=f"{what.capitalize()} against length",
        alt=f"On logarithmic axes, {what} against sequence length, from {n.min():.0f} to {n.max():.0f}: nearly "
        f"straight lines, whose slopes are powers of the length. They are: {fits}.",
        caption=f"One sequence, {one['heads']} heads of width {one['width']}. The power of n that fits best from "
        f"n = {one['fitted_from']} on: {fits}.",
    )


def measured(curve, key):
    """Rows of n and time or memory, where that is known and more than nothing."""
    return np.array([(point["n"], point[key]) for point in curve["points"] if point[key]])


def name_lines(ax, lines, last, decade):
    """The name of each line at its end; `decade` is the height of a factor of ten, in units of the picture."""
    ends = {curve: points[-1] for curve, points in lines.items()}
    full = [curve for curve, end in ends.items() if end[0] == last]
    heights = np.array([np.log10(ends[curve][1]) * decade for curve in full])
    shifts = dict(zip(full, spread(heights, APART) - heights, strict=True))
    for curve, end in ends.items():
        words, colour, _ = LOOKS[curve]
        if curve in shifts:
            label(ax, *end, words, colour, dx=9, dy=shifts[curve] - 5)
        else:  # it stopped for its size, so above it there is room
            label(ax, *end, words, colour, dx=-9, dy=4, ha="right")


def spread(places, apart):
    """The places moved, by the least sum of squares, so that no two are closer than `apart`; order is kept.

    >>> spread([0.0, 10.0, 1.0], apart=3)
    array([-1., 10.,  2.])
    """
    order = np.argsort(places)
    steps = apart * np.arange(len(places))
    groups = []  # neighbours that touch
    for place in np.asarray(places)[order] - steps:
        groups.append([place])
        while len(groups) > 1 and np.mean(groups[-2]) > np.mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    moved = np.empty(len(places))
    moved[order] = np.concatenate([np.full(len(group), np.mean(group)) for group in groups]) + steps
    return moved
