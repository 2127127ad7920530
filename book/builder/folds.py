"""Puts the folded code of a cell under what it shows, and says on each fold what it holds."""

import re

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform


def held(code):
    """What a folded cell holds, in a few words.

    >>> held('run_checks("kl-solver")'), held("pictures.edge(SCORES)"), held("pictures.table()"), held("x = 3")
    ('the check', 'the plot', 'the code', 'the code')
    """
    checks = re.search(r"^run_checks\(([^)]*)\)", code, re.MULTILINE)
    parts = [("the check", "the checks")["," in checks[1]]] if checks else []
    if re.search(r"^(?:\w+ *= *)?pictures\.(?!table\()", code, re.MULTILINE):
        parts.append("the plot")
    return " and ".join(parts) or "the code"


def name_folds(app, doctree):
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and cell.get("hide_mode"):
            words = held(cell[0].astext())
            cell["prompt_show"], cell["prompt_hide"] = f"Show {words}", f"Hide {words}"


class FoldsLast(SphinxPostTransform):
    """The reader meets what a cell shows first, and its code, folded, under it."""

    default_priority = 200  # just after myst-nb has made the folds
    formats = ("html",)

    def run(self, **options):
        for cell in self.document.findall(nodes.container):
            if cell.get("hide_mode") == "input" and isinstance(cell[0], HideCodeCellNode):
                cell.append(cell.pop(0))


def setup(app):
    app.connect("doctree-read", name_folds)
    app.add_post_transform(FoldsLast)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
