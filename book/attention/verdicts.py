"""What the chapter on attention makes of the claims of the five texts."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "A1",
        "holds in part",
        "Keys, queries, values and the update are as A says; the range of tokens is not.",
        more="What is vᵢ there is W_O vᵢ here, and it has the width of the stream. A takes the tokens before t, "
        "i < t. Models admit a token’s own key as well, which leaves 1 − πₜ of the budget to the others; over i "
        "< t alone the rule gives the first token 0/0.",
        says="Consider the most recent embedded token in the stream, hₜ, and all tokens before it {hᵢ : i < t}. "
        "The keys, query, and values are defined as\n"
        "kᵢ = W_K hᵢ\n"
        "qₜ = W_Q hₜ\n"
        "vᵢ = W_V hᵢ\n"
        "where q, k ∈ ℝ^d_k and d_k < d_model.\n"
        "\n"
        "The update to the residual stream at position t (in practice there are quite a few more bells and "
        "whistles when considers multiple attention heads, LayerNorm, etc., but we shall skip over those "
        "for simplicity) are caluclated as\n"
        "hₜ^(new) = Oₜ + hₜ^(old)\n"
        "with\n"
        "Oₜ = Σᵢ πᵢ,ₜ vᵢ",
        claims=("attention-loops", "attention-rows", "attention-merge"),
        argued=("attention",),
    ),
    Verdict(
        "A2",
        "holds",
        "β is 1/√d in the Transformer, 1/T with a temperature, and both where both are used.",
        more="It can always be taken into the matrix of the queries.",
        says="πᵢ,ₜ = e^(β kᵢ·qₜ) / Σⱼ e^(β kⱼ·qₜ),\n"
        "where we identify πᵢ with the softmax function:\n"
        "πᵢ,ₜ = softmax(β kᵢ·qₜ),\n"
        "and we have introduced the scalar β for later use.",
        claims="attention-names",
    ),
    Verdict(
        "A3",
        "holds",
        "A says itself that it is the pairs that count.",
        more="Where the score is the plain product, as in A, a coordinate of either alone means nothing; and a "
        "key counts only in comparison with the other keys.",
        says="This lends itself to the following interpretation: for any given token at position t, the query "
        'vector, qₜ, defines what hₜ is "looking for" from previous tokens, and the keys, kᵢ, determine '
        'which of the previous tokens get "advertised".\n'
        "[And, after a parenthesis, which is A9:]\n"
        "In any case, the query-key pairs define the distribution πᵢ over which the values, vᵢ, are "
        "averaged.",
        claims="attention-basis",
    ),
    Verdict(
        "B1",
        "holds",
        "So it is for every query that has at least one key, where the scores are finite; a key with a score of "
        "−∞ counts as none.",
        more="For a query that has none the formula says nothing, and programs decide: zeros in this book, NaN "
        "in torch.softmax.",
        says="Softmax ensures that the attention scores are transformed into a valid probability distribution, "
        "with all values between 0 and 1 and the sum equal to 1.",
        claims="attention-rows",
        argued=("masking",),
    ),
    Verdict(
        "B4",
        "holds when",
        "the scale is a part of Q, since the Transformer divides by √d.",
        more="Q is one query, as B says, and i counts keys; on the left the index i is left out, and A, D and E "
        "are as loose where they write softmax of a single score. For all queries at once one has to say along "
        "which axis: under a causal mask, over the wrong one the future leaks.",
        says="The formula for computing the softmax attention weights for a given query token in a transformer "
        "is as follows:\n"
        "Softmax(QKᵀ) = exp(QKᵢᵀ) / Σⱼ exp(QKⱼᵀ)\n"
        "Here, Q represents the query vector, K represents the key vectors of the input tokens, and the "
        "exponential function (\\exp) is used to transform the raw scores into positive values.",
        claims=("attention-names", "attention-axis"),
    ),
    Verdict(
        "C1",
        "holds in part",
        "All become positive; whether differences are accentuated depends on what one sets beside them.",
        more="A gap of Δ becomes a factor e^(βΔ) in the odds. Against shares in proportion to the scores, which "
        "need positive scores, softmax accentuates a difference where βs is above 1 for both, tones it down "
        "where βs is below 1 for both, and in between it depends.",
        says="1. Exponentiation — turns all scores positive and accentuates differences (big scores grow really "
        "big).",
        claims=("attention-odds", "attention-sharpens"),
    ),
    Verdict(
        "E2",
        "holds",
        "It holds of each row.",
        more="The order is that of its scores for β > 0, and β is 1 in E; raising one score then lowers every "
        "other weight. The gradient is smooth at every finite β.",
        says="Properties:\n"
        "1. Normalization: Σᵢ softmax(xᵢ) = 1\n"
        "2. Non-negativity: softmax(xᵢ) ≥ 0 for all i\n"
        "3. Monotonicity: Preserves relative ordering\n"
        "4. Differentiability: Smooth gradients for backpropagation",
        claims=("attention-odds", "attention-lowering", "attention-rows", "attention-smooth"),
    ),
    Verdict(
        "E8",
        "does not hold",
        "The second row sums to 1.12, and no β gives the first.",
        more="In all its digits the second row is softmax at β = 1 times 1.12. The first row sums to 1, but its "
        "first three entries are softmax at β = 1 times 1.55, and the fourth is what these leave of 1.",
        says="Before Softmax (Raw Scores):\n"
        "```python\n"
        "# Example raw attention scores\n"
        "scores = [\n"
        "    [2.1, 0.5, -1.2, 3.0],  # Query 1 attending to 4 keys\n"
        "    [1.8, -0.3, 2.5, 0.1]   # Query 2 attending to 4 keys\n"
        "]\n"
        "```\n"
        "\n"
        "After Softmax (Attention Weights):\n"
        "```python\n"
        "# Converted to probabilities\n"
        "weights = [\n"
        "    [0.42, 0.08, 0.02, 0.48],  # Sums to 1.0\n"
        "    [0.34, 0.04, 0.68, 0.06]   # Sums to 1.0\n"
        "]\n"
        "```",
        claims="attention-printed",
    ),
]
