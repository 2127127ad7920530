"""A plain page with figures in it, for the browser tests: what the book does, without the book."""

import re
from itertools import count

import numpy as np
import pytest
from drawing import Draw

import lib
from book.example import SCORES, TOKENS
from book.figures import BetaWeights
from book.figures.base import page_data
from book.figures.bundle import data_script, page_script, page_style, palette, views, widget_module
from book.figures.traits import FigureError
from tools.browser import Visit

# Its own style is what any page has: a margin, a font, the palette's paper.
PAGE = """<!doctype html>
<html lang="en"{theme}><head><meta charset="utf-8"><title>A figure</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ margin: 16px; font-family: "Liberation Sans", Arial, sans-serif;
background: var(--ws-paper); color: var(--ws-ink) }}</style>
<link rel="icon" href="data:,"><link rel="stylesheet" href="figures.css">{script}</head>
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
    """Opens pages of figures, each a new one, in a tab that stays open; `quiet` sees that none complained."""

    def __init__(self, folder, browser):
        self.folder, self.browser, self.tabs, self.numbers = folder, browser, {}, count(1)
        self.drawer = Draw()
        (folder / "figures.js").write_text(page_script(), encoding="utf-8")
        (folder / "figures.css").write_text(page_style(), encoding="utf-8")
        (folder / "data").mkdir()
        for name, value in page_data(views()).items():
            (folder / "data" / f"{name}.js").write_text(data_script(name, value), encoding="utf-8")

    def __call__(self, *figures, link="", script=True, set_theme=True, theme="light", still=True, **options):
        """A visit to a page with these figures, or their HTML (without any: the running example), once they stand.

        Of pages in the same tab the next one takes the last one's place. Nothing glides unless asked
        to, since most tests look at where things end up.
        """
        looks = {key: options.pop(key) for key in ("width", "height") if key in options}
        path = self.folder / f"{next(self.numbers)}.html"
        made = [figure if isinstance(figure, str) else figure._repr_html_() for figure in figures or [example()]]
        html = self.drawer("".join(made))
        attribute = f' data-theme="{theme}"' if set_theme else ""
        tag = '<script defer src="figures.js"></script>' if script else ""
        path.write_text(PAGE.format(theme=attribute, script=tag, figures=html), encoding="utf-8")
        key = tuple(sorted(options.items()))
        if key not in self.tabs:
            self.tabs[key] = Visit(self.browser, **options)
        visit = self.tabs[key]
        visit.page.mouse.move(0, 0)  # where it points at nothing
        visit.go(path.as_uri() + link, theme=theme, still=still, **looks)
        if script and options.get("java_script_enabled", True):
            wait_until_ready(visit.page)
        return visit

    def quiet(self):
        complaints = [text for visit in self.tabs.values() for text in visit.errors + visit.away]
        for visit in self.tabs.values():
            visit.errors.clear()
            visit.away.clear()
        assert not complaints, complaints

    def close(self):
        self.drawer.close()
        for visit in self.tabs.values():
            visit.__exit__()


# What anywidget does with a figure's module: a model with the state, a place, `render`, and its end. In between
# `act` does something to the figure; `hear` tells it of a trait that the kernel has changed. If it is `kept`, the
# end does not come.
IN_A_NOTEBOOK = """async ([text, state, act, kept]) => {
  const module = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  const listeners = {};
  const heard = () => Object.keys(listeners).filter(event => listeners[event].size).sort();
  const model = {
    get: key => state[key], save_changes() { this.saved = true; },
    set(key, value) {
      if (JSON.stringify(state[key]) === JSON.stringify(value)) return;
      hear(key, value); // it tells its own view as well
    },
    on: (event, call) => (listeners[event] ??= new Set()).add(call),
    off: (event, call) => listeners[event].delete(call),
  };
  const hear = (trait, value) => {
    state[trait] = value;
    for (const call of listeners[`change:${trait}`] ?? []) call();
  };
  const el = document.body.appendChild(document.createElement('div'));
  const end = await module.default.render({ model, el });
  const before = heard();
  const done = (0, eval)(act)({ el, state, hear, model });
  const { saved = false } = model;
  const shown = el.textContent;
  if (!kept) end();
  return { exports: Object.keys(module), before, after: heard(), saved, shown, done };
}"""


def in_a_notebook(page, figure, act="() => null", kept=False):
    """Show the figure on this page as a notebook would, do `act` ({el, state, hear} => found), and end it."""
    state = {
        key: value for key, value in figure.get_state().items() if key != "layout" and not key.startswith("_")
    }
    return page.evaluate(IN_A_NOTEBOOK, [widget_module(figure.view), state, act, kept])


def wait_until_ready(page):
    page.wait_for_function("!document.querySelector('.ws-figure:not([data-ready])')")


def come_alive(page):
    """What the page's script does to a page that was opened without it."""
    page.add_script_tag(content=page_script())
    wait_until_ready(page)


def attributes(page, parts, name):
    """An attribute of each of these parts as a number, without its unit."""
    read = "(all, name) => all.map(el => parseFloat(el.getAttribute(name)))"
    return np.array(page.eval_on_selector_all(parts, read, name), dtype=float)


def table(page):
    """The texts of a table, row by row, as far as it is used."""
    read = "all => all.map(row => [...row.cells].map(cell => cell.textContent))"
    return page.eval_on_selector_all(".ws-table tbody tr:not([hidden], .ws-absent)", read)


def number_in(text):
    """What a text says as a number, in percent where it is one of those."""
    return float(text.replace("−", "-").replace("∞", "inf").replace("\u202f", "").strip("<>%"))


# What `read` finds in each frame from a press of a key on the slider until nothing has moved for thirty of them.
FRAMES = """([read, key]) => new Promise(done => {
  const found = (0, eval)(read), seen = [];
  const look = () => {
    seen.push(found());
    const last = seen.slice(-30).map(one => JSON.stringify(one));
    if (seen.length > 30 && new Set(last).size === 1) done(seen); else requestAnimationFrame(look);
  };
  document.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key }));
  requestAnimationFrame(look);
})"""


def frames(page, read, key):
    """What is read in each frame while the figure glides to where the key leads."""
    return page.evaluate(FRAMES, [read, key])


def press(page, name):
    page.get_by_role("button", name=name).click()


def said(page, scope=""):
    """The sentence under the figure."""
    return page.locator(f"{scope} .ws-say").first.text_content()


def drawn(page, scope=""):
    """The weights as the heights of the bars show them, which are 105 pixels high at 100%."""
    return attributes(page, f"{scope} rect.ws-weight", "height") / 105


def tops(page, parts="svg track say tools caption"):
    """How far below the top of the page these parts of the figure begin."""
    found = page.evaluate(
        """parts => Object.fromEntries(parts.map(part => [part, [...document.querySelectorAll(`.ws-${part}`)].map(
          el => el.getBoundingClientRect().top + scrollY)]))""",
        parts.split(),
    )
    assert all(found.values()), found
    return found


def more(page):
    """Open what stands behind More."""
    if page.locator(".ws-more").first.is_hidden():
        press(page, "More")


def opened(found):
    """The page of a visit, with what stands behind More."""
    more(found.page)
    return found.page


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


def assert_refused(widget, name, value, says):
    """The trait cannot be set to this value: the error names it and says why, and the widget stays as it was."""
    before = widget.get_state()
    with pytest.raises(FigureError, match=rf"^{name}: .*{re.escape(says)}"):
        setattr(widget, name, value)
    assert widget.get_state() == before
