"""A plain page with figures in it, for the browser tests: what the book does, without the book."""

import re
from html import unescape
from itertools import count
from urllib.parse import quote

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


# The state of the figure as the page shows it: its pictures, its texts, its tables, and what its controls hold.
LOOK = r"""() => {
  const unseen = el => {
    const { display, visibility } = getComputedStyle(el);
    return display === 'none' || visibility === 'hidden';
  };
  const plain = el => {
    const copy = el.cloneNode(true), parts = [...copy.querySelectorAll('*')];
    [...el.querySelectorAll('*')].forEach((part, i) => unseen(part) && parts[i].remove());
    return copy.outerHTML.replace(/\bws[a-z0-9]{5,7}\b/g, 'id').replace(/ (value|checked)="[^"]*"/g, '');
  };
  const found = parts => [...document.querySelectorAll(parts)];
  return {
    drawn: found('svg[role=img], .ws-say, .ws-value, .ws-ask, .ws-word, .ws-symbol').map(plain),
    written: found('.ws-table tbody tr:not([hidden], .ws-absent)').map(el => el.textContent),
    held: found('.ws-figure :is(input, select)').map(el => [el.type, el.value, el.checked]),
    told: found('[role=slider], input[type=range]').map(el => el.getAttribute('aria-valuetext')),
  };
}"""


def set_to(figure, values):
    """The figure, once these traits are set together."""
    with figure.hold_trait_notifications():
        for name, value in values.items():
            setattr(figure, name, value)
    return figure


# Follows links one after another; gives those after which the page does not show what it showed before.
FOLLOW = """async hashes => {
  const look = () => JSON.stringify((LOOK)());
  const before = look(), changed = [];
  for (const hash of hashes) {
    const gone = new Promise(done => addEventListener('hashchange', () => setTimeout(done), { once: true }));
    location.hash = hash;
    await gone;
    if (look() !== before) changed.push(hash);
  }
  return changed;
}""".replace("LOOK", LOOK)
# What no figure takes from a link.
STRANGE = "nothing=1&start=1&__proto__=1&constructor=1&toString=1&tokens=a&name=x&caption=x&="


def written(value):
    """A value in an address, as JavaScript writes it."""
    if isinstance(value, list):
        flags = isinstance(value[0], bool)
        return "".join(str(int(one)) for one in value) if flags else ",".join(map(written, value))
    if isinstance(value, str):
        return quote(value)
    return str(int(value)) if value % 1 == 0 else repr(value).replace("e-0", "e-")


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


def slider(page, name):
    return page.get_by_role("slider", name=name)


def named(page, role, name, **options):
    """The control of this name, or else the first with a longer one."""
    exact = page.get_by_role(role, name=name, exact=True, **options)
    return exact if name and exact.count() else page.get_by_role(role, name=name, **options).first


def do(page, move):
    """A reader's move: (role, name) of what is clicked, (role, name, key or text), or a function of the page."""
    if callable(move):
        return move(page)
    role, name, *keys = move
    part = named(page, role, name)
    if role in ("textbox", "spinbutton"):
        part.fill(*keys)
        return part.press("Enter")
    return part.press(*keys) if keys else part.click(force=True)  # force: the button may lie under its picture


def said(page, scope=""):
    """The sentence under the figure."""
    return page.locator(f"{scope} .ws-say").first.text_content()


def drawn(page, scope=""):
    """The weights as the heights of the bars show them, which are 105 pixels high at 100%."""
    return attributes(page, f"{scope} rect.ws-weight", "height") / 105


# --- what is read off a drawing that node has made ---------------------------------------------------


def marks(html, kind):
    """The attributes of each element of a class, and its text, in their order."""
    found = re.findall(rf'<\w+ ([^>]*class="(?:[^"]* )?{kind}(?: [^"]*)?"[^>]*)>([^<]*)', html)
    return [dict(re.findall(r'([\w-]+)="([^"]*)"', one)) | {"text": text} for one, text in found]


def numbers(found, name):
    """An attribute of each as a number, without what stands around it."""
    return np.array([float(re.search(r"-?[\d.]+", one[name].replace("−", "-"))[0]) for one in found])


def shades(html):
    """How strongly each word is shaded, in percent."""
    return np.array(re.findall(r"--ws-shade:\s*([\d.]+)%", html), float)


def thick(html):
    """How thick each arc is, in pixels."""
    return np.array(re.findall(r'class="ws-arc"[^>]* stroke-width="([\d.e-]+)"', html), float)


def readings(page):
    """The numbers behind More that say how spread weights are, and the like."""
    return [float(re.match(r"[\d.]+", text)[0]) for text in page.locator("dd").all_text_contents()]


def assert_shares(texts, weights):
    """What is written of each weight is that weight, to the digits shown."""
    for text, w in zip(texts, weights, strict=True):
        share = number_in(unescape(text))
        if text.startswith(("<", ">", "&")):
            assert (w < 0.001) if share < 50 else (w > 0.999), (text, w)
        else:
            assert share == pytest.approx(100 * w, abs=0.051 if "." in text else 0.51), (text, w)


def points(d):
    """The numbers of a path as points (x, y)."""
    return np.array(re.findall(r"-?[\d.]+", d), dtype=float).reshape(-1, 2)


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


def copied(page):
    """The state in the page's address, once a reader has copied the link."""
    more(page)
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    return page.url.partition("#")[2]


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


def drag(page, p):
    """Drag the point of *the compromise* to these weights."""
    page.mouse.move(*ring(page))
    page.mouse.down()
    x, y = spot(page, p)
    page.mouse.move(x - 30, y - 9)
    page.mouse.move(x, y)
    page.mouse.up()


def ring(page):
    box = page.locator(".ws-point").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def spot(page, p):
    """Where weights p are on the screen, in *the compromise*."""
    box = page.locator(".ws-simplex").bounding_box()
    return box["x"] + box["width"] * (p[2] + p[0] / 2), box["y"] + box["height"] * (1 - p[0])


def assert_refused(widget, name, value, says):
    """The trait cannot be set to this value: the error names it and says why, and the widget stays as it was."""
    before = widget.get_state()
    with pytest.raises(FigureError, match=rf"^{name}: .*{re.escape(says)}"):
        setattr(widget, name, value)
    assert widget.get_state() == before


# Of a sentence in two lines: where the middle of each word is, and how high the word; where each arc begins and
# ends; and how thick it is.
BETWEEN_LINES = """() => {
  const words = [...document.querySelectorAll('.ws-spread .ws-word')].map(el => el.getBoundingClientRect());
  const arcs = [...document.querySelectorAll('.ws-between .ws-arc')];
  const at = (arc, where) => arc.getPointAtLength(where).matrixTransform(arc.getScreenCTM());
  return [
    words.map(box => [box.x + box.width / 2, box.y + box.height / 2, box.height]),
    arcs.map(arc => [0, arc.getTotalLength()].map(where => [at(arc, where).x, at(arc, where).y])),
    arcs.map(arc => Number(arc.getAttribute('stroke-width'))),
  ];
}"""


def between_lines(page):
    """What stands where in a sentence in two lines."""
    return [np.array(found) for found in page.evaluate(BETWEEN_LINES)]


# How far the page is scrolled, once it has come to rest after a swipe.
SCROLLED = """() => new Promise(done => {
  let [last, same] = [scrollY, 0];
  const look = () => {
    same = scrollY === last ? same + 1 : 0;
    last = scrollY;
    if (same > 20) done(scrollY); else requestAnimationFrame(look);
  };
  look();
})"""
