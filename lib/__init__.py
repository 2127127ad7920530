"""Why Softmax? The package that every chapter imports."""

from lib.alternatives import entmax, relu_norm, sigmoid_weights, softmax_plus_one, sparsemax
from lib.attention import attention
from lib.divergences import entropy, kl_divergence
from lib.gradients import entmax_vjp, softmax_jacobian, softmax_vjp, sparsemax_vjp
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
    "entmax",
    "entmax_vjp",
    "entropy",
    "kl_divergence",
    "log_partition",
    "log_softmax",
    "objective",
    "padding_mask",
    "relu_norm",
    "sigmoid_weights",
    "softmax",
    "softmax_jacobian",
    "softmax_plus_one",
    "softmax_vjp",
    "sparsemax",
    "sparsemax_vjp",
    "window_mask",
]
