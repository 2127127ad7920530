"""The lines in a page's head by which others show it where its address is posted: title, description, card."""

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
# Drawn by tools/card.py.
CARDS = {"light": STATIC / "side-by-side.png", "dark": STATIC / "side-by-side-dark.png"}
WIDTH, HEIGHT = 1200, 630  # of the file: two by two of its pixels make one of the page's
ALT = (
    "One row of scores under softmax, entmax and sparsemax: "
    "softmax gives every token weight, the others give some none."
)
DESCRIPTION = re.compile(r'<meta content="([^"]*)" name="description"')


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


def add_tags(app, page, template, context, doctree):
    context["metatags"] = context.get("metatags", "") + tags(context, app.config.html_baseurl)


def setup(app):
    app.connect("html-page-context", add_tags)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
