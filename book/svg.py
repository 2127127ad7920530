"""From a Matplotlib figure to one inline SVG whose colours are the palette's CSS variables."""

import re
from html import escape
from io import BytesIO, StringIO

import matplotlib as mpl

from book.figures.bundle import palette, selectors

# A rule in :where() has no specificity, so that a page with a rule of its own has the last word.
# As the picture gets narrower the text grows in its units, so that it stays above 12 pixels on the screen.
STYLE = """
:where(.ws-static){margin:0}.ws-static{container-type:inline-size}
.ws-static>svg{display:block;width:100%;height:auto;max-width:720px;overflow:visible}
.ws-static>svg *{stroke-linejoin:round;vector-effect:non-scaling-stroke}
.ws-static>svg text{font-family:inherit;font-size:14px;font-variant-numeric:tabular-nums;\
stroke:var(--ws-paper);stroke-width:3px;paint-order:stroke}
.ws-static>svg text.bare{stroke:none}
@container (max-width:600px){.ws-static>svg text{font-size:17px}}
@container (max-width:480px){.ws-static>svg text{font-size:21px}}
@container (max-width:380px){.ws-static>svg text{font-size:24px}}
"""
LINE = 1.2  # from one line of a label to the next, in heights of its text
ABOVE = "lines-above-"  # marks a line of a label that stands so many lines above its place (negative: below)
BARE = "without-halo"  # marks a label without the halo that parts text from lines
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


INKS = palette()["light"]  # what Matplotlib draws each name of the palette with; no two share a colour


def _style(names):
    """The style sheet of one plot: the variables it uses in both themes, and the size of its text."""
    blocks = []
    for theme, selector in selectors().items():
        values = "".join(f"--ws-{name}:{palette()[theme][name]};" for name in sorted(names))
        blocks.append(f":where({selector}){{{values}}}")
    return "".join(blocks) + STYLE.replace("\n", "")


def _names_for_colours(svg):
    """Replace every colour of the palette by its variable; return the SVG and the names that it uses."""
    names = {value: name for name, value in INKS.items()}
    used = {"paper"}

    def swap(match):
        name = names.get(match[0].lower())
        if name is None:
            return match[0]
        used.add(name)
        return f"var(--ws-{name})"

    return re.sub(r"#[0-9a-fA-F]{6}\b", swap, svg), used


def _own_ids(svg, prefix):
    """Drop the ids that nothing refers to, and make the others this plot's own."""
    referred = set(re.findall(r'(?:href="#|url\(#)([\w.-]+)', svg))
    svg = re.sub(r' id="([\w.-]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in referred else "", svg)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}-", svg)


def _lines_apart(svg, size=14):
    """Lines of one label stay as far apart as its text is large: Matplotlib knows one size alone."""

    def move(line):
        count, y = int(line[1]), float(line[3])
        return f'<g>{line[2]} dy="{-count * LINE:.4g}em" y="{y + count * LINE * size:.6g}"'

    return re.sub(rf'<g id="{ABOVE}(-?\d)">(\s*<text[^>]*?) y="([\d.-]+)"', move, svg)


def _few_decimals(svg):
    """Places to a hundredth of a unit, lines to a tenth: nobody sees more, and everybody loads it."""

    def shorten(attribute):
        digits = 1 if attribute[0].startswith(" d=") else 2
        return re.sub(
            r"-?\d+\.\d+", lambda number: f"{float(number[0]):.{digits}f}".rstrip("0").rstrip("."), attribute[0]
        )

    return re.sub(r' (?:d|x|y)="[^"]*"', shorten, svg)


def draw(figure, rc, format="svg"):
    """The figure as bytes (png) or text (svg), with nothing in it that differs from run to run."""
    with mpl.rc_context(rc):
        if format == "png":
            out = BytesIO()
            figure.savefig(out, format="png", dpi=144, facecolor=INKS["paper"], metadata={"Software": None})
        else:
            out = StringIO()
            figure.savefig(out, format="svg", transparent=True, metadata=NO_METADATA)
    return out.getvalue()


def inline(raw, name, title, alt):
    """What `draw` gave, fit to stand in a page.

    Text keeps its place, its fill and its slant and takes size and family from the page; the picture has
    a title, a description and a role; and it can be read on its own.
    """
    svg = raw[raw.index("<svg") :]
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.S)
    svg = re.sub(r"<defs>\s*</defs>", "", svg)
    svg = re.sub(r'font-size: [^;"]*; font-family: [^;"]*;? ?', "", svg)
    svg = re.sub(rf'<g id="{BARE}">(\s*<text)', r'<g>\1 class="bare"', svg)
    svg = _lines_apart(re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", svg))
    svg, used = _names_for_colours(_own_ids(_few_decimals(svg), name))
    view = re.search(r'viewBox="([^"]*)"', svg)[1]
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{view}" role="img" aria-label="{escape(alt)}">'
        f"<title>{escape(title)}</title><desc>{escape(alt)}</desc><style>{_style(used)}</style>"
    )
    body = re.sub(r"<g>\s*(<text.*?</text>)\s*</g>", r"\1", svg[svg.index(">") + 1 :], flags=re.S)
    return head + re.sub(r"\s*\n\s*", " ", body).replace("> <", "><")
