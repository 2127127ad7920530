"""The transformer: attention by any map in it equals plain arithmetic, and what experiments change is changed."""

import dataclasses
import functools
import itertools
import math

import numpy as np
import pytest
import torch
from calls import named
from scipy.special import erf

import lib
from book.models.transformer import Config, Transformer

MAPS = ["softmax", "sparsemax", "entmax", "relu_norm", "sigmoid_weights", "softmax_plus_one"]
CONFIG = Config(symbols=13, room=7, width=33, heads=3, layers=2, path="readable")
TOKENS = torch.tensor([[4, 0, 12, 4, 7], [1, 1, 2, 9, 3]])  # (2, 5)
BETA = 11**-0.5  # of heads of width 11
draw = np.random.default_rng(0)
WHERE = torch.tensor(draw.random((2, 1, 5, 5)) < 0.7)
LOG_PRIOR = torch.tensor(draw.normal(size=(3, 5, 5)))


def made(seed=1, **changes):
    """A small model in float64, with scores large enough for sparse maps to leave keys out."""
    model = Transformer(dataclasses.replace(CONFIG, **changes), seed).double()
    for block in model.layers:
        block.query.data *= 4
        block.log_beta.data.fill_(math.log(changes.get("beta", BETA)))  # not as rounded in float32
    return model


def projected(row, alpha):
    """The entmax of a row of numbers, α from 1.5 to 2, by halving the interval that holds its threshold."""
    z = (alpha - 1) * row
    low, high = z.max() - 1, z.max()
    for _ in range(80):
        middle = (low + high) / 2
        total = (np.maximum(z - middle, 0) ** (1 / (alpha - 1))).sum()
        low, high = (middle, high) if total > 1 else (low, middle)
    return np.maximum(z - low, 0) ** (1 / (alpha - 1))


def plain_weights(name, scores):
    """The weights of a list of scores, β included, over the keys that are seen."""
    if name == "softmax":
        return np.exp(scores) / np.exp(scores).sum()
    if name in ("sparsemax", "entmax"):
        return projected(scores, 2.0 if name == "sparsemax" else 1.5)
    if name == "relu_norm":
        positive = np.maximum(scores, 0)
        return positive / positive.sum() if positive.any() else positive
    if name == "sigmoid_weights":
        return 1 / (1 + len(scores) * np.exp(-scores))
    assert name == "softmax_plus_one"
    return np.exp(scores) / (1 + np.exp(scores).sum())


def normed(x):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)


def plain(model, tokens, beta, where=None, log_prior=None, off=()):
    """The logits for one sequence, number by number in float64: with no call of `lib`.

    `beta(layer, head, n)` is β for a query that sees n keys.
    """
    p = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    config, t = model.config, len(tokens)
    e = config.width // config.heads
    x = p["embed"][tokens] + (p["position"][:t] if config.room else 0)
    for i in range(config.layers):
        n, found = normed(x), np.zeros((t, config.width))
        q, k, v = (n @ p[f"layers.{i}.{name}"].T for name in ("query", "key", "value"))
        for h, query in itertools.product(range(config.heads), range(t)):
            part = slice(h * e, (h + 1) * e)
            first = 0 if config.window is None else max(0, query - config.window + 1)
            keys = [j for j in range(first, query + 1 if config.causal else t) if where is None or where[query, j]]
            if not keys or (i, h) in off:
                continue
            scores = beta(i, h, len(keys)) * k[keys, part] @ q[query, part]
            if log_prior is not None:
                scores = scores + log_prior[h, query, keys].numpy()
            found[query, part] = plain_weights(config.weights, scores) @ v[keys, part]
        x = x + found @ p[f"layers.{i}.out"].T
        if config.mlp:
            hidden = normed(x) @ p[f"layers.{i}.up"].T
            x = x + hidden * (1 + erf(hidden / 2**0.5)) / 2 @ p[f"layers.{i}.down"].T
    return normed(x) @ p["unembed"].T


def rule(beta=BETA, log_n=False):
    return lambda layer, head, n: beta * (math.log(max(n, 2)) if log_n else 1)


def agree(model, beta, **options):
    """The model's logits for both sequences equal those of plain arithmetic."""
    got = model(TOKENS, **options).detach().numpy()
    told = {name: option for name, option in options.items() if name in ("log_prior", "off")}
    for b, row in enumerate(TOKENS.tolist()):
        where = options["where"][b, 0] if "where" in options else None
        np.testing.assert_allclose(got[b], plain(model, row, beta, where, **told), atol=1e-12)


@pytest.mark.parametrize("name", MAPS)
def test_attention_by_every_map_equals_plain_arithmetic(name):
    for log_n in (False, True):
        with named(log_n):
            agree(made(weights=name, log_n=log_n), rule(log_n=log_n), where=WHERE)


def test_a_log_prior_is_added_to_the_scores_of_softmax_and_a_prior_is_its_exponential():
    agree(made(), rule(), log_prior=LOG_PRIOR, where=WHERE)
    torch.testing.assert_close(made()(TOKENS, prior=LOG_PRIOR.exp()), made()(TOKENS, log_prior=LOG_PRIOR))


def test_every_kind_of_model_equals_plain_arithmetic():
    kinds = {"mlp": 17}, {"causal": False}, {"window": 2}, {"room": None}, {"beta": 1.7}, {"layers": 1}
    for changes in kinds:
        with named(changes):
            agree(made(**changes), rule(changes.get("beta", BETA)))
            agree(made(**changes, log_n=True), rule(changes.get("beta", BETA), log_n=True))


def test_the_arithmetic_of_the_test_would_notice():
    for changes in ({"causal": False}, {"window": 2}, {"weights": "entmax"}, {"log_n": True}, {"beta": 0.5}):
        with pytest.raises(AssertionError):
            agree(made(**changes), lambda i, h, n: rule()(i, h, n) * 1.001)


def test_the_fused_path_gives_the_same():
    model = made()
    torch.testing.assert_close(made(path="auto")(TOKENS), model(TOKENS), atol=1e-12, rtol=0)


def test_the_map_may_be_a_function_and_an_unknown_one_is_refused():
    with pytest.raises(ValueError, match="weights must be callable or one of"):
        made(weights="hardmax")(TOKENS)
    entmax = functools.partial(lib.entmax, alpha=1.5)
    torch.testing.assert_close(made(weights=entmax)(TOKENS), made(weights="entmax")(TOKENS))
    torch.testing.assert_close(made(weights="entmax", alpha=2.0)(TOKENS), made(weights="sparsemax")(TOKENS))


def test_switching_a_head_off_takes_its_output_away():
    agree(made(), rule(), off=[(0, 1), (1, 2)])
    _, (first, second) = made()(TOKENS, off=[(0, 1), (1, 2)], look=True)
    assert (first.outputs[:, 1] == 0).all()
    assert (second.outputs[:, 2] == 0).all()
    assert first.outputs[:, 0].abs().min() > 0


def test_beta_of_one_head_or_of_all():
    agree(made(), rule(3 * BETA), beta_times=3.0)
    agree(made(), rule(0.0), beta_times=0.0)
    times = torch.tensor([[1.0, 2.0, 0.25], [8.0, 1.0, 0.5]])
    model = made()
    got = model(TOKENS, beta_times=times)[0].detach().numpy()
    expected = plain(model, TOKENS[0].tolist(), lambda i, h, n: times[i, h].item() * BETA)
    np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["softmax", "sparsemax", "entmax"])
def test_beta_may_be_infinite_also_where_it_grows_with_log_n(name):
    for log_n in (False, True):
        logits, layers = made(weights=name, log_n=log_n)(TOKENS, beta_times=torch.inf, look=True)
        assert logits.isfinite().all()
        for heads in layers:
            hidden = ~lib.causal_mask(5, like=TOKENS)
            best = heads.scores.masked_fill(hidden, -torch.inf).argmax(dim=-1)
            assert (heads.weights.gather(-1, best[..., None]) == 1).all()


def test_values_can_be_changed_in_one_layer():
    def swap(layer, v):
        return v.flip(-2) if layer == 1 else v

    model = made()
    changed, layers = model(TOKENS, change=swap, look=True)
    kept, as_before = model(TOKENS, look=True)
    assert torch.equal(layers[0].outputs, as_before[0].outputs)
    assert torch.equal(layers[1].v, as_before[1].v.flip(-2))
    assert (changed - kept).abs().max() > 0.01


@pytest.mark.parametrize("name", MAPS)
def test_what_the_heads_did_fits_together(name):
    model = made(weights=name)
    logits, layers = model(TOKENS, where=WHERE, look=True)
    torch.testing.assert_close(logits, model(TOKENS, where=WHERE), atol=1e-12, rtol=0)
    x = model.embed[TOKENS] + model.position[:5]
    sees = WHERE & lib.causal_mask(5, like=TOKENS)
    for heads, block in zip(layers, model.layers, strict=True):
        assert heads.q.shape == heads.outputs.shape == (2, 3, 5, 11)
        torch.testing.assert_close(heads.scores, torch.einsum("bhqe,bhke->bhqk", heads.q, heads.k))
        expected = getattr(lib, name)(heads.scores, heads.beta, where=sees)
        torch.testing.assert_close(heads.weights, expected)
        torch.testing.assert_close(heads.outputs, heads.weights @ heads.v)
        x = x + torch.cat(heads.outputs.unbind(1), dim=-1) @ block.out.T
    rms = (x.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt()
    torch.testing.assert_close(logits, x / rms @ model.unembed.T)


def test_a_fixed_beta_gets_no_gradient():
    model = made()
    model(TOKENS).sum().backward()
    assert all(block.log_beta.grad is None for block in model.layers)
    assert model.embed.grad.abs().max() > 0


@pytest.mark.parametrize("name", MAPS)
def test_the_gradient_reaches_a_learned_beta(name):
    """But the weights of ReLU over its sum do not depend on β."""
    for log_n in (False, True):
        model = made(weights=name, learn_beta=True, log_n=log_n)
        total = lambda model=model: model(TOKENS).logsumexp(dim=-1).sum()  # noqa: E731
        total().backward()
        for block in model.layers:
            slope = block.log_beta.grad.clone()
            assert (slope.abs().max() > 1e-3) == (name != "relu_norm")
            for h in range(3):
                with torch.no_grad():
                    block.log_beta[h] += 1e-6
                    above = total()
                    block.log_beta[h] -= 2e-6
                    below = total()
                    block.log_beta[h] += 1e-6
                assert slope[h].item() == pytest.approx((above - below).item() / 2e-6, abs=1e-6)


def test_a_later_token_changes_nothing_before_it():
    model = made()
    other = TOKENS.clone()
    other[:, 3] = 5
    assert torch.equal(model(TOKENS)[:, :3], model(other)[:, :3])
    assert (model(TOKENS)[:, 3:] - model(other)[:, 3:]).abs().min() > 0


def test_one_sequence_and_many_give_the_same():
    model = made()
    torch.testing.assert_close(model(TOKENS[1]), model(TOKENS)[1], atol=1e-12, rtol=0)
    torch.testing.assert_close(model(TOKENS.expand(2, 3, 2, 5))[1, 2], model(TOKENS), atol=1e-12, rtol=0)


def test_the_seed_alone_decides_how_a_model_starts():
    state = torch.random.get_rng_state()
    one, same, other = (Transformer(CONFIG, seed).state_dict() for seed in (3, 3, 4))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["embed"], other["embed"])
    assert torch.equal(torch.random.get_rng_state(), state), "the random numbers of others are left alone"


def test_a_model_that_cannot_be_is_refused():
    for says, changes in (
        ("width of 32 cannot be shared evenly among 3 heads", {"width": 32}),
        ("heads is to be 1 or more; got 0", {"heads": 0}),
        ("room is to be 1 or more", {"room": 0}),
        ("mlp counts hidden units", {"mlp": -2}),
        ("beta is to be positive and finite", {"beta": 0.0}),
        ("beta is to be positive and finite", {"beta": math.nan}),
        ("a window ends at the query's own position", {"window": 2, "causal": False}),
    ):
        with named(changes), pytest.raises(ValueError, match=says):
            made(**changes)


def test_what_a_model_cannot_read_is_refused():
    for says, tokens, options in (
        ("tokens are to be integers", TOKENS.double(), {}),
        ("t at least 1", TOKENS[:, :0], {}),
        ("learned 7 positions; got a sequence of 8", torch.arange(8), {}),
        ("from 0 to 12; got 13 to 13", torch.tensor([13]), {}),
        ("from 0 to 12; got -1 to -1", torch.tensor([-1]), {}),
        (r"2 layers of 3 heads; got \(2, 0\)", TOKENS, {"off": [(2, 0)]}),
        ("beta_times is to be 0 or more", TOKENS, {"beta_times": -1.0}),
        ("beta_times is to be a number or one for each head", TOKENS, {"beta_times": torch.ones(4)}),
    ):
        with named(tokens, options), pytest.raises(ValueError, match=says):
            made()(tokens, **options)
