"""Breaks attention over several processes in ways written down here; its tests must fail each time.

`make mutate` changes functions while they are loaded, in one process. So each breakage here is made in a copy of
`lib`, which the processes of the tests import.

    python -m tools.break_sharded              all of them, ten minutes
    python -m tools.break_sharded window       those in whose lines the word stands
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.break_kernels import once

ROOT = Path(__file__).parents[1]
FILE = Path("lib/sharded.py")
BREAKAGES = [  # what stands there once, and what is put in its place
    ("first = sum(n_q[: ring.rank]) + (", "first = ("),  # all pieces of queries at the position of the first
    ("offset=few.offset - first - low", "offset=few.offset - low"),  # all pieces of keys there
    ("lengths - first - low", "lengths - low"),
    ("default=0) - first)", "default=0))"),
    ("start - window + 1)", "start - window + 2)"),
    ("min(end, latest + stop)", "min(end, latest + stop - 1)"),
    ("if low >= high:", "if False:"),  # computes what no query may see
    ("in blocks(request, part, sum(n_k[:source]) + keys.start)", "in blocks(request, part, sum(n_k[:source]))"),
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
    ("            add_to(home, ring.arrived(*coming))", "            ring.arrived(*coming)"),  # none comes home
    ("add_to(home if own else there, ring", "add_to(there, ring"),  # nor does any in the rounds before the last
    ("add_to(home if own else there, ring.arrived(*coming))", "ring.arrived(*coming)"),  # only the last process's
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
]


def is_noticed(before, after):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lib", "tests"):
            shutil.copytree(ROOT / name, Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        path = Path(folder) / FILE
        path.write_text(once(path.read_text(), before, after))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not torchrun"]
        done = subprocess.run(
            [*command, "tests/fast/parallel/test_sharded.py"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stdout[-2000:]  # that is: passed or failed
        return done.returncode == 1, done.stdout.splitlines()[-2]


def main(words):
    missed = 0
    for before, after in BREAKAGES:
        if words and not any(word in before for word in words):
            continue
        noticed, by = is_noticed(before, after)
        missed += not noticed
        print(f"{'noticed' if noticed else 'MISSED'}: {before!r} -> {after!r}; {by}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
