"""The checks of the chapter *experiments*: of arithmetic, and of what the committed sweeps found."""

from itertools import pairwise, product

import numpy as np

from book.claims import claim, fails, largest, measures, says, smallest
from book.experiments import measured
from book.experiments.location import LEADS, WORDS, errors
from book.experiments.same_class import largest_found
from book.models.induction import BETAS, CASES, LEVELS, MAPS
from book.models.retrieval import STEPS
from lib import softmax

LENGTHS = (2, 8, 100, 1000, 100_000)
GROWS = ("log n, at test", "log n, learned", "log n, fixed")  # rules under which β grows with log n
STARTS = (4.0, 16.0)
SMALL, LARGEST = (0.003, 0.005), 0.03  # rates of learning

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
    "Where the largest leads by 0.1, softmax leaves it among 4096 items at most three quarters of the weight "
    "that it has among 16, at the median of eight seeds, after 700, 2800 and 11\u202f200 steps of training."
)
@measures("largest of the three ratios", at_most=0.75)
@fails("with β in proportion to log n in the same models", rule=GROWS[0])
def what_is_left_at_4096(rule="softmax"):
    tops = (np.median(measured.retrieved(rule, 0.1, "top", steps), axis=0) for steps in STEPS)
    return largest(top[-1] / top[0] for top in tops)


@claim("experiments-longer", "E19", "E21")
@says(
    "Where the largest leads by 0.1, softmax is right among 4096 items for at least 30 percentage points more "
    "after 11\u202f200 steps of training than after 700, in each of eight seeds."
)
@measures("smallest gain in the share of right answers", at_least=0.3)
@fails("among 16 items, as in training", n=16)
def gained_by_training(n=4096):
    brief, long = (measured.retrieved("softmax", 0.1, steps=steps)[:, measured.at(n)] for steps in STEPS[::2])
    return smallest(long - brief)


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
    "model would be, by more than 4 percentage points, on average over eight seeds and at each length."
)
@measures("largest excess of the share of right answers", at_most=0.04)
@fails("with the ceiling of rows twice as long", longer=1)
def above_the_ceiling(longer=0):
    def excess(rule):
        right, ceiling = (measured.retrieved(rule, 0.0, what) for what in ("right", "ceiling"))  # (seeds, sizes)
        return (right[:, : len(measured.SIZES) - longer] - ceiling[:, longer:]).mean(axis=0).max()

    return largest(map(excess, ("softmax", *GROWS, "sparsemax", "entmax", "entropy")))


@claim("experiments-class", "E21")
@says(
    "Where leads shrink, give all of 1024 items the same class, and the largest number has the highest score, in "
    "each of 64 rows, for four models trained for 700 steps."
)
@measures("least share of rows in which it has", equal_to=1.0, within=0.0)
@fails("with the classes that the items have", alike=False)
def least_found(alike=True):
    return smallest(largest_found(seed, alike) for seed in range(4))


@claim("experiments-halves")
@says(
    "The largest has half of the weight until there are 1 to 1.4 times as many items as predicted from 16 of "
    "them, at the median of eight seeds, after 700 and after 2800 steps of training."
)
@measures(
    "how many items there are, over how many were predicted: the one furthest from 1.2", at_most=1.4, at_least=1
)
@fails("until nine tenths of the answers are right", what="right", level=0.9)
def against_the_prediction(what="top", level=0.5):
    ratios = [
        np.median(
            measured.falls(measured.retrieved("softmax", 0.1, what, steps), level) / measured.predicted(steps)
        )
        for steps in STEPS[:2]
    ]
    return max(ratios, key=lambda ratio: abs(ratio - 1.2))


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


@claim("experiments-sharpened", "C10", "E20")
@says(
    "Where one key carries the answer and keys have noise of size 1, models that were trained at β = 4 are "
    "right at least as often when β is set to 128 afterwards, in each of eight seeds."
)
@measures("smallest gain in the share of right answers", at_least=0)
@fails("with models trained at β = 128 for as long", trained=True)
def gained_when_sharpened(trained=False):
    sharp = (
        measured.looked_up(1, 128.0, "keys", 1.0) if trained else measured.looked_up(1, 4.0, "sharpened keys", 1.0)
    )
    return smallest(sharp - measured.looked_up(1, 4.0, "keys", 1.0))


@claim("experiments-noise", "E20", "E21")
@says(
    "A β that is learned ends lower with noise of size 1 than with ½, lower with 1.5 than with 1, and lower "
    "with 2 than with 1.5, whether it starts at 4 or at 16: so do the medians of eight seeds."
)
@measures("β with less noise, over that with more; the least", at_least=1.1)
@fails("with more noise first", noises=(2.0, 1.5))
def falls_with_noise(noises=(0.5, 1.0, 1.5, 2.0)):
    ends = [[np.median(measured.settled(noise, start)) for start in STARTS] for noise in noises]
    return smallest(min(less) / max(more) for less, more in pairwise(ends))


@claim("experiments-starts", "E20", "E21")
@says(
    "With noise of size ½, 1, 1.5 or 2 a β that is learned ends at the same place from 4 and from 16, but for a "
    "fifth: so do the medians of eight seeds."
)
@measures("the larger end over the smaller; the largest", at_most=1.2)
@fails("without noise", noises=(0.0,))
def parted_by_the_start(noises=(0.5, 1.0, 1.5, 2.0)):
    ends = [[np.median(measured.settled(noise, start)) for start in STARTS] for noise in noises]
    return largest(max(pair) / min(pair) for pair in ends)


@claim("experiments-own", "E20", "E21")
@says(
    "With noise of size 2 models that learn their β are right for at least 0.3 percentage points more than models "
    "whose β is held at 1, 8 or 16, at the median of eight seeds."
)
@measures("smallest difference of the shares of right answers", at_least=0.003)
@fails("held at 2", betas=(2.0,))
def gained_by_learning(betas=(1.0, 8.0, 16.0)):
    own = measured.with_own_beta(2.0, 4.0)
    return smallest(np.median(own - measured.held(beta)) for beta in betas)


# --- maps and rates -------------------------------------------------------------------------------------


@claim("experiments-alike", "E19")
@says(
    "Each of five maps has a rate of learning at which 98 % are right within 1200 steps, in each of eight seeds."
)
@measures("fewest seeds of the best rate", at_least=8)
@fails("at a rate of 0.03 alone", rates=(LARGEST,))
def seeds_at_the_best_rate(rates=tuple(CASES["plain"][1])):
    return smallest(max(measured.arrived(name, rate) for rate in rates) for name in MAPS)


@claim("experiments-small-steps", "E19")
@says(
    "At rates of 0.003 and 0.005 entmax has 90, 95 and 98 % right after fewer steps than softmax, in each of "
    "eight seeds."
)
@measures("smallest factor in steps", at_least=1.03)
@fails("at a rate of 0.01", rates=(0.01,))
def entmax_is_sooner(rates=SMALL):
    def taken(name):
        return np.array([measured.steps(name, rate, level=level) for rate, level in product(rates, LEVELS)])

    return (taken("softmax") / taken("entmax")).min()


@claim("experiments-large-steps", "E19")
@says(
    "At a rate of 0.03 softmax has 98 % right within 1200 steps in at least six of eight seeds more than entmax, "
    "sparsemax or sigmoid."
)
@measures("fewest seeds by which softmax is ahead", at_least=6)
@fails("at a rate of 0.005", rate=0.005)
def seeds_ahead(rate=LARGEST):
    others = ("entmax", "sparsemax", "sigmoid_weights")
    return smallest(measured.arrived("softmax", rate) - measured.arrived(name, rate) for name in others)


@claim("experiments-own-beta", "E19")
@says(
    "At a rate of 0.03, with an eighth of the usual β, softmax, entmax, sparsemax and sigmoid have 98 % right "
    "within 1200 steps, in each of eight seeds."
)
@measures("fewest seeds of a map", at_least=8)
@fails("with the usual β", beta=1)
def fewest_that_arrive(beta=0.125):
    return smallest(measured.arrived(name, LARGEST, measured.at_beta(beta)) for name in MAPS[:4])


@claim("experiments-sharper", "E19")
@says(
    "At a rate of 0.003 softmax with twice the usual β needs as many steps until 98 % are right as entmax with "
    "the usual one, but for a twentieth, at the median of eight seeds."
)
@measures("how far the quotient of the two medians is from 1", at_most=0.05)
@fails("with the usual β for both", beta=1)
def apart_from_entmax(beta=2, rate=0.003):
    sharp, entmax = measured.steps("softmax", rate, measured.at_beta(beta)), measured.steps("entmax", rate)
    return abs(np.median(sharp) / np.median(entmax) - 1)


@claim("experiments-tuned", "E19")
@says(
    "Each at the best of its rates and of ⅛, ¼, ½, 1 and 2 times the usual β, softmax, entmax and sparsemax need "
    "as many steps until 90, 95 or 98 % are right, but for a tenth, at the median of eight seeds."
)
@measures("the most steps over the fewest", at_most=1.1)
@fails("at the best of their rates with the usual β", betas=(1,))
def apart_at_their_best(betas=BETAS):
    def apart(level):
        least = [np.median(measured.steps_at_best(name, betas, level)) for name in MAPS[:3]]
        return max(least) / min(least)

    return largest(map(apart, LEVELS))


@claim("experiments-made-up-for", "E19")
@says(
    "With an eighth of the usual β, and first queries and keys larger by √8 each, so that the first weights "
    "are the usual ones, entmax has 98 % right within 1200 steps at a rate of 0.03, in at least seven of eight "
    "seeds."
)
@measures("seeds that arrive", at_least=7)
@fails("with the usual β, from the same first weights", case="plain")
def arrives_from_the_usual_start(case="beta 0.125, made up for"):
    return measured.arrived("entmax", LARGEST, case)


@claim("experiments-larger", "E19")
@says(
    "In a model of width 64 with four heads, at a rate of 0.02, softmax and entmax with an eighth of the usual "
    "β have 98 % right within 1200 steps, in each of eight seeds."
)
@measures("fewest seeds of a map", at_least=8)
@fails("with the usual β", case="larger")
def fewest_that_arrive_in_a_larger_model(case="larger, beta 0.125"):
    return smallest(measured.arrived(name, 0.02, case) for name in MAPS[:2])


@claim("experiments-twice-own", "E19")
@says(
    "Where a symbol may come twice in a block, at a rate of 0.02 and with an eighth of the usual β, entmax has "
    "as many right as softmax after 1000 steps, but for one in a hundred, at the median of eight seeds."
)
@measures("what softmax is ahead, as a share", at_most=0.01)
@fails("with the usual β", case="repeats")
def ahead_on_the_harder_task(case="repeats, beta 0.125"):
    soft, entmax = (np.median(measured.last(name, 0.02, case)) for name in MAPS[:2])
    return soft - entmax


@claim("experiments-gradient", "E19")
@says(
    "At a rate of 0.02 softmax without a gradient where sparsemax gives no weight arrives in fewer seeds than "
    "softmax, and sparsemax with softmax’s gradient beside its own in more than sparsemax: by at least four of "
    "eight."
)
@measures("the smaller of the two differences, in seeds", at_least=4)
@fails("at a rate of 0.01", rate=0.01)
def seeds_by_the_gradient(rate=0.02):
    def arrived(name, case="gradients"):
        return measured.arrived(name, rate, case)

    lost = arrived("softmax", "plain") - arrived("sparsemax, shut")
    return smallest([lost, arrived("sparsemax, open") - arrived("sparsemax", "plain")])


@claim("experiments-warm-up", "E19")
@says(
    "Where the rate rises over 200 steps in place of 20, entmax has 98 % right within 1200 steps at 0.03 "
    "too, in each of eight seeds, and needs at most 1.1 times the steps of softmax, at the median."
)
@measures("how many times the steps; infinity where a seed does not arrive", at_most=1.1)
@fails("with a warm-up of 20 steps", case="plain")
def times_the_steps_of_softmax(case="long warm-up"):
    slow, fast = (measured.steps(name, LARGEST, case) for name in ("entmax", "softmax"))
    return np.median(slow) / np.median(fast) if np.isfinite(slow).all() else np.inf


@claim("experiments-twice", "E19")
@says(
    "Where a symbol may come twice in a block, the rate decides who is ahead after 1000 steps: at 0.003 entmax "
    "has more right than softmax, at 0.01 softmax has more than entmax, in at least seven of eight seeds each."
)
@measures("fewest seeds of the one that is ahead", at_least=7)
@fails("at 0.003 both times", rates=(0.003, 0.003))
def seeds_ahead_on_the_harder_task(rates=(0.003, 0.01)):
    by = [measured.last("entmax", rate, "repeats") - measured.last("softmax", rate, "repeats") for rate in rates]
    return smallest([(by[0] > 0).sum(), (by[1] < 0).sum()])


@claim("experiments-least-recent")
@says(
    "Where all symbols of a block differ, the symbol that was seen least recently comes next at every place that "
    "counts, in 200 texts."
)
@measures("share of the places", at_least=1)
@fails("where a symbol may come twice in a block", repeats=True)
def by_the_least_recent(repeats=False):
    return measured.least_recent_is_next(repeats)


@claim("experiments-one-layer")
@says(
    "One layer of eight heads of width 16 has 95 % right after 3000 steps at a rate of 0.003, in each of eight "
    "seeds."
)
@measures("smallest share that is right", at_least=0.95)
@fails("one layer of two heads, after 6000 steps at 0.01", case="one layer", rate=0.01)
def right_in_one_layer(case="one wide layer", rate=0.003):
    return smallest(measured.last("softmax", rate, case))


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


@claim("experiments-threshold")
@says(
    "Of 100\u202f000 tokens of length 1, any two with the inner product ρ, each keeps of its own at β = c log n "
    "half of the weight at c = 1/(1 − ρ), less than a tenth at four fifths of this, and all but a tenth at six "
    "fifths; for ρ = 0, ½ and 0.9."
)
@measures("largest weight that is missing or left over", at_most=0.1)
@fails("with c = 1, whatever ρ is", threshold=lambda rho: 1.0)
def weight_of_the_own(threshold=lambda rho: 1 / (1 - rho)):
    found = []
    for rho, (part, wanted) in product((0.0, 0.5, 0.9), ((0.8, 0.0), (1.0, 0.5), (1.2, 1.0))):
        scores = np.append(1.0, np.full(99_999, rho))
        found.append(abs(softmax(scores, part * threshold(rho) * np.log(100_000))[0] - wanted))
    return largest(found)


@claim("experiments-taken", "P6")
@says("A multiple of log n that is taken from all scores changes no weight, for 2 to 100\u202f000 scores.")
@measures("largest difference of a weight", at_most=1e-12)
@fails("with log n as a factor of β", as_factor=True)
def change_by_log(as_factor=False):
    for n in LENGTHS:
        scores, factor = np.append(3.0, np.zeros(n - 1)), np.log(n)
        changed = softmax(scores, factor) if as_factor else softmax(scores - factor)
        yield changed - softmax(scores)
