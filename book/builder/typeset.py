"""Maths typeset while the book is built: MathJax under node turns TeX into SVG.

The reader's browser receives pictures of formulas (crisp at any zoom, in the colour of the
text) and, for screen readers and copying, the same formula as MathML. It runs no script for
them and fetches no font. Glyphs that a page uses several times are stored on it once.
A formula that TeX would refuse is a warning, and so fails the build.
"""

import re
import subprocess
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from book.builder.node_process import NodeProcess

log = logging.getLogger(__name__)

GLYPH = re.compile(r'<path id="MJX-\d+-([^"]+)" d="([^"]*)"></path>')
GLYPH_USE = re.compile(r'xlink:href="#MJX-\d+-([^"]+)"')
NOISE = re.compile(
    r' (?:data-[\w-]+|xmlns(?::xlink)?|role|focusable)="[^"]*"'  # attributes that draw nothing
    r'|<use [^>]*TEX-N-206[1-4]"[^>]*></use>'  # invisible operators
    r"|<defs>.*?</defs>",
    re.DOTALL,
)


def unwrap(svg):
    """Leave out the groups that group nothing: MathJax makes one for every node of the formula."""
    root = ElementTree.fromstring(svg)
    for parent in reversed(list(root.iter())):  # children before their parents
        flat = []
        for child in parent:
            if child.tag != "g":
                flat.append(child)
            elif not child.attrib:
                flat.extend(child)
            elif len(child) == 1 and set(child.attrib) == {"transform"} and "transform" not in child[0].attrib:
                child[0].set("transform", child.get("transform"))
                flat.append(child[0])
            else:
                flat.append(child)
        parent[:] = flat
    return ElementTree.tostring(root, encoding="unicode")


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
        key = (tex, display)
        if key not in self._done:
            self._done[key] = self._typeset(tex, display)
        return self._done[key]

    def _typeset(self, tex, display):
        answer = self._node.ask({"tex": tex, "display": display})
        self.glyphs.update(GLYPH.findall(answer["svg"]))
        svg = GLYPH_USE.sub(r'href="#\1"', NOISE.sub("", answer["svg"]))
        svg = unwrap(svg).replace("<svg ", '<svg aria-hidden="true" ', 1)
        mathml = re.sub(r">\s+<", "><", answer["mml"]).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
        return f'{svg}<span class="math-spoken">{mathml}</span>'

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


def visit_display(self, node):
    tex = node.astext().strip()
    if r"\\" in tex and r"\begin" not in tex:
        tex = rf"\begin{{split}}{tex}\end{{split}}"
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    self.body.append('<div class="math-scroll">' + typeset(self, node, tex, display=True) + "</div>")
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def add_glyphs(app, pagename, templatename, context, doctree):
    """Put the outlines of the glyphs that this page uses on the page, once."""
    used = sorted(set(re.findall(r'href="#(TEX-[^"]+)"', context.get("body", ""))))
    if used:
        paths = "".join(f'<path id="{name}" d="{app.typesetter.glyphs[name]}"/>' for name in used)
        context["body"] += (
            f'<svg class="math-glyphs" aria-hidden="true" width="0" height="0"><defs>{paths}</defs></svg>'
        )


def setup(app):
    app.typesetter = Typesetter()
    app.add_html_math_renderer("svg", (visit_inline, None), (visit_display, None))
    app.connect("html-page-context", add_glyphs)
    app.connect("build-finished", lambda app, error: app.typesetter.close())
    return {"parallel_read_safe": True, "parallel_write_safe": False}
