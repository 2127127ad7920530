"""A Content-Security-Policy for every page: scripts come from the book's own folder, and nothing else runs.

A script that stands in a page itself runs by its hash, so the policy is written once all pages are. The figure
that trains a model starts its worker from text that the page holds (`blob:`). Formulas carry inline styles.
"""

import base64
import hashlib
import re
from pathlib import Path

# What a folder on a disk calls itself: browsers do not agree on whether 'self' is the page's own folder there.
OWN = "'self' file:"
SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)([^>]*)>(.*?)</script>", re.DOTALL)
DATA = re.compile(r"""type=["']?(?:application/(?:\w+\+)?json|text/plain)""")
START = re.compile(r'<meta charset="utf-8"\s*/?>')  # this stays first: browsers look for it near the top
WRITTEN = re.compile(r'\n    <meta http-equiv="Content-Security-Policy"[^>]*>')


def hashes(html):
    """The scripts that stand in this page, as the policy names them, each once."""
    inline = [text for attributes, text in SCRIPT.findall(html) if not DATA.search(attributes)]
    digests = [hashlib.sha256(text.encode()).digest() for text in inline]
    return sorted({f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests})


def policy(html):
    """What this page may load and run."""
    return "; ".join(
        (
            f"default-src {OWN}",  # Firefox fetches the next page ahead
            " ".join(["script-src", OWN, *hashes(html)]),
            "worker-src blob:",
            f"style-src {OWN} 'unsafe-inline'",
            f"img-src {OWN} data:",
            f"font-src {OWN} data:",
            "form-action 'self' file:",
            "object-src 'none'",
            "frame-src 'none'",
            "connect-src 'self'",  # of no use to the book, but tools that look at a site read its robots.txt
            "base-uri 'none'",
        )
    )


def write_policies(app, error):
    if error is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        said = html
        html = WRITTEN.sub("", html)  # by an earlier build, of a page that this one did not write anew
        tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(html)}">'
        html = START.sub(rf"\g<0>\n    {tag}", html, count=1)
        if html != said:
            page.write_text(html, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_policies, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
