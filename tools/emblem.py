"""The emblem, two roads that become one, as the figure of the essay draws it: `python -m tools.emblem`.

It writes the favicon, the picture at the top of the README, and the card that others show beside a link.
All three are committed: a build needs no browser, and the roads hardly ever change. `book/figures/js/roads.js` has
their form, and `book/figures/css/palette.css` their colours.
"""

import json
import subprocess
from pathlib import Path

from book.builder.node_process import find_node
from book.figures.bundle import palette, source

ROOT = Path(__file__).parent.parent
FAVICON = ROOT / "book" / "builder" / "static" / "favicon.svg"
PICTURE = ROOT / "book" / "builder" / "emblem.svg"
CARD = ROOT / "book" / "builder" / "static" / "card.png"

SIZES = {  # where the roads run, how thick they are, and how large the ring is that they run into
    "favicon": ({"left": 4, "right": 20.7, "top": 7, "middle": 16, "bottom": 25, "meet": 0.74}, 3.5, 3.6),
    "picture": ({"left": 10, "right": 542, "top": 54, "middle": 110, "bottom": 166}, 10, 17),
    "card": ({"left": 100, "right": 836, "top": 300, "middle": 390, "bottom": 480}, 18, 30),
}
WORDS = ("four wishes", "a price on claims", "softmax")
FONT = 'font-family="Helvetica, Arial, sans-serif" font-weight="600"'
ALT = "Two roads, four wishes and a price on claims, run together into softmax."


def paths(box):
    """The two roads, and what they become."""
    program = f"{source('roads')}\nconsole.log(JSON.stringify(roads({json.dumps(box)})));"
    done = subprocess.run([find_node(), "--input-type=module", "--eval", program], capture_output=True, check=True)
    return json.loads(done.stdout)


def drawn(name):
    """The roads as SVG: what is of class `r` has the colour of roads, what is of class `j` that of softmax."""
    box, thick, ring = SIZES[name]
    made = paths(box)
    end = f'<circle class="j" cx="{box["right"] + ring:g}" cy="{box["middle"]:g}" r="{ring:g}"/>'
    roads = f'<path class="r" d="{"".join(made["roads"])}"/><path class="j" d="{made["joined"]}"/>'
    return f'<g fill="none" stroke-width="{thick:g}">{roads}{end}</g>'


def words(name, size):
    """What stands at the roads and at their end."""
    box, thick, ring = SIZES[name]
    over, under = box["top"] - thick - size / 3, box["bottom"] + thick + size
    places = [
        (box["left"], over, "start", "t"),
        (box["left"], under, "start", "t"),
        (box["right"] + 2 * ring + size, box["middle"] + size / 3, "start", "s"),
    ]
    return "".join(
        f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{word}</text>'
        for word, (x, y, anchor, kind) in zip(WORDS, places, strict=True)
    )


def colours(theme):
    """The rules that colour what is drawn."""
    of = palette()[theme]
    return f".r{{stroke:{of['score']}}}.j{{stroke:{of['weight']}}}.t{{fill:{of['ink']}}}.s{{fill:{of['weight']}}}"


def svg(width, height, inside, style):
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>{inside}</svg>\n'


def favicon():
    """On a dark tile of its own, so that it stands out from the tabs of either theme."""
    of = palette()["dark"]
    tile = f'<rect width="32" height="32" rx="6" fill="{of["paper"]}"/>'
    style = f".r{{stroke:{of['ink']}}}.j{{stroke:{of['weight']}}}path{{stroke-linecap:round}}"
    return svg(32, 32, tile + drawn("favicon"), style).replace(' width="32" height="32"><style', "><style")


def picture():
    """For the README, in the theme of whoever looks."""
    style = f"{colours('light')}.r{{stroke-linecap:round}}@media (prefers-color-scheme:dark){{{colours('dark')}}}"
    inside = f"<title>{ALT}</title>{drawn('picture')}<g {FONT}>{words('picture', 20)}</g>"
    return svg(700, 210, inside, style)


def card():
    """1200 by 630 pixels, as the places ask for where links are shown."""
    of = palette()["light"]
    ground = f'<rect width="1200" height="630" fill="{of["paper"]}"/>'
    title = '<text class="t" x="96" y="150" font-size="92">Why softmax?</text>'
    inside = f"{ground}{drawn('card')}<g {FONT}>{title}{words('card', 34)}</g>"
    return svg(1200, 630, inside, f"{colours('light')}.r{{stroke-linecap:round}}")


def main():
    from playwright.sync_api import sync_playwright

    from tools.browser import ARGS, find_chromium

    FAVICON.write_text(favicon(), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_chromium(), args=ARGS)
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.set_content(f"<style>body{{margin:0}}svg{{display:block}}</style>{card()}")
        page.screenshot(path=CARD)
        browser.close()


if __name__ == "__main__":
    main()
