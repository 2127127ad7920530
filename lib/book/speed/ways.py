"""Which way `lib.attention` takes for some typical calls, as its own functions answer."""

from functools import cache

import numpy as np
import torch

from lib.attention import ways
from lib.attention_arguments import checked
from lib.book.tables import Table

BY = {  # what each way is, in words, by its module
    "lib.paths.sdpa": "fused, by torch’s kernel",
    "lib.paths.entmax_attention": "fused, by a kernel of ours",
    "lib.paths.query_blocks": "a few queries at a time",
}
AS_WRITTEN = "as the formula is written"
CALLS = (
    "attention(*text)",
    'attention(*text, weights="entmax")',
    'attention(*text, weights="sigmoid_weights")',
    "attention(*text, return_weights=True)",
    "attention(*text_in_numpy)",
    'attention(*sentence, weights="entmax")',
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
    return eval(call, {"attention": attention, **names()})


def answers(*qkv, **options):
    """For each way that may be taken, in order, why it is not; None if nothing speaks against it."""
    request = checked(*qkv, **options)
    return {BY[way.__name__]: way.why_not(request) for way in ways(request)}


def chosen(reasons):
    """The way that is taken: the first against which nothing speaks."""
    return next((way for way, reason in reasons.items() if reason is None), AS_WRITTEN)


def asked(reason):
    return "no reason" if reason is None else reason


def table():
    """The calls, what each way answered, and which was taken."""
    rows = []
    for call in CALLS:
        reasons = told(call, answers)
        fused, blocks = (asked(reason) for reason in reasons.values())
        if fused == asked(None):
            blocks = "not asked"
        rows.append((f"`{call}`", fused, blocks, chosen(reasons)))
    return Table(
        ("the call", "why not fused?", "why not a few queries at a time?", "so it is computed"), tuple(rows)
    )
