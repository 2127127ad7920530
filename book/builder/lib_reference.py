"""The reference: each function of `lib` from its docstring, with a way to its source and to its tests.

    ```{lib-functions} softmax log_softmax
    ```

documents these functions. The files they stand in, and the tests that call them, become pages of the
book too, so that every link works from a folder without a network. (`sphinx.ext.viewcode` makes such pages
only for what is documented, which tests are not; so both kinds are made here, and look the same.)
"""

import ast
import inspect
import re
from functools import cache
from operator import attrgetter
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

import lib
import lib.sharded

ROOT = Path(__file__).parents[2]
FUNCTIONS = [*lib.__all__, "sharded.attention"]  # which `import lib` does not load, since it needs torch
# In a docstring: a role, code or a link, each of which stays as it is; or a name between single backquotes.
NAME = re.compile(r"(:[\w:]+:`[^`]*`|``.*?``|`[^`]*`_)|`([^`\n]+)`")


@cache
def tests():
    """{function of lib: [(file, test)]}: the tests that call it, in their order."""
    found = {name: [] for name in FUNCTIONS}
    for path in test_files():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for name in called_by(node) & set(found):
                    found[name].append((path, node.name))
    return found


def test_files():
    return sorted((ROOT / "tests").rglob("test_*.py"))


def called_by(test):
    """The names that a test calls, also by another name: `for f in (softmax, entmax): f(scores)`."""
    called, given = set(), []
    for node in ast.walk(test):
        if isinstance(node, ast.Call):
            called.add(ast.unparse(node.func).removeprefix("lib."))
            if ast.unparse(node.func) == "pytest.mark.parametrize":
                given.append(node.args[:2])
        if isinstance(node, (ast.For, ast.comprehension)):
            given.append((node.target, node.iter))
    for own, values in given:
        if names_in(own) & called:
            called |= names_in(values)
    return called


def names_in(node):
    return set(re.findall(r"\w+", ast.unparse(node)))


def file_of(name):
    """The file in which a public function of `lib` is written."""
    return Path(inspect.getsourcefile(inspect.unwrap(attrgetter(name)(lib))))


def anchor_of(name):
    """Where on the page of its file a function stands."""
    return name.rpartition(".")[2]


def page_of(path):
    """The page of the book that shows a file."""
    return "source/" + path.relative_to(ROOT).with_suffix("").as_posix()


class Functions(SphinxDirective):
    """`lib-functions`: the documentation of the functions named, in this order."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        found = []
        for path in (Path(__file__), *test_files()):
            self.env.note_dependency(str(path))
        for name in self.arguments[0].split():
            rst = ["```{eval-rst}", f".. autofunction:: lib.{name}", "```"]
            section = nodes.container()
            self.state.nested_parse(StringList(rst, source=f"lib.{name}"), 0, section)
            for content in section.findall(addnodes.desc_content):
                content.append(nodes.raw("", self.below(name), format="html"))
            found += section.children
        return found

    def below(self, name):
        """What stands under the documentation of a function: links to its source and to its tests."""
        source, checked = file_of(name), tests()[name]
        root = self.env.app.builder.get_relative_uri(self.env.docname, "index").removesuffix("index.html")
        says = [
            f'<li><a href="{root}{page_of(path)}.html#{test}">{test[5:].replace("_", " ")}</a></li>'
            for path, test in checked
        ]
        return (
            f'<p class="source-link">Source: <a href="{root}{page_of(source)}.html#{anchor_of(name)}">'
            f"{source.relative_to(ROOT).as_posix()}</a></p>"
            f'<details class="sd-dropdown source-tests"><summary>What {len(says)} tests say</summary>'
            f"<ul>{''.join(says)}</ul></details>"
        )


def link_names(app, what, name, obj, options, lines):
    """In docstrings, `softmax` is a link where lib has it, and code where it is something else."""

    def role(found):
        kept, text = found.groups()
        if kept:
            return kept
        return f":py:func:`~lib.{text}`" if text in FUNCTIONS else f"``{text}``"

    lines[:] = [NAME.sub(role, line) for line in lines]


def source_pages(app):
    """A page for each file that the reference links to, its functions anchored by name."""
    files = {file_of(name) for name in FUNCTIONS} | {path for called in tests().values() for path, _ in called}
    look = HtmlFormatter(nowrap=True)
    for path in sorted(files):
        text = path.read_text(encoding="utf-8")
        starts = {
            node.lineno - 1: node.name
            for node in ast.parse(text).body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        }
        lines = highlight(text, PythonLexer(), look).splitlines()
        for number, name in starts.items():
            lines[number] = f'<span id="{name}">{lines[number]}</span>'
        title = path.relative_to(ROOT).as_posix()
        body = f'<h1>{title}</h1><div class="highlight source"><pre tabindex="0">{chr(10).join(lines)}</pre></div>'
        about = '<meta name="description"'
        about += f' content="{title}, a file of Why Softmax?, as it was when the book was built."/>'
        yield page_of(path), {"title": title, "body": body, "metatags": about}, "page.html"


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.config.add_function_parentheses = False
    app.config.autodoc_typehints = "none"  # the docstrings say in words, and more exactly, what an argument is
    app.config.napoleon_google_docstring = False
    app.config.napoleon_use_param = False  # types are words here, such as "array, shape (..., n)"
    app.config.napoleon_use_rtype = False
    app.add_directive("lib-functions", Functions)
    app.connect("autodoc-process-docstring", link_names, priority=400)  # before napoleon
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
