"""Where the book will stand, the page that a reader finds there at an address that does not exist, and its card.

`BOOK_URL` is the address (`BOOK_URL=https://example.org/book/ make book`). Without it the page for lost readers
takes the book to stand at the root of its host, and there is no card: the picture that others show beside a link
is asked for by its whole address.
"""

import os
from urllib.parse import urlsplit


def set_address(app, config):
    """Tell Sphinx, and the extension that writes the page 404.html, where the book will stand."""
    address = os.environ.get("BOOK_URL", "")
    if address and not address.startswith(("http://", "https://")):
        raise ValueError(f"BOOK_URL should begin with https:// or http://, and is {address!r}")
    config.html_baseurl = address and address.rstrip("/") + "/"
    config.notfound_urls_prefix = urlsplit(config.html_baseurl).path or "/"


def show_card(app, pagename, templatename, context, doctree):
    """Tell the template where the card is."""
    context["card"] = app.config.html_baseurl and f"{app.config.html_baseurl}_static/card.png"


def setup(app):
    app.connect("config-inited", set_address, priority=900)
    app.connect("html-page-context", show_card)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
