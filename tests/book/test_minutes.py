"""The estimate of how long a chapter takes, from its source."""

import pytest

from book.builder.minutes import minutes, sentence

PAGE = """---
title: "## Further"
---

# A title

*What is at stake.*

{main}

## Summary

Said.

## Further

{further}

## Next, and sources

That is all.
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("weights $\\pi_i$ and {term}`scores <score>`", 4 / 100),
        ("checked{tick}`a-claim`", 1 / 100),
        ("here {set}`two words <figure?beta=4>`", 3 / 100),
        ("$$ x = y $$", 0.4 + 1 / 100),
        (":::{dropdown} Why\nA long proof.\n:::\nafter", 1 / 100),
        ("```{code-cell} python\nx = 1\n```", 0.5),
        ("```{code-cell} python\n:tags: [hide-input]\n\nx = 1\n```", 0),
        ("```{code-cell} python\n:tags: [hide-input]\n\nfrom a import Bars\nBars(\n    1)\nf = Race(2)\n```", 3.0),
        ('```{code-cell} python\n:tags: [hide-input]\n\nPredict("?")\n```', 0),
        ('```{code-cell} python\n:tags: [remove-output]\ncheck("a-1", ...)\n```', 0),
    ],
)
def test_what_a_piece_takes(text, wanted):
    assert minutes(text) == pytest.approx(wanted)


def test_main_line_and_further_are_told_apart():
    sections = "### One\n\n*Why. Five minutes.*\n\nTwo minutes.\n\n### Two\n\n*One minute; for some.*\n\nText.\n"
    page = PAGE.format(main="word " * 1190, further=sections)
    said = "About 12 minutes, without the exercises; all of Further, about 6 more. Both are estimates."
    assert sentence(page) == said
    assert sentence("# A title\n\nText.\n") is None, "a page without Further says nothing"


def test_a_section_of_further_that_does_not_say_how_long_it_takes_is_refused():
    with pytest.raises(ValueError, match="does not say how long it takes: One"):
        sentence(PAGE.format(main="word", further="### One\n\n*Why.*\n\nFive minutes.\n"))
