"""The numbers in the text of the chapter *speed*: counted here, or from the last full run of the benchmark."""

from types import SimpleNamespace

import torch

from book.figures.cost_counts import ITEM, WINDOW, counts, pairs
from book.figures.sheet import START
from book.speed.measured import HEADS, WIDTH, curve, fresh, missed, rows
from lib import sparsemax
from lib.fast.sdpa_plan import by_position

N, LONG, BOOK = 4096, 16_384, 131_072  # tokens
LEAP = 2048  # from here on each table is new memory
STORED, LINEAR = "softmax, scores stored", "linear attention, causal"
DECODING = "decode, 32 heads on 8, padded left, n = 1024"
TEXTS, ASKING, KEPT, CACHED = 8, 32, 8, 1024  # in it: texts, heads that ask, heads of keys and values, tokens


def support(n=N, queries=64):
    """How many keys of n have weight under sparsemax, on average, where queries and keys are random."""
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(m, WIDTH, generator=generator) for m in (queries, n))
    return float((sparsemax(q @ k.mT * WIDTH**-0.5) > 0).sum(-1).double().mean())


def decoding():
    """The row of one query for each head: milliseconds, and what memory and arithmetic alone would take."""
    cache = 2 * TEXTS * KEPT * CACHED * WIDTH * ITEM  # bytes of keys and values
    products = 2 * TEXTS * ASKING * CACHED * WIDTH
    return rows()[DECODING] | {"cache": cache, "least_ms": cache / copied(), "products_ms": products / rate()}


def copied():
    """Bytes a millisecond that a plain copy moves: each is read and written."""
    return 2 * ITEM * WIDTH * TEXTS * (2 * KEPT * CACHED + ASKING) / rows()[DECODING]["copy_ms"]


def rate():
    """Products a millisecond where all tokens ask, fused."""
    return 2 * HEADS * N**2 * WIDTH / curve("softmax")[N][0]


def made(n, window):
    """How many pairs the fused program scores for a window: in blocks of queries, all that one of them sees."""
    q = torch.zeros(1, 1, n, 1)
    calls = by_position(SimpleNamespace(window=window, causal=True), q, q, q, 0)
    return sum(call.q.shape[2] * call.k.shape[2] for call in calls)


def numbers():
    fused, stored = curve("softmax"), curve(STORED)
    window = curve("softmax, window of 256")
    linear, kept_linear = curve(LINEAR), fresh()["kept"][LINEAR]
    at, all_rows, new, kept = counts(N, WIDTH), rows(), fresh()["new"][STORED], fresh()["kept"][STORED]
    decode, one = decoding(), counts(N, WIDTH, "one")["fused"]
    return {
        "start": counts(START, WIDTH)["scores stored"][2] / 1e9,  # GB, as the figure begins
        "products": at["fused"][0] / 1e9,
        "book_stored": counts(BOOK, WIDTH)["scores stored"][2] / 1e9,  # GB
        "book_fused": counts(BOOK, WIDTH)["fused"][2] / 1e6,  # MB
        "book_lists": counts(BOOK, WIDTH)["fused"][1] / 1e6,
        "lists": at["fused"][1] / 1e6,
        "table": ITEM * N**2 / 1e6,
        "stored_moved": at["scores stored"][1] / 1e6,
        "stored_held": at["scores stored"][2] / 1e6,
        "each_byte": at["fused"][0] / at["fused"][1],
        "linear_fewer": at["fused"][0] / at["linear"][0],
        "one_each_byte": one[0] / one[1],
        "leap_before": HEADS * ITEM * (LEAP // 2) ** 2 / 1e6,  # MB, of all heads
        "leap_table": HEADS * ITEM * LEAP**2 / 1e6,
        "leap": stored[LEAP][0] / stored[LEAP // 2][0],
        "kept_step": kept[LEAP]["ms"] / kept[LEAP // 2]["ms"],
        "kept_linear": kept_linear[LONG]["ms"] / kept_linear[LONG // 2]["ms"],
        "linear_before": linear[LONG // 2][0],
        "linear_last": linear[LONG][0],
        "saved_ms": stored[N][0] - fused[N][0],
        "cleared_ms": new[N]["ms"] - kept[N]["ms"],
        "stored_ms": stored[N][0],
        "fused_ms": fused[N][0],
        "stored_mb": stored[N][1],
        "fused_mb": fused[N][1],
        "heads_tables": 2 * HEADS * ITEM * N**2 / 1e6,
        "window_counted": LONG / WINDOW,
        "window_made": made(LONG, WINDOW) / pairs(LONG, "all")[2],
        "window_times": fused[LONG][0] / window[LONG][0],
        "tables_ms": HEADS * 4 * ITEM * N**2 / copied(),
        "support": support(),
        "entmax_ratio": all_rows["entmax 1.5 attention, n = 4096"]["ratio"],
        "rate": rate() / 1e6,  # billions a second
        "copied": copied() / 1e6,
        "balance": rate() / copied(),
        "decode_times": decode["ours_ms"] / decode["least_ms"],
        "decode_ms": decode["ours_ms"],
        "decode_peer_ms": decode["peer_ms"],
        "decode_cache": decode["cache"] / 1e6,
        "decode_least_ms": decode["least_ms"],
        "decode_products_ms": decode["products_ms"],
        "rows": len(all_rows),
        "missed": len(missed()),
        "missed_attention": sum("attention" in name or "decode" in name for name in missed()),
    }
