"""What is kept of 72 heads of a pretrained encoder, and of one: where it comes from, what its weights are."""

import numpy as np
import pytest

import lib
from book.figures import RealHead
from book.figures import encoder_heads as heads
from book.figures import real_head as one_head
from book.models import encoder_heads as script
from book.models import real_head as script_of_one

NAMES = list(heads.made()["sentences"])
CAT = ["thirsty", "hungry", "tired", "fresh", "sweet", "warm"]
# How far a weight may be off: for a byte for each score, as the script has found; for three digits of q and k.
OFF, THREE_DIGITS = heads.made()["weights_off"], 2e-3


def of(array, layer, head):
    return array[layer - 1, head - 1]


@pytest.mark.parametrize(("data", "made_by"), [(heads, script), (one_head, script_of_one)])
def test_the_data_are_those_of_the_script(data, made_by):
    made = data.made()
    assert made_by.__file__.endswith(made["made_by"])
    assert made["width"] ** -0.5 == data.OWN_BETA
    kept = made["sentences"].values() if data is heads else made["sentences"]
    said = [(one["text"], tuple(one["nouns"])) for one in kept]
    assert said == [*(script.SENTENCES.values() if data is heads else script_of_one.SENTENCES.items())]


@pytest.mark.parametrize("word", one_head.WORDS)
def test_the_figure_of_a_real_head_has_the_row_of_it(word):
    figure, (q, k) = RealHead(word), one_head.queries_and_keys(one_head.SENTENCE.format(word))
    assert figure.tokens == f"[CLS] the cat drank the milk because it was {word} [SEP]".split()
    np.testing.assert_allclose(figure.scores, (q @ k.T)[figure.tokens.index("it")], atol=1e-4)
    np.testing.assert_allclose(figure.weights, lib.softmax((q @ k.T)[7], 32**-0.5), atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_has_one_highest_score_and_weights_of_sum_one(name):
    kept, n = heads.scores(name), len(heads.sentence(name)["tokens"])
    assert kept.shape == (6, 12, n, n)
    assert ((kept == 0).sum(axis=-1) == 1).all()
    assert (kept <= 0).all()
    np.testing.assert_allclose(heads.weights(name).sum(axis=-1), 1, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_those_of_the_queries_and_keys(name):
    assert heads.opened(name) == script.OPENED
    for layer, head in heads.opened(name):
        q, k = heads.queries_and_keys(name, layer, head)
        for alpha, most in [(1, OFF), (1.5, 2 * OFF), (2, 4 * OFF)]:
            exact = lib.entmax(q @ k.T, heads.OWN_BETA, alpha=alpha)
            kept = of(heads.weights(name, alpha=alpha), layer, head)
            np.testing.assert_allclose(kept, exact, atol=most + THREE_DIGITS)


@pytest.mark.parametrize("name", [*CAT, "ball"])
def test_the_head_that_stands_in_real_head_json_is_the_same(name):
    text = heads.sentence(name)["text"]
    q, k = one_head.queries_and_keys(text)
    np.testing.assert_allclose(heads.queries_and_keys(name, 4, 2), [q, k], rtol=1e-3, atol=6e-5)
    exact = lib.softmax(q @ k.T, heads.OWN_BETA)
    np.testing.assert_allclose(of(heads.weights(name), 4, 2), exact, atol=OFF + 1e-4)


def test_in_bytes_keeps_large_weights_best_and_no_tie_arises():
    generator = np.random.default_rng(29)
    scores = generator.normal(size=(6, 12, 7, 7)) * 40
    scores[0, 0, 0, :2] = scores[0, 0, 0].max() + np.array([1.0, 1.0 - 1e-9])  # nearly a tie
    roots, scale = script.in_bytes(scores)
    assert roots.dtype == np.uint8
    assert ((roots == 0).sum(axis=-1) == 1).all()
    assert (roots.argmin(axis=-1) == scores.argmax(axis=-1)).all()
    exact = scores.max(axis=-1, keepdims=True) - scores
    off = np.abs(scale[..., None, None] * roots.astype(float) ** 2 - exact)
    np.testing.assert_array_less(off, np.sqrt(exact * scale[..., None, None]) + 1.01 * scale[..., None, None])


def test_shares_and_roles_of_weights_that_are_known():
    n = 5
    eye = np.eye(n)
    to = {
        "previous": np.eye(n, k=-1) + np.eye(n) * (np.arange(n) == 0),
        "next": np.eye(n, k=1) + np.eye(n) * (np.arange(n) == n - 1),
        "itself": eye,
        "start": np.tile(eye[0], (n, 1)),
        "end": np.tile(eye[-1], (n, 1)),
        "broad": np.full((n, n), 1 / n),
        "mixed": np.tile([0.48, 0, 0.04, 0, 0.48], (n, 1)),
    }
    found = heads.roles(np.stack(list(to.values())))
    assert found.tolist() == list(to)
    shares = heads.shares(to["previous"])
    assert shares["previous"] == 1
    assert [shares["next"], shares["itself"], shares["start"]] == pytest.approx([0, 1 / n, 2 / n])
    assert heads.spread(to["broad"]) == pytest.approx(n)
