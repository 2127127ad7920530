"""A static plot follows the page's theme, says what it shows, is the same bytes every time, and can be read.

The plots are those of the chapters, drawn as their cells draw them. On a phone as on a wide screen no text is
cut off or lies on another; what is measured is the ink of the letters: their line boxes are taller.
"""

import re
from importlib import import_module
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.path import Path as Outline

from book import plots
from book.alternatives import pictures as alternatives
from book.example import SCORES, TOKENS
from book.figures.bundle import palette
from book.mime import OURS
from book.plots import MAPS, Plot, canvas, ink, label, line
from book.rows import bar_rows
from book.svg import INKS

SVG = "{http://www.w3.org/2000/svg}"
CHAPTERS = sorted((Path(__file__).parents[2] / "chapters").glob("*.md"))
CALL = re.compile(r'^pictures\.(\w+)\((?:(.*), )?"([\w-]+)"\)$', re.MULTILINE)
S = np.array(SCORES)
# What the chapters give their plots.
GIVEN = {"SCORES": SCORES, "TOKENS": TOKENS, "s": S, "three": (2.0, 1.5, 0.8), "np": np}
GIVEN["sure"] = np.where(min(S) == S, 0.94, 0.01)
FEWER = {"tell-errors": {"runs": 1000}, "scale-ratio": {"runs": 300}, "gradients-remedies": {"lead": 5.0}}


def example(name="test-plot", alt="Lines that rise, 1 < 2."):
    """One of everything a chapter draws."""
    fig, ax = canvas(x="inverse temperature β", y="divergence, nats")
    for i, of in enumerate(MAPS):
        ax.plot([0, 1, 2], [0, 1 + i, 3 + i], **line(of))
    ax.bar([0.5], [2], color=ink("score"))
    ax.bar([1.0], [2], facecolor="none", edgecolor=ink("masked"), hatch="///")
    label(ax, 1, 1, "softmax", "weight", dx=5)
    return Plot(fig, name, "A test", alt, "A caption & more.")


@pytest.fixture(scope="module")
def plot():
    return example()


@pytest.fixture(scope="module")
def every_plot(plot):
    """That one and every plot of the chapters."""
    made = [plot]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plots, "display", made.append)
        for chapter in CHAPTERS:
            text = chapter.read_text(encoding="utf-8")
            calls = CALL.findall(text)
            assert len(calls) == len(re.findall(r'^pictures\..*"\)$', text, re.MULTILINE))
            for draw, given, name in calls:
                pictures = import_module(f"book.{chapter.stem}.pictures")
                try:
                    arguments = eval(f"[{given}]", GIVEN)
                except NameError as error:
                    pytest.fail(f"{chapter.name} gives {given} to pictures.{draw}: {error}; write it into GIVEN")
                getattr(pictures, draw)(*arguments, name, **FEWER.get(name, {}))
    assert len(made) > 40
    return made


def test_every_colour_is_a_variable_of_the_palette(every_plot):
    for one in every_plot:
        drawn = re.sub(r"<style>.*?</style>", "", one.svg, flags=re.S)
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?!\")", re.sub(r'href="#[^"]*"|url\(#[^)]*\)', "", drawn))
        assert not re.search(r"(?:fill|stroke): (?!none|var\(--ws-|url\(#)", drawn)


def test_each_name_has_a_colour_and_each_map_its_own_hue_and_its_own_dashes(plot):
    """By its colour in the light theme a name is found again in the SVG."""
    assert palette()["light"] == INKS
    assert len(set(INKS.values())) == len(INKS)
    assert (
        len({colour for colour, _ in MAPS.values()})
        == len({str(dashes) for _, dashes in MAPS.values()})
        == len(MAPS)
    )
    assert all(f"stroke: var(--ws-{colour})" in plot.svg for colour, _ in MAPS.values())


def test_the_variables_have_both_themes_and_the_last_word_is_the_pages(plot):
    assert all(f"--ws-weight:{palette()[theme]['weight']};" in plot.svg for theme in ("light", "dark"))
    for rule in re.findall(r"([^{}]*)\{--ws-", plot.svg):
        assert rule.split(">")[-1].startswith(":where(")


def test_it_says_what_it_shows_and_refers_to_nothing_outside_itself(every_plot):
    for one in every_plot:
        root, html = ElementTree.fromstring(one.svg), one.html()
        assert root.get("role") == "img"
        assert root.get("aria-label") == one.alt == root.find(f"{SVG}desc").text
        assert root.find(f"{SVG}title").text == one.title
        assert len(one.alt) > 20
        links = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', html)
        assert all((link or url).startswith("#") for link, url in links)
        assert not re.search("://|<script", re.sub(r' xmlns(:xlink)?="[^"]*"', "", html))


def test_where_the_figure_says_that_a_weight_is_0_it_is(every_plot):
    (alt,) = (one.alt for one in every_plot if "at which a weight is 0 at the latest" in one.alt)
    said = re.findall(r"(\w+) ([\d.]+\d)", alt.partition(": ")[2])
    assert [kind for kind, _ in said] == ["float16", "bfloat16", "float32", "float64"]
    for kind, behind in said:
        scores = torch.tensor([0.0, -float(behind)], dtype=getattr(torch, kind))
        assert torch.softmax(scores, -1)[1] == 0


def test_text_stays_text_without_a_font_or_a_size_of_its_own(plot):
    texts = list(ElementTree.fromstring(plot.svg).iter(f"{SVG}text"))
    assert {"inverse temperature β", "divergence, nats", "softmax"} <= {text.text for text in texts}
    assert not any("font" in text.get("style", "") for text in texts)


def test_the_same_plot_is_the_same_bytes_with_ids_of_its_own(plot):
    again = example()
    assert (again.html(), again.png) == (plot.html(), plot.png)
    ids = re.findall(r' id="([^"]*)"', plot.svg)
    assert len(ids) == len(set(ids))
    assert all(one.startswith("test-plot-") and f"#{one}" in plot.svg for one in ids)
    assert set(re.findall(r' id="([^"]*)"', example("other").svg)).isdisjoint(ids)


def test_dots_are_drawn_in_both_forms():
    made = []
    for many in (1, 2):  # the second plot has a dot more, in its middle
        fig, ax = canvas()
        ax.set(xlim=(0, 1), ylim=(0, 1))
        plots.dots(ax, np.array([0.1, 0.9, 0.5])[: many + 1], np.array([0.1, 0.9, 0.5])[: many + 1])
        made.append(Plot(fig, "dots", "Dots", "Dots in a square, for a test."))
    assert made[0].svg != made[1].svg
    assert made[0].png != made[1].png


def test_it_has_a_picture_for_print_and_words_for_the_rest_which_are_escaped(plot):
    bundle = plot._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain", OURS}
    assert plot.png.startswith(b"\x89PNG")
    assert plot.alt in bundle["text/plain"]
    assert "<figcaption>A caption &amp; more.</figcaption>" in bundle["text/html"]
    html = example(alt='A "<b>" & more').html()
    assert "<b>" not in html
    assert 'aria-label="A &quot;&lt;b&gt;&quot; &amp; more"' in html


def test_the_text_is_at_least_twelve_pixels_high_at_every_width(plot):
    """The style sheet enlarges the text, in units of the picture, as the picture narrows."""
    rules = re.findall(r"max-width:(\d+)px\)\{[^{}]*\{font-size:(\d+)px", plot.svg)
    sizes = [(720, 14)] + [(int(width), int(size)) for width, size in rules]
    narrowest = [width for width, _ in sizes[1:]] + [320]
    for (_, size), width in zip(sizes, narrowest, strict=True):
        assert size * (width + (width != 320)) / plots.WIDTH >= 12


def test_bars_in_rows_are_as_long_as_their_values():
    """Lengths in proportion, on one scale; 0 has a ring and no bar, NaN a frame, and what is not there nothing."""
    _, ax = bar_rows(["a", "b", "c"], {"one": [0.2, 0.0, None], "two": [0.4, float("nan"), -0.1]})
    bars = [bar for bar in ax.patches if bar.get_facecolor()[3] > 0]
    lengths = [bar.get_width() for bar in bars]
    assert len(ax.patches) == len(bars) + 1  # the frame
    assert sum(line.get_marker() == "o" for line in ax.lines) == 1
    assert lengths[1] / lengths[2] == pytest.approx(-4)
    written = [text.get_text() for text in ax.texts]
    assert written.count("NaN") == 1
    assert {"0.20", "0", "0.40", "−0.10"} <= set(written)
    _, ax = bar_rows(["a", "b"], {"large": [2.0, 4.0], "small": [0.4, 0.1]}, shared=False)
    large, largest, small, _ = (bar.get_width() for bar in ax.patches)
    assert small == pytest.approx(largest) == pytest.approx(2 * large), "each column on a scale of its own"
    _, ax = bar_rows(["a", "b"], {"one": [0.2, 0.4]}, [["weight", "sparsemax"]])
    assert [to_hex(bar.get_facecolor()) for bar in ax.patches] == [ink("weight"), ink("sparsemax")]


def test_the_squares_of_entmax_have_the_area_of_its_weights(monkeypatch):
    """In the picture a unit is as long across as up, so that a square looks like one."""
    drawn = []
    monkeypatch.setattr(plots.Picture, "show", lambda fig, **words: drawn.append(fig))
    alternatives.squares(SCORES, TOKENS, "one")
    (ax,) = drawn[0].axes
    squares = [bar for bar in ax.patches if bar.get_width() == pytest.approx(bar.get_height())]
    assert sum(bar.get_width() * bar.get_height() for bar in squares) == pytest.approx(1)
    box, across, up = ax.get_window_extent(), np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    assert box.width / across == pytest.approx(box.height / up, rel=0.01)


def test_lines_that_hang_stand_below_and_a_label_may_have_no_halo():
    fig, ax = canvas()
    label(ax, 0.5, 0.5, "first\nlast", hang=True)
    label(ax, 0.5, 0.2, "bare", halo=False)
    root = ElementTree.fromstring(Plot(fig, "hung", "A test", "For a test of labels.").svg)
    texts = {text.text: text for text in root.iter(f"{SVG}text")}
    assert "dy" not in texts["first"].attrib
    assert texts["last"].get("dy") == "1.2em"
    assert texts["last"].get("y") == texts["first"].get("y")
    assert [name for name, text in texts.items() if text.get("class") == "bare"] == ["bare"]


# --- as a browser shows them --------------------------------------------------------------------------

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


@pytest.mark.parametrize("width", [360, 1280])
def test_no_text_of_a_plot_is_cut_off_or_lies_on_another(pages, every_plot, width):
    shown = [one.html() for one in every_plot[1:]]
    assert wrong(pages(*shown, width=width, script=False)) == []


def test_text_outside_and_text_on_text_are_noticed(pages):
    fig, ax = canvas(y="value")
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    label(ax, 1, 0.5, "too far right")
    label(ax, 0.1, 0.5, "here", dy=2)
    label(ax, 0.1, 0.5, "and there")
    label(ax, 0.3, 0.8, "two lines\nof one label")
    visit = pages(Plot(fig, "bad", "A test", "For a test.").html(), width=360, script=False)
    assert wrong(visit) == ["bad: “too far right” is outside", "bad: “here” on “and there”"]
