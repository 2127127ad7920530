"""Which way `lib.attention` takes for some typical calls, as its own functions answer."""

from functools import cache
from itertools import takewhile

import numpy as np
import torch

from lib.attention import ways
from lib.attention_arguments import checked
from lib.book.tables import Table

BLOCKS, AS_WRITTEN = "a few queries at a time", "as the formula is written"
BY = {  # what each way is, in words, by its module
    "lib.paths.sdpa": "fused, by torch’s kernel",
    "lib.paths.entmax_attention": "fused, by a kernel of ours",
    "lib.paths.query_blocks": BLOCKS,
}
CALLS = (  # what `attention` is given
    "*text",
    '*text, weights="entmax"',
    '*text, weights="sigmoid_weights"',
    "*text, return_weights=True",
    "*text_in_numpy",
    '*sentence, weights="entmax"',
)


def drawn(heads, n, d, seed=0):
    """Queries, keys and values, (heads, n, d) each."""
    return tuple(torch.randn(3, heads, n, d, generator=torch.Generator().manual_seed(seed)))


@cache
def names():
    """What stands in the calls: 1024 tokens in torch and in NumPy, with 8 heads, and 7 tokens."""
    text = drawn(8, 1024, 64)
    return {"text": text, "text_in_numpy": tuple(map(np.asarray, text)), "sentence": drawn(8, 7, 64)}


def told(call, attention):
    """What `attention` makes of a call as it is written in the table."""
    return eval(f"attention({call})", {"attention": attention, **names()})


def answers(*qkv, **options):
    """For each way that may be taken, in order, why it is not; None if nothing speaks against it."""
    request = checked(*qkv, **options)
    return {BY[way.__name__]: way.why_not(request) for way in ways(request)}


def chosen(reasons):
    """The way that is taken: the first against which nothing speaks."""
    return next((way for way, reason in reasons.items() if reason is None), AS_WRITTEN)


def against(reasons):
    """What speaks against the ways that were asked, as they say it."""
    asked = takewhile(lambda answer: answer[1] is not None, reasons.items())
    found = (f"not {'a few at a time' if way == BLOCKS else 'fused'} {reason}" for way, reason in asked)
    return "; ".join(found) or "nothing"


def table():
    """The calls, what speaks against each way that is asked, and which is taken."""
    rows = []
    for call in CALLS:
        reasons = told(call, answers)
        rows.append((f"`{call}`", against(reasons), chosen(reasons)))
    return Table(("attention of", "why not faster?", "so it is computed"), tuple(rows))
