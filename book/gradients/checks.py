"""The checks of the chapter *gradients*."""

from itertools import product

import numpy as np
import torch

from book.claims import claim, fails, largest, measures, says
from book.example import s
from book.gradients.choosing import shares_of_16_bits
from book.gradients.stacks import longest
from book.gradients.unlearning import (
    ascent,
    clipped,
    course,
    lengthened,
    log_loss_descent,
    predicted_steps,
    steps_of_adam,
    steps_to_undo,
)
from book.solver import Adam, slope
from lib import attention, softmax, softmax_jacobian, softmax_vjp

nulls = [np.full(7, 1 / 7), *np.random.default_rng(1).dirichlet(np.ones(7), size=2)]
norm = lambda p, beta: np.linalg.norm(softmax_jacobian(p, beta), 2)


def bare(h, weigh):
    """One head without a residual connection, its W and W_V random."""
    w, w_v = np.random.default_rng(8).normal(size=(2, 5, 5))
    return weigh(h @ w @ h.T) @ h @ w_v


@claim("gradients-raise", "B2", "C3", "C5", "E12")
@says(
    "On the running example each weight changes with each score at the rate of the formula, for three "
    "nulls and β from −4 to 8."
)
@measures("largest difference of rate and formula, per point", at_most=1e-6)
@fails("with the same loss for every other token", lost=lambda p: np.full((7, 7), 1 / 7) * p)
def largest_error_of_rate(lost=lambda p: np.outer(p, p)):
    for null, beta in product(nulls, np.linspace(-4, 8, 13)):
        p = softmax(s, beta, prior=null)
        for e, rates in zip(np.eye(7), beta * (np.diag(p) - lost(p)).T, strict=True):
            yield slope(lambda x: softmax(s + x * e, beta, prior=null), 0.0, h=1e-4) - rates


@claim("gradients-forecast", "C3")
@says(
    "No weight is further from its forecast than (βx)²/20, for raises of −3 to 3 points at β from −3 to 3 "
    "in 400 random rows, and near the worst."
)
@measures("largest miss, as a part of the bound", at_most=1)
@fails("with (βx)²/22", part=22)
def largest_part_of_miss(part=20):
    rng = np.random.default_rng(2)
    worst = (np.log([1 / (3 + 3**0.5), 1 - 1 / (3 + 3**0.5)]), 1.0, 0, 0.01)
    rows = [(rng.normal(size=5), rng.uniform(-3, 3), j % 5, rng.uniform(-3, 3)) for j in range(400)]
    for scores, beta, j, x in [worst, *rows]:
        before, e = softmax(scores, beta), np.eye(len(scores))[j]
        miss = softmax(scores + x * e, beta) - before - x * softmax_jacobian(before, beta)[:, j]
        yield abs(miss).max() / (beta * x) ** 2 * part


def uneven_rows(count, seed):
    """Random rows of 2 to 8 weights, even ones and sure ones."""
    rng = np.random.default_rng(seed)
    for n in rng.integers(2, 9, size=count):
        yield rng.dirichlet(np.full(n, rng.choice([0.1, 1.0, 10.0])))


@claim("gradients-sure", "B2", "B3", "E23")
@says(
    "If one token has all but δ of the weight, no weight changes faster with any score than |β|δ per point, in "
    "1000 random rows and where two tokens share everything very unevenly."
)
@measures("largest slope, as a part of |β|δ", at_most=1 + 1e-9)
@fails("with δ² in place of δ", power=2)
def largest_part_of_others(power=1):
    for weights in [np.array([1e-5, 1 - 1e-5]), *uneven_rows(1000, seed=11)]:
        others = np.sort(weights)[:-1].sum()
        if others > 1e-6:  # of smaller ones rounding has left few digits
            yield abs(softmax_jacobian(weights, -2.0)).max() / (2.0 * others**power)


@claim("gradients-lost")
@says(
    "The Jacobian takes to 0 the vector that is 1 where there is weight, and each unit vector where there is "
    "none, and its rank is the number of tokens with weight less 1, in 400 random rows with masks."
)
@measures("largest entry of what should be 0, plus the number of wrong ranks", at_most=1e-12)
@fails("with one of the ones left out", seen=lambda keep: keep & (np.arange(len(keep)) > keep.argmax()))
def largest_entry_of_lost(seen=lambda keep: keep):
    rng, left, wrong = np.random.default_rng(12), [], 0
    for n in rng.integers(3, 9, size=400):
        keep = rng.permutation(n) < rng.integers(2, n)  # some are hidden, two or more are not
        answer = softmax_jacobian(softmax(rng.normal(size=n), where=keep), 1.0)
        left += [abs(answer @ seen(keep)).max(), abs(answer[:, ~keep]).max(initial=0.0)]
        wrong += np.linalg.matrix_rank(answer, tol=1e-9) != keep.sum() - 1
    return largest(left) + wrong


@claim("gradients-norm", "B2", "B3", "C9", "E23")
@says(
    "The norm lies between |β| and 2|β| times the largest π(1 − π); it is at most |β|/2; and if one token "
    "has all but δ ≤ ½, it is from |β|δ/2 to 2|β|δ. This in 1000 random rows of 2 to 8 tokens, but for "
    "the few that are one-hot up to rounding, and for two that share."
)
@measures(
    "largest of all quotients, each norm over its upper bounds and each lower bound over its norm",
    at_most=1 + 1e-12,
)
@fails("with 1.9 in place of 2", upper=1.9)
def largest_part_of_norm(upper=2.0):
    rng = np.random.default_rng(3)
    rows = [
        (rng.dirichlet(np.full(k, rng.choice([0.1, 1.0, 10.0]))), rng.normal(0, 3))
        for k in rng.integers(2, 9, size=1000)
    ]
    for weights, beta in [(np.array([0.5, 0.5]), 1.0), *rows]:
        product, found = abs(beta) * (weights * (1 - weights)).max(), norm(weights, beta)
        if product > 1e-12:
            yield from [found / (upper * product), product / found, found / (abs(beta) / 2)]
        others = abs(beta) * np.sort(weights)[:-1].sum()
        if 1e-6 < others <= abs(beta) / 2:
            yield from [found / (2 * others), others / 2 / found]


@claim("gradients-backward", "E12")
@says(
    "β π(g − ⟨π, g⟩) is the gradient that torch's autograd carries back through its softmax of βs, for "
    "200 random rows."
)
@measures("largest difference of an entry", at_most=1e-12)
@fails("with the factor β left out", power=0)
def largest_error_of_backward(power=1):
    rng = np.random.default_rng(4)
    for _ in range(200):
        scores = torch.tensor(rng.normal(size=6), requires_grad=True)
        g, beta = rng.normal(size=6), rng.uniform(-4, 8)
        weights = torch.softmax(beta * scores, dim=-1)
        weights.backward(torch.from_numpy(g))
        p = weights.detach().numpy()
        yield scores.grad.numpy() - beta**power * p * (g - p @ g)


@claim("gradients-balance", "C3")
@says(
    "A step along the gradient makes the ratio of the larger weight to the smaller grow, for two tokens "
    "with the same g above the average, and shrink, for two with the same g below it, in 2000 random rows and "
    "nulls with β > 0."
)
@measures("number of rows in which the ratio does not move so", at_most=0)
@fails("without the factor π", share=np.ones_like)
def ratios_that_move_otherwise(share=lambda p: p):
    rng, moved = np.random.default_rng(5), []
    for _ in range(2000):
        scores, null, beta = rng.normal(size=6), rng.dirichlet(np.ones(6)), rng.uniform(0.1, 5)
        g, p = np.append(np.ones(2), rng.uniform(-1, 3, size=4)), softmax(scores, beta, prior=null)
        after = softmax(scores + beta * share(p) * (g - p @ g), beta, prior=null)
        grown = (np.log(after[0] / after[1]) - np.log(p[0] / p[1])) * np.sign(p[0] - p[1])
        moved.append(grown * np.sign(1 - p @ g) > 1e-12)  # the two have g = 1, above the average or below it
    return 2000 - sum(moved)


@claim("gradients-steps", "B2", "B3", "E14", "E23")
@says(
    "The formula gives the number of steps to within 4%, for βΔ from 5 to 10 at β = 1 and η = 1, and for "
    "βΔ = 5 and 6 at three other pairs of β and η."
)
@measures("largest relative error of the number of steps", at_most=0.04)
@fails("with β in place of β²", power=1)
def largest_error_of_steps(power=2):
    runs = [(x, 1.0, 1.0) for x in (*np.linspace(5, 6, 41), 6.5, 7.0, 8.0, 9.0, 10.0)]
    runs += [(x / beta, beta, eta) for x in (5.0, 6.0) for beta, eta in ((2.0, 0.1), (0.5, 2.0), (3.0, 0.1))]
    return largest(abs(steps_to_undo(*run) / (predicted_steps(*run) * run[1] ** (2 - power)) - 1) for run in runs)


@claim("gradients-clip", "E14")
@says("torch's clipping at 1 saves no step in undoing a lead of 2, 5 or 8 points, at β = 1 and η = 1.")
@measures("largest number of steps saved", at_most=0)
@fails("with short gradients made longer, which clipping never does", change=lengthened)
def steps_saved(change=clipped):
    return largest(steps_to_undo(x) - steps_to_undo(x, change=change) for x in (2.0, 5.0, 8.0))


@claim("gradients-adam", "E14")
@says(
    "Adam, with torch's constants and steps of 1, undoes a lead of 10 points in at most 10 steps, each of which "
    "takes between 1 and 2 points off it."
)
@measures("number of steps, of 20\u202f000 at most, and ∞ where a step takes off less or more", at_most=10)
@fails("with a lead of 30 points, which 20\u202f000 steps do not undo", lead=30.0)
def adams_steps(lead=10.0):
    count = steps_of_adam(lead)
    if count > 10:
        return count
    taken = -np.diff(course(lead, change=Adam()))  # (steps,), points off the lead
    return count if taken.min() >= 1 and taken.max() <= 2 + 1e-6 else np.inf


@claim("gradients-log", "E14")
@says(
    "With the log loss a step of size η takes 2ηβπ₁ points off the lead of the wrong token: the size of its "
    "weight, and not of the slope, for leads of 1 to 30 points at three β."
)
@measures("largest relative error of one step", at_most=1e-9)
@fails("with the gradient of the right token's weight in place of its logarithm's", gradient=ascent)
def largest_error_of_log_step(gradient=log_loss_descent):
    for lead, beta in product((1.0, 5.0, 10.0, 30.0), (0.5, 1.0, 2.0)):
        before, after, *_ = course(lead, beta, 0.1, gradient, most=1)
        yield (before - after) / (2 * 0.1 * beta * softmax(np.array([lead, 0.0]), beta)[0]) - 1


@claim("gradients-hard", "E23")
@says("In 1000 random rows without ties no weight of the hard choice has a slope in any score.")
@measures("largest size of a difference quotient, per point", at_most=0)
@fails("at β = 4", beta=4.0)
def largest_slope_of_choice(beta=np.inf):
    rows = np.random.default_rng(6).normal(size=(1000, 5))
    lead = np.diff(np.sort(rows, axis=1), axis=1).min(axis=1)[:, None]  # the smallest gap of each row
    for e, way in product(np.eye(5), (1, -1)):
        yield (softmax(rows + way * lead / 2 * e, beta) - softmax(rows, beta)) / (lead / 2)


@claim("gradients-sampled", "E23")
@says(
    "Weighted by their chances, the estimates from the draws add up to the gradient of the expected loss, with "
    "and without the mean loss taken off each, in 200 random rows."
)
@measures("largest difference of an entry", at_most=1e-6)
@fails("with the straight-through gradient, averaged in the same way", through=True)
def largest_error_of_average(through=False):
    rng = np.random.default_rng(7)
    for scores, v in rng.normal(size=(200, 2, 4)):
        expected = lambda e, x: softmax(scores + x * e, 2.0) @ ((v - 1) ** 2 / 2)
        p, wanted = softmax(scores, 2.0), [slope(lambda x, e=e: expected(e, x), 0.0, h=1e-4) for e in np.eye(4)]
        losses, slopes = (v - 1) ** 2 / 2, 2.0 * (np.eye(4) - p)  # ∂log π/∂s, a row for each draw
        draws = [(losses - mean)[:, None] * slopes for mean in (0.0, p @ losses)]
        if through:
            draws = [np.stack([softmax_vjp(p, (v[i] - 1) * v, 2.0) for i in range(4)])]
        yield from (p @ each - wanted for each in draws)


@claim("gradients-cubic", "C5", "C9")
@says(
    "Without softmax, attention of tokens c times as large gives c³ times the output, for c = −3, 0.1, 2 and 100."
)
@measures("largest relative difference from c³", at_most=1e-12)
@fails("with softmax", weigh=softmax)
def largest_difference_from_cube(weigh=lambda scores: scores):
    h = np.random.default_rng(9).normal(size=(7, 5))
    for c in (-3.0, 0.1, 2.0, 100.0):
        yield bare(c * h, weigh) / (c**3 * bare(h, weigh)) - 1


@claim("gradients-stack", "C5", "C9")
@says(
    "With softmax, and values as long as their tokens, three layers make the longest list at most 2³ "
    "times as long, for lengths from ½ to 100 at first; tokens that are all alike, and are their own "
    "values, get there."
)
@measures("largest length, as a part of the bound", equal_to=1, within=1e-12)
@fails("without softmax", weigh=lambda scores: scores)
def largest_part_of_doubling(weigh=softmax):
    for size, seed, alike in product((0.5, 1.0, 2.0, 10.0, 100.0), range(20), (False, True)):
        yield longest(size, 3, weigh, seed=seed, alike=alike)[-1] / (8 * size)


@claim("gradients-unbounded", "B3", "C9")
@says(
    "With softmax, keys and values ten times as large make the gradient of the output with respect to the "
    "query 100 times as large, at q = 0, for 20 random rows of keys and values of several numbers."
)
@measures("ratio of the lengths of the two gradients, the one furthest from 100", equal_to=100, within=1e-3)
@fails("with keys and values first brought to one size", prepared=lambda h: h / abs(h).max())
def ratio_of_gradients(prepared=lambda h: h):
    rng, ratios = np.random.default_rng(10), []
    for _ in range(20):
        k, v = rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
        output = lambda c, x: attention(x, prepared(c * k), prepared(c * v))
        slopes = lambda c: [slope(lambda x: output(c, x * e), 0.0, h=1e-5) for e in np.eye(3)[:, None]]
        ratios.append(np.linalg.norm(slopes(10)) / np.linalg.norm(slopes(1)))
    return ratios[np.argmax(np.abs(np.subtract(ratios, 100)))]  # a NaN counts as the largest


@claim("gradients-lengths", "P7")
@says(
    "Where length is the sum of the absolute entries, or the largest of them, the norm is 2|β| times the largest "
    "π(1 − π), and so |β|/2 where a weight is ½, in 200 random rows of 2 to 8 tokens and 50 with such a weight."
)
@measures("largest difference", at_most=1e-12)
@fails("with length as usual", powers=(2,))
def difference_of_norm(powers=(1, np.inf)):
    rng = np.random.default_rng(4)
    rows = [rng.dirichlet(np.ones(k)) for k in rng.integers(2, 9, size=200)]
    halves = [np.append(rng.dirichlet(np.ones(k)) / 2, 0.5) for k in rng.integers(2, 8, size=50)]
    for weights, power in product([*rows, *halves], powers):
        found = np.linalg.norm(softmax_jacobian(weights, -1.5), power)
        yield found - 3 * (weights * (1 - weights)).max()
        if weights[-1] == 0.5:
            yield found - 0.75


def stretch(weights, power, turns=200):
    """How far the matrix of slopes can stretch, at β = 1, where lengths are powers: by Boyd's iteration."""
    matrix, x = softmax_jacobian(weights), np.linspace(1, -1, len(weights))
    for _ in range(turns):
        y = matrix @ x
        back = matrix @ (np.sign(y) * abs(y) ** (power - 1))
        x = np.sign(back) * abs(back) ** (1 / (power - 1))
        x /= np.linalg.norm(x, power)
    return np.linalg.norm(matrix @ x, power)


@claim("gradients-tie", "P7")
@says(
    "With two tokens that tie, the norm is |β|/2 also where length is measured by a power between, here 1.5, 2, 3 "
    "and 10."
)
@measures("largest difference from ½, at β = 1", at_most=1e-9)
@fails("with a third token that has a thousandth", third=0.001)
def distance_from_half(third=0.0):
    weights = np.array([(1 - third) / 2, (1 - third) / 2, third])
    return largest(abs(stretch(weights, power) - 0.5) for power in (1.5, 2, 3, 10))


@claim("gradients-one-hot", "P8")
@says("For each number y from 0 to 1 of both 16-bit formats, (1 − y) + y is exactly 1, and (0 − y) + y exactly 0.")
@measures("largest difference", at_most=0)
@fails("with y added first and subtracted afterwards", first=1)
def distance_from_hard(first=-1):
    for soft, hard in product(shares_of_16_bits(), (0.0, 1.0)):
        yield ((hard + first * soft) - first * soft - hard).double()
