"""Why Softmax? The package that every chapter imports."""

from lib.attention import attention
from lib.divergences import entropy, kl_divergence
from lib.masks import causal_mask, padding_mask, window_mask
from lib.metrics import attention_distance, effective_count
from lib.simplex import log_partition, log_softmax, softmax
from lib.tradeoff import beta_for_kl, objective

__all__ = [
    "attention",
    "attention_distance",
    "beta_for_kl",
    "causal_mask",
    "effective_count",
    "entropy",
    "kl_divergence",
    "log_partition",
    "log_softmax",
    "objective",
    "padding_mask",
    "softmax",
    "window_mask",
]
