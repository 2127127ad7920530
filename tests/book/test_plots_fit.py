"""No text of a static plot is cut off or lies on another one, on a phone as on a wide screen.

The plots are those of the chapters, drawn as their cells draw them, and what is measured is the ink of the
letters: their line boxes are taller.
"""

import re
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.path import Path as Outline

from lib.book.example import SCORES, TOKENS
from lib.book.plots import Plot, canvas, label

CHAPTERS = sorted((Path(__file__).parents[2] / "chapters").glob("*.md"))
CALL = re.compile(r'^pictures\.(\w+)\((?:(.*), )?"([\w-]+)"\)$', re.MULTILINE)
S = np.array(SCORES)
# What the chapters give their plots; words and sentences are the small question of *divergences*.
GIVEN = {"SCORES": SCORES, "TOKENS": TOKENS, "s": S, "three": (2.0, 1.5, 0.8), "np": np}
GIVEN |= {"words": np.array([0.5, 0]), "sentences": np.array([0.6, 0]), "sure": np.where(min(S) == S, 0.94, 0.01)}
FEWER = {"tell-errors": {"runs": 1000}, "scale-ratio": {"runs": 300}, "gradients-remedies": {"lead": 5.0}}
# The corners of the ink of every text, half a pixel inside it, in pixels from the corner of its picture.
INK = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll(".ws-static")].map(figure => {
    const svg = figure.querySelector("svg"), frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter(text => text.textContent.trim()).map(text => {
      const { fontSize, fontFamily } = getComputedStyle(text);
      pen.font = `${fontSize} ${fontFamily}`;
      const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = pen.measureText(text.textContent);
      const start = text.getStartPositionOfChar(0), grid = text.getScreenCTM(), inside = 0.5 / grid.a;
      const [left, right] = [inside, text.getComputedTextLength() - inside];
      const corners = [[left, inside - up], [right, inside - up], [right, down - inside], [left, down - inside]];
      return [text.textContent, corners.map(([x, y]) => {
        const point = new DOMPoint(start.x + x, start.y + y).matrixTransform(grid);
        return [point.x - frame.x, point.y - frame.y];
      })];
    });
    return { id: figure.id, size: [frame.width, frame.height], texts };
  });
}"""


def wrong(visit):
    """What is wrong with the texts of the plots of a page: one line each."""
    found = []
    for plot in visit.page.evaluate(INK):
        for text, corners in plot["texts"]:
            if (np.array(corners) < -0.5).any() or (np.array(corners) > np.array(plot["size"]) + 0.5).any():
                found.append(f"{plot['id']}: “{text}” is outside")
        for (one, first), (other, second) in combinations(plot["texts"], 2):
            if Outline(first).intersects_path(Outline(second), filled=True):
                found.append(f"{plot['id']}: “{one}” on “{other}”")
    return found


@pytest.fixture(scope="module")
def plots():
    """The HTML of every static plot of the book."""
    made = []
    with pytest.MonkeyPatch.context() as patched:
        for chapter in CHAPTERS:
            calls = CALL.findall(chapter.read_text(encoding="utf-8"))
            if not calls:
                continue
            pictures = import_module(f"lib.book.{chapter.stem}.pictures")
            patched.setattr(
                pictures, "show", lambda fig, name, **words: made.append(Plot(fig, name, **words).html())
            )
            for draw, given, name in calls:
                getattr(pictures, draw)(*eval(f"[{given}]", GIVEN), name, **FEWER.get(name, {}))
    return made


def test_every_plot_of_the_chapters_is_looked_at(plots):
    calls = [re.findall(r'^pictures\..*"\)$', chapter.read_text("utf-8"), re.MULTILINE) for chapter in CHAPTERS]
    assert len(plots) == sum(map(len, calls)) > 40


@pytest.mark.parametrize("width", [360, 1280])
def test_no_text_of_a_plot_is_cut_off_or_lies_on_another(pages, plots, width):
    assert wrong(pages(*plots, width=width, script=False)) == []


def test_text_outside_and_text_on_text_are_noticed(pages):
    fig, ax = canvas(y="value")
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    label(ax, 1, 0.5, "too far right")
    label(ax, 0.1, 0.5, "here", dy=2)
    label(ax, 0.1, 0.5, "and there")
    label(ax, 0.3, 0.8, "two lines\nof one label")
    visit = pages(Plot(fig, "bad", "A test", "For a test.").html(), width=360, script=False)
    assert wrong(visit) == ["bad: “too far right” is outside", "bad: “here” on “and there”"]


def test_lines_of_a_label_stay_apart_as_its_text_grows(pages):
    fig, ax = canvas()
    label(ax, 0.5, 0.5, "first\nlast", ha="right")
    for width in (360, 1280):
        visit = pages(Plot(fig, "lines", "A test", "For a test.").html(), width=width, script=False)
        texts = visit.page.evaluate(
            "[...document.querySelectorAll('text')].filter(text => /st$/.test(text.textContent)).map(text =>"
            "[text.textContent, text.getEndPositionOfChar(text.textContent.length - 1).x,"
            " text.getEndPositionOfChar(0).y, parseFloat(getComputedStyle(text).fontSize)])"
        )
        (_, right, last, size), (_, above_right, first, _) = sorted(texts, reverse=True)
        assert last - first == pytest.approx(1.2 * size, abs=0.1)
        assert right == pytest.approx(above_right, abs=0.1)
