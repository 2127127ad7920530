"""The queries and keys of *a real head* are what they are said to be; `book.models.encoder` runs an encoder."""

import math

import numpy as np
import pytest

import lib
from book.figures import RealHead
from book.figures.real_head import ELSEWHERE, OWN_BETA, SENTENCE, WORDS, made, queries_and_keys
from book.models import encoder
from book.models import real_head as script

TOKENS = "[CLS] the cat drank the milk because it was {} [SEP]"
IT, N = 7, 11


def weights_of_it(text):
    """What the model's own rule makes of the queries and keys: a row of softmax(q kᵀ / √32)."""
    q, k = queries_and_keys(text)
    return lib.softmax(q @ k.T / math.sqrt(32))[IT]


@pytest.mark.parametrize("word", WORDS)
def test_the_figure_has_the_row_of_it(word):
    figure = RealHead(word)
    q, k = queries_and_keys(SENTENCE.format(word))
    assert figure.tokens == TOKENS.format(word).split()
    assert q.shape == k.shape == (N, 32)
    np.testing.assert_allclose(figure.scores, (q @ k.T)[IT], atol=1e-4)
    np.testing.assert_allclose(figure.weights, weights_of_it(SENTENCE.format(word)), atol=1e-5)


def test_the_data_are_those_of_the_script():
    assert script.__file__.endswith(made()["made_by"])
    assert [made()[name] for name in ("layer", "head", "width")] == [script.LAYER, script.HEAD, encoder.WIDTH]
    assert made()["width"] ** -0.5 == OWN_BETA
    texts = [SENTENCE.format(word) for word in WORDS] + [ELSEWHERE]
    assert [one["text"] for one in made()["sentences"]] == texts == list(script.SENTENCES)
    assert [one["nouns"] for one in made()["sentences"]] == [list(nouns) for nouns in script.SENTENCES.values()]


def test_the_script_runs_an_encoder_as_torch_does(monkeypatch):
    torch = pytest.importorskip("torch")
    layers, heads, width, inner, n = 2, 3, 5, 7, 11
    for name, value in {"LAYERS": layers, "HEADS": heads, "WIDTH": width}.items():
        monkeypatch.setattr(encoder, name, value)
    generator = torch.Generator().manual_seed(0)
    d = heads * width
    words, places, kinds = (torch.randn(size, d, generator=generator, dtype=torch.float64) for size in (23, 13, 2))
    weights = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": places,
        "embeddings.token_type_embeddings.weight": kinds,
    }

    def keep(name, weight, bias):
        for part, value in (("weight", weight), ("bias", bias)):
            weights[f"{name}.{part}"] = value

    norm = torch.nn.LayerNorm(d, eps=1e-12, dtype=torch.float64)
    keep("embeddings.LayerNorm", norm.weight, norm.bias)
    ids = torch.randint(23, (n,), generator=generator)
    x = norm(words[ids] + places[:n] + kinds[0])
    for i in range(layers):
        options = {"dropout": 0, "activation": "gelu", "layer_norm_eps": 1e-12, "batch_first": True}
        layer = torch.nn.TransformerEncoderLayer(d, heads, inner, dtype=torch.float64, **options)
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter, generator=generator)
        at, attention = f"encoder.layer.{i}", layer.self_attn
        for k, name in enumerate(("query", "key", "value")):
            part = slice(k * d, (k + 1) * d)
            keep(f"{at}.attention.self.{name}", attention.in_proj_weight[part], attention.in_proj_bias[part])
        keep(f"{at}.attention.output.dense", attention.out_proj.weight, attention.out_proj.bias)
        keep(f"{at}.attention.output.LayerNorm", layer.norm1.weight, layer.norm1.bias)
        keep(f"{at}.intermediate.dense", layer.linear1.weight, layer.linear1.bias)
        keep(f"{at}.output.dense", layer.linear2.weight, layer.linear2.bias)
        keep(f"{at}.output.LayerNorm", layer.norm2.weight, layer.norm2.bias)
        x = layer(x[None])[0]
    plain = {name: value.detach().numpy() for name, value in weights.items()}
    found, seen = encoder.encode(ids.numpy(), plain)
    np.testing.assert_allclose(found, x.detach().numpy(), rtol=1e-9, atol=1e-12)
    assert [part.shape for three in seen for part in three] == [(heads, n, width)] * 3 * layers
    with_lib, _ = encoder.encode(ids.numpy(), plain, lambda layer, q, k, v: lib.attention(q, k, v))
    np.testing.assert_allclose(with_lib, found, rtol=1e-9, atol=1e-12)
    silent, _ = encoder.encode(ids.numpy(), plain, lambda layer, q, k, v: v * (layer != 1))
    assert not np.allclose(silent, found)
