"""Golden values at 50 digits, straight from the definitions, by mpmath.

    python tests/maths/golden/generate.py        writes golden.json beside this file

Floats are taken as the exact numbers they are. Nothing here is shared with `lib`: no shift by the
maximum, no series, no log1p; 120 working digits make the textbook formulas good enough.
"""

import json
import math
import random
from pathlib import Path

import mpmath as mp

FILE = Path(__file__).with_name("golden.json")
INF = float("inf")
mp.mp.dps = 120


def admissible(scores, prior, where):
    n = len(scores)
    prior = [1.0] * n if prior is None else prior
    where = [True] * n if where is None else where
    return [i for i in range(n) if where[i] and prior[i] > 0 and scores[i] != -INF]


def prior_of(scores, prior, where):
    """The prior, normalised over the admissible entries; zero elsewhere."""
    keep = admissible(scores, prior, where)
    u = [mp.mpf(0)] * len(scores)
    for i in keep:
        u[i] = mp.mpf(1 if prior is None else prior[i])
    total = mp.fsum(u)
    return [x / total for x in u] if keep else u


def weights(scores, beta, prior=None, where=None):
    """The limits in β and in the scores first, then u e^(βs) over its sum."""
    u = prior_of(scores, prior, where)
    keep = [i for i in range(len(u)) if u[i] > 0]
    if not keep:
        return u
    best = (max if beta > 0 else min)(scores[i] for i in keep)
    if beta in (INF, -INF) or (beta != 0 and best in (INF, -INF)):
        w = [u[i] if i in keep and scores[i] == best else mp.mpf(0) for i in range(len(u))]
    elif beta == 0:
        w = u
    else:
        # a score of +inf weighs nothing here, since then β < 0
        w = [
            u[i] * mp.exp(mp.mpf(beta) * mp.mpf(scores[i])) if i in keep and scores[i] != INF else mp.mpf(0)
            for i in range(len(u))
        ]
    total = mp.fsum(w)
    return [x / total for x in w]


def log_partition(scores, beta, prior=None, where=None):
    u = prior_of(scores, prior, where)
    keep = [i for i in range(len(u)) if u[i] > 0]
    if not keep:
        return mp.mpf(INF if beta < 0 else -INF)
    best = (max if beta > 0 else min)(scores[i] for i in keep)
    if beta == 0:
        return mp.fsum(u[i] * mp.mpf(scores[i]) for i in keep)
    if beta in (INF, -INF) or best in (INF, -INF):
        return mp.mpf(best)
    terms = [u[i] * mp.exp(mp.mpf(beta) * mp.mpf(scores[i])) for i in keep if scores[i] != INF]
    return mp.log(mp.fsum(terms)) / mp.mpf(beta)


def kl(p, q):
    """Σ p log(p/q) − p + q, which is Σ p log(p/q) for rows that sum to one."""
    p, q = [mp.mpf(x) for x in p], [mp.mpf(x) for x in q]
    if all(x == 0 for x in p):
        return mp.mpf(0)
    if any(x > 0 and y == 0 for x, y in zip(p, q, strict=True)):
        return mp.mpf(INF)
    return mp.fsum((x * mp.log(x / y) if x > 0 else 0) - x + y for x, y in zip(p, q, strict=True))


def entropy(p):
    return -mp.fsum(mp.mpf(x) * mp.log(mp.mpf(x)) for x in p if x > 0)


def beta_for_kl(scores, epsilon, prior=None, where=None):
    """By bisection on log β, of the textbook divergence of the textbook weights."""
    with mp.workdps(120 - int(mp.log10(epsilon) if epsilon else 0)):  # ε is what is left when digits cancel
        return _beta_for_kl(scores, epsilon, prior, where)


def _beta_for_kl(scores, epsilon, prior, where):
    u = prior_of(scores, prior, where)
    if not any(u) or kl(weights(scores, INF, prior, where), u) <= mp.mpf(epsilon):
        return mp.mpf(INF)
    if epsilon == 0 or any(s == INF for s, x in zip(scores, u, strict=True) if x > 0):
        return mp.mpf(0)
    low, high = mp.mpf(-800), mp.mpf(800)
    for _ in range(220):
        middle = (low + high) / 2
        inside = kl(weights(scores, mp.exp(middle), prior, where), u) <= mp.mpf(epsilon)
        low, high = (middle, high) if inside else (low, middle)
    return mp.exp(low)


def hard(scores, beta, u):
    """Is the limit of infinite β, or of infinite scores, what is meant? Then softmax's limit is."""
    best = [s for s, x in zip(scores, u, strict=True) if x > 0]
    return not best or beta in (0, INF, -INF) or (max if beta > 0 else min)(best) in (INF, -INF)


def entmax(scores, alpha, beta, prior=None, where=None):
    """[(α − 1) β s + u^(α − 1) − τ]₊^(1/(α − 1)), with τ in a bracket; a base of 10⁻¹⁰⁰ is 0 then."""
    u = prior_of(scores, prior, where)
    if alpha == 1 or hard(scores, beta, u):
        return weights(scores, beta, prior, where)
    order = mp.mpf(alpha) - 1
    z = [
        order * mp.mpf(beta) * mp.mpf(s) + x**order if x > 0 and s != INF else None
        for s, x in zip(scores, u, strict=True)
    ]
    best = max(x for x in z if x is not None)

    def at(tau):
        bases = [x - tau if x is not None else 0 for x in z]
        return [x ** (1 / order) if x > 1e-100 else mp.mpf(0) for x in bases]

    # up to α = 2 the norm of the bases is convex in τ; beyond, it has kinks that mislead all but bisection
    how = dict(solver="anderson" if alpha <= 2 else "bisect", maxsteps=400, verify=False)
    return at(mp.findroot(lambda tau: mp.fsum(at(tau)) ** order - 1, (best - 1, best), **how))


def relu_norm(scores, beta, where=None):
    sign = (beta > 0) - (beta < 0)
    keep = admissible(scores, None, where)
    w = [max(sign * mp.mpf(scores[i]), mp.mpf(0)) if i in keep and sign else mp.mpf(0) for i in range(len(scores))]
    if INF in w:
        w = [mp.mpf(x == INF) for x in w]
    return [x / (mp.fsum(w) or 1) for x in w]


def product(beta, score):
    """β times a score, 0 · ∞ being 0."""
    return mp.mpf(0) if 0 in (beta, score) else mp.mpf(beta) * mp.mpf(score)


def sigmoid_weights(scores, beta, bias=None, where=None):
    keep = admissible(scores, None, where)
    b = mp.mpf(bias) if bias is not None else -mp.log(len(keep) or 1)
    return [1 / (1 + mp.exp(-product(beta, s) - b)) if i in keep else mp.mpf(0) for i, s in enumerate(scores)]


def softmax_plus_one(scores, beta, where=None, sink=0.0):
    return weights([*scores, sink], beta, None, [*(where or [True] * len(scores)), True])[:-1]


def attend(q, k, v, weight, sees):
    """Rows of Σ w v / Σ w over the keys that are seen, and log Σ w."""
    outputs, totals = [], []
    for i, query in enumerate(q):
        seen = [j for j in range(len(k)) if sees[i][j]]
        powers = {j: weight(j, query, k[j]) for j in seen}
        total = mp.fsum(powers.values())
        totals.append(mp.log(total) if total else mp.mpf(-INF))
        mixed = [mp.fsum(powers[j] * mp.mpf(v[j][c]) for j in seen) for c in range(len(v[0]))]
        outputs.append([x / total if total else mp.mpf(0) for x in mixed])
    return outputs, totals


def dot(a, b):
    return mp.fsum(mp.mpf(x) * mp.mpf(y) for x, y in zip(a, b, strict=True))


def elu_plus_one(x):
    return [mp.mpf(t) + 1 if t > 0 else mp.exp(mp.mpf(t)) for t in x]


# ---- the rows


def maps_rows():
    rng = random.Random(20)
    rows = {}
    betas = [1.0, 0.7, -1.3, 0.0, -0.0, 1e-15, -1e-15, 1e-8, 1e-3, 0.04, 0.2, 37.0, INF, -INF]
    for k, beta in enumerate(betas):
        for offset in (0.0, 1e6, -3e9):
            scores = [offset + rng.gauss(0, 2) for _ in range((2, 3, 5, 7, 11, 13)[k % 6])]
            rows[f"offset {offset:g}, beta {beta:g}"] = dict(scores=scores, beta=beta)
            prior = [rng.uniform(0.01, 1) for _ in scores]
            rows[f"offset {offset:g}, beta {beta:g}, prior"] = dict(scores=scores, beta=beta, prior=prior)
    scores = [0.3, 2.0, -1.0, 2.0, 0.0]
    for beta in (1.0, -2.0, 0.0, INF, -INF):
        rows[f"mask, beta {beta:g}"] = dict(scores=scores, beta=beta, where=[True, False, True, True, False])
        rows[f"ties, beta {beta:g}"] = dict(scores=scores, beta=beta, prior=[1.0, 2.0, 0.5, 1.0, 0.0])
        rows[f"minus inf, beta {beta:g}"] = dict(scores=[1.0, -INF, 3.0], beta=beta)
        rows[f"plus inf, beta {beta:g}"] = dict(scores=[1.0, INF, 3.0, INF], beta=beta, prior=[1.0, 2.0, 4.0, 3.0])
        rows[f"all plus inf, beta {beta:g}"] = dict(scores=[INF, INF, -INF], beta=beta)
        rows[f"empty, beta {beta:g}"] = dict(scores=[1.0, -INF, 3.0], beta=beta, where=[False, True, False])
        rows[f"huge, beta {beta:g}"] = dict(scores=[1e30, -1e30, 1e30, -1e9, 0.0], beta=beta)
        rows[f"one, beta {beta:g}"] = dict(scores=[-7.3], beta=beta)
    rows["huge scores, tiny beta"] = dict(scores=[1e30, -1e30, 0.5e30], beta=1e-30)
    rows["tiny scores, huge beta"] = dict(scores=[1e-30, -1e-30, 0.5e-30], beta=1e30)
    rows["small weights"] = dict(scores=[0.0, -700.0, -800.0], beta=1.0)
    rows["an unlikely best"] = dict(scores=[0.0, 40.0], beta=1.0, prior=[1.0, 1e-15])
    rows["a far prior"] = dict(scores=[0.0, 690.0, 3.0], beta=1.0, prior=[1.0, 1e-300, 0.5])
    return rows


def entmax_rows():
    rng = random.Random(23)
    rows = {}
    betas = [1.0, 0.7, -1.3, 5.0, 1e-3, -37.0, 1e-15]
    for k, alpha in enumerate([1.0, 1.0 + 2.0**-40, 1.01, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 4.0]):
        for j, offset in enumerate((0.0, 1e6, -3e9)):
            beta = betas[(3 * k + j) % 7]
            scores = [offset + rng.gauss(0, 1.5) for _ in range((3, 5, 7, 11, 13, 2)[(k + j) % 6])]
            rows[f"alpha {alpha:.16g}, offset {offset:g}"] = dict(scores=scores, alpha=alpha, beta=beta)
            prior = [rng.uniform(0.01, 1) for _ in scores]
            rows[f"alpha {alpha:.16g}, offset {offset:g}, prior"] = dict(
                scores=scores, alpha=alpha, beta=beta, prior=prior
            )
    awkward = {k: row for k, row in maps_rows().items() if not k.startswith("offset")}
    for alpha in (1.5, 2.0):
        for name, row in awkward.items():
            rows[f"alpha {alpha:g}, {name}"] = dict(row, alpha=alpha)
    for alpha, gap in ((1.25, 4.0), (1.5, 2.0), (2.0, 1.0), (3.0, 0.5)):
        rows[f"alpha {alpha:g}, on the edge"] = dict(scores=[gap, 0.0, 0.0], alpha=alpha, beta=1.0)
        rows[f"alpha {alpha:g}, inside"] = dict(scores=[gap - 2.0**-20, 0.0], alpha=alpha, beta=1.0)
        rows[f"alpha {alpha:g}, plus inf out of reach"] = dict(
            scores=[1.0, INF, 1.2], alpha=alpha, beta=-0.5, prior=[1.0, 2.0, 4.0]
        )
    rows["alpha 2, edge of two"] = dict(scores=[1.0, 0.5, 0.25, -3.0], alpha=2.0, beta=1.0)
    return rows


def dense_rows():
    rng = random.Random(24)
    rows = {}
    for k, beta in enumerate([1.0, 0.7, -1.3, 0.0, 1e-15, 37.0, INF, -INF]):
        for offset in (0.0, -2.0, 1e6):
            scores = [offset + rng.gauss(0, 2) for _ in range((2, 3, 5, 7, 11)[k % 5])]
            rows[f"offset {offset:g}, beta {beta:g}"] = dict(scores=scores, beta=beta)
    scores = [0.3, 2.0, -1.0, 2.0, 0.0]
    for beta in (1.0, -2.0, 0.0, INF, -INF):
        rows[f"mask, beta {beta:g}"] = dict(scores=scores, beta=beta, where=[True, False, True, True, False])
        rows[f"minus inf, beta {beta:g}"] = dict(scores=[1.0, -INF, 3.0], beta=beta)
        rows[f"plus inf, beta {beta:g}"] = dict(scores=[1.0, INF, -3.0, INF, 0.0], beta=beta)
        rows[f"empty, beta {beta:g}"] = dict(scores=[1.0, -INF, 3.0], beta=beta, where=[False, True, False])
        rows[f"below 0, beta {beta:g}"] = dict(scores=[-1.0, -2.0, -1.0], beta=beta)
        rows[f"huge, beta {beta:g}"] = dict(scores=[1e30, -1e30, 0.5e30, -1e9, 0.0], beta=beta)
        rows[f"one, beta {beta:g}"] = dict(scores=[-7.3], beta=beta)
    rows["small weights"] = dict(scores=[0.0, -700.0, -800.0], beta=1.0)
    return rows


def budget_rows():
    rng = random.Random(21)
    rows = {}
    for k, epsilon in enumerate([5e-324, 1e-310, 1e-300, 1e-40, 1e-20, 1e-12, 1e-6, 0.01, 0.1, 0.3, 0.6]):
        scores = [rng.gauss(0, 2) for _ in range((2, 3, 5, 7, 11)[k % 5])]
        rows[f"epsilon {epsilon:g}"] = dict(scores=scores, epsilon=epsilon)
        prior = [rng.uniform(0.01, 1) for _ in scores]
        rows[f"epsilon {epsilon:g}, prior"] = dict(scores=scores, epsilon=epsilon, prior=prior)
    rows["two steps, low"] = dict(scores=[0.0, -1.0, -1e30], epsilon=0.3)
    rows["two steps, on the plateau"] = dict(scores=[0.0, -1.0, -1e30], epsilon=0.4054651081081645)
    rows["two steps, high"] = dict(scores=[0.0, -1.0, -1e30], epsilon=0.8)
    rows["huge"] = dict(scores=[1e30, 3e29, -1e30], epsilon=0.5)
    rows["offset"] = dict(scores=[1e6 + 1, 1e6 + 2.5, 1e6], epsilon=0.5)
    rows["nearly saturated"] = dict(scores=[1.0, 2.0, 5.0], epsilon=1.0986)
    rows["nearly saturated still"] = dict(scores=[1.0, 2.0, 5.0], epsilon=1.098612288668)
    rows["saturated"] = dict(scores=[1.0, 2.0, 5.0], epsilon=1.0986122886681099)
    rows["saturated by ties"] = dict(scores=[5.0, 2.0, 5.0], epsilon=0.5)
    rows["equal"] = dict(scores=[2.0, 2.0, 2.0], epsilon=0.0)
    rows["no budget"] = dict(scores=[2.0, 1.0], epsilon=0.0)
    rows["an unlikely best"] = dict(scores=[0.0, 1.0, 0.2], epsilon=5.0, prior=[1.0, 1e-9, 1.0])
    rows["an unlikely rest"] = dict(scores=[0.0, 1.0, 0.2], epsilon=1e-10, prior=[1e-9, 1.0, 1e-9])
    rows["a most unlikely rest"] = dict(scores=[0.0, 1.0, 0.2], epsilon=1e-21, prior=[1e-20, 1.0, 1e-20])
    rows["plus inf, inside"] = dict(scores=[0.0, INF, INF], epsilon=0.2)
    rows["plus inf, outside"] = dict(scores=[0.0, INF, INF], epsilon=0.5)
    rows["mask"] = dict(scores=[3.0, 9.0, 1.0, -INF], epsilon=0.2, where=[True, False, True, True])
    return rows


def pair_rows():
    rng = random.Random(22)
    rows = {}
    for step in (1.0, 1e-3, 1e-6, 1e-9):
        p = [rng.uniform(0.01, 1) for _ in range(7)]
        q = [x * (1 + step * rng.uniform(-0.9, 1)) for x in p]
        p, q = ([x / math.fsum(r) for x in r] for r in (p, q))  # rounded once, by every version of Python alike
        rows[f"a step of {step:g}"] = dict(p=p, q=q)
    rows["zeros"] = dict(p=[0.5, 0.5, 0.0, 0.0], q=[0.25, 0.5, 0.25, 0.0])
    rows["forbidden"] = dict(p=[0.5, 0.5], q=[1.0, 0.0])
    rows["empty"] = dict(p=[0.0, 0.0], q=[0.5, 0.5])
    rows["far"] = dict(p=[1e-300, 1.0, 0.25], q=[1.0, 1e-300, 0.25])
    rows["equal"] = dict(p=[0.1, 0.2, 0.7], q=[0.1, 0.2, 0.7])
    return rows


def attention_rows():
    """Entries are multiples of 1/16, so that scores are exact in float64 too."""
    rng = random.Random(23)
    rows = {}
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
                row = dict(q=q, k=k, v=v, beta=beta, where=where, prior=prior)
                rows[f"{name}, beta {beta:g}, scale {scale}"] = row
    return rows


def digits(x):
    return [digits(y) for y in x] if isinstance(x, list) else mp.nstr(x, 50)


def solve_map(row):
    w, u = weights(**row), prior_of(row["scores"], row.get("prior"), row.get("where"))
    return dict(
        softmax=digits(w),
        log_softmax=digits([mp.log(x) if x > 0 else mp.mpf(-INF) for x in w]),
        log_partition=digits(log_partition(**row)),
        entropy=digits(entropy(w)),
        cost=digits(kl(w, u)),
    )


def solve_entmax(row):
    return dict(weights=digits(entmax(**row)))


def solve_dense(row):
    return {f.__name__: digits(f(**row)) for f in (relu_norm, sigmoid_weights, softmax_plus_one)}


def solve_budget(row):
    """β, and the β of budgets a few roundings (8e-16) smaller and larger."""
    near = {"beta": 0, "low": mp.mpf("-8e-16"), "high": mp.mpf("8e-16")}
    return {k: digits(beta_for_kl(**row | dict(epsilon=row["epsilon"] * (1 + step)))) for k, step in near.items()}


def solve_pair(row):
    return dict(kl=digits(kl(**row)), entropy=digits(entropy(row["p"])))


def solve_attention(row):
    """Attention and its lse under `where`; linear attention, causal from the last query and key back."""
    q, k, v, beta, prior = (row[name] for name in ("q", "k", "v", "beta", "prior"))
    gibbs = lambda j, query, key: mp.mpf(prior[j]) * mp.exp(mp.mpf(beta) * dot(query, key))  # noqa: E731
    phis = lambda j, query, key: dot(elu_plus_one(query), elu_plus_one(key))  # noqa: E731
    causal = [[j <= len(k) - len(q) + i for j in range(len(k))] for i in range(len(q))]
    output, lse = attend(q, k, v, gibbs, row["where"])
    return dict(output=digits(output), lse=digits(lse), linear=digits(attend(q, k, v, phis, causal)[0]))


TABLES = {
    "maps": (maps_rows, solve_map),
    "entmax": (entmax_rows, solve_entmax),
    "dense": (dense_rows, solve_dense),
    "budgets": (budget_rows, solve_budget),
    "pairs": (pair_rows, solve_pair),
    "attention": (attention_rows, solve_attention),
}


def table(name, only=None):
    rows, solve = TABLES[name]
    return {k: row | solve(row) for k, row in rows().items() if only is None or k in only}


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: table(name) for name in TABLES}, indent=1) + "\n")
