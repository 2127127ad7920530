"""Every term stands in the glossary, in one sentence and with a place; its first use in a chapter leads there."""

import re
from pathlib import Path

import pytest

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
    """The running text of a page, without front matter, code, formulas, headings, labels and other roles."""
    for pattern in (
        r"\A---\n.*?\n---\n",
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


@pytest.mark.parametrize("term", TERMS)
def test_a_term_has_one_sentence_and_the_page_that_explains_it_marks_it(term):
    says = TERMS[term]
    assert says.endswith(".")
    assert not re.search(r"[.!?] +[A-Z{]", says)
    (place,) = re.findall(r"\{doc\}`(?:[^`<]*<)?\.\./([\w/-]+)>?`", says)
    text = (ROOT / f"{place}.md").read_text(encoding="utf-8")
    assert term in {meant(inside) for inside in ROLE.findall(text)}


def late_terms(text, terms):
    """What a text uses before it leads to the glossary, with the words around."""
    text = plain(text)
    marked = {meant(match[1]): match.start() for match in reversed([*ROLE.finditer(text)])}
    bare = ROLE.sub(lambda match: " " * len(match[0]), text)
    for term in terms:
        used = re.search(rf"\b{re.escape(term)}\b", bare, re.IGNORECASE)
        if used and used.start() < marked.get(term, len(text)):
            yield f"{term}: {' '.join(bare[max(0, used.start() - 30) : used.end() + 20].split())}"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_term_leads_to_the_glossary_where_a_chapter_first_uses_it(path):
    assert list(late_terms(path.read_text(encoding="utf-8"), TERMS)) == []


def test_a_term_that_is_used_first_without_its_role_would_be_noticed():
    text = "# Odds\n\n(odds)=\n[Why](#odds) {eq}`odds` $odds$ The odds, {term}`odds`, are odds."
    assert list(late_terms(text, ["odds"])) == ["odds: [Why The odds, , are"]
    assert list(late_terms("The {term}`ratios <odds>` are odds.", ["odds"])) == []
