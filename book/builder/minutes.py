"""Says under a chapter's title how long it takes: the main line, and what stands after the heading *Further*.

The main line is an estimate from the page's source, for a student who reads with a pencil and leaves the exercises
out: a hundred words a minute outside folds, and so much for each live figure, displayed formula and cell of code
in view. Each section of *Further* says itself, in its first paragraph, how long it takes; these are added up.
"""

import re
from pathlib import Path

from docutils import nodes

WORDS, FIGURE, FORMULA, CELL = 1 / 100, 1.5, 0.4, 0.5  # minutes for each
CODE = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
FOLD = re.compile(r"^(:{3,})\{dropdown\}.*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"^(?:\w+ *= *)?([A-Z]\w+)\(", re.MULTILINE)  # a figure is made; an import makes none
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
STATED = re.compile(rf"\b({'|'.join(NUMBERS[1:])}) minutes?\b", re.IGNORECASE)
FOLDED = ("hide-input", "hide-cell", "remove-input", "remove-cell")


def minutes(text):
    """How long a piece of a page takes to read."""
    cells = CODE.findall(text)
    figures = sum(name != "Predict" for cell in cells for name in SHOWN.findall(cell))
    seen = sum(not any(tag in cell.split("\n\n")[0] for tag in FOLDED) and "check(" not in cell for cell in cells)
    text = re.sub(r"^```.*?^```", " ", FOLD.sub(" ", text), flags=re.DOTALL | re.MULTILINE)
    formulas = len(re.findall(r"\$\$.*?\$\$", text, re.DOTALL))
    text = re.sub(r"\{tick\}`[^`]*`", " ", text)
    text = re.sub(r"\{set\}`([^`]*?) <[^`]*`", r"\1", text)
    text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$|\{[\w:]+\}`[^`]*`", " x ", text, flags=re.DOTALL)
    words = len(re.findall(r"[A-Za-z][\w’'-]*", text))
    return WORDS * words + FIGURE * figures + FORMULA * formulas + CELL * seen


def stated(section):
    """How many minutes a section of *Further*, from its title on, says that it takes."""
    found = STATED.search(section.strip().split("\n\n")[1])
    if not found:
        raise ValueError(f"a section of Further does not say how long it takes: {section.strip()[:60]}")
    return NUMBERS.index(found[1].lower())


def halves(source):
    """The main line of a page with this source, and *Further*, or None where there is none."""
    text = re.sub(r"\A---\n.*?^---\n", "", source, flags=re.DOTALL | re.MULTILINE)
    main, *further = re.split(r"^## Further$", text, maxsplit=1, flags=re.MULTILINE)
    if not further:
        return main, None
    # What comes after is said in a line, and read by everybody.
    optional, *last = re.split(r"^## ", further[0], maxsplit=1, flags=re.MULTILINE)
    return main + "".join(last), optional


def of_main_line(source):
    """The minutes of a page's main line, rounded."""
    return round(minutes(halves(source)[0]))


def sentence(source):
    """What is said under the title of a page with this source, or None where it has no *Further*."""
    _, optional = halves(source)
    if optional is None:
        return None
    more = sum(map(stated, re.split(r"^### ", optional, flags=re.MULTILINE)[1:]))
    return (
        f"About {of_main_line(source)} minutes, without the exercises; all of Further, about {more} more. "
        "Both are estimates."
    )


def add_minutes(app, doctree):
    """Put the sentence after the first paragraph, which says what is at stake."""
    said = sentence(Path(app.env.doc2path(app.env.docname)).read_text(encoding="utf-8"))
    paragraph = next(iter(doctree.findall(nodes.paragraph)), None)
    if said and paragraph is not None:
        paragraph["classes"].append("lead")
        paragraph.parent.insert(
            paragraph.parent.index(paragraph) + 1, nodes.paragraph("", said, classes=["minutes"])
        )


def setup(app):
    app.connect("doctree-read", add_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
