"""Every figure in several states, as the tests of looks show them: {figure: {state: widget}}."""

import math

from compromise_page import SCORES as THREE_SCORES
from compromise_page import TOKENS as THREE

from lib.book.example import SCORES, TOKENS
from lib.book.masking.table import TABLE
from lib.book.output.steps import BEFORE, CHARACTERS, LOGITS
from lib.figures import (
    BetaWeights,
    CanYouTell,
    Compromise,
    Cost,
    Dispersion,
    FourRules,
    Heads,
    Jacobian,
    Mask,
    Mixture,
    NumberFormats,
    Outside,
    Predict,
    Race,
    RaiseOne,
    RealHead,
    Sampling,
    SeventyTwo,
    SideBySide,
    Streaming,
    TwoMapsLearn,
    TwoSentences,
    Width,
)

inf = math.inf
PRESETS = [("T = 1", 1.0), ("T = 10", 0.1), ("1/√64", 64**-0.5), ("hard", inf)]
OPTIONS = ["It stays", "It *doubles*", "It is squared"]
WHY = "It goes from 1.65 to *2.72* <β & all>."


def weights(beta=1.0, scores=SCORES, tokens=TOKENS, **options):
    return BetaWeights(tokens, scores, beta, **{"query": "it", **options})


def curved(beta=1.0, scores=SCORES, tokens=TOKENS, **options):
    return weights(beta, scores, tokens, curves=True, presets=PRESETS, **options)


def compromise(**options):
    return Compromise(THREE, THREE_SCORES, **options)


def tell(**options):
    return CanYouTell(TOKENS, SCORES, **options)


def race(**options):
    return Race(TOKENS, SCORES, **options)


def raised(**options):
    return RaiseOne(TOKENS, SCORES, **{"token": 4, **options})


def rules(scores=SCORES, **options):
    return FourRules(TOKENS, scores, **{"token": 1, "against": 4, **options})


def outside(**options):
    return Outside(TOKENS, SCORES, **options)


def side(**options):
    return SideBySide(TOKENS, SCORES, **options)


def slopes(**options):
    return Jacobian(TOKENS, SCORES, **options)


def mixture(beta=1.0, scores=SCORES, tokens=TOKENS, **options):
    return Mixture(tokens, scores, beta, **options)


def mask(**options):
    return Mask(TOKENS, TABLE, **options)


def formats(**options):
    return NumberFormats(TOKENS, SCORES, **options)


def stream(**options):
    return Streaming(TOKENS, SCORES, [0, 1, 0, 0, 1, 0, 0], **options)


def sampling(**options):
    return Sampling(CHARACTERS, LOGITS, BEFORE, **options)


def choice(**options):
    return Predict("What becomes of *it*?", OPTIONS, OPTIONS[2], WHY, **{"name": "choice", **options})


def number(answer=27.4, **options):
    line = {"low": 1, "high": 1e5, "log": True, "unit": "per point", "name": "number", **options}
    return Predict("How large must β be?", answer=answer, why=WHY, **line)


def even(**options):
    return Predict("How far?", answer=3.2, low=-2, high=8, why=WHY, **{"name": "even", **options})


GALLERY = {
    "weights": {
        "plain": weights(),
        "zero": weights(0),
        "hard": weights(inf),
        "low": weights(-2.5),
        "deep": weights(0.0315, [-1.5, 2.5, -0.4, 0, 1.5, -2.6, 0.8]),
        "masked": weights(3.15, where=[True, False, True, True, True, False, True]),
        "prior": weights(0.5, prior=[1, 1, 2, 1, 1, 9, 0], caption="A caption."),
        "empty": weights(where=[False] * 7),
        "huge": weights(scores=[1e308, -1e308, 0, 1, 2, 3, 4]),
        "bare": weights(plain=True, caption="A caption."),
        "eight": weights(1.0, [0.1] * 8, [*TOKENS, "was"]),
    },
    "curves": {
        "plain": curved(caption="A caption."),
        "zero": curved(0),
        "hard": curved(inf),
        "low": curved(-2.5),
        "lowest": curved(-inf),
        "tied": curved(0.3, [1.0, 2.0, 2.0, 0.2, 2.0, 1.0, 0.2]),
        "alike": curved(0.07, [1.0] * 7),
        "masked": curved(3.15, where=[True, False, True, True, True, False, True]),
        "prior": curved(0.0005, prior=[1, 1, 2, 1, 1, 9, 0]),
        "empty": curved(5.0, where=[False] * 7),
        "huge": curved(2000.0, [1e308, -1e308, 0, 1, 2, 3, 4]),
        "many": curved(1.0, [k / 8 for k in range(13)], [f"internationalisation {k}" for k in range(13)]),
    },
    "compromise": {
        "plain": compromise(),
        "budget": compromise(mode="budget", epsilon=0.3, prior=[2, 3, 5]),
        "hard": compromise(beta=inf, prior=[0.01, 0.01, 0.98]),
        "zero": compromise(beta=0),
        "free": compromise(mode="budget", epsilon=inf, caption="A caption."),
        "edge": compromise(divergence="euclidean", beta=1.7),
        "corner": compromise(divergence="tsallis", mode="budget", epsilon=0.5, prior=[1, 2, 2]),
        "equal": Compromise(["a", "b", "c"], [1, 1, 1], prior=[1, 2, 3]),
        "tied": Compromise(["thirsty", "because", "sentence"], [1, 1, -12], beta=40),
    },
    "tell": {
        "plain": tell(caption="A caption."),
        "one": tell(m=1, hold="misses"),
        "few": tell(m=3, hold="false alarms"),
        "many": tell(m=1000, beta=0.5),
        "hot": tell(beta=10, m=5, hold="false alarms"),
        "flat": tell(beta=0.1, m=50, hold="misses"),
        "other": CanYouTell(["a", "b", "c"], [-0.3, 3.2, 0.5], beta=2.5, m=7),
        "humps": tell(m=5, exponents=False),
    },
    "race": {
        "plain": race(caption="A caption."),
        "none": race(races=0),
        "one": race(races=1, beta=2.5),
        "normal": race(noise="normal", races=100_000),
        "uniform": race(noise="uniform", races=30, beta=0.1),
        "still": race(noise="none", races=10, beta=10),
        "other": Race(["a", "b", "c"], [-3.0, -1.0, -1.0], races=12_345, seed=2),
    },
    "width": {
        "plain": Width(caption="A caption."),
        "undivided": Width(scale="undivided"),
        "narrow": Width(d=4, scale="undivided"),
        "peak": Width(d=24, scale="undivided"),
        "wide": Width(d=512, scale="undivided"),
        "wide-divided": Width(d=512),
        "bare": Width(plain=True, caption="A caption."),
    },
    "dispersion": {
        "plain": Dispersion(caption="A caption."),
        "melted": Dispersion(crowd=4096, lead=1.2),
        "grows": Dispersion(crowd=30_000, rule="grows", lead=2.0),
        "shrinks": Dispersion(crowd=100, trend="shrinks"),
        "end": Dispersion(crowd=1_000_000, rule="grows", trend="shrinks", lead=12),
        "none": Dispersion(lead=0),
    },
    "raise": {
        "plain": raised(caption="A caption."),
        "lowered": raised(token=1, by=-3, beta=3.0),
        "beyond": raised(token=0, by=3, beta=4.0),
        "hard": raised(by=0.6, beta=inf),
        "still": raised(by=0),
        "low": raised(token=5, by=2, beta=-1.0),
        "other": RaiseOne(["a", "internationalisation", "c"], [30.0, 32.0, -4.0], token=2, by=3, beta=0.01),
    },
    "side": {
        "plain": side(caption="A caption."),
        "sharp": side(beta=3.0, alpha=1.25),
        "zero": side(beta=0),
        "hard": side(beta=inf, alpha=1),
        "low": side(beta=-0.3, alpha=2),
        "pair": side(pair=True),
        "other": SideBySide(["a", "internationalisation", "c"], [30.0, 32.0, -4.0], beta=0.01),
    },
    "two": {
        "plain": TwoSentences(["cat", "milk"], caption="A caption."),
        "led": TwoSentences(["cat", "milk"], lead=0.6),
        "between": TwoSentences(["cat", "milk"], lead=1.2, alpha=1.5),
        "none": TwoSentences(["cat", "milk"], lead=1.5),
        "kl": TwoSentences(["cat", "milk"], lead=0.3, gap=1.0, alpha=1.0, beta=2.0),
    },
    "outside": {
        "plain": outside(caption="A caption."),
        "shifted": outside(shift=3),
        "silent": outside(shift=-2.5, beta=3.0),
        "crowd": outside(copies=100, bias="stays"),
        "zero": outside(beta=0, copies=3),
        "hard": outside(beta=inf, shift=-2),
        "low": outside(beta=-0.3),
        "few": outside(only=["softmax", "ReLU over its sum"], sliders=["shift"], shift=3),
        "one": outside(only=["sigmoid"], sliders=["copies", "beta"]),
        "other": Outside(["a", "internationalisation", "c"], [30.0, 32.0, -4.0], beta=0.01, copies=7),
    },
    "rules": {
        "plain": rules(caption="A caption."),
        "shifted": rules([x + 1 for x in SCORES]),
        "rival": rules([*SCORES[:2], 1.9, *SCORES[3:]]),
        "low": rules([-x for x in SCORES]),
        "none": rules([x - 3 for x in SCORES]),
        "other": FourRules(["a", "internationalisation", "c"], [30.0, 32.0, -4.0], token=2, against=0),
    },
    "jacobian": {
        "plain": slopes(caption="A caption."),
        "sharp": slopes(beta=8.0),
        "zero": slopes(beta=0),
        "hard": slopes(beta=inf),
        "low": slopes(beta=-2.5),
        "tied": Jacobian(["a", "internationalisation", "c"], [1.0, 1.0, -3.0], beta=40),
    },
    "mixture": {
        "plain": mixture(caption="A caption."),
        "zero": mixture(0),
        "hard": mixture(inf),
        "low": mixture(-2.5),
        "doubled": mixture(scores=[2 * x for x in SCORES]),
        "tied": mixture(3.0, [2.0, 2.0, -1.0, 0.0, 2.0, 0.0, 1.0]),
        "huge": mixture(scores=[1e308, -1e308, 0, 1, 2, 3, 4]),
        "other": mixture(0.01, [30.0, 32.0, -4.0], ["a", "internationalisation", "c"]),
    },
    "mask": {
        "plain": mask(caption="A caption."),
        "zeros": mask(offset=-2),
        "infinity": mask(offset=-1, way="infinity"),
        "fill": mask(offset=-1, way="fill"),
        "window": mask(pattern="window", real=4, way="infinity"),
        "cache": mask(queries=2, offset=0),
        "beyond": mask(queries=3, offset=6),
        "all": mask(pattern="all", real=0, way="fill"),
        "flipped": mask(flips=[i % 3 == 0 for i in range(49)]),
        "other": Mask(["a", "b"], [[0.5, -3.0], [2.5, 1.0]], way="infinity", offset=-1),
    },
    "cost": {
        "plain": Cost(caption="A caption."),
        "book": Cost(n=131_072),
        "one": Cost(n=1_048_576, d=256, asks="one"),
        "least": Cost(n=64, d=16, asks="one"),
    },
    "formats": {
        "plain": formats(caption="A caption."),
        "overflow": formats(size=20),
        "underflow": formats(size=800, side="below"),
        "silent": formats(size=15.8, side="below"),
        "zeros": formats(size=1000, way="shifted"),
        "end": formats(size=10_000, way="shifted", side="below"),
        "other": NumberFormats(["a", "b"], [2.0, -1.0], size=100),
    },
    "stream": {
        "plain": stream(caption="A caption."),
        "one": stream(step=2),
        "end": stream(step=7, direction="right"),
        "two": stream(step=3, cut=2),
        "merged": stream(step=7, cut=6),
        "other": Streaming(["a", "b"], [0.0, -5.0], [2.0, -1.0], step=2, cut=1),
    },
    "sampling": {
        "plain": sampling(caption="A caption."),
        "top-p": sampling(cut="top-p", draws=10_000, seed=3),
        "min-p": sampling(step=1, cut="min-p", temperature=3.0),
        "cut-first": sampling(step=2, cut="top-k", temperature=10.0, earlier="cut"),
        "one": sampling(cut="top-k", top_k=1, draws=1),
        "none": sampling(temperature=0.1, draws=0),
        "other": Sampling(["a", " ", "internationalisation"], [[9.0, -8.5, 0.0]], ["and so on"], cut="min-p"),
    },
    "real": {
        "plain": RealHead(),
        "marked": RealHead("warm", caption="A caption."),
        "zero": RealHead("fresh", 0),
        "hard": RealHead("warm", inf),
        "low": RealHead("sweet", -0.5),
        "lowest": RealHead("hungry", -inf),
        "sharp": RealHead("tired", 12.5),
    },
    "heads": {
        "plain": Heads(caption="A caption."),
        "blurred": Heads(times=0.125, head="1.1"),
        "hard": Heads(times=inf, only="2.2", place=0),
        "sparse": Heads("abcabcabc", mapping="sparsemax", head="1.1", times=2.0),
        "entmax": Heads("banana", mapping="entmax", only="1.3", head="1.4"),
        "off": Heads(silent=[i == 2 for i in range(8)], head="1.3"),
        "unknown": Heads("mary.had.a.little.lamb.", place=12),
        "empty": Heads(""),
        "one": Heads("q", place=0),
        "full": Heads(("abcdefghijklmnopqrstu" * 4)[:64], place=50),
    },
    "seventy": {
        "plain": SeventyTwo(),
        "open": SeventyTwo(4, 2, query=3),
        "long": SeventyTwo(5, 6, "small", score_map="sparsemax"),
        "zero": SeventyTwo(6, 12, "ball", beta=0, caption="A caption."),
        "hard": SeventyTwo(2, 9, beta=inf, score_map="entmax"),
        "changed": SeventyTwo(1, 4, "warm", query="it", beta=0.63, score_map="entmax"),
    },
    "learn": {
        "plain": TwoMapsLearn(),
        "pair": TwoMapsLearn("sigmoid_weights", "relu_norm"),
        "entmax": TwoMapsLearn("entmax", "softmax", caption="A caption."),
        "empty": TwoMapsLearn(beta=1.0),
        "one": TwoMapsLearn("relu_norm", "entmax", layers=1, rule="learned", symbols="repeat", seed=2),
    },
    "predict": {
        "choice": choice(figure="beta-weights?beta=inf"),
        "number": number(),
        "even": even(),
    },
}
for kind, states in GALLERY.items():
    for state, figure in states.items():
        figure.name = f"{kind}-{state}"  # so that all of them can stand on one page
