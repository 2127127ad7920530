"""The static plots of the chapter *repairs*."""

import numpy as np

from book.plots import canvas, grouped, ink, label
from book.repairs.maps import LENGTHS, TRAINED, of_the_leader
from book.repairs.measured import CAP, cap_slope, capped
from book.repairs.trained import measured
from book.rows import bar_rows


def bent(name):
    """What a cap makes of a score, and how steep it is at three places."""
    fig, ax = canvas(name, x="score, points", y="after the cap, points", height=340)
    s = np.linspace(0, 150, 301)
    ax.axhline(CAP, color=ink("quiet"), linewidth=1, linestyle=(0, (6, 3)))
    label(ax, 150, CAP, "cap", "quiet", dy=8, ha="right")
    ax.plot([0, 62], [0, 62], color=ink("quiet"), linewidth=1.5, linestyle=(0, (2, 3)))
    ax.plot(s, capped(s), color=ink("score"))
    for at, dx, dy in ((25.0, 12, -14), (50.0, 12, -16), (100.0, -4, -28)):
        slope = cap_slope(at)
        wide = 11 / np.hypot(1, slope)
        ends = np.array([at - wide, at + wide])
        ax.plot(ends, capped(at) + slope * (ends - at), color=ink("ink"), linewidth=3.5, solid_capstyle="round")
        label(ax, at, capped(at), f"slope {slope:.2f}", dx=dx, dy=dy)
    label(ax, 62, 62, "no cap", "quiet", dx=8, dy=-4)
    ax.set(xlim=(0, 150), ylim=(0, 68), xticks=[0, 25, 50, 100, 150], yticks=[0, 25, 50])
    fig.show(
        title="A cap of 50 points",
        alt="The score after the cap against the score before it. The curve follows the diagonal at first, has a "
        "slope of 0.79 at 25 points and 0.42 at 50, is nearly level at 100 with 0.07, and stays below a "
        "line at 50.",
        caption="The slope says which part of a gradient comes through. Near the cap it is nearly nothing.",
    )


def length(name):
    """The weight of a word that leads by 9 points, against the length of the text, under three rules for β."""
    rules = {"log n": (0, (5, 2.5)), "steps": (0, (1.2, 1.8)), "one β": "-"}
    fig, ax = canvas(name, x="words n", y="weight of the leader", height=340, left=74, right=66)
    first, last = TRAINED // 8, LENGTHS[-1]
    n = np.unique(np.geomspace(first, last, 160).astype(int))
    steps = TRAINED * np.arange(1, 17)  # where the rule of Llama 4 jumps
    n = np.unique([*n, *steps, *(steps - 1)])
    for rule, dashes in rules.items():
        ax.plot(n, [of_the_leader(rule, each) for each in n], color=ink("weight"), linestyle=dashes)
    ends = {rule: of_the_leader(rule, last) for rule in rules}
    label(ax, last, ends["log n"], "log n", "weight", dy=10, ha="right")
    label(ax, last, ends["steps"], "Llama 4", "weight", dy=-26, ha="right")
    label(ax, 4 * TRAINED, of_the_leader("one β", 4 * TRAINED), "one β", "weight", dx=-14, dy=-16, ha="right")
    ax.axvline(TRAINED, color=ink("line"), linewidth=1.5)
    label(ax, TRAINED, 1.0, "longer than in training", "quiet", dx=8, dy=-24)
    ax.set(xscale="log", xlim=(first, last), ylim=(0, 1.04))
    ticks = [first, TRAINED, last]
    ax.set_xticks(ticks, [grouped(f"{tick:,}") for tick in ticks])
    ax.minorticks_off()
    ax.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    fig.show(
        title="A lead in long texts",
        alt="The weight of a word that leads by 9 points, in texts of 1024 to 131 072 words. Under all rules "
        f"it falls from {of_the_leader('one β', first):.0%} to half just before 8192. From there it falls to "
        f"{ends['one β']:.0%} with one β, stays at half if β grows with log n, and under the rule of "
        f"Llama 4 goes up in steps and down to {ends['steps']:.0%}.",
        caption="All rivals score the same, 9.01 points behind the leader. Below 8192 words nothing is changed.",
    )


def trained(name):
    """How far four trained heads are from what is asked: silence, the value of a word, silence at a vain call."""
    heads = {
        "softmax, no mark": ("softmax", "none"),
        "softmax, a mark": ("softmax", "first"),
        "a sink": ("sink", "none"),
        "a gate": ("gate", "none"),
    }
    places = {"nothing\nis asked": "silent", "a call\nfor a word": "called", "a call\nin vain": "absent"}
    columns = {
        title: [float(np.median(measured(f"error_{at}", *each, missing=0.5))) for each in heads.values()]
        for title, at in places.items()
    }
    fig, _ = bar_rows(list(heads), columns, "ink", left=212, row=38, write="{:.2f}", name=name)
    told = "; ".join(
        f"{head} {', '.join(f'{values[k]:.2f}' for values in columns.values())}" for k, head in enumerate(heads)
    )
    fig.show(
        title="Heads that have nothing to say",
        alt=f"The error where nothing is asked, at a call for a word and at a call in vain: {told}.",
        caption="Squared distances from what is asked, for values of length 1: short bars are good. Medians of "
        "eight seeds.",
    )
