"""What becomes of the claims that the chapter *alternatives* takes up."""

from lib.book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "B5",
        "does not hold",
        "The address is that of “Softmax-free Linear Transformers” (Lu and others, 2022, in a journal in "
        "2024), a paper on doing without softmax: in models for images it puts a Gaussian kernel in its place "
        "and approximates that at a cost linear in the number of tokens. It is no source for why softmax is "
        "used. Divided by its sum over the keys, which the paper does not do, a Gaussian kernel would be "
        "softmax under a null.",
        says='* `"softmax paper link" <https://arxiv.org/pdf/2207.03341.pdf>`__',
        argued=("alternatives", "divergences"),
    ),
    Verdict(
        "C7",
        "holds",
        "Weights of sum 1 in the order of the scores are what entmax and sparsemax give too. What softmax adds "
        "is that the ratio of two weights is e to the power of β times the gap of their scores, whatever the "
        "other tokens are. A temperature in training changes what is learned and how fast; what it does to "
        "models in other respects, such as brittle ones, is judged by itself. And softmax shows what the scores "
        "say, at a small β hardly so; that a weight of 0.9 means nine times in ten, only outcomes can show.",
        says="“Softmax is just normalization.” It’s more than that — the exponential function accentuates large "
        "scores, giving nonlinear sensitivity to differences. “Temperature scaling only matters at inference.” It "
        "affects both training dynamics and generalization — sharp Softmax can lead to brittle models. “Softmax "
        "causes interpretability issues.” Not inherently — but too-soft distributions can blur attention maps.",
        claims=("alternatives-parts", "scale-step", "scale-stuck", "output-calibrated"),
    ),
    Verdict(
        "D5",
        "does not hold",
        "This judges the clause on attention; the main clause, that the final output depends on the "
        "application, is right, and has a verdict of its own (D1). A head with entmax or sparsemax in the "
        "place of softmax learns too, in a small task here and in published models for language. Among the "
        "answers to this compromise, at all its prices, softmax alone has ratios that no third token changes, "
        "and independent parts that stay independent: only to one who asks for these is it indispensable "
        "there.",
        says="While softmax is indispensable in intermediate computations like attention, its usage in the final "
        "output depends on the specific application.",
        claims=("alternatives-trained", "alternatives-back", "alternatives-parts"),
    ),
    Verdict(
        "E9",
        "holds",
        "And one can say when: a weight is exactly 0 from the β on that is one over the total of all leads on "
        "that token. Below the least of these no weight is 0.",
        says="Sparsemax: # Can produce exactly zero weights # More sparse attention patterns weights = "
        "sparsemax(scores) # Some weights can be 0.0",
        claims=("alternatives-solver", "alternatives-level", "alternatives-zero"),
    ),
    Verdict(
        "E10",
        "holds when",
        "scores and β are given: then a larger α takes the weight from the same tokens and perhaps from more. By "
        "itself α does not say how many are left. For every α above 1 there are values of β at which no weight "
        "is 0, and others at which all but the best are.",
        says="Entmax: # Generalization of softmax and sparsemax # α-parameter controls sparsity weights = "
        "entmax(scores, alpha=1.5)",
        claims=("alternatives-solver", "alternatives-zero", "alternatives-sparser"),
    ),
]
