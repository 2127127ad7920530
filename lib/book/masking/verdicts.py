"""What becomes of the claims that the chapter *masking* takes up."""

from lib.book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "E1",
        "holds when",
        "d_k is given a value, scores are in float32 or another format that has −1e9 and lie well above it, "
        "and every query has a key left. As printed, the function stops, since d_k is defined nowhere, and torch "
        "refuses to fill −1e9 into float16. A query with nothing left gets the mean of all values that it may "
        "not see. The fill in place does no harm here, since the scores have just been made. With a key "
        "left, and scores up to a million, −1e9 gives the weights that −∞ gives, to the last bit.",
        says="def scaled_dot_product_attention(Q, K, V, mask=None): # 1. Compute raw scores scores = "
        "torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k) # 2. Apply mask (optional) if mask is not "
        "None: scores.masked_fill_(mask == 0, -1e9) # 3. Apply softmax to get attention weights "
        "attention_weights = F.softmax(scores, dim=-1) # 4. Apply weights to values output = "
        "torch.matmul(attention_weights, V) return output, attention_weights",
        claims=("masking-null", "masking-leak", "masking-gradient", "masking-gone", "masking-mended"),
    ),
    Verdict(
        "E15",
        "holds when",
        "every query has a key left, there are as many queries as keys, and the padding mask gets an axis for "
        "the queries. For several queries over a cache the causal mask, a square, does not fit. The padding "
        "mask has the shape (batch, keys): combined with the causal one it raises an error for most sizes, "
        "and means something else where the batch is as large as the sequence is long. A query with nothing "
        "left gets NaN, which spoils gradients even if no loss reads it. And a forbidden value that is NaN is "
        "not removed by its weight of 0.",
        says='Causal Masking (GPT-style): def create_causal_mask(seq_len): """Prevent attending to future '
        'positions""" mask = torch.tril(torch.ones(seq_len, seq_len)) return mask # Apply mask before softmax '
        "scores.masked_fill_(mask == 0, float('-inf')) weights = softmax(scores) # Masked positions get "
        'weight 0 Padding Masking: def create_padding_mask(seq_lens, max_len): """Mask padded positions""" '
        "mask = torch.arange(max_len)[None, :] < seq_lens[:, None] return mask # Prevents attention to "
        "padding tokens",
        claims=(
            "masking-null",
            "masking-kinds",
            "masking-axis",
            "masking-rows",
            "masking-gradient",
            "masking-healed",
            "masking-cache",
            "masking-behind",
        ),
    ),
]
