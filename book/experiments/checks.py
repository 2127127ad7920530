"""The checks of the chapter *experiments*: of arithmetic, and of what the committed sweeps found."""

from itertools import pairwise, permutations

import numpy as np

from book.claims import claim, fails, largest, measures, says, smallest
from book.experiments import measured
from book.experiments.location import LEADS, WORDS, errors
from book.models.induction import MAPS
from lib import softmax

LENGTHS = (2, 8, 100, 1000, 100_000)
GROWS = ("log n, at test", "log n, learned", "log n, fixed")  # rules under which β grows with log n
STARTS = (4.0, 16.0)
GROUPS = (("softmax", "entmax"), ("sparsemax", "sigmoid_weights"), ("relu_norm",))  # the faster first

# --- long rows ------------------------------------------------------------------------------------------


@claim("experiments-grows", "E21")
@says(
    "With β = c log n and a lead Δ of at least 1/c the best of n tokens has half of the weight or more, for 2 to "
    "100\u202f000 tokens and leads of 0.1 to 10 points."
)
@measures("smallest weight of the best", at_least=0.5)
@fails("with a lead of 0.8/c", of=0.8)
def least_weight(of=1.0):
    found = []
    for n in LENGTHS:
        for lead in (0.1, 1.0, 10.0):
            scores = np.zeros(n)
            scores[0] = of * lead
            found.append(softmax(scores, np.log(n) / lead)[0])
    return smallest(found)


@claim("experiments-melts", "E21")
@says(
    "Where the largest leads by 0.1, softmax is right for at most a fifth of the rows of 4096 items, in each of "
    "eight seeds."
)
@measures("largest share of right answers", at_most=0.2)
@fails("with β in proportion to log n in the same models", rule=GROWS[0])
def right_at_4096(rule="softmax"):
    return largest(measured.retrieved(rule, 0.1)[:, -1])


@claim("experiments-stays", "E19", "E21")
@says(
    "Where the largest leads by 0.1, softmax with β in proportion to log n, learned in training, fixed in "
    "training or put in afterwards, and sparsemax are right for 99 % of the rows or more, in each of eight seeds "
    "and at each length up to 4096 items."
)
@measures("smallest share of right answers", at_least=0.99)
@fails("with softmax at the β that it was trained with", rules=("softmax",))
def least_right(rules=(*GROWS, "sparsemax")):
    return smallest(measured.retrieved(rule, 0.1).min() for rule in rules)


@claim("experiments-ceiling", "E21")
@says(
    "Where leads shrink, no map and no rule is right more often than all weight on the highest score of the same "
    "model would be, but for 4 percentage points, on average over eight seeds and at each length."
)
@measures("largest excess of the share of right answers", at_most=0.04)
@fails("with the ceiling of rows twice as long", longer=1)
def above_the_ceiling(longer=0):
    def excess(rule):
        right, ceiling = (measured.retrieved(rule, 0.0, what) for what in ("right", "ceiling"))  # (seeds, sizes)
        return (right[:, : len(measured.SIZES) - longer] - ceiling[:, longer:]).mean(axis=0).max()

    return largest(map(excess, ("softmax", *GROWS, "sparsemax", "entmax", "entropy")))


@claim("experiments-halves")
@says(
    "The largest has half of the weight until there are 1 to 1.4 times as many items as predicted from 16 of "
    "them, at the median of eight seeds."
)
@measures("how many items there are, over how many were predicted", at_most=1.4, at_least=1)
@fails("until nine tenths of the answers are right", what="right", level=0.9)
def against_the_prediction(what="top", level=0.5):
    return np.median(measured.falls(measured.retrieved("softmax", 0.1, what), level) / measured.predicted())


# --- noise ----------------------------------------------------------------------------------------------


def lost_by_sharpness(agree, what, level):
    """What softmax loses from β = 4 to β = 128, in shares of right answers: (seeds,)."""
    return measured.looked_up(agree, 4.0, what, level) - measured.looked_up(agree, 128.0, what, level)


@claim("experiments-averaging", "C10", "E20")
@says(
    "Where four keys carry the answer and values have noise of size 0.75, models with β = 128 are right for at "
    "least 20 percentage points less than models with β = 4, in each of eight seeds."
)
@measures("smallest loss in the share of right answers", at_least=0.2)
@fails("where one key carries it", agree=1)
def lost_to_noise_of_values(agree=4):
    return smallest(lost_by_sharpness(agree, "values", 0.75))


@claim("experiments-keys", "C10", "E20")
@says(
    "Where four keys carry the answer and keys have noise of size 2, models with β = 128 are right for at least "
    "15 percentage points less than models with β = 4, in each of eight seeds."
)
@measures("smallest loss in the share of right answers", at_least=0.15)
@fails("without noise", what="clean", level=None)
def lost_to_noise_of_keys(what="keys", level=2.0):
    return smallest(lost_by_sharpness(4, what, level))


@claim("experiments-one", "C10", "E20")
@says(
    "Where one key carries the answer and values have noise of size 0.25, models with β = 128 are right at least "
    "as often as models with β = 4, in each of eight seeds."
)
@measures("smallest gain in the share of right answers", at_least=0)
@fails("where four keys carry it", agree=4)
def gained_with_noise_of_values(agree=1):
    return smallest(-lost_by_sharpness(agree, "values", 0.25))


@claim("experiments-exact", "C10", "E20")
@says(
    "Where one key carries the answer, keys have noise of size 1, and a model has nothing to learn, β = 128 costs "
    "at most 1 percentage point against β = 8."
)
@measures("loss in the share of right answers, of 2000", at_most=0.01)
@fails("where four keys carry it, with noise of size 1.5", agree=4, noise=1.5)
def lost_with_nothing_to_learn(agree=1, noise=1.0):
    soft, sharp = (measured.with_nothing_to_learn(beta, agree, noise) for beta in (8.0, 128.0))
    return soft - sharp


@claim("experiments-noise", "E20", "E21")
@says(
    "A β that is learned ends lower with noise of size 1.5 than with 1, and lower with 2 than with 1.5, whether "
    "it starts at 4 or at 16, for all seeds."
)
@measures("least β with less noise, over the greatest with more; the smaller of the two", at_least=1.2)
@fails("with noise of size 0, 0.5 and 1", noises=(0.0, 0.5, 1.0))
def falls_with_noise(noises=(1.0, 1.5, 2.0)):
    ends = [np.concatenate([measured.settled(noise, start) for start in STARTS]) for noise in noises]
    return smallest(less.min() / more.max() for less, more in pairwise(ends))


@claim("experiments-own", "E20", "E21")
@says(
    "With noise of size 2 models that learn their β are right more often than models whose β is held at 5, 10 or "
    "20, by at least half a percentage point and in each of eight seeds."
)
@measures("smallest difference of the shares of right answers", at_least=0.005)
@fails("held at 2.5", betas=(2.5,))
def gained_by_learning(betas=(5.0, 10.0, 20.0)):
    own = measured.with_own_beta(2.0, 4.0)
    return smallest((own - measured.held(beta)).min() for beta in betas)


# --- maps -----------------------------------------------------------------------------------------------


@claim("experiments-alike", "E19")
@says("With each of five maps and in each of eight seeds 95 % are right within 400 steps.")
@measures("share of the runs", at_least=1)
@fails("with one layer", maps=("softmax",), case="one layer")
def runs_that_learn(maps=tuple(MAPS), case="plain"):
    return np.mean([measured.steps(name, case, "0.95") <= 400 for name in maps])


@claim("experiments-groups", "E19")
@says(
    "Softmax and entmax have 98 % right after fewer steps than sparsemax and sigmoid, and these after fewer than "
    "ReLU over its sum, in each of eight seeds."
)
@measures("smallest factor in steps", at_least=1.01)
@fails("softmax against entmax", groups=(("softmax",), ("entmax",)))
def factor_in_steps(groups=GROUPS):
    pairs = [(fast, slow) for k, group in enumerate(groups[1:]) for fast in groups[k] for slow in group]
    return smallest((measured.steps(slow) / measured.steps(fast)).min() for fast, slow in pairs)


@claim("experiments-same", "E19")
@says(
    "Neither softmax nor entmax, and neither sparsemax nor sigmoid, has 98 % right after fewer steps than the "
    "other in each of eight seeds."
)
@measures("least factor over the seeds by which one is ahead; the largest of four", at_most=1)
@fails("softmax against sparsemax", groups=(("softmax", "sparsemax"),))
def lead_within_a_group(groups=GROUPS):
    pairs = [pair for group in groups for pair in permutations(group, 2)]
    return largest((measured.steps(slow) / measured.steps(fast)).min() for fast, slow in pairs)


@claim("experiments-twice", "E19")
@says(
    "Where a symbol may come twice in a block, more is right after 800 steps with softmax than with each of the "
    "other four maps, in each of eight seeds."
)
@measures("smallest difference of the shares that are right", at_least=0.01)
@fails("where all symbols of a block differ, after 400 steps", case="plain")
def softmax_ahead(case="repeats"):
    others = [name for name in MAPS if name != "softmax"]
    return smallest((measured.last("softmax", case) - measured.last(name, case)).min() for name in others)


@claim("experiments-location", "E19")
@says(
    "Where one of n words carries the answer and its score is normal with the same spread as the others, 2, 3 "
    "or 4 points higher, no map errs less than softmax with β equal to that lead, but for a hundredth, with 16 "
    "and with 256 words."
)
@measures(
    "largest part by which a map, its β chosen on the same rows, errs less than the best possible guess",
    at_most=0.01,
)
@fails("than softmax with half of this β", rival=2.0)
def below_the_best(rival=1.0):
    found = [errors(n, lead, rival) for n in WORDS for lead in LEADS]
    best = "the best possible"
    return largest(1 - error / by[best] for by in found for name, error in by.items() if name != best)


@claim("experiments-masked", "E19")
@says(
    "Three attacks on sparsemax, two of which follow the gradient of softmax in its place, leave at least 50 "
    "percentage points less right than the one that follows its own gradient alone, in each of eight seeds."
)
@measures("smallest difference of the shares that are left", at_least=0.5)
@fails("on softmax at β = 4", kind=("softmax", 4.0))
def hidden_by_its_own_gradient(kind=("sparsemax", 16.0), reach=0.3):
    weights, beta = kind
    own, worst = (measured.looked_up(1, beta, what, reach, weights) for what in ("own gradient", "worst"))
    return smallest(own - worst)
