"""What becomes of the claims that the chapter *patterns* takes up."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "A9",
        "holds",
        "After the first layer a weight says where a head reads, not where what it reads has come from.",
        more="In the model that copies, the letter before the one to copy has next to no weight in layer 2. Yet "
        "the guess depends on it, because layer 1 has carried it over. What a weight over positions does say "
        "is how much of this layer’s value goes into the output of the head: swap two values, and the model "
        "says the other letter.",
        says="(Again, the mapping from literal token xᵢ to embedded token hᵢ is not one to one—as one goes "
        "through more attention/MLP layers the information between positions can become more and more mixed).",
        claims=("patterns-light", "patterns-matters", "patterns-swap", "patterns-rollout", "patterns-spared"),
    ),
    Verdict(
        "B6",
        "holds when",
        "relevant means no more than having a higher score, for the head that asks.",
        more="At any β above 0, of two tokens the one with the higher score has the larger weight. But softmax "
        "knows nothing of relevance: scores are learned, and a head may learn scores that no reader would call "
        "relevance. In each of nine sentences at least three tenths of the heads of an encoder give most of their "
        "weight to a start mark that means nothing by itself. On “probability” see E3.",
        says="Softmax is used to convert the raw attention scores, often called “logits,” into a probability "
        "distribution over the input tokens. This distribution assigns higher attention weights to more relevant "
        "tokens and lower weights to less relevant ones.",
        claims=("attention-rows", "attention-odds", "patterns-resting"),
    ),
    Verdict(
        "E3",
        "holds in part",
        "Weights are shares of a mixture; nothing that happens has them as its chance, and they can be sharp "
        "where nothing can be known.",
        more="Nothing is drawn, and nobody can look afterwards which position should have been attended to. So "
        "there is no outcome to compare a weight of 0.9 with. In the model that copies, the heads that find "
        "the symbol to come give more than half of a row to one place, on average, even before the text repeats, "
        "when nothing can be known.",
        says="Why Softmax in Attention:\n"
        "\n"
        "1. Probability Interpretation:\n"
        '- Attention weights represent how much to "focus" on each position\n'
        "- Probabilistic interpretation: P(attend to position i | query)\n"
        "- Enables uncertainty quantification",
        claims="patterns-sharp",
        argued="patterns",
    ),
    Verdict(
        "E17",
        "holds when",
        "there are as many queries as keys.",
        more="With fewer queries, as in a model that writes with a cache, the printed code stops with an error, "
        "or for a single query returns as many numbers as there are keys. It must know where the queries "
        "stand among the keys. And a large distance need not mean that a head looks for something far away: "
        "of the ten heads of an encoder that look farthest, nearly all rest on the start mark.",
        says="Attention Distance:\n"
        "```python\n"
        "def average_attention_distance(weights):\n"
        '    """Average distance of attended positions"""\n'
        "    seq_len = weights.size(-1)\n"
        "    positions = torch.arange(seq_len).float()\n"
        "    distances = torch.abs(positions[:, None] - positions[None, :])\n"
        "    return torch.sum(weights * distances, dim=-1)\n"
        "```",
        claims=("patterns-printed", "patterns-far"),
    ),
    Verdict(
        "E22",
        "holds when",
        "what a pattern seems to show is then tested on the output, and on sentences made to fail.",
        more="Patterns by layer and head are easy to see: in the encoder half of the heads rest on the start "
        "mark, most of them in the middle layers. But the head that seems to know what “it” means fails at a "
        "dog and a ball and at a trophy and a suitcase, and in the model that copies a head with the right "
        "pattern can be switched off and is not missed.",
        says="Follow-up Research:\n"
        "[The last of four:]\n"
        "4. Analyze attention patterns in different layers and heads",
        claims=("patterns-resting", "patterns-cat", "patterns-stubborn", "patterns-roles", "patterns-spare"),
    ),
    Verdict(
        "E24",
        "holds in part",
        "A higher score gets more weight; but nothing ensures that the model so focuses on what matters.",
        more="Training can bring it about: in the model that copies, four heads find the letter to come. But the "
        "scores decide, and they can be wrong: from “it”, a head of an encoder gives the ball more than the "
        "hungry dog. Heads of the model that copies are sharp, on average, even where nothing can be known. And "
        "what matters need not get weight in the layer that one looks at: the letter before the one to copy has "
        "next to none in layer 2, yet the guess depends on it, because layer 1 has read it.",
        says="In attention, it converts raw similarity scores (from query-key dot products) into weights, "
        "emphasizing relevant tokens. This ensures the model focuses on contextually important parts of the "
        "input.",
        claims=(
            "attention-rows",
            "attention-odds",
            "patterns-roles",
            "patterns-stubborn",
            "patterns-sharp",
            "patterns-light",
            "patterns-matters",
        ),
    ),
]
