"""What becomes of the claims that the chapter *Scaling* takes up."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "C6",
        "holds in part",
        "The scale matters, and weights can be too sharp; but flat weights can be read as well as sharp ones.",
        more="Random scores are spread by √d points if their components are independent with mean 0 and variance "
        "1, and then without the division the weights of a head of width 64 are sharp before anything is learnt, "
        "from which training recovers only in part in our experiment. A row is overconfident if β is larger than "
        "the noise in its scores allows. A flat start does no harm in our experiment; flat weights dilute when "
        "there are many tokens. But they, too, can be read: they say that the output is close to a plain mean.",
        says="• Can become too sharp → overconfidence, ignoring useful context.\n"
        "• Can become too flat → diluted focus, weak interpretability.\n"
        "• Sensitive to input scale — hence the √d_k scaling factor in attention.",
        claims=(
            "scale-variance",
            "scale-start",
            "scale-stuck",
            "scale-second",
            "scale-flat",
            "temperature-winner",
            "temperature-calibrated",
            "temperature-fitted",
            "temperature-null",
        ),
    ),
    Verdict(
        "E7",
        "holds in part",
        "Before training the division keeps scores from growing with the width, as said; whether the gradient "
        "flows less without it depends on what is asked.",
        more="Before training begins, with components independent of mean 0 and variance 1, the division keeps "
        "scores spread by 1 point at every width, and softmax equally sensitive. Later nothing keeps them from "
        "growing. At width 64, with 16 keys, both the largest possible pull on the median query and the median "
        "gradient of a loss are larger without the division; with 7 keys and values of one number the median "
        "gradient of the loss is half as large. At width 512 all these medians are less than a fifth, while the "
        "mean gradient is larger at every width. What the division does at width 64 is to spread the gradient "
        "over more of the queries, and to begin with few rows near to one-hot.",
        says="Scaled Dot-Product:\n"
        "```\n"
        "scores = QK^T / √d_k\n"
        "\n"
        "Why scaling by √d_k?\n"
        "- Prevents scores from becoming too large\n"
        "- Keeps softmax in sensitive region\n"
        "- Maintains gradient flow\n"
        "```",
        claims=(
            "scale-variance",
            "scale-start",
            "scale-larger",
            "scale-loss",
            "scale-wide",
            "scale-mean",
            "scale-falls",
            "scale-steady",
            "scale-few",
            "scale-here",
            "scale-there",
            "scale-stuck",
            "scale-second",
            "scale-sure",
            "scale-flat",
        ),
        argued="scale",
    ),
    Verdict(
        "E13",
        "holds in part",
        "Nearly all goes to one position, as said; but the losing weights are less than a fifth of those "
        "printed, and dropout can even reward a collapse.",
        more="One-hot weights are no fault in a head that copies. A temperature does soften this row; set once "
        "for all of training it is a step size and a start, which a larger matrix undoes. Attention dropout "
        "leaves the scores and the mean weights of its step alone; the noise that it adds prefers weight on "
        "small values, so that it spreads weights evenly only where values are about equally large, and can "
        "reward a collapse.",
        says="1. Attention Collapse:\n"
        "```python\n"
        "# Problem: All attention goes to one position\n"
        "scores = [10.0, 0.1, 0.1, 0.1]\n"
        "weights = softmax(scores)  # [0.999, 0.0003, 0.0003, 0.0003]\n"
        "\n"
        "# Solution: Temperature scaling or attention dropout\n"
        "weights_smooth = softmax(scores / temperature)\n"
        "```",
        claims=("scale-step", "scale-printed", "scale-noise", "scale-prefers"),
        argued="scale",
    ),
]
