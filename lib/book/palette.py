"""The colours of the book, read from the one place that defines them."""

import re
from functools import cache
from pathlib import Path

CSS = Path(__file__).parents[1] / "figures" / "css" / "palette.css"


@cache
def read():
    """The palette as {name: (light, dark)}, and the selectors of its two blocks.

    >>> colours, selectors = read()
    >>> len(colours["weight"]), len(selectors)
    (2, 2)
    """
    css = re.sub(r"/\*.*?\*/", "", CSS.read_text(encoding="utf-8"), flags=re.S)
    blocks = re.findall(r"([^{}]+)\{([^{}]*)\}", css)[:2]
    light, dark = (dict(re.findall(r"--ws-([\w-]+):\s*(#[0-9a-fA-F]{6})", body)) for _, body in blocks)
    colours = {name: (light[name], dark[name]) for name in light}
    return colours, [re.sub(r"\s+", " ", head.strip()) for head, _ in blocks]


def _inks():
    """One colour per name to draw with: its light value, a step aside where two names share one."""
    inks = {}
    for name, (light, _) in read()[0].items():
        value = int(light[1:], 16)
        while f"#{value:06x}" in inks.values():
            value += 1 if value % 256 < 255 else -1
        inks[name] = f"#{value:06x}"
    return inks


INKS = _inks()
