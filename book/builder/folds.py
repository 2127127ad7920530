"""Puts the folded code of a cell under what it shows, and says on each fold what it holds."""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.builder.outputs import shown


def held(outputs):
    """What a folded cell holds, in a few words, by the data of its outputs.

    >>> held([{"checks": [{"id": "kl-solver"}]}, {"plot": {}}]), held([])
    ('the check and the plot', 'the code')
    """
    checks = [one for output in outputs for one in output.get("checks", ())]
    parts = [("the check", "the checks")[len(checks) > 1]] if checks else []
    if any("plot" in output for output in outputs):
        parts.append("the plot")
    return " and ".join(parts) or "the code"


def name_folds(app, doctree):
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and cell.get("hide_mode"):
            words = held([output["data"] for output in cell.findall(shown)])
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
