"""Builds the book: what Sphinx and Jupyter Book are told to do otherwise, or besides. A module for each thing.

`_config.yml` names this package as the one extension of the project's own. A hook is a module with a `setup`;
all others are for the hooks. In the order in which Sphinx comes to them:

- before pages are read: `build_cache` (which results still hold), `execute` (the cells), `site_address`;
- while a page is read: `outputs` makes nodes of what its cells hand over as data (`book.mime`); the directives and
  roles of `book_map`, `doors`, `lib_reference`, `set_figures` and `ticks`; then `minutes`, `terms` and `foot`;
- when its links are resolved: `terms`, `book_map`, `further`, and `draw_figures`;
- while a page is written: `typeset`, `notebooks`, `terms`; last `page_assets` (priority above 500). What they put
  on the page beside its text stands in `templates`;
- pages of their own, which stand in no file: the search (`book_search`), the sources (`lib_reference`);
- when all pages stand: the index of `book_search`, the zip of `notebooks`; then the files of `page_assets`
  (priority 900), and at the very end `build_cache` (1000), which notes that the build has succeeded.

What a new version of another package may break, since no documentation promises it: Sphinx's `app._warncount`
(`build_cache`), `config._raw_config` (`page_assets`) and `builder.search` (`book_search`); jupyter-cache's
`DB_NAME` and `NbCacheRecord` (`build_cache`) and `single_nb_execution` (`execute`); MyST-NB's
`myst_nb_reader_plugin` (`execute`), `load_mime_renders` (`outputs`) and `hide_mode` (`foot`); the text of
Furo's `furo_navigation_tree` (`page_assets`).
"""

HOOKS = """
    outputs typeset draw_figures page_assets foot further ticks set_figures terms minutes book_map doors
    build_cache execute lib_reference notebooks book_search site_address
""".split()


def setup(app):
    for name in HOOKS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
