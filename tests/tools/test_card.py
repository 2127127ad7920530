"""The card that others show for the book says what the figure says, and every page names it."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from figure_page import OVERLAPS
from PIL import Image

from book.alternatives.maps import reaches_zero
from book.builder.share_tags import ALT, CARDS, HEIGHT, WIDTH, tags
from book.example import SCORES, TOKENS
from lib import entmax
from tools import card

ROOT = Path(__file__).parents[2]
MAPS = {"softmax": 1.0, "entmax, α = 1.5": 1.5, "sparsemax": 2.0}


@pytest.fixture(scope="module")
def drawn():
    return card.drawn()


@pytest.mark.parametrize("file", CARDS.values(), ids=list(CARDS))
def test_a_card_is_of_the_figure_as_it_is_drawn_now_with_the_numbers_of_lib(file, drawn):
    with Image.open(file) as picture:
        assert picture.size == (WIDTH, HEIGHT) == (1200, 630)
        said = picture.text["Description"]
    assert file.stat().st_size <= 80_000
    assert said == card.said(drawn), "run .venv/bin/python -m tools.card"
    lines = said.split("\n")
    for line, (name, alpha) in zip(lines[8:11], MAPS.items(), strict=True):
        weights = entmax(np.array(SCORES), alpha=alpha)
        shown = ["0" if w == 0 else f"{w:.1%}" if w < 0.1 else f"{w:.0%}" for w in weights]
        words = ", ".join(f"{token} {text}" for token, text in zip(TOKENS, shown, strict=True))
        assert line == f"weights under {name}: {words}"
    firsts = [f"β = {reaches_zero(np.array(SCORES), alpha).min():.3f}" for alpha in (1.5, 2.0)]
    assert re.findall(r"β = 0\.\d+", lines[-1]) == firsts


@pytest.mark.parametrize("theme", CARDS)
def test_nothing_on_a_card_is_cut_off_or_lies_on_something_else(browser, drawn, theme):
    page = browser.new_page(viewport={"width": WIDTH // 2, "height": HEIGHT // 2})
    page.set_content(card.laid_out(theme, drawn))
    texts = ".from, .title, .ws-head span, .ws-label, .ws-tokens li"
    boxes = "all => all.filter(el => el.checkVisibility()).map(el => [el.textContent, el.getBoundingClientRect()])"
    seen = page.eval_on_selector_all(texts, boxes)
    assert {"Why Softmax?", "β = 1.00", "first zero at β = 0.481", "75%", "because"} <= {text for text, _ in seen}
    for text, box in seen:
        assert 20 <= box["left"] <= box["right"] <= 580, text
        assert 10 <= box["top"] <= box["bottom"] <= 310, text
    assert page.evaluate(OVERLAPS, ".from, .title, .ws-label, .ws-tokens li") == []
    page.close()


def test_the_readme_shows_both_and_says_what_they_show():
    text = (ROOT / "README.md").read_text("utf-8")
    dark, light = re.findall(r'(?:src|srcset)="([^"]*)"', text)
    assert [ROOT / light, ROOT / dark] == list(CARDS.values())
    assert f'alt="{ALT}"' in text


@pytest.mark.parametrize(
    ("base", "image"),
    [
        ("", "../_static/side-by-side.png"),
        ("https://example.org/book", "https://example.org/book/_static/side-by-side.png"),
    ],
)
def test_the_address_of_the_card_is_whole_where_the_place_of_the_book_is_known(base, image):
    context = {"title": 'A <em>"page"</em>', "pathto": lambda name, resource: f"../{name}"}
    assert tags(context, base) == "", "a page without a description is none to pass on"
    context["metatags"] = '<meta content="What it &amp; is." name="description" />'
    found = dict(re.findall(r'<meta (?:property|name)="([^"]*)" content="([^"]*)" />', tags(context, base)))
    assert found["og:image"] == image
    assert unescape(found["og:title"]) == 'A "page"'
    assert unescape(found["og:description"]) == "What it & is."
    assert found["twitter:card"] == "summary_large_image"
