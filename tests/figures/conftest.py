"""What the tests of figures share: what a page shows of a figure, found once."""

import pytest
from figure_page import LOOK


@pytest.fixture(scope="module")
def look(pages):
    """What a page shows of a figure, or of its HTML; of figures that are alike one page is opened."""
    seen = {}

    def found(figure):
        html = figure if isinstance(figure, str) else figure._repr_html_()
        if html not in seen:
            seen[html] = pages(html).page.evaluate(LOOK)
        return seen[html]

    return found
