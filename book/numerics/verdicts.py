"""What the chapter *numerics* makes of the claims of the five texts."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "C2",
        "holds when",
        "weights are computed exactly, scores are finite and nothing is masked; what dominates is a matter of "
        "leads and of β.",
        more="On a machine a weight is exactly 0 once it is below half the smallest positive number of its "
        "format, up to rounding: at β = 1 at the latest 17.4 points behind the best score in float16, 92.9 in "
        "bfloat16, 104 in float32 and 745.2 in float64. Such a token gets no attention, though the logarithm of "
        "its weight can still be had.",
        says="Result: large scores dominate, small scores shrink to near zero — but none are ever exactly zero "
        "(so every token gets some attention).",
        claims=("numerics-zero", "numerics-lost", "numerics-ends", "numerics-log"),
    ),
    Verdict(
        "D2",
        "holds in part",
        "A token far behind gets little weight, as said; but emphasis is no numerical stability.",
        more="For β > 0 the odds grow exponentially with a lead, so a token far behind adds little, unless its "
        "value is large, and nothing once its weight is rounded to 0. But the exponential is what makes softmax "
        "overflow and underflow, and the shift by the largest score is what prevents the harm.",
        says="3. Numerical Stability:\n"
        "   - Exponential scaling ensures that large score differences are emphasized, preventing "
        "insignificant contributions from low-relevance tokens.",
        claims=("numerics-ends", "numerics-silent", "numerics-shift", "numerics-zero", "attention-odds"),
    ),
    Verdict(
        "E6",
        "holds when",
        "a row has a finite largest score and, in float16, at most 65\u202f504 tokens.",
        more="With 65\u202f504 equal scores the sum is the largest number of the format. In a row of −∞ alone, or "
        "with +∞ in it, weights are NaN. Without the shift exp(x) does overflow, as said; and where it "
        "underflows, weights can be wrong without a NaN.",
        says="Numerical Stability:\n"
        "```python\n"
        "def stable_softmax(x):\n"
        '    """Numerically stable softmax implementation"""\n'
        "    # Subtract max to prevent overflow\n"
        "    x_max = torch.max(x, dim=-1, keepdim=True)[0]\n"
        "    x_stable = x - x_max\n"
        "\n"
        "    exp_x = torch.exp(x_stable)\n"
        "    sum_exp = torch.sum(exp_x, dim=-1, keepdim=True)\n"
        "\n"
        "    return exp_x / sum_exp\n"
        "```\n"
        "[And, under Common Issues and Solutions:]\n"
        "3. Numerical Overflow:\n"
        "```python\n"
        "# Problem: Large logits cause exp(x) overflow\n"
        "# Solution: Subtract max before softmax (shown above)\n"
        "```",
        claims=("numerics-ends", "numerics-silent", "numerics-shift", "numerics-many", "numerics-rows"),
    ),
    Verdict(
        "E16",
        "holds when",
        "the format has 1e-12 in its range.",
        more="In float64 the result is then at most n · 1e-12 nats too small, up to rounding, and for a one-hot "
        "row negative. In float16 1e-12 is rounded to 0, and a row with a weight of 0 becomes NaN. That high "
        "entropy means uniform attention and low entropy focused attention holds, between 0 and log n; but a head "
        "that rests on a mark is as focused as one that reads a word.",
        says="Sharpness Measurement:\n"
        "```python\n"
        "def attention_entropy(weights):\n"
        '    """Measure attention distribution entropy"""\n'
        "    # High entropy = uniform attention\n"
        "    # Low entropy = focused attention\n"
        "    return -torch.sum(weights * torch.log(weights + 1e-12), dim=-1)\n"
        "```",
        claims=("numerics-epsilon", "numerics-half"),
        argued=("temperature", "patterns"),
    ),
]
