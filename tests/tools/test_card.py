"""The card that others show for the book says what the figure says, and every page names it."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from figure_page import OVERLAPS
from PIL import Image

from book_builder.card import ALT, CARDS, HEIGHT, WIDTH, tags
from lib import entmax
from lib.book.alternatives.maps import reaches_zero
from lib.book.example import SCORES, TOKENS
from tools import card

ROOT = Path(__file__).parents[2]
MAPS = {"softmax": 1.0, "entmax, α = 1.5": 1.5, "sparsemax": 2.0}
each_card = pytest.mark.parametrize("file", CARDS.values(), ids=list(CARDS))


@pytest.fixture(scope="module")
def drawn():
    return card.drawn()


def description(file):
    with Image.open(file) as picture:
        return picture.text["Description"]


@each_card
def test_a_card_has_the_size_that_others_show_and_is_light(file):
    with Image.open(file) as picture:
        assert picture.size == (WIDTH, HEIGHT) == (1200, 630)
    assert file.stat().st_size <= 80_000


@each_card
def test_a_card_is_of_the_figure_as_it_is_drawn_now(file, drawn):
    assert description(file) == card.said(drawn), "run .venv/bin/python -m tools.card"


@each_card
def test_a_card_has_the_numbers_of_lib(file):
    lines = description(file).split("\n")
    assert lines[0] == "Same scores, same β, three maps"
    assert lines[1:8] == [
        f"{token}, score {score:.1f}".replace("-", "−") for token, score in zip(TOKENS, SCORES, strict=True)
    ]
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
    shown = [text for text, _ in seen]
    for text in ("Why Softmax?", "β = 1.00", "no zero at a finite β", "first zero at β = 0.481", "75%", "because"):
        assert text in shown
    for text, box in seen:
        assert box["left"] >= 20, text
        assert box["right"] <= 580, text
        assert box["top"] >= 10, text
        assert box["bottom"] <= 310, text
    assert page.evaluate(OVERLAPS, ".from, .title, .ws-label, .ws-tokens li") == []
    page.close()


def test_the_readme_shows_both_and_says_what_they_show():
    text = (ROOT / "README.md").read_text("utf-8")
    dark, light = re.findall(r'(?:src|srcset)="([^"]*)"', text)
    assert [ROOT / light, ROOT / dark] == list(CARDS.values())
    assert f'alt="{ALT}"' in text


def values(base, **context):
    context = {"title": 'A <em>"page"</em>', "pathto": lambda name, resource: f"../{name}", **context}
    found = re.findall(r'<meta (?:property|name)="([^"]*)" content="([^"]*)" />', tags(context, base))
    return {name: unescape(value) for name, value in found}


def test_the_address_of_the_card_is_whole_where_the_place_of_the_book_is_known():
    head = {"metatags": '<meta content="What it &amp; is." name="description" />'}
    for base, image in [
        ("", "../_static/side-by-side.png"),
        ("https://example.org/book/", "https://example.org/book/_static/side-by-side.png"),
        ("https://example.org/book", "https://example.org/book/_static/side-by-side.png"),
    ]:
        found = values(base, **head)
        assert found["og:image"] == image
        assert found["og:title"] == 'A "page"'
        assert found["og:description"] == "What it & is."
        assert found["twitter:card"] == "summary_large_image"
    assert values("https://example.org/") == {}, "a page without a description is none to pass on"
