"""The static plots of the chapter *experiments*, all from committed results: see `measured`."""

import numpy as np

from book import encoder
from book.experiments import measured
from book.models.induction import MAPS, WINDOW
from book.models.learned_beta import NOISE
from book.models.retrieval import SIZES
from book.models.sharpness import BETAS
from book.plots import WIDTH, canvas, ink, label, line, style
from book.rows import bar_rows

GROWING = {"color": ink("weight"), "linestyle": (0, (5, 2.5)), "linewidth": 2.0}
CEILING = {"color": ink("quiet"), "linestyle": "-", "linewidth": 5.0, "alpha": 0.5, "solid_capstyle": "butt"}
ENDS = (BETAS[0], BETAS[-1])
LEFT, GAP, TOP, BOTTOM = 74, 68, 40, 66
SWEPT = "From runs that were made before, with eight seeds: medians, with the least and the greatest."


def stacked(name, titles, x, *, each=184, right=22):
    """Panels under each other, each with its title above it; the last has the name of the horizontal axis."""
    height = TOP + BOTTOM + each * len(titles) + GAP * (len(titles) - 1)
    fig, first = canvas(name, x=x, height=height, left=LEFT, right=right, top=TOP, bottom=height - TOP - each)
    axes = [first]
    with style():
        for k in range(1, len(titles)):
            low = (height - TOP - each - k * (each + GAP)) / height
            place = (LEFT / WIDTH, low, (WIDTH - LEFT - right) / WIDTH, each / height)
            axes.append(fig.add_axes(place))
        for k, title in enumerate(titles):
            fig.text(0, 1 - (18 + k * (each + GAP)) / height, title)
    return fig, axes


def whiskers(ax, x, rows, colour):
    """From the least to the greatest of the seeds at each place, as one path."""
    gap = np.full(len(x), np.nan)
    y = np.stack([rows.min(axis=0), rows.max(axis=0), gap])
    ax.plot(np.stack([x, x, gap]).T.ravel(), y.T.ravel(), color=ink(colour), linewidth=1.2)


def key(ax, x, y, step, names):
    """Samples of lines with their names, from (x, y) on downwards; x in shares of the width, y as on the axis."""
    to_x = ax.get_yaxis_transform()
    for k, (name, (colour, drawn)) in enumerate(names.items()):
        ax.plot([x, x + 0.07], [y - k * step] * 2, transform=to_x, clip_on=False, **drawn)
        ax.annotate(
            name, (x + 0.09, y - k * step), xycoords=to_x, xytext=(0, -5), textcoords="offset points",
            color=ink(colour), va="baseline",
        )  # fmt: skip


def _shares(ax, ticks=(0, 0.5, 1)):
    ax.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])


def retrieval(name):
    """Right answers against the number of items, where the lead stays and where it shrinks."""
    maps = {"softmax": ("weight", line("softmax")), "softmax, log n": ("weight", GROWING)}
    rules = {"softmax": "softmax", "softmax, log n": "log n, at test"}
    more = {each: (each, line(each)) for each in ("sparsemax", "entmax")}
    titles = ("Right answers where the lead stays", "Right answers where it shrinks")
    fig, (stays, shrinks) = stacked(name, titles, "items n")
    for ax, lead, drawn in ((stays, 0.1, maps | more), (shrinks, 0.0, maps)):
        if not lead:
            ceiling = measured.retrieved("softmax", lead, "ceiling")
            ax.plot(SIZES, np.median(ceiling, axis=0), **CEILING)
        for each, (colour, look) in drawn.items():
            rows = measured.retrieved(rules.get(each, each), lead)
            ax.plot(SIZES, np.median(rows, axis=0), **look)
            whiskers(ax, SIZES, rows, colour)
        ax.set(xscale="log", ylim=(0, 1.22 if lead else 1.04), xlim=(14, 4700))
        ax.set_xticks([16, 64, 256, 1024, 4096], ["16", "64", "256", "1024", "4096"] if not lead else [""] * 5)
        ax.minorticks_off()
        _shares(ax)
    label(stays, 16, 1, "softmax with log n, sparsemax, entmax", dy=9)
    label(stays, 300, 0.42, "softmax", "weight", ha="right")
    key(shrinks, 0.6, 0.97, 0.17, {"ceiling": ("quiet", CEILING), "with log n": maps["softmax, log n"],
                                    "softmax": maps["softmax"]})  # fmt: skip
    ends = {each: np.median(measured.retrieved(rules.get(each, each), 0.1)[:, -1]) for each in maps | more}
    told = ", ".join(f"{each} {end:.0%}" for each, end in ends.items())
    fig.show(
        title="Right answers as rows grow",
        alt="Share of right answers against the number of items, 16 to 4096. "
        f"Where the lead stays, at 4096: {told}. Where it shrinks, the ceiling falls from nearly all "
        "to a fifth; softmax lies below it, and softmax with β in proportion to log n between the two or near it.",
        caption=f"{SWEPT} Trained with 16 items at most. Ceiling: all weight on the highest score.",
    )


def brittle(name):
    """Right answers against the sharpness of the model, with noise and without."""
    noises = {  # for each number of keys: what is drawn, the noise, colour and marker, and a shift of its name
        4: {"no noise": ("clean", None, "quiet", "", -4), "noisy keys": ("keys", 2.0, "score", "s", -5),
            "noisy values": ("values", 0.75, "ink", "o", -5)},
        1: {"no noise": ("clean", None, "quiet", "", 3), "noisy keys": ("keys", 1.0, "score", "s", -5),
            "noisy values": ("values", 0.25, "ink", "o", -24)},
    }  # fmt: skip
    titles = ("Four keys carry the answer: right answers", "One key carries it: right answers")
    fig, axes = stacked(name, titles, "inverse temperature β", right=176)
    places = np.array(BETAS)
    for ax, (agree, lines) in zip(axes, noises.items(), strict=True):
        for said, (what, level, colour, marker, dy) in lines.items():
            rows = np.array([measured.looked_up(agree, beta, what, level) for beta in BETAS]).T  # (seeds, β)
            ax.plot(places, np.median(rows, axis=0), color=ink(colour), marker=marker, linewidth=2, markersize=6)
            whiskers(ax, places, rows, colour)
            label(ax, places[-1], np.median(rows[:, -1]), said, colour, dx=16, dy=dy)
        ax.set(xscale="log", ylim=(0.4, 1.03), xlim=(3.6, 1.1 * BETAS[-1]))
        ax.set_xticks(places, [f"{beta:g}" for beta in BETAS] if ax is axes[-1] else [""] * len(BETAS))
        ax.minorticks_off()
        _shares(ax, (0.4, 0.6, 0.8, 1))
    ends = {
        agree: [np.median(measured.looked_up(agree, beta, *of[:2])) for of in lines.values() for beta in ENDS]
        for agree, lines in noises.items()
    }
    told = "from {0:.0%} to {1:.0%} without noise, {2:.0%} to {3:.0%} with noisy keys, {4:.0%} to {5:.0%} with "
    told += "noisy values"
    fig.show(
        title="Sharpness and noise",
        alt="Share of right answers at β = 4, 8, 16 and 128. Where four keys carry the answer they go "
        f"{told.format(*ends[4])}. Where one key carries it, {told.format(*ends[1])}.",
        caption=f"{SWEPT} Noise, four keys: 2 on keys, 0.75 on values; one key: 1 and 0.25.",
    )


def settled(name):
    """Where a learned β settles, against the noise in training, from two starts."""
    fig, ax = canvas(name, x="size of the noise on keys", y="β after training", height=400, left=52, right=22)
    for start, fill in ((16.0, "weight"), (4.0, "paper")):
        ends = np.array([measured.settled(noise, start) for noise in NOISE])  # (noises, seeds)
        middle = np.median(ends, axis=1)
        ax.plot([-0.18, 0], [start, middle[0]], color=ink("prior"), linewidth=1.2, linestyle=(0, (2, 3)))
        label(ax, -0.2, start, f"{start:g}", "quiet", dx=-6, dy=-5, ha="right")
        whiskers(ax, NOISE, ends.T, "weight")
        look = {"markerfacecolor": ink(fill), "markeredgecolor": ink("weight"), "markeredgewidth": 1.5}
        ax.plot(NOISE, middle, "o-", color=ink("weight"), markersize=8, linewidth=2, **look)
    label(ax, 0.5, 14.1, "started at 16", "weight", dx=12, dy=10)
    label(ax, 0.5, 6.5, "started at 4", "weight", dx=-4, dy=-30, ha="center")
    ax.set(yscale="log", ylim=(2, 22), xlim=(-0.3, 2.1))
    ax.set_xticks(NOISE, [f"{noise:g}" for noise in NOISE])
    ax.set_yticks([2, 4, 8, 16], [""] * 4)
    ax.minorticks_off()
    for tick in (2, 8):
        label(ax, -0.3, tick, f"{tick}", "quiet", dx=-2, dy=-5, ha="right")
    told = [f"{np.median(measured.settled(noise, start)):.1f}" for start in (4.0, 16.0) for noise in NOISE]
    fig.show(
        title="Temperature learns the noise",
        alt="Learned β against noise of size 0, 0.5, 1, 1.5 and 2. "
        f"Started at 4 it ends at {', '.join(told[:5])}; started at 16 at {', '.join(told[5:])}. "
        "From size 1 on the two lines are nearly one, and fall.",
        caption=f"{SWEPT} The dotted lines come from where β started.",
    )


# Maps as their lines are called.
NAMES = dict(zip(MAPS, ("softmax", "entmax", "sparsemax", "sigmoid", "relu"), strict=True))
SAID = NAMES | {"relu_norm": "ReLU"}
INK = NAMES | {"softmax": "weight"}


def steps(name, most=400):
    """After how many steps each map has 98 % right, seed by seed."""
    order = sorted(MAPS, key=lambda each: np.median(measured.steps(each)))
    fig, ax = canvas(name, x="steps until 98 % are right", height=40 * len(order) + 84, left=136, right=84, top=12)
    for y, each in enumerate(order):
        taken, colour = measured.steps(each), ink(INK[each])
        there = taken[np.isfinite(taken)]
        ax.plot(there, [y] * len(there), "o", color=colour, markersize=5)
        ring = {"markerfacecolor": ink("paper"), "markeredgecolor": colour, "markeredgewidth": 1.5}
        for _ in taken[np.isinf(taken)]:
            ax.plot(most, y, "o", markersize=7, clip_on=False, **ring)
        ax.plot([np.median(taken)] * 2, [y - 0.3, y + 0.3], color=colour, linewidth=2.5)
        label(ax, 100, y, SAID[each], INK[each], dx=-12, dy=-5, ha="right")
        label(ax, most, y, f"{np.median(taken):.0f}", INK[each], dx=24, dy=-5)
    ax.set(xlim=(100, most), ylim=(len(order) - 0.4, -0.6), yticks=[])
    ax.set_xticks([100, 200, 300, 400], ["100", "200", "300", "400"])
    ax.grid(False)
    told = ", ".join(f"{SAID[each]} {np.median(measured.steps(each)):.0f}" for each in order)
    fig.show(
        title="Steps to learn",
        alt=f"Steps until 98 percent are right, median of eight seeds: {told}. The dots of softmax and entmax lie "
        "among each other, and so do those of sparsemax and sigmoid; those of ReLU lie further right.",
        caption="Runs made before: a dot for each of eight seeds, a bar and a number for their median. "
        "Ring: not within 400 steps.",
    )


def twice(name):
    """How the share that is right rises where a symbol may come twice in a block."""
    fig, ax = canvas(name, x="step of training", y="right answers", height=360, left=74, right=146)
    ends = {}
    for each in MAPS:
        rows = measured.rising(each, "repeats")  # (seeds, windows)
        places = WINDOW * np.arange(1, rows.shape[1] + 1)
        ax.plot(places, np.median(rows, axis=0), **line(NAMES[each]))
        ends[each] = np.median(rows[:, -1])
    whiskers(ax, [800], measured.rising("softmax", "repeats")[:, -1:], "weight")
    shifts = {"softmax": 0, "entmax": 10, "sigmoid_weights": -5, "sparsemax": -28, "relu_norm": -36}
    for each, dy in shifts.items():
        label(ax, 800, ends[each], SAID[each], INK[each], dx=12, dy=dy - 5)
    ax.set(xlim=(100, 800), ylim=(0.7, 1))
    ax.set_xticks([200, 400, 600, 800], ["200", "400", "600", "800"])
    _shares(ax, (0.7, 0.8, 0.9, 1))
    told = ", ".join(f"{SAID[each]} {end:.0%}" for each, end in ends.items())
    fig.show(
        title="Where one symbol is not enough",
        alt="Share of right answers against steps of training. Four lines rise to about nine tenths by step 400, "
        f"that of ReLU to a little less; there they stay, and softmax leaves first. After 800 steps: {told}.",
        caption="Runs made before: medians of eight seeds where a symbol may come twice in a block. The upright "
        "at 800 goes from the least to the greatest of softmax.",
    )


def another(name):
    """How near the encoder's vectors stay to what they were, with another β or another map."""
    rows = {f"β × {said}": f"beta {factor}" for said, factor in
            {"0": "0", "¼": "0.25", "½": "0.5", "2": "2", "4": "4", "∞": "inf"}.items()}  # fmt: skip
    for each in ("sparsemax", "entmax"):
        factor = encoder.best_factor(each)
        rows |= {each: f"{each} 1", f"{each}, β × {factor:g}": f"{each} {factor:g}"}
    rows |= {"sigmoid": "sigmoid_weights", "sigmoid, over its sum": "sigmoid_weights renormalised"}
    rows |= {"softmax-plus-one": "softmax_plus_one"}
    hues = ["weight" if said.startswith("β") else said.split(",")[0] for said in rows]
    hues[-1] = "softmax-one"
    values = [encoder.cosine(change) for change in rows.values()]
    fig, _ = bar_rows(list(rows), {"cosine": values}, [hues], row=28, left=250, name=name)
    told = ", ".join(f"{said} {value:.2f}" for said, value in zip(rows, values, strict=True))
    fig.show(
        title="An encoder under other maps",
        alt=f"Mean cosine between the old vector of a sentence and the new one: {told}.",
        caption="Mean cosine with the vector as it was, over our sentences, from committed results. Nothing was "
        "trained anew.",
    )
