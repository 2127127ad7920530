"""Breaks the compiled kernels in ways written down here; their tests must fail each time.

`make mutate` changes functions while they are loaded, which compiled code does not notice. So each breakage here
is made in a copy of `lib`, which is compiled anew (about a minute) for the tests of the kernels.

    python tests/break_kernels.py                all of them, half an hour
    python tests/break_kernels.py rows.py        those of one file
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNELS = Path("lib/kernels/cpu")
TESTS = ["tests/test_kernels.py", "tests/test_entmax_attention.py"]

BREAKAGES = {  # {file: [(what stands there once, what is put in its place)]}
    "rows.py": [
        ("high if high >= 0 else low", "high"),  # the maximum of a row in which all are negative
        (
            "row[i] >= floor)\n    return np.intp",
            "row[i] > floor)\n    return np.intp",
        ),  # an entry just at the floor
        ("lowest if x == np.inf else -x", "-x"),  # a score of +inf, where low scores are preferred
    ],
    "weights.py": [
        ("prior[r % len(prior)]", "prior[0]"),  # a prior for each row
        ("x if d[i] > 0 else 0.0", "x"),  # a gradient where there is no weight
        (
            "floor - 2 * np.finfo(row.dtype).eps * (abs(floor) - gap)",
            "floor + 1e-3",
        ),  # a floor that cuts off weight
    ],
    "thresholds.py": [
        ("total += max(z[i] - tau, 0.0)", "total += z[i] - tau"),  # sparsemax: entries below the threshold
        ("count += more_count", "count = more_count"),  # rows of more than one part
        ("if count >= before", "if True"),  # one step alone
        ("x * x", "x"),  # entmax 1.5: the sum of squares
        ("_squares_and_sum_of_part(z[start : start + PART], tau)", "_squares_and_sum_of_part(z[:PART], tau)"),
        (
            "range(60):\n        total, slope = _squares",
            "range(2):\n        total, slope = _squares",
        ),  # too few steps
        ("p - 1.0)", "p)"),  # entmax: the slope of the norm
        ("_powers_and_slopes_of_part(z[start : start + PART]", "_powers_and_slopes_of_part(z[:PART]"),
        ("range(60):\n        total, slope = _powers", "range(2):\n        total, slope = _powers"),
    ],
    "powers.py": [
        ("return x * x", "return x"),
        ("(2 * k + 1) for k in range(10)", "(2 * k + 1) for k in range(6)"),  # a series cut short
        ("result > 2.0**SMALLEST", "result >= 2.0**SMALLEST"),  # 0 to a power is then not 0
    ],
    "products.py": [
        ("+ a3 * x3", ""),  # one of four features
        ("second[:columns]\n", "first[:columns]\n"),  # the second of two queries
        ("(high + width - 1) // width", "high // width"),  # the last tile
    ],
    "attention.py": [
        ("sight.offset[head] + i + 1", "sight.offset[head] + i"),  # a query's own key
        ("count += weights[j] != 0", "count += 1"),  # a key without weight, whose value may be NaN
        ("dv[j] = np.nan", "dv[j] = 0"),
    ],
}


def broken(file, before, after, folder):
    """A copy of `lib` and its tests in `folder`, with the breakage."""
    for name in ("lib", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / KERNELS / file
    path.write_text(once(path.read_text(), before, after))


def once(text, before, after):
    assert text.count(before) == 1, f"{before!r} is to stand there once; it does {text.count(before)} times"
    return text.replace(before, after)


def is_noticed(file, before, after):
    with tempfile.TemporaryDirectory() as folder:
        broken(file, before, after, Path(folder))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
        environment = os.environ | {"PYTHONPATH": folder}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stdout[-2000:]  # that is: passed or failed
        return done.returncode == 1


def main(files):
    missed = 0
    for file in files or BREAKAGES:
        for before, after in BREAKAGES[file]:
            noticed = is_noticed(file, before, after)
            missed += not noticed
            print(f"{'noticed' if noticed else 'MISSED'}: {KERNELS / file}: {before!r} -> {after!r}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
