"""What the chapter *How sharp should attention be?* makes of the claims of the five texts."""

from lib.book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "A7",
        "holds when",
        "one score is the highest. Scores that tie for it share the weight, in proportion to the null: evenly "
        "under the uniform null of this text. At β = 0 the weights are the null, and below 0 low scores win.",
        says="The limit β → ∞ produces hard routing.",
        claims=("temperature-ties", "temperature-null", "temperature-mirror"),
    ),
    Verdict(
        "A8",
        "holds",
        "The null of this text is uniform. Then for β > 0 the divergence from it grows with β, and entropy falls "
        "by the same amount, unless all scores are equal. The divergence grows from any other null too; entropy "
        "may then rise before it falls.",
        says="Large β allows sharper routing; small β enforces caution.",
        claims=("temperature-slope", "temperature-divergence", "temperature-entropy", "temperature-caution"),
    ),
    Verdict(
        "C4",
        "holds when",
        "“a few tokens strongly” and “dominates” are said of leads several times T, the more times the more "
        "tokens there are, and of a single highest score. Lower T is sharper and higher T softer for every row "
        "whose scores are not all equal. But a T just below 1 changes little, in a crowd even the best token may "
        "keep next to nothing, and ties share. As T → ∞ the weights become equal; the scores stay what they are. "
        "In training T does matter, as a step size and as a start, and too sharp a start can cost most of what is "
        "learned. Generalisation and brittleness are not tested here.",
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
        "β times the winner's lead is at least log((n − 1)(1 − δ)/δ): then it has all but δ. That odds grow "
        "exponentially with the score holds at every β > 0. But with scores in a fixed range and a fixed β, every "
        "weight falls like 1/n as the text grows, the winner's too.",
        says="Competitive Selection: High scores get exponentially more weight. Low scores get suppressed. "
        "Natural winner-take-all behavior.",
        claims=("temperature-winner", "temperature-dilute"),
    ),
    Verdict(
        "E5",
        "holds when",
        "the highest score leads by several times 0.1 and the scores span little against 10, as on the running "
        "example. In another unit of score it does not; temperature alone says nothing.",
        says="Temperature controls sharpness of distribution. temperature = 0.1: Very sharp, near one-hot. "
        "temperature = 1.0: Standard softmax. temperature = 10.0: Very smooth, uniform-like.",
        claims=("temperature-order", "temperature-null", "temperature-list"),
    ),
]
