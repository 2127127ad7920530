"""A page that has moved leads on from its old address, with what follows # in it."""

import re
import shutil
from pathlib import Path

import pytest

from book.builder import redirects
from book.builder.redirects import MOVED, stub
from tools.browser import serve

IDS = {"old-race": "chapters/second#new-race", "old-plot": "#new-plot"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A book of two pages, which were one once."""
    root = tmp_path_factory.mktemp("moved")
    for name in ("chapters", "back", "_static"):
        (root / name).mkdir()
    for name in ("first", "second"):
        (root / "chapters" / f"{name}.html").write_text(f"<!doctype html><title>{name}</title><p>{name}")
    shutil.copy(Path(redirects.__file__).parent / "static" / "moved.js", root / "_static")
    (root / "chapters" / "old.html").write_text(stub("chapters/old", "chapters/first", IDS, "One & two"))
    (root / "back" / "old.html").write_text(stub("back/old", "chapters/first", {}, "First"))
    return root


OLD_AND_NEW = {
    "chapters/old.html": "chapters/first.html",
    "chapters/old.html#claim-x": "chapters/first.html#claim-x",
    "chapters/old.html#fig?beta=inf&scores=1,2": "chapters/first.html#fig?beta=inf&scores=1,2",
    "chapters/old.html#old-plot": "chapters/first.html#new-plot",
    "chapters/old.html#old-race?races=10&noise=bell": "chapters/second.html#new-race?races=10&noise=bell",
    "chapters/old.html#constructor": "chapters/first.html#constructor",
    "back/old.html#a": "chapters/first.html#a",
}


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_an_old_address_leads_on_with_what_follows_it(browser, folder, scheme):
    with serve(folder) as address:
        base = address if scheme == "http" else folder.as_uri()
        page = browser.new_page(bypass_csp=True)
        for old, new in OLD_AND_NEW.items():
            page.goto("about:blank")
            page.goto(f"{base}/{old}")
            page.wait_for_url(f"{base}/{new}")
        page.close()


def test_without_javascript_it_refreshes_itself_and_there_is_a_link(browser, folder):
    with serve(folder) as address:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{address}/chapters/old.html#old-race")
        page.wait_for_url(f"{address}/chapters/first.html*")
        context.close()
    html = (folder / "chapters" / "old.html").read_text()
    assert re.search(r'<a href="first.html"[^>]*>One &amp; two</a>', html)


def test_no_page_moves_to_one_that_has_moved():
    assert not {new for new, _ in MOVED.values()} & set(MOVED)
    places = {place.rpartition("#")[0] for _, ids in MOVED.values() for place in ids.values()}
    assert not places & set(MOVED)
