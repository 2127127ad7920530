"""Each figure is drawn once: what node draws while the book is built is what Chromium shows."""

import json

import pytest
from figure_page import come_alive
from gallery import GALLERY

FIGURES = {figure.name: figure for states in GALLERY.values() for figure in states.values()}

# Of all that is drawn: the element, its attributes, its text and the colours it comes to. Ids made at random
# become their places; numbers are compared for themselves.
DRAWN = r"""() => JSON.stringify(Object.fromEntries([...document.querySelectorAll('.ws-figure')].map(figure => {
  const ids = [...figure.querySelectorAll('[id]')].map(el => el.id);
  const named = new RegExp([...ids].sort((a, b) => b.length - a.length).join('|') || '^$', 'g');
  const plain = text => text.replace(named, id => id && `#${ids.indexOf(id)}`);
  const number = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;
  const all = [...figure.querySelectorAll('svg[role=img], svg[role=img] *, .ws-plot svg, .ws-plot svg *')]
    .filter(el => !el.closest('.ws-more'));
  return [figure.id, all.map(el => {
    const style = getComputedStyle(el);
    const neat = value => plain(value).replaceAll('"', '').replaceAll(': ', ':').replace(/;$/, '');
    const attributes = [...el.attributes].map(({ name, value }) => [name, neat(value)]).sort();
    return {
      tag: el.localName,
      shape: attributes.map(([name, value]) => `${name}=${value.replace(number, '0')}`).join(' '),
      numbers: attributes.flatMap(([, value]) => (value.match(number) ?? []).map(Number)),
      text: el.children.length ? '' : el.textContent,
      look: ['fill', 'stroke', 'strokeWidth', 'strokeDasharray', 'textAnchor', 'fontWeight', 'visibility'].map(
        name => plain(style[name])).join(' '),
    };
  })];
})))"""
TEXTS = """() => Object.fromEntries([...document.querySelectorAll('.ws-figure')].map(figure => [figure.id, [
  ...figure.querySelectorAll(`.ws-axis, .ws-note, .ws-value, .ws-tokens > *, .ws-corner, .ws-tag, .ws-ask,
    .ws-verdicts, .ws-held, .ws-cell, .ws-ticks span, .ws-heads span, dt, dd, .ws-say, .ws-caption, .ws-question,
    .ws-choices > *, .ws-presets .ws-button`)
].filter(el => !el.closest('.ws-more')).map(el => `${el.className}: ${el.textContent}`)]))"""


@pytest.fixture(scope="module")
def both(pages):
    """What a page shows without its script, and once it has run: {figure: what is drawn}, {figure: texts}."""
    page = pages(*FIGURES.values(), script=False).page
    read = lambda: (json.loads(page.evaluate(DRAWN)), page.evaluate(TEXTS))  # noqa: E731
    still = read()
    come_alive(page)
    return still, read()


@pytest.mark.parametrize("name", FIGURES)
def test_node_draws_what_chromium_shows(both, name):
    (still, still_texts), (live, live_texts) = both
    assert len(live[name]) > 5 or name.startswith("predict")
    assert len(live_texts[name]) > 5 or name.startswith("predict")
    for a, b in zip(still[name], live[name], strict=True):
        assert a.pop("numbers") == pytest.approx(b.pop("numbers"), rel=1e-5, abs=1e-4), (a, b)
        assert a == b
    assert still_texts[name] == live_texts[name]
