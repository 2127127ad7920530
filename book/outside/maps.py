"""What the chapter measures on the maps outside the frame, and what breaks it."""

import numpy as np
import torch

from lib import attention_with_lse, merge_attention, relu_norm, sigmoid_weights, softmax_plus_one
from lib.linear import elu1

SCORED = {"relu": relu_norm, "sigmoid": sigmoid_weights, "plus one": softmax_plus_one}  # those that take scores


def random_rows(seed, count=100, n=7):
    """Rows (count, n) of normal scores with standard deviations from 0.3 to 3, each with a score above 0."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, n)) * 10 ** rng.uniform(-0.5, 0.5, size=(count, 1))
    rows[:, 0] = abs(rows[:, 0])
    return rows


def of_features(q, k):
    """The weights of linear attention, (n_q, n_k), by their definition: products of features over their sum."""
    products = elu1(q) @ elu1(k).T  # (n_q, d) @ (d, n_k)
    return products / products.sum(axis=-1, keepdims=True)


def by_linear(scores, beta):
    """The weights of linear attention with these scores q · k: keys move along the query, from beside it."""
    q = np.array([1.0, -1.0])
    beside = 3 * np.linspace(-1, 1, scores.shape[-1])[:, None] * np.array([1.0, 1.0])  # (n, d), perpendicular to q
    keys = beside + beta * scores[..., None] * q / (q @ q)  # (rows, n, d)
    products = elu1(keys) @ elu1(q)
    return products / products.sum(axis=-1, keepdims=True)


def back_by_formula(name, w, s, g, beta):
    """The gradient at the scores, (n,), from the weights w, the scores and the gradient g at the weights."""
    if name == "relu":
        return np.where(beta * s > 0, (g - w @ g) / np.maximum(beta * s, 0).sum(), 0) * beta
    if name == "sigmoid":
        return beta * w * (1 - w) * g
    return beta * w * (g - w @ g)


def in_two(name, scores, v, cut, bias):
    """The output for a row of scores from two parts of the keys, each summed up before they meet."""
    parts = [(scores[:cut], v[:cut]), (scores[cut:], v[cut:])]
    if name == "sigmoid":
        return sum(sigmoid_weights(s, bias=bias) @ values for s, values in parts)
    if name == "relu":
        totals = [np.maximum(s, 0).sum() for s, _ in parts]
        return sum(
            total * (relu_norm(s) @ values) for total, (s, values) in zip(totals, parts, strict=True)
        ) / sum(totals)
    q = np.ones((1, 1))  # makes the keys the scores
    done = [attention_with_lse(q, s[:, None], values, beta=1.0) for s, values in parts]
    nothing = (np.zeros((1, v.shape[1])), np.zeros(1))  # the empty part: output 0, and e⁰ = 1 in the sum
    outputs, lses = zip(*done, nothing, strict=True)
    return merge_attention(outputs, lses)[0][0]


def from_states(q, k, v, cut):
    """The output of linear attention for one query, from the states of two parts of the keys."""
    parts = [(elu1(k[:cut]), v[:cut]), (elu1(k[cut:]), v[cut:])]
    state = sum(features.T @ values for features, values in parts)  # (d, d_v)
    total = sum(features.sum(axis=0) for features, _ in parts)  # (d,)
    return elu1(q) @ state / (elu1(q) @ total)


def by_state(q, k, v, keep=1.0):
    """Causal linear attention (n, d_v), token after token, with a state that is kept from each to the next."""
    state, total, out = np.zeros((k.shape[1], v.shape[1])), np.zeros(k.shape[1]), []
    for t in range(len(q)):
        state = keep * state + np.outer(elu1(k[t]), v[t])  # (d, d_v)
        total = keep * total + elu1(k[t])  # (d,)
        out.append(elu1(q[t]) @ state / (elu1(q[t]) @ total))
    return np.stack(out)


def zero_attention(s, v, add_zero=True):
    """The output of torch's MultiheadAttention for a row of scores, with or without its key of zeros."""
    n = len(s)
    made = torch.nn.MultiheadAttention(
        n, 1, bias=False, add_zero_attn=add_zero, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        made.in_proj_weight.copy_(torch.eye(n, dtype=torch.float64).repeat(3, 1))
        made.out_proj.weight.copy_(torch.eye(n, dtype=torch.float64))
        q = torch.ones(1, 1, n, dtype=torch.float64)
        k = torch.from_numpy(np.diag(s) * n**0.5)[None]  # q · k over √n is the score
        return made(q, k, torch.from_numpy(v)[None])[0][0, 0].numpy()


def broken_stick(scores):
    """The weights of stick-breaking, for a row (n,) that begins with the nearest key."""
    taken = sigmoid_weights(scores, bias=0.0)
    return taken * np.cumprod(np.append(1.0, 1 - taken))[:-1]
