"""Builds the book: what Sphinx and Jupyter Book are told to do otherwise, or besides. A module for each thing.

`_config.yml` names this package as the one extension of the project's own.
"""

HOOKS = """
    typeset draw_figures light_pages card folds ticks set_figures terms subjects unbroken
    minutes book_map moved fresh execute lib_reference notebooks book_search site_address content_policy
""".split()


def setup(app):
    for name in HOOKS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
