"""Whoever is refused reads which argument does not fit, by the name under which it was passed."""

import numpy as np
import pytest
from optional_torch import torch

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
    lib.kl_divergence: {"p": ROW, "q": ROW},
    lib.objective: {"p": ROW} | OF_A_MAP | {"prior": np.ones(1), "where": np.ones(1) > 0},
    lib.beta_for_kl: {"scores": ROW, "epsilon": np.ones(()), "prior": ROW, "where": ROW > 0},
    lib.softmax_jacobian: {"weights": ROW, "beta": np.ones(1)},
    lib.softmax_vjp: {"weights": ROW, "grad": GRAD, "beta": np.ones(1)},
    lib.sparsemax_vjp: {"weights": ROW, "grad": GRAD, "beta": np.ones(1)},
    lib.entmax_vjp: {"weights": ROW, "grad": GRAD, "beta": np.ones(1), "alpha": np.full(1, 1.5)},
}
of_several = pytest.mark.parametrize("f", SEVERAL, ids=lambda f: f.__name__)


def named(f, name):
    """`f` of one argument, to be passed in the place of `name`."""
    return pytest.param(f, name, id=f"{name}-{f.__code__.co_firstlineno}")


ONE_ARRAY = [
    named(lambda x: lib.softmax(x), "scores"),
    named(lambda x: lib.log_partition(x), "scores"),
    named(lambda x: lib.entmax(x), "scores"),
    named(lambda x: lib.relu_norm(x), "scores"),
    named(lambda x: lib.beta_for_kl(x, 0.1), "scores"),
    named(lambda x: lib.effective_count(x), "p"),
    named(lambda x: lib.entropy(x), "p"),
    named(lambda x: lib.kl_divergence(x, ROW), "p"),
    named(lambda x: lib.objective(x, ROW, 1.0), "p"),
    named(lambda x: lib.softmax_vjp(x, GRAD), "weights"),
]


@pytest.mark.parametrize(("f", "name"), ONE_ARRAY)
def test_a_row_without_an_axis_is_named(f, name):
    with pytest.raises(
        ValueError, match=rf"^{name} must have shape \(\.\.\., n\); got a 0-d array: pass {name}\[None\]"
    ):
        f(np.array(0.5))


@pytest.mark.parametrize(("f", "name"), ONE_ARRAY)
def test_complex_numbers_are_named(f, name):
    with pytest.raises(TypeError, match=f"^{name} must be real numbers; got dtype complex128"):
        f(ROW + 0j)


@pytest.mark.parametrize(
    ("f", "name"),
    [
        *ONE_ARRAY,
        named(lambda x: lib.kl_divergence(ROW, x), "q"),
        named(lambda x: lib.objective(ROW, x, 1.0), "scores"),
        named(lambda x: lib.softmax_vjp(ROW, x), "grad"),
        named(lambda x: lib.softmax_jacobian(x), "weights"),
        named(lambda x: lib.attention_distance(x), "weights"),
        named(lambda x: lib.padding_mask(x, 3), "lengths"),
        named(lambda x: lib.attention(x, EYE, EYE), "q"),
        named(lambda x: lib.attention(EYE, x, EYE), "k"),
        named(lambda x: lib.attention(EYE, EYE, x), "v"),
        named(lambda x: lib.linear_attention(EYE, x, EYE), "k"),
        named(lambda x: lib.attention_with_lse(EYE, EYE, x), "v"),
        named(lambda x: lib.merge_attention([EYE, x], [ROW, ROW]), "outputs\\[1\\]"),
    ],
)
def test_none_for_an_array_is_named(f, name):
    with pytest.raises(TypeError, match=f"^{name} must be a NumPy array or a torch tensor; got NoneType"):
        f(None)


@pytest.mark.parametrize(
    ("f", "name"),
    [
        named(lambda x: lib.kl_divergence(x, ROW), "p"),
        named(lambda x: lib.kl_divergence(ROW, x), "q"),
        named(lambda x: lib.objective(x, ROW, 1.0), "p"),
        named(lambda x: lib.objective(ROW, x, 1.0), "scores"),
        named(lambda x: lib.softmax_vjp(x, GRAD), "weights"),
        named(lambda x: lib.softmax_vjp(ROW, x), "grad"),
        named(lambda x: lib.softmax_jacobian(x), "weights"),
        named(lambda x: lib.attention_distance(x[None]), "weights"),
        named(lambda x: lib.attention(x[None], ROW[None], ROW[None]), "q"),
        named(lambda x: lib.attention(ROW[None], x[None], ROW[None]), "k"),
        named(lambda x: lib.attention(ROW[None], ROW[None], x[None]), "v"),
        named(lambda x: lib.linear_attention(ROW[None], ROW[None], x[None]), "v"),
    ],
)
def test_complex_numbers_among_several_arguments_are_named(f, name):
    with pytest.raises(TypeError, match=f"{name} must be real numbers; got dtype complex128"):
        f(ROW + 0j)


@of_several
def test_the_argument_of_another_kind_is_named(f):
    _, *others = SEVERAL[f]
    for name in others:
        with pytest.raises(TypeError, match=rf"two kinds: \w+ is a NumPy array, {name} is a torch tensor"):
            f(**SEVERAL[f] | {name: torch.tensor(SEVERAL[f][name])})


@of_several
def test_the_argument_of_complex_numbers_is_named(f):
    for name in SEVERAL[f].keys() - {"where"}:
        with pytest.raises(TypeError, match=f"^{name} must be real numbers; got dtype complex128"):
            f(**SEVERAL[f] | {name: SEVERAL[f][name] + 0j})


@of_several
def test_the_argument_whose_size_does_not_fit_is_named_with_the_shapes(f):
    _, *others = SEVERAL[f]
    letters = {"q": "n", "grad": "n", "scores": "n", "beta": "1", "alpha": "1"}
    for name in others:
        if name == "epsilon":
            continue  # it has no entry along the axis
        what = rf"^{name} must have size {letters.get(name, 'n or 1')} along axis -1 of \w+ \(\.\.\., n\): "
        with pytest.raises(ValueError, match=rf"{what}.* has shape \(3,\).*{name} has shape \(2,\)"):
            f(**SEVERAL[f] | {name: np.full(2, SEVERAL[f][name].flat[0])})


@of_several
def test_rows_that_do_not_broadcast_are_printed(f):
    first, *others = SEVERAL[f]
    for name in others:
        if name == "epsilon":
            continue  # it does not broadcast at all
        rows = np.stack([SEVERAL[f][name]] * 4)
        shape = ", ".join(map(str, rows.shape))
        with pytest.raises(ValueError, match=rf"^these do not broadcast.*\(2, [13]\).*{name} has shape \({shape}"):
            f(**SEVERAL[f] | {first: np.stack([SEVERAL[f][first]] * 2), name: rows})


def test_columns_that_do_not_broadcast_are_printed():
    with pytest.raises(
        ValueError, match=r"^these do not broadcast.*scores has shape \(2, 3\); beta has shape \(1, 4\)"
    ):
        lib.softmax(np.ones((2, 3)), np.ones((1, 4)), axis=0)


def test_the_prior_of_a_row_of_one_must_be_positive_too():
    with pytest.raises(ValueError, match=r"^prior must be positive somewhere"):
        lib.softmax(np.ones(1), prior=np.zeros(1))


def test_a_prior_without_the_axis_of_the_entries_is_the_same_for_all_of_them():
    np.testing.assert_allclose(lib.softmax(np.ones((3, 2)), prior=np.array([1.0, 2.0]), axis=0), 1 / 3)


@pytest.mark.parametrize(("f", "name"), ONE_ARRAY)
def test_a_list_is_named(f, name):
    with pytest.raises(TypeError, match=f"^{name} must be a NumPy array or a torch tensor; got list"):
        f([0.5, 0.5])


@pytest.mark.parametrize(
    "f", [lib.softmax, lib.log_partition, lib.entmax, lib.relu_norm, lib.effective_count, lib.entropy]
)
def test_an_axis_that_is_not_there_is_refused_with_the_shape(f):
    with pytest.raises(ValueError, match=r"^axis must lie from -2 to 1 for (scores|p) \(2, 3\); got 2"):
        f(np.ones((2, 3)), axis=2)
