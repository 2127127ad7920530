"""Maths typeset while the book is built: MathJax under node turns TeX into SVG.

The reader's browser receives pictures of formulas (crisp at any zoom, in the colour of the
text) and, for screen readers and copying, the same formula as MathML. It runs no script for
them and fetches no font. Glyphs that a page uses several times are stored on it once.
A formula that TeX would refuse is a warning, and so fails the build.
"""

import subprocess
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from book.builder.node_process import NodeProcess

log = logging.getLogger(__name__)

LINK = "{http://www.w3.org/1999/xlink}href"
UNSEEN = tuple(f"TEX-N-206{digit}" for digit in "1234")  # invisible operators
IDLE = {"role", "focusable"}  # attributes that draw nothing, as all of MathJax's own, data-...


def plain_name(id):
    """The name of a glyph, without the number of the formula in MathJax's ids."""
    return id.split("-", 2)[2]


def tidy(parent):
    """Leave out of a picture what draws nothing, and the groups that group nothing: each node has one."""
    parent.tag = parent.tag.partition("}")[2]
    drawing = {}
    for name, value in parent.attrib.items():
        if name == LINK:
            drawing["href"] = f"#{plain_name(value)}"
        elif name not in IDLE and not name.startswith("data-"):
            drawing[name] = value
    parent.attrib = drawing
    flat = []
    for child in parent:
        tidy(child)
        if child.tag == "defs" or child.get("href", "").endswith(UNSEEN):
            continue
        if child.tag != "g":
            flat.append(child)
        elif not child.attrib:
            flat.extend(child)
        else:
            if len(child) == 1 and set(child.attrib) == {"transform"} and "transform" not in child[0].attrib:
                child[0].set("transform", child.get("transform"))
                child = child[0]
            flat.append(child)
    parent[:] = flat


class Typesetter:
    """All formulas in one node process; each is typeset once."""

    def __init__(self):
        mathjax = resources.files("sphinx-mathjax-offline") / "static" / "mathjax"
        script = Path(__file__).with_suffix(".mjs")
        # stderr has only a notice about a component's version; errors come as answers
        self._node = NodeProcess(script, mathjax, errors=subprocess.DEVNULL)
        self._done = {}
        self.glyphs = {}  # id -> outline, of every glyph met so far

    def __call__(self, tex, display):
        """A formula as HTML."""
        key = (tex, display)
        if key not in self._done:
            self._done[key] = self._typeset(*key)
        return self._done[key][0]

    def glyphs_of(self, tex, display):
        """The ids of the glyphs of a formula that has been typeset; of one that TeX refuses, none."""
        return self._done.get((tex, display), ("", ()))[1]

    def _typeset(self, tex, display):
        answer = self._node.ask({"tex": tex, "display": display})
        svg = ElementTree.fromstring(answer["svg"])
        paths = [path for path in svg.iterfind(".//{*}defs/{*}path") if not path.get("id").endswith(UNSEEN)]
        outlines = {plain_name(path.get("id")): path.get("d") for path in paths}
        self.glyphs |= outlines
        tidy(svg)
        svg.attrib = {"aria-hidden": "true", **svg.attrib}
        mathml = "".join(line.strip() for line in answer["mml"].splitlines())
        mathml = mathml.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
        html = f'{ElementTree.tostring(svg, encoding="unicode")}<span class="math-spoken">{mathml}</span>'
        return html, set(outlines)

    def close(self):
        self._node.close()


def typeset(translator, node, tex, display):
    try:
        return translator.builder.app.typesetter(tex, display)
    except ValueError as error:
        log.warning("formula does not typeset: %s\n%s", error, tex, location=node)
        return f"<code>{translator.encode(tex)}</code>"


def visit_inline(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(typeset(self, node, node.astext(), display=False) + "</span>")
    raise nodes.SkipNode


def display_tex(node):
    tex = node.astext().strip()
    return rf"\begin{{split}}{tex}\end{{split}}" if r"\\" in tex and r"\begin" not in tex else tex


def visit_display(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    formula = typeset(self, node, display_tex(node), display=True)
    self.body.append(f'<div class="math-scroll">{formula}</div>')
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def add_glyphs(app, pagename, templatename, context, doctree):
    """The outlines of the glyphs that this page uses, which the template puts on the page once."""
    if doctree is None:
        return
    formulas = [(node.astext(), False) for node in doctree.findall(nodes.math)]
    formulas += [(display_tex(node), True) for node in doctree.findall(nodes.math_block)]
    used = set().union(*(app.typesetter.glyphs_of(*formula) for formula in formulas))
    context["glyphs"] = {name: app.typesetter.glyphs[name] for name in sorted(used)}


def setup(app):
    app.typesetter = Typesetter()
    app.add_html_math_renderer("svg", (visit_inline, None), (visit_display, None))
    app.connect("html-page-context", add_glyphs)
    app.connect("build-finished", lambda app, error: app.typesetter.close())
    return {"parallel_read_safe": True, "parallel_write_safe": False}
