"""The static plots of the chapter *attention*: where it sits, its steps, odds against gaps, who looks at whom."""

import numpy as np
from matplotlib.patches import Rectangle

from book.attention.by_hand import k, q, v
from book.example import TOKENS
from book.figures import encoder_heads
from book.figures.real_head import made
from book.plots import canvas, ink, label, line
from book.rows import bar_rows, blank
from lib import attention, softmax

STREAMS = ("the", "cat", "drank", "…", "it")


def where_it_sits(name):
    """One layer of a transformer: lists that go up, attention between them, and a step for each by itself."""
    fig, ax = canvas(name, height=350, left=150, right=20, top=12, bottom=36)
    last = len(STREAMS) - 1
    for x, word in enumerate(STREAMS):
        ax.annotate("", (x, 5), (x, 0), arrowprops={"arrowstyle": "-|>", "color": ink("quiet"), "linewidth": 1.5})
        label(ax, x, 0, word, dy=-18, ha="center")
        _square(ax, x, 3.6, 0.36, facecolor=ink("paper"), edgecolor=ink("ink"), linewidth=1.5, zorder=3)
    for x, width in enumerate((1.0, 5.0, 2.0, 1.0)):
        bent = {"arrowstyle": "-", "connectionstyle": "arc3,rad=-0.18", "linewidth": width}
        ax.annotate("", (last, 2.15), (x, 0.9), arrowprops=bent | {"color": ink("weight")})
    for y, text, colour in (
        (4.6, "next layer", "quiet"),
        (3.6, "each token\nby itself", "ink"),
        (1.6, "attention:\n“it” takes\nfrom others", "weight"),
    ):
        label(ax, -0.45, y, text, colour, dy=-5 - 12 * text.count("\n"), ha="right")
    ax.set(xlim=(-0.3, last + 0.3), ylim=(0, 5.1))
    blank(ax)
    fig.show(
        title="Where attention sits in a transformer",
        alt="Five tokens side by side, each with an arrow that goes up: its list of numbers. In the lower half of "
        "a layer lines of different thickness lead from the other tokens to the arrow of the word it. In the "
        "upper half a small box stands on each arrow. The next layer follows.",
        caption="One layer. Each arrow is the list of one token, to which things are added on the way up. In "
        "attention a token, here “it”, takes something from the lists of the others (and from its own, not "
        "drawn); the boxes change each list by itself.",
    )


def odds(scores, tokens, best, name):
    """The odds e^(βΔ) against the gap Δ for three β, and the tokens of the example at β = 1."""
    fig, ax = canvas(name, x="gap Δ between two scores, points", y="odds of the higher, to 1", right=110)
    gap = np.array([0.0, 4.0])
    for beta in (0.25, 0.5, 1):
        ax.plot(gap, np.exp(beta * gap), **line("softmax"))
        label(ax, 4, np.exp(beta * 4), f"β = {beta:g}", "weight", dx=8, dy=-5)
    for token, score in dict(zip(tokens, scores, strict=True)).items():
        if token != best:
            apart = max(scores) - score
            ax.plot(apart, np.exp(apart), "o", color=ink("weight"), markersize=7)
            label(ax, apart, np.exp(apart), token, "ink", dx=-7, dy=6, ha="right")
    ax.set(xlim=(0, 4), ylim=(1, 100), yscale="log", xticks=[0, 1, 2, 3, 4])
    ax.set_yticks([1, 10, 100], ["1", "10", "100"])
    fig.show(
        title="Odds against the gap between two scores",
        alt="On a logarithmic axis the odds of the higher of two scores rise in a straight line with the gap: "
        "by a factor of e for every point at β = 1, by its square root at β = 0.5, slower still at β = 0.25. "
        f"Dots on the highest line mark the odds of {best} over the other tokens of the example.",
        caption="Every further point of gap multiplies the odds by the same factor, wherever one starts. The "
        "upright axis goes in powers of ten, so an exponential is a straight line. "
        f"Dots: the odds of {best} over each other token at β = 1.",
    )


def who_sees_whom(name):
    """The weights of every query of the example under a causal mask: area is weight, hatched is masked."""
    _, weights = attention(q, k, v, beta=1.0, causal=True, return_weights=True)  # (n_q, n_k)
    tokens, n = TOKENS, len(TOKENS)
    fig, ax = canvas(name, height=500, left=164, right=106, top=118, bottom=12)
    for i, j in np.ndindex(n, n):
        if j > i:
            _square(ax, j, i, 0.92, edgecolor=ink("masked"), hatch="///", linewidth=0)
            continue
        _square(ax, j, i, 0.92, edgecolor=ink("line"), linewidth=1)
        _square(ax, j, i, 0.92 * np.sqrt(weights[i, j]), facecolor=ink("weight"), linewidth=0)
        if i == j:
            _square(ax, j, i, 0.92, edgecolor=ink("ink"), linewidth=1.6)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    ax.grid(False)
    ax.xaxis.tick_top()
    ax.spines["bottom"].set_visible(False)
    ax.set_xticks(range(n), tokens, rotation=45, ha="left", rotation_mode="anchor")
    ax.set_yticks(range(n), tokens)
    ax.tick_params(length=0, labelcolor=ink("ink"), pad=6)
    fig.show(
        title="Who sees whom",
        alt="A grid of seven queries by seven keys, at β = 1. Above the diagonal the entries are masked. In each "
        "row the filled squares show the weights; the first row has only its diagonal entry, which is full.",
        caption="Each row is a query, each column a key, and β = 1. Filled area is weight, and adds up to one "
        "full cell in each row. Hatched cells are masked: these words come later. Outlined is a word’s own key. "
        "The first word sees no other, so it gives itself all the weight.",
    )


def _square(ax, x, y, side, *, facecolor="none", **look):
    ax.add_patch(Rectangle((x - side / 2, y - side / 2), side, side, facecolor=facecolor, **look))


def steps(scores, tokens, name):
    """The first two steps by hand: scores, their exponentials, and the weights."""
    s = np.asarray(scores, dtype=float)
    columns = {"score": s, "exponential": np.exp(s), "weight": softmax(s)}
    fig, _ = bar_rows(tokens, columns, ["score", "ink", "weight"], shared=False, name=name)
    fig.show(
        title="From scores to weights",
        alt="Three bars for each word: its score, the exponential of the score, and its weight. Cat has 2.00, "
        f"{np.exp(2):.2f} and {softmax(s).max():.2f}; the last two columns have the same proportions.",
        caption="Each column has its own scale. The exponential makes every number positive; dividing by the "
        f"total of {np.exp(s).sum():.2f} changes no proportion.",
    )


def accentuates(scores, tokens, name):
    """x − log x at β = 1: where it falls softmax tones differences down, where it rises it plays them up."""
    x = np.linspace(0.12, 2.4, 200)
    fig, ax = canvas(name, x="score x, at β = 1", y="x − log x", height=350)
    ax.axvspan(0, 1, color=ink("prior"), alpha=0.16, linewidth=0)
    ax.plot(x, x - np.log(x), color=ink("ink"), linewidth=2)
    for token, at in dict(zip(tokens, scores, strict=True)).items():
        if at > 0:
            ax.plot(at, at - np.log(at), "o", color=ink("score"), markersize=8)
            label(ax, at, at - np.log(at), token, "score", dx=10 if at < 0.5 else 0, dy=-2 if at < 0.5 else 12,
                  ha="left" if at < 0.5 else "center", halo=at > 1)  # fmt: skip
    label(ax, 0.5, 0.62, "tones down", "quiet", ha="center", halo=False)
    label(ax, 1.7, 0.62, "plays up", "quiet", ha="center")
    ax.set(xlim=(0, 2.4), ylim=(0.5, 2.3), xticks=[0, 0.5, 1, 1.5, 2], yticks=[1, 1.5, 2])
    fig.show(
        title="Where softmax accentuates",
        alt="The curve x − log x falls up to x = 1 and rises from there. The and it lie on the falling side, "
        "drank, milk and cat on the rising side.",
        caption="Of two words on the falling side, softmax brings the odds closer than shares of the points do. "
        "On the rising side it drives them apart.",
    )


def several_heads(name, sentence="fresh"):
    """What "it" gives to each token in four heads of a trained encoder: the one above, and three more."""
    weights, tokens = encoder_heads.weights(sentence), encoder_heads.sentence(sentence)["tokens"]
    parts, it = encoder_heads.shares(weights), tokens.index("it")
    most = [parts["previous"], parts["start"], encoder_heads.spread(weights)]  # (layers, heads) each
    chosen = [(made()["layer"] - 1, made()["head"] - 1), *(np.unravel_index(x.argmax(), x.shape) for x in most)]
    columns = {f"layer {i + 1},\nhead {j + 1}": weights[i, j, it] for i, j in chosen}
    tokens = ["start", *tokens[1:-1], "end"]
    fig, _ = bar_rows(tokens, columns, left=112, row=26, write="", name=name)
    told = "; ".join(f"{what}, most to {tokens[row.argmax()]}" for what, row in columns.items()).replace("\n", " ")
    fig.show(
        title="Four heads, one word",
        alt=f"The weights that “it” gives to each token of the sentence, in four heads: {told}.",
        caption="The weights of “it” in four heads, all on one scale. The first is the head above. The second "
        "looks one word back, the third at the start mark, and the last spreads its weight more than any other.",
    )


def wrong_axis(name):
    """What each query's weights sum to if softmax runs down the columns, with all queries and without the last."""
    scores = q @ k.T  # (n_q, n_k)
    seen = np.tril(np.ones_like(scores, dtype=bool))
    down = softmax(scores, where=seen, axis=0).sum(axis=1)
    fewer = softmax(scores[:-1], where=seen[:-1], axis=0).sum(axis=1)
    columns = {
        "along rows": softmax(scores, where=seen).sum(axis=1),
        "down columns": down,
        "“it” taken away": [*fewer, None],
    }
    fig, _ = bar_rows(TOKENS, columns, left=112, row=28, name=name)
    fig.show(
        title="What the weights of each query sum to",
        alt="For each of the seven queries the sum of its weights. Along rows each is 1. Down the columns they "
        f"differ, from {down.min():.2f} to {down.max():.2f}, and if the last query is "
        "taken away, those of earlier ones change.",
        caption="The sum of each query’s weights. Down the columns it is not 1. And if the last word is taken "
        "away, the weights of earlier words change: they had depended on a word that they must not see.",
    )
