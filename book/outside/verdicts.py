"""What becomes of the claims that the chapter *outside* takes up."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "E11",
        "does not hold",
        "Softmax can be replaced, and this is one way; but it is not linear attention.",
        more="The positive part has to be taken of each of the n² scores, so its cost grows as that of softmax "
        "does. Linear attention takes features of queries and keys, and never computes a score; without a mask "
        "its weights have no larger rank than there are features. And read as Python, for a matrix, `sum` adds "
        "up the first axis, that of the queries, and a row without a score above 0 would be divided by 0.",
        says="3. Linear Attention:\n"
        "```python\n"
        "# Replace softmax with other functions\n"
        "weights = relu(scores) / sum(relu(scores))\n"
        "```",
        claims=("outside-rank", "outside-cost", "outside-undefined"),
    ),
]
