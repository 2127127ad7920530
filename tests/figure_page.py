"""A plain page with figures in it, for the browser tests: what the book does, without the book."""

import numpy as np
from browser import Visit

import lib
from lib.book.example import SCORES, TOKENS
from lib.figures import BetaWeights
from lib.figures.bundle import page_script, page_style, palette
from lib.figures.static import WEIGHT

# Its own style is what any page has: a margin, a font, the palette's paper.
PAGE = """<!doctype html>
<html lang="en"{theme}><head><meta charset="utf-8"><title>A figure</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ margin: 16px; font-family: "Liberation Sans", Arial, sans-serif;
background: var(--ws-paper); color: var(--ws-ink) }}</style>
<link rel="stylesheet" href="figures.css">{script}</head>
<body><main><h1>A page</h1>{figures}</main></body></html>"""
READY = ".ws-figure[data-ready]"

# Which texts among the selected elements lie on one another.
OVERLAPS = """selector => {
  const boxes = [...document.querySelectorAll(selector)].filter(el => el.textContent).map(el => {
    const range = document.createRange();
    range.selectNodeContents(el);
    return { text: el.textContent, box: range.getBoundingClientRect() };
  });
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
    a.box.left < b.box.right && b.box.left < a.box.right && a.box.top < b.box.bottom && b.box.top < a.box.bottom
  ).map(b => a.text + ' on ' + b.text));
}"""


def example(**options):
    return BetaWeights(TOKENS, SCORES, **{"query": "it", **options})


class Pages:
    """Opens pages in one browser; `close` ends them and sees that none complained."""

    def __init__(self, folder, browser):
        self.folder, self.browser, self.visits = folder, browser, []
        (folder / "figures.js").write_text(page_script(), encoding="utf-8")
        (folder / "figures.css").write_text(page_style(), encoding="utf-8")

    def __call__(self, *figures, name="page", script=True, set_theme=True, theme="light", still=True, **options):
        """A visit to a page with these figures (without any: the running example), once they stand."""
        html = "".join(figure._repr_html_() for figure in figures or [example()])
        tag = '<script defer src="figures.js"></script>' if script else ""
        attribute = f' data-theme="{theme}"' if set_theme else ""
        path = self.folder / f"{name}.html"
        path.write_text(PAGE.format(theme=attribute, script=tag, figures=html), encoding="utf-8")
        # Most tests look at where things end up, so nothing glides unless asked to.
        options["reduced_motion"] = "reduce" if still else "no-preference"
        visit = Visit(path.as_uri(), theme=theme, browser=self.browser, **options).__enter__()
        self.visits.append(visit)
        if script and options.get("java_script_enabled", True):
            visit.page.wait_for_selector(READY)
        return visit

    def close(self):
        for visit in self.visits:
            visit.__exit__()
        complaints = [text for visit in self.visits for text in visit.errors + visit.away]
        assert not complaints, complaints


def drawn(page, scope=""):
    """The weights as the heights of the bars show them."""
    heights = page.eval_on_selector_all(
        f"{scope} rect.ws-weight", "bars => bars.map(bar => Number(bar.getAttribute('height')))"
    )
    return np.array(heights) / (WEIGHT["height"] - WEIGHT["top"] - 1)


def beyond(page):
    """The parts of figures that reach into the outermost three pixels of the page, or beyond."""
    return page.evaluate("""() => [...document.querySelectorAll('.ws-figure *')].filter(el => {
      const box = el.getBoundingClientRect();
      return box.width > 1 && (box.left < 3 || box.right > innerWidth - 3);
    }).map(el => el.className)""")


def more(page):
    page.get_by_role("button", name="More").click()


def rgb(name, theme):
    """A colour of the palette as a browser tells it."""
    value = palette()[theme][name]
    return f"rgb({', '.join(str(int(value[i : i + 2], 16)) for i in (1, 3, 5))})"


def assert_drawn(page, scores=SCORES, beta=1.0, **options):
    np.testing.assert_allclose(drawn(page), lib.softmax(np.array(scores), beta, **options), atol=1e-12)


def grip(page, i):
    return page.locator(".ws-grip").nth(i)


def pull(page, i, pixels):
    box = grip(page, i).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - pixels / 2)
    page.mouse.move(x, y - pixels)
    page.mouse.up()
