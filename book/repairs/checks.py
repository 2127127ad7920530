"""The checks of the chapter *repairs*."""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from book.claims import claim, fails, largest, measures, says, smallest
from book.example import s
from book.repairs.maps import (
    LENGTHS,
    REPAIRS,
    given_up,
    normed,
    of_the_leader,
    scores_of,
    softpick,
    unit,
    with_lead,
)
from book.repairs.measured import capped, clipped
from book.repairs.trained import measured
from book.solver import slope
from book.wishes import broken_wishes
from lib import attention, attention_with_lse, softmax, softmax_plus_one, sparsemax

# What the table of the chapter says: which wishes a repair gives up, and where weights may sum to less than 1.
GIVEN_UP = {
    "sink": {3},
    "gate": set(),
    "cap": {3},
    "QK-norm": {3},
    "QK-clip": set(),
    "log n": {1},
    "chosen keys": {1, 2, 4},
}
LESS = {"sink", "gate"}


def random_rows(seed, count=300, n=7):
    return np.random.default_rng(seed).normal(0, 2, size=(count, n))


@claim("repairs-word")
@says(
    "Softmax with a sink hands over what softmax does with one word more, whose score is the sink and whose value "
    "is 0, for 100 random rows and sinks."
)
@measures("largest difference of an entry of the output", at_most=1e-12)
@fails("with a value of ones for the empty word", value=1.0)
def difference_from_a_word(value=0.0):
    rng = np.random.default_rng(1)
    for row in random_rows(seed=1, count=100):
        v, sink = rng.normal(size=(7, 3)), rng.normal()
        more = softmax(np.append(row, sink)) @ np.vstack([v, np.full((1, 3), value)])
        yield softmax_plus_one(row, sink=sink) @ v - more


def sinking():
    """Queries, keys and values of three heads, (3, 7, 4) each, a sink for each head, and a causal mask."""
    draws = torch.Generator().manual_seed(2)
    sinks = torch.randn(3, 1, 1, generator=draws, dtype=torch.float64)
    q, k, v = torch.randn(3, 3, 7, 4, generator=draws, dtype=torch.float64)
    return q, k, v, sinks.requires_grad_(), torch.ones(7, 7, dtype=torch.bool).tril()


@claim("repairs-lse", "P2", "P3")
@says(
    "What softmax hands over, times 1/(1 + e to the power of the sink less the log-sum-exp), is what attention "
    "with a sink hands over, for three heads with a sink each; and so it is with the factor e to the power of the "
    "log-sum-exp less that of words and sink together."
)
@measures("largest difference of an entry of the output", at_most=1e-12)
@fails("with the log-sum-exp of another query", roll=1)
def difference_by_lse(roll=0):
    q, k, v, sinks, seen = sinking()
    plain, lse = attention_with_lse(q, k, v, where=seen)
    lse = lse.roll(roll, -1)[..., None]
    wanted = attention(q, k, v, where=seen, weights="softmax_plus_one", sink=2 * sinks, path="readable")  # β is ½
    for left in (torch.sigmoid(lse - sinks), torch.exp(lse - torch.logaddexp(lse, sinks.expand(lse.shape)))):
        yield (left * plain - wanted).detach()


@claim("repairs-torch", "P1")
@says(
    "Torch's scaled_dot_product_attention, with one more key of zeros, whose value is zeros, and a sink of each "
    "head in its column of the mask, has the outputs of lib's softmax-plus-one with that sink, and the same "
    "gradient at it."
)
@measures("largest difference", at_most=1e-12)
@fails("with a value of ones", value=1.0)
def difference_through_torch(value=0.0):
    q, k, v, sinks, seen = sinking()
    edge = torch.zeros(3, 1, 4).double()
    mask = torch.zeros(3, 7, 7).double().masked_fill(~seen, -torch.inf)
    mask = torch.cat([sinks.expand(3, 7, 1), mask], dim=-1)
    keys, values = torch.cat([edge, k], dim=-2), torch.cat([edge + value, v], dim=-2)
    found = scaled_dot_product_attention(q, keys, values, attn_mask=mask)
    wanted = attention(q, k, v, where=seen, weights="softmax_plus_one", sink=2 * sinks)
    yield (found - wanted).detach()
    one, other = (torch.autograd.grad(outputs.square().sum(), sinks)[0] for outputs in (found, wanted))
    yield one - other


@claim("repairs-common")
@says(
    "Two points more for all words turn 60% into 92% under the sink of 2.6 points, with the words of the example, "
    "and leave what a gate lets through as it was."
)
@measures("share under the sink after it, if the gate’s stays", at_least=0.91, at_most=0.92)
@fails("with a sink that rises with the words", moves=2.0)
def share_after_two_points(moves=0.0):
    before, after = (REPAIRS["gate"](row).sum() for row in (s, s + 2))
    return softmax_plus_one(s + 2, sink=2.6 + moves).sum() if abs(after - before) < 1e-12 else np.nan


@claim("repairs-whisper")
@says(
    "In each of eight seeds, half of the calls in vain, softmax alone gives the right word over nine tenths of "
    "the weight and is off by over 0.4 at calls and 0.02 where nothing is asked; with a mark, a sink or a gate it "
    "is off by less than a tenth of this."
)
@measures("least part by which it is off more than this, if the others are off by less", at_least=1.0)
@fails("with a sink in the place of softmax alone", head="sink")
def whispers(head="softmax"):
    off = {at: measured(f"error_{at}", head, missing=0.5) for at in ("called", "silent")}
    others = [("softmax", "first"), ("sink", "none"), ("gate", "none")]
    less = [
        measured(f"error_{at}", *each, missing=0.5).max() < off[at].min() / 10 for each in others for at in off
    ]
    sure = measured("right", head, missing=0.5).min() > 0.9
    return smallest([off["called"].min() / 0.4, off["silent"].min() / 0.02]) if sure and all(less) else 0.0


@claim("repairs-vain")
@says("At calls in vain the gate is off by more than five times as much as the sink, each seed against each.")
@measures("least ratio of the two errors", at_least=5.0)
@fails("with a mark in the place of the gate", head="softmax", mark="first")
def least_ratio_in_vain(head="gate", mark="none"):
    return (
        measured("error_absent", head, mark, missing=0.5).min()
        / measured("error_absent", "sink", missing=0.5).max()
    )


@claim("repairs-both")
@says(
    "With a mark and a learned sink, the mark has over 98% of the weight at silent places, in each of eight seeds."
)
@measures("smallest weight of the mark", at_least=0.98)
@fails("with a mark whose value is held at length 1, and no sink", mark="full", head="softmax")
def weight_of_the_mark(mark="first", head="sink"):
    return measured("mark_silent", head, mark).min()


@claim("repairs-cap")
@says("A cap of 50 points lets through over three quarters of a gradient at 25 points, and under a tenth at 100.")
@measures("largest of what comes through at 100, and of ¾ less what comes through at 25", at_most=0.1)
@fails("with a cap of 200 points", most=200.0)
def left_of_the_gradient(most=50.0):
    low, high = (slope(lambda x: capped(x, most), at) for at in (25.0, 100.0))
    return largest([high, 0.75 - low])


@claim("repairs-norm")
@says(
    "With queries and keys of length 1 no word gets more than e to twice the gain times another’s weight, for "
    "keys up to 1000 times as long, and a query three times as long changes nothing, in 100 random draws."
)
@measures("largest logarithm of a ratio over twice the gain; 2 where the longer query counts", at_most=1 + 1e-9)
@fails("without the norm", norm=lambda q, keys, gain: gain * keys @ q)
def largest_ratio_under_norm(norm=normed, gain=3.0):
    rng = np.random.default_rng(3)
    for _ in range(100):
        q, keys = rng.normal(size=5), rng.normal(size=(7, 5)) * 10 ** rng.uniform(0, 3, size=(7, 1))
        w, longer = softmax(norm(q, keys, gain)), softmax(norm(3 * q, keys, gain))
        yield np.ptp(np.log(np.maximum(w, 1e-300))) / (2 * gain)
        yield 0.0 if abs(w - longer).max() < 1e-9 else 2.0


@claim("repairs-gain")
@says("Under QK-norm the gain is β: weights are softmax of the cosines at β = gain, in 100 random draws.")
@measures("largest difference of a weight", at_most=1e-12)
@fails("with half the gain", times=0.5)
def difference_from_beta(times=1.0):
    rng = np.random.default_rng(4)
    for _ in range(100):
        q, keys, gain = rng.normal(size=5), rng.normal(size=(7, 5)), rng.uniform(1, 20)
        yield softmax(normed(q, keys, gain)) - softmax(unit(keys) @ unit(q), times * gain)


def cut_off(w_q, w_k, tokens, most):
    """The scores of a head, each held at `most`, in place of smaller matrices."""
    return np.minimum(scores_of(w_q, w_k, tokens), most)


def by_matrices(w_q, w_k, tokens, most):
    return scores_of(*clipped(w_q, w_k, scores_of(w_q, w_k, tokens).max(), most), tokens)


@claim("repairs-clip")
@says(
    "QK-clip brings the largest score of a head to its bound of 100 points, by one factor for all scores, and "
    "leaves a head below it as it is, for 50 random heads."
)
@measures("largest difference of a score from its own, times that factor", at_most=1e-9)
@fails("with scores cut off at the bound in place of smaller matrices", clip=cut_off)
def difference_from_one_factor(clip=by_matrices):
    rng = np.random.default_rng(5)
    for size in np.linspace(0.5, 5, 50):
        w_q, w_k, tokens = size * rng.normal(size=(4, 8)), rng.normal(size=(4, 8)), rng.normal(size=(20, 8))
        scores = scores_of(w_q, w_k, tokens)
        yield clip(w_q, w_k, tokens, 100.0) - min(1.0, 100.0 / scores.max()) * scores


@claim("repairs-melts")
@says(
    "At one β a word with half of the weight among 8192 has over 99% among 16 and under 6% among 131 072; with "
    "the steps of Llama 4 it has over 40% there."
)
@measures("smallest of these three, as a part of its bound", at_least=1.0)
@fails("with one β for the last", last="one β")
def parts_of_bounds(last="steps"):
    return smallest(
        [
            of_the_leader("one β", LENGTHS[0]) / 0.99,
            0.06 / of_the_leader("one β", LENGTHS[-1]),
            of_the_leader(last, LENGTHS[-1]) / 0.4,
        ]
    )


@claim("repairs-lasts")
@says(
    "With a β in proportion to log n from 8192 words on, that word has half of the weight or more in rows of 16 "
    "to 131 072 words."
)
@measures("smallest weight of the leader", at_least=0.4999)
@fails("with one β", rule="one β")
def smallest_weight_of_the_leader(rule="log n"):
    return smallest(of_the_leader(rule, n) for n in LENGTHS)


@claim("repairs-table")
@says(
    "On 300 random rows of seven scores each repair breaks the wishes that the table names and no others, and "
    "only with a sink or a gate less than a whole is handed over."
)
@measures("repairs of which it is not so", at_most=0)
@fails("with sparsemax in the place of the cap", cap=sparsemax)
def wrong_rows(cap=REPAIRS["cap"]):
    rows, wrong = random_rows(seed=6), 0
    for name, rule in {**REPAIRS, "cap": cap}.items():
        sums = rule(rows).sum(axis=-1)
        right = (sums < 1 - 1e-9).all() if name in LESS else (abs(sums - 1) < 1e-9).all()
        wrong += given_up(rule, rows) != GIVEN_UP[name] or not right
    return wrong


@claim("repairs-crowd")
@says(
    "If all scores lie between −4 and 4, no word among n has more than e⁸/(e⁸ + n − 1) of the weight, for random "
    "rows of 16 to 131 072 words; and a word at 4 among others at −4 has just this."
)
@measures("largest weight over this bound", at_least=1 - 1e-9, at_most=1 + 1e-9)
@fails("with scores between −5 and 5", most=5.0)
def largest_weight_over_its_bound(most=4.0):
    rng, found = np.random.default_rng(8), []
    for n in LENGTHS:
        bound = np.exp(8.0) / (np.exp(8.0) + n - 1)
        for row in (rng.uniform(-most, most, size=n), with_lead(n, 2 * most) - most):
            found.append(softmax(row).max() / bound)
    return largest(found)


@claim("repairs-softpick")
@says(
    "Under softpick a shift for everybody changes weights by over 0.1, and over a tenth of the weights do not "
    "rise when their score rises by half a point, in 300 random rows of seven scores."
)
@measures("smaller of the largest change and the share of weights that do not rise", at_least=0.1)
@fails("with softmax in its place", rule=softmax)
def smaller_breach(rule=softpick):
    return min(broken_wishes(rule, random_rows(seed=7))[2:])
