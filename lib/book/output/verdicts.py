"""What the chapter *output* makes of the claims of the five texts."""

from lib.book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "D1",
        "holds when",
        "“token embeddings” and “logits” are kept apart: the last layer of GPT gives logits, one score for each "
        "token that may come next, and no embeddings. For one class out of n the probabilities come from "
        "softmax, as said; but in training it belongs in the loss, which takes the logits, and for the choice "
        "alone argmax will do. For regression and for embeddings softmax is more than unnecessary: of a single "
        "number it is always 1, and of lists that are compared it takes away all signs.",
        says="When Softmax Is Used: Classification Tasks: In tasks such as text classification, the final "
        "transformer output is often passed through a softmax layer to produce probabilities for each class. "
        "When Softmax Is Not Used: 1. Regression Tasks: For continuous outputs, such as predicting numerical "
        "values, softmax is unnecessary. 2. Token Embeddings: In applications where the transformer output is "
        "directly fed to another model or system (e.g., language models like GPT), the logits are often left "
        "unnormalized to retain rich representational details.",
        claims=("output-format", "output-loss", "output-twice"),
    ),
    Verdict(
        "D3",
        "holds when",
        "“allows” is read as “makes easy and exact”. Temperature, top-k, top-p and min-p can all be had from the "
        "weights as well, since weights hold every difference of logits to a rounding, until one underflows. From "
        "the logits they are a few lines each. A custom function that looks at the common height of the logits "
        "does need them.",
        says="Design Considerations: Removing softmax allows flexibility in post-processing, such as applying "
        "temperature scaling, sampling strategies, or custom activation functions.",
        claims=(
            "output-loss",
            "output-constant",
            "output-calibrated",
            "output-cuts",
            "output-divergence",
            "output-order",
        ),
    ),
    Verdict(
        "D4",
        "holds when",
        "the third and the fourth question are asked after measuring. The first two decide most, and the chapter "
        "has them as a table. A clear interpretation as probabilities needs calibration, which softmax does not "
        "bring. The extra computation is there, but for a row of 32 000 logits on the processor that built the "
        "page, making them from 512 numbers took far longer than softmax; elsewhere it must be measured. Where "
        "only the best counts, argmax makes the same choice without softmax.",
        says="Questions to Consider: 1. What is the output format? Probabilistic predictions (e.g., "
        "classification) often require softmax, while raw logits may suffice for other tasks. 2. How will the "
        "output be used? If the output is an intermediate representation for downstream tasks, softmax may be "
        "redundant. 3. Is interpretability critical? Softmax provides a clear probabilistic interpretation but "
        "may obscure fine-grained information in logits. 4. What are the computational constraints? Softmax "
        "introduces an additional computation step, which may be avoidable in latency-sensitive applications.",
        claims=("output-argmax", "output-cost", "output-calibrated"),
    ),
    Verdict(
        "D6",
        "holds when",
        "the details are the common height of the logits, one number a row, which the log loss does not see, or "
        "are rounded away: logits that differ by less than a rounding of their weights, or stand so far behind "
        "that their weights underflow. All else, the differences of logits and so their order, comes back from "
        "the weights to a rounding; and log-weights lose only that one number, and their own rounding.",
        says="Token Embeddings: In applications where the transformer output is directly fed to another model or "
        "system (e.g., language models like GPT), the logits are often left unnormalized to retain rich "
        "representational details. [And:] Softmax provides a clear probabilistic interpretation but may obscure "
        "fine-grained information in logits.",
        claims=("output-constant", "output-argmax"),
    ),
]
