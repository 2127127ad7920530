"""How figures are made in the tests, each in several states, {figure: {state: widget}}, and what they say."""

import json
import math
from pathlib import Path

from book import figures, judging
from book.example import SCORES, TOKENS
from book.masking.table import TABLE
from book.output.steps import BEFORE, CHARACTERS, LOGITS

inf = math.inf
ROW = {"tokens": TOKENS, "scores": SCORES}
OTHERS = {"tokens": ["a", "internationalisation", "c"], "scores": [30.0, 32.0, -4.0]}
OTHER_CHARACTERS = {
    "tokens": ["a", " ", "internationalisation"],
    "logits": [[9.0, -8.5, 0.0]],
    "before": ["so on"],
}
OPTIONS = ["It stays", "It *doubles*", "It is squared"]
THREE, THREE_SCORES = ["cat", "milk", "it"], [2.0, 1.5, 0.8]
WHY = "It goes from 1.65 to *2.72* <β & all>."


def of(kind, **usual):
    """Makes figures of this kind, with what is usual for them in the tests."""
    return lambda **state: kind(**{**usual, **state})


weights = of(figures.BetaWeights, **ROW, query="it")
curved = of(figures.BetaWeights, **ROW, query="it", curves=True)
compromise = of(figures.Compromise, tokens=THREE, scores=THREE_SCORES)
tell = of(figures.CanYouTell, **ROW)
race = of(figures.Race, **ROW)
raised = of(figures.RaiseOne, **ROW, token=4)
two = of(figures.TwoSentences, words=["cat", "milk"])
outside = of(figures.Outside, **ROW)
repairs = of(figures.Repairs, **ROW)
one_price = of(figures.OnePrice)
lake = of(figures.Lake, **ROW)
DIGITS = {"tokens": list("0123456789"), "scores": [2.3, 3.7, 2.9, 2.8, 2.4, 2.2, 2.1, 5.0, 2.5, 3.4], "right": 7}
twice = of(figures.Twice, **DIGITS)
lamps = of(figures.Lamps, **ROW, token=1, against=4)
slopes = of(figures.Jacobian, **ROW)
mixture = of(figures.Mixture, **ROW)
mask = of(figures.Mask, tokens=TOKENS, scores=TABLE)
formats = of(figures.NumberFormats, **ROW)
stream = of(figures.Streaming, **ROW, values=[0, 1, 0, 0, 1, 0, 0])
sampling = of(figures.Sampling, tokens=CHARACTERS, logits=LOGITS, before=BEFORE)
ask = of(figures.Predict, why=WHY)
choice = of(ask, question="What becomes of *it*?", options=OPTIONS, answer=OPTIONS[2], name="choice")
in_units = of(ask, question="How large must β be?", answer=27.4, unit="per point", name="number")
number = of(in_units, low=1, high=1e5, log=True)
place = of(figures.AnswerField, why="Two and two are four, and so are two times two.", hint="Count your fingers.")
FOUR = judging.number(lambda: 4, slips=[(22, "that is two beside two")]).asked()
THIRDS = judging.row("abc", lambda: [1 / 3] * 3, weights=True, slips=[([1, 0, 0], "they share alike")]).asked()
SIDES = judging.choice(("left", "right"), lambda: "left", lambda word: "look to the other side").asked()
PETS = judging.words(
    ("cat", "milk", "dog", "mouse"),
    lambda: {"cat", "dog"},
    lambda word, belongs: f"mind the {word}",
).asked()
even = of(ask, question="How far?", answer=3.2, low=-2, high=8, name="even")
MAKE = {
    **{
        "weights": weights,
        "curves": curved,
        "compromise": compromise,
        "tell": tell,
        "race": race,
        "raise": raised,
    },
    **{"jacobian": slopes, "mixture": mixture, "outside": outside, "lamps": lamps, "two": two},
    **{"one-price": one_price, "width": figures.Width, "uphill": figures.Uphill, "lake": lake, "twice": twice},
    "repairs": repairs,
    **{"dispersion": figures.Dispersion, "mask": mask, "cost": figures.Cost, "sheet": figures.Sheet},
    **{"formats": formats, "stream": stream, "sampling": sampling, "real": figures.RealHead},
    "flat": figures.MakeItFlat,
    **{"heads": figures.Heads, "yours": figures.YourSentence, "learn": figures.TwoMapsLearn},
    **{"pairs": figures.Pairs, "which": figures.WhichMap},
    "two-rules": figures.TwoRules,
}
GALLERY = {
    "weights": {
        "plain": weights(),
        "zero": weights(beta=0),
        "hard": weights(beta=inf),
        "low": weights(beta=-2.5),
        "masked": weights(beta=3.15, where=[True, False, True, True, True, False, True]),
        "prior": weights(beta=0.5, prior=[1, 1, 2, 1, 1, 9, 0], caption="A caption."),
        "empty": weights(where=[False] * 7),
        "huge": weights(scores=[1e308, -1e308, 0, 1, 2, 3, 4]),
        "bare": weights(plain=True, caption="A caption."),
        "eight": weights(scores=[0.1] * 8, tokens=[*TOKENS, "was"]),
    },
    "curves": {
        "plain": curved(caption="A caption."),
        "hard": curved(beta=inf),
        "low": curved(beta=-2.5),
        "tied": curved(beta=0.3, scores=[1.0, 2.0, 2.0, 0.2, 2.0, 1.0, 0.2]),
        "alike": curved(beta=0.07, scores=[1.0] * 7),
        "masked": curved(beta=3.15, where=[True, False, True, True, True, False, True]),
        "prior": curved(beta=0.0005, prior=[1, 1, 2, 1, 1, 9, 0]),
        "empty": curved(beta=5.0, where=[False] * 7),
        "huge": curved(beta=2000.0, scores=[1e308, -1e308, 0, 1, 2, 3, 4]),
        "fan": curved(plain=True, beta=4.0),
        "crowd": curved(plain=True, crowd=100_000, beta=27.4, scores=[0, 0.5, 0, 0, 0, 0, 0]),
        "many": curved(scores=[k / 8 for k in range(13)], tokens=[f"internationalisation {k}" for k in range(13)]),
    },
    "compromise": {
        "plain": compromise(),
        "budget": compromise(mode="budget", epsilon=0.3, prior=[2, 3, 5]),
        "hard": compromise(beta=inf, prior=[0.01, 0.01, 0.98]),
        "free": compromise(mode="budget", epsilon=inf, caption="A caption."),
        "low": compromise(point=[0.1, 0.2, 0.7]),
        "climbed": compromise(point=[0.7, 0.2, 0.1], pin=[0.5, 0.36, 0.14], top="shown"),
        "dear": compromise(beta=0, point=[0.8, 0, 0.2], top="shown"),
        "edge": compromise(divergence="euclidean", beta=1.7, top="shown"),
        "steep": compromise(beta=100, top="shown"),
        "corner": compromise(
            divergence="tsallis", mode="budget", epsilon=0.5, prior=[1, 2, 2], point=[0, 0, 1], top="shown"
        ),
        "equal": compromise(tokens=["a", "b", "c"], scores=[1, 1, 1], prior=[1, 2, 3]),
        "tied": compromise(tokens=["thirsty", "because", "sentence"], scores=[1, 1, -12], beta=40),
    },
    "tell": {
        "plain": tell(caption="A caption."),
        "one": tell(m=1, hold="misses"),
        "few": tell(m=3, hold="false alarms"),
        "many": tell(m=1000, beta=0.5),
        "hot": tell(beta=10, m=5, hold="false alarms"),
        "other": tell(tokens=["a", "b", "c"], scores=[-0.3, 3.2, 0.5], beta=2.5, m=7),
        "humps": tell(m=5, exponents=False),
    },
    "race": {
        "plain": race(caption="A caption."),
        "none": race(races=0),
        "normal": race(noise="normal", races=100_000),
        "uniform": race(noise="uniform", races=30, beta=0.1),
        "other": race(tokens=["a", "b", "c"], scores=[-3.0, -1.0, -1.0], races=12_345, seed=2),
    },
    "width": {
        "plain": figures.Width(caption="A caption."),
        "wide": figures.Width(d=64),
        "divided": figures.Width(d=64, scale="divided"),
        "narrow": figures.Width(d=1, query=26),
        "far": figures.Width(d=64, query=26),
        "other": figures.Width(d=4, scale="divided", tokens=["a", "internationalisation"]),
    },
    "uphill": {
        "plain": figures.Uphill(caption="A caption."),
        "first": figures.Uphill(steps=3),
        "near": figures.Uphill(steps=11_000),
        "there": figures.Uphill(steps=12_000, caption="A caption."),
        "short": figures.Uphill(lead=1, steps=1),
    },
    "dispersion": {
        "plain": figures.Dispersion(caption="A caption."),
        "melted": figures.Dispersion(crowd=4096, lead=1.2),
        "grows": figures.Dispersion(crowd=30_000, rule="grows", lead=2.0),
        "end": figures.Dispersion(crowd=1_000_000, rule="grows", trend="shrinks", lead=12),
        "none": figures.Dispersion(lead=0),
        "crowd": figures.Dispersion(crowd=100),
    },
    "raise": {
        "plain": raised(caption="A caption."),
        "lowered": raised(token=1, by=-3, beta=3.0),
        "beyond": raised(token=0, by=3, beta=4.0),
        "hard": raised(by=0.6, beta=inf),
        "low": raised(token=5, by=2, beta=-1.0),
        "other": raised(**OTHERS, token=2, by=3, beta=0.01),
    },
    "lake": {
        "plain": lake(caption="A caption."),
        "found": lake(water="found"),
        "low": lake(level=-1.2),
        "between": lake(alpha=1.5, water="found"),
        "dry": lake(alpha=1, beta=0.25),
        "sharp": lake(beta=4, water="found"),
        "high": lake(tokens=["a", "internationalisation"], scores=[1.0, 2.5], level=2.5),
    },
    "two": {
        "plain": two(caption="A caption."),
        "led": two(lead=0.6),
        "between": two(lead=0.9, alpha=1.5, dial=True),
        "none": two(lead=1.0, beta=1.0),
        "kl": two(lead=0.3, gap=0.2, alpha=1.0, beta=2.0),
        "tied": two(lead=0.35, gap=0.4, alpha=1.0, dial=True),
    },
    "twice": {
        "plain": twice(caption="A caption."),
        "sure": twice(score=10),
        "near": twice(score=8.2),
        "once": twice(score=8, again="left out"),
        "wrong": twice(score=0),
    },
    "one-price": {
        "plain": one_price(caption="A caption."),
        "joined": one_price(newcomer="joins"),
        "half": one_price(price=1.5, newcomer="joins"),
        "square": one_price(price=2, newcomer="joins"),
        "alone": one_price(price=1.25),
    },
    "outside": {
        "plain": outside(caption="A caption."),
        "shifted": outside(test="shift"),
        "silent": outside(test="fall", asked=["shift"]),
        "times": outside(test="times"),
        "joined": outside(test="join", asked=figures.outside.TESTS),
        "over": outside(asked=["rise"]),
        "other": outside(**OTHERS, test="rise"),
    },
    "repairs": {
        "plain": repairs(caption="A caption."),
        "shifted": repairs(situation="shift"),
        "none": repairs(repair="none", situation="times"),
        "gate": repairs(repair="gate", situation="join", gate=-6),
        "cap": repairs(repair="cap", situation="times"),
        "norm": repairs(repair="norm", situation="shift", gain=10),
        "length": repairs(repair="length", situation="long", typical=2),
        "silent": repairs(sink=8),
        "other": repairs(**OTHERS, situation="long", repair="cap"),
    },
    "lamps": {
        "plain": lamps(caption="A caption."),
        "one": lamps(out=["squares-3"]),
        "risen": lamps(scores=[0.2, 2.0, 1.9, 0.2, 1.5, -0.6, 0.8], was=SCORES, out=["squares-3"]),
        "shifted": lamps(shift=1.0, was=SCORES, caption="A caption."),
        "low": lamps(shift=-0.9, out=figures.lamps.LAMPS),
        "none": lamps(scores=[-0.5, -0.5, -1.5, -1.0, -0.2, -0.6, -0.8], was=SCORES),
        "high": lamps(scores=[3.0] * 6 + [-1.5]),
        "other": lamps(tokens=OTHERS["tokens"], scores=[2.0, 3.0, -1.5], token=2, against=0),
    },
    "jacobian": {
        "plain": slopes(caption="A caption."),
        "sharp": slopes(beta=8.0),
        "hard": slopes(beta=inf),
        "low": slopes(beta=-2.5),
        "tied": slopes(**{**OTHERS, "scores": [1.0, 1.0, -3.0]}, beta=40),
    },
    "mixture": {
        "plain": mixture(caption="A caption."),
        "zero": mixture(beta=0),
        "hard": mixture(beta=inf),
        "low": mixture(beta=-2.5),
        "doubled": mixture(scores=[2 * x for x in SCORES]),
        "tied": mixture(beta=3.0, scores=[2.0, 2.0, -1.0, 0.0, 2.0, 0.0, 1.0]),
        "huge": mixture(scores=[4, 3, 2, 1, 0, -1e308, 1e308]),
        "other": mixture(**OTHERS, beta=0.01),
    },
    "mask": {
        "plain": mask(caption="A caption."),
        "called": mask(queries=4, flips=[i > 41 and i != 43 for i in range(49)], way="infinity", below="gradient"),
        "infinity": mask(offset=-1, way="infinity"),
        "fill": mask(offset=-1, way="fill"),
        "window": mask(pattern="window", real=4, way="infinity"),
        "cache": mask(queries=2, offset=0),
        "all": mask(pattern="all", real=0, way="fill"),
        "flipped": mask(flips=[i % 3 == 0 for i in range(49)]),
        "other": mask(tokens=["a", "b"], scores=[[0.5, -3.0], [2.5, 1.0]], way="infinity", offset=-1),
    },
    "cost": {
        "plain": figures.Cost(caption="A caption."),
        "book": figures.Cost(n=131_072),
        "one": figures.Cost(n=1_048_576, d=256, asks="one"),
        "least": figures.Cost(n=64, d=16, asks="one"),
    },
    "sheet": {
        "plain": figures.Sheet(caption="A caption."),
        "book": figures.Sheet(n=131_072),
        "blocks": figures.Sheet(n=131_072, way="blocks"),
        "least": figures.Sheet(n=1024, way="blocks"),
    },
    "formats": {
        "plain": formats(caption="A caption."),
        "overflow": formats(shift=10),
        "underflow": formats(shift=-21),
        "silent": formats(shift=-19),
        "shifted": formats(shift=11.5, way="shifted"),
        "wide": formats(shift=-22, format="float64"),
        "other": formats(tokens=["a", "b"], scores=[20.0, -40.0], format="bfloat16"),
    },
    "stream": {
        "plain": stream(caption="A caption."),
        "one": stream(step=2),
        "end": stream(step=7, direction="right"),
        "two": stream(step=3, cut=2),
        "merged": stream(step=7, cut=6),
        "other": stream(tokens=["a", "b"], scores=[0.0, -5.0], values=[2.0, -1.0], step=2, cut=1),
    },
    "sampling": {
        "plain": sampling(caption="A caption."),
        "top-p": sampling(cut="top-p", draws=10_000, seed=3),
        "min-p": sampling(step=1, cut="min-p", temperature=3.0),
        "cut-first": sampling(step=2, cut="top-k", temperature=10.0, earlier="cut"),
        "hundred": sampling(draws=100),
        "one": sampling(cut="top-k", top_k=1, draws=1),
        "none": sampling(temperature=0.1, draws=0),
        "other": sampling(**OTHER_CHARACTERS, cut="min-p"),
    },
    "real": {
        "plain": figures.RealHead(),
        "marked": figures.RealHead("warm", caption="A caption."),
        "zero": figures.RealHead("fresh", 0),
        "hard": figures.RealHead("warm", inf),
        "low": figures.RealHead("sweet", -0.5),
        "sharp": figures.RealHead("tired", 12.5),
    },
    "flat": {
        "plain": figures.MakeItFlat(caption="A caption."),
        "straight": figures.MakeItFlat([5, 10, 15, 20, 25], place=0),
        "step": figures.MakeItFlat([2.8, 3, 3.2, 24, 25], place=3.1),
        "even": figures.MakeItFlat([1] * 5),
        "fallen": figures.MakeItFlat([16, 8, 4, 2, 1]),
        "level": figures.MakeItFlat([1, 2, 4, 8, 16]),
        "found": figures.MakeItFlat(beta=0.8, place=2.2),
        "steep": figures.MakeItFlat([5, 10, 15, 20, 25], beta=8),
        "zero": figures.MakeItFlat(beta=0),
    },
    "two-rules": {
        "plain": figures.TwoRules(),
        "fresh": figures.TwoRules("fresh"),
        "asked": figures.TwoRules("warm", "B", seen="both"),
        "guessed": figures.TwoRules("sweet", guess="B"),
        "melted": figures.TwoRules(rule="B", ten="yes", guess="A", seen="ten"),
        "stays": figures.TwoRules(ten="yes", guess="B", seen="all"),
        "told": figures.TwoRules("warm", "B", seen="all"),
    },
    "heads": {
        "plain": figures.Heads(caption="A caption."),
        "hard": figures.Heads(times=inf, only="2.2", place=0),
        "sparse": figures.Heads("abcabcabc", mapping="sparsemax", head="1.1", times=2.0),
        "entmax": figures.Heads("banana", mapping="entmax", only="1.3", head="1.4"),
        "off": figures.Heads(silent=[i == 2 for i in range(8)], head="1.3"),
        "unknown": figures.Heads("mary.had.a.little.lamb.", place=12),
        "empty": figures.Heads(""),
        "one": figures.Heads("q", place=0),
        "full": figures.Heads(("abcdefghijklmnopqrstu" * 4)[:64], place=50),
    },
    "pairs": {
        "plain": figures.Pairs(sentence_figure="patterns-encoder"),
        "filled": figures.Pairs(filled="yes", caption="A caption."),
        "best": figures.Pairs(5, 6, pair=9, filled="yes"),
        "first": figures.Pairs(1, 1, pair=24, filled="yes"),
        "unknown": figures.Pairs(filled="yes", score_map="sigmoid_weights", beta="double"),
    },
    "which": {
        "plain": figures.WhichMap(),
        "one": figures.WhichMap(tried=["relu_norm"], caption="A caption."),
        "all": figures.WhichMap(tried="half double entmax sparsemax relu_norm sigmoid_weights none".split()),
    },
    "yours": {
        "plain": figures.YourSentence(),
        "long": figures.YourSentence(5, 6, "small", score_map="sparsemax"),
        "zero": figures.YourSentence(6, 12, "ball", beta=0, caption="A caption."),
        "hard": figures.YourSentence(2, 9, beta=100, score_map="entmax"),
        "changed": figures.YourSentence(1, 4, "warm", query="it", beta=0.63, score_map="entmax"),
    },
    "learn": {
        "plain": figures.TwoMapsLearn(),
        "pair": figures.TwoMapsLearn("sigmoid_weights", "relu_norm"),
        "entmax": figures.TwoMapsLearn("entmax", "softmax", caption="A caption."),
        "empty": figures.TwoMapsLearn(beta=1.0),
        "one": figures.TwoMapsLearn("relu_norm", "entmax", layers=1, rule="learned", symbols="repeat", seed=2),
    },
    "predict": {
        "choice": choice(figure="beta-weights?beta=inf"),
        "number": number(),
        "even": even(),
    },
    "answer": {
        "number": place(asked=FOUR),
        "row": place(asked=THIRDS),
        "choice": place(asked=SIDES),
        "words": place(asked=PETS),
        "right": place(asked=FOUR, given="2 + 2"),
        "wrong": place(asked=PETS, given="cat,milk", caption="A caption."),
    },
}
for kind, states in GALLERY.items():
    for state, figure in states.items():
        figure.name = f"{kind}-{state}"  # so that all of them can stand on one page

HOSTILE = "<u>'\"&</u>"
ROW_OF_THREE = {"tokens": [HOSTILE, "b", "c"], "scores": [0.5, -1.0, 2.0], "caption": HOSTILE, "alt": HOSTILE}
NAMED = {key: value for key, value in ROW_OF_THREE.items() if key != "scores"}
FEWER = {  # figures of other tokens, and fewer
    **{kind: MAKE[kind](**ROW_OF_THREE) for kind in ("tell", "race", "mixture", "outside", "jacobian", "lake")},
    "repairs": repairs(**ROW_OF_THREE),
    "weights": weights(**ROW_OF_THREE, query=HOSTILE),
    "curves": curved(**ROW_OF_THREE, query=HOSTILE),
    "compromise": compromise(**ROW_OF_THREE),
    "raise": raised(**ROW_OF_THREE, token=1),
    "lamps": lamps(**ROW_OF_THREE, token=2, against=0),
    "twice": twice(**{**ROW_OF_THREE, "scores": [0.5, 0.0, 2.0]}, right=2),
    "mask": mask(**NAMED, scores=[[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]], way="fill", offset=-1),
    "formats": formats(**ROW_OF_THREE),
    "stream": stream(**ROW_OF_THREE, values=[1.0, 0.0, 2.0], step=2, cut=1),
    "sampling": sampling(**NAMED, logits=[[0.5, -1.0, 2.0], [0.0, 0.0, 1.0]], before=[HOSTILE, "y"]),
}


def sentences():
    """{figure: [(state, sentence)]}, from sentences.txt: after a figure's name each state and what it says."""
    text = Path(__file__).with_name("sentences.txt").read_text("utf-8")
    figures = [part.partition("\n\n") for part in text.removeprefix("# ").split("\n\n# ")]
    read = lambda block: (json.loads(block.partition("\n")[0]), block.partition("\n")[2])  # noqa: E731
    return {name: [read(block) for block in blocks.strip().split("\n\n")] for name, _, blocks in figures}


SAID = sentences()
