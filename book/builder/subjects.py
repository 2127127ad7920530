"""Under each title in the sidebar, what the page is about in a few words to look for.

They are the line `subjects` of the page's front matter.
"""

import re
from html import escape
from posixpath import dirname, join, normpath

ENTRY = re.compile(r'(<a class="[^"]*reference internal" href="([^"]*)">)(.*?)</a>', re.DOTALL)


def with_subjects(tree, pagename, subjects):
    """The sidebar's list on this page, with a second line for each page that `subjects` has words for."""

    def entry(link):
        start, href, title = link.groups()
        page = pagename if href == "#" else normpath(join(dirname(pagename), href)).removesuffix(".html")
        words = subjects.get(page)
        return f'{start}{title} <span class="ws-subject">{words}</span></a>' if words else link[0]

    return ENTRY.sub(entry, tree)


def add_subjects(app, pagename, templatename, context, doctree):
    subjects = {page: escape(said["subjects"]) for page, said in app.env.metadata.items() if "subjects" in said}
    context["furo_navigation_tree"] = with_subjects(context["furo_navigation_tree"], pagename, subjects)


def setup(app):
    app.connect("html-page-context", add_subjects, priority=900)  # after Furo has made the list
    return {"parallel_read_safe": True, "parallel_write_safe": True}
