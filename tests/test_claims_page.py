"""Every claim of the five texts has a verdict that executed claims support, or is said to be open."""

import re
from pathlib import Path

import pytest
from chapter_code import checks_of

from lib.book import claims_page
from lib.book.claims import chapter_of, find
from lib.book.claims_page import ALL, FORM, OPEN, VERDICTS, verdicts
from lib.book.verdicts import Verdict

CHAPTERS = {path.stem: path for path in (Path(__file__).parents[1] / "chapters").glob("*.md")}


# id -> the claims of the texts that it bears on, for every check of a chapter
SOURCES = {name: set(find(name).source) for path in CHAPTERS.values() for name in checks_of(path)}


def test_each_claim_of_the_texts_has_a_verdict_or_is_listed_as_open():
    listed = [*VERDICTS, *OPEN, *FORM]
    assert sorted(listed) == sorted(ALL)


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_a_verdict_rests_on_claims_that_name_it_as_their_source(verdict):
    for claim in verdict.claims:
        assert chapter_of(claim) in CHAPTERS
        assert claim in SOURCES, f"no chapter claims {claim}"
        assert verdict.id in SOURCES[claim]
    assert set(verdict.argued) <= set(CHAPTERS)


@pytest.mark.parametrize("claim", SOURCES)
def test_a_verdict_that_a_claim_names_names_the_claim(claim):
    for id in SOURCES[claim]:
        assert claim in VERDICTS[id].claims


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_a_verdict_quotes_and_says_in_sentences(verdict):
    assert len(verdict.says.split()) >= 4
    assert "…" not in verdict.says
    assert verdict.sentence.endswith(".")


def test_what_does_not_hold_comes_first():
    text = (Path(__file__).parents[1] / "appendix" / "claims.md").read_text(encoding="utf-8")
    assert re.findall(r'^verdicts\("(.*)"\)$', text, re.MULTILINE) == ["does not hold", "holds when", "holds"]
    shown = [v.id for word in ("does not hold", "holds when", "holds") for v in verdicts(word).verdicts]
    assert sorted(shown) == sorted(VERDICTS)


def test_a_row_links_to_the_cells_and_is_text():
    row = claims_page.Shown(
        (Verdict("A1", "holds when", "1 < 2.", says="<i>x</i>", claims="kl-one", argued="kl"),)
    )._repr_html_()
    link = '<a href="../chapters/kl.html#claim-kl-one">kl-one</a>'
    assert f'Checked by {link}; argued in <a href="../chapters/kl.html">kl</a>.' in row
    assert "<q>&lt;i&gt;x&lt;/i&gt;</q>" in row
    assert "1 &lt; 2." in row


def test_a_verdict_without_claims_or_with_another_word_cannot_be_written():
    with pytest.raises(ValueError, match="neither checked nor argued"):
        Verdict("A1", "holds", "It is.", says="so", claims=())
    with pytest.raises(ValueError, match="a verdict is one of"):
        Verdict("A1", "is true", "It is.", says="so", claims=("kl-one",))
