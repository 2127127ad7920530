"""The checks of the chapter *output*."""

from itertools import combinations

import numpy as np
import torch

from book.claims import claim, fails, largest, measures, says, smallest
from book.output import trained
from book.output.calibrating import best_temperature, distances, fit, world
from book.output.costs import costs
from book.output.cutting import min_p, top_k, top_p
from book.output.losses import by_softmax, from_logits, softmax_twice, with_gradient
from book.output.steps import LOGITS
from lib import kl_divergence, softmax


@claim("output-format", "D1")
@says(
    "Softmax of one number is 1, and after softmax no two lists have a negative dot product, for 1000 "
    "random numbers and 1000 random pairs."
)
@measures("numbers and pairs of which it is not so", at_most=0)
@fails("without softmax", last=lambda x: x)
def not_as_said(last=softmax):
    rng = np.random.default_rng(0)
    a, b, single = rng.normal(size=(1000, 5)), rng.normal(size=(1000, 5)), rng.normal(0, 30, size=(1000, 1))
    return ((last(a) * last(b)).sum(axis=1) < 0).sum() + (last(single) != 1).sum()


@claim("output-loss", "D1")
@says(
    "From the logits, the gradient is within 4 eps of that in float64, and the loss within 4 eps, times "
    "the loss itself where that is above 1. Here eps is the gap between 1 and the next number of the "
    "format. This for 200 rows of five in float32 and in float16 with leads up to 1000 points."
)
@measures("largest error, in eps", at_most=4)
@fails("with softmax and then the logarithm", loss=by_softmax)
def largest_error(loss=from_logits):
    rng = np.random.default_rng(1)
    for kind in (torch.float32, torch.float16):
        for row in rng.uniform(-1, 1, size=(200, 5)) * 10 ** rng.uniform(-1, np.log10(500), size=(200, 1)):
            s = torch.tensor(row).to(kind).double()
            value, gradient = with_gradient(loss, s, 1, kind)
            true, slopes = with_gradient(from_logits, s, 1, torch.float64)
            wrong = np.append((value - true) / largest([1, true]), gradient - slopes)
            yield np.where(np.isnan(wrong), np.inf, wrong / torch.finfo(kind).eps)


@claim("output-twice", "D1")
@says(
    "With softmax twice no loss is below log(1 + (n − 1)/e), for 1000 random rows of 2 to 1000 classes, "
    "whichever is right; sure rows come within a millionth."
)
@measures("least ratio of a loss to that bound", equal_to=1, within=1e-6)
@fails("with softmax once", loss=from_logits)
def least_over_bound(loss=softmax_twice):
    rng, parts = np.random.default_rng(2), []
    for n, size in zip(rng.integers(2, 1001, size=1000), 10 ** rng.uniform(-1, 3, size=1000), strict=True):
        s = rng.normal(0, size, size=n)
        losses = [with_gradient(loss, s, y, torch.float64)[0] for y in (int(s.argmax()), int(rng.integers(n)))]
        parts.append(smallest(losses) / np.log1p((n - 1) / np.e))
    return smallest(parts)


@claim("output-certain", "D1")
@says(
    "With softmax twice, and ten classes of which the likeliest leads each other by (e − 1)/(e + 9) in its "
    "chance, no weights of the first softmax have a smaller expected loss than all weight on that class: 100 "
    "random rows of chances, 1000 of weights each."
)
@measures("smallest loss, less that with all weight on the likeliest class", at_least=0)
@fails("with nine tenths of this lead", lead=0.9)
def least_beyond_certainty(lead=1.0):
    rng, n, found = np.random.default_rng(3), 10, []
    for _ in range(100):
        chances = rng.dirichlet(np.ones(n))
        others = np.sort(chances)[:-1]
        gap = lead * (np.e - 1) / (np.e + n - 1)
        chances = np.append(others * (1 - gap) / (others.sum() + others[-1]), 0.0)
        chances[-1] = 1 - chances.sum()  # leads the next by the gap
        certain = np.eye(n)[-1]
        steps = 10 ** rng.uniform(-6, 0, size=(1000, 1))  # from certainty towards other weights, or the next class
        towards = np.concatenate([rng.dirichlet(np.ones(n), size=500), np.eye(n)[np.full(500, n - 2)]])
        weights = certain + steps * (towards - certain)
        found.append(smallest(twice(weights, chances) - twice(certain, chances)))
    return smallest(found)


def twice(weights, chances):
    """The expected loss if the weights (..., n) go through a second softmax, with these chances of the classes."""
    return np.log(np.exp(weights).sum(axis=-1)) - weights @ chances


@claim("output-few", "D1")
@says(
    "With ten classes, on a task with right training labels and on an easier one in which four in ten are random, "
    "a network with two softmaxes names as many of new points as one with one, but for one in a hundred: by Adam "
    "and by plain steps, each at its best rate, at the median of eight seeds after 2000 steps."
)
@measures("largest loss in the share of points", at_most=0.01)
@fails("with 300 classes", tasks=(trained.MANY,))
def lost_by_a_second(tasks=(trained.FEW, trained.WRONG)):
    return largest(trained.cost(task, optimiser) for task in tasks for optimiser in trained.RATES)


@claim("output-many", "D1")
@says(
    "With 300 classes a network with two softmaxes names at least 40 in a hundred points fewer than one with one, "
    "by plain steps, each at its best rate of six, at the median of eight seeds after 2000 steps."
)
@measures("loss in the share of points", at_least=0.4)
@fails("by Adam", optimiser="Adam")
def lost_by_plain_steps(optimiser="plain steps"):
    return trained.cost(trained.MANY, optimiser)


@claim("output-constant", "D3", "D6")
@says(
    "From the weights all differences of logits come back, for 1000 rows with ranges up to 600 points in float64."
)
@measures("largest error, in points", at_most=1e-12)
@fails("with the weights in float32", kind=np.float32)
def largest_error_of_difference(kind=np.float64):
    rng = np.random.default_rng(3)
    for row in rng.uniform(size=(1000, 8)) * 10 ** rng.uniform(-1, np.log10(600), size=(1000, 1)):
        with np.errstate(divide="ignore", invalid="ignore"):
            back = np.log(softmax(row.astype(kind)))
        yield (back - back[row.argmax()]) - (row - row.max())


@claim("output-argmax", "D1", "D4", "D6")
@says("The largest logit has the largest weight, at β from 0.01 to 10, in 1000 random rows in float64.")
@measures("rows with another choice", at_most=0)
@fails("with β below 0", sign=-1)
def other_choices(sign=1):
    rng = np.random.default_rng(4)
    s, beta = rng.normal(size=(1000, 50)), sign * 10 ** rng.uniform(-2, 1, size=(1000, 1))
    return (softmax(s, beta).argmax(axis=1) != s.argmax(axis=1)).sum()


@claim("output-cost", "D4")
@says(
    "On the processor that built this page, softmax of one row of 32\u202f000 logits takes less than half the "
    "time of making them from 512 numbers."
)
@measures("time of softmax over that of making the logits", at_most=0.5)
@fails("with logits made from one number", d=1)
def softmax_over_making(d=512):
    took = costs(d=d)
    return took["softmax"] / took["making"]


@claim("output-calibrated", "C7", "D4")
@says(
    "In six such worlds, with T chosen on 2000 things, the mean weight of the kind put first is within "
    "0.05 of its mean true chance, in each tenth of 20\u202f000 others, ranked by that weight."
)
@measures("largest distance in a tenth", at_most=0.05)
@fails("with T = 1", chosen=lambda *_: 1.0)
def largest_distance(chosen=best_temperature):
    for seed in range(6):
        learn, held, fresh = world(seed, 200, 2000, 20_000)
        found = fit(learn)
        yield from distances(fresh.features @ found, fresh, 1 / chosen(held.features @ found, held.kind)).tolist()


@claim("output-cuts", "D3")
@says(
    "Top-k has the most weight of all sets of k; top-p is a smallest set with its share, and of those the "
    "heaviest; min-p keeps exactly who reaches its bar on the logits: in 300 random rows of six tokens, "
    "all sets tried."
)
@measures("cuts that do otherwise, of 900", at_most=0)
@fails("with the ranking turned round", order=-1)
def cuts_otherwise(order=1):
    rng, off = np.random.default_rng(5), 0
    sets = [list(part) for size in range(1, 7) for part in combinations(range(6), size)]
    for _ in range(300):
        s, temperature = rng.normal(0, 2, size=6), 10 ** rng.uniform(-0.5, 0.5)
        k, share = rng.integers(1, 7), rng.uniform(0.05, 0.99)
        p, true = softmax(s, order / temperature), softmax(s, 1 / temperature)
        heavy = lambda part, true=true: true[part].sum()
        enough = smallest(len(part) for part in sets if heavy(part) >= share)
        for kept, size in ((top_k(p, k), k), (top_p(p, share), enough)):
            heaviest = largest(heavy(part) for part in sets if len(part) == size)
            off += kept.sum() != size or heavy(kept) < heaviest - 1e-12
        off += not np.array_equal(min_p(p, share), s >= s.max() - temperature * np.log(1 / share))
    return off


@claim("output-divergence")
@says(
    "What a cut keeps is log(1/b) nats from the weights before, b being the share kept, and where it "
    "keeps more than one token, none of 1000 other weights on them is nearer, for the three rows and "
    "three cuts."
)
@measures(
    "worst case, in nats: the largest distance from log(1/b), or by how much another is nearer", at_most=1e-12
)
@fails("with the square roots of the kept weights, shared", kind=np.sqrt)
def largest_fault(kind=lambda weights: weights):
    rng, faults = np.random.default_rng(6), []
    for p in softmax(LOGITS):
        for kept in (top_k(p, 5), top_p(p, 0.9), min_p(p, 0.1)):
            excess = lambda r, p=p, kept=kept: kl_divergence(r / r.sum(), p) - np.log(1 / p[kept].sum())
            new = np.where(kept, kind(p), 0)
            faults.append(abs(excess(new)))
            if kept.sum() > 1:
                faults += [-excess(new * np.exp(rng.normal(size=len(p)))) for _ in range(1000)]
    return largest(faults)


@claim("output-order", "D3")
@says(
    "At T from 1 to 10, top-p and min-p keep all that they keep at T = 1, and top-k the same, in 1000 random rows."
)
@measures("rows of which it is not so", at_most=0)
@fails("with T below 1", power=-1)
def not_so(power=1):
    rng, off = np.random.default_rng(7), 0
    for s in rng.normal(0, 2, size=(1000, 20)):
        share, temperature = rng.uniform(0.05, 0.99), 10 ** (power * rng.uniform(0, 1))
        cold, warm = softmax(s), softmax(s, 1 / temperature)
        dropped = [cut(cold, share) & ~cut(warm, share) for cut in (top_p, min_p)]
        dropped += [top_k(cold, 5) != top_k(warm, 5), np.isnan(cold + warm)]
        off += np.any(dropped)
    return off
