"""Whoever is refused reads which argument does not fit, by the name under which it was passed."""

import numpy as np
import pytest

import lib

ROW, GRAD = np.full(3, 1 / 3), np.ones(3)


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
