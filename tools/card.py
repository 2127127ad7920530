"""The picture of the book that people pass on: *side by side*, with its title, as a card of 1200 by 630 pixels.

`.venv/bin/python -m tools.card` draws it with the figure's own view, lays it out by card.css, and takes its
picture in Chromium, light and dark. Both are committed: the README shows them, and a built page names the light
one as what to show where its address is posted. What a card says stands in its metadata, for a test to see
whether it is out of date.
"""

import re
from html import unescape
from io import BytesIO
from pathlib import Path

from book.builder.draw_figures import Drawer
from book.builder.share_tags import CARDS, HEIGHT, WIDTH
from book.example import SCORES, TOKENS
from book.figures import SideBySide
from book.figures.bundle import page_style

HERE = Path(__file__).parent
TITLE = "Same scores, same β, three maps"
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>Card</title>
<style>{style}</style><p class="from">Why Softmax?</p><p class="title">{title}</p>{figure}"""


def drawn():
    """The figure as HTML, in the state that the card shows."""
    with Drawer() as draw:
        return draw(SideBySide(TOKENS, SCORES, pair=True)._repr_html_())


def said(html):
    """What the figure says to those who do not see it: title, scores, weights, sentence, a line each."""
    parts = (
        r">([^<>]*, score [^<>]*)<",
        r'role="img" aria-label="([^"]*)"',
        r'"ws-say"[^>]*>(.*?)</p>',
    )
    lines = [re.sub("<[^>]*>", "", line) for part in parts for line in re.findall(part, html, re.DOTALL)]
    return unescape("\n".join([TITLE, *lines]))


def laid_out(theme, html):
    """The card as a page."""
    style = page_style() + (HERE / "card.css").read_text("utf-8")
    return PAGE.format(theme=theme, style=style, title=TITLE, figure=html)


def write(browser, theme, html):
    """Take the picture, keep few of its colours, and write into the file what it says."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    viewport = {"width": WIDTH // 2, "height": HEIGHT // 2}
    page = browser.new_page(viewport=viewport, device_scale_factor=2)
    page.set_content(laid_out(theme, html))
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    page.close()
    words = PngInfo()
    words.add_itxt("Description", said(html))
    picture.save(CARDS[theme], pnginfo=words, optimize=True)


def main():
    from tools.browser import launched

    html = drawn()
    with launched() as browser:
        for theme, file in CARDS.items():
            write(browser, theme, html)
            print(f"{file}: {file.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
