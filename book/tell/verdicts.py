"""What becomes of the claims about hypothesis testing and indifference, and why."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "A4",
        "holds",
        "The two errors of any test between π and the null, on any number m of independent tokens, sum to at "
        "least 1 − √(1 − e^(−m KL(π‖u))).",
        more="They also sum to at least 1 − √(m KL(π‖u)/2), which says something while m KL(π‖u) is below 2. "
        "KL(u‖π) bounds them in the same way. What the book adds is an exponent, and it depends on the error: "
        "for many tokens the fewest false alarms, misses held, fall with KL(π‖u), and the fewest misses, false "
        "alarms held, with KL(u‖π). Between the two both errors fall, their exponents are the divergences of a "
        "softmax p at a β in between, KL(p‖u) and KL(p‖π), and that of their least sum is Chernoff’s.",
        says="The KL term bounds distinguishability from a null hypothesis.",
        claims=(
            "tell-best",
            "tell-simulated",
            "tell-stein",
            "tell-trade",
            "tell-chernoff",
            "tell-pinsker",
            "tell-huber",
        ),
    ),
    Verdict(
        "A10",
        "holds",
        "The uniform null is the only one that no renaming changes, and with it softmax follows every reordering "
        "of the scores.",
        more="And the testing view is one way among several, as its author says: that independent parts stay "
        "independent is another reason for KL, though growing functions of KL give softmax too, at another β; "
        "and the largest entropy, Luce's axiom with three more rules, a race with Gumbel noise, conditioning on "
        "a mean score and kernel smoothing lead to the same formula, each under conditions of its own.",
        says="I emphasize that this is just the way I like to think about it... not *the* way it should be "
        "understood.\n"
        "[And, further down, a sentence that breaks off:]\n"
        "Leaving zᵢ alone for the moment, let us imagine that we had no good reason to prefer one index "
        "over another when calculating Oₜ from Eq. \\@ref{O_t}",
        claims=(
            "tell-indifferent",
            "divergences-squares",
            "divergences-split",
            "divergences-independent",
            "divergences-parts",
            "divergences-only",
            "divergences-small",
            "divergences-functions",
            "divergences-jaynes",
            "exponential-luce",
            "exponential-gumbel",
            "exponential-race",
            "divergences-conditioned",
            "divergences-kernel",
        ),
    ),
]
