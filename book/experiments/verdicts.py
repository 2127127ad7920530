"""What becomes of the claims that the chapter *experiments* takes up."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "C10",
        "holds when",
        "several tokens say the same, so that spread weights would have averaged their noise away, or where "
        "training at a large β leaves a model a bit off.",
        more="Where four keys carry the answer, the sharper of two trained models is hurt more by noise on keys "
        "and by noise on values. Where one key carries it, there is nothing to average: noise on values hurts a "
        "model at β = 128 no more than one at 4. What it loses there by noise on keys comes from its training: a "
        "model that has nothing to learn loses next to nothing.",
        says="sharp Softmax can lead to brittle models.",
        claims=("experiments-averaging", "experiments-keys", "experiments-one", "experiments-exact"),
    ),
    Verdict(
        "E19",
        "holds when",
        "it is said on which task: what one map does better in long rows another does better in training.",
        more="On a task that is easy enough five maps all learn, softmax and entmax soonest; where one symbol is "
        "not enough to know the next, softmax is ahead after 800 steps. In rows far longer than in training "
        "softmax fails at the β of training where sparsemax does not, and softmax with β in proportion to log"
        " n does not either. And a sparse map may look robust only because its gradient hides from an "
        "attacker what would hurt it.",
        says="Follow-up Research:\n"
        "[The first of four:]\n"
        "1. Compare different activation functions in attention mechanisms",
        claims=(
            "experiments-alike",
            "experiments-groups",
            "experiments-same",
            "experiments-twice",
            "experiments-stays",
            "experiments-masked",
        ),
    ),
    Verdict(
        "E20",
        "holds when",
        "noise is told apart by where it is, and by whether there is something to average.",
        more="Without noise sharpness makes no difference here. With noise it costs much where four keys carry "
        "the answer. Where one does, noise on values costs nothing, and what noise on keys costs comes from "
        "training. A model that may choose its β settles lower the more noise there was in training, from noise "
        "as long as the keys on, and is then right more often than models that were held at a larger one.",
        says="Follow-up Research:\n"
        "[The second of four:]\n"
        "2. Study the relationship between attention sharpness and model performance",
        claims=(
            "experiments-averaging",
            "experiments-keys",
            "experiments-one",
            "experiments-exact",
            "experiments-noise",
            "experiments-own",
        ),
    ),
    Verdict(
        "E21",
        "holds when",
        "the lead of the best stays as rows grow; then a β of c log n, with c at least one over the lead, is "
        "enough.",
        more="Put into a model that was trained with 16 items, it keeps all answers right among 4096. Where the "
        "lead shrinks, on average no rule for β gets far above the ceiling: all weight on the highest score, "
        "which is then often the wrong one. A β that is learned is adaptive too, and what it adapts to is the "
        "noise of training.",
        says="Follow-up Research:\n[The third of four:]\n3. Develop adaptive temperature mechanisms for attention",
        claims=(
            "experiments-grows",
            "experiments-melts",
            "experiments-stays",
            "experiments-ceiling",
            "experiments-noise",
            "experiments-own",
        ),
    ),
]
