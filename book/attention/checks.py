"""The checks of the chapter *attention*."""

from itertools import product

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from book.attention.by_hand import W_K, W_O, W_Q, W_V, asked, h, heads, in_loops, k, printed, q, right, s, v
from book.claims import claim, fails, largest, measures, says, smallest
from lib import attention, attention_with_lse, causal_mask, merge_attention, softmax, sparsemax

rows = 2 * np.random.default_rng(3).normal(size=(10_000, 7))  # (10 000, n)


@claim("attention-loops", "A1")
@says("Plain loops and lib.attention give the same update of all seven tokens.")
@measures("largest difference of two numbers in the lists", at_most=1e-14)
@fails("with β = ½ in lib.attention alone", beta=0.5)
def distance_from_loops(beta=1.0):
    return abs(h + attention(q, k, v, beta=beta) @ W_O.T - in_loops(h, q, k, v, W_O, beta=1.0)).max()


@claim("attention-order")
@says("Under a causal mask another order of the words before it changes nothing for the last word in one layer.")
@measures("largest change of its list, in 20 random layers of six words", at_most=1e-12)
@fails("in two such layers, one after the other", layers=2)
def largest_change_by_order(layers=1):
    rng = np.random.default_rng(12)
    for _ in range(20):
        words, matrices = rng.normal(size=(6, 8)), rng.normal(size=(layers, 3, 8, 8)) / 8**0.5
        ends = []
        for lists in (words, words[[*rng.permutation(5), 5]]):
            for query, key, value in matrices:
                lists = lists + attention(lists @ query, lists @ key, lists @ value, causal=True)
            ends.append(lists[-1])
        yield ends[0] - ends[1]


@claim("attention-basis", "A3")
@says("Mᵀ on the queries, and M⁻¹ on the keys after one vector was added to all of these, change no weight.")
@measures("largest change of a weight, for 200 random M, less those nearly singular", at_most=1e-10)
@fails("with M⁻¹ on the queries as well, in place of Mᵀ", alike=True)
def largest_change_by_basis(alike=False):
    rng = np.random.default_rng(1)
    M = rng.normal(size=(200, 4, 4))
    M = M[np.linalg.cond(M) < 1e3]  # beyond, rounding would be all one sees
    inverse = np.linalg.inv(M).mT
    moved_q = q @ (inverse if alike else M)  # rows: M q is q @ M.T, Mᵀ q is q @ M
    moved_k = (k + rng.normal(size=(len(M), 1, 4))) @ inverse
    return abs(softmax(moved_q @ moved_k.mT) - softmax(q @ k.T)).max()


@claim("attention-odds", "B6", "C1", "D2", "D7", "E2", "E4", "E24")
@says("The logarithm of the odds is β times the gap, for all pairs of 10\u202f000 rows and three β.")
@measures("largest difference between the two", at_most=1e-13)
@fails(
    "with 1/(1 + exp(−βs)), which looks at no other score, as the weight of s",
    weigh=lambda x, b: 1 / (1 + np.exp(-b * x)),
)
def largest_error_in_odds(weigh=softmax):
    apart = lambda x: x[:, :, None] - x[:, None]  # (10 000, n, n)
    for beta in (0.5, 1.0, 2.0):
        yield apart(np.log(weigh(rows, beta))) - beta * apart(rows)


@claim("attention-sharpens", "C1")
@says(
    "Against shares in proportion to two scores, softmax has the larger odds if β times each is above 1, "
    "the smaller if below."
)
@measures("exceptions among 60\u202f000 pairs of scores", at_most=0)
@fails("with 3 in place of 1", edge=3)
def exceptions(edge=1):
    pairs = np.random.default_rng(4).uniform([[edge], [0.05]], [[10], [edge]], size=(10_000, 2, 2))
    pairs.sort()  # (10 000, above and below, lower and higher βs)
    odds = [p[..., 1] / p[..., 0] for p in (softmax(pairs / beta, beta) for beta in (0.5, 1.0, 2.0))]
    return ((odds > pairs[..., 1] / pairs[..., 0]) != [True, False]).sum()


@claim("attention-lowering", "E2")
@says("Δ more for one score divides all other weights as the formula says, for nine pairs of β and Δ.")
@measures("largest error of a weight", at_most=1e-13)
@fails(
    "with 1/(1 + exp(−βs)), which looks at no other score, as the weight of s",
    weigh=lambda x, b: 1 / (1 + np.exp(-b * x)),
)
def error_of_lowering(weigh=softmax):
    for b, gap, i in product((0.5, 1.0, 2.0), (-1.0, 0.5, 3.0), range(7)):
        before, after = weigh(rows, b), weigh(rows + gap * np.eye(7)[i], b)
        predicted = before / (1 + before[:, [i]] * (np.exp(b * gap) - 1))
        yield np.delete(after - predicted, i, axis=1)


@claim("attention-rows", "A1", "B1", "B6", "E2", "E24")
@says("With a token’s own key, a row sums to 1, with no weight below 0 and none above that of a higher score.")
@measures("largest miss, for β from 0 to 1,000", at_most=7 * 8 * np.finfo(float).eps)
@fails(
    "with only the keys before a token’s own, of which the first token has none: lib gives it zeros, "
    "torch.softmax NaN",
    offset=-1,
)
def largest_violation(offset=0):
    mask, table = causal_mask(7, offset=offset), rows[:7_000].reshape(1_000, 7, 7)  # (n_q, n_k), (1 000, n_q, n_k)
    # From the lowest score of a row; what is masked comes first.
    order = np.argsort(np.where(mask, table, -np.inf))
    drawn = [np.take_along_axis(softmax(table, b, where=mask), order, axis=-1) for b in (0.0, 0.1, 1.0, 10.0, 1e3)]
    return largest(largest([-p.min(), abs(p.sum(axis=-1) - 1).max(), -np.diff(p).min()]) for p in drawn)


@claim("attention-smooth", "E2")
@says("While milk rises from −3 to 5 points, no weight jumps or has a kink, at β = 0.1, 1 and 10.")
@measures(
    "largest change of a slope, in weight per unit of βs, while βs rises by 1/1000 (at a kink it would leap)",
    at_most=2e-4,
)
@fails("with lib.sparsemax, which cuts low weights off at 0, and has a kink there", weigh=sparsemax)
def largest_kink(weigh=softmax, betas=(0.1, 1.0, 10.0), step=1e-3):
    for beta in betas:
        # βs in steps of 1/1000; a second derivative in βs is at most 0.0962.
        milk = np.arange(-3, 5, step / beta)[:, None]
        yield np.diff(weigh(np.where(np.arange(7) == 4, milk, s), beta), n=2, axis=0) / step


@claim("attention-names", "A2", "B4")
@says(
    "lib’s default, β = 1/√d, a temperature of √d, a query matrix divided by √d, and torch’s own "
    "attention all give the same."
)
@measures("largest difference of two outputs, for d of 3, 5, 8 and 64", at_most=1e-13)
@fails("with d in place of √d", power=1)
def largest_gap_of_names(power=0.5):
    rng = np.random.default_rng(5)
    for d, c in product((3, 5, 8, 64), (False, True)):
        T, (stream, key, value), matrix = d**power, rng.normal(size=(3, 7, d)), rng.normal(size=(d, d))
        query = stream @ matrix.T  # (n, d)
        theirs = scaled_dot_product_attention(*map(torch.tensor, (query, key, value)), is_causal=c).numpy()
        yield attention(query, key, value, causal=c) - theirs
        yield attention(query, key, value, beta=1 / T, causal=c) - theirs
        yield softmax(query @ key.T / T, where=causal_mask(7) if c else None) @ value - theirs
        yield attention(stream @ (matrix / T).T, key, value, beta=1, causal=c) - theirs


@claim("attention-axis", "B4")
@says("Where each token sees only tokens up to its own, another last word changes no earlier output.")
@measures(
    "largest change of an earlier output, with each of the seven words and 100 random lists as the last",
    at_most=1e-14,
)
@fails("with softmax down the columns", axis=-2)
def leak(axis=-1):
    earlier = []
    for last in (*h, *np.random.default_rng(0).normal(size=(100, 6))):  # the words, and lists of random numbers
        stream = np.concatenate([h[:6], last[None]])  # (n, d_model)
        table = stream @ W_Q.T @ (stream @ W_K.T).T  # (n, n)
        earlier.append((softmax(table, where=causal_mask(7), axis=axis) @ stream @ W_V.T)[:6])
    return np.ptp(earlier, axis=0).max()


@claim("attention-merge", "A1")
@says("Two disjoint sets, each with its share of Z, give attention over all keys; so does lib.merge_attention.")
@measures("largest difference of two outputs, over all 63 splits, each in both orders", at_most=1e-14)
@fails("with “cat” in both sets", twice=True)
def largest_error_of_merging(twice=False):
    cat = (np.arange(7) == 1) & twice
    for split in range(1, 2**7 - 1):
        first = (split >> np.arange(7)) % 2 == 1  # (n,), boolean
        parts = [attention_with_lse(q, k, v, beta=1.0, where=part | cat) for part in (first, ~first)]
        (o1, Z1), (o2, Z2) = ((o, np.exp(log)[:, None]) for o, log in parts)  # (n, d_v), (n, 1)
        ways = [Z1 / (Z1 + Z2) * o1 + Z2 / (Z1 + Z2) * o2, merge_attention(*zip(*parts, strict=True))[0]]
        yield np.array(ways) - attention(q, k, v, beta=1.0)


@claim("attention-heads")
@says("From these two heads one matrix gets back both heights, for 1000 random pairs.")
@measures("largest error, in centimetres", at_most=1e-10)
@fails("with the first head twice in place of both, and the matrix of least squared error", given=heads[[0, 0]])
def error_of_unmixing(given=heads):
    pairs = np.random.default_rng(6).uniform(0, 40, size=(1_000, 2))  # (pairs, keys)
    best, *_ = np.linalg.lstsq(pairs @ given.T, pairs)  # (2, keys)
    return abs(pairs @ given.T @ best - pairs).max()


@claim("attention-printed", "E8")
@says(
    "At every β, from −∞ to ∞, both printed rows miss softmax by 0.04 or more in some weight; two "
    "decimals explain 0.005."
)
@measures("largest miss of a weight, in the row that fits better, at its best β", at_least=0.04)
@fails("with the right weights", table=right)
def nearest(table=printed):
    beta = np.r_[-np.inf, np.linspace(-100, 100, 200_001), np.inf][:, None]  # beyond 100 all is on one key
    return smallest(
        abs(softmax(row, beta) - line).max(axis=1).min() for row, line in zip(asked, table, strict=True)
    )
