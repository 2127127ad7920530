"""What the repairs of real models do to softmax, measured without training: caps, norms, log n, and the clip.

All but the clip act on rows of scores that are already divided by √d, with β = 1 where nothing else is said.
"""

import numpy as np

from lib import softmax

CAP = 50.0  # Gemma 2's, on the scores of attention; on those of the output it has 30
SIZES = 2 ** np.arange(4, 18)
CHUNK, GROWTH = 8192, 0.1  # of Llama 4


# --- a cap on each score ---------------------------------------------------------------------------


def capped(scores, cap=CAP):
    """c · tanh(s/c): almost s where scores are small, never more than c."""
    return cap * np.tanh(np.asarray(scores) / cap)


def cap_slope(scores, cap=CAP):
    """How fast a capped score grows with its score, 1 − tanh²(s/c): what is left of a gradient behind the cap."""
    return 1 - np.tanh(np.asarray(scores) / cap) ** 2


def cap_left(first, second, cap=CAP):
    """What a cap leaves of the difference of two scores, and thus of the logarithm of their odds."""
    return float(capped(second, cap) - capped(first, cap))


def cap_faithful(miss=0.01):
    """Up to which s/c a cap changes a score by at most this share, by halving."""
    low, high = 1e-6, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.tanh(middle) >= (1 - miss) * middle else (low, middle)
    return low


def cap_odds(gap=10.0, shifts=(0.0, 20.0, 40.0, 60.0), cap=CAP):
    """The odds of two tokens whose scores differ by `gap`, once both are shifted. Without a cap they are e^gap."""
    rows = np.array([[shift, shift + gap] for shift in shifts])
    weights = softmax(capped(rows, cap))
    return weights[:, 1] / weights[:, 0]


def cap_ties(digits=24):
    """From which s/c on all scores are ties, with so many binary digits (float32: 24, bfloat16: 8): tanh is 1."""
    return float(np.arctanh(1 - 2.0 ** -(digits + 1)))


# --- queries and keys of one length ----------------------------------------------------------------


def normalised(x, gain=1.0):
    """RMS norm along the last axis: entries whose squares have the mean gain²."""
    x = np.asarray(x)
    return gain * x / np.sqrt((x**2).mean(axis=-1, keepdims=True))


def norm_bound(d=128, gain=1.0, key_gain=1.0):
    """The largest size of q · k / √d once both are normalised: g_q g_k √d."""
    return gain * key_gain * d**0.5


def norm_scores(q, k, gain=1.0, key_gain=1.0):
    """The scores of normalised queries and keys: (..., n_q, n_k)."""
    return normalised(q, gain) @ np.swapaxes(normalised(k, key_gain), -1, -2) / np.shape(q)[-1] ** 0.5


def norm_reached(d=128, gain=1.0, key_gain=1.0):
    """The scores of the keys that point along the query, across it and against it: all of the range is reached."""
    q = np.random.default_rng(d).normal(size=d)
    across = np.random.default_rng(d + 1).normal(size=d)
    across = across - (across @ q) / (q @ q) * q
    return norm_scores(q[None], np.stack([q, across, -q]), gain, key_gain)[0]


def norm_ratio(d=128, gain=1.0, key_gain=1.0):
    """The largest ratio of two weights in a row: e^(2 g_q g_k √d)."""
    return float(np.exp(2 * norm_bound(d, gain, key_gain)))


def norm_room(d=128, gain=1.0, key_gain=1.0):
    """Among how many keys the best may have half of the weight, if all the others are across the query."""
    return 1 + float(np.exp(norm_bound(d, gain, key_gain)))


def norm_as_beta(gain=2.0, times=10.0, d=128, n=17):
    """How far apart weights are: a gain and the same β; queries and longer ones, with norms and without."""
    q, k = np.random.default_rng(0).normal(size=(2, n, d))
    weights = softmax(norm_scores(q, k, gain))
    as_beta = softmax(norm_scores(q, k), gain)
    longer = softmax(norm_scores(times * q, k, gain))
    plain = [softmax(factor * q @ k.T / d**0.5) for factor in (1, times)]
    return tuple(float(np.abs(a - b).max()) for a, b in ((weights, as_beta), (weights, longer), plain))


# --- log n -----------------------------------------------------------------------------------------


def led(gap, n, scale=None):
    """The weight of one key that leads n − 1 equal others by a gap, with β = 1 or with β = scale · log n."""
    n = np.asarray(n, dtype=float)
    beta = 1.0 if scale is None else scale * np.log(n)
    return 1 / (1 + (n - 1) * np.exp(-beta * gap))


def led_rows(gap=5.0, products=(0.5, 1.0, 2.0), sizes=SIZES):
    """The weight among each of `sizes`: with β = 1, and with s log n for each product s · gap."""
    return {"plain": led(gap, sizes)} | {product: led(gap, sizes, product / gap) for product in products}


def chunked_growth(n):
    """Llama 4's factor at the n-th position, 1 + 0.1 · ln(⌊n/8192⌋ + 1)."""
    return 1 + GROWTH * np.log(np.asarray(n) // CHUNK + 1)


def growth_apart(most=10_000_000):
    """That factor over log n / log 8192, less 1, and the n: the largest, the smallest, the last, up to `most`."""
    edges = np.arange(CHUNK, most + 1, CHUNK)  # within a chunk the one stands still and the other grows
    n = np.unique(np.concatenate([edges, edges[1:] - 1, [most]]))
    apart = chunked_growth(n) / (np.log(n) / np.log(CHUNK)) - 1
    found = {"most": apart.argmax(), "least": apart.argmin(), "last": -1}
    return {name: (float(apart[i]), int(n[i])) for name, i in found.items()}


# --- the clip --------------------------------------------------------------------------------------


def clipped(query, key, top, bound=100.0):
    """Both matrices of a head whose largest score is `top`, times the root of bound/top if that is below 1."""
    factor = min(1.0, bound / top) ** 0.5
    return factor * query, factor * key


def clip_scores(top=200.0, bound=100.0, n=13, d=16, seed=0):
    """Scores of a head before its clip and after: its largest is `top`. Both (n, n)."""
    generator = np.random.default_rng(seed)
    x, query, key = generator.normal(size=(n, d)), *generator.normal(size=(2, d, d))
    before = (x @ query) @ (x @ key).T / d**0.5
    query *= top / before.max()
    before = (x @ query) @ (x @ key).T / d**0.5
    query, key = clipped(query, key, before.max(), bound)
    return before, (x @ query) @ (x @ key).T / d**0.5


def clip_elsewhere(top=200.0, bound=100.0, gap=8.0, n=101):
    """The weight, before and after, of a key that leads n − 1 others in a row of the head far below the bound."""
    row = np.zeros(n)
    row[0] = gap
    return float(softmax(row)[0]), float(softmax(min(1.0, bound / top) * row)[0])
