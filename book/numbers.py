"""Numbers for the prose: every one is computed."""

from importlib import import_module

try:
    from myst_nb import glue
except ImportError:  # a downloaded notebook: the numbers stand in its text already
    glue = None


def keep(page):
    """Make the numbers of a page available to its text, under names of their own.

    They are what `numbers()` in the module `numbers` of the page's folder returns. After `keep("kl")` the text has
    its `best_score` as ``{glue:text}`kl-best-score:.1f` ``.
    """
    if glue is None:
        return
    for name, number in import_module(f"book.{page}.numbers").numbers().items():
        glue(f"{page}-{name.replace('_', '-')}", float(number), display=False)
