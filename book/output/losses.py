"""Two ways to the log loss of a row of logits in torch, and where the one by way of softmax breaks."""

import torch
from torch.nn.functional import cross_entropy


def by_softmax(s, y):
    """Softmax, then the logarithm."""
    return -torch.log(torch.softmax(s, -1))[y]


def from_logits(s, y):
    """As torch has it: from the logits."""
    return cross_entropy(s, torch.tensor(y))


def patched(s, y):
    """Softmax, then the logarithm of at least 1e-7."""
    return -torch.log(torch.softmax(s, -1).clamp(min=1e-7))[y]


def softmax_twice(s, y):
    """A network that ends in softmax, under a loss that takes logits."""
    return cross_entropy(torch.softmax(s, -1), torch.tensor(y))


def with_gradient(loss, s, y=1, kind=torch.float32):
    """The loss of the logits `s` if `y` is right, and its gradient: computed in this format, given in float64."""
    s = torch.as_tensor(s, dtype=kind).requires_grad_()
    value = loss(s, y)
    value.backward()
    return value.item(), s.grad.double().numpy()


def first_broken(loss, kind, broken):
    """The least lead of the wrong one of two classes, to 1/100 point, at which `broken(value, gradient)`."""
    low, high = 0, 20_000  # whole, then broken
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken(*with_gradient(loss, [middle / 100, 0.0], 1, kind)) else (middle, high)
    return high / 100
