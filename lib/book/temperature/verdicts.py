"""What the chapter *temperature* makes of the claims of the five texts."""

from lib.book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "A7",
        "holds when",
        "one score is the highest. Scores that tie for it share the weight, in proportion to the null: evenly "
        "under the uniform null of this text. At β = 0 the weights are the null, and below 0 low scores win.",
        says="The limit β → ∞ produces hard routing.",
        claims=("temperature-ties", "temperature-null", "temperature-order"),
    ),
    Verdict(
        "A8",
        "holds",
        "The null of this text is uniform. Then for β > 0 the divergence from it grows with β, and entropy falls "
        "by the same amount, unless all scores are equal. And no set of tokens is more than βR/4 off the "
        "null, where R is the range of the scores. From another null the divergence grows too, but entropy may "
        "rise before it falls.",
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
        "holds when",
        "“a few tokens strongly” is said of leads several times T, the more times the more tokens there are, and "
        "“the largest score dominates” of a single highest score; ties share. Lower T is sharper and higher T "
        "softer for every row whose scores are not all equal. But on the running example T = 0.9 changes little, "
        "and in a crowd even the best token may keep next to nothing. As T → ∞ the scores divided by T, and with "
        "them the weights, become equal. In training T does matter, as a step size and as a start, and too sharp "
        "a start can cost most of what is learned. Generalisation and brittleness are not tested here.",
        says="When T < 1, the output distribution becomes sharper — the model focuses on a few tokens strongly. "
        "When T > 1, the distribution becomes softer — attention spreads across more tokens. Extremes: T → 0 → "
        "the largest score dominates (deterministic attention). T → ∞ → all scores equalize (uniform attention). "
        "[And, under Common Misunderstandings:] “Temperature scaling only matters at inference.” It affects both "
        "training dynamics and generalization — sharp Softmax can lead to brittle models.",
        claims=(
            "temperature-order",
            "temperature-slope",
            "temperature-ties",
            "temperature-null",
            "temperature-divergence",
            "temperature-entropy",
            "temperature-winner",
            "temperature-dilute",
            "scale-step",
            "scale-stuck",
        ),
    ),
    Verdict(
        "E4",
        "holds when",
        "β times the winner's lead is at least log((n − 1)(1 − δ)/δ): then, under the uniform null, it has all "
        "but δ. That odds grow exponentially with the score, and so low scores are suppressed against high ones, "
        "holds at every β > 0. But with scores in a fixed range and a fixed β, every weight falls like 1/n as the "
        "text grows, the winner's too.",
        says="Competitive Selection: High scores get exponentially more weight. Low scores get suppressed. "
        "Natural winner-take-all behavior.",
        claims=("temperature-winner", "temperature-dilute"),
    ),
    Verdict(
        "E5",
        "holds when",
        "T = 0.1 is near one-hot if the highest score leads by several times 0.1, and T = 10 near uniform if the "
        "scores span little against 10, as on the running example; with scores in other units neither need be so. "
        "That T controls sharpness holds for every row whose scores are not all equal: from the uniform null, the "
        "lower T, the lower the entropy. T = 1 is softmax with β = 1.",
        says="Temperature controls sharpness of distribution. temperature = 0.1: Very sharp, near one-hot. "
        "temperature = 1.0: Standard softmax. temperature = 10.0: Very smooth, uniform-like.",
        claims=(
            "temperature-order",
            "temperature-null",
            "temperature-divergence",
            "temperature-entropy",
            "temperature-list",
        ),
    ),
]
