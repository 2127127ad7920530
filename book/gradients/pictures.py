"""The static plots of the chapter on gradients."""

import numpy as np
from matplotlib.patches import FancyArrowPatch

from book.gradients.unlearning import clipped, course, log_loss_descent, steps_of_adam, steps_to_undo
from book.plots import canvas, grouped, ink, label
from book.rows import dot_rows


def undoing(name, lead=10.0, last=5.0):
    """A lead that plain gradient steps undo: hardly at all for thousands of steps, then at once."""
    leads = course(lead)
    steps, near = len(leads) - 1, next(i for i, x in enumerate(leads) if x <= last)
    fig, ax = canvas(name, x="step of training", y="lead of the wrong token, in points", height=360)
    ax.plot(leads, color=ink("ink"), linewidth=2)
    for at, says, dx, dy, ha in (
        (steps // 2, f"half-way: still {leads[steps // 2]:.1f}", 0, -58, "right"),
        (near, f"the last {steps - near} steps:\nfrom {last:.0f} points to none", -20, -13, "right"),
    ):
        ax.plot(at, leads[at], "o", color=ink("ink"), markersize=6)
        label(ax, at, leads[at], says, dx=dx, dy=dy, ha=ha)
    ax.set(xlim=(0, 1.02 * steps), ylim=(0, 1.2 * lead), yticks=[0, 2, 4, 6, 8, 10])
    ax.set_xticks(range(0, steps + 1, 2500), [grouped(f"{x:,}") for x in range(0, steps + 1, 2500)])
    fig.show(
        title="A lead of ten points, undone step by step",
        alt=f"The lead falls from 10 to {leads[steps // 2]:.1f} points in the first half of {steps} steps, and "
        f"from {last:.0f} to 0 in the last {steps - near}.",
        caption="Two tokens, β = 1, step size 1. Nearly all of the time goes into the first few points.",
    )


PLACES = {"scores s": 0.08, "weights": 0.5, "output o": 0.92}
PASSES = {  # what is computed: its height, its colour, and the words on its two arrows from left to right
    "forward": (0.7, "quiet", ("hard choice:\nall on token i", "o = vᵢ")),
    "backward": (0.36, "ink", ("as if it were softmax:\nβ πⱼ (gⱼ − ⟨π, g⟩)", "gⱼ = (vᵢ − y) vⱼ")),
}


def two_passes(name):
    """Straight through: the way there takes the hard choice, the way back takes the slopes of softmax."""
    fig, ax = canvas(name, height=266, left=12, right=12, top=4, bottom=4)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.axis("off")
    places = list(PLACES.values())
    for what, x in PLACES.items():
        label(ax, x, 0.53, what, ha="center", dy=-5)
    for what, (height, colour, words) in PASSES.items():
        above = what == "forward"
        for left, right, said in zip(places[:-1], places[1:], words, strict=True):
            ends = [(left, height), (right, height)]
            if not above:
                ends.reverse()
            looks = {"arrowstyle": "-|>", "mutation_scale": 16, "shrinkA": 18, "shrinkB": 18}
            ax.add_patch(FancyArrowPatch(*ends, color=ink(colour), linewidth=2, **looks))
            dy = 10 if above else -28  # room for a line at its largest
            label(ax, (left + right) / 2, height, said, colour, dy=dy, ha="center", hang=not above)
    fig.show(
        title="Straight through: the way there and the way back",
        alt="Above, from left to right, the way there: from the scores by the hard choice to weights that are "
        "all on token i, and on to the output, its value. Below, from right to left, the way back: the loss "
        "sends to weight j the output's error times value j, and on to the scores as if the weights had been "
        "softmax's.",
        caption="The way there (above) takes the hard choice. The way back (below) takes the slopes of softmax, "
        "which was never computed on the way there.",
    )


def answering(name):
    """π(1 − π): what a weight has, times what it does not have."""
    weights = np.linspace(0, 1, 101)
    fig, ax = canvas(name, x="weight π", y="how fast it answers, π(1 − π), at β = 1", height=340)
    ax.plot(weights, weights * (1 - weights), color=ink("ink"), linewidth=2)
    for at, says, dx, dy, ha in (
        (0.5, "half and half: ¼", 0, 12, "center"),
        (0.01, "1 %: about 1/100", 16, -2, "left"),
        (0.99, "99 %: the same", -16, -2, "right"),
    ):
        ax.plot(at, at * (1 - at), "o", color=ink("weight"), markersize=9)
        label(ax, at, at * (1 - at), says, "weight", dx=dx, dy=dy, ha=ha)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.02, 0.3), yticks=[0, 0.1, 0.2])
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    fig.show(
        title="Sure weights hardly answer",
        alt="A hill over the weight from 0 to 1: nothing at both ends, one quarter in the middle. Dots at 1 and "
        "at 99 per cent lie at one hundredth, almost on the ground.",
        caption="What a weight has, times what it does not have.",
    )


def remedies(name, lead=10.0):
    """How many steps undo a lead, plainly and with each thing that might help."""
    counts = {
        "plain": steps_to_undo(lead),
        "clipped": steps_to_undo(lead, change=clipped),
        "Adam": steps_of_adam(lead),
        "log loss": steps_to_undo(lead, gradient=log_loss_descent),
        "flatter start": steps_to_undo(lead / 10),
    }
    fig, _ = dot_rows(counts, x="steps until the lead is gone", ticks=(1, 100, 10000), name=name)
    fig.show(
        title="What helps against a lead of ten points",
        alt="Steps until a lead of 10 points is gone: "
        + ", ".join(f"{k} {v:.0f}" for k, v in counts.items())
        + ".",
        caption="A flatter start is a lead of 1 point. The axis goes in powers of ten.",
    )
