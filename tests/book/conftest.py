"""What tests of the built book share: the site as a host serves it, and a tab for one page after another."""

import pytest

from tools.browser import Visit, serve


@pytest.fixture(scope="module")
def base(site):
    """The address of the book."""
    with serve(site) as url:
        yield url


@pytest.fixture(scope="module")
def tab(browser):
    with Visit(browser) as visit:
        yield visit
