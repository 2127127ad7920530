"""Figures drawn for tests as the builder draws them, wherever they stand in some HTML."""

import re
from html import unescape

from book.builder.draw_figures import Drawer

# As `Figure._repr_html_` writes them.
UNDRAWN = re.compile(r'<div (class="ws-figure[^>]*\bdata-state=[^>]*)>.*?</div>', re.DOTALL)
PARTS = {"view": "data-figure", "name": "id", "alt": "aria-label", "state": "data-state"}


def data_of(html):
    """The figures in some HTML, as data."""
    for root in UNDRAWN.findall(html):
        said = {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', root)}
        yield {part: said[attribute] for part, attribute in PARTS.items()}


class Draw(Drawer):
    """Takes a figure, or HTML with figures in it."""

    def __call__(self, shown, **options):
        if isinstance(shown, dict):
            return super().__call__(shown, **options)
        html = shown if isinstance(shown, str) else shown._repr_html_()
        figures = data_of(html)
        return UNDRAWN.sub(lambda found: super(Draw, self).__call__(next(figures)), html)

    def sentence(self, shown):
        if isinstance(shown, dict):
            return super().sentence(shown)
        html = shown if isinstance(shown, str) else shown._repr_html_()
        return super().sentence(next(data_of(html)))
