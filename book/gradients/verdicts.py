"""What the chapter *Gradients* makes of the claims of the five texts."""

from book.verdicts import Verdict

VERDICTS = [
    Verdict(
        "B2",
        "holds in part",
        "The gradient is smooth at every finite β; but that alone does not make training stable or easy.",
        more="At finite β the slopes exist everywhere, they are smooth, and a step of the scores moves the "
        "weights by at most |β|/2 times its length. But where one token has nearly all the weight the slopes are "
        "nearly 0 at a given β, and undoing a wrong lead by plain gradient steps can take exponentially many of "
        "them: a smooth gradient alone does not make training easy.",
        says="- Stabilizing Gradients: The softmax function has a smooth gradient, which makes it easier to "
        "train deep neural networks like transformers using techniques like backpropagation. It helps with "
        "gradient stability during training, making it easier for the model to learn and adjust its "
        "parameters.",
        claims=("gradients-raise", "gradients-sure", "gradients-norm", "gradients-steps"),
    ),
    Verdict(
        "B3",
        "does not hold",
        "Softmax can itself make gradients nearly vanish, where its weights are saturated, and it does not keep "
        "them from exploding.",
        more="Its own factor never exceeds |β|/2, but that does not keep the gradient of attention from "
        "exploding: it has keys and values as factors as well, and no number bounds it.",
        says="And the most important thing is the softmax is used to prevent exploding gradient or vanishing "
        "gradient problems.",
        claims=("gradients-sure", "gradients-norm", "gradients-steps", "gradients-unbounded"),
    ),
    Verdict(
        "C3",
        "holds in part",
        "The formula and its meaning are right for β = 1, as there; but training does not even weights out by "
        "itself.",
        more="In general the formula is multiplied by β, and for β > 0 a score that is raised raises its own "
        "weight and lowers the others, each in proportion to the product of the two weights. The sum stays 1. "
        "But of two equally good tokens above the average, a plain gradient step on the scores raises the one "
        "with more weight more.",
        says="Its gradient (for backpropagation) is:\n"
        "∂αᵢ/∂sₖ = αᵢ(δᵢₖ − αₖ)\n"
        "where δᵢₖ = 1 if i = k, else 0.\n"
        "\n"
        "Meaning:\n"
        "• Increasing one score raises its own probability but lowers the others.\n"
        "• The amount of lowering depends on their current probabilities.\n"
        "\n"
        "This property ensures stability — the probabilities self-balance during learning.",
        claims=("gradients-raise", "gradients-forecast", "gradients-balance"),
    ),
    Verdict(
        "C5",
        "holds in part",
        "The competition is exact, and without softmax later scores do grow uncontrollably; but no choice is "
        "forced.",
        more="An output is an average of values, so a layer whose values keep their length at most doubles the "
        "longest list, where without softmax each layer roughly cubes long lists, so that the scores of later "
        "layers do grow uncontrollably, as said. The scores of its own layer are made before the normalisation, "
        "which does not bound them. What one weight gains the others lose. But with scores in a range R no set "
        "of tokens is more than |β|R/4 off the null, and equal scores leave the null as it is. Whether what has "
        "most weight matters most is not judged yet.",
        says="Softmax ensures the sum of all attention weights equals 1:\n"
        "Σᵢ αᵢ = 1\n"
        "This normalization keeps attention stable across layers — without it, attention scores could grow "
        "uncontrollably.\n"
        "\n"
        "It also introduces competition: increasing one token’s weight decreases others’.\n"
        "\n"
        "So Softmax doesn’t just assign probabilities — it balances focus, forcing the model to choose "
        "what matters most at every layer.",
        claims=("gradients-stack", "gradients-cubic", "gradients-raise", "temperature-null"),
    ),
    Verdict(
        "C9",
        "holds in part",
        "Without softmax, magnitudes are unbounded, as said; but with it gradients are not bounded either.",
        more="Without softmax, attention is linear in the values for given scores, but so it is with softmax; in "
        "its tokens it is cubic. With softmax, weights are bounded, and outputs by the longest value. The slopes "
        "from scores to weights have a norm of at most |β|/2; but the gradient of attention contains keys and "
        "values as well, and nothing in softmax bounds those.",
        says="Without it, attention would just be linear mixing with unbounded magnitudes — unstable and "
        "unbalanced.\n"
        "[And, under Key Ideas:]\n"
        "• Normalization keeps activations and gradients bounded and stable.",
        claims=("gradients-cubic", "gradients-stack", "gradients-norm", "gradients-unbounded"),
    ),
    Verdict(
        "E12",
        "holds",
        "It is right at β = 1, as written.",
        more="Where scores are divided by a temperature T first, the gradient with respect to them has to be "
        "divided by T as well.",
        says="Derivative:\n"
        "```\n"
        "∂softmax(xᵢ)/∂xⱼ = softmax(xᵢ)(δᵢⱼ - softmax(xⱼ))\n"
        "\n"
        "Where δᵢⱼ is the Kronecker delta\n"
        "```\n"
        "\n"
        "Gradient Flow:\n"
        "```python\n"
        "def softmax_backward(grad_output, softmax_output):\n"
        '    """Efficient softmax backward pass"""\n'
        "    # grad_input = softmax * (grad_output - (softmax * grad_output).sum())\n"
        "    s = softmax_output\n"
        "    grad_input = s * (grad_output - (s * grad_output).sum(dim=-1, keepdim=True))\n"
        "    return grad_input\n"
        "```",
        claims=("gradients-raise", "gradients-backward"),
    ),
    Verdict(
        "E14",
        "holds in part",
        "The initialisation helps at the start of training; but gradient clipping, the only line of code that is "
        "given, never lengthens a short gradient.",
        more="A flatter start has less to undo, until training makes scores large. Gradient clipping shortens "
        "long gradients, and here it changes nothing. What undoes a wrong lead in few steps is something else: "
        "Adam, or a log loss on the weights, with which a step is proportional to the weight of the wrong token, "
        "and not to its slope.",
        says="2. Vanishing Gradients:\n"
        "```python\n"
        "# Problem: Very sharp distributions\n"
        "# Solution: Gradient clipping and careful initialization\n"
        "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)\n"
        "```",
        claims=("gradients-steps", "gradients-clip", "gradients-adam", "gradients-log"),
        argued=("gradients",),
    ),
    Verdict(
        "E23",
        "holds in part",
        "Slopes are smooth at every finite β, and a hard choice does block them; stable training does not follow.",
        more="The hard choice, at β = ∞, has slope 0 wherever scores do not tie. Softmax at finite β has slopes "
        "everywhere, but nearly as small where it is sure. Sampling makes discrete decisions that do not block "
        "the gradient of the expected loss.",
        says="3. Differentiability:\n"
        "- Smooth gradients enable stable training\n"
        "- No discrete decisions that would block gradient flow\n"
        "- Allows end-to-end optimization",
        claims=("gradients-hard", "gradients-sure", "gradients-norm", "gradients-steps", "gradients-sampled"),
    ),
]
