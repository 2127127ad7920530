"""The static plots of the chapter on gradients."""

from matplotlib.patches import FancyArrowPatch

from lib.book.gradients.unlearning import course
from lib.book.plots import canvas, ink, label, show


def undoing(name, lead=10.0, last=5.0):
    """A lead that plain gradient steps undo: hardly at all for thousands of steps, then at once."""
    leads = course(lead)
    steps, near = len(leads) - 1, next(i for i, x in enumerate(leads) if x <= last)
    fig, ax = canvas(x="step of training", y="lead of the wrong token, in points", height=360)
    ax.plot(leads, color=ink("ink"), linewidth=2)
    for at, says, dx, dy, ha in (
        (steps // 2, f"half of the steps done: still {leads[steps // 2]:.1f} ahead", -20, -28, "center"),
        (near, f"the last {steps - near} steps:\nfrom {last:.0f} points to none", -12, -13, "right"),
    ):
        ax.plot(at, leads[at], "o", color=ink("ink"), markersize=6)
        label(ax, at, leads[at], says, dx=dx, dy=dy, ha=ha)
    ax.set(xlim=(0, 1.02 * steps), ylim=(0, 1.2 * lead), yticks=[0, 2, 4, 6, 8, 10])
    ax.set_xticks(range(0, steps + 1, 2500), [f"{x:,}".replace(",", "\u202f") for x in range(0, steps + 1, 2500)])
    show(
        fig,
        name,
        title="A lead of ten points, undone step by step",
        alt=f"The lead falls from 10 to {leads[steps // 2]:.1f} points in the first half of {steps} steps, and "
        f"from {last:.0f} to 0 in the last {steps - near}.",
        caption="Two tokens, β = 1, step size 1. Nearly all of the time goes into the first few points.",
    )


PLACES = {"scores s": 0.08, "weights": 0.5, "output o": 0.92}
PASSES = {  # what is computed: its height, its colour, and the words on its two arrows from left to right
    "forward": (0.68, "quiet", ("hard choice:\nall on token i", "o = vᵢ")),
    "backward": (0.32, "ink", ("as if it were softmax:\nβ πⱼ (gⱼ − ⟨π, g⟩)", "gⱼ = (vᵢ − y) vⱼ")),
}


def two_passes(name):
    """Straight through: the way there takes the hard choice, the way back takes the slopes of softmax."""
    fig, ax = canvas(height=260, left=12, right=12, top=16, bottom=16)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.axis("off")
    places = list(PLACES.values())
    for what, x in PLACES.items():
        label(ax, x, 0.5, what, ha="center", dy=-4)
    for what, (height, colour, words) in PASSES.items():
        above = what == "forward"
        for left, right, said in zip(places[:-1], places[1:], words, strict=True):
            ends = [(left, height), (right, height)]
            if not above:
                ends.reverse()
            looks = {"arrowstyle": "-|>", "mutation_scale": 16, "shrinkA": 18, "shrinkB": 18}
            ax.add_patch(FancyArrowPatch(*ends, color=ink(colour), linewidth=2, **looks))
            lines = said.count("\n")
            label(ax, (left + right) / 2, height, said, colour, dy=10 if above else -20 - 17 * lines, ha="center")
    show(
        fig,
        name,
        title="Straight through: the way there and the way back",
        alt="Above, from left to right, the way there: from the scores by the hard choice to weights that are "
        "all on token i, and on to the output, its value. Below, from right to left, the way back: the loss "
        "sends to weight j the output's error times value j, and on to the scores as if the weights had been "
        "softmax's.",
        caption="The way there (above) takes the hard choice. The way back (below) takes the slopes of softmax, "
        "which was never computed on the way there.",
    )
