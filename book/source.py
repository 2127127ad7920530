"""Shows the code of a function or a file in the page, read from the package, so that it is never out of date."""

import ast
import inspect
import textwrap

from IPython.display import Markdown


def body(function, docstring=True, decorators=True):
    """The source of `function`, with its docstring and decorators or without; or of a whole module.

    >>> print(body(body, docstring=False).splitlines()[0])
    def body(function, docstring=True, decorators=True):
    """
    text = textwrap.dedent(inspect.getsource(function))
    node, lines = ast.parse(text).body[0], text.splitlines(keepends=True)
    if not docstring and ast.get_docstring(node):
        doc = node.body[0]
        lines[doc.lineno - 1 : doc.end_lineno] = []
    return "".join(lines if decorators else lines[node.lineno - 1 :])


def source(function, docstring=True):
    """Show the source of `function` as code, in the page and in Jupyter."""
    return Markdown(f"```python\n{body(function, docstring)}```")
