"""Calls that look right and are not, which are refused with advice; and some that look odd and are right."""

import functools

import numpy as np
import pytest
from optional_torch import torch

import lib
from lib.fast import query_blocks


def random(*shapes, xp=np):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape) for shape in shapes]
    return arrays if xp is np else [torch.from_numpy(x) for x in arrays]


# ---- α


@pytest.mark.parametrize("path", ["readable", "auto", "blocks"])
@pytest.mark.parametrize("kind", [np, torch], ids=["numpy", "torch"])
def test_an_array_alpha_gives_the_same_on_every_path(monkeypatch, path, kind):
    """Also where it has leading axes of its own, and where the weights are so many that they come in blocks."""
    q, k, v = random((21, 4), (22, 4), (22, 3), xp=kind)
    alpha = kind.asarray([1.2, 2.0], dtype=kind.float64)[:, None, None]
    monkeypatch.setattr(query_blocks, "MANY", 1)
    output = lib.attention(q, k, v, weights="entmax", alpha=alpha, path=path)
    assert output.shape == (2, 21, 3)
    for each, one in zip(output, (1.2, 2.0), strict=True):
        expected = lib.attention(q, k, v, weights="entmax", alpha=one, path="readable")
        np.testing.assert_allclose(each, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("path", ["readable", "auto", "blocks", "fused"])
def test_an_alpha_that_does_not_fit_is_refused_alike_on_every_path(path, xp):
    q, k, v, per_key, too_many = map(xp.asarray, random((2, 5, 4), (2, 7, 4), (2, 7, 3), (5, 7), (3, 1, 1)))
    attention = functools.partial(lib.attention, q, k, v, weights="entmax", path=path)
    with pytest.raises(ValueError, match=r"axis -1 of alpha should be 1, but is 7.*alpha \(\.\.\., n_q, 1\) has"):
        attention(alpha=per_key)
    with pytest.raises(ValueError, match=r"leading axes do not broadcast.*alpha .* has shape \(3, 1, 1\)"):
        attention(alpha=abs(too_many) + 1)
    for alpha in (0.5, xp.asarray([[0.5]]), float("nan")):
        with pytest.raises(ValueError, match=r"alpha must be at least 1 and finite; got (0\.5|nan)"):
            attention(alpha=alpha)
    with pytest.raises(TypeError, match="alpha"):
        attention(alpha=[1.5])


# ---- ε


def test_a_budget_has_the_shape_of_the_rows_or_is_a_number(xp):
    logits, eps = map(xp.asarray, random((50, 50), (50,)))
    eps = abs(eps) / 10 + 0.01
    betas = lib.beta_for_kl(logits, eps)
    assert betas.shape == (50,)
    for wrong in (eps[:, None], eps[:1], eps[None, ...]):
        with pytest.raises(ValueError, match=r"epsilon must .* \(50,\).*epsilon has shape \((50, 1|1,|1, 50)\)"):
            lib.beta_for_kl(logits, wrong)
    with pytest.raises(ValueError, match=r"shape of the rows, which is \(\).*epsilon has shape \(50,\)"):
        lib.beta_for_kl(logits[0, :], eps)
    for number in (0.1, xp.asarray(0.1)):
        np.testing.assert_allclose(
            xp.to_numpy(lib.beta_for_kl(logits, number)),
            xp.to_numpy(lib.beta_for_kl(logits, 0 * eps + 0.1)),
            rtol=1e-5,
        )
    columns = lib.beta_for_kl(logits, eps, axis=0)
    np.testing.assert_allclose(xp.to_numpy(columns), xp.to_numpy(lib.beta_for_kl(logits.T, eps)), rtol=1e-5)


def test_rows_that_a_prior_adds_count_as_rows(xp):
    scores, prior, eps = map(xp.asarray, random((5,), (3, 5), (3,)))
    betas = lib.beta_for_kl(scores, abs(eps) / 10, prior=abs(prior) + 0.1)
    assert betas.shape == (3,)


# ---- a padded cache


@pytest.mark.parametrize("path", ["readable", "auto", "blocks", "fused", "lse"])
@pytest.mark.parametrize("limit", [{"causal": True}, {"window": 2}], ids=str)
def test_a_padded_cache_asks_for_the_offset(path, limit):
    q, k, v = random((2, 3, 2, 4), (2, 3, 7, 4), (2, 3, 7, 5), xp=torch)
    lengths = torch.tensor([7, 3])

    def attention(q, k, v, **options):
        if path == "lse":
            return lib.attention_with_lse(q, k, v, **options)[0]
        return lib.attention(q, k, v, path=path, **options)

    with pytest.raises(
        ValueError, match=rf"{next(iter(limit))} with lengths.*\(2\).*\(7\).*offset=lengths - 2 .*offset=5 "
    ):
        attention(q, k, v, lengths=lengths, **limit)
    right = attention(q, k, v, lengths=lengths, offset=lengths - 2, **limit)
    for item, n in enumerate((7, 3)):
        expected = attention(q[item], k[item, :, :n], v[item, :, :n], **limit)
        torch.testing.assert_close(right[item], expected)
    bottom = attention(q, k, v, lengths=lengths, offset=5, **limit)
    mask = lib.padding_mask(lengths[:, None], 7) & (
        lib.causal_mask(2, 7, like=q) if "causal" in limit else lib.window_mask(2, 7, window=2, like=q)
    )
    torch.testing.assert_close(bottom, lib.attention(q, k, v, where=mask))


def test_lengths_need_no_offset_where_there_is_but_one_answer(xp):
    q, k, v = map(xp.asarray, random((2, 7, 4), (2, 7, 4), (2, 7, 5)))
    lengths = xp.asarray([7, 3])
    lib.attention(q, k, v, causal=True, lengths=lengths)
    lib.attention(q[:, :2, :], k, v, lengths=lengths)
    lib.attention(q, k[:, :2, :], v[:, :2, :], window=2, lengths=lengths)


# ---- advice


def test_a_masked_array_is_told_how_to_keep_its_mask():
    scores = np.ma.masked_greater(np.array([1.0, 2.0, 3.0]), 2.0)
    with pytest.raises(TypeError, match=r"got numpy\.ma.*MaskedArray: pass scores\.data, where=~scores\.mask"):
        lib.softmax(scores)
    np.testing.assert_array_equal(
        lib.softmax(scores.data, where=~scores.mask), [*lib.softmax(np.array([1.0, 2.0])), 0]
    )


def test_the_advice_names_the_library_of_the_other_arguments():
    x = torch.ones(2, 3, 4)
    for call, name in (
        (lambda: lib.attention(x, x, x, lengths=[1, 2]), "lengths"),
        (lambda: lib.attention(x, x, x, lengths=3), "lengths"),
        (lambda: lib.attention(x, x, x, where=[True]), "where"),
        (lambda: lib.softmax(x, [1.0]), "beta"),
        (lambda: lib.causal_mask(2, offset=[1, 2], like=x), "offset"),
        (lambda: lib.linear_attention(x.tolist(), x, x), "q"),
    ):
        with pytest.raises(TypeError, match=rf"{name} must be .*: pass torch\.tensor\(\.\.\.\)"):
            call()
    with pytest.raises(TypeError, match=r"pass np\.asarray\(\.\.\.\)"):
        lib.softmax([1.0])
