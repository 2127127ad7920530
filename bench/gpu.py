"""Attention on a GPU: sparsemax and entmax by our kernels, and softmax, against the kernels that others have.

    python -m bench.gpu                 what is not in bench/gpu.json yet; Ctrl-C stops, and it goes on from there
    python -m bench.gpu --seconds 600   start nothing new after ten minutes
    python -m bench.gpu --fresh         all of it again

Each length is measured with as many heads as make `TOKENS` queries, which fills a large chip. The scores are
*dense*, those of random queries and keys, or *clustered*: each query has one sixteenth of the keys, lying side by
side, that it scores high with. There a sparse map may leave out whole blocks.
"""

import argparse
import functools
import importlib.metadata
import json
import platform
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.report import Results

RESULTS = Path(__file__).parent / "gpu.json"
LENGTHS = (1024, 2048, 4096, 8192, 16384, 32768)
WIDTHS = (64, 128)
TOKENS = 1 << 18
CLUSTERS = 16
CHECKED = 128  # queries whose outputs are compared with those in float64
SECONDS = 40  # for one case: another package may try dozens of compiled variants first
DEVICE = "cuda"
OURS = ("entmax 1.5, lib", "sparsemax, lib")  # those by the kernels of `lib`
LARGEST_ERROR = {"bfloat16": 1e-2, "float32": 1e-5}  # of theirs, as `error` measures it


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="start nothing new after that")
    parser.add_argument("--fresh", action="store_true", help="measure again what is in the result file")
    parser.add_argument("--only", default="", metavar="WORDS", help="only what has these words in its name")
    options = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        print("There is no GPU that torch can use, so there is nothing to measure.", file=sys.stderr)
        return 2
    from lib.fast.gpu import runs

    runs.take_part(DEVICE)  # also where no run is recorded yet
    results, start, left = Results(RESULTS, facts()), time.monotonic(), 0
    chosen = {name: case for name, case in cases().items() if all(word in name for word in options.only.split())}
    if options.fresh:
        results.forget(chosen)
    try:
        for name, case in chosen.items():
            if name in results.rows:
                continue
            if time.monotonic() - start > options.seconds:
                left += 1
                continue
            results.rows[name] = measured(*case)
            results.save()
            print(f"{name}: {spelt(results.rows[name])}", flush=True)
            torch.cuda.synchronize()  # raises if the case has left the GPU unusable: all others would fail
            torch.cuda.empty_cache()
    except KeyboardInterrupt:
        print("\nInterrupted: what is measured is kept, and the same command goes on from here.")
        return 1
    print(f"\n{json.dumps(results.facts)}\n{len(results.rows)} measured, {left} left for the next time: {RESULTS}")
    for fault in (found := faults(results.rows)):
        print(fault, file=sys.stderr)
    return 1 if found else 0


def faults(rows):
    """What speaks against our kernels in what was measured, a line for each; [] if nothing does."""
    own = {name: row for name, row in rows.items() if name.startswith(OURS)}
    found = [f"{ours}: not measured" for ours in OURS if not any(name.startswith(ours) for name in own)]
    for name, row in own.items():
        limit = LARGEST_ERROR["float32" if name.endswith("float32") else "bfloat16"]
        if "failed" in row:
            found.append(f"{name}: {row['failed']}")
        elif not row["error"] <= limit:
            found.append(f"{name}: an error of {row['error']:.1e}, where {limit:.0e} is the limit")
    return found


def facts():
    """What the results depend on: device, driver and versions."""
    import torch

    found = {name: version_of(name) for name in ("torch", "triton", "adasplash")}
    return found | {
        "device": torch.cuda.get_device_name(),
        "driver": driver(),
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "python": platform.python_version(),
    }


def driver():
    """The version of the driver, or None where nothing tells it."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.split("\n")[0].strip() or None


def version_of(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def cases():
    """{name: (contender, n, d, causal, dtype, scores)}, what says most first."""
    found = {}
    for scores in ("dense", "clustered"):
        for causal in (False, True):
            for n in (4096, 16384, 1024, 32768, 8192, 2048):
                for d in WIDTHS:
                    for name in contenders():
                        words = [name, f"n={n}", f"d={d}", "causal" if causal else "full", scores]
                        found[", ".join(words)] = name, n, d, causal, "bfloat16", scores
    for name in ("entmax 1.5, lib", "softmax, lib"):
        found[f"{name}, n=4096, d=64, full, dense, float32"] = name, 4096, 64, False, "float32", "dense"
    return found


# ---- who takes part


@functools.cache
def contenders():
    """{name: the map that it computes, and a function of q, k, v and causal}."""
    from torch.nn.attention import SDPBackend

    found = {
        "entmax 1.5, lib": ("entmax", functools.partial(by_lib, "entmax")),
        "softmax, SDPA flash": ("softmax", functools.partial(by_sdpa, SDPBackend.FLASH_ATTENTION)),
        "sparsemax, lib": ("sparsemax", functools.partial(by_lib, "sparsemax")),
        "softmax, lib": ("softmax", functools.partial(by_lib, "softmax")),
        "softmax, SDPA cuDNN": ("softmax", functools.partial(by_sdpa, SDPBackend.CUDNN_ATTENTION)),
        "softmax, FlexAttention": ("softmax", by_flex),
        "entmax 1.5, materialised": ("entmax", functools.partial(materialised, "entmax")),
        "softmax, materialised": ("softmax", functools.partial(materialised, "softmax")),
    }
    if version_of("adasplash") is not None:
        found["entmax 1.5, adasplash"] = "entmax", by_adasplash
    return found


def by_lib(weights, q, k, v, causal):
    import lib

    return lib.attention(q, k, v, weights=weights, causal=causal, path="fused")


def by_sdpa(backend, q, k, v, causal):
    from torch.nn.attention import sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    with sdpa_kernel(backend):
        return scaled_dot_product_attention(q, k, v, is_causal=causal)


def by_flex(q, k, v, causal):
    return flex(causal, q.shape[-2])(q, k, v)


@functools.cache
def flex(causal, n):
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    # After a few shapes torch compiles a function no more, and runs it as it stands, with all weights in memory.
    torch._dynamo.reset()
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, n, n, device=DEVICE) if causal else None
    return functools.partial(torch.compile(flex_attention, fullgraph=True), block_mask=mask)


def by_adasplash(q, k, v, causal):
    from adasplash import adasplash

    return adasplash(q, k, v, alpha=1.5, is_causal=causal)


def materialised(weights, q, k, v, causal):
    """All weights at once, by the maps along rows; refused where they would take much of the memory."""
    import torch

    import lib

    heads, n, d = q.shape[-3:]
    if 4 * heads * n * n * 4 > torch.cuda.get_device_properties(0).total_memory:
        raise MemoryError("the weights do not fit")
    where = lib.causal_mask(n, like=q) if causal else None
    f = {"entmax": lib.entmax, "softmax": lib.softmax}[weights]
    return f(q @ k.mT, beta=d**-0.5, where=where) @ v


# ---- measuring


def measured(name, n, d, causal, dtype, scores):
    """Times in ms, throughput, memory, and the error against the definition in float64; or why there are none."""
    import torch

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        weights, attend = contenders()[name]
        q, k, v = inputs(n, d, getattr(torch, dtype), scores)
        row = {"error": error(weights, attend, q, k, v, causal)}
        leaves = [x.requires_grad_() for x in (q, k, v)]
        grad = torch.randn_like(v)

        def forward():
            with torch.no_grad():
                return attend(*leaves, causal)

        def both():
            return torch.autograd.grad(attend(*leaves, causal), leaves, grad)

        operations = 4 * q.shape[-3] * n * n * d / (2 if causal else 1)
        for key, call, times in (("forward", forward, 1.0), ("both", both, 3.5)):
            ms, mb = time_and_memory(call)
            row |= {f"{key}_ms": ms, f"{key}_tflops": times * operations / ms / 1e9, f"{key}_mb": mb}
        if name in OURS:
            row["blocks"] = share_of_blocks(weights, q, k, v, causal)
        return row
    except Exception as failure:  # of another package, or no memory: the other rows are still wanted
        return {"failed": f"{type(failure).__name__}: {failure}"[:300]}
    finally:
        signal.alarm(0)


def too_long(*_):
    raise TimeoutError(f"not done in {SECONDS} s")


def inputs(n, d, dtype, scores):
    """q, k and v of shape (1, heads, n, d), with `TOKENS` queries in all."""
    import torch

    heads, generator = TOKENS // n, torch.Generator(DEVICE).manual_seed(n + d)
    q, k, v = (torch.randn(1, heads, n, d, device=DEVICE, generator=generator) for _ in range(3))
    if scores == "clustered":
        centres = torch.randn(CLUSTERS, d, device=DEVICE, generator=generator)
        of = torch.arange(n, device=DEVICE) * CLUSTERS // n
        q, k = 0.5 * q + 2 * centres[of], 0.5 * k + 2 * centres[of]
    return [x.to(dtype) for x in (q, k, v)]


def error(weights, attend, q, k, v, causal):
    """‖output − that in float64‖ over its norm, of the last queries of the first head."""
    import torch

    import lib

    with torch.no_grad():
        found = attend(q, k, v, causal)[0, 0, -CHECKED:].double()
        few = q[0, 0, -CHECKED:].double(), k[0, 0].double(), v[0, 0].double()
        right = lib.attention(*few, weights=weights, causal=causal, path="readable")
    return (torch.linalg.vector_norm(found - right) / torch.linalg.vector_norm(right)).item()


def time_and_memory(call):
    """The median time of a call in ms, by events on the device, and the memory that it adds at most, in MB."""
    import torch

    call()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    call()
    torch.cuda.synchronize()
    most, times, start = torch.cuda.max_memory_allocated(), [], time.monotonic()
    while len(times) < 3 or (len(times) < 30 and time.monotonic() - start < 0.3):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times), (most - before) / 1e6


def share_of_blocks(weights, q, k, v, causal):
    """How many of the blocks that a query may see have weight: what is left out is time saved."""
    import torch

    from lib._request import checked
    from lib.fast import entmax_arguments, gpu

    with torch.no_grad():
        request = checked(q, k, v, weights=weights, causal=causal)
        options = request.alpha, *entmax_arguments.options_of(request, None)
        _, (_, active) = gpu.attention_forward(*(x[0] for x in (q, k, v)), *options)
    return (active != 0).float().mean().item() * (2 if causal else 1)


def spelt(row):
    if "failed" in row:
        return row["failed"]
    blocks = f", {row['blocks']:.0%} of the blocks" if "blocks" in row else ""
    return (
        f"{row['forward_ms']:.2f} ms, {row['forward_tflops']:.0f} TFLOP/s, {row['forward_mb']:.0f} MB; "
        f"with gradients {row['both_ms']:.2f} ms, {row['both_tflops']:.0f} TFLOP/s, {row['both_mb']:.0f} MB; "
        f"error {row['error']:.1e}{blocks}"
    )


if __name__ == "__main__":
    sys.exit(main())
