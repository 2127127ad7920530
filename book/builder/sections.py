"""The sections of a built page as a search finds them: anchor, title, first line, words.

What can be asked for by name is a section of its own too: a function of the reference, a term of the glossary, a
source, a verdict on a claim.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from book.builder.math_words import in_plain_words

# Not what a reader looks for: drawings, folded code and checks, `lib`'s source, what is the same on each page.
SKIPPED_TAGS = {"svg", "script", "style", "button", "noscript"}
SKIPPED = set(
    """headerlink ws-figure ws-foot ws-picture source source-tests source-link minutes take-away
    ws-verdict-id ws-verdict-lead""".split()
)
VOID = {"br", "hr", "img", "input", "link", "meta", "col", "wbr"}
LINE = 120  # the most characters of a first line


@dataclass
class Section:
    """A place that a result leads to."""

    kind: str  # page, section, function, term, source or verdict
    anchor: str
    title: str = ""
    line: str = ""
    text: list = field(default_factory=list)


@dataclass
class Element:
    """An element that is open while a page is read."""

    tag: str
    section: Section
    skipped: bool
    says: str = ""  # "title" or "line" where its text becomes that of the section


def kind_of(tag, classes, id):
    """What kind of section begins with this start tag, if any."""
    if not id:
        return None
    if tag == "dt":
        return "term" if id.startswith("term-") else "function" if "sig" in classes else None
    if tag == "div":
        return "source" if "citation" in classes else "verdict" if "ws-verdict" in classes else None
    return "section" if tag == "section" else None


class PageReader(HTMLParser):
    """Reads one page; `sections` has what it found, in the order of the page."""

    def __init__(self, html):
        super().__init__()
        self.sections, self.open = [], [Element("", None, False)]
        article = re.search(r"<article[^>]*>(.*)</article>", html, re.DOTALL)
        self.feed(in_plain_words(article[1] if article else ""))

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            return
        attributes = dict(attributes)
        classes = set((attributes.get("class") or "").split())
        parent = self.open[-1]
        skipped = parent.skipped or tag in SKIPPED_TAGS or bool(classes & SKIPPED)
        if "doc" in classes and parent.section and parent.section.kind == "term":
            skipped = True  # the title of the chapter that explains the term would be found instead of it
        kind = None if skipped else kind_of(tag, classes, attributes.get("id"))
        element = Element(tag, parent.section, skipped, parent.says)
        if kind:
            element.section = self.begun(kind, attributes["id"], parent)
        if tag == "dt" and kind == "function":
            element.skipped, element.section.title = True, attributes["id"].removeprefix("lib.")
        elif tag in ("h1", "h2", "h3", "h4", "q") or kind == "term":
            element.says = "title" if element.section and not element.section.title else ""
        elif element.section and element.section.kind == "verdict":
            # The quotation alone would read as if this book said so: the word of the verdict begins the line.
            element.says = "line" if classes & {"ws-verdict-word", "ws-verdict-says"} else parent.says
            if "ws-verdict-says" in classes:
                element.section.line += ": "
        elif (tag == "p" or "ws-later-lead" in classes) and element.section and not element.section.line:
            element.says = "line"
        self.open.append(element)

    def begun(self, kind, anchor, parent):
        """A new section. One that begins with a <dt> goes on after it, so it belongs to the list around it."""
        section = Section("page" if not self.sections else kind, anchor)
        self.sections.append(section)
        if kind in ("term", "function"):
            parent.section = section
        return section

    def handle_endtag(self, tag):
        if any(element.tag == tag for element in self.open):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data):
        element = self.open[-1]
        if element.skipped or not element.section:
            return
        if element.says == "title":
            element.section.title += data
        else:
            element.section.text.append(data)
            if element.says == "line":
                element.section.line += data


def one_line(text, longest=LINE):
    """White space made single, and what is too long broken off between two words."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    return text[: longest - 1].rpartition(" ")[0].rstrip(" ,;:.(–") + " …"


def sections_of(html):
    """Every section of a page that has a title, the page itself first."""
    found = PageReader(html).sections
    for section in found:
        section.title = one_line(section.title, 70 if section.kind == "verdict" else 110)
        if section.kind == "term":  # what followed its last colon was left out
            section.line = section.line.rstrip(" :,;.\n") + "."
        section.line = one_line(section.line)
    return found
