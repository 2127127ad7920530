"""The transformer in JavaScript: its maps are those of math.js, all else is what torch computes."""

import math

import numpy as np
import pytest
import torch
from in_node import SEED, ask, number

import lib

inf = math.inf
# Sizes are distinct primes, but for the width: it is shared by the heads.
SHAPE = {"symbols": 11, "room": 19, "width": 15, "heads": 3, "layers": 2}
BATCH, T = 5, 13
MAPS = ["softmax", "sparsemax", "entmax", "sigmoid_weights", "relu_norm"]
MIXED = ["softmax", "entmax", "sigmoid_weights", "sparsemax", "relu_norm", "softmax"]
FILES = ["transformer_training", "outside_math"]


def some_parameters():
    """(name, tensor) in the order of the flat array, at sizes where the maps differ and the loss is not flat."""
    torch.manual_seed(SEED)
    v, room, d, h, layers = SHAPE.values()
    yield "embed", torch.randn(v, d)
    yield "position", torch.randn(room, d)
    for i in range(layers):
        for name in ("query", "key", "value", "out"):
            yield f"layers.{i}.{name}", torch.randn(d, d) * 1.3 / d**0.5
    yield "unembed", torch.randn(v, d) / d**0.5
    yield "log_beta", torch.log(torch.rand(layers, h) + 0.5)


def parameters():
    return {name: x.double().requires_grad_() for name, x in some_parameters()}


def flat(tensors):
    return torch.cat([x.flatten() for x in tensors]).tolist()


def heads_of(x):
    return x.unflatten(-1, (SHAPE["heads"], -1)).transpose(-3, -2)  # (..., t, d) -> (..., h, t, e)


def rms_norm(x):
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()


def in_torch(p, tokens, maps, off=(), times=1.0, log_n=False):
    """The logits, and the weights of every head: the model in ten lines, with `lib.attention` for each head."""
    t = tokens.shape[-1]
    n = torch.arange(1, t + 1, dtype=torch.float64).clamp(min=2)[:, None]
    x = p["embed"][tokens] + p["position"][:t]
    all_weights = []
    for i in range(SHAPE["layers"]):
        q, k, v = (heads_of(rms_norm(x) @ p[f"layers.{i}.{name}"].T) for name in ("query", "key", "value"))
        mixed = []
        for h in range(SHAPE["heads"]):
            at = i * SHAPE["heads"] + h
            beta = p["log_beta"][i, h].exp() * np.broadcast_to(times, len(maps))[at]
            beta = beta * n.log() if log_n else beta
            one = [part[..., h, :, :] for part in (q, k, v)]
            y, weights = lib.attention(*one, beta=beta, causal=True, weights=maps[at], return_weights=True)
            mixed.append(y * (at not in off))
            all_weights.append(weights)
        x = x + torch.cat(mixed, -1) @ p[f"layers.{i}.out"].T
    return rms_norm(x) @ p["unembed"].T, all_weights


def case(maps, **options):
    rng = np.random.default_rng(SEED)
    tokens = rng.integers(SHAPE["symbols"], size=(BATCH, T))
    targets = np.where(rng.random((BATCH, T)) < 0.6, rng.integers(SHAPE["symbols"], size=(BATCH, T)), -1)
    maps = [maps] * 6 if isinstance(maps, str) else maps
    row = {"shape": SHAPE, "flat": flat(x for _, x in some_parameters()), "maps": maps, "length": T}
    return row | {"tokens": tokens.ravel().tolist(), "targets": targets.ravel().tolist(), **options}


FORWARD = """({ shape, flat, tokens, targets, ...options }) => {
  const { layers, logits } = forward(shape, named(shape, Float64Array.from(flat)), tokens, options);
  const { chances, surprise } = predictions(logits, shape.symbols, targets);
  const list = (x) => Array.from(x);
  const weights = layers.map((layer) => list(layer.weights));
  return { logits: list(logits), weights, chances: list(chances), surprise: list(surprise) };
}"""

CASES = {
    **{name: (name, {}, {}) for name in MAPS},
    "mixed": (MIXED, {}, {}),
    "off": (MIXED, {"off": [i in (1, 5) for i in range(6)]}, {"off": (1, 5)}),
    "times": ("softmax", {"times": [1, 0.25, 4, 1, 16, 1]}, {"times": [1, 0.25, 4, 1, 16, 1]}),
    "hard": ("softmax", {"times": [1, inf, 1, inf, inf, 1]}, {"times": [1, inf, 1, inf, inf, 1]}),
    "hard-sparse": (["sparsemax", "entmax"] * 3, {"times": [inf] * 6}, {"times": inf}),
    "log-n-hard": ("softmax", {"logN": True, "times": [inf] * 6}, {"log_n": True, "times": inf}),
    "log-n": ("softmax", {"logN": True}, {"log_n": True}),
    "log-n-sparse": ("sparsemax", {"logN": True}, {"log_n": True}),
}


@pytest.mark.parametrize("name", CASES)
def test_forward_is_that_of_lib(name):
    maps, options, same = CASES[name]
    row = case(maps, **options)
    answer = ask(FORWARD, [row], files=FILES)[0]
    with torch.no_grad():
        tokens = torch.tensor(row["tokens"]).reshape(BATCH, T)
        logits, weights = in_torch(parameters(), tokens, row["maps"], **same)
    # Both sides are float64 and differ by the order of sums alone.
    np.testing.assert_allclose(number(answer["logits"]), logits.flatten(), atol=1e-11)
    mine = number(answer["weights"]).reshape(SHAPE["layers"], BATCH, SHAPE["heads"], T, T)
    for at, theirs in enumerate(weights):
        layer, head = divmod(at, SHAPE["heads"])
        np.testing.assert_allclose(mine[layer, :, head], theirs, atol=1e-12, err_msg=at)
    chances = torch.softmax(logits, -1).reshape(-1, SHAPE["symbols"])
    np.testing.assert_allclose(number(answer["chances"]).reshape(chances.shape), chances, atol=1e-12)
    counted = np.array(row["targets"]) >= 0
    surprise = np.where(counted, -np.log(chances.numpy()[range(BATCH * T), row["targets"]]), 0)
    np.testing.assert_allclose(number(answer["surprise"]), surprise, atol=1e-11)


# --- the maps ------------------------------------------------------------------------------------

WEIGH = """({ scores, beta }) => {
  const n = scores.length;
  const own = (map) => {
    const row = Float64Array.from([7, ...scores, 8]);
    const w = new Float64Array(n + 2);
    weigh(map, row, beta, 1, n, w);
    return [...w].slice(1, -1);
  };
  return {
    own: ["softmax", "entmax", "sparsemax", "relu_norm", "sigmoid_weights"].map(own),
    known: [softmax(scores, beta), entmax(scores, beta, 1.5), entmax(scores, beta, 2),
      reluNorm(scores, beta), sigmoidWeights(scores, beta, -Math.log(n))],
  };
}"""


def test_the_maps_are_those_of_math_js():
    rng = np.random.default_rng(SEED)
    rows = []
    for i, beta in enumerate([0.0, 1e-12, 0.01, 0.3, 1.0, 2.5, 17.0, 1e3, inf] * 60):
        scores = rng.normal(size=int(rng.choice([1, 2, 3, 7, 31]))) * rng.choice([0.1, 1.0, 30.0])
        scores = np.round(scores) if i % 4 == 1 else scores - 100.0 * (i % 4 == 2)
        rows.append({"scores": scores.tolist(), "beta": beta})
    assert sum(len(row["scores"]) > len(set(row["scores"])) for row in rows) > 50  # ties
    for row, answer in zip(rows, ask(WEIGH, rows, files=FILES), strict=True):
        for own, known in zip(answer["own"], answer["known"], strict=True):
            np.testing.assert_allclose(number(own), number(known), atol=1e-13, err_msg=row)


# --- the gradients -------------------------------------------------------------------------------

BACKWARD = """({ shape, flat, tokens, targets, ...options }) => {
  const parameters = named(shape, Float64Array.from(flat));
  const state = forward(shape, parameters, tokens, options);
  const { chances, surprise } = predictions(state.logits, shape.symbols, targets);
  const gradient = new Float64Array(flat.length);
  backward(shape, parameters, state, lossGradient(chances, shape.symbols, targets), named(shape, gradient));
  const count = targets.filter((target) => target >= 0).length;
  return { loss: surprise.reduce((sum, x) => sum + x, 0) / count, gradient: Array.from(gradient) };
}"""


def gradients_in_torch(row, **same):
    p = parameters()
    logits, _ = in_torch(p, torch.tensor(row["tokens"]).reshape(BATCH, T), row["maps"], **same)
    targets = torch.tensor(row["targets"])
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets, ignore_index=-1)
    return loss, torch.autograd.grad(loss, list(p.values()))


@pytest.mark.parametrize("name", [name for name in CASES if "hard" not in name])
def test_gradients_are_those_of_torch(name):
    maps, options, same = CASES[name]
    row = case(maps, **options)
    answer = ask(BACKWARD, [row], files=FILES)[0]
    loss, expected = gradients_in_torch(row, **same)
    assert answer["loss"] == pytest.approx(loss.item(), rel=1e-12)
    at = 0
    for what, theirs in zip(parameters(), expected, strict=True):
        mine = number(answer["gradient"][at : at + theirs.numel()]).reshape(theirs.shape)
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9 * abs(theirs).max() + 1e-15, err_msg=what)
        at += theirs.numel()
    assert at == len(answer["gradient"])


# --- steps ---------------------------------------------------------------------------------------

STEPS = """({ values, gradients, most, over, rate, ...options }) => {
  const mine = Float64Array.from(values);
  const step = adamW(mine, options);
  return gradients.map((gradient, i) => {
    const own = Float64Array.from(gradient);
    const norm = clip(own, most);
    step(own, rate * warmUp(i + 1, over));
    return { norm, values: Array.from(mine) };
  });
}"""


@pytest.mark.parametrize(
    "options", [{}, {"betas": [0.9, 0.99], "decay": 0.0}, {"betas": [0.8, 0.95], "decay": 0.3, "eps": 1e-3}]
)
def test_steps_are_those_of_torch(options):
    rng = np.random.default_rng(SEED)
    values, gradients = rng.normal(size=17), rng.normal(size=(7, 17)) * np.geomspace(0.01, 3, 7)[:, None]
    row = {"values": values.tolist(), "gradients": gradients.tolist(), "most": 2.0, "over": 5, "rate": 0.03}
    answer = ask(STEPS, [row | options], files=FILES)[0]
    theirs = torch.tensor(values, requires_grad=True)
    named = {"betas": "betas", "decay": "weight_decay", "eps": "eps"}
    adam = torch.optim.AdamW([theirs], lr=1.0, **{named[key]: value for key, value in options.items()})
    clipped = 0
    for i, (gradient, mine) in enumerate(zip(gradients, answer, strict=True)):
        theirs.grad = torch.tensor(gradient)
        norm = torch.nn.utils.clip_grad_norm_([theirs], 2.0)
        adam.param_groups[0]["lr"] = 0.03 * min(1, (i + 1) / 5)
        adam.step()
        clipped += norm.item() > 2.0
        assert mine["norm"] == pytest.approx(norm.item(), rel=1e-12)
        np.testing.assert_allclose(number(mine["values"]), theirs.detach(), atol=1e-13)
    assert 0 < clipped < len(gradients)


def test_all_of_it_runs_from_its_own_text():
    """What a Worker gets: nothing but this text is in reach."""
    alone = """(row) => new Function(`${transformerText()}; return ${row.answer};`)()(row.row)"""
    row = case("entmax")
    here = ask(BACKWARD, [row], files=FILES)[0]
    assert ask(alone, [{"answer": BACKWARD, "row": row}], files=FILES)[0] == here
