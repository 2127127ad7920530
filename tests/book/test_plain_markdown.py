"""Text of a page as plain Markdown means the same text there, whatever it begins with or holds."""

import pytest
from docutils import nodes

from book.builder.plain_markdown import Writer


def written(*children):
    return Writer(link=lambda target: None, builder=None)(nodes.paragraph("", "", *children))


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("1. begins no list", r"1\. begins no list"),
        ("12) nor does this", r"12\) nor does this"),
        ("- nor this", r"\- nor this"),
        ("# no heading", r"\# no heading"),
        ("> no quotation", r"\> no quotation"),
        ("1.5 is a number", "1.5 is a number"),
        ("-1 is one too", "-1 is one too"),
        ("In 1. and # and > nothing begins", "In 1. and # and > nothing begins"),
        ("a*b, a_b, _c, `d`, $5, <e>, &lt;", r"a\*b, a_b, \_c, \`d\`, \$5, \<e>, \&lt;"),
    ],
)
def test_a_paragraph_is_no_mark_up(text, markdown):
    assert written(nodes.Text(text)) == markdown


def test_mark_up_of_the_page_is_mark_up_there():
    parts = nodes.strong("", "1."), nodes.Text(" is "), nodes.emphasis("", "one"), nodes.literal("", "a*b")
    assert written(*parts) == "**1.** is *one*`a*b`"
