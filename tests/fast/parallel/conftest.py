"""What the tests with several processes share."""

import pytest
from processes import KEPT, Processes


@pytest.fixture
def processes():
    """A function that starts so many processes for one test alone, which may end them."""
    started = []

    def start(size):
        started.append(Processes(size))
        return started[-1]

    yield start
    for some in started:
        some.end()


@pytest.fixture(scope="session", autouse=True)
def none_is_left():
    yield
    for some in [*KEPT.values()]:
        some.end()
