"""Attention, its lse and linear attention at 50 digits, straight from the definitions, by mpmath.

    python tests/maths/golden/attention.py        writes attention.json beside this file

Entries are multiples of 1/16, so that scores are exact in float64 too. Nothing here is shared with `lib`.
"""

import json
import random
from pathlib import Path

from mpmath import MPContext

FILE = Path(__file__).with_suffix(".json")
mp = MPContext()  # its precision is its own
mp.dps = 60


def attend(q, k, v, weight, sees):
    """Rows of Σ w v / Σ w over the keys that are seen, and log Σ w."""
    outputs, totals = [], []
    for i, query in enumerate(q):
        seen = [j for j in range(len(k)) if sees[i][j]]
        powers = {j: weight(i, j, query, k[j]) for j in seen}
        total = mp.fsum(powers.values())
        totals.append(mp.log(total) if total else mp.mpf("-inf"))
        mixed = [mp.fsum(powers[j] * mp.mpf(v[j][c]) for j in seen) for c in range(len(v[0]))]
        outputs.append([x / total if total else mp.mpf(0) for x in mixed])
    return outputs, totals


def dot(a, b):
    return mp.fsum(mp.mpf(x) * mp.mpf(y) for x, y in zip(a, b, strict=True))


def phi(x):
    """elu(x) + 1, entry by entry."""
    return [mp.mpf(t) + 1 if t > 0 else mp.exp(mp.mpf(t)) for t in x]


def rows():
    rng = random.Random(23)
    shapes = {"five queries": (5, 7, 3, 2), "one query": (1, 11, 2, 3), "more queries than keys": (7, 3, 2, 1)}
    for name, (n_q, n_k, d, d_v) in shapes.items():
        for beta in (0.75, -1.25, 0.0, 40.0, 1e-9):
            for scale in (1, 16):
                q, k, v = (
                    [[scale * rng.randint(-32, 32) / 16 for _ in range(width)] for _ in range(n)]
                    for n, width in ((n_q, d), (n_k, d), (n_k, d_v))
                )
                where = [[rng.random() < 0.7 for _ in range(n_k)] for _ in range(n_q)]
                where[0] = [n_q == 1] * n_k  # nothing to attend to
                prior = [rng.choice([0.0, 1e-6, 0.5, 3.0, 1e5]) for _ in range(n_k - 1)] + [1.0]
                yield (
                    f"{name}, beta {beta:g}, scale {scale}",
                    dict(q=q, k=k, v=v, beta=beta, where=where, prior=prior),
                )


def solve(q, k, v, beta, where, prior):
    n_q, n_k = len(q), len(k)
    causal = [[j <= n_k - n_q + i for j in range(n_k)] for i in range(n_q)]

    def gibbs(i, j, query, key):
        return mp.mpf(prior[j]) * mp.exp(mp.mpf(beta) * dot(query, key))

    output, lse = attend(q, k, v, gibbs, where)
    linear, _ = attend(q, k, v, lambda i, j, query, key: dot(phi(query), phi(key)), causal)
    return {name: digits(x) for name, x in (("output", output), ("lse", lse), ("linear", linear))}


def digits(x):
    return [digits(y) for y in x] if isinstance(x, list) else mp.nstr(x, 50)


def table():
    return {name: row | solve(**row) for name, row in rows()}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in table().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
