"""Short formulas in running text stay on one line: T = 1, (0, 2), 1/β, |β|, 5 %.

Spaces in them become no-break spaces; where a line could break without a space, a word joiner forbids it. A
formula may have several pieces: *T* = 1 is an italic letter and plain text. A long one may break before operators.
"""

import re
from html import escape, unescape

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

LONGEST = 18  # characters that are kept together: half a line on a phone
SPACE, JOINER = "\N{NO-BREAK SPACE}", "\N{WORD JOINER}"
ATOM = "\N{OBJECT REPLACEMENT CHARACTER}"  # stands for a typeset formula or code, which have their own rules
OPERATOR = "[=≈≠<>≤≥≪≫→∝∈·×+−±]"
CHAIN = re.compile(rf"\S+(?: {OPERATOR} \S+)+")
LIST = re.compile(r"\([^()\s]{1,5}(?:, [^()\s]{1,5})+\)")
SUM = re.compile(rf"[\d.]+(?: {OPERATOR} [\d.]+)+")  # 0.223 · 0.368 = 0.082, whole up to SUM_LONGEST
SUM_LONGEST = 24
BRACKET = re.compile(rf"\([^()\s]+(?: {OPERATOR} [^()\s]+)+\)")  # (1 − 0.223)
LOGARITHM = re.compile(r"(?<=\blog) (?=\d)")
PERCENT = re.compile(r"(?<=\d) (?=%)")
FRACTION = re.compile(r"(?<![^\s(−])[^\s/]{1,5}/(?=[^\s/]{1,6}(?!\S))")
BARS = re.compile(r"(?<!\S)[(−]?\|([^\s|]{1,6})\|")
MARKUP = re.compile(r"(<(svg|code|pre|q)\b.*?</\2>|<[^>]*>)", re.DOTALL)
SENTENCES = re.compile(r'class="ws-(?:claim|verdict|static)\b(?!.*data-figure)', re.DOTALL)
LINES = nodes.paragraph | nodes.title | nodes.caption | nodes.term | nodes.rubric | nodes.attribution


def chain_spaces(start, chain):
    """Which spaces of a chain such as a = b = c, which begins at `start`, are kept: all, if it is short."""
    first, *rest = re.split(rf" (?={OPERATOR} )", chain)
    end, length = start + len(first), len(first)
    for part in rest:  # "= b"
        if length + 1 + len(part) <= LONGEST:
            yield end
            length += 1 + len(part)
        else:
            length = len(part)
        if len(part) <= LONGEST:
            yield end + 2
        end += 1 + len(part)


def places(line):
    """Where a line must not break: the spaces in it that are kept, and the places that a joiner closes."""
    spaces = {at for found in CHAIN.finditer(line) for at in chain_spaces(found.start(), found[0])}
    for kind, longest in ((LIST, LONGEST), (BRACKET, LONGEST), (SUM, SUM_LONGEST)):
        for found in kind.finditer(line):
            if len(found[0]) <= longest:
                spaces |= {found.start() + i for i, char in enumerate(found[0]) if char == " "}
    spaces |= {found.start() for kind in (PERCENT, LOGARITHM) for found in kind.finditer(line)}
    joints = {found.end() for found in FRACTION.finditer(line)}
    joints |= {at for found in BARS.finditer(line) for at in found.span(1)}
    return spaces, joints


def kept(text, start, spaces, joints):
    """The piece of a line that begins at `start`, with its spaces kept and its joints closed."""
    return "".join(
        (JOINER if at in joints else "") + (SPACE if at in spaces else char) for at, char in enumerate(text, start)
    )


def pieces(node):
    """The text nodes under a node, in order; what is no running text as an atom."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child, child.astext()
        elif isinstance(child, nodes.math):  # as long as its letters
            yield None, ATOM * len(re.sub(r"\\[A-Za-z]+|[{}^_\\ ]", "", child.astext()) or "x")
        elif isinstance(child, nodes.literal | nodes.raw) or not child.children:
            yield None, ATOM * max(len(child.astext()), 1)
        else:
            yield from pieces(child)


def bind(block):
    """Make the short formulas of a paragraph unbreakable; short code is so by its style, and copies as it is."""
    found = list(pieces(block))
    spaces, joints = places("".join(text for _, text in found))
    start = 0
    for code in block.findall(nodes.literal):
        if len(code.astext()) <= LONGEST:
            code["classes"].append("unbroken")
    for node, text in found:
        if node is not None:
            new = kept(text, start, spaces, joints)
            if new != text:
                node.parent.replace(node, nodes.Text(new))
        start += len(text)


def bind_html(html):
    """As `bind`, in the sentences of what a cell shows: not in code, in drawings and in what is quoted.

    >>> bind_html("<p>i &lt; t, <code>a = b</code></p>").replace(SPACE, "_")
    '<p>i_&lt;_t, <code>a = b</code></p>'
    """
    parts = [unescape(text) if i % 3 == 0 else text for i, text in enumerate(MARKUP.split(html))]
    for i in range(0, len(parts), 3):  # what stands between the tags
        parts[i] = escape(kept(parts[i], 0, *places(parts[i])), quote=False)
    return "".join(part for i, part in enumerate(parts) if i % 3 != 2)


def breakable(text):
    """The text as its author wrote it, for a place where it is to be edited.

    >>> breakable(f"T{SPACE}={SPACE}1, |{JOINER}β{JOINER}|")
    'T = 1, |β|'
    """
    return text.replace(SPACE, " ").replace(JOINER, "")


class Unbroken(SphinxPostTransform):
    default_priority = 900  # when numbers, references and citations have their text
    formats = ("html",)

    def run(self, **options):
        for block in self.document.findall(lambda node: isinstance(node, LINES)):
            bind(block)
        for shown in self.document.findall(nodes.raw):
            if SENTENCES.search(shown.astext()):
                shown[:] = [nodes.Text(bind_html(shown.astext()))]


def setup(app):
    app.add_post_transform(Unbroken)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
