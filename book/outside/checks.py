"""The checks of the chapter *outside*."""

from itertools import product

import numpy as np
import torch

from book.claims import claim, fails, largest, measures, says, smallest
from book.counting import counted
from book.example import s
from book.outside.maps import (
    SCORED,
    back_by_formula,
    broken_stick,
    by_linear,
    by_state,
    from_states,
    in_two,
    of_features,
    random_rows,
    zero_attention,
)
from book.solver import slope
from lib import (
    attention,
    linear_attention,
    relu_norm,
    sigmoid_weights,
    softmax,
    softmax_plus_one,
    sparsemax,
)
from lib.linear import elu1


def multiplications(n, causal=False, d=64):
    tall = [torch.randn(n, d) for _ in range(3)]
    linear = counted(lambda: linear_attention(*tall, causal=causal))
    return counted(lambda: attention(*tall, path="readable")), linear


@claim("outside-bias")
@says(
    "Under the bias −log n the sum of the weights lies between the two bounds at β = 1, in 100 random "
    "rows of seven scores and the same with 10 points more or less."
)
@measures("largest of the sum over its upper bound, and of its lower bound over the sum", at_most=1 + 1e-12)
@fails("without the bias", bias=0.0)
def part_of_bounds(bias=-np.log(7)):
    for shift in (-10, 0, 10):
        rows = random_rows(seed=1) + shift
        total, grown = sigmoid_weights(rows, bias=bias).sum(-1), np.exp(rows)
        yield total / grown.mean(-1)
        yield grown.mean(-1) / (1 + grown.max(-1) / 7) / total


@claim("outside-one")
@says(
    "Torch's MultiheadAttention with the option add_zero_attn, a key and a value of zeros, hands over "
    "what lib's softmax-plus-one does, for 100 random rows."
)
@measures("largest difference of an entry", at_most=1e-12)
@fails("without the zeros", add_zero=False)
def difference_from_torch(add_zero=True):
    v = np.random.default_rng(2).normal(size=(7, 7))
    for row in random_rows(seed=2):
        yield zero_attention(row, v, add_zero) - softmax_plus_one(row) @ v


@claim("outside-cost", "E11")
@says(
    "Torch counts n²(d + d_v) multiplications for ordinary attention and 2n d d_v for linear attention, "
    "at d = d_v = 64 and 512, 1024 and 2048 tokens, but for those of the second bracket."
)
@measures("largest difference, as a part", at_most=0.02)
@fails("with causal linear attention, which lib works off in pieces of 64 tokens", causal=True)
def difference_of_count(causal=False):
    for n in (512, 1024, 2048):
        ordinary, linear = multiplications(n, causal)
        yield ordinary / (n * n * 128) - 1
        yield linear / (2 * n * 64 * 64) - 1


@claim("outside-rank", "E11")
@says(
    "The weights of linear attention for 32 queries and keys have no larger rank than d = 4, nor have "
    "those of the last 16 queries on the first 16 keys under a causal mask, for 50 random draws with "
    "queries times 0.1 to 100."
)
@measures("largest rank", at_most=4)
@fails(
    "with ReLU over its sum",
    weigh=lambda q, k, causal: relu_norm(q @ k.T, where=np.tri(32, dtype=bool) if causal else None),
)
def largest_rank(weigh=lambda q, k, causal: linear_attention(q, k, np.eye(32), causal=causal)):
    rng = np.random.default_rng(4)
    for _ in range(50):
        q, k = rng.normal(size=(32, 4)) * 10 ** rng.uniform(-1, 2), rng.normal(size=(32, 4))
        yield np.linalg.matrix_rank(weigh(q, k, False))
        yield np.linalg.matrix_rank(weigh(q, k, True)[16:, :16])


@claim("outside-state")
@says("Token after token, with the state alone, gives lib's causal linear attention, for 7, 64 and 200 tokens.")
@measures("largest difference of an entry", at_most=1e-12)
@fails("with a state that fades by a hundredth a token", keep=0.99)
def difference_of_recurrence(keep=1.0):
    for n in (7, 64, 200):
        q, k, v = np.random.default_rng(n).normal(size=(3, n, 4))
        yield by_state(q, k, v, keep) - linear_attention(q, k, v, causal=True)


@claim("outside-blunt")
@says(
    "No ratio of two weights is above its bound: under linear attention the largest ratio of their keys "
    "in one feature, under ReLU over its sum the ratio at β = 1. This for 100 queries or rows, made "
    "longer up to 100 times."
)
@measures("largest ratio, as a part of its bound", at_most=1 + 1e-9)
@fails(
    "with softmax-plus-one in the place of ReLU over its sum, and softmax in that of linear attention",
    weigh=softmax_plus_one,
    attend=attention,
)
def largest_part_of_ratio(weigh=relu_norm, attend=linear_attention):
    rng = np.random.default_rng(5)
    for row in random_rows(seed=5):
        row = abs(row)
        k, q = rng.normal(size=(2, 5, 4))
        bound = (elu1(k)[:, None] / elu1(k)).max(-1)  # (n, n)
        for beta in (1, 10, 100):
            w = np.maximum(attend(beta * q, k, np.eye(5)), 1e-300)
            yield (w[:, :, None] / w[:, None] / bound).max()
            w, first = weigh(row, beta), weigh(row, 1.0)
            seen = w > 1e-200
            yield (w[seen] / w.max() / (first[seen] / first.max())).max()
            yield ((first[seen] / first.max()) / (w[seen] / w.max())).max()


@claim("outside-back")
@says(
    "The three formulas give the slopes of Σ wᵢ gᵢ in each score, at β = ½ and 2 in 50 random rows, but "
    "for those with a score within a thousandth of 0 or with less than 0.3 points above 0 in all."
)
@measures("largest difference of rate and formula, per point", at_most=1e-5)
@fails("with softmax's formula for all three", as_if="softmax")
def error_of_slopes(as_if=None):
    rng = np.random.default_rng(6)
    for row in random_rows(seed=6, count=50):
        g = rng.normal(size=7)
        for beta, (name, weigh) in product((0.5, 2.0), SCORED.items()):
            if abs(row).min() > 1e-3 and np.maximum(row, 0).sum() > 0.3:
                rates = slope(lambda x: weigh(row + x * np.eye(7), beta) @ g, 0.0, h=1e-5)
                yield rates - back_by_formula(as_if or name, weigh(row, beta), row, g, beta)


@claim("outside-silent")
@says("Where all scores are 50 points or more below 0 the three maps of scores hand out next to nothing.")
@measures("largest sum of weights", at_most=1e-20)
@fails("with softmax", weigh=softmax)
def largest_sum_left(weigh=None):
    rows = random_rows(seed=7)
    low = rows - rows.max(-1, keepdims=True) - 50
    return largest((weigh or each)(low).sum(-1).max() for each in SCORED.values())


@claim("outside-empty")
@says("Where no key is left all four maps hand out zeros.")
@measures("largest sum of weights", at_most=0)
@fails("where one key is left", left=1)
def largest_sum_of_none(left=0):
    rows, part = random_rows(seed=7), np.arange(7) < left
    yield from (each(rows, where=part).sum(-1) for each in SCORED.values())
    yield abs(linear_attention(rows[None, :3], rows[None, :7], np.eye(7)[None], where=part)).sum(-1)


def as_printed(row):
    """ReLU over its sum as a text prints it."""
    with np.errstate(invalid="ignore"):  # 0/0
        return np.maximum(row, 0) / sum(np.maximum(row, 0))


@claim("outside-undefined", "E11")
@says(
    "In a row without a score above 0 the line that the text prints makes every weight NaN, and lib.relu_norm "
    "makes it 0."
)
@measures("weights of which it is not so, of 1400", at_most=0)
@fails("with lib.relu_norm in place of the line", weigh=relu_norm)
def defined(weigh=as_printed):
    rows = -abs(random_rows(seed=13))
    return sum((~np.isnan(weigh(row))).sum() + (relu_norm(row) != 0).sum() for row in rows)


@claim("outside-lost")
@says(
    "Ten points added to all scores change a weight of each of the three maps of scores, in 100 random "
    "rows of scores from −3 to 3."
)
@measures("smallest of the largest changes of a weight in a row", at_least=1e-4)
@fails("with softmax among them", others=(softmax,))
def least_change(others=()):
    rows = np.clip(random_rows(seed=8), -3, 3)
    return smallest(abs(weigh(rows + 10) - weigh(rows)).max(-1).min() for weigh in (*SCORED.values(), *others))


@claim("outside-all")
@says("One point added to all scores changes every weight of sigmoid, in 100 random rows of scores from −3 to 3.")
@measures("smallest change of a weight", at_least=1e-4)
@fails("with ReLU over its sum in its place, which leaves zeros", weigh=relu_norm)
def least_change_of_any(weigh=sigmoid_weights):
    rows = np.clip(random_rows(seed=8), -3, 3)
    return abs(weigh(rows + 1) - weigh(rows)).min()


@claim("outside-common")
@says(
    "One point added to all scores multiplies the weights of softmax-plus-one in a row by one and the same "
    "factor, above 1, in 100 random rows."
)
@measures("largest difference of two factors in a row, and ∞ where one is not above 1", at_most=1e-12)
@fails("with sigmoid in its place", weigh=sigmoid_weights)
def difference_of_factors(weigh=softmax_plus_one):
    rows = np.clip(random_rows(seed=8), -3, 3)
    factors = weigh(rows + 1) / weigh(rows)
    return largest(np.where((factors > 1).all(-1), np.ptp(factors, axis=-1), np.inf))


def of_sums(weigh, x, y):
    """The weights (n, m) of all pairs of a token of the first part and one of the second, whose scores add."""
    return weigh(np.add.outer(x, y).ravel()).reshape(len(x), len(y))


def from_product(table):
    """How far a table of weights is from a product of a column and a row: 0 if it is one, at most 1."""
    first, second = np.linalg.svd(table, compute_uv=False)[:2]
    return second / first


@claim("outside-pairs")
@says(
    "Under softmax-plus-one the weights of pairs whose scores add are a product, times one number, in 100 "
    "random rows with the running example as the other part."
)
@measures("largest second singular value over the first (0 for a product)", at_most=1e-12)
@fails("with sigmoid", weigh=sigmoid_weights)
def largest_distance_from_product(weigh=softmax_plus_one):
    return largest(from_product(of_sums(weigh, row, s)) for row in random_rows(seed=11))


@claim("outside-tied")
@says(
    "Under ReLU over its sum, sigmoid and linear attention the weights of pairs whose scores add are no "
    "product times a number, in 20 pairs of random rows."
)
@measures("smallest second singular value over the first (0 for a product)", at_least=1e-4)
@fails("with softmax-plus-one among them", others=(softmax_plus_one,))
def least_distance_from_product(others=()):
    rows, found = np.clip(random_rows(seed=8), -3, 3), []
    for x, y in zip(rows[:20], rows[20:40], strict=True):
        tables = [of_sums(weigh, x, y) for weigh in (relu_norm, sigmoid_weights, *others)]
        q, k = np.random.default_rng(8).normal(size=(2, 7, 4))
        # Each first part with each second, (49, 8).
        pairs = np.concatenate([np.repeat(k, 7, axis=0), np.tile(x[:, None] + k, (7, 1))], axis=1)
        tables.append(of_features(q[:2].reshape(1, 8), pairs).reshape(7, 7))
        found += [from_product(table) for table in tables]
    return smallest(found)


@claim("outside-ratio")
@says(
    "To leave out the last of seven tokens, or to give it another score or key, changes no ratio of two other "
    "weights under any of the four maps (sigmoid with its bias kept), in 100 random rows."
)
@measures("largest change of a share", at_most=1e-12)
@fails("with sparsemax among them", also={"sparsemax": sparsemax})
def change_of_ratio(also=None):
    share = lambda w: w / np.maximum(w.sum(-1, keepdims=True), 1e-300)
    rng = np.random.default_rng(11)
    for row in random_rows(seed=11):
        other = np.where(np.arange(7) == 6, row + rng.normal(), row)
        for weigh in {**SCORED, **(also or {})}.values():
            extra = {"bias": -2.0} if weigh is sigmoid_weights else {}
            six = share(weigh(row, **extra)[:-1])
            yield from [six - share(weigh(x, **extra)[:6]) for x in (row[:-1], other)]
        q, k = row[None, :4], np.random.default_rng(11).normal(size=(7, 4))
        moved = np.where(np.arange(7)[:, None] == 6, k + rng.normal(), k)
        six = share(linear_attention(q, k, np.eye(7))[:, :-1])
        yield six - linear_attention(q, k[:-1], np.eye(6))
        yield six - share(linear_attention(q, moved, np.eye(7))[:, :-1])


@claim("outside-order")
@says(
    "A score that rises by 0.1 gets more weight under sigmoid and softmax-plus-one, and no less under ReLU over "
    "its sum, at β = ½ and 1, for each score of 100 random rows."
)
@measures("smallest growth of a weight; that of ReLU counts only where it is below 0", at_least=1e-12)
@fails("with linear attention too, whose key moves along the query", maps=SCORED | {"linear": by_linear})
def growth_with_the_score(maps=SCORED):
    rows, grown = random_rows(seed=9), []
    for name, beta, place in product(maps, (0.5, 1.0), range(rows.shape[1])):
        higher = rows.copy()
        higher[:, place] += 0.1
        least = (maps[name](higher, beta) - maps[name](rows, beta))[:, place].min()
        grown.append(np.inf if name == "relu" and least >= 0 else least)
    return smallest(grown)


@claim("outside-longer")
@says(
    "With four keys of four features, ten times as long as ±1, and queries equal to them, linear attention gives "
    "each key more than 0.9999 of the weight of its own query."
)
@measures("smallest weight of a query's own key", at_least=0.9999)
@fails("with 32 random keys of four features, as long as these", n=32)
def weight_of_the_own_key(n=4):
    if n == 4:
        keys = 10 * (2 * np.eye(4) - 1)
    else:
        keys = np.random.default_rng(0).normal(size=(n, 4))
        keys *= 20 / np.linalg.norm(keys, axis=-1, keepdims=True)
    return linear_attention(keys, keys, np.eye(n)).diagonal().min()


@claim("outside-merge")
@says(
    "What the table says is enough to merge two parts of the keys, under each of the four maps, for 100 "
    "random rows or queries, each cut in two places."
)
@measures("largest difference of an entry of the output", at_most=1e-12)
@fails("with a bias for sigmoid that one part has for itself", bias=(-np.log(3), -np.log(7)))
def difference_of_merged(bias=(-np.log(7), -np.log(7))):
    v = np.random.default_rng(10).normal(size=(7, 3))
    for row in random_rows(seed=10):
        for name, weigh in SCORED.items():
            whole = (sigmoid_weights(row, bias=bias[1]) if name == "sigmoid" else weigh(row)) @ v
            yield from [in_two(name, row, v, cut, bias[0]) - whole for cut in (3, 5)]
        q, k = row[:4], np.random.default_rng(12).normal(size=(7, 4))
        yield from [from_states(q, k, v, cut) - linear_attention(q[None], k, v)[0] for cut in (3, 5)]


@claim("outside-difference")
@says(
    "Softmax less 0.8 times another softmax sums to 0.2, and a shift of the scores of either changes nothing, "
    "in 1000 pairs of random rows of eight scores."
)
@measures("largest difference", at_most=1e-12)
@fails("with sigmoid in place of softmax", weigh=sigmoid_weights)
def difference_of_two(weigh=softmax):
    first, second = np.random.default_rng(0).normal(size=(2, 1000, 8))
    weights = weigh(first) - 0.8 * weigh(second)
    yield weights.sum(axis=-1) - 0.2
    yield weigh(first + 3) - 0.8 * weigh(second - 5) - weights


@claim("outside-stick")
@says(
    "Under stick-breaking another key, however high its score, changes no weight of a nearer one, and five keys "
    "at 0 have ½, ¼, ⅛, 1/16 and 1/32, in 100 random rows of eight scores."
)
@measures("largest difference of a weight", at_most=1e-15)
@fails("with softmax", weigh=softmax)
def change_of_the_nearer(weigh=broken_stick):
    for scores in np.random.default_rng(0).normal(size=(100, 8)):
        yield weigh(np.append(scores, 5.0))[:-1] - weigh(scores)
    yield weigh(np.zeros(5)) - 0.5 ** np.arange(1, 6)
