"""Every term stands in the glossary, in one sentence and with a place; its first use in a chapter leads there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
TEXT = (ROOT / "appendix" / "glossary.md").read_text(encoding="utf-8")
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


def test_running_text_goes_on_after_a_heading_and_without_labels():
    page = (
        "---\nx: 1\n---\n# Odds\n\nAn odd {term}`one <odds>`.\n\n(kl-odds)=\n## Odds\n\n"
        "[Why](#odds) {eq}`odds` $odds$ odds.\n"
    )
    assert plain(page).split() == ["An", "odd", "{term}`one", "<odds>`.", "[Why", "odds."]


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
    assert list(late_terms("# Odds\n\nThe odds, {term}`odds`, are odds.", ["odds"])) == ["odds: The odds, , are"]
    assert list(late_terms("The {term}`odds` are odds.", ["odds"])) == []
