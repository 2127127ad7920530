"""Why Softmax? The package that every chapter imports."""

from lib.metrics import effective_count
from lib.simplex import (
    beta_for_kl,
    entropy,
    kl_divergence,
    log_partition,
    log_softmax,
    objective,
    softmax,
)

__all__ = [
    "beta_for_kl",
    "effective_count",
    "entropy",
    "kl_divergence",
    "log_partition",
    "log_softmax",
    "objective",
    "softmax",
]
