"""The checks of the chapter *patterns*."""

import numpy as np

from book import encoder, encoder_story
from book.claims import claim, fails, largest, measures, says, smallest
from book.figures import encoder_heads
from book.models.copying import CONFIG, head_scores
from book.models.transformer import Transformer
from book.patterns import copier, sinks
from book.patterns.copier import BLOCK, FOUND, ROLE
from lib import attention_distance, softmax

FRESH = 50  # texts that heads are measured on again
CATS = {"thirsty": 0, "hungry": 0, "tired": 0, "fresh": 1, "sweet": 1, "warm": 1}  # which of the nouns "it" is
STUBBORN = {"ball": 1, "big": 0, "small": 0}  # which noun gets more, whatever "it" is
STORY = (4, 2)  # the head of the first page: (layer, head) from 1
FARTHEST = 10

# --- the model that copies ------------------------------------------------------------------------------


@claim("patterns-roles", "E22", "E24")
@says(
    "Measured on texts of its own, one head of layer 1 is a previous-token head, the four of layer 2 are "
    "induction heads, and the other three are neither: a score is ½ or more, or below."
)
@measures("heads of which it is not so, of 8", at_most=0)
@fails("with the model as it is before training", make=lambda: Transformer(CONFIG))
def heads_of_another_role(make=copier.model):
    scores = head_scores(make(), FRESH, seed=1_000_033)
    previous, induction = (np.array(scores[role]) >= ROLE for role in ("previous", "induction"))  # (2, 4) each
    first = abs(previous[0].sum() - 1) + induction[0].sum()
    return first + previous[1].sum() + (~induction[1]).sum()


@claim("patterns-previous")
@says(
    "Without the previous-token head the model's first choice is right at less than half of the places where the "
    "next symbol can be known, in 100 random texts."
)
@measures("share of these places", at_most=0.5)
@fails("with one induction head switched off in its place", role="induction")
def right_without(role="previous"):
    return copier.accuracy(copier.heads(role)[:1])


@claim("patterns-spare", "E22")
@says("Without any one of the induction heads the model's first choice is right at 98% of these places or more.")
@measures("smallest share of these places", at_least=0.98)
@fails("with all four switched off at once", groups=(copier.heads("induction"),))
def right_without_any_one(groups=tuple((head,) for head in copier.heads("induction"))):
    return smallest(copier.accuracy(group) for group in groups)


@claim("patterns-twice")
@says(
    "Without the head that looks two places back the model's first choice is right at fewer of the places whose "
    "symbol stands more than once in the block, by 40 percentage points or more."
)
@measures("share of these places that is lost", at_least=0.4)
@fails("at the places whose symbol stands there once", twice=False)
def lost_without_the_helper(twice=True):
    return copier.accuracy((), twice=twice) - copier.accuracy((copier.helper(),), twice=twice)


@claim("patterns-light", "A9", "E24")
@says(
    "In layer 2 the letter before the one to copy has at most a fifth of the weight, in each of 200 random texts."
)
@measures("largest weight, on average over the heads of layer 2", at_most=0.2)
@fails("with the letter to copy", at=FOUND)
def weight_of_a_place(at=FOUND - 1):
    return largest(copier.last_layer(copier.blocks()[0])[:, at])


@claim("patterns-matters", "A9", "E24")
@says(
    "If the letter before the one to copy hands over nothing in layer 1, the right letter loses 2 nats or more, "
    "on average over 200 random texts."
)
@measures("mean loss, in nats", at_least=2)
@fails("where it hands over nothing in layer 2", layer=1)
def lost_without(layer=0, at=FOUND - 1):
    return copier.lost_if_silent(at, layer).mean()


@claim("patterns-swap", "A9")
@says(
    "If the place of the letter to copy and another hand over each other's values in layer 2, the model says the "
    "other letter, in 95% of 200 random texts or more."
)
@measures("share of these texts", at_least=0.95)
@fails("with the values of layer 1", layer=0)
def follows_the_value(layer=1):
    return copier.follows(layer)


@claim("patterns-sharp", "E3", "E24")
@says(
    "In the second half of 16 different letters, when nothing can be known, the largest weight in a row of the "
    "induction heads is above one half, on average over 200 random texts."
)
@measures("mean of the largest weights", at_least=0.5)
@fails("with an eighth of β", beta_times=1 / 8)
def sharp_with_nothing_to_find(beta_times=1.0):
    return copier.largest_weights(beta_times)[BLOCK // 2 + 1 : BLOCK + 1].mean()


@claim("patterns-rollout", "A9")
@says(
    "Rollout gives the last letter but one the same, to within 0.01, where the letters of a block all differ and "
    "where the letter just read stands in it twice, on average over 200 random texts each."
)
@measures("difference of the two means", at_most=0.01)
@fails(
    "with how often the model goes on after the other place, if the last letter but one is exchanged",
    what=copier.follows_the_exchange,
)
def difference_between_kinds_of_text(what=copier.rollout_of_the_last_but_one):
    return abs(what(twice=True) - what(twice=False))


@claim("patterns-spared", "A9")
@says(
    "Where the letters of a block all differ, another of them in place of the last but one costs the right letter "
    "less than 0.1 nats, on average over 200 random texts."
)
@measures("nats lost", at_most=0.1)
@fails("where the letter just read stands in the block twice, and this one before its other place", twice=True)
def lost_by_the_exchange(twice=False):
    return copier.lost_if_exchanged(twice)


@claim("patterns-decides", "A9")
@says(
    "Where the letter just read stands in the block twice, the last letter but one decides: exchange it for the "
    "letter before the other place, and the model says the letter after that place, in 95% of 200 random texts or "
    "more."
)
@measures("share of these texts", at_least=0.95)
@fails("where the letters of a block all differ", twice=False)
def goes_on_after_the_other_place(twice=True):
    return copier.follows_the_exchange(twice)


# --- the encoder ----------------------------------------------------------------------------------------


@claim("patterns-resting", "B6", "E22")
@says(
    "In each of the nine sentences three tenths of the 72 heads or more rest on the start mark: on average over "
    "the tokens it gets at least half of their weight."
)
@measures("smallest share of the heads", at_least=0.3)
@fails("with the end mark", mark="end")
def least_share_at_rest(mark="start"):
    found = (encoder_heads.shares(encoder_heads.weights(name))[mark] for name in encoder_heads.made()["sentences"])
    return smallest((share >= encoder_heads.MOSTLY).mean() for share in found)


def preferred(name, head):
    """Which of the two nouns gets more from "it": 0 for the first, 1 for the second."""
    kept = encoder_heads.sentence(name)
    row = encoder_heads.weights(name)[head[0] - 1, head[1] - 1, kept["tokens"].index("it")]  # (n,)
    first, second = (row[kept["tokens"].index(noun)] for noun in kept["nouns"])
    return np.nan if np.isnan(first + second) else int(second > first)


@claim("patterns-cat", "E22")
@says(
    "In the six sentences about the cat, the head of the first page gives the noun that “it” means more than the "
    "other."
)
@measures("sentences of the six", at_least=6)
@fails("with layer 6, head 12, which gives the cat more in all", head=(6, 12))
def right_nouns(head=STORY):
    return sum(preferred(name, head) == noun for name, noun in CATS.items())


@claim("patterns-stubborn", "E22", "E24")
@says(
    "The same head gives the ball more than the hungry dog, and the trophy more than the suitcase whichever of "
    "them “it” is."
)
@measures("sentences of the three", at_least=3)
@fails("with layer 6, head 12", head=(6, 12))
def stubborn(head=STORY):
    return sum(preferred(name, head) == noun for name, noun in STUBBORN.items())


@claim("patterns-pairs")
@says(
    "In 16 or more of the 24 pairs of sentences, of which 23 were written before any of these was measured, head "
    "2 of layer 4 of the encoder gives the same noun more of the weight of “it” in both sentences. So in at most "
    "8 pairs the noun that is meant gets more both times."
)
@measures("pairs", at_least=16)
@fails("with a coin tossed for each sentence in place of the head", coin=True)
def keeps_to_one_noun(coin=False):
    """It keeps to one noun where it is right in just one of the two sentences."""
    weights = encoder_story.weights()
    found = encoder_story.right(weights)[:, :, STORY[0] - 1, STORY[1] - 1]  # (pairs, 2)
    if coin:
        found = np.random.default_rng(0).random(found.shape) < 0.5
    return (found.sum(axis=1) == 1).sum() + 0 * weights.sum()  # where a weight is a NaN, so is the result


@claim("patterns-nouns")
@says(
    "In these 48 sentences head 2 of layer 4 of the encoder gives the two nouns more than half of the weight of "
    "“it” on average, and more than any other head does."
)
@measures("share on the nouns, less the largest in another head", at_least=0.02)
@fails("with layer 6, head 12, the next of them", head=(6, 12))
def more_on_the_nouns(head=STORY):
    shares = encoder_story.weights().sum(axis=-1).mean(axis=(0, 1))  # (6, 12)
    ours = shares[head[0] - 1, head[1] - 1]
    shares[head[0] - 1, head[1] - 1] = 0
    return ours - shares.max() if ours > 0.5 else -1.0


@claim("patterns-sigmoid")
@says(
    "With sigmoid in all heads of the encoder in place of softmax, with a bias of −log n and without training "
    "anew, the vectors of these 48 sentences turn by 10 degrees more than with no attention at all, in the median."
)
@measures("degrees more", at_least=10)
@fails("with ReLU over its sum in place of sigmoid", change="relu_norm 1")
def degrees_more_than_without(change="sigmoid_weights 1"):
    turned = encoder_story.turned()
    return np.median(turned[change]) - np.median(turned["none 1"])


@claim("patterns-far", "E17")
@says(
    "Of the ten heads with the largest mean distance in “the cat drank the milk because it was thirsty”, eight or "
    "more rest on the start mark."
)
@measures("heads that rest, of the ten", at_least=8)
@fails("with the ten of the smallest distance", sign=-1)
def at_rest_among_the_farthest(sign=1):
    weights = encoder_heads.weights("thirsty")  # (layers, heads, n, n)
    far = attention_distance(weights).mean(axis=-1).ravel()
    rest = encoder_heads.shares(weights)["start"].ravel() >= encoder_heads.MOSTLY
    return rest[np.argsort(-sign * far)[:FARTHEST]].sum()


@claim("patterns-sink")
@says(
    "In each of the layers 2 to 5 of the encoder, equal weights in a head that rests on the start mark turn the "
    "vector of a sentence at least one and a half times as far as handing over nothing, on average over these "
    "heads. A head’s angle is that of its mean cosine over 48 sentences."
)
@measures("the one mean angle over the other, in the layer where it is smallest", at_least=1.5)
@fails("in the other heads of these layers", resting=False)
def least_ratio(resting=True):
    return smallest(sinks.even_over_silent(resting, (layer,)) for layer in sinks.INNER)


@claim("patterns-short", "P11")
@says(
    "In each head of the layers 2 to 5 of the encoder that rests on the start mark, the value of the mark is at "
    "most a fifth as long as the values of other tokens, on average over 48 sentences."
)
@measures("the one length over the other, in the head where it is largest", at_most=0.2)
@fails("in the heads of layer 1", resting=False, layers=(1,))
def longest_value_of_the_mark(resting=True, layers=sinks.INNER):
    return largest(sinks.length(resting, layers))


@claim("patterns-even")
@says(
    "In each of the layers 2 to 5 of the encoder, equal weights in a head that does not rest on the start mark "
    "turn the vector of a sentence 0.9 to 1.1 times as far as handing over nothing, on average over these heads. "
    "A head’s angle is that of its mean cosine over 48 sentences."
)
@measures("the one mean angle over the other, in the layer where it is farthest from 1", at_most=1.1, at_least=0.9)
@fails("in such heads of the last layer", layers=sinks.LAST)
def ratio_farthest_from_one(layers=sinks.INNER):
    found = np.array([sinks.even_over_silent(False, (layer,)) for layer in layers])
    return found[np.argmax(abs(found - 1))]


@claim("patterns-plus-one")
@says(
    "With softmax-plus-one in all heads of the encoder in place of softmax, without training anew, the vector of "
    "a sentence keeps a cosine of 0.999 with what it was, on average over 48 sentences."
)
@measures("mean cosine", at_least=0.999)
@fails("with ReLU over its sum in place of softmax", change="relu_norm")
def cosine_with(change="softmax_plus_one"):
    return encoder.cosine(change)


def as_printed(weights):
    """Average distance as a text prints it, in NumPy."""
    places = np.arange(weights.shape[-1], dtype=float)
    apart = abs(places[:, None] - places[None, :])  # (n_k, n_k)
    return (weights * apart).sum(axis=-1)


def right_shapes(n_q, n_k, draws):
    """Whether the printed line and lib are right for the last n_q queries of n_k under a causal mask."""
    whole = softmax(draws.normal(size=(n_k, n_k)), where=np.tri(n_k, dtype=bool))
    wanted, part = as_printed(whole)[-n_q:], whole[-n_q:]
    try:
        printed = as_printed(part)
    except ValueError:
        printed = None
    close = [
        x is not None and x.shape == wanted.shape and np.allclose(x, wanted)
        for x in (printed, attention_distance(part))
    ]
    return tuple(close)


@claim("patterns-printed", "E17")
@says(
    "With fewer queries than keys the printed distance stops with an error or gives another number of results, "
    "and lib.attention_distance gives what the whole square of weights gives."
)
@measures("share of the cases", at_least=1)
@fails("with as many queries as keys", pairs=((5, 5), (7, 7)))
def cases_in_which_only_lib_is_right(pairs=((1, 5), (2, 5), (3, 7), (1, 11))):
    draws = np.random.default_rng(2)
    found = [right_shapes(n_q, n_k, draws) for n_q, n_k in pairs]
    return np.mean([not printed and ours for printed, ours in found])


@claim("patterns-must")
@says(
    "With values that are random, independent and of variance 1 in each of six coordinates, a weight of w over "
    "15 tokens leaves an output whose squared length is at least 6w²/15 on average, in 40 random rows and 4 "
    "even ones."
)
@measures("smallest mean square over the bound, in 4000 draws each", at_least=0.9)
@fails("with values that cancel in pairs", paired=True)
def least_of_bound(paired=False):
    rng = np.random.default_rng(0)
    even = [np.append(lead, np.zeros(15)) for lead in (-9.0, 0.0, 2.0, 5.0)]
    drawn = rng.normal(size=(4000, 15, 6))
    if paired:
        drawn[:, 1::2] = -drawn[:, :-1:2]
    found = []
    for scores in [*even, *2 * rng.normal(size=(40, 16))]:
        weights = softmax(scores)
        outputs = np.einsum("n,bnd->bd", weights[1:], drawn)  # the value of the first is nothing
        found.append((outputs**2).sum(axis=1).mean() / (6 * weights[1:].sum() ** 2 / 15))
    return smallest(found)


@claim("patterns-nothing", "P11")
@says(
    "With a lead of 8 points for one token, less than a hundredth of the length of a value comes from the six "
    "others, in 100 random draws."
)
@measures("largest length of what comes from others, over the mean length of their values", at_most=0.01)
@fails("with the lead for one of the others", leader=3)
def most_from_others(leader=0):
    for others in np.random.default_rng(0).normal(size=(100, 6, 4)):
        weights = softmax(8.0 * (np.arange(7) == leader))
        yield np.linalg.norm(weights[1:] @ others) / np.linalg.norm(others, axis=1).mean()
