"""Every term stands in the glossary, in one sentence and with a place; its first use in a chapter leads there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
TEXT = (ROOT / "back" / "glossary.md").read_text(encoding="utf-8")
TERMS = {
    term: says.strip()
    for term, says in re.findall(
        r"^(\S[^\n]*)\n  ([^\n]+)$", TEXT.split("```{glossary}")[1].split("\n```")[0], re.MULTILINE
    )
}
ROLE = re.compile(r"\{term\}`([^`]+)`")


def meant(inside):
    """The term that a role names: "ratios <likelihood ratio>" means the second."""
    return re.sub(r".*<(.*)>", r"\1", inside, flags=re.DOTALL).replace("\n", " ").strip()


def plain(text):
    """The running text up to the exercises, without front matter, code, formulas, headings and other roles."""
    for pattern in (
        r"\A---\n.*?\n---\n",
        r"^```.*?^```$",
        r"\$\$.*?\$\$",
        r"\$[^$]+\$",
        r"^#.*$",
        r"\{(?!term)[\w:-]+\}`[^`]*`",
    ):
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    return text


def test_terms_are_in_alphabetical_order_each_once():
    order = re.findall(r"^(\S[^\n]*)\n  ", TEXT.split("```{glossary}")[1], re.MULTILINE)
    assert order == sorted(set(order), key=str.lower)
    assert set(order) == set(TERMS)


@pytest.mark.parametrize("term", TERMS)
def test_a_term_has_one_sentence_and_the_page_that_explains_it(term):
    says = TERMS[term]
    assert says.endswith(".")
    assert len(re.findall(r"[.!?] +[A-Z{]", says)) == 0
    (place,) = re.findall(r"\{doc\}`(?:[^`<]*<)?\.\./([\w/-]+)>?`", says)
    assert (ROOT / f"{place}.md").exists()


@pytest.mark.parametrize("term", TERMS)
def test_the_page_that_explains_a_term_marks_it(term):
    (place,) = re.findall(r"\{doc\}`(?:[^`<]*<)?\.\./([\w/-]+)>?`", TERMS[term])
    text = (ROOT / f"{place}.md").read_text(encoding="utf-8")
    assert term in {meant(inside) for inside in ROLE.findall(text)}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_term_leads_to_the_glossary_where_a_chapter_first_uses_it(path):
    text = plain(path.read_text(encoding="utf-8"))
    marked = {meant(inside): match.start() for match in reversed([*ROLE.finditer(text)]) for inside in [match[1]]}
    bare = ROLE.sub(lambda match: " " * len(match[0]), text)
    late = []
    for term in TERMS:
        used = re.search(rf"\b{re.escape(term)}s?\b", bare, re.IGNORECASE)
        if used and used.start() < marked.get(term, len(text)):
            late.append(f"{term}: {bare[max(0, used.start() - 30) : used.end() + 20]!r}")
    assert late == []
