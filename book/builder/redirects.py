"""Old addresses lead on: where a page has moved, a small page at its old place sends the reader to the new one.

A script keeps what follows `#`, the state of a figure or the id of a check, also where that id has another name
now or stands on another page. Without JavaScript the page refreshes itself, to the top of the new one; and there
is always a link.
"""

import json
from html import escape
from pathlib import Path
from posixpath import relpath

from sphinx.util import logging

log = logging.getLogger(__name__)

# The old page: the new one, and the ids that are not on it under their old name, each as "page#id" or "#id".
MOVED = {
    "chapters/roads": (
        "chapters/divergences",
        {
            "roads-race": "chapters/exponential#exponential-race",
            "roads-predict": "chapters/exponential#exponential-race-predict",
            "roads-odds": "chapters/exponential#exponential-proof",
            "roads-gumbel": "chapters/exponential#exponential-race",
            "claim-roads-luce": "chapters/exponential#claim-exponential-luce",
            "claim-roads-gumbel": "chapters/exponential#claim-exponential-gumbel",
            "claim-roads-race": "chapters/exponential#claim-exponential-race",
            **{
                f"claim-roads-{name}": f"#claim-divergences-{name}"
                for name in "split independent only functions jaynes conditioned kernel".split()
            },
            "roads-orders": "#divergences-orders",
            "roads-conditioned-plot": "#divergences-conditioned-plot",
        },
    ),
    **{f"back/{name}": (f"appendix/{name}", {}) for name in "claims widgets coming-from glossary".split()},
}

PAGE = """<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Moved: {title}</title>
<link rel="canonical" href="{to}">
<link rel="icon" href="data:,">
<noscript><meta http-equiv="refresh" content="0; url={to}"></noscript>
<style>body {{ margin: 3rem auto; max-width: 41rem; padding: 0 1rem; font: 1.2rem/1.6 Georgia, serif; }}</style>
<script src="{script}" defer></script>
</head>
<body>
<p>This page has moved: <a href="{to}" data-ids="{ids}">{title}</a></p>
</body>
</html>
"""


def stub(old, new, ids, title):
    """The page that stands at the old address; all links in it are relative to there."""

    def link(page):
        return relpath(f"{page}.html", Path(old).parent.as_posix())

    def whole(place):
        page, _, id = place.rpartition("#")
        return f"{link(page or new)}#{id}"

    places = json.dumps({id: whole(place) for id, place in ids.items()})
    script = relpath("_static/moved.js", Path(old).parent.as_posix())
    return PAGE.format(title=escape(title), to=link(new), ids=escape(places), script=script)


def write_stubs(app, error):
    """Write the pages at the old addresses; warn of one that leads nowhere."""
    if error is not None:
        return
    for old, (new, ids) in MOVED.items():
        if new not in app.env.titles:
            continue  # a part of the book is built
        for place in ids.values():
            page, _, id = place.rpartition("#")
            target = Path(app.outdir, f"{page or new}.html")
            if not target.exists() or f'id="{id}"' not in target.read_text(encoding="utf-8"):
                log.warning("%s leads on to %s#%s, which there is not", old, page or new, id)
        path = Path(app.outdir, f"{old}.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stub(old, new, ids, app.env.titles[new].astext()), encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_stubs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
