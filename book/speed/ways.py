"""Which way `lib.attention` takes for some typical calls, as its own functions answer."""

from functools import cache
from itertools import takewhile

import numpy as np
import torch

from book.tables import Table
from lib._request import checked
from lib.fast import entmax_attention, query_blocks, sdpa_run

METHODS = {  # of `lib.fast`: what they are, in words
    "fused, by torch’s kernel": sdpa_run,
    "fused, by a kernel of ours": entmax_attention,
    "a few queries at a time": query_blocks,
}
BY_TORCH, BY_OURS, BLOCKS = METHODS
AS_WRITTEN = "as the formula is written"
CALLS = (  # what `attention` is given
    "*text",
    '*text, weights="entmax"',
    '*text, weights="relu_norm"',
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
    """For each method that may be taken, in order, why it is not; None if nothing speaks against it."""
    request = checked(*qkv, **options)
    fused = BY_TORCH if isinstance(request.q, torch.Tensor) and request.weights == "softmax" else BY_OURS
    return {name: METHODS[name].reason_against(request) for name in (fused, BLOCKS)}


def chosen(reasons):
    """The way that is taken: the first against which nothing speaks."""
    return next((way for way, reason in reasons.items() if reason is None), AS_WRITTEN)


def against(reasons):
    """What speaks against the ways that were asked, as they say it."""
    asked = takewhile(lambda answer: answer[1] is not None, reasons.items())
    found = (f"not {'a few at a time' if way == BLOCKS else 'fused'} {reason}" for way, reason in asked)
    return "; ".join(found) or "nothing"


def table():
    """The calls, which way is taken, and what speaks against those that are asked before it."""
    rows = []
    for call in CALLS:
        reasons = told(call, answers)
        rows.append((f"`{call}`", chosen(reasons), against(reasons)))
    return Table(("attention of", "is computed", "why not faster?"), tuple(rows))
