"""What the chapter *kl* makes of the claims of the five texts."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "A5",
        "holds",
        "For finite scores and every finite β above 0 softmax is the only best choice, and it is worth (1/β) log "
        "of the mean of e^(βz) under u.",
        more="The same two proofs serve any null without zeros: then the answer is u e^(βz), divided by its sum.",
        says="Let u be the uniform distribution over admissible indices. Consider the optimization problem\n"
        "max_{π ∈ Δ} [ Σᵢ πᵢ zᵢ − (1/β) KL(π‖u) ].\n"
        "The solution is\n"
        "πᵢ⋆ ∝ e^{β zᵢ},\n"
        "which recovers softmax.",
        claims=("kl-gibbs", "kl-solver", "kl-regret"),
        argued=("kl",),
    ),
    Verdict(
        "A6",
        "holds when",
        "the budget is above 0 and below the log of n over the number of tokens that tie for the best, with n "
        "the number of admissible ones.",
        more="The heading has a constraint, the problem under it a price of 1/β. The two have the same answer "
        "there, every budget has one β of its own, and 1/β is what a little more of the budget is worth. A "
        "larger budget has no use: then the best score is earned for less, and β is ∞.",
        says="A KL-constrained view\n"
        "Let u be the uniform distribution over admissible indices. Consider the optimization problem\n"
        "max_{π ∈ Δ} [ Σᵢ πᵢ zᵢ − (1/β) KL(π‖u) ].",
        claims=("kl-slopes", "kl-budget", "kl-monotone", "kl-prices", "kl-margin", "kl-saturation"),
    ),
]
