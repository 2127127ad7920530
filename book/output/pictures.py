"""The static plots of the chapter *output*: what a second softmax does."""

import numpy as np
import torch

from book.output.losses import by_softmax, from_logits, patched, with_gradient
from book.plots import canvas, ink, label
from lib import softmax, softmax_vjp

AXES = {"x": "lead of the wrong class, points", "y": "pull on the score of the right class"}


def stuck(name, digits=10):
    """The pull at the right class against the lead of a wrong one, with one softmax and with two."""
    leads, pulls = np.linspace(0, 20, 81), []
    for lead in leads:
        s = lead * np.eye(digits)[0]
        once = softmax(s)
        back = softmax(once) - np.eye(digits)[1]
        pulls.append((1 - once[1], -softmax_vjp(once, back)[1]))  # what plain descent adds, with one and with two
    one, two = np.transpose(pulls)
    fig, ax = canvas(
        name, x="lead of the wrong class, points", y="pull on the score of the right class", height=330
    )
    ax.plot(leads, one, color=ink("ink"), linewidth=2)
    ax.plot(leads, two, color=ink("quiet"), linewidth=2, linestyle=(0, (6, 3)))
    label(ax, 12, one[-1], "one softmax", dy=-24)
    label(ax, 12, two[-1], "two", "quiet", dy=10)
    ax.set(xlim=(0, 20), ylim=(-0.03, 1.1), xticks=[0, 5, 10, 15, 20], yticks=[0, 0.5, 1])
    fig.show(
        title="What pulls a sure mistake back",
        alt="Against the lead of a wrong class: with one softmax the pull on the right class rises to 1, with two "
        f"it is {two[0]:.2f} at a tie and falls to nothing.",
        caption="The worse the mistake, the harder one softmax pulls, and the less two do.",
    )


def breaking(name, kind=torch.float16):
    """The pull at the right class against the lead of the wrong one, for three ways to the loss, in 16 bits."""
    leads = np.linspace(0, 25, 251)
    ways = {
        "from the logits": (from_logits, "ink", "-"),
        "by softmax": (by_softmax, "quiet", (0, (6, 3))),
        "patched": (patched, "quiet", (0, (1.2, 1.8))),
    }
    fig, ax = canvas(
        name, x="lead of the wrong class, points", y="pull on the score of the right class", height=360
    )
    ends = {}
    for lift, (what, (loss, colour, dashes)) in enumerate(ways.items()):
        pull = np.array([-with_gradient(loss, [lead, 0.0], 1, kind)[1][1] for lead in leads])
        pull = np.where(np.isfinite(pull), pull, np.nan)
        ax.plot(leads, pull - 0.03 * lift, color=ink(colour), linewidth=2, linestyle=dashes)
        ends[what] = leads[np.isfinite(pull)], pull[np.isfinite(pull)]
        broken = leads[np.isnan(pull)]
        if len(broken):
            ax.plot(broken[0], 1 - 0.03 * lift, "x", color=ink(colour), markersize=11)
    label(ax, 25, 1, "from the logits", "ink", dy=10, ha="right")
    label(ax, ends["by softmax"][0][-1], 0.94, "by softmax: NaN from here", "quiet", dx=4, dy=-26)
    label(ax, 25, 0, "patched", "quiet", dy=10, ha="right")
    ax.set(xlim=(0, 25), ylim=(-0.1, 1.15), xticks=[0, 5, 10, 15, 20, 25], yticks=[0, 0.5, 1])
    fig.show(
        title="Three ways to the loss in float16",
        alt="The pull on the score of the right class against the lead of the wrong one. From the logits it rises "
        f"to 1 and stays. By softmax it does so too, until a lead of {ends['by softmax'][0][-1]:.1f} points; from "
        "there on it is NaN. Patched it is NaN for a while, and then 0.",
        caption="In float16, two classes, and the right one is behind. The lines lie on one another up to the "
        "cross, and are drawn a little apart. After the cross the pull by softmax is NaN, and the patched one is "
        "NaN and then 0.",
    )
