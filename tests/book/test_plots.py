"""A static plot follows the page's theme, says what it shows, and is the same bytes every time."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from lib.book import plots
from lib.book.alternatives import pictures as alternatives
from lib.book.attention import pictures as attention
from lib.book.divergences import pictures as divergences
from lib.book.example import SCORES, TOKENS
from lib.book.experiments import pictures as experiments
from lib.book.exponential import pictures as exponential
from lib.book.gradients import pictures as gradients
from lib.book.kl import pictures as kl
from lib.book.masking import pictures as masking
from lib.book.numerics import pictures as numerics
from lib.book.output import pictures as output
from lib.book.outside import pictures as outside
from lib.book.plots import MAPS, Plot, canvas, ink, label, line
from lib.book.rows import bar_rows
from lib.book.scale import pictures as scale
from lib.book.speed import pictures as speed
from lib.book.svg import INKS
from lib.book.tell import pictures as tell
from lib.book.temperature import pictures as temperature
from lib.figures.bundle import palette

SVG = "{http://www.w3.org/2000/svg}"
CHAPTERS = (alternatives, attention, divergences, experiments, exponential, gradients, kl, masking, numerics)
CHAPTERS += (output, outside, scale, speed, tell, temperature)
SMALL = (  # the pictures that stand between two larger ones, each with what it is given
    (alternatives.squares, SCORES, TOKENS),
    (alternatives.neighbours, SCORES, TOKENS),
    (alternatives.first_slivers,),
    (alternatives.going_under, SCORES, TOKENS),
    (attention.steps, SCORES, TOKENS),
    (attention.accentuates, SCORES, TOKENS),
    (divergences.curves,),
    (divergences.ties,),
    (experiments.retrieval,),
    (experiments.brittle,),
    (experiments.settled,),
    (experiments.steps,),
    (experiments.twice,),
    (experiments.another,),
    (exponential.between,),
    (exponential.copied, SCORES, TOKENS),
    (gradients.answering,),
    (gradients.remedies,),
    (kl.tells, SCORES, TOKENS),
    (kl.fines, SCORES, TOKENS),
    (kl.small_frontier, (2.0, 1.5, 0.8)),
    (masking.nothing_left, TOKENS),
    (masking.over_cache,),
    (masking.added, SCORES, TOKENS),
    (numerics.moved, SCORES),
    (numerics.lost,),
    (output.twice,),
    (output.stuck,),
    (outside.empty_word,),
    (outside.each_map, SCORES, TOKENS),
    (outside.rank,),
    (scale.adding_up,),
    (scale.shared_parts,),
    (scale.agreeing,),
    (speed.memory,),
    (speed.time,),
    (temperature.turning, SCORES, TOKENS),
)


def draw(name="test-plot", alt="Lines that rise, 1 < 2."):
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
    return draw()


@pytest.fixture(scope="module")
def chapter_plots():
    """Every plot of the chapters."""
    found = []
    with pytest.MonkeyPatch.context() as patched:
        for chapter in CHAPTERS:
            patched.setattr(chapter, "show", lambda fig, name, **words: found.append(Plot(fig, name, **words)))
        attention.odds(SCORES, TOKENS, "cat", "one")
        attention.who_sees_whom("two")
        kl.frontier(SCORES, "three")
        temperature.two_measures(SCORES, np.full(7, 1 / 7), "four")
        temperature.beta_needed("five")
        temperature.log_loss(SCORES, "six")
        tell.errors(SCORES, 1.0, "seven", runs=1000)
        scale.ratio_against_width("eight", (16, 64), runs=11)
        scale.loss_against_beta("nine")
        alternatives.water(SCORES, TOKENS, "ten")
        outside.meeting("eleven")
        for number, (draw_it, *arguments) in enumerate(SMALL):
            draw_it(*arguments, f"small-{number}")
    assert len(found) == 11 + len(SMALL)
    return found


def without_style(svg):
    return re.sub(r"<style>.*?</style>", "", svg, flags=re.S)


def test_every_colour_is_a_variable_of_the_palette(plot, chapter_plots):
    for one in (plot, *chapter_plots):
        drawn = without_style(one.svg)
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?!\")", re.sub(r'href="#[^"]*"|url\(#[^)]*\)', "", drawn))
        assert not re.search(r"(?:fill|stroke): (?!none|var\(--ws-|url\(#)", drawn)


def test_no_two_names_share_a_colour(plot):
    """By its colour in the light theme a name is found again in the SVG."""
    assert palette()["light"] == INKS
    assert len(set(INKS.values())) == len(INKS)
    for colour, _ in MAPS.values():
        assert f"stroke: var(--ws-{colour})" in plot.svg


def test_the_variables_have_both_themes_and_the_last_word_is_the_pages(plot):
    light, dark = (palette()[theme]["weight"] for theme in ("light", "dark"))
    assert f"--ws-weight:{light};" in plot.svg
    assert f"--ws-weight:{dark};" in plot.svg
    for rule in re.findall(r"([^{}]*)\{--ws-", plot.svg):
        assert rule.split(">")[-1].startswith(":where(")


def test_each_map_has_its_own_hue_and_its_own_dashes():
    assert len({colour for colour, _ in MAPS.values()}) == len(MAPS)
    assert len({str(dashes) for _, dashes in MAPS.values()}) == len(MAPS)


def test_it_says_what_it_shows(plot, chapter_plots):
    for one in (plot, *chapter_plots):
        root = ElementTree.fromstring(one.svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == one.alt == root.find(f"{SVG}desc").text
        assert root.find(f"{SVG}title").text == one.title
        assert len(one.alt) > 20


def test_where_the_figure_says_that_a_weight_is_0_it_is(chapter_plots):
    (alt,) = (one.alt for one in chapter_plots if "at which a weight is 0 at the latest" in one.alt)
    said = re.findall(r"(\w+) ([\d.]+\d)", alt.partition(": ")[2])
    assert [kind for kind, _ in said] == ["float16", "bfloat16", "float32", "float64"]
    for kind, behind in said:
        scores = torch.tensor([0.0, -float(behind)], dtype=getattr(torch, kind))
        assert torch.softmax(scores, -1)[1] == 0


def test_text_stays_text_without_a_font_or_a_size_of_its_own(plot):
    root = ElementTree.fromstring(plot.svg)
    texts = [text for text in root.iter(f"{SVG}text")]
    assert {"inverse temperature β", "divergence, nats", "softmax"} <= {text.text for text in texts}
    assert not any("font" in text.get("style", "") for text in texts)


def test_it_refers_to_nothing_outside_itself(plot, chapter_plots):
    for one in (plot, *chapter_plots):
        links = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', one.html())
        assert all((link or url).startswith("#") for link, url in links)
        names = re.sub(r' xmlns(:xlink)?="[^"]*"', "", one.html())
        assert "://" not in names
        assert "<script" not in names


def test_ids_are_its_own_and_used(plot):
    ids = re.findall(r' id="([^"]*)"', plot.svg)
    assert len(ids) == len(set(ids))
    assert all(one.startswith("test-plot-") for one in ids)
    assert all(f"#{one}" in plot.svg for one in ids)
    assert set(re.findall(r' id="([^"]*)"', draw("other").svg)).isdisjoint(ids)


def test_the_same_plot_is_the_same_bytes(plot):
    again = draw()
    assert again.html() == plot.html()
    assert again.png == plot.png


def test_dots_are_drawn_in_both_forms():
    made = []
    for many in (1, 2):  # the second plot has a dot more, in its middle
        fig, ax = canvas()
        ax.set(xlim=(0, 1), ylim=(0, 1))
        plots.dots(ax, np.array([0.1, 0.9, 0.5])[: many + 1], np.array([0.1, 0.9, 0.5])[: many + 1])
        made.append(Plot(fig, "dots", "Dots", "Dots in a square, for a test."))
    assert made[0].svg != made[1].svg
    assert made[0].png != made[1].png


def test_words_are_escaped():
    html = draw(alt='A "<b>" & more').html()
    assert "<b>" not in html
    assert 'aria-label="A &quot;&lt;b&gt;&quot; &amp; more"' in html


def test_it_has_a_picture_for_print_and_words_for_the_rest(plot):
    bundle = plot._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert plot.png.startswith(b"\x89PNG")
    assert plot.alt in bundle["text/plain"]
    assert "<figcaption>A caption &amp; more.</figcaption>" in bundle["text/html"]


def test_the_text_is_at_least_twelve_pixels_high_at_every_width(plot):
    """The style sheet enlarges the text, in units of the picture, as the picture narrows."""
    sizes = [(720, 14)] + [
        (int(width), int(size))
        for width, size in re.findall(r"max-width:(\d+)px\)\{[^{}]*\{font-size:(\d+)px", plot.svg)
    ]
    narrowest = [width for width, _ in sizes[1:]] + [320]
    for (_, size), width in zip(sizes, narrowest, strict=True):
        assert size * (width + (width != 320)) / plots.WIDTH >= 12


def test_small_pictures_stay_small(chapter_plots):
    """They stand on pages that have little room left: 150 KiB, gzipped, with all that a page loads."""
    for one in chapter_plots[11:]:
        assert len(one.html()) < 13_000, one.name


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


def test_the_squares_of_entmax_have_the_area_of_its_weights(monkeypatch):
    """In the picture a unit is as long across as up, so that a square looks like one."""
    drawn = []
    monkeypatch.setattr(alternatives, "show", lambda fig, name, **words: drawn.append(fig))
    alternatives.squares(SCORES, TOKENS, "one")
    (ax,) = drawn[0].axes
    squares = [bar for bar in ax.patches if bar.get_width() == pytest.approx(bar.get_height())]
    assert sum(bar.get_width() * bar.get_height() for bar in squares) == pytest.approx(1)
    box, across, up = ax.get_window_extent(), np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    assert box.width / across == pytest.approx(box.height / up, rel=0.01)


def test_bars_of_one_column_may_have_a_colour_for_each_line():
    _, ax = bar_rows(["a", "b"], {"one": [0.2, 0.4]}, [["weight", "sparsemax"]])
    assert [to_hex(bar.get_facecolor()) for bar in ax.patches] == [ink("weight"), ink("sparsemax")]


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
