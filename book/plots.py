"""Static plots that look as the live figures do, and follow the page's theme.

Matplotlib draws with the light colours of the palette; in the SVG each colour then becomes the
palette's CSS variable, so that one picture serves both themes. Text stays text, in the page's font,
and keeps a readable size on a phone.

    fig, ax = canvas("kl-beta", x="inverse temperature β", y="divergence KL(π‖u), nats")
    ax.plot(betas, divergences, **line("softmax"))
    label(ax, 2, 1.1, "softmax", "weight")
    fig.show(title="Divergence against β", alt="What someone who cannot see it should know.")
"""

import base64
import re
from contextlib import contextmanager
from html import escape

import matplotlib as mpl
import numpy as np
from IPython.display import display
from matplotlib.figure import Figure

from book import svg
from book.mime import OURS
from book.svg import INKS

WIDTH = 640  # units of the viewBox: about one CSS pixel each where the picture is as wide as the text
TEXT = 14  # units; `book.svg` enlarges it as the picture gets narrower

# Each map has its own hue and its own dashes, the same in every figure.
MAPS = {
    "softmax": ("weight", "-"),
    "sparsemax": ("sparsemax", (0, (5, 2.5))),
    "entmax": ("entmax", (0, (6, 2, 1.2, 2))),
    "relu": ("relu", (0, (1.2, 1.8))),
    "sigmoid": ("sigmoid", (0, (11, 4))),
    "softmax-one": ("softmax-one", (0, (6, 2, 1.2, 2, 1.2, 2))),
}

RC = {
    "svg.fonttype": "none",
    "svg.hashsalt": "why-softmax",
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "text.color": INKS["ink"],
    "axes.edgecolor": INKS["line"],
    "axes.linewidth": 1.0,
    "axes.axisbelow": True,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": INKS["line"],
    "grid.linewidth": 0.7,
    "xtick.color": INKS["line"],
    "ytick.color": INKS["line"],
    "xtick.labelcolor": INKS["quiet"],
    "ytick.labelcolor": INKS["quiet"],
    "xtick.major.size": 5,
    "xtick.minor.size": 0,
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
    "xtick.major.pad": 8,
    "ytick.major.pad": 8,
    "lines.linewidth": 2.0,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "hatch.linewidth": 1.0,
}


@contextmanager
def style():
    """Matplotlib's settings for the book, for a plot that `canvas` does not fit."""
    with mpl.rc_context(RC):
        yield


def ink(name):
    """The colour of a quantity, for Matplotlib: "score", "weight", "prior", "ink", "quiet", "line"…"""
    return INKS[name]


def line(name):
    """Colour and dashes of a map's line: `ax.plot(x, y, **line("sparsemax"))`."""
    colour, dashes = MAPS[name]
    return {"color": INKS[colour], "linestyle": dashes, "linewidth": 2.0}


class Picture(Figure):
    """A figure with a name, which displays itself in the page and in Jupyter alike."""

    def show(self, *, title, alt, caption=""):
        """`title` is a few words, `alt` what the picture shows, in full sentences; `caption` stands under it."""
        display(Plot(self, self.get_label(), title, alt, caption))


def canvas(name="", *, x="", y="", height=420, left=58, right=22, top=44, bottom=64):
    """A picture as wide as the text, and its axes; the margins hold the text at its largest.

    Its `name` is unique in the book: it makes the ids. The title of the vertical axis stands above it and level,
    where it can be read.
    """
    inner = WIDTH - left - right, height - top - bottom
    with style():
        fig = Picture(figsize=(WIDTH / 72, height / 72), dpi=72)
        fig.set_label(name)
        ax = fig.add_axes((left / WIDTH, bottom / height, inner[0] / WIDTH, inner[1] / height))
        fig.text(0, 1 - 18 / height, y)
        fig.text(1 - right / WIDTH, 12 / height, x, ha="right")
    return fig, ax


def dots(ax, x, y, name="masked", size=2.5):
    """Many small dots as one path, a tenth of the bytes that as many markers take."""
    gap = np.full(len(x), np.nan)
    step = 1e-3 * np.ptp(x)  # a dot is a very short line with round ends; in PNG one of no length would not show
    x, y = np.stack([x, x + step, gap]), np.stack([y, y, gap])
    (drawn,) = ax.plot(x.T.ravel(), y.T.ravel(), color=INKS[name], linewidth=size, solid_capstyle="round")
    drawn.get_path().should_simplify = False


def label(ax, x, y, text, name="ink", *, dx=0, dy=0, ha="left", hang=False, halo=True):
    """Write on the plot itself, in the colour of what is named; `dx` and `dy` shift it, in units.

    Of several lines the last stands there, and the others above it, as far apart as the text is large; with
    `hang` the first stands there, and the others hang below it. On a tinted ground a label needs no `halo`.
    """
    lines = text.split("\n")
    for above, words in enumerate(reversed(lines), 1 - len(lines) if hang else 0):
        place = {"xytext": (dx, dy + above * svg.LINE * TEXT), "textcoords": "offset points", "ha": ha}
        look = {"color": INKS[name], "fontsize": TEXT, "annotation_clip": False, "va": "baseline"}
        gid = f"{svg.ABOVE}{above}" if above else None if halo else svg.BARE
        ax.annotate(words, (x, y), **place, **look).set_gid(gid)


def grouped(text):
    """A number with commas as the book writes it: no group in four digits, thin spaces from five on.

    >>> grouped("4,096"), grouped("131,072") == "131\N{NARROW NO-BREAK SPACE}072"
    ('4096', True)
    """
    return re.sub(r"^(\D*\d),(\d{3})\b(?!,)", r"\1\2", text).replace(",", "\N{NARROW NO-BREAK SPACE}")


class Plot:
    """A finished plot: HTML with the SVG in it for pages and notebooks, PNG for print, text for the rest."""

    def __init__(self, figure, name, title, alt, caption=""):
        self.name, self.title, self.alt, self.caption = name, title, alt, caption
        self.svg = svg.inline(svg.draw(figure, RC), name, title, alt)
        self.png = svg.draw(figure, RC, "png")

    def html(self):
        """The picture and its caption, as one figure that can be linked to by name."""
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        return f'<figure class="ws-static" id="{escape(self.name)}">{self.svg}{caption}</figure>'

    def _repr_mimebundle_(self, include=None, exclude=None):
        png = base64.b64encode(self.png).decode()
        text = f"[{self.title}] {self.alt}"
        data = {"plot": {"caption": self.caption}}
        return {"text/html": self.html(), "image/png": png, "text/plain": text, OURS: data}
