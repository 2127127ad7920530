"""Where the book will stand, and the page that a reader finds there at an address that does not exist.

`BOOK_URL` is the address (`BOOK_URL=https://example.org/book/ make book`). Without it the page for lost readers
takes the book to stand at the root of its host.
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


def setup(app):
    app.connect("config-inited", set_address, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
