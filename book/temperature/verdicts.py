"""What the chapter *temperature* makes of the claims of the five texts."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "A7",
        "holds when",
        "one score is the highest.",
        more="Scores that tie for it share the weight, in proportion to the null: evenly under the uniform null "
        "of this text. At β = 0 the weights are the null, and below 0 low scores win.",
        says="The limit β → ∞ produces hard routing.",
        claims=("temperature-alike", "temperature-ties", "temperature-null", "temperature-order"),
    ),
    Verdict(
        "A8",
        "holds",
        "From the uniform null of this text the divergence grows with β, for β > 0, and entropy falls by the "
        "same amount, unless all scores are equal.",
        more="No set of tokens is more than βR/4 off the null, where R is the range of the scores. From another "
        "null the divergence grows too, but entropy may rise before it falls.",
        says="Large β allows sharper routing; small β enforces caution.",
        claims=(
            "temperature-slope",
            "temperature-null",
            "temperature-divergence",
            "temperature-entropy",
            "temperature-caution",
        ),
    ),
    Verdict(
        "C4",
        "holds in part",
        "Lower T is sharper and higher T softer, but a T below 1 need not leave few tokens, and scores that tie "
        "for the largest share the weight.",
        more="The order holds for every row whose scores are not all equal. But “a few tokens strongly” takes "
        "leads several times T, the more times the more tokens there are: on the running example T = 0.9 changes "
        "little, and in a crowd even the best token may keep next to nothing. “The largest score dominates” "
        "takes a single highest score; ties share. As T → ∞ the scores divided by T, and with them the weights, "
        "become equal. “Confident” describes the weights: which T makes them as sure as they are right depends "
        "on the noise in the scores. In training T does matter, as a step size and as a start, and too sharp a "
        "start can cost most of what is learned. Generalisation is not tested here; brittle models are C10.",
        says="• When T < 1, the output distribution becomes sharper — the model focuses on a few tokens "
        "strongly.\n"
        "• When T > 1, the distribution becomes softer — attention spreads across more tokens.\n"
        "\n"
        "Extremes:\n"
        "• T → 0 → the largest score dominates (deterministic attention).\n"
        "• T → ∞ → all scores equalize (uniform attention).\n"
        "Think of temperature as how “decisive” the model feels. Low T: it’s confident and selective. High "
        "T: it’s uncertain and listens to everyone equally.\n"
        "[And, under Common Misunderstandings:]\n"
        "• “Temperature scaling only matters at inference.” It affects both training dynamics and "
        "generalization — sharp Softmax can lead to brittle models.",
        claims=(
            "temperature-order",
            "temperature-slope",
            "temperature-alike",
            "temperature-ties",
            "temperature-null",
            "temperature-divergence",
            "temperature-entropy",
            "temperature-winner",
            "temperature-dilute",
            "scale-step",
            "scale-stuck",
            "temperature-calibrated",
            "temperature-fitted",
        ),
    ),
    Verdict(
        "D7",
        "holds when",
        "the relevant tokens have the highest scores, with a lead over the others that is large enough for β and "
        "for the number of tokens.",
        more="To normalise changes no ratio of two weights. What makes a token stand out is the exponential: a "
        "lead of Δ is a factor of e^(βΔ). At a small β the weights stay near those of the null, and where scores "
        "lie in a fixed range and β is fixed, no token stands out in a text that is long enough. Which token has "
        "the highest score is a matter of training, and in a trained head it can be the wrong one: see E24.",
        says="2. Focus on Relevant Tokens:\n"
        "- By normalizing and scaling, it highlights the most relevant tokens for a given query.",
        claims=("attention-odds", "temperature-null", "temperature-winner", "temperature-dilute"),
    ),
    Verdict(
        "E4",
        "holds when",
        "β times the winner's lead is at least log((n − 1)(1 − δ)/δ): then, under the uniform null, it has all "
        "but δ.",
        more="That odds grow exponentially with the score, and so low scores are suppressed against high ones, "
        "holds at every β > 0. But with scores in a fixed range and a fixed β, every weight falls like 1/n as "
        "the text grows, the winner's too.",
        says="2. Competitive Selection:\n"
        "- High scores get exponentially more weight\n"
        "- Low scores get suppressed\n"
        "- Natural winner-take-all behavior",
        claims=("temperature-winner", "temperature-dilute", "attention-odds"),
    ),
    Verdict(
        "E5",
        "holds when",
        "the scores’ leads and the number of tokens allow it.",
        more="T = 0.1 is near one-hot if the highest score leads all others by T log((n − 1)(1 − δ)/δ), with a "
        "small δ: the winner then has at least all but δ of the weight. With a lead of just ½ over each it has "
        "0.96 among 7 tokens, 0.60 among 100 and 0.0015 among 100\u202f000. T = 10 is near uniform if the scores "
        "span little against 10, as on the running example; with scores in other units neither need be so. That T "
        "controls sharpness holds for every row whose scores are not all equal: from the uniform null, the lower "
        "T, the lower the entropy. T = 1 is softmax with β = 1.",
        says="Temperature Scaling:\n"
        "```python\n"
        "def softmax_with_temperature(logits, temperature=1.0):\n"
        '    """Temperature controls sharpness of distribution"""\n'
        "    scaled_logits = logits / temperature\n"
        "    return F.softmax(scaled_logits, dim=-1)\n"
        "\n"
        "# Examples:\n"
        "# temperature = 0.1: Very sharp, near one-hot\n"
        "# temperature = 1.0: Standard softmax\n"
        "# temperature = 10.0: Very smooth, uniform-like\n"
        "```",
        claims=(
            "temperature-order",
            "temperature-null",
            "temperature-divergence",
            "temperature-entropy",
            "temperature-list",
            "temperature-winner",
        ),
    ),
]
