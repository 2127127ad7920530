"""What a book needs where it is published: a page for addresses that do not exist, and a list of those that do.

`BOOK_URL` is the address at which it will stand (`BOOK_URL=https://example.org/book/ make book`). Without it
there is no list, and the page for lost readers takes the book to stand at the root of its host.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

NOT_FOUND = "404"


def set_address(app, config):
    """Tell Sphinx, and the extension that writes the page 404.html, where the book will stand."""
    address = os.environ.get("BOOK_URL", "")
    if address and not address.startswith(("http://", "https://")):
        raise ValueError(f"BOOK_URL should begin with https:// or http://, and is {address!r}")
    config.html_baseurl = address and address.rstrip("/") + "/"
    config.notfound_urls_prefix = urlsplit(config.html_baseurl).path or "/"


def keep_out_of_search(app, page, template, context, doctree):
    if page == NOT_FOUND:
        context["metatags"] = context.get("metatags", "") + '<meta name="robots" content="noindex" />\n'
        context["theme_top_of_page_buttons"] = []


def write_sitemap(app, error):
    """The list for search engines: every page of the book's text, by its whole address."""
    path = Path(app.outdir, "sitemap.xml")
    path.unlink(missing_ok=True)
    if error is not None or not app.config.html_baseurl:
        return
    pages = sorted(app.builder.get_target_uri(page) for page in app.env.found_docs if page != NOT_FOUND)
    lines = [f"<url><loc>{escape(app.config.html_baseurl + page)}</loc></url>\n" for page in pages]
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    path.write_text(head + "".join(lines) + "</urlset>\n", encoding="utf-8")


def setup(app):
    app.connect("config-inited", set_address, priority=900)
    app.connect("html-page-context", keep_out_of_search)
    app.connect("build-finished", write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
