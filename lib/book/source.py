"""Shows the code of a function or a file in the page, read from the package, so that it is never out of date."""

import ast
import inspect
import textwrap

from IPython.display import Markdown


def body(function, docstring=True):
    """The source of `function`, with its docstring or without; or of a whole module.

    >>> print(body(body, docstring=False).splitlines()[0])
    def body(function, docstring=True):
    """
    text = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(text).body[0]
    if docstring or not ast.get_docstring(node):
        return text
    doc, lines = node.body[0], text.splitlines(keepends=True)
    return "".join(lines[: doc.lineno - 1] + lines[doc.end_lineno :])


def source(function, docstring=True):
    """Show the source of `function` as code, in the page and in Jupyter."""
    return Markdown(f"```python\n{body(function, docstring)}```")
