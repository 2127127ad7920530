"""Why Softmax? The package that every chapter imports."""

from .alternatives import relu_norm, sigmoid_weights, softmax_plus_one
from .attention import attention
from .divergences import entropy, kl_divergence
from .entmax import entmax, sparsemax
from .gradients import entmax_vjp, softmax_jacobian, softmax_vjp, sparsemax_vjp
from .linear import linear_attention
from .masks import causal_mask, padding_mask, window_mask
from .merge import attention_with_lse, merge_attention
from .metrics import attention_distance, effective_count
from .objectives import beta_for_kl, objective
from .softmax import log_partition, log_softmax, softmax

__all__ = [
    "attention",
    "attention_distance",
    "attention_with_lse",
    "beta_for_kl",
    "causal_mask",
    "effective_count",
    "entmax",
    "entmax_vjp",
    "entropy",
    "kl_divergence",
    "linear_attention",
    "log_partition",
    "log_softmax",
    "merge_attention",
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
__version__ = "0.1.0"
