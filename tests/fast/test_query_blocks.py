"""Attention a block at a time, some heads or some queries of one, is attention to all at once."""

import itertools
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from attending import MAPS, case, every_map, is_readable_too, random
from optional_torch import torch

from lib import attention, attention_with_lse
from lib.fast import query_blocks

forward_ad = torch.autograd.forward_ad


@pytest.fixture(autouse=True)
def two_queries_at_a_time(monkeypatch):
    monkeypatch.setattr(query_blocks, "MANY", 2 * 6 * 7 * 7)
    monkeypatch.setattr(query_blocks, "AT_ONCE", 2 * 2 * 6 * 7)


@every_map
@pytest.mark.parametrize("seed", range(7))
def test_every_map_has_the_outputs_and_gradients_of_the_readable_path(name, seed):
    (q, k, v), options, _, _ = case(seed)
    name, more = MAPS[name]
    more = {key: x[:1] if isinstance(x, np.ndarray) else x for key, x in more.items()}
    options = {key: x for key, x in options.items() if key not in ("prior", "log_prior")} | more
    is_readable_too((q, k, v), "blocks", weights=name, **options)


def spy(monkeypatch, note):
    """Have each block noted, or what is computed at once."""
    module = sys.modules["lib.attention"]
    attend = module.attend
    monkeypatch.setattr(module, "attend", lambda request: note(request) or attend(request))


def count_blocks(monkeypatch, sizes):
    """Note how many queries are attended for at once, one item after the other."""
    spy(monkeypatch, lambda request: sizes.append(request.q.shape[-2]))


def test_auto_takes_blocks_for_many_weights_and_the_readable_path_for_few(monkeypatch):
    sizes = []
    count_blocks(monkeypatch, sizes)
    q, k, v = random((2, 50, 3), (2, 41, 3), (2, 41, 3))
    few = attention(q, k, v)
    assert max(sizes) < 5
    assert sum(sizes) == 2 * 50
    sizes.clear()
    monkeypatch.setattr(query_blocks, "MANY", 2 * 50 * 41)
    attention(q, k, v)
    assert sizes == [50]
    monkeypatch.undo()
    np.testing.assert_allclose(few, attention(q, k, v), rtol=1e-13, atol=1e-13)


def test_a_block_goes_through_its_own_keys_alone(monkeypatch):
    """Blocks of a few queries of all items would each go through the keys and values of all."""
    monkeypatch.setattr(query_blocks, "AT_ONCE", 4 * 7 * 11)
    q, k, v = random((6, 2, 7, 3), (6, 2, 11, 3), (6, 2, 11, 5))
    entries = []
    spy(monkeypatch, lambda request: entries.append(request.k.size))
    attention(q, k, v, weights="relu_norm", causal=True, path="blocks", offset=4)
    assert sum(entries) == k.size


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # torch's own, for jvp
def test_under_a_transform_and_in_forward_mode_blocks_are_refused_and_auto_does_without():
    q, k, v, t = (torch.tensor(x) for x in random((2, 50, 3), (2, 41, 3), (2, 41, 3), (2, 50, 3)))

    def slope(path):
        return torch.func.jvp(lambda q: attention(q, k, v, weights="sigmoid_weights", path=path), (q,), (t,))[1]

    with pytest.raises(ValueError, match=r'path="blocks" cannot be taken under a transform of torch\.func'):
        slope("blocks")
    expected = slope("readable")
    torch.testing.assert_close(slope("auto"), expected)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(q, t)
        output = attention(dual, k, v, weights="sigmoid_weights")
        torch.testing.assert_close(forward_ad.unpack_dual(output).tangent, expected)
        with pytest.raises(ValueError, match="in forward-mode differentiation"):
            attention(dual, k, v, weights="sigmoid_weights", path="blocks")


@pytest.mark.parametrize("many", [True, False])
def test_what_the_kernel_leaves_is_cut_into_blocks_where_the_weights_are_many(many, monkeypatch):
    sizes = []
    count_blocks(monkeypatch, sizes)
    q, k, v = (torch.tensor(x) for x in random((50, 3), (41, 3), (41, 3)))
    monkeypatch.setattr(query_blocks, "MANY", 0 if many else 50 * 41)
    attention(1e200 * q, k, v)
    assert (max(sizes) < 50) == many
    assert sum(sizes) == 50


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_arrays_of_a_class_of_ones_own_come_back_as_by_the_readable_path(library, name):
    class OwnTensor(torch.Tensor):
        pass

    class OwnArray(np.ndarray):
        pass

    def own(x):
        return torch.tensor(x).as_subclass(OwnTensor) if library == "torch" else x.view(OwnArray)

    arrays = [own(x) for x in random((2, 3, 50, 3), (2, 3, 41, 3), (2, 3, 41, 5))]
    weights, options = MAPS[name]
    options = {key: own(x) if isinstance(x, np.ndarray) else x for key, x in options.items()}
    paths = ["readable", "auto", "blocks", *["fused"] * (library == "torch" and name == "softmax")]
    found = [attention(*arrays, weights=weights, path=path, **options) for path in paths]
    assert len({type(x) for x in found}) == 1
    if name == "softmax":
        pairs = [attention_with_lse(*arrays, path=path) for path in paths]
        assert len({(type(output), type(lse)) for output, lse in pairs}) == 1


@pytest.mark.parametrize(
    ("lead", "shared", "n_q", "n_k", "steps"),  # steps: the sizes of the blocks along each axis
    [
        ((), (), 5, 7, [[3, 2]]),
        ((), (), 50, 1, [[21, 21, 8]]),
        ((), (), 22, 0, [[21, 1]]),
        ((3,), (3,), 5, 7, [[1, 1, 1], [3, 2]]),
        ((3,), (3,), 2, 3, [[3], [2]]),
        ((4,), (4,), 2, 4, [[2, 2], [2]]),
        ((2, 6), (2, 3), 1, 7, [[1, 1], [2, 2, 2], [1]]),  # two heads share keys, and three rows fit
        ((2, 6), (2, 1), 5, 11, [[1, 1], [1] * 6, [1] * 5]),
    ],
)
def test_a_block_is_some_items_or_heads_or_as_many_queries_as_fit(lead, shared, n_q, n_k, steps, monkeypatch):
    monkeypatch.setattr(query_blocks, "AT_ONCE", 21)
    k = np.zeros((*shared, n_k, 3))
    request = SimpleNamespace(leading=lead, q=np.zeros((*lead, n_q, 3)), k=k, v=k)
    ends = [np.cumsum(sizes).tolist() for sizes in steps]
    ranges = [[slice(*pair) for pair in zip([0, *each], each, strict=False)] for each in ends]
    assert query_blocks.blocks(request) == [(lead, rows) for *lead, rows in itertools.product(*ranges)]
