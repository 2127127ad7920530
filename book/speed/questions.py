"""The exercises of the chapter *speed*."""

import numpy as np

from book.counting import held
from book.figures.cost_counts import pairs
from book.judging import Exercise, Wrong, function, number, show
from lib import attention

LONG = 65_536  # tokens


def _cache():
    """Bytes of the cache: keys and values, layers, heads, tokens, width, 2 bytes a number."""
    return 2 * 32 * 8 * 131_072 * 128 * 2


CACHE = Exercise(
    "32 layers, 8 heads of keys and values in each, d = 128, 2 bytes a number: how many GB has the cache of a "
    "text of 131\u202f072 words?",
    number(
        lambda: _cache() / 1e9,
        lambda gb: f"{show(gb)} GB would be {show(gb * 1e9 / 131_072)} bytes a word",
        slips=[
            (_cache() / 2e9, "there are keys and values, and 2 bytes for each number"),
            (_cache(), "that is in bytes"),
        ],
    ),
    "Each word leaves 2 · 32 · 8 · 128 numbers of 2 bytes, 131\u202f072 bytes in all.",
    "How many numbers does one word leave in one head of one layer, keys and values together?",
)


def _fewer():
    every, _, near = pairs(LONG, "all")
    return every / near


WINDOW = Exercise(
    "A window of 256 in a text of 65\u202f536 words: how many times fewer products than if every word asks all?",
    number(
        _fewer,
        lambda times: f"that would leave {show(np.divide(LONG, times))} keys for each query",
        rtol=2e-2,
        slips=[(1 / _fewer(), "that is the share that is left; asked is how many times fewer")],
    ),
    "Each query but the first 255 scores 256 keys in place of 65\u202f536.",
    "How many keys does a query score with a window, and how many without?",
)


def near(q, k, v, w):
    """The output (n, d_v), a query at a time."""
    seen = [slice(max(0, i - w + 1), i + 1) for i in range(len(q))]
    return np.concatenate([attention(q[i : i + 1], k[keys], v[keys]) for i, keys in enumerate(seen)])


def _texts(cases=((1, 3), (50, 1), (101, 20), (30, 77))):
    rng = np.random.default_rng(5)
    for n, w in cases:
        yield *(rng.normal(size=(n, d)) for d in (7, 7, 3)), w


def _in_little_memory(answer):
    """The right outputs, and never a quarter of the table of scores at once."""
    function("near", near, _texts)(answer)
    (given,) = _texts([(800, 20)])
    tables = held(lambda: np.asarray(answer(*given))) / (8 * 800**2)
    if not tables <= 0.25:
        raise Wrong(f"right, but with 800 words it holds {tables:.1f} tables of 800 · 800 numbers")


BLOCKS = Exercise(
    "Write near(q, k, v, w): attention in which each query sees the last w keys up to its own, in NumPy, without "
    "a table of all scores.",
    _in_little_memory,
    "No query needs the scores of another, and a query far into the text needs w keys.",
    "Which keys does query i see? Take them out of k and v, and the values of one query are at hand.",
)

EXERCISES = [CACHE, WINDOW, BLOCKS]
