"""A page, as Sphinx has resolved it, written as the plain Markdown that any Jupyter shows.

By then every role has been carried out: numbers stand where `glue` was, citations and references have
their text and their target. What is written here is CommonMark with tables and TeX. Whatever there is
no rule for is a warning, and so fails the build.
"""

import re
from types import SimpleNamespace

from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from book.claims_show import TICK

log = logging.getLogger(__name__)

NOTHING = {"comment", "compound", "foot", "meta", "raw", "substitution_definition", "target", "toctree"}
ADMONITIONS = {"attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"}
MARKUP = re.compile(r"[\\`*$]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=[^\]]*\]\()")
OPENING = re.compile(r"^(?:[#>+-]|\d+[.)])(?=\s|$)")  # would begin a heading, a quotation or a list


def indent(text, first, rest):
    """The text with `first` before its first line and `rest` before the others, no white space at their ends."""
    return "\n".join(((rest if i else first) + line).rstrip() for i, line in enumerate(text.split("\n")))


def anchor(title):
    """What Jupyter makes of a heading for links to it."""
    return "#" + re.sub(r"\s", "-", title)


class Writer:
    """Writes nodes as Markdown.

    `link` turns the target of a reference, as in the built page, into that in a notebook, or None where
    a notebook has no such place; `builder` numbers the equations.
    """

    def __init__(self, link, builder):
        self.link = link
        self.builder = builder

    def __call__(self, node):
        """One node as Markdown, "" for what only a built page needs."""
        kind = type(node).__name__
        if kind in NOTHING:
            return ""
        if kind in ADMONITIONS:
            return self.write_admonition(node)
        write = getattr(self, f"write_{kind}", None)
        if write is None:
            log.warning("no plain Markdown for <%s>: add it to plain_markdown.py", kind, location=node)
            return ""
        return write(node)

    def inside(self, node):
        return "".join(map(self, node.children))

    def blocks(self, node, gap="\n\n"):
        return gap.join(filter(None, map(self, node.children)))

    # ---- in a line -------------------------------------------------------------------------------

    def write_Text(self, node):  # noqa: N802 — named for the node
        return MARKUP.sub(r"\\\g<0>", node.astext().replace("\N{NO-BREAK SPACE}", " "))

    def write_inline(self, node):
        return self.inside(node)

    def write_setting(self, node):
        return self.inside(node)

    def write_emphasis(self, node):
        return f"*{self.inside(node)}*"

    def write_strong(self, node):
        return f"**{self.inside(node)}**"

    def write_tick(self, node):
        return f" <small>{TICK} {node['check']}</small>"

    def write_literal(self, node):
        code = node.astext()
        return f"`` {code} ``" if "`" in code else f"`{code}`"

    def write_math(self, node):
        return f"${' '.join(node.astext().split())}$"

    def write_reference(self, node):
        text = self.inside(node)
        target = self.link(node.get("refuri") or f"#{node['refid']}")
        if target is None:
            return text
        return f"[{text}](<{target}>)" if re.search(r"[()\s]", target) else f"[{text}]({target})"

    write_term_link = write_reference

    # ---- blocks ----------------------------------------------------------------------------------

    def write_paragraph(self, node):
        text = self.inside(node).strip()
        return re.sub(OPENING, lambda found: f"{found[0][:-1]}\\{found[0][-1]}", text)

    def write_math_block(self, node):
        tex = "\n".join(line for line in node.astext().strip().splitlines() if line.strip())
        if node.get("nowrap"):
            return tex
        if r"\\" in tex and r"\begin" not in tex:
            tex = f"\\begin{{split}}\n{tex}\n\\end{{split}}"
        if node.get("number"):
            tex += rf" \tag{{{get_node_equation_number(SimpleNamespace(builder=self.builder), node)}}}"
        return f"$$\n{tex}\n$$"

    def write_literal_block(self, node):
        language = node.get("language", "")
        return f"```{'' if language == 'none' else language}\n{node.astext().strip(chr(10))}\n```"

    def write_bullet_list(self, node):
        return "\n".join(indent(self.blocks(item), "- ", "  ") for item in node)

    def write_enumerated_list(self, node):
        first = node.get("start", 1)
        return "\n".join(indent(self.blocks(item), f"{i}. ", "   ") for i, item in enumerate(node, first))

    def write_definition_list(self, node):
        entries = [f"**{self.inside(item[0])}.** {self.blocks(item[-1])}" for item in node]
        return "\n".join(indent(entry, "- ", "  ") for entry in entries)

    def write_block_quote(self, node):
        return indent(self.blocks(node), "> ", "> ")

    def write_admonition(self, node):
        title, *rest = node.children
        body = self.blocks(SimpleNamespace(children=rest))
        return indent(f"**{self.inside(title)}**\n\n{body}", "> ", "> ")

    def write_transition(self, node):
        return "---"

    def write_rubric(self, node):
        return f"**{self.inside(node)}**"

    def write_container(self, node):
        return self.blocks(node)

    def write_dropdown_main(self, node):
        title, body = node.children
        return f"<details><summary>{self.inside(title)}</summary>\n\n{self.blocks(body)}\n\n</details>"

    def write_table(self, node):
        (group,) = (child for child in node if type(child).__name__ == "tgroup")
        rows = [[self.cell(entry) for entry in row] for part in group if part.tagname != "colspec" for row in part]
        rows.insert(1, ["---"] * len(rows[0]))
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def cell(self, entry):
        """One cell: in one line, and with no bar that would end it."""
        text = self.blocks(entry, gap=" ").replace("\n", " ")
        parts = re.split(r"(\$[^$]*\$)", text)
        parts[1::2] = [tex.replace(r"\|", r"\Vert ").replace("|", r"\vert ") for tex in parts[1::2]]
        parts[::2] = [plain.replace("|", r"\|") for plain in parts[::2]]
        return "".join(parts)
