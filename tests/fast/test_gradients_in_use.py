"""Gradients as programs ask for them: of shared tensors, twice, with hooks, with changes in place, beside NaN."""

import math

import pytest
from attending import MAPS, every_map, same, tensors
from maps import TAKE_A_PRIOR
from needs_torch import torch
from torch.autograd import functional, grad
from torch.nn.functional import normalize
from torch.utils._python_dispatch import TorchDispatchMode

from lib import attention, attention_with_lse, entmax
from lib.fast import kernels, query_blocks

inf, nan = math.inf, math.nan
SHAPE = 2, 3, 5, 7  # 4-d, as models have it: so torch's kernel gets the tensors themselves
PLACE, MEMORY = tensors(SHAPE[2:], SHAPE, seed=1)


def one_and_its_sum(x):
    y = x + PLACE
    return y, y, x


SHARED = {  # q, k and v, all or some made from one tensor
    "q, k and v are one": lambda x: (x, x, x),
    "k and v are one": lambda x: (MEMORY, x, x),
    "q and v are one": lambda x: (x, MEMORY, x),
    "q and k are made from v": one_and_its_sum,
    "k is made from v": lambda x: (MEMORY, normalize(x, dim=-1), x),
}


def with_lse(*inputs, **options):
    """The output, and the lse as one more column."""
    output, lse = attention_with_lse(*inputs, **options)
    return torch.cat([output, lse[..., None]], -1)


WAYS = {  # what is called, and how
    "attention, auto": (attention, {"path": "auto"}),
    "attention, blocks": (attention, {"path": "blocks"}),
    "attention with lse, auto": (with_lse, {"path": "auto"}),
    "attention with lse, blocks": (with_lse, {"path": "blocks"}),
    "attention by our kernels": (attention, {"path": "auto", "weights": "sparsemax"}),
}
READABLE = {"path": "readable"}
every_way = pytest.mark.parametrize("way", WAYS)
every_sharing = pytest.mark.parametrize("sharing", SHARED)


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch):
    """Our kernels are taken for however little, and blocks are small."""
    monkeypatch.setattr(kernels, "SMALLEST", 0)
    monkeypatch.setattr(kernels, "FEWEST", 0)
    monkeypatch.setattr(query_blocks, "AT_ONCE", 2 * math.prod(SHAPE[:3]))


def first_and_second(attend, x):
    """The gradient alone, as one that can be differentiated itself, and that of its square."""
    loss = attend(x).sin().sum()
    (alone,) = grad(loss, x, retain_graph=True)
    (first,) = grad(loss, x, create_graph=True)
    return alone, first, *grad(first.square().sum(), x)


# ---- gradients that are differentiated themselves


@every_sharing
@every_way
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"where": MEMORY[0, 0, :, :5] < 1}], ids=", ".join)
def test_a_tensor_given_more_than_once_gets_each_gradient_once(sharing, way, options):
    (x,) = tensors(SHAPE, wanted=True)
    call, more = WAYS[way]
    by_path, readable = (
        first_and_second(lambda x, how=how: call(*SHARED[sharing](x), **options, **how), x)
        for how in (more, more | READABLE)
    )
    same(by_path, readable, 1e-11)


@every_map
@every_sharing
def test_with_any_map_too(name, sharing):
    (x,) = tensors(SHAPE, wanted=True)
    name, more = MAPS[name]
    more = {key: torch.as_tensor(alpha) for key, alpha in more.items()}
    blocks, readable = (
        first_and_second(lambda x, p=p: attention(*SHARED[sharing](x), weights=name, path=p, **more), x)
        for p in ("blocks", "readable")
    )
    same(blocks, readable, 1e-9)


@every_way
def test_hessians_and_directional_derivatives_of_self_attention_are_those_of_the_readable_path(way):
    x, direction = tensors((1, 2, 5, 3), (1, 2, 5, 3))
    call, options = WAYS[way]
    found = []
    for how in (options, options | READABLE):

        def attend(x, how=how):
            return call(x, x, x, **how).square()

        hessian = functional.hessian(lambda x: attend(x).sum(), x)
        found.append((hessian, functional.jvp(attend, x, direction)[1]))
    same(*found, 1e-12)


@every_way
def test_a_hook_on_the_output_changes_the_gradient_however_it_is_asked_for(way):
    inputs = tensors(SHAPE, SHAPE, SHAPE, wanted=True)
    call, how = WAYS[way]
    expected = [x / 2 for x in grad(call(*inputs, **how).sin().sum(), inputs)]
    for create_graph in (False, True):
        output = call(*inputs, **how)
        output.register_hook(lambda gradient: gradient / 2)
        same(grad(output.sin().sum(), inputs, create_graph=create_graph), expected)


class Switches(TorchDispatchMode):
    """Which of its kernels torch may take, at each of its operations."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.add(self.now())
        return function(*args, **kwargs or {})

    @staticmethod
    def now():
        b = torch.backends.cuda  # the switches are for the CPU too, and for all threads
        return b.flash_sdp_enabled(), b.mem_efficient_sdp_enabled(), b.math_sdp_enabled()


@every_way
def test_no_gradient_turns_a_switch_that_other_threads_would_see(way):
    inputs = tensors(SHAPE, SHAPE, SHAPE, wanted=True)
    call, how = WAYS[way]
    loss = call(*inputs, **how).sin().sum()
    with Switches() as switches:
        first = grad(loss, inputs, create_graph=True)
        grad(sum(x.square().sum() for x in first), inputs)
    assert switches.seen == {switches.now()}


# ---- what changes between forward and backward


def gradient_after(change, call, what, options):
    """The gradient in q after `change` of what was given as `what`."""
    q, k, v, prior = tensors(SHAPE, SHAPE, SHAPE, (5,))
    given = {"k": k, "v": v, "beta": torch.full((1, 1), 0.7, dtype=q.dtype)}
    given |= {"prior": prior.exp(), "log_prior": prior, "where": prior > -0.5}
    given |= {"lengths": torch.tensor([3, 5]), "offset": torch.tensor([1, 2])}
    options = options | ({} if what in "kv" else {what: given[what]}) | {"causal": what == "offset"}
    output = call(q.requires_grad_(), k, v, **options)
    with torch.no_grad():
        change(given[what])
    return grad(output.sin().sum(), q)


def other(x):
    """Changes a tensor in place."""
    if x.dtype == torch.bool:
        x.logical_not_()
    elif x.is_floating_point():
        x.square_()
    else:
        x.sub_(2)


CHANGED = {
    "attention, blocks": "lengths offset where beta prior log_prior k v",
    "attention with lse, blocks": "lengths offset where beta prior log_prior k v",
    "attention with lse, auto": "v",
    "attention by our kernels": "where beta prior",
}
CHANGED = [(way, what) for way, names in CHANGED.items() for what in names.split()]


@pytest.mark.parametrize(("way", "what"), CHANGED)
def test_what_has_changed_in_place_is_refused_or_counts_as_it_was(way, what):
    call, how = WAYS[way]
    expected = gradient_after(lambda x: None, call, what, how)
    try:
        found = gradient_after(other, call, what, how)
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
    else:
        same(found, expected)


@pytest.mark.parametrize("path", ["auto", "blocks", "readable"])
def test_an_output_that_changes_in_place_leaves_the_lse_as_it_was(path):
    (x,) = tensors(SHAPE, wanted=True)
    output, lse = attention_with_lse(x, x, x, path=path)
    (expected,) = grad(lse.square().sum() + output.sum(), x, retain_graph=True)
    loss = lse.square().sum()
    output += 1
    same(grad(loss + output.sum(), x), (expected,))


# ---- NaN


@every_map
@pytest.mark.parametrize("path", ["auto", "blocks", "readable"])
def test_nan_that_comes_back_to_a_query_with_nothing_to_see_goes_nowhere(name, path):
    """As where outputs are made to have length 1, and the loss is of the other queries alone."""
    *inputs, coming = tensors((2, 3, 3, 7), (2, 3, 5, 7), (2, 3, 5, 2), (2, 3, 3, 2), wanted=True)
    name, more = MAPS[name]
    options = {key: torch.as_tensor(alpha) for key, alpha in more.items()} | {"weights": name, "path": path}
    blind = {"where": torch.tensor([[1, 1, 0, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 1]]).bool()}, 1
    by_prior = {"causal": True, "offset": 0, "prior": torch.tensor([0.0, 1, 2, 1, 3])}, 0
    for hiding, query in (blind, by_prior) if name in TAKE_A_PRIOR else (blind,):
        each = (coming.detach().index_fill(2, torch.tensor([query]), x) for x in (nan, 0.0))
        same(*(grad(attention(*inputs, **options, **hiding), inputs, x) for x in each))


@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
def test_beside_a_score_of_nan_what_takes_no_part_has_gradient_zero(alpha, monkeypatch):
    """In the rows of the kernels, and in those of the other ways."""
    scores = torch.cat(tensors((5, 7), (5, 6)), -1)
    scores[2, 3], scores[2, 5], scores[3, 0] = nan, -inf, nan
    where = torch.arange(13) != 11
    scores.requires_grad_()
    slopes = []
    for smallest in (0, 1 << 16):
        monkeypatch.setattr(kernels, "SMALLEST", smallest)
        weights = entmax(scores, alpha=alpha, where=where)
        slopes += grad((weights * torch.arange(13.0)).sum(), scores)
    for slope in slopes:
        assert not slope[:, 11].any()
        assert not slope[2, 5]
        same(slope[[0, 1, 4]], slopes[-1][[0, 1, 4]], 1e-12)
