"""What becomes of the claims that the chapter *alternatives* takes up."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "B5",
        "does not hold",
        "The “softmax paper” is a paper on doing without softmax, and no source on why it is used.",
        more="The address is that of “Softmax-free Linear Transformers” (Lu and others, 2024): in models for "
        "images it puts a Gaussian kernel in the place of softmax and approximates that at a cost linear in the "
        "number of tokens. Divided by its sum over the keys, which the paper does not do, a Gaussian kernel "
        "would be softmax under a null.",
        says="For more information\n"
        "[And, after the link to an article:]\n"
        '* `"softmax paper link" <https://arxiv.org/pdf/2207.03341.pdf>`__',
        argued=("alternatives", "divergences"),
    ),
    Verdict(
        "C7",
        "holds in part",
        "Softmax is more than normalisation, and T matters in training; what T does to generalisation is not "
        "tested here.",
        more="Weights of sum 1 in the order of the scores are what entmax and sparsemax give too. What softmax "
        "adds is that the ratio of two weights is e to the power of β times the gap of their scores, whatever "
        "the other tokens are. A temperature in training changes what is learned and how fast, as said; brittle "
        "models are C10. And softmax shows what the scores say, at a small β hardly so; that a "
        "weight of 0.9 means nine times in ten, only outcomes can show.",
        says="• “Softmax is just normalization.” It’s more than that — the exponential function accentuates "
        "large scores, giving nonlinear sensitivity to differences.\n"
        "• “Temperature scaling only matters at inference.” It affects both training dynamics and "
        "generalization — sharp Softmax can lead to brittle models.\n"
        "• “Softmax causes interpretability issues.” Not inherently — but too-soft distributions can blur "
        "attention maps.",
        claims=("alternatives-parts", "scale-step", "scale-stuck", "output-calibrated"),
    ),
    Verdict(
        "D5",
        "holds in part",
        "The use at the output depends on the application, as said; but softmax is not indispensable in "
        "attention.",
        more="On what it depends, D1 and D4 say. In attention, a head with entmax or sparsemax in its place "
        "learns too, in a small task here and in published models for language. Among the answers to this "
        "compromise, at all its prices, softmax alone has ratios that no third token changes, and independent "
        "parts that stay independent: only to one who asks for these is it indispensable there.",
        says="While softmax is indispensable in intermediate computations like attention, its usage in the final "
        "output depends on the specific application.",
        claims=("alternatives-trained", "alternatives-back", "alternatives-parts"),
        argued=("alternatives", "output"),
    ),
    Verdict(
        "E9",
        "holds",
        "And one can say when: a weight is exactly 0 from the β on that is one over the total of all leads on "
        "that token.",
        more="Below the least of these no weight is 0.",
        says="1. Sparsemax:\n"
        "```python\n"
        "# Can produce exactly zero weights\n"
        "# More sparse attention patterns\n"
        "weights = sparsemax(scores)  # Some weights can be 0.0\n"
        "```",
        claims=("alternatives-solver", "alternatives-level", "alternatives-zero"),
    ),
    Verdict(
        "E10",
        "holds when",
        "scores and β are given: then a larger α takes the weight from the same tokens and perhaps from more.",
        more="By itself α does not say how many are left. For every α above 1 there are values of β at which no "
        "weight is 0, and others at which all but the best are.",
        says="2. Entmax:\n"
        "```python\n"
        "# Generalization of softmax and sparsemax\n"
        "# α-parameter controls sparsity\n"
        "weights = entmax(scores, alpha=1.5)\n"
        "```",
        claims=("alternatives-solver", "alternatives-zero", "alternatives-sparser"),
    ),
    Verdict(
        "E18",
        "holds in part",
        "The three papers are as cited; behind the addresses of the three videos are other videos than E names.",
        more="The papers stand at the addresses given and are about what E says; this book cites them, too. One "
        "of the videos is about ridge and lasso regression: their titles stand at the end of this page.",
        says="Research Citations:\n"
        '- [Vaswani, A., et al. (2017). "Attention Is All You Need"](https://arxiv.org/abs/1706.03762) - '
        "Original Transformer paper using softmax in attention\n"
        '- [Martins, A., & Astudillo, R. (2016). "From Softmax to '
        'Sparsemax"](https://arxiv.org/abs/1602.02068) - Sparsemax as alternative to softmax for sparse '
        "attention\n"
        '- [Peters, B., et al. (2019). "Sparse Sequence-to-Sequence '
        'Models"](https://arxiv.org/abs/1905.05702) - Applications of sparse attention mechanisms\n'
        "\n"
        "YouTube Resources:\n"
        "- [Softmax Function Explained - StatQuest](https://www.youtube.com/watch?v=ytbYRIN0N4g) - Clear "
        "mathematical explanation of softmax\n"
        "- [Attention Mechanisms Deep Dive - deeplearning.ai](https://www.youtube.com/watch?v=SysgYptB198) "
        "- Comprehensive overview of attention including softmax\n"
        "- [Why Use Softmax? - 3Blue1Brown](https://www.youtube.com/watch?v=Xm2C_gTAl8c) - Intuitive "
        "explanation of softmax properties",
        argued=("claims",),
    ),
]
