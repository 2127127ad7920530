"""What the chapter *output* makes of the claims of the five texts."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "D1",
        "holds in part",
        "For one class out of n the probabilities come from softmax, as said; but what the last layer of GPT "
        "gives is logits, and no token embeddings.",
        more="In training softmax belongs in the loss, which takes the logits, and for the choice alone argmax "
        "will do. For regression and for embeddings softmax is more than unnecessary: of a single number it is "
        "always 1, and of lists that are compared it takes away all signs. But “token embeddings” is not what "
        "the example shows: the last layer of GPT gives one score for each token that may come next.",
        says="When Softmax Is Used:\n"
        "- Classification Tasks:\n"
        "  - In tasks such as text classification, the final transformer output is often passed through a "
        "softmax layer to produce probabilities for each class.\n"
        "\n"
        "When Softmax Is Not Used:\n"
        "1. Regression Tasks:\n"
        "   - For continuous outputs, such as predicting numerical values, softmax is unnecessary.\n"
        "2. Token Embeddings:\n"
        "   - In applications where the transformer output is directly fed to another model or system "
        "(e.g., language models like GPT), the logits are often left unnormalized to retain rich "
        "representational details.",
        claims=("output-format", "output-loss", "output-twice", "output-argmax"),
        argued=("output",),
    ),
    Verdict(
        "D3",
        "holds in part",
        "Softmax does not stand in the way of temperature, top-k, top-p and min-p; a custom function may need "
        "the logits.",
        more="From the logits the four are a few lines each. All can be had from the weights as well, since "
        "weights hold every difference of logits to a rounding, until one underflows. A custom function that "
        "looks at the common height of the logits does need them.",
        says="3. Design Considerations:\n"
        "   - Removing softmax allows flexibility in post-processing, such as applying temperature "
        "scaling, sampling strategies, or custom activation functions.",
        claims=("output-constant", "output-cuts", "output-order"),
        argued=("output",),
    ),
    Verdict(
        "D4",
        "holds in part",
        "The first two questions decide most; the third and the fourth have to be measured.",
        more="The chapter on the output has the first two as a table. A clear interpretation as probabilities "
        "needs calibration, which softmax does not bring. The extra computation is there, but for a row of 32 "
        "000 logits on the processor that built the page, making them from 512 numbers took far longer than "
        "softmax; elsewhere it must be measured. Where only the best counts, argmax makes the same choice "
        "without softmax.",
        says="Questions to Consider:\n"
        "1. What is the output format?\n"
        "   - Probabilistic predictions (e.g., classification) often require softmax, while raw logits may "
        "suffice for other tasks.\n"
        "2. How will the output be used?\n"
        "   - If the output is an intermediate representation for downstream tasks, softmax may be "
        "redundant.\n"
        "3. Is interpretability critical?\n"
        "   - Softmax provides a clear probabilistic interpretation but may obscure fine-grained "
        "information in logits.\n"
        "4. What are the computational constraints?\n"
        "   - Softmax introduces an additional computation step, which may be avoidable in "
        "latency-sensitive applications.",
        claims=("output-argmax", "output-cost", "output-calibrated"),
        argued=("output",),
    ),
    Verdict(
        "D6",
        "holds when",
        "the details are the common height of the logits, or are rounded away.",
        more="The common height is one number a row, which the log loss does not see. Rounded away are logits "
        "that differ by less than a rounding of their weights, or stand so far behind that their weights "
        "underflow. All else, the differences of logits and so their order, comes back from the weights to a "
        "rounding; and log-weights lose only that one number, and their own rounding.",
        says="2. Token Embeddings:\n"
        "   - In applications where the transformer output is directly fed to another model or system "
        "(e.g., language models like GPT), the logits are often left unnormalized to retain rich "
        "representational details.\n"
        "[And, under Questions to Consider:]\n"
        "   - Softmax provides a clear probabilistic interpretation but may obscure fine-grained "
        "information in logits.",
        claims=("output-constant", "output-argmax"),
        argued=("output",),
    ),
]
