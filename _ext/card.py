"""The picture of the book that people pass on: *side by side*, with its title, as a card of 1200 by 630 pixels.

`.venv/bin/python _ext/card.py` draws it with the figure's own view, lays it out by card.css, and takes its
picture in Chromium, light and dark. Both are committed: the README shows them, and a built page names the light
one as what to show where its address is posted. What a card says stands in its metadata, for a test to see
whether it is out of date.
"""

import re
import sys
from html import unescape
from io import BytesIO
from pathlib import Path

from draw_figures import Drawer

from lib.book.example import SCORES, TOKENS
from lib.figures import SideBySide
from lib.figures.bundle import page_style

HERE = Path(__file__).parent
CARDS = {"light": HERE / "static" / "side-by-side.png", "dark": HERE / "static" / "side-by-side-dark.png"}
WIDTH, HEIGHT = 1200, 630  # of the file: two by two of its pixels make one of the page's
TITLE = "Same scores, same β, three maps"
ALT = (
    "One row of scores under softmax, entmax and sparsemax: "
    "softmax gives every token weight, the others give some none."
)
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>Card</title>
<style>{style}</style><p class="from">Why Softmax?</p><p class="title">{title}</p>{figure}"""
DESCRIPTION = re.compile(r'<meta content="([^"]*)" name="description"')


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


def tags(context, base):
    """The lines in a page's head by which others show it; an address for them is whole only if `base` is known."""
    found = DESCRIPTION.search(context.get("metatags", ""))
    if not found:
        return ""
    name = f"_static/{CARDS['light'].name}"
    values = {
        "og:title": re.sub(r"<[^>]*>", "", context["title"]).replace('"', "&quot;"),
        "og:description": found[1],
        "og:type": "article",
        "og:image": f"{base.rstrip('/')}/{name}" if base else context["pathto"](name, 1),
        "og:image:width": WIDTH,
        "og:image:height": HEIGHT,
        "og:image:alt": ALT,
    }
    lines = [f'<meta property="{key}" content="{value}" />\n' for key, value in values.items()]
    return "".join(lines) + '<meta name="twitter:card" content="summary_large_image" />\n'


def main():
    sys.path.insert(0, str(HERE.parent / "tests"))  # where the tests' browser is
    from browser import launched

    html = drawn()
    with launched() as browser:
        for theme, file in CARDS.items():
            write(browser, theme, html)
            print(f"{file}: {file.stat().st_size / 1024:.0f} KiB")


def add_tags(app, page, template, context, doctree):
    context["metatags"] = context.get("metatags", "") + tags(context, app.config.html_baseurl)


def setup(app):
    app.connect("html-page-context", add_tags)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main()
