"""What becomes of the claims that the chapter *masking* takes up."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "E1",
        "holds in part",
        "The steps are the right ones; but as printed the function stops, since d_k is defined nowhere.",
        more="And torch refuses to fill −1e9 into float16. Once d_k has a value, and scores are in float32 or "
        "another format that has −1e9, a query with a key left gets from −1e9 the weights that −∞ gives, to the "
        "last bit, with scores up to a million; a query with nothing left gets the mean of all values that it "
        "may not see. The fill in place does no harm here, since the scores have just been made.",
        says="Step-by-Step Process:\n"
        "```python\n"
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    # 1. Compute raw scores\n"
        "    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k)\n"
        "\n"
        "    # 2. Apply mask (optional)\n"
        "    if mask is not None:\n"
        "        scores.masked_fill_(mask == 0, -1e9)\n"
        "\n"
        "    # 3. Apply softmax to get attention weights\n"
        "    attention_weights = F.softmax(scores, dim=-1)\n"
        "\n"
        "    # 4. Apply weights to values\n"
        "    output = torch.matmul(attention_weights, V)\n"
        "\n"
        "    return output, attention_weights\n"
        "```",
        claims=(
            "masking-null",
            "masking-leak",
            "masking-zeros",
            "masking-gradient",
            "masking-gone",
            "masking-mended",
        ),
        argued=("masking",),
    ),
    Verdict(
        "E15",
        "holds in part",
        "The causal mask works where there are as many queries as keys; the padding mask lacks an axis for the "
        "queries.",
        more="The causal mask works as given where, besides, every query has a key left; for several queries "
        "over a cache it does not fit, being a square. The padding mask has the shape (batch, keys): combined "
        "with the causal one it raises an error for most sizes, and means something else where the batch is as "
        "large as the sequence is long. A query with nothing left gets NaN, which spoils gradients even if no "
        "loss reads it. And a forbidden value that is NaN is not removed by its weight of 0.",
        says="Causal Masking (GPT-style):\n"
        "```python\n"
        "def create_causal_mask(seq_len):\n"
        '    """Prevent attending to future positions"""\n'
        "    mask = torch.tril(torch.ones(seq_len, seq_len))\n"
        "    return mask\n"
        "\n"
        "# Apply mask before softmax\n"
        "scores.masked_fill_(mask == 0, float('-inf'))\n"
        "weights = softmax(scores)  # Masked positions get weight 0\n"
        "```\n"
        "\n"
        "Padding Masking:\n"
        "```python\n"
        "def create_padding_mask(seq_lens, max_len):\n"
        '    """Mask padded positions"""\n'
        "    mask = torch.arange(max_len)[None, :] < seq_lens[:, None]\n"
        "    return mask\n"
        "\n"
        "# Prevents attention to padding tokens\n"
        "```",
        claims=(
            "masking-null",
            "masking-kinds",
            "masking-axis",
            "masking-rows",
            "masking-zeros",
            "masking-gradient",
            "masking-healed",
            "masking-cache",
            "masking-behind",
        ),
        argued=("masking",),
    ),
]
