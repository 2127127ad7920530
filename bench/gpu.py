"""Attention on a GPU: softmax against torch's SDPA, and the other maps in blocks: python -m bench.gpu

Each length has as many heads as make `TOKENS` queries, which fills a large chip. What is measured goes to
bench/gpu.json, with the machine and the versions. Some queries are compared with the definition in float64 first.
"""

import importlib.metadata
import json
import statistics
import sys
from pathlib import Path

import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

import lib

RESULTS = Path(__file__).with_name("gpu.json")
MAPS = ("softmax", "sparsemax", "entmax", "relu_norm", "sigmoid_weights", "softmax_plus_one")
LENGTHS = (1024, 4096, 16384)
TOKENS, WIDTH = 1 << 17, 64
CHECKED = 64  # queries whose outputs are compared
ROUNDS = 5
LARGEST_ERROR = 1e-2  # of bfloat16, relative to the largest output


def attend(weights, q, k, v, causal):
    if weights == "SDPA":
        return sdpa(q, k, v, is_causal=causal)
    return lib.attention(q, k, v, weights=weights, causal=causal)


def error(weights, q, k, v, causal):
    """The largest difference of the first head's last queries from the definition in float64."""
    name = "softmax" if weights == "SDPA" else weights
    few, keys, values = (x[:1, :1].double() for x in (q[..., -CHECKED:, :], k, v))
    right = lib.attention(few, keys, values, weights=name, causal=causal, path="readable")
    output = attend(weights, q, k, v, causal)[:1, :1, -CHECKED:]
    return ((output - right).abs().max() / right.abs().max()).item()


def milliseconds(call):
    """The median of some calls, and the most MB that they add."""
    call()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before, times = torch.cuda.memory_allocated(), []
    for _ in range(ROUNDS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times), (torch.cuda.max_memory_allocated() - before) / 1e6


def measured(weights, n, causal):
    shape = 1, TOKENS // n, n, WIDTH
    q, k, v, grad = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    row = {"map": weights, "n": n, "causal": causal, "error": error(weights, q, k, v, causal)}
    leaves = [x.requires_grad_() for x in (q, k, v)]
    calls = {
        "forward": torch.no_grad()(lambda: attend(weights, *leaves, causal)),
        "both": lambda: torch.autograd.grad(attend(weights, *leaves, causal), leaves, grad),
    }
    for name, call in calls.items():
        row[f"{name}_ms"], row[f"{name}_mb"] = milliseconds(call)
    return row


def main():
    if not torch.cuda.is_available():
        sys.exit("There is no GPU that torch can use, so there is nothing to measure.")
    torch.manual_seed(0)
    facts = {name: importlib.metadata.version(name) for name in ("torch", "numpy")}
    facts |= {"device": torch.cuda.get_device_name(), "cuda": torch.version.cuda}
    rows = []
    for n in LENGTHS:
        for causal in (False, True):
            for weights in ("SDPA", *MAPS):
                rows.append(measured(weights, n, causal))
                print(
                    *(f"{key} {x:.3g}" if isinstance(x, float) else x for key, x in rows[-1].items()), flush=True
                )
                RESULTS.write_text(json.dumps({"facts": facts, "rows": rows}, indent=1) + "\n")
    wrong = [row for row in rows if not row["error"] <= LARGEST_ERROR]
    sys.exit(f"wrong: {wrong}" if wrong else 0)


if __name__ == "__main__":
    main()
