"""Says under a chapter's title how long it takes: the line `minutes` of its front matter, such as `34 + 12`.

The first number is for the main line, the second for what stands after the heading *Further*.
"""

from docutils import nodes


def of_page(env, page):
    """How long the main line of a page takes, and the rest; None where the page does not say."""
    said = env.metadata[page].get("minutes")
    return said and [int(number) for number in said.split(" + ")]


def add_minutes(app, doctree):
    """Put the sentence after the first paragraph, which says what is at stake."""
    if minutes := of_page(app.env, app.env.docname):
        main, further = minutes
        said = f"About {main} minutes, without the exercises; all of Further, about {further} more. "
        said += "Both are estimates."
        paragraph = next(doctree.findall(nodes.paragraph))
        paragraph["classes"].append("lead")
        place = paragraph.parent.index(paragraph) + 1
        paragraph.parent.insert(place, nodes.paragraph("", said, classes=["minutes"]))


def setup(app):
    app.connect("doctree-read", add_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
