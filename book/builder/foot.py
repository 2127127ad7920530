"""How a page was made: one fold at its foot, with what its cells have checked and the code that it does not show.

Cells with the tag `hide-input` show their results where they stand, and their code here; the lists of `run_checks`
stand here alone. In notebooks each cell is as it was written.
"""

import re

from docutils import nodes

from book.builder.outputs import is_bundle, shown

ID = "how-this-page-was-made"
SAYS = (
    "Whenever the book is built, the code of this page runs anew, and so do its {} checks. "
    "Each check is also made on something that was broken on purpose, and there it must fail."
)
WITHOUT_CHECKS = "Whenever the book is built, the code of this page runs anew."


class foot(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes like this
    """The fold."""


def checks_in(node):
    return [one for output in node.findall(shown) for one in output["data"].get("checks", ())]


def listed(bundle):
    """The entries of a list of checks, as it shows itself."""
    (made,) = (raw.astext() for raw in bundle.findall(nodes.raw) if "html" in raw["format"])
    return re.search(r'<ul class="ws-checks-list">(.*)</ul>', made, re.DOTALL)[1]


def is_cell(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def heading(node):
    """The title of the part of the page that a node stands in."""
    while not isinstance(node, nodes.section):
        node = node.parent
    return node[0].deepcopy()


def taken_out(doctree):
    """Take lists of checks and hidden code out of the page: how many checks, their entries as HTML, and the code.

    The code is in pairs, (title of its part, code).

    A cell from which everything is taken stays, empty: by its place the notebook of the page has it.
    """
    count, entries, code = 0, "", []
    for cell in [*doctree.findall(is_cell)]:
        if cell.attributes.pop("hide_mode", None) == "input":
            code.append((heading(cell), cell.pop(0)))
        for bundle in [*cell.findall(lambda node: is_bundle(node) and checks_in(node))]:
            count += len(checks_in(bundle))
            entries += listed(bundle)
            bundle.parent.remove(bundle)
    return count, entries, code


def add_foot(app, doctree):
    count, entries, code = taken_out(doctree)
    if not count and not code:
        return
    end = foot("")
    end += nodes.paragraph("", SAYS.format(count) if count else WITHOUT_CHECKS)
    if count:
        end += nodes.raw("", f'<ul class="ws-checks-list">{entries}</ul>', format="html")
    before = None
    for title, source in code:
        if title.astext() != before:
            end += nodes.paragraph("", "", nodes.strong("", "", *title.children))
        before = title.astext()
        end += source
    next(doctree.findall(nodes.section)).append(end)


def visit_html(writer, node):
    writer.body.append(f'<details class="ws-foot" id="{ID}"><summary>How this page was made</summary><div>')


def depart_html(writer, node):
    writer.body.append("</div></details>\n")


def setup(app):
    app.add_node(foot, html=(visit_html, depart_html))
    app.connect("doctree-read", add_foot, priority=600)  # when drawings and ticks have found what they look for
    return {"parallel_read_safe": True, "parallel_write_safe": True}
