"""The checks of the chapter *numerics*."""

from itertools import permutations, product

import numpy as np
import torch

from book.claims import claim, fails, largest, measures, says
from book.example import SCORES
from book.numerics.formats import (
    KINDS,
    added_one_by_one,
    by_steps,
    ends,
    in_decimals,
    misplaced,
    neighbours,
    numbers_of,
    rounded,
    smallest,
    with_epsilon,
)
from book.numerics.streaming import EMPTY, all_of, merged_at_random, read
from book.numerics.ties import by_lib, kept_product, lean, rows
from lib import attention_with_lse, entropy, log_softmax, softmax

s = torch.tensor(SCORES)  # (n,), float32
down = (s - 19).half()
far = s + 1_000_000  # float32
rng = np.random.default_rng(2)
sparse = [torch.tensor(np.append(rng.dirichlet(np.ones(n)), [0.0, 0.0])) for n in (1, 2, 5, 97)]
sparse += [torch.full((1000,), 1e-3, dtype=torch.float64), torch.tensor(rng.dirichlet(np.full(1000, 0.01)))]
v = np.array([0.0, 1, 0, 0, 1, 0, 0])  # (n,), 1 for the nouns
nouns = v.tolist()


@claim("numerics-ends", "C2", "D2", "E6")
@says(
    "On a processor, in each format, torch’s exponential is finite up to the logarithm of the largest "
    "number and ∞ from there on, and it is 0 below the logarithm of half the smallest positive number and "
    "above 0 from there on."
)
@measures(
    "number of scores on the wrong side, of all in the 16-bit formats and 100\u202f000 in each of the others",
    at_most=0,
)
@fails("with the smallest number that has all its digits", subnormal=False)
def on_the_wrong_side(subnormal=True):
    return sum(misplaced(kind, subnormal) for kind in KINDS.values())


@claim("numerics-silent", "D2", "E6")
@says(
    "On the running example lowered by 19 points, in float16, softmax without the shift gives a weight "
    "that is wrong by over 0.6, and no NaN."
)
@measures("largest error of a weight, 0 if there is a NaN", at_least=0.6)
@fails("with the shift", shift=True)
def silent_error(shift=False):
    error = (by_steps(down, shift).double() - softmax(down.double())).abs().max()
    return float(torch.nan_to_num(error))


@claim("numerics-shift", "D2", "E6")
@says(
    "With the shift, softmax with each of its steps rounded to the format is at most 4 times the format’s "
    "gap between 1 and the next number off the exact weights of the rounded scores, in 4000 random rows "
    "of 7 scores up to 30\u202f000 in size."
)
@measures("largest error of a weight, in units of that gap", at_most=4)
@fails("without the shift, where NaN counts as infinitely wrong", shift=False)
def error_in_digits(shift=True):
    rng = np.random.default_rng(0)
    for kind, size in product(KINDS.values(), (1, 10, 100, 3000)):
        rows = torch.tensor(rng.uniform(-1, 1, size=(250, 7)) * 10 * size).to(kind)
        error = (by_steps(rows, shift).double() - in_decimals(rows)) / torch.finfo(kind).eps
        yield torch.nan_to_num(error, nan=np.inf)


@claim("numerics-order")
@says(
    "On the running example a million points up, in float32 and for β from 0.1 to 10, shifting first "
    "leaves every weight within 1e-6 of the exact one of the scores as float32 holds them."
)
@measures("largest error of a weight", at_most=1e-6)
@fails("with β multiplied first", first=lambda x, beta: torch.softmax(beta * x, -1))
def error_of_order(first=softmax):
    for beta in np.geomspace(0.1, 10, 21):
        yield first(far, beta) - in_decimals(far[None], beta)


@claim("numerics-rounded")
@says("Rounding scores between 64 and 128 to float16 changes no odds at β = 1 by more than a factor e^(1/16).")
@measures("logarithm of the largest factor, in 100\u202f000 random pairs", at_most=1 / 16)
@fails("rounded to bfloat16", kind=torch.bfloat16)
def change_of_odds(kind=torch.float16):
    pairs = torch.tensor(np.random.default_rng(1).uniform(64, 128, size=(100_000, 2)))
    moved = rounded(pairs, kind) - pairs
    return float((moved[:, 0] - moved[:, 1]).abs().max())


@claim("numerics-zero", "C2", "D2")
@says(
    "Of two tokens, the one behind has weight 0 in torch.softmax once e^(−gap) is below half the format’s "
    "smallest positive number, however far, and not at a gap 1 smaller than the first of these."
)
@measures("number of weights on the wrong side, of 96", at_most=0)
@fails("with the smallest number that has all its digits", subnormal=False)
def zeros_on_the_wrong_side(subnormal=True):
    wrong = 0
    for kind, copies, moved in product(KINDS.values(), (1, 64), (0, 1)):
        under, _ = neighbours(ends(kind, subnormal)[0], kind)
        gone = torch.cat([under * torch.tensor([1, 1.01, 1.5, 4, 80], dtype=kind), under[None] + 1])
        rows = torch.stack([0 * gone, gone], dim=-1) - moved * gone[:, None]  # the best at 0, or the one behind
        zero = torch.softmax(rows.repeat(copies, 1, 1), -1)[..., 1] == 0
        wrong += (~zero[:, :-1]).any(0).sum() + zero[:, -1].any()
    return int(wrong)


@claim("numerics-lost", "C2")
@says(
    "With the shift, a weight that float16 makes 0 is truly at most 0.76 of its smallest positive number, and "
    "bfloat16 likewise, in all rows of 1 to 8 equal scores and one of the format's numbers that lies behind."
)
@measures("largest true weight of those that become 0, in units of the smallest positive number", at_most=0.76)
@fails("without the shift, with the best scores at −5 in place of 0", shift=False)
def largest_lost(shift=True):
    for kind in (torch.float16, torch.bfloat16):
        every = numbers_of(kind)
        behind = torch.unique(every[(every <= 0) & (every >= -100)])
        for copies in range(1, 9):
            best = torch.zeros(len(behind), copies, dtype=kind)
            rows = torch.cat([best, behind[:, None]], -1) - (0 if shift else 5)
            gone = by_steps(rows, shift)[:, -1] == 0
            yield in_decimals(rows[gone])[:, -1].max() / smallest(kind)


@claim("numerics-log", "C2")
@says(
    "Where the weight is 0 in float32, from 106 to 10\u202f000 points behind, lib.log_softmax still has its "
    "logarithm, in 1000 rows of 4 tokens."
)
@measures("largest relative error", at_most=1e-6)
@fails("with the logarithm of the weight", log=lambda x: softmax(x).log())
def error_of_log(log=log_softmax):
    gaps = torch.linspace(106, 10_000, 1000)
    rows = torch.stack([torch.full_like(gaps, 3.7), 3 - 0 * gaps, -gaps / 9, 3.7 - gaps], dim=-1)
    gone = rows.double() - rows.double()[:, :1]  # the first is the largest
    truth = gone[:, 3] - gone.exp().sum(-1).log()
    error = (log(rows)[:, 3].double() / truth - 1).abs().max()
    return np.inf if softmax(rows)[:, 3].any() else float(error)


@claim("numerics-epsilon", "E16")
@says(
    "In float64 the entropy with 1e-12 in the logarithm is too small by at most n · 1e-12 nats, up to "
    "rounding, for weights with zeros, one-hot, even and uneven."
)
@measures("largest shortfall, in units of n · 1e-12 nats (∞ if too large)", at_most=1.01)
@fails("with 1e-10", epsilon=1e-10)
def error_of_epsilon(epsilon=1e-12):
    short = [(float(entropy(row) - with_epsilon(row, epsilon)), len(row)) for row in sparse]
    return largest(gap / (n * 1e-12) if gap > -1e-14 else np.inf for gap, n in short)


@claim("numerics-half", "E16")
@says(
    "In float16 the entropy is NaN for every row with a weight of 0, with 1e-12 in the logarithm as well "
    "as with weights raised to 1e-8 at least and 1e-8 in the logarithm; in float32 it is a number."
)
@measures("number of rows of which it is not so, of 600", at_most=0)
@fails("in bfloat16", kind=torch.bfloat16)
def rows_with_a_number(kind=torch.float16):
    rows = torch.softmax(torch.tensor(np.random.default_rng(3).normal(size=(200, 7)) * 5).to(kind), -1)
    rows[:, 0] = 0
    clamped = with_epsilon(torch.clamp(rows, min=1e-8), 1e-8)
    numbers = (~with_epsilon(rows).isnan()).sum() + (~clamped.isnan()).sum()
    return int(numbers + with_epsilon(rows.float()).isnan().sum())


@claim("numerics-stream")
@says(
    "Read key by key in any of the 5040 orders, the running example has the largest score, sum and output "
    "that it has at once."
)
@measures("largest difference of one of the three numbers", at_most=1e-14)
@fails("without shrinking what came before", rescale=False)
def error_of_stream(rescale=True):
    whole = np.array(all_of(SCORES, nouns))
    for order in permutations(range(len(SCORES))):
        state = EMPTY
        for i in order:
            state = read(state, SCORES[i], nouns[i], rescale)
        yield np.array(state) - whole


@claim("numerics-merge")
@says(
    "Attention over each of 2 to 6 random parts of 29 keys, with no key in two parts, merged two by two "
    "in random order, has the output and the log-sum-exp of attention over all 29, in 200 random cases."
)
@measures("largest difference of one of the two", at_most=1e-13)
@fails("with the number of keys of each part in place of its sum", by_count=True)
def error_of_merge(by_count=False):
    rng = np.random.default_rng(5)
    for _ in range(200):
        q, k, v = (rng.normal(size=shape) for shape in ((3, 5), (29, 5), (29, 2)))
        both = zip(merged_at_random(q, 3 * k, v, rng, by_count), attention_with_lse(q, 3 * k, v), strict=True)
        yield from (found - whole for found, whole in both)


@claim("numerics-ones")
@says("Ones added one by one in float16 stop at 2048.")
@measures("sum of 5000 ones", equal_to=2048, within=0)
@fails("in float32", kind=torch.float32)
def sum_of_ones(kind=torch.float16):
    return added_one_by_one(5000, kind)


@claim("numerics-many", "E6")
@says(
    "In float16 the shifted softmax of equal scores has weights above 0 for up to 65\u202f504 of them, and 0 for "
    "65\u202f520 and more, where their sum is rounded to ∞."
)
@measures("numbers of scores for which it is not so, of six", at_most=0)
@fails("in float32", kind=torch.float32)
def sizes_otherwise(kind=torch.float16):
    sizes = {2: True, 1000: True, 65_504: True, 65_520: False, 70_000: False, 200_000: False}
    return sum(((by_steps(torch.zeros(n, dtype=kind)) > 0) != above).any() for n, above in sizes.items())


@claim("numerics-rows", "E6")
@says(
    "With the shift by hand every weight of a row of −∞ alone, or with +∞ in it, is NaN, in each format; "
    "lib.softmax gives the first zeros, and shares the weight among the scores of +∞."
)
@measures("weights of which it is not so", at_most=0)
@fails("with lib.softmax in place of the shift by hand", by_hand=softmax)
def weights_otherwise(by_hand=by_steps):
    off, low, high = 0, -torch.inf, torch.inf
    rows = {(low, low, low): (0, 0, 0), (high, 1, high): (0.5, 0, 0.5), (0, high, low): (0, 1, 0)}
    for kind, (row, shared) in product(KINDS.values(), rows.items()):
        scores = torch.tensor(row, dtype=kind)
        off += (~torch.isnan(by_hand(scores))).sum() + (softmax(scores) != torch.tensor(shared)).sum()
    return off


@claim("numerics-ties")
@says(
    "Where two tokens tie and six are about 12 points behind, all with values of one sign, the sum of "
    "exponentials times values, rounded to bfloat16, is off by more than a seventh of a gap, away from 0, on "
    "average over 4000 rows."
)
@measures("mean error, in gaps", at_least=1 / 7)
@fails("with values of either sign", same_sign=False)
def lean_of_product(same_sign=True):
    return lean(*kept_product(*rows(2, same_sign)))


@claim("numerics-level")
@says(
    "In the same rows, and with three that tie, the output of lib.attention in bfloat16 leans by less than 0.04 "
    "gaps."
)
@measures("largest mean error, in gaps", at_most=0.04)
@fails("with the product rounded before it is divided", attend=kept_product)
def lean_of_lib(attend=by_lib):
    return largest(abs(lean(*attend(*rows(ties)))) for ties in (2, 3))


@claim("numerics-thousand", "P9")
@says(
    "For two tokens 1000 points apart, and for random rows, torch’s log_softmax has in float32 the logarithms "
    "that lib has in float64, and finite slopes, which are those of the formula."
)
@measures("largest error, that of a logarithm relative to its size if that is above 1", at_most=1e-5)
@fails("with the logarithm of softmax, where both are not finite", log=lambda x: torch.softmax(x, -1).log())
def error_of_torch(log=lambda x: torch.log_softmax(x, -1)):
    row = torch.cat(
        [torch.tensor([[0.0, -1000.0]]), torch.randn(500, 2, generator=torch.Generator().manual_seed(0))]
    )
    row.requires_grad_()
    logs = log(row)
    (slopes,) = torch.autograd.grad(logs[:, 1].sum(), row)
    exact = log_softmax(row.detach().double())
    formula = torch.tensor([0.0, 1.0]) - exact.exp()
    off = torch.stack([(logs - exact) / exact.abs().clamp(min=1), slopes - formula]).detach()
    return float(off.abs().nan_to_num(torch.inf).max()) if exact.isfinite().all() else torch.nan
