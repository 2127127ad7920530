"""The static plots of the chapter *output*: what a second softmax does."""

import numpy as np

from lib import softmax, softmax_vjp
from lib.book.plots import canvas, ink, label, show
from lib.book.rows import bar_rows


def twice(name, digits=10, right=7, lead=20.0):
    """The weights of a sure network after its own softmax, and after a second one."""
    once = softmax(lead * (np.arange(digits) == right))
    columns = {"after one softmax": once, "after a second": softmax(once)}
    fig, _ = bar_rows([str(digit) for digit in range(digits)], columns, left=40, row=26)
    show(
        fig,
        name,
        title="Softmax, and softmax again",
        alt=f"Ten digits. After one softmax {right} has {once[right]:.2f} and every other digit nearly nothing. "
        f"After a second {right} has {softmax(once)[right]:.2f} and every other digit {softmax(once)[0]:.2f}.",
        caption=f"A network that is sure of a {right}, by {lead:.0f} points. A second softmax sees a lead of one.",
    )


def stuck(name, digits=10):
    """The pull at the right class against the lead of a wrong one, with one softmax and with two."""
    leads, pulls = np.linspace(0, 20, 81), []
    for lead in leads:
        s = lead * np.eye(digits)[0]
        once = softmax(s)
        back = softmax(once) - np.eye(digits)[1]
        pulls.append((1 - once[1], -softmax_vjp(once, back)[1]))  # what plain descent adds, with one and with two
    one, two = np.transpose(pulls)
    fig, ax = canvas(x="lead of the wrong class, points", y="pull on the score of the right class", height=330)
    ax.plot(leads, one, color=ink("ink"), linewidth=2)
    ax.plot(leads, two, color=ink("quiet"), linewidth=2, linestyle=(0, (6, 3)))
    label(ax, 12, one[-1], "one softmax", dy=-24)
    label(ax, 12, two[-1], "two", "quiet", dy=10)
    ax.set(xlim=(0, 20), ylim=(-0.03, 1.1), xticks=[0, 5, 10, 15, 20], yticks=[0, 0.5, 1])
    show(
        fig,
        name,
        title="What pulls a sure mistake back",
        alt="Against the lead of a wrong class: with one softmax the pull on the right class rises to 1, with two "
        f"it is {two[0]:.2f} at a tie and falls to nothing.",
        caption="The worse the mistake, the harder one softmax pulls, and the less two do.",
    )
