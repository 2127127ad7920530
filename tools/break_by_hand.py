"""Breaks what `make mutate` cannot change in ways written down here; its tests must fail each time.

`make mutate` changes functions while they are loaded, in one process, which neither compiled code nor other
processes notice. So each breakage here is made in a copy of `lib`, which is compiled anew (about a minute) for the
tests of the kernels, and which the processes of the tests of attention over several import. The kernels for a GPU
are interpreted.

    python -m tools.break_by_hand                          all of them: an hour, ten minutes of it for sharded
    python -m tools.break_by_hand lib/fast/cpu/rows.py     those of some files
    python -m tools.break_by_hand lib/sharded.py window    of these, those in whose lines a word stands
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = {  # {beginning of a path: the tests that must notice, and options of pytest}
    "lib/fast/cpu": [
        "tests/fast/test_kernels.py",
        "tests/fast/test_entmax_attention.py",
        "tests/fast/test_entmax_dropout.py",
    ],
    "lib/fast/gpu": ["tests/fast/parallel/test_triton_rows.py", "tests/fast/parallel/test_triton_attention.py"],
    "lib/sharded": ["tests/fast/parallel/test_sharded.py", "-k", "not torchrun"],
}

BREAKAGES = {  # {file: [(what stands there once, what is put in its place)]}
    "lib/fast/cpu/rows.py": [
        ("high if high >= 0 else low", "high"),  # the maximum of a row in which all are negative
        (
            "row[i] >= floor)\n    return np.intp",
            "row[i] > floor)\n    return np.intp",
        ),  # an entry just at the floor
        ("lowest if x == np.inf else -x", "-x"),  # a score of +inf, where low scores are preferred
    ],
    "lib/fast/cpu/weights.py": [
        ("prior[r % len(prior)]", "prior[0]"),  # a prior for each row
        ("x if d[i] > 0 else 0.0", "x"),  # a gradient where there is no weight
        (
            "floor - 2 * np.finfo(row.dtype).eps * (abs(floor) - gap)",
            "floor + 1e-3",
        ),  # a floor that cuts off weight
        ("_move_part_on(w[start:stop], x[start:stop], step, near, p) > 0", "False"),  # weights not moved on
        ("if abs(x[k]) < near:", "if x[k] < 0:"),  # a weight for which the series will not do
        ("1.0 - second * t * (1.0 - third * t)", "1.0"),  # a series cut short
        ("        z[:] = x\n", ""),  # Newton's last step is not short enough
        ("if sum_of(w[stretch]) > 0:", "if sum_of(w[stretch]) > 1e-3:"),  # a gradient where there is little weight
        ("if np.isnan(w[0]):  # then", "if False:  # then"),
        ("(product / total * gained - gain)", "(product / total * gained + gain)"),
    ],
    "lib/fast/cpu/thresholds.py": [
        ("total += max(z[i] - tau, 0.0)", "total += z[i] - tau"),  # sparsemax: entries below the threshold
        ("other += more_other", "other = more_other"),  # rows of more than one part
        ("x * x", "x"),  # entmax 1.5: the sum of squares
        ("sums(z[start : start + PART], *rest)", "sums(z[:PART], *rest)"),
        ("return min(mean - a, -first)", "return 0.0"),  # a first threshold above which there is nothing
        ("positive_power(x, p - 1.0)", "positive_power(x, p)"),  # entmax: the slope of the norm
        (
            "range(60):\n        step = newton_step(*sums_above",
            "range(2):\n        step = newton_step(*sums_above",
        ),  # too few steps
        (
            "range(60):\n        step = newton_step(*_nearly",
            "range(9):\n        step = 0.5 + newton_step(*_nearly",
        ),  # too far
    ],
    "lib/fast/cpu/powers.py": [
        ("np.rint(p * np.float32(256)) / np.float32(256)", "p"),  # the last digits of a large exponent
        ("return result if x > 0 else np.float32(0)", "return result"),  # a gradient where there is no weight
        ("np.float32(max(x, least))", "np.float32(x)"),  # a power too small for a float
        ("return x * x", "return x"),
        ("(2 * k + 1) for k in range(10)", "(2 * k + 1) for k in range(6)"),  # a series cut short
        ("result > 2.0**SMALLEST", "result >= 2.0**SMALLEST"),  # 0 to a power is then not 0
    ],
    "lib/fast/cpu/products.py": [
        ("+ a3 * x3", ""),  # one of four features
        ("second[:columns]\n", "first[:columns]\n"),  # the second of two queries
        ("(high + width - 1) // width", "high // width"),  # the last tile
    ],
    "lib/fast/cpu/attention.py": [
        ("sight.offset[head] + i + 1", "sight.offset[head] + i"),  # a query's own key
        ("count += weights[j] != 0", "count += 1"),  # a key without weight, whose value may be NaN
        ("dv[j] = np.nan", "dv[j] = 0"),
        ("stays[c] * dot(grad, values[index[c]]) if stays[c] > 0 else 0.0", "dot(grad, values[index[c]])"),
        ("slopes[c] = stays[c] * w[c]", "slopes[c] = w[c]"),  # a gradient of what was dropped
        ("drop_some(head * n_q + i,", "drop_some(i,"),  # the same in every head
    ],
    "lib/fast/cpu/chance.py": [
        ("stream = number(chance.seed, query)", "stream = number(chance.seed, 0)"),  # the same for every query
        ("1.0 / (1.0 - probability)", "1.0"),
        ("(x ^ (x >> NEAR)) * SECOND", "x"),
    ],
    "lib/fast/gpu/weights.py": [
        ("rate.dtype) * per_unit - ground", "rate.dtype) * per_unit"),  # the shift by the highest score
        ("tl.where(peak > LARGE, 0.5, 1.0)", "tl.where(peak > LARGE, 1.0, 1.0)"),  # a gap that overflows
        ("tl.where(s == INF, -LARGEST, -s)", "-s"),  # a score of +inf, where low scores are preferred
        (" | (peak == -LARGEST)", ""),  # the same, in the gradient
        ("aim = tl.sqrt(total)", "aim = tl.full(total.shape, 1.0, total.dtype)"),  # Newton's step is too long
    ],
    "lib/fast/gpu/rows.py": [
        ("taking = taking & (tl.load(where", "taking = taking | (tl.load(where"),  # the mask
        ("row % priors * n", "0 * priors * n"),  # a prior for each row
        ("mask=inside, other=-INF", "mask=inside, other=0.0"),  # what is read beyond the end of the row
        ("if not EXACT:", "if True:"),  # weights of float32 that are rounded more than once
        ("slope += slack", "slope = slack"),  # rows of more than one block
        ("slope * r * (g - mean)", "r * (g - mean)"),
        ("tl.where(w == 0, 0.0, g)", "g"),  # a gradient of NaN where there is no weight
    ],
    "lib/fast/gpu/attention.py": [
        ("taking = taking & (tl.load(where", "taking = taking | (tl.load(where"),
        ("(j[None, :] < high[:, None])", "(j[None, :] <= high[:, None])"),  # the key after the last
        ("tl.load(length))", "n_k)"),
        ("tl.maximum(after - window, 0)", "tl.maximum(after - window + 1, 0)"),
        ("z > tau[:, None], s", "z > tau[:, None] + 0.3, s"),  # a block with weight that is left out
        ("above.to(tl.int32)", "(above | (s == s)).to(tl.int32)"),  # no block is left out
        ("tl.store(active + kb // span, passes + 1)", "tl.store(active + kb // span, passes)"),  # all are left out
        ("tl.where(weighty, FOR_GOOD, 0)", "FOR_GOOD"),  # all count in the gradient
        ("tl.cdiv(key_blocks, span) + kb // span", "key_blocks + kb"),  # blocks that share an entry
        ("values = tl.where(seen[:, None], values, 0.0)", "pass"),  # NaN in a value that is masked
        ("finite(keys)", "keys"),  # the same in a key
        ("finite(queries)", "queries"),  # and in a query that sees nothing
        ("mass * tl.exp(top - shift)", "mass"),  # a prior over more than one block
        ("tl.where(shared, part, mass)", "mass"),  # β = 0 and ±inf
        ("spoilt = tl.where(s != -INF", "spoilt = tl.where(s == s"),  # NaN beyond what the query sees
    ],
    "lib/sharded.py": [
        ("first = sum(n_q[: ring.rank]) + (", "first = ("),  # all pieces of queries at the position of the first
        ("offset=few.offset - first - low", "offset=few.offset - low"),  # all pieces of keys there
        ("lengths - first - low", "lengths - low"),
        ("default=0) - first)", "default=0))"),
        ("start - window + 1)", "start - window + 2)"),
        ("min(end, latest + stop)", "min(end, latest + stop - 1)"),
        ("if low >= high:", "if False:"),  # computes what no query may see
        (
            "in blocks(request, part, sum(n_k[:source]) + keys.start)",
            "in blocks(request, part, sum(n_k[:source]))",
        ),
        ("sum(ctx.n_k[:source]) + keys.start", "sum(ctx.n_k[:source])"),  # all rounds at the position of the first
        ("rounds = max(1, -(-max(n_k) // PART))", "rounds = 1"),  # whole pieces pass through each process
        ("for each in (old, new)]", "for each in (new, new)]"),  # what was found before counts as this piece does
        ("peak / 2 - highest / 2", "(peak - highest) / 2"),  # the gap between two peaks is no float
        ("(gap < 0) & (rate != 0)", "(gap < 0)"),  # β = 0 and an infinite score
        ("gap = torch.where(torch.isfinite(gap), gap, 0.0)", "pass"),
        ("mass + log_mass(logs)", "mass"),  # what a prior weighs in each piece
        ("        working = torch.float64", "        pass"),  # β = 1e39 in float32
        ("torch.where(x == nothing, 1, x) if is_torch(x) else x", "x"),  # a prior that is 0 all through a piece
        ("and known_true((~positive)", "and not known_true((~positive)"),  # one that is 0 in all of them
        (" - (grad * output).sum(-1, keepdim=True)", ""),  # the gradient through Σ e^(β s)
        ("- sign(few.beta) * peak[..., None]", "- peak[..., None]"),  # a learned β below 0
        (
            "torch.where(scores == -inf, -inf, sign(as_column(request.beta, scores)) * scores)",
            "sign(as_column(request.beta, scores)) * scores",
        ),
        ("pi, slopes = torch.where(seen, pi, 0.0), torch.where(seen, slopes, 0.0)", "pass"),  # NaN beyond the mask
        (
            "            add_to(home, ring.arrived(*coming))",
            "            ring.arrived(*coming)",
        ),  # none comes home
        (
            "add_to(home if own else there, ring",
            "add_to(there, ring",
        ),  # nor does any in the rounds before the last
        (
            "add_to(home if own else there, ring.arrived(*coming))",
            "ring.arrived(*coming)",
        ),  # only the last process's
        ("else torch.zeros_like(x, dtype=working)", "else torch.zeros_like(x)"),  # gradients in half precision
        ('if len(ranks) > 1 and name not in ("n_q", "n_k")', "if False"),  # processes that disagree
        ('if "error" in told:', 'if "error" in told and error is not None:'),  # on one process alone
        ('{"call": "backward"}', '{"call": "forward"}'),
        ("except Exception as found", "except (TypeError, ValueError) as found"),  # what only torch refuses
        ("if q.device.type not in ring.devices:", "if False:"),
        (' or name != "gloo"', " or True"),  # from a GPU
        ("if not usable:", "if False:"),  # a timeout of 0
        ("work.wait(datetime.timedelta(seconds=left))", "work.wait()"),
        (
            "raise RuntimeError(\n                f",
            "raise ValueError(\n                f",
        ),  # what is wrong between processes
    ],
}


def break_copy(folder, file, before, after):
    """Put a copy of `lib` and its tests into a folder, with the breakage."""
    for name in ("lib", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / file
    path.write_text(once(path.read_text(encoding="utf-8"), before, after), encoding="utf-8")


def once(text, before, after):
    assert text.count(before) == 1, f"{before!r} is to stand there once; it does {text.count(before)} times"
    return text.replace(before, after)


def noticed_by(file):
    return next(tests for beginning, tests in TESTS.items() if file.startswith(beginning))


def is_noticed(file, before, after):
    with tempfile.TemporaryDirectory() as folder:
        break_copy(Path(folder), file, before, after)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *noticed_by(file)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stdout[-2000:]  # that is: passed or failed
        return done.returncode == 1


def main(asked):
    """Try the breakages of the files asked for, or of all; in the lines, one of the words must stand, if any."""
    files = [file for file in BREAKAGES if file in asked] or list(BREAKAGES)
    words = [word for word in asked if word not in BREAKAGES] or [""]
    chosen = [
        (file, before, after)
        for file in files
        for before, after in BREAKAGES[file]
        if any(word in before for word in words)
    ]
    missed = 0
    for file, before, after in chosen:
        noticed = is_noticed(file, before, after)
        missed += not noticed
        print(f"{'noticed' if noticed else 'MISSED'}: {file}: {before!r} -> {after!r}", flush=True)
    print(f"{missed} of {len(chosen)} missed")
    return 0 if chosen and not missed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
