"""Every claim that the book takes up has a verdict that executed claims support, or is said to be open."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from chapter_code import checks_of

import lib
from book import claims_page
from book.claims import find
from book.claims_page import ALL, FORM, OPEN, VERDICTS, verdicts
from book.verdicts import WORDS, Verdict

CHAPTERS = {path.stem: path for path in (Path(__file__).parents[2] / "chapters").glob("*.md")}
PAGE = (Path(__file__).parents[2] / "appendix" / "claims.md").read_text(encoding="utf-8")
APPROVED = json.loads((Path(__file__).parent / "quotations.json").read_text(encoding="utf-8"))


# id -> the claims of the texts that it bears on, for every check of a chapter
SOURCES = {name: set(find(name).source) for path in CHAPTERS.values() for name in checks_of(path)}


def test_each_claim_of_the_texts_has_a_verdict_or_is_listed_as_open():
    assert sorted([*VERDICTS, *OPEN, *FORM]) == sorted(ALL)
    assert set().union(*SOURCES.values()) <= set(VERDICTS)
    assert sorted(APPROVED) == sorted(VERDICTS), "no quotation is approved that is not shown"


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_a_verdict_rests_on_the_claims_that_name_it_as_their_source(verdict):
    assert set(verdict.argued) <= {*CHAPTERS, "claims"}
    assert set(verdict.claims) == {claim for claim, ids in SOURCES.items() if verdict.id in ids}


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_a_verdict_quotes_word_for_word_and_says_in_sentences(verdict):
    # The texts are not in this repository. Each hash was written after its quotation had been compared with them,
    # word for word: who changes a quotation has to compare it again.
    assert hashlib.sha256(verdict.says.encode()).hexdigest() == APPROVED[verdict.id]
    assert len(verdict.says.split()) >= 4
    assert "…" not in verdict.says
    assert verdict.sentence.endswith(".")
    assert not re.search(r"[.!?] [A-Z“]", verdict.sentence), "one sentence; the rest is `more`"
    assert len(verdict.sentence) <= 150
    assert verdict.more == "" or verdict.more.endswith(".")
    assert "```" not in claims_page.Shown((verdict,))._repr_html_(), "no fence is left"


def test_only_a_sentence_from_elsewhere_says_where_it_is_from_and_the_page_links_it():
    for verdict in VERDICTS.values():
        own = verdict.id.startswith("P")
        assert bool(verdict.where) == bool(verdict.address.startswith("https://")) == own
        shown = claims_page.Shown((verdict,))
        assert shown._repr_html_().count("ws-verdict-where") == own
        if own:
            assert f'<a href="{verdict.address}">' in shown._repr_html_()
            assert f"” ({verdict.where})\n" in repr(shown)


def test_what_does_not_hold_comes_first_there_what_surprises_most_and_then_the_order_is_that_of_the_texts():
    assert tuple(re.findall(r'^verdicts\("(.*)"\)$', PAGE, re.MULTILINE)) == WORDS
    shown = [[v.id for v in verdicts(word).verdicts] for word in WORDS]
    assert shown[0] == claims_page.SURPRISING
    assert all(ids == sorted(ids, key=ALL.index) for ids in shown[1:])
    assert sorted(id for ids in shown for id in ids) == sorted(VERDICTS)


def test_the_counts_are_of_all_claims_and_those_of_the_verdicts():
    scores = claims_page.scores()
    assert sum(scores.words.values()) == sum(scores.texts.values()) == len(ALL)
    assert list(scores.words) == [*WORDS, "not judged"]
    assert all(scores.words[word] == len(verdicts(word).verdicts) for word in WORDS)
    shown = scores._repr_html_()
    assert all(f"<b>{n}</b> <span>{word}</span>" in shown for word, n in scores.words.items())


def row_of(*words, **about):
    return claims_page.Shown((Verdict("A1", *words, **{"claims": "kl-one", **about}),))._repr_html_()


def test_a_row_has_the_word_first_then_the_quotation_one_sentence_and_the_rest_folded():
    row = row_of("holds when", "1 < 2.", says="<i>They</i> say so.", more="More of it.", argued="kl")
    seen = ["Holds when", "<q>&lt;i&gt;They&lt;/i&gt; say so.</q>", "It holds when", "1 &lt; 2."]
    link = '<a href="../chapters/kl.html#claim-kl-one">kl-one</a>'
    told = f'Checked by {link}; argued in <a href="../chapters/kl.html">kl</a>.'
    places = [row.index(part) for part in [*seen, "<details", "with 1 check", "More of it.", told, "</details>"]]
    assert places == sorted(places)
    assert 'id="verdict-A1"' in row


def test_once_no_claim_is_open_the_page_says_so(monkeypatch):
    nothing = "<p>Nothing: each statement has its verdict.</p>"
    for open_, says in (({}, True), ({"A1": "x"}, False)):
        monkeypatch.setattr(claims_page, "OPEN", open_)
        assert (nothing in claims_page.still_open()._repr_html_()) == says


def test_a_quotation_keeps_its_line_breaks_and_shows_code_as_code():
    says = "Said:\n```python\nif x < 1:\n    y\n```\n\nAnd:\n```\nz\n```"
    row = row_of("holds", "It is.", says=says)
    assert "<q>Said:\n<code>if x &lt; 1:\n    y\n</code>And:\n<code>z\n</code></q>" in row


@pytest.mark.parametrize(
    ("n", "share"), [(7, "0.96 among 7"), (100, "0.60 among 100 "), (100_000, "0.0015 among 100\u202f000")]
)
def test_the_winners_shares_of_e5_are_those_of_a_lead_of_a_half(n, share):
    scores = np.zeros(n)
    scores[0] = 0.5
    winner = lib.softmax(scores, beta=1 / 0.1)[0]
    said = share.split()[0]
    assert share in VERDICTS["E5"].more + " "
    assert f"{winner:.{len(said) - 2}f}" == said


def test_a_verdict_without_claims_or_with_another_word_cannot_be_written():
    with pytest.raises(ValueError, match="neither checked nor argued"):
        Verdict("A1", "holds", "It is.", says="so", claims=())
    with pytest.raises(ValueError, match="a verdict is one of"):
        Verdict("A1", "is true", "It is.", says="so", claims=("kl-one",))
