"""The favicon, the picture of the README and the card are what `tools.emblem` makes of the roads of the figure."""

import struct

from figure_page import points

from tools import emblem


def test_the_committed_pictures_are_those_that_the_tool_makes():
    made = {emblem.FAVICON: emblem.favicon(), emblem.PICTURE: emblem.picture()}
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, f"python -m tools.emblem writes {path.name} anew"
    head = emblem.CARD.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:24]) == (1200, 630)


def test_two_roads_begin_apart_and_become_one():
    box = {"left": 0, "right": 100, "top": 10, "middle": 30, "bottom": 60, "meet": 0.8}
    made = emblem.paths(box)
    (upper, lower) = (points(road) for road in made["roads"])
    assert [tuple(upper[0]), tuple(lower[0])] == [(0, 10), (0, 60)]
    assert tuple(upper[-1]) == tuple(lower[-1]) == (80, 30)
    assert made["joined"] == "M80 30H100"
    for road in (upper, lower):
        assert road[1][1] == road[0][1], "they set out level"
        assert road[2][1] == road[3][1], "and arrive level, so that the joined one goes straight on"


def test_the_favicon_has_no_words_and_the_picture_a_theme_for_the_dark():
    assert "<text" not in emblem.favicon()
    assert "prefers-color-scheme:dark" in emblem.picture()
    readme = (emblem.ROOT / "README.md").read_text(encoding="utf-8")
    assert f"![{emblem.ALT}]({emblem.PICTURE.relative_to(emblem.ROOT)})" in readme
    page = (emblem.ROOT / "book" / "builder" / "templates" / "page.html").read_text(encoding="utf-8")
    assert emblem.ALT in page
