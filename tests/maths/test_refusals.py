"""Whoever is refused reads which argument does not fit, by the name under which it was passed."""

import inspect
import itertools
import re
import warnings

import array_api_strict
import numpy as np
import pytest
from optional_torch import torch, with_torch

import lib

ROW, GRAD = np.full(3, 1 / 3), np.ones(3)
EYE = np.eye(3)
OF_A_MAP = {"scores": ROW, "beta": np.ones(1), "where": ROW > 0}
WITH_A_PRIOR = OF_A_MAP | {"prior": ROW}
SEVERAL = {  # functions and all their arrays, the one that has the n entries first
    lib.softmax: WITH_A_PRIOR,
    lib.log_softmax: WITH_A_PRIOR,
    lib.log_partition: WITH_A_PRIOR,
    lib.sparsemax: WITH_A_PRIOR,
    lib.entmax: WITH_A_PRIOR | {"alpha": np.full(1, 1.5)},
    lib.relu_norm: OF_A_MAP,
    lib.sigmoid_weights: OF_A_MAP | {"bias": np.ones(1)},
    lib.softmax_plus_one: OF_A_MAP,
    lib.entropy: {"p": ROW},
    lib.effective_count: {"p": ROW},
    lib.kl_divergence: {"p": ROW, "q": ROW},
    lib.objective: {"p": ROW} | OF_A_MAP | {"prior": np.ones(1), "where": np.ones(1) > 0},
    lib.beta_for_kl: {"scores": ROW, "epsilon": np.ones(()), "prior": ROW, "where": ROW > 0},
    lib.softmax_jacobian: {"weights": ROW, "beta": np.ones(1)},
    lib.softmax_vjp: {"weights": ROW, "grad": GRAD, "beta": np.ones(1)},
    lib.sparsemax_vjp: {"weights": ROW, "grad": GRAD, "beta": np.ones(1)},
    lib.entmax_vjp: {"weights": ROW, "grad": GRAD, "beta": np.ones(1), "alpha": np.full(1, 1.5)},
}
NEEDED = {"scores", "p", "q", "weights", "grad"}  # for which no number and no None will do
of_several = pytest.mark.parametrize("f", SEVERAL, ids=lambda f: f.__name__)


def others_than_epsilon(f):
    """All but the first argument of a function; ε has no entry along the axis, and does not broadcast."""
    return [name for name in SEVERAL[f] if name != "epsilon"][1:]


@of_several
@pytest.mark.parametrize(
    "bad", [[0.5, 0.5], 3.0, 3, None, "scores", np.ma.array([0.5, 0.5])], ids=lambda x: type(x).__name__
)
def test_what_is_no_array_is_named_with_what_to_pass_instead(f, bad):
    for name in SEVERAL[f].keys() & NEEDED:
        advice = rf"got (\S+\.)?{type(bad).__name__}: pass (np\.asarray|{name}\.data)"
        with pytest.raises(TypeError, match=f"^{name} must be a NumPy array or a torch tensor; {advice}"):
            f(**SEVERAL[f] | {name: bad})


@of_several
def test_a_row_without_an_axis_is_named(f):
    name = next(iter(SEVERAL[f]))
    with pytest.raises(
        ValueError, match=rf"^{name} must have shape \(\.\.\., n\); got a 0-d array: pass {name}\[None\]"
    ):
        f(**SEVERAL[f] | {name: np.array(0.5)})


@of_several
def test_an_axis_that_is_not_there_or_no_integer_is_refused_with_the_shape(f):
    if "axis" in inspect.signature(f).parameters:
        name = next(iter(SEVERAL[f]))
        arrays = SEVERAL[f] | {name: np.ones((2, 3))}
        for axis in (2, -3):
            with pytest.raises(ValueError, match=rf"^axis must lie from -2 to 1 for {name} \(2, 3\); got {axis}"):
                f(**arrays, axis=axis)
        with pytest.raises(TypeError, match=r"^axis must be one integer; got \(0, 1\)$"):
            f(**arrays, axis=(0, 1))


@of_several
def test_the_argument_of_another_kind_is_named(f):
    _, *others = SEVERAL[f]
    for name in others:
        with pytest.raises(TypeError, match=rf"two kinds: \w+ is a NumPy array, {name} is a torch tensor"):
            f(**SEVERAL[f] | {name: torch.tensor(SEVERAL[f][name])})


def test_a_kind_that_is_neither_and_another_device_are_named_too():
    with pytest.raises(TypeError, match="two kinds: scores is a NumPy array, prior is array_api_strict"):
        lib.softmax(ROW, prior=array_api_strict.ones(3))
    here, there = torch.ones(3), torch.ones(3, device="meta")
    with pytest.raises(TypeError, match="two devices: scores is on cpu, prior is on meta"):
        lib.softmax(here, prior=there)
    with pytest.raises(TypeError, match="two devices: p is on cpu, q is on meta"):
        lib.kl_divergence(here, there)


@of_several
def test_the_argument_of_complex_numbers_is_named(f):
    for name in SEVERAL[f].keys() - {"where"}:
        with pytest.raises(TypeError, match=f"^{name} must be real numbers; got dtype complex128"):
            f(**SEVERAL[f] | {name: SEVERAL[f][name] + 0j})


@of_several
def test_the_argument_whose_size_does_not_fit_is_named_with_the_shapes(f):
    letters = {"q": "n", "grad": "n", "scores": "n", "beta": "1", "alpha": "1"}
    for name in others_than_epsilon(f):
        what = rf"^{name} must have size {letters.get(name, 'n or 1')} along axis -1 of \w+ \(\.\.\., n\): "
        with pytest.raises(ValueError, match=rf"{what}.* has shape \(3,\).*{name} has shape \(2,\)"):
            f(**SEVERAL[f] | {name: np.full(2, SEVERAL[f][name].flat[0])})


@of_several
def test_rows_that_do_not_broadcast_are_printed(f):
    first = next(iter(SEVERAL[f]))
    for name in others_than_epsilon(f):
        rows = np.stack([SEVERAL[f][name]] * 4)
        shape = ", ".join(map(str, rows.shape))
        with pytest.raises(ValueError, match=rf"^these do not broadcast.*\(2, [13]\).*{name} has shape \({shape}"):
            f(**SEVERAL[f] | {first: np.stack([SEVERAL[f][first]] * 2), name: rows})


def test_columns_that_do_not_broadcast_are_printed():
    with pytest.raises(
        ValueError, match=r"^these do not broadcast.*scores has shape \(2, 3\); beta has shape \(1, 4\)"
    ):
        lib.softmax(np.ones((2, 3)), np.ones((1, 4)), axis=0)


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x: lib.attention_distance(x), "weights"),
        (lambda x: lib.attention(x, EYE, EYE), "q"),
        (lambda x: lib.attention(EYE, x, EYE), "k"),
        (lambda x: lib.attention(EYE, EYE, x), "v"),
        (lambda x: lib.linear_attention(EYE, x, EYE), "k"),
        (lambda x: lib.attention_with_lse(EYE, EYE, x), "v"),
        (lambda x: lib.merge_attention([EYE, x], [ROW, ROW]), r"outputs\[1\]"),
    ],
)
def test_none_and_complex_numbers_in_attention_are_named(f, name):
    with pytest.raises(TypeError, match=f"^{name} must be a NumPy array or a torch tensor; got NoneType"):
        f(None)
    with pytest.raises(TypeError, match=f"^{name} must be real numbers; got dtype complex128"):
        f(EYE + 0j)


def test_the_prior_of_a_row_of_one_must_be_positive_too():
    with pytest.raises(ValueError, match=r"^prior must be positive somewhere"):
        lib.softmax(np.ones(1), prior=np.zeros(1))


def test_a_prior_without_the_axis_of_the_entries_is_the_same_for_all_of_them():
    np.testing.assert_allclose(lib.softmax(np.ones((3, 2)), prior=np.array([1.0, 2.0]), axis=0), 1 / 3)
    with pytest.raises(ValueError, match="positive somewhere in every row"):
        lib.softmax(np.ones((3, 2)), prior=np.array([1.0, 0.0]), axis=0)


NOT_A_BLOCK = {  # tensors whose numbers do not lie in one block: {kind: (how one is made, what is advised)}
    "nested": (lambda x: torch.nested.nested_tensor([x, x]), "torch.nested.to_padded_tensor({}, 0.0), and which"),
    "jagged": (
        lambda x: torch.nested.nested_tensor([x, x], layout=torch.jagged),
        "torch.nested.to_padded_tensor({}, 0.0), and which",
    ),
    "sparse": (lambda x: x.to_sparse(), "{}.to_dense()"),
    "sparse in rows": (lambda x: x.to_sparse_csr(), "{}.to_dense()"),
    "quantised": (lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint8), "{}.dequantize()"),
    "masked": (lambda x: torch.masked.masked_tensor(x, x > 0), "{0}.get_data(), where={0}.get_mask()"),
}
OF_OTHERS = {
    "dask": ("dask.array", "from_array", "{}.compute()"),
    "scipy": ("scipy.sparse", "coo_array", "{}.toarray()"),
}
PATHS = ("auto", "fused", "blocks", "readable")
FUNCTIONS_AND_PATHS = [
    *(lambda *x, p=p, n=n: lib.attention(*x, path=p, weights=n) for p in PATHS for n in ("softmax", "entmax")),
    *(lambda *x, p=p: lib.attention_with_lse(*x, path=p) for p in PATHS),
    lib.linear_attention,
]
of_every_path = pytest.mark.parametrize("f", FUNCTIONS_AND_PATHS)


def no_block(kind):
    """A tensor of that kind, and the advice; torch warns that it may change such kinds."""
    make, advice = NOT_A_BLOCK[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(torch.eye(3)), advice


def is_refused(call, name, what, advice):
    with pytest.raises(
        TypeError, match=f"^{name} must be a {what}; got .*: pass {re.escape(advice.format(name))}"
    ):
        call()


@with_torch
@of_several
@pytest.mark.parametrize("kind", NOT_A_BLOCK)
def test_a_tensor_that_is_no_block_of_numbers_is_named_with_what_to_pass(f, kind):
    bad, advice = no_block(kind)
    for name in SEVERAL[f]:
        arrays = {key: torch.tensor(x) for key, x in SEVERAL[f].items()} | {name: bad}
        is_refused(lambda a=arrays: f(**a), name, "dense tensor", advice)


@with_torch
@of_every_path
@pytest.mark.parametrize("kind", NOT_A_BLOCK)
def test_by_every_path_of_attention_too(f, kind):
    bad, advice = no_block(kind)
    for k, name in enumerate("qkv"):
        arrays = [torch.eye(3)] * 3
        arrays[k] = bad
        is_refused(lambda a=arrays: f(*a), name, "dense tensor", advice)


@pytest.mark.parametrize("library", OF_OTHERS)
def test_and_so_are_arrays_of_dask_and_sparse_ones(library):
    module, make, advice = OF_OTHERS[library]
    bad = getattr(pytest.importorskip(module), make)(EYE)
    for f, arrays in SEVERAL.items():
        for name in arrays:
            is_refused(
                lambda f=f, a=arrays, n=name: f(**a | {n: bad}), name, "NumPy array or a torch tensor", advice
            )
    for f, k in itertools.product(FUNCTIONS_AND_PATHS, range(3)):
        arrays = [EYE] * 3
        arrays[k] = bad
        is_refused(lambda f=f, a=arrays: f(*a), "qkv"[k], "NumPy array or a torch tensor", advice)


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("causal", "no"),
        ("causal", 2),
        ("return_weights", 1),
        ("window", True),
        ("offset", True),
        ("offset", False),
    ],
)
def test_a_switch_is_true_or_false_and_a_number_is_not(make, name, bad):
    x = make(EYE)
    for path in PATHS:
        with pytest.raises(TypeError, match=rf"^{name} must be .*; got ({bad!r}|{type(bad).__name__})"):
            lib.attention(x, x, x, path=path, **{name: bad})


@of_several
def test_true_is_no_axis(f):
    if "axis" in inspect.signature(f).parameters:
        with pytest.raises(TypeError, match=r"^axis must be one integer; got True$"):
            f(**SEVERAL[f], axis=True)


def test_true_is_no_number_of_queries_keys_or_tokens():
    for call, name in (
        (lambda: lib.causal_mask(True), "n_q"),
        (lambda: lib.causal_mask(3, True), "n_k"),
        (lambda: lib.causal_mask(3, offset=True), "offset"),
        (lambda: lib.window_mask(3, window=True), "window"),
        (lambda: lib.padding_mask(np.array([1]), True), "n_k"),
        (lambda: lib.attention_distance(EYE, offset=True), "offset"),
    ):
        with pytest.raises(TypeError, match=f"^{name} must be .*; got (True|bool)"):
            call()
