"""A table that code fills, for a page, a notebook and plain text alike."""

import re
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; what stands between backticks is code. The columns in `right` are numbers."""

    head: tuple
    rows: tuple
    right: tuple = ()

    def __repr__(self):
        return "\n".join(" | ".join(row) for row in (self.head, *self.rows))

    def _cell(self, kind, column, text):
        scope = ' scope="col"' if kind == "th" else ""
        side = ' style="text-align: right"' if column in self.right else ""
        if column - 1 in self.right and not side:  # what begins beside numbers stands clear of them
            side = ' style="padding-left: 0.75em"'
        shown = re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))
        shown = re.sub(r"(?<=\bn) = (?=\d)", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}", shown)
        # where a long name or argument may break on a phone
        shown = re.sub("(?<=_)(?=[a-z])|(?<=[a-z]=)(?=&quot;)", "<wbr>", shown)
        return f"<{kind}{scope}{side}>{shown}</{kind}>"

    def _line(self, kind, row):
        return f"<tr>{''.join(self._cell(kind, column, text) for column, text in enumerate(row))}</tr>"

    def _repr_html_(self):
        """With the classes that the book's own tables have."""
        body = "".join(self._line("td", row) for row in self.rows)
        table = f"<thead>{self._line('th', self.head)}</thead><tbody>{body}</tbody>"
        return f'<div class="table-wrapper"><table class="docutils">{table}</table></div>'
