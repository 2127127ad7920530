"""Gradients, many at once, of some arguments alone or of no queries, are those of one by one, and as defined."""

import functools
import itertools

import pytest
from attending import MAPS, same, tensors
from maps import FUNCTIONS
from needs_torch import torch
from torch.autograd import grad
from torch.autograd.functional import jacobian

from lib import attention, attention_with_lse, entmax, log_partition, log_softmax
from lib.fast import kernels

# torch's own, of its kernel, which it then calls for each gradient
pytestmark = pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")
SHAPE, SHAPES = (7, 11), ((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2))
MANY = 1 << 16  # entries; for fewer our kernels are not taken
ROWS = {f.__name__: f for f in (*FUNCTIONS, log_softmax, log_partition)} | {
    "entmax 1.3": functools.partial(entmax, alpha=1.3),
    "entmax of a prior": lambda s: entmax(s, prior=s.detach().exp()),
    "entmax of a learned alpha": lambda s: entmax(s, alpha=1 + s[:, :1].sigmoid()),
}
PATHS = ("readable", "blocks", "auto", "fused")
BY_A_KERNEL = ("softmax", "sparsemax", "entmax", "entmax 1.3")


def by(path, name):
    weights, options = MAPS[name]
    options = {key: x if isinstance(x, float) else torch.tensor(x) for key, x in options.items()}
    return functools.partial(attention, weights=weights, causal=True, path=path, **options)


def with_lse(path):
    return lambda *inputs: torch.cat([x.flatten() for x in attention_with_lse(*inputs, path=path)])


WAYS = {f"{n}, {p}": by(p, n) for n, p in itertools.product(MAPS, PATHS) if p != "fused" or n in BY_A_KERNEL}
WAYS |= {f"with lse, {path}": with_lse(path) for path in PATHS}


@pytest.fixture
def smallest(request, monkeypatch):
    monkeypatch.setattr(kernels, "SMALLEST", request.param)
    monkeypatch.setattr(kernels, "FEWEST", 0)


every_size = pytest.mark.parametrize("smallest", [0, MANY], ids=["kernels", "no kernels"], indirect=True)


def at_once_as_one_by_one(f, inputs):
    """The gradients in all inputs, by each way that torch has to ask for many."""
    output = f(*inputs)
    (many,) = tensors((3, *output.shape), seed=5)

    def pull(direction, **options):
        return grad(output, inputs, direction, retain_graph=True, **options)

    expected = [torch.stack(each) for each in zip(*map(pull, many), strict=True)]
    same(pull(many, is_grads_batched=True), tuple(expected), 1e-12)
    same(torch.func.vmap(pull)(many), tuple(expected), 1e-12)
    inputs = tuple(inputs)
    same(jacobian(f, inputs, vectorize=True), jacobian(f, inputs), 1e-12)


@every_size
@pytest.mark.parametrize("name", ROWS)
def test_of_rows(name, smallest):
    at_once_as_one_by_one(ROWS[name], tensors(SHAPE, wanted=True))


@every_size
@pytest.mark.parametrize("name", WAYS)
def test_of_attention(name, smallest):
    at_once_as_one_by_one(WAYS[name], tensors(*SHAPES, wanted=True))


@pytest.mark.parametrize("smallest", [0], indirect=True)
def test_where_a_kernel_drops_weights_many_at_once_are_refused(smallest):
    inputs = tensors(*SHAPES, wanted=True)
    output = attention(*inputs, weights="entmax", dropout=0.3, path="fused")
    directions = torch.ones(3, *output.shape, dtype=output.dtype)
    with pytest.raises(RuntimeError, match=r'has one gradient at a time; for more take path="readable"'):
        grad(output, inputs, directions, is_grads_batched=True)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("call", [attention, lambda *x, path: attention_with_lse(*x, path=path)[0]])
def test_of_no_queries_are_zeros(call, path):
    inputs = tensors((2, 3, 0, 2), *SHAPES[1:], wanted=True)
    same(grad(call(*inputs, path=path).sum(), inputs), tuple(torch.zeros_like(x) for x in inputs))
