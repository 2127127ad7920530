"""What a search finds in a page: its sections, their first lines and words."""

import pytest

from book.builder.book_search import index, told, words
from book.builder.math_words import in_plain_words
from book.builder.sections import one_line, sections_of

PAGE = """<article><section id="top"><h1>Scaling: why √d?<a class="headerlink" href="#top">¶</a></h1>
<p class="minutes">About 9 minutes.</p><p>Scores grow
with <math><msqrt><mi>d</mi></msqrt></math>.</p><p>More.</p><svg><title>unseen</title></svg>
<section id="a"><h2>A part</h2><details class="hide"><p>folded</p></details>
<p>Its <em>first</em> line.</p></section>
<section id="bare"><h2>Bare</h2></section>
<dl class="glossary"><dt id="term-odds">odds</dt><dd>
<p>A ratio: <a href="x.html"><span class="doc">A: b</span></a>.</p></dd>
<dt id="term-nat">nat</dt><dd><p>A unit.</p></dd></dl>
<dl class="py"><dt class="sig" id="lib.f">lib.f(<em>x</em>)</dt><dd><p>What f does.</p></dd></dl>
</section></article>"""


def test_a_page_falls_into_sections_terms_and_functions():
    found = [(one.kind, one.anchor, one.title, one.line) for one in sections_of(PAGE)]
    assert found == [
        ("page", "top", "Scaling: why √d?", "Scores grow with √d."),
        ("section", "a", "A part", "Its first line."),
        ("section", "bare", "Bare", ""),
        ("term", "term-odds", "odds", "A ratio."),
        ("term", "term-nat", "nat", "A unit."),
        ("function", "lib.f", "f", "What f does."),
    ]
    text = " ".join(" ".join(one.text) for one in sections_of(PAGE))
    assert not set("unseen folded minutes A:".split()) & set(text.split())
    (page,) = sections_of("<article><section id='a'><h1>T\u00a0=\u00a01/β</h1></section></article>")
    assert page.title == "T = 1/β", "what keeps it on its line is no part of the text"


def test_the_index_has_places_and_leaves_out_what_is_empty():
    made = index([("x.html", 0, "Part", PAGE)])
    assert [title for _, _, _, title, _ in made["sections"]] == ["Scaling: why √d?", "A part", "odds", "nat", "f"]
    places = dict(zip(made["words"].split(), made["places"].split(), strict=True))
    assert places["scores"] == "0"
    assert places["line"] == "1"
    assert places["unit"] == "3"
    assert "first" in places
    assert "the" not in places


@pytest.mark.parametrize(
    ("mathml", "line"),
    [
        ("<msub><mi>k</mi><mi>i</mi></msub>", "kᵢ"),
        ("<msub><mi>W</mi><mi>Q</mi></msub><mi>h</mi>", "W_Q h"),
        ("<msup><mi>e</mi><mrow><mi>β</mi><mi>s</mi></mrow></msup>", "e^(βs)"),
        ("<mfrac><mn>1</mn><mi>β</mi></mfrac><mo>=</mo><mn>2</mn>", "1/β = 2"),
        ("<mi>log</mi><mo>&#x2061;</mo><mi>x</mi>", "log x"),
    ],
)
def test_a_formula_becomes_a_line_of_text(mathml, line):
    assert in_plain_words(f"a <math>{mathml}</math>, b") == f"a {line}, b"


def test_a_line_ends_between_words_and_words_lose_accents():
    assert one_line("one two,  three four", 12) == "one two …"
    assert words("Rényi’s √d in Veličković, causal_mask") == "renyi s √ d in velickovic causal_mask".split()
    kept = [word for word in "the β d 12 1e9 causal_mask πs √".split() if told(word)]
    assert kept == ["β", "1e9", "causal_mask", "√"]
