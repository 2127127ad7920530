"""Short formulas in running text are not broken at the end of a line."""

import re
from pathlib import Path

import pytest
from docutils import nodes

from book.builder.short_formulas import JOINER, SPACE, bind, bind_html, breakable, places
from tools.browser import Visit

TOC = (Path(__file__).parents[2] / "_toc.yml").read_text()
PAGES = [f"{name}.html" for name in re.findall(r"(?:root|file): ((?:index|chapters/|appendix/claims).*)", TOC)]


def marked(line):
    """The line with _ for each space in it that is kept, and ~ where a joiner goes."""
    spaces, joints = places(line)
    return "".join(("~" if i in joints else "") + ("_" if i in spaces else char) for i, char in enumerate(line))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("at T = 1, and β = ½.", "at T_=_1, and β_=_½."),
        ("for α ≥ 1 and β → ∞ both", "for α_≥_1 and β_→_∞ both"),
        ("the pairs (0, 2) and (1, 0, 3)", "the pairs (0,_2) and (1,_0,_3)"),
        ("if |β| is large, −|β| not", "if |~β~| is large, −|~β~| not"),
        ("1/β, (T/β) and ½/√d.", "1/~β, (T/~β) and ½/~√d."),
        ("gains 0.223 · (1 − 0.223) = 0.173.", "gains 0.223_·_(1_−_0.223)_=_0.173."),
        ("count log 2.574 = 0.946 for half of log 7", "count log_2.574_=_0.946 for half of log_7"),
        ("in 5 % of them", "in 5_% of them"),
        # What is long may break, before an operator.
        (
            "J(π) = (1/β) log Z and log(π⋆ᵢ/uᵢ) = βsᵢ − log(Z) = 3",
            "J(π)_=_(1/~β) log Z and log(π⋆ᵢ/~uᵢ)_=_βsᵢ −_log(Z)_=_3",
        ),
        # What is no formula may break where it could.
        ("words (see below, and there) or not, a - b", "words (see below, and there) or not, a - b"),
        ("https://example.org/a/b a|b|c lib/fast/rows.py", "https://example.org/a/b a|b|c lib/fast/rows.py"),
    ],
)
def test_what_is_kept_on_a_line(line, says):
    assert marked(line) == says


def test_a_formula_in_several_pieces_is_kept_and_code_is_let_be():
    formula = nodes.math("", r"\beta")
    code = nodes.literal("", "a = b")
    long = nodes.literal("", "softmax(scores, c * np.log(n))")
    parts = nodes.emphasis("", "T"), nodes.Text(" = 1, "), formula, nodes.Text(" = 2, "), code
    block = nodes.paragraph("", "", *parts)
    bind(block)
    bind(nodes.paragraph("", "", long))
    assert (code["classes"], long["classes"]) == (["unbroken"], [])
    assert block.astext() == f"T{SPACE}={SPACE}1, \\beta{SPACE}={SPACE}2, a = b"
    assert breakable(f"|{JOINER}T{JOINER}|{SPACE}=") == "|T| ="


def test_sentences_that_a_cell_shows_are_kept_and_quotations_stay_word_for_word():
    same = "<q>T = 1</q> <code>T = 1</code><svg><text>T = 1</text></svg></p>"
    html = f'<p class="ws-claim">At T = 1 &amp; i &lt; t. {same}'
    assert bind_html(html).replace(SPACE, "_") == f'<p class="ws-claim">At T_=_1 &amp; i_&lt;_t. {same}'


# In the article's text, as it is laid out: the short formulas that stand on two lines.
BROKEN = r"""() => {
  const formula = new RegExp([
    /\S{1,5}[ \u00a0][=≈≠<>≤≥→·×+−][ \u00a0]\S{1,5}/, /\([^()\s]{1,4},[ \u00a0][^()\s]{1,4}\)/,
    /\|\S{1,5}\|/, /(?<=\s)\S{1,3}\/\u2060?\S{1,3}(?=\s)/,
  ].map((part) => part.source).join("|"), "g");
  const broken = [];
  for (const block of document.querySelectorAll("article :is(p, li, h1, h2, h3, figcaption, dt)")) {
    if (block.closest(".ws-figure, .highlight") || !block.checkVisibility()) continue;
    const walk = document.createTreeWalker(block, NodeFilter.SHOW_TEXT), found = [];
    for (let node; (node = walk.nextNode());) if (!node.parentElement.closest("code, .math, q")) found.push(node);
    for (const node of found) for (const match of node.data.matchAll(formula)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const tops = [...range.getClientRects()].map((box) => box.top);
      if (Math.max(...tops) - Math.min(...tops) > 12) broken.push(match[0]);
    }
  }
  return broken;
}"""


def test_no_page_breaks_a_short_formula(site, browser):
    with Visit(browser) as visit:
        for page in PAGES:
            visit.go((site / page).as_uri())
            for width in (1280, 390, 360):
                visit.page.set_viewport_size({"width": width, "height": 900})
                assert visit.page.evaluate(BROKEN) == [], f"{page}, {width} pixels wide"
