"""Every term stands in the glossary, in one sentence and with a place; its first use in a chapter leads there.

A letter means one thing in the whole book: whatever stands in a formula stands in the table of symbols.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
TEXT = (ROOT / "appendix" / "glossary.md").read_text(encoding="utf-8")
ENTRY = re.compile(r"^(\S[^\n]*)\n  ([^\n]+)$", re.MULTILINE)
TERMS = {term: says.strip() for term, says in ENTRY.findall(TEXT.split("```{glossary}")[1].split("\n```")[0])}
ROLE = re.compile(r"\{term\}`([^`]+)`")


def meant(inside):
    """The term that a role names: "ratios <likelihood ratio>" means the second."""
    return re.sub(r".*<(.*)>", r"\1", inside, flags=re.DOTALL).replace("\n", " ").strip()


def plain(text):
    """The running text of a page, without front matter, subtitle, code, formulas, headings, labels and roles."""
    for pattern in (
        r"\A---\n.*?\n---\n\s*(?:# [^\n]*\n\n\*[^\n]*\*\n)?",
        r"^```.*?^```$",
        r"\$\$.*?\$\$(?: *\([\w-]+\))?",
        r"\$[^$]+\$",
        r"^(?:#|\([\w-]+\)=)[^\n]*$",
        r"\]\(#[\w-]+\)",
        r"\{(?!term)[\w:-]+\}`[^`]*`",
    ):
        text = re.sub(pattern, "\n", text, flags=re.DOTALL | re.MULTILINE)
    return text


def test_terms_are_in_alphabetical_order_each_once():
    order = re.findall(r"^(\S[^\n]*)\n  ", TEXT.split("```{glossary}")[1], re.MULTILINE)
    assert order == sorted(set(order), key=str.lower)
    assert set(order) == set(TERMS)


def test_a_term_has_one_sentence_and_the_page_that_explains_it_marks_it():
    for term, says in TERMS.items():
        assert re.fullmatch(r"((?![.!?] +[A-Z{]).)+\.", says), term
        (place,) = re.findall(r"\{doc\}`(?:[^`<]*<)?\.\./([\w/-]+)>?`", says)
        text = (ROOT / f"{place}.md").read_text(encoding="utf-8")
        assert term in {meant(inside) for inside in ROLE.findall(text)}, f"{term}: {place}"


def late_terms(text, terms):
    """What a text uses before it leads to the glossary, with the words around."""
    text = plain(text)
    marked = {meant(match[1]): match.start() for match in reversed([*ROLE.finditer(text)])}
    bare = ROLE.sub(lambda match: " " * len(match[0]), text)
    for term in terms:
        used = re.search(rf"\b{re.escape(term)}\b", bare, re.IGNORECASE)
        if used and used.start() < marked.get(term, len(text)):
            yield f"{term}: {' '.join(bare[max(0, used.start() - 30) : used.end() + 20].split())}"


def test_a_term_leads_to_the_glossary_where_a_chapter_first_uses_it():
    texts = {path.stem: path.read_text(encoding="utf-8") for path in CHAPTERS}
    assert [f"{page}: {late}" for page, text in texts.items() for late in late_terms(text, TERMS)] == []


def test_a_term_that_is_used_first_without_its_role_would_be_noticed():
    text = "# Odds\n\n(odds)=\n[Why](#odds) {eq}`odds` $odds$ The odds, {term}`odds`, are odds."
    assert list(late_terms(text, ["odds"])) == ["odds: [Why The odds, , are"]
    assert list(late_terms("The {term}`ratios <odds>` are odds.", ["odds"])) == []


# --- letters ------------------------------------------------------------------------------------------

PAGES = [ROOT / "index.md", *CHAPTERS, *sorted(ROOT.glob("appendix/*.md"))]
MATHS = sorted((ROOT / "lib").glob("*.py"))  # the docstrings are pages too
NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
    phi chi psi omega"""
GREEK = re.compile(rf"ell|(var)?({'|'.join(NAMES.split())})", re.IGNORECASE)
E = {"e"}  # the base of the exponential


def formulas(text):
    """What stands between dollar signs, outside code; in a docstring, in `math` roles and directives."""
    text = re.sub(r"^```.*?^```|`[^`$]*`", " ", text, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)
    yield from re.findall(r"(?<![\\$])\$([^$]+?)\$(?!\$)", re.sub(r"\$\$.+?\$\$", " ", text, flags=re.DOTALL))


def documented(text):
    yield from re.findall(r":math:`([^`]+)`", text)
    yield from re.findall(r"\.\. math::\n?((?:.*\S.*\n)+)", text)


def letters(formula):
    """The letters of a formula, Latin and Greek, without those that are words or part of a command."""
    formula = re.sub(r"\\(?:text|operatorname|mathrm|label|begin|end|mathbb)\*?\{[^}]*\}", " ", formula)
    commands = set(re.findall(r"\\([A-Za-z]+)", formula))
    bare = re.sub(r"\\[A-Za-z]+", " ", formula)
    return (set(re.findall(r"[A-Za-z]", bare)) | {f"\\{c}" for c in commands if GREEK.fullmatch(c)}) - E


ABOUT = (ROOT / "appendix" / "about.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\$.+?) \| .+? \|$", ABOUT, re.MULTILINE)
KNOWN = set().union(*(letters(" ".join(formulas(row))) for row in ROWS))  # by the table of symbols


def test_each_letter_is_explained_in_one_row():
    main = [next(iter(formulas(row))) for row in ROWS]
    assert len(main) == len(set(main))


def test_a_page_uses_no_letter_that_the_table_lacks():
    seen = set()
    for path in [*PAGES, *MATHS]:
        shown = formulas if path.suffix == ".md" else documented
        used = set().union(*map(letters, shown(path.read_text(encoding="utf-8"))))
        assert used <= KNOWN, path.name
        seen |= used
    assert seen == KNOWN, "each is used"
