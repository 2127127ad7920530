"""The static plots of the chapter *experiments*, all from committed results: see `measured`."""

import numpy as np

from book import encoder
from book.experiments import measured
from book.models.induction import BETAS as TIMES
from book.models.induction import CASES, MAPS, RATES
from book.models.learned_beta import LONGER, NOISE
from book.models.retrieval import SIZES, STEPS
from book.models.sharpness import BETAS
from book.plots import WIDTH, canvas, grouped, ink, label, line, style
from book.rows import bar_rows
from book.tables import Table

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
    """Samples of lines with their names, from (x, y) on downwards, in shares of the panel's width and height."""
    for k, (name, (colour, drawn)) in enumerate(names.items()):
        ax.plot([x, x + 0.07], [y - k * step] * 2, transform=ax.transAxes, clip_on=False, **drawn)
        ax.annotate(
            name, (x + 0.09, y - k * step), xycoords="axes fraction", xytext=(0, -5), textcoords="offset points",
            color=ink(colour), va="baseline",
        )  # fmt: skip


def _shares(ax, ticks=(0, 0.5, 1)):
    ax.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])


def retrieval(name):
    """Right answers against the number of items, where the lead stays and where it shrinks."""
    grows = {"softmax, log n": ("weight", GROWING)}
    rules = {"softmax, log n": "log n, at test"}
    more = {each: (each, line(each)) for each in ("sparsemax", "entmax")}
    titles = ("Right answers where the lead stays", "Right answers where it shrinks")
    fig, (stays, shrinks) = stacked(name, titles, "items n")
    for ax, lead, drawn in ((stays, 0.1, grows | more), (shrinks, 0.0, grows)):
        if not lead:
            ceiling = measured.retrieved("softmax", lead, "ceiling")
            ax.plot(SIZES, np.median(ceiling, axis=0), **CEILING)
        for each, (colour, look) in drawn.items():
            rows = measured.retrieved(rules.get(each, each), lead)
            ax.plot(SIZES, np.median(rows, axis=0), **look)
            whiskers(ax, SIZES, rows, colour)
        for steps, wide in zip(STEPS if lead else STEPS[:1], (2.0, 2.6, 3.4), strict=False):
            rows = measured.retrieved("softmax", lead, steps=steps)
            ax.plot(SIZES, np.median(rows, axis=0), **line("softmax") | {"linewidth": wide})
            whiskers(ax, SIZES, rows, "weight")
        ax.set(xscale="log", ylim=(0, 1.22 if lead else 1.04), xlim=(14, 4700))
        ax.set_xticks([16, 64, 256, 1024, 4096], ["16", "64", "256", "1024", "4096"] if not lead else [""] * 5)
        ax.minorticks_off()
        _shares(ax)
    label(stays, 16, 1, "softmax with log n, sparsemax, entmax", dy=9)
    ends = {}
    for steps, (n, dx, dy) in zip(STEPS, ((256, -10, -30), (1024, -10, -24), (4096, -6, -26)), strict=True):
        rows = np.median(measured.retrieved("softmax", 0.1, steps=steps), axis=0)
        ends[steps] = rows[-1]
        said = f"softmax, {grouped(f'{steps:,}')} steps" if steps == STEPS[0] else grouped(f"{steps:,}")
        label(stays, n, rows[SIZES.index(n)], said, "weight", dx=dx, dy=dy, ha="right")
    key(shrinks, 0.6, 0.93, 0.163, {"ceiling": ("quiet", CEILING), "with log n": grows["softmax, log n"],
                                    "softmax": ("weight", line("softmax"))})  # fmt: skip
    told = ", ".join(f"{each} {np.median(measured.retrieved(rules.get(each, each), 0.1)[:, -1]):.0%}"
                     for each in grows | more)  # fmt: skip
    longer = ", ".join(f"{end:.0%} after {steps} steps" for steps, end in ends.items())
    fig.show(
        title="Right answers as rows grow",
        alt="Share of right answers against the number of items, 16 to 4096. "
        f"Where the lead stays, at 4096: softmax {longer}; {told}. Where it shrinks, the ceiling falls from "
        "nearly all to a fifth; softmax lies below it, and softmax with β in proportion to log n between the "
        "two or near it.",
        caption=f"{SWEPT} Trained with 16 items at most, for 700 steps where no other number stands. "
        "Ceiling: all weight on the highest score.",
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
    """The way of a β that is learned, from two starts, for each size of noise in training."""
    fig, ax = canvas(name, x="step of training", y="β", height=420, left=52, right=150)
    told = []
    for noise in NOISE:
        for start, dashes in ((16.0, "-"), (4.0, (0, (5, 2.5)))):
            places, betas = measured.on_its_way(noise, start)
            colour = "quiet" if noise == 0 else "weight"
            ax.plot(places, betas, color=ink(colour), linewidth=2, linestyle=dashes)
            ax.plot(places[-1], betas[-1], "o", color=ink(colour), markersize=6, clip_on=False)
            told.append(f"{betas[-1]:.1f} from {start:g}")
        if noise:
            label(ax, places[-1], betas[-1], f"noise {noise:g}", colour, dx=12, dy=-5)
    label(ax, LONGER, measured.on_its_way(0.0, 16.0)[1][-1], "no noise", "quiet", dx=12, dy=-5)
    ax.set(xscale="log", yscale="log", xlim=(100, LONGER), ylim=(1.7, 24))
    ax.set_xticks([100, 300, 1000, 3000, LONGER], ["100", "300", "1000", "3000", grouped(f"{LONGER:,}")])
    ax.set_yticks([2, 4, 8, 16], ["2", "4", "8", "16"])
    ax.minorticks_off()
    pairs = "; ".join(f"with noise {noise:g} at {told[2 * k]}, {told[2 * k + 1]}" for k, noise in enumerate(NOISE))
    fig.show(
        title="Temperature learns the noise",
        alt=f"The learned β against steps of training, started at 16 and at 4. It ends {pairs}. With noise the "
        "two ways meet.",
        caption="From runs that were made before: medians of eight seeds. Solid from β = 16, dashed from 4.",
    )


# Maps as their lines are called.
NAMES = dict(zip(MAPS, ("softmax", "entmax", "sparsemax", "sigmoid", "relu"), strict=True))
SAID = NAMES | {"relu_norm": "ReLU"}
INK = NAMES | {"softmax": "weight"}


def arrivals(ax, each, places, seeds):
    """The line of a map: the median of its steps at each place, (places, seeds); what it shows, in words."""
    there = np.isfinite(seeds).sum(axis=1)
    middle = np.where(there > 4, np.median(seeds, axis=1), np.nan)
    colour, places = ink(INK[each]), np.array(places)
    ax.plot(places, middle, **line(NAMES[each]))
    for full, fill in ((there == 8, colour), ((there > 4) & (there < 8), ink("paper"))):
        look = {"markerfacecolor": fill, "markeredgecolor": colour, "markeredgewidth": 1.5}
        ax.plot(places[full], middle[full], "o", linestyle="none", markersize=7, **look)
    return f"{SAID[each]} " + ", ".join("fails" if np.isnan(m) else f"{m:.0f}" for m in middle)


def betas(name):
    """The same against β, at a small rate of learning and at a large one."""
    small, large = 0.003, 0.03
    titles = [f"Steps until 98 % are right, at the rate {rate:g}" for rate in (small, large)]
    fig, axes = stacked(name, titles, "β, over the usual one")
    told = []
    for ax, rate, heights in zip(axes, (small, large), ((230, 2200), (100, 700)), strict=True):
        of = {each: [measured.steps(each, rate, measured.at_beta(beta)) for beta in TIMES] for each in MAPS[:4]}
        said = [arrivals(ax, each, TIMES, seeds) for each, seeds in of.items()]
        told.append(f"At the rate {rate:g}: {'; '.join(said)}.")
        ax.set(xscale="log", yscale="log", xlim=(0.115, 2.15), ylim=heights)
        ax.set_xticks(TIMES, ["⅛", "¼", "½", "1", "2"] if ax is axes[-1] else [""] * len(TIMES))
        ticks = [tick for tick in (100, 200, 400, 800) if heights[0] <= tick <= heights[1]]
        ax.set_yticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
    key(axes[0], 0.64, 0.95, 0.155, {SAID[each]: (INK[each], line(NAMES[each])) for each in MAPS[3::-1]})
    fig.show(
        title="What seemed to be the map is β",
        alt=f"Median steps until 98 percent are right, of eight seeds, at ⅛, ¼, ½, 1 and 2 times the usual β. "
        f"{' '.join(told)}",
        caption="Runs made before, medians of eight seeds; at most 1200 steps. A ring: not all eight arrive. A "
        "line ends where half of them or more fail.",
    )


def rates(name):
    """After how many steps each map has 98 % right, at each rate of learning, and how many of the seeds get "
    "there."""
    fig, ax = canvas(name, x="rate of learning", y="steps until 98 % are right", height=440, left=58)
    told = [arrivals(ax, each, RATES, [measured.steps(each, rate) for rate in RATES]) for each in MAPS]
    key(ax, 0.64, 0.95, 0.085, {SAID[each]: (INK[each], line(NAMES[each])) for each in MAPS[::-1]})
    ax.set(xscale="log", yscale="log", xlim=(0.0018, 0.033), ylim=(100, 1300))
    ax.set_xticks(RATES, [f"{rate:g}" for rate in RATES])
    ax.set_yticks([100, 200, 400, 800], ["100", "200", "400", "800"])
    ax.minorticks_off()
    fig.show(
        title="Which map learns soonest depends on the step",
        alt="Median steps until 98 percent are right, of eight seeds, at the rates "
        f"{', '.join(f'{rate:g}' for rate in RATES)}. {'. '.join(told)}.",
        caption="Runs made before, medians of eight seeds; at most 1200 steps. A ring: not all eight arrive. A "
        "line ends where half of them or more fail.",
    )


def table():
    """Softmax and entmax with one thing changed at a time: how many of eight seeds arrive, and how soon."""
    rows = []
    for case, says in {
        "plain": "as above",
        "small queries": "queries and keys half as large at first",
        "long warm-up": "warm-up of 200 steps",
        "no clipping": "gradients not clipped",
        "long memory": "β₂ of the optimiser 0.999",
        "larger": "width 64, four heads, 32 symbols",
    }.items():
        rates = [rate for rate in (0.003, 0.01, 0.02, 0.03) if rate in CASES[case][1]]
        for each in ("softmax", "entmax"):
            cells = [_arrivals(measured.steps(each, rate, case)) for rate in rates]
            rows.append((says if each == "softmax" else "", SAID[each], *cells, *[""] * (4 - len(cells))))
    return Table(("changed", "map", "0.003", "0.01", "0.02", "0.03"), tuple(rows), right=(2, 3, 4, 5))


def _arrivals(steps):
    """The median of the steps where all eight seeds arrive; else how many do."""
    there = int(np.isfinite(steps).sum())
    return f"{np.median(steps):.0f}" if there == len(steps) else f"{there} of {len(steps)}"


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
