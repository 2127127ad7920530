"""A small encoder made at random: what it computes, and what `encoder_maps` changes in it; and what was found."""

import math

import numpy as np
import pytest
import torch

import lib
from book import encoder as results
from book.figures import encoder_heads
from book.figures.real_head import made as one_head
from book.models import encoder, encoder_maps
from book.models import encoder_sentences as texts
from book.models.encoder import Encoder
from book.models.encoder_maps import (
    CHANGES,
    RANKINGS,
    Measure,
    ranks,
    renormalised,
    silent,
    variants,
    with_beta,
    with_heads,
)

LAYERS, HEADS, WIDTH, INNER, WORDS = 2, 3, 32, 7, 23
TEXTS = ["attention", "temperate", "who looks at whom"]  # the first two are of one length
EVERY = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]


class Letters:
    """A tokenizer: a token for each letter, between two marks."""

    def encode(self, text):
        self.ids = np.array([0, *(2 + ord(letter) % (WORDS - 2) for letter in text), 1])
        return self


@pytest.fixture(scope="module")
def small():
    """A random encoder of two layers with three heads."""
    generator, d = np.random.default_rng(30), HEADS * WIDTH
    shapes = {"word_embeddings": (WORDS, d), "position_embeddings": (101, d), "token_type_embeddings": (2, d)}
    weights = {f"embeddings.{name}.weight": generator.normal(size=size) / 10 for name, size in shapes.items()}
    layer = {f"attention.self.{part}": (d, d) for part in ("query", "key", "value")}
    layer |= {"attention.output.dense": (d, d), "intermediate.dense": (INNER, d), "output.dense": (d, INNER)}
    layer |= {f"{part}.LayerNorm": (d,) for part in ("attention.output", "output")}
    parts = {f"encoder.layer.{k}.{name}": shape for k in range(LAYERS) for name, shape in layer.items()}
    for name, shape in ({"embeddings.LayerNorm": (d,)} | parts).items():
        weights[f"{name}.weight"] = generator.normal(size=shape) / 10 ** (len(shape) > 1)
        weights[f"{name}.bias"] = generator.normal(size=shape[:1])
    with pytest.MonkeyPatch.context() as patch:
        for module in (encoder, encoder_maps):
            patch.setattr(module, "LAYERS", LAYERS)
            patch.setattr(module, "HEADS", HEADS)
        yield Measure(Encoder(weights, Letters(), ""), TEXTS)


def test_the_encoder_is_what_torch_computes(small):
    weights, ids = {name: torch.tensor(x) for name, x in small.weights.items()}, small.ids[TEXTS[0]]

    def of(module, *names):
        """The module with those weights, several below each other."""
        for kind, parameter in module.named_parameters():
            parameter.data = torch.cat([weights[f"{name}.{kind}"] for name in names])
        return module

    d, options = HEADS * WIDTH, {"activation": "gelu", "layer_norm_eps": 1e-12, "dropout": 0, "batch_first": True}
    words, places, kinds = (
        weights[f"embeddings.{x}_embeddings.weight"] for x in ("word", "position", "token_type")
    )
    x = of(torch.nn.LayerNorm(d, eps=1e-12), "embeddings.LayerNorm")(words[ids] + places[: len(ids)] + kinds[0])
    for k in range(LAYERS):
        layer, at = torch.nn.TransformerEncoderLayer(d, HEADS, INNER, **options), f"encoder.layer.{k}"
        inner = torch.nn.Linear(d, 3 * d)
        of(inner, *(f"{at}.attention.self.{name}" for name in ("query", "key", "value")))
        layer.self_attn.in_proj_weight, layer.self_attn.in_proj_bias = inner.weight, inner.bias
        of(layer.self_attn.out_proj, f"{at}.attention.output.dense")
        of(layer.norm1, f"{at}.attention.output.LayerNorm")
        of(layer.linear1, f"{at}.intermediate.dense")
        of(layer.linear2, f"{at}.output.dense")
        of(layer.norm2, f"{at}.output.LayerNorm")
        x = layer(x[None])[0]
    found, seen = encoder.encode(ids, small.weights)
    np.testing.assert_allclose(found, x.detach().numpy(), rtol=1e-9, atol=1e-12)
    assert [part.shape for three in seen for part in three] == [(HEADS, len(ids), WIDTH)] * 3 * LAYERS
    with_lib, _ = encoder.encode(ids, small.weights, lambda layer, q, k, v: lib.attention(q, k, v))
    np.testing.assert_allclose(with_lib, found, rtol=1e-9, atol=1e-12)
    silent, _ = encoder.encode(ids, small.weights, lambda layer, q, k, v: v * (layer != 1))
    assert not np.allclose(silent, found)


def vectors(small, attend, first=0):
    return np.array(list(small.vectors(TEXTS, attend, first).values()))


def test_the_model_as_it_is_and_at_its_own_beta(small):
    own = np.array(list(small.own.values()))
    np.testing.assert_allclose(np.linalg.norm(own, axis=-1), 1)
    whole = [encoder.embedding(small.ids[text], small.weights) for text in TEXTS]
    np.testing.assert_allclose(own, whole, rtol=1e-12)
    assert [len(group) for group in small.together(TEXTS)] == [2, 1]
    np.testing.assert_allclose(vectors(small, with_beta(1, range(LAYERS))), own, atol=1e-12)
    np.testing.assert_allclose(small.cosines(TEXTS, with_beta(1)), 1)
    for first in range(LAYERS):  # what comes before is computed once
        attend = with_beta(0, [first])
        np.testing.assert_allclose(vectors(small, attend, first), vectors(small, attend), atol=1e-12)


def test_equal_weights_are_reached_on_three_ways(small):
    flat = vectors(small, with_beta(0, range(LAYERS)))
    np.testing.assert_allclose(vectors(small, with_heads(EVERY, "uniform")), flat, atol=1e-12)
    for weights in ("sparsemax", "entmax"):
        np.testing.assert_allclose(vectors(small, with_beta(0, range(LAYERS), weights=weights)), flat, atol=1e-12)
    assert np.abs(flat - vectors(small, with_beta(1))).max() > 1e-3


def test_a_layer_alone_and_a_head_alone(small):
    both = vectors(small, with_beta(math.inf, range(LAYERS)))
    ones = [vectors(small, with_beta(math.inf, [layer])) for layer in range(LAYERS)]
    assert all(np.abs(one - other).max() > 1e-3 for one, other in [(both, ones[0]), (both, ones[1]), ones])
    first = vectors(small, with_heads(EVERY[:HEADS], "uniform"))
    np.testing.assert_allclose(vectors(small, with_beta(0, [0])), first, atol=1e-12)
    alone = vectors(small, with_heads([(1, 2)], "zero"))

    def by_hand(layer, q, k, v):
        keep = np.array([True, True, layer != 1])[:, None, None]
        return np.where(keep, lib.attention(q, k, v), 0)

    np.testing.assert_allclose(alone, vectors(small, by_hand), atol=1e-12)


def test_nothing_and_all_on_the_start_mark(small):
    np.testing.assert_allclose(vectors(small, with_heads(EVERY, "zero")), vectors(small, silent), atol=1e-12)

    def by_hand(layer, q, k, v):
        return lib.attention(q, k, v, beta=0.0, where=np.arange(k.shape[-2]) == 0)

    np.testing.assert_allclose(vectors(small, with_heads(EVERY, "start")), vectors(small, by_hand), atol=1e-12)
    assert set(CHANGES) == set(results.made()["lost"])


def test_sigmoid_renormalised_has_weights_of_sum_one():
    q, k, v = np.random.default_rng(7).normal(size=(3, 5, 11, WIDTH))
    np.testing.assert_allclose(renormalised(0, q, k, np.ones_like(v)), 1)
    raw = lib.attention(q, k, v, weights="sigmoid_weights")
    mass = lib.attention(q, k, np.ones_like(v), weights="sigmoid_weights")
    np.testing.assert_allclose(renormalised(0, q, k, v), raw / mass, rtol=1e-12)


def test_word_vectors_and_the_weight_of_the_start_mark(small):
    table = small.weights["embeddings.word_embeddings.weight"]
    mean = table[small.ids["attention"][1:-1]].mean(axis=0)
    np.testing.assert_allclose(small.words(TEXTS)["attention"], mean / np.linalg.norm(mean))
    shares, lengths = [], []
    for text in TEXTS:
        _, seen = encoder.encode(small.ids[text], small.weights)
        shares.append([lib.softmax(q @ k.swapaxes(1, 2), WIDTH**-0.5)[..., 0].mean(-1) for q, k, _ in seen])
        sizes = [np.sqrt((v**2).sum(-1)) for _, _, v in seen]
        lengths.append([size[:, 0] / size[:, 1:].mean(-1) for size in sizes])
    np.testing.assert_allclose(small.of_start(TEXTS), [np.mean(shares, axis=0), np.mean(lengths, axis=0)])


def test_a_triple_is_ranked_by_cosines(monkeypatch):
    monkeypatch.setattr(encoder_maps, "TRIPLES", ["abc", "dcb", "acd"])
    at = dict(zip("abcd", np.deg2rad([0, 50, 80, 60]), strict=True))
    found = ranks({name: np.array([np.cos(angle), np.sin(angle)]) for name, angle in at.items()})
    # The first: b is 50 degrees off, d 60, c 80. The second: c is 20 off, a 60, b 10. The third: c is 80 off, a 0.
    assert found == {"unrelated": [1, 1, 0], "similar": [1, 0, 0], "all": [1, 0, 0]}


# --- what was found ----------------------------------------------------------------------------------


def test_the_results_are_those_of_these_sentences_and_changes():
    made = results.made()
    assert made["sha256"] == encoder_heads.made()["sha256"] == one_head()["sha256"]
    assert encoder_maps.__file__.endswith(made["made_by"])
    assert [tuple(triple) for triple in made["triples"]] == texts.TRIPLES
    assert list(made["right"]) == RANKINGS
    assert all(list(found) == ["own", "words", *variants()] for found in made["right"].values())
    assert all(len(results.cosines(name)) == len(texts.SENTENCES) >= 40 for name in made["cosine"])
    shapes = {results.right(name, ranking).shape for ranking in RANKINGS for name in variants()}
    assert shapes == {(len(texts.TRIPLES),)}
    said = [sentence for triple in texts.TRIPLES for sentence in triple]
    assert len(set(said)) == 3 * len(texts.TRIPLES)


def test_flattening_costs_more_than_sharpening_and_its_own_beta_is_best():
    flatter = [results.cosine(f"beta {factor}") for factor in ("0", "0.25", "0.5", "0.7", "0.8", "0.9")]
    sharper = [results.cosine(f"beta {factor}") for factor in ("1.1", "1.25", "1.5", "2", "4", "inf")]
    assert flatter == sorted(flatter)
    assert sharper == sorted(sharper, reverse=True)
    for factor, inverse in [("0", "inf"), ("0.25", "4"), ("0.5", "2")]:  # sentence by sentence
        assert (results.cosines(f"beta {factor}") < results.cosines(f"beta {inverse}")).all()
    names = [name for name in results.made()["cosine"] if name.startswith("beta")]
    best = max(results.right(name, "similar").sum() for name in names)
    own = results.right("own", "similar").sum()
    assert best <= own + 1  # of 48 triples: no β is found better than the model's own


def test_the_sinks_of_the_figure_are_those_of_the_results():
    shares = [encoder_heads.shares(encoder_heads.weights(name)) for name in encoder_heads.made()["sentences"]]
    shown = np.mean([share["start"] for share in shares], axis=0)
    assert np.corrcoef(shown.ravel(), results.on_start().ravel())[0, 1] > 0.95
    assert shown[results.resting(0.7)].min() > 0.55
