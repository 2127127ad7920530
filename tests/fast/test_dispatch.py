"""One decision for a call: how many functions the plain call passes, how often it is asked, and what is tried."""

import itertools
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from attending import random
from maps import NAMES, TAKE_A_PRIOR
from optional_torch import ALONE, torch, with_torch

import lib
from lib import attention, attention_with_lse, fast
from lib._request import checked

inf = math.inf
HERE = str(Path(lib.__file__).parent)
MAKE = {"torch": torch.tensor, "numpy": np.asarray}
each_library = pytest.mark.parametrize("library", [pytest.param("torch", marks=with_torch), "numpy"])


def passed(call):
    """The functions of lib that a call passes; what a comprehension does its function does."""
    seen = set()

    def note(frame, event, _):
        code = frame.f_code
        own = not code.co_name.endswith(("comp>", "genexpr>"))
        if event == "call" and own and code.co_filename.startswith(HERE):
            seen.add((code.co_filename, code.co_name, code.co_firstlineno))

    call()  # what happens once alone is not counted
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return seen


@pytest.mark.parametrize(
    ("library", "functions", "files"), [pytest.param("torch", 30, 7, marks=with_torch), ("numpy", 32, 9)]
)
def test_the_plain_call_passes_few_functions(library, functions, files):
    q, k, v = (MAKE[library](x.astype("float32")) for x in random(*[(2, 4, 64, 32)] * 3))
    seen = passed(lambda: attention(q, k, v, causal=True))
    names = sorted(f"{Path(file).name}: {name}" for file, name, _ in seen)
    assert len(seen) <= functions, names
    assert len({file for file, *_ in seen}) <= files, names


def calls(make):
    """Attention in each way that it can be asked for, by all paths that may take it."""
    q, k, v, u = map(make, random((2, 5, 3), (2, 7, 3), (2, 7, 2), (5, 7)))
    for name, path in itertools.product(NAMES, ("auto", "blocks", "readable")):
        yield lambda name=name, path=path: attention(q, k, v, weights=name, path=path, causal=True)
    for name in ("softmax", "entmax"):
        yield lambda name=name: attention(q, k, v, weights=name, log_prior=u, return_weights=True)
    yield lambda: attention_with_lse(q, k, v, log_prior=u)


@each_library
def test_fast_is_asked_once_for_a_call(library, monkeypatch):
    asked = []
    for name in ("dispatch", "row_kernels"):
        own = getattr(fast, name)
        monkeypatch.setattr(fast, name, lambda *a, name=name, own=own: asked.append(name) or own(*a))
    for call in calls(MAKE[library]):
        asked.clear()
        call()
        assert asked == ["dispatch", "row_kernels"]
    x = MAKE[library](random((5, 7))[0])
    for f in (lib.softmax, lib.log_softmax, lib.log_partition, lib.sparsemax, lib.entmax, lib.softmax_plus_one):
        asked.clear()
        f(x)
        assert asked == ["row_kernels"]


@pytest.fixture
def tried(monkeypatch):
    """Which methods were tried. They answer as they are told, by default that nothing speaks against them."""
    order, answers, results = [], {}, {}
    for name in ("entmax_attention", "query_blocks"):
        method = getattr(fast, name)
        monkeypatch.setattr(method, "reason_against", lambda _, name=name: order.append(name) or answers.get(name))
        monkeypatch.setattr(method, "result", lambda *_, name=name: results.get(name, (name,)))
    return order, answers, results


def test_methods_are_tried_in_turn_until_one_has_a_result(tried):
    order, answers, results = tried
    q, k, v = random((2, 5, 3), (2, 7, 3), (2, 7, 2))
    attend = lambda path, weights="entmax": attention(q, k, v, weights=weights, path=path)  # noqa: E731
    assert attend("auto") == "entmax_attention"
    assert attend("blocks") == "query_blocks"
    assert attend("auto", "relu_norm") == "query_blocks", "no kernel knows it"
    assert isinstance(attend("readable"), np.ndarray)
    assert order == ["entmax_attention", "query_blocks", "query_blocks"]
    results["entmax_attention"] = None
    assert attend("fused") == attend("auto") == "query_blocks", "these values are not for what was taken"
    answers["entmax_attention"] = "for one reason"
    assert attend("auto") == "query_blocks"
    with pytest.raises(
        ValueError, match='path="fused" cannot be taken for one reason; take path="readable" or "auto"'
    ):
        attend("fused")
    answers["query_blocks"] = "for another"
    assert isinstance(attend("auto"), np.ndarray)


ALIKE = {"weights": lambda s, beta, where, axis: lib.softmax(s, beta, where=where, axis=axis)}
PLUS_ONE, UNKNOWN = {"weights": "softmax_plus_one"}, ("relu_norm", "sigmoid_weights")
ENTMAX, WITH_LSE, WIDE = {"weights": "entmax"}, {"call": "with lse"}, {"dtype": "float32"}
REFUSED = [  # the library, the path, what is asked for, and why the path cannot be taken
    *(("torch", path, {"return_weights": True}, "with return_weights=True") for path in ("fused", "blocks")),
    *((library, "blocks", ALIKE, "with a callable") for library in ("torch", "numpy")),
    *(("numpy", "blocks", {"dropout": 0.5} | more, "with dropout") for more in ({}, ENTMAX)),
    ("torch", "fused", ALIKE, "with a callable"),
    *(("torch", "fused", {"beta": x}, r"with beta beyond ±1e\+06") for x in (inf, np.array([[-inf]]))),
    ("torch", "fused", {"dropout": 0.5, "generator": 0}, "with dropout by a generator"),
    ("torch", "fused", {"device": "meta"}, "on device meta"),
    ("torch", "fused", WITH_LSE | {"device": "meta"}, "on device meta"),
    ("torch", "fused", WITH_LSE | WIDE | {"log_prior": np.zeros(9)}, "with a beta or prior of a wider dtype"),
    *(("numpy", "fused", more, "with softmax for NumPy arrays: the kernel is torch's") for more in ({}, WITH_LSE)),
    *(("torch", "fused", {"weights": name}, f"with weights='{name}': the kernels are") for name in UNKNOWN),
    ("torch", "fused", PLUS_ONE | {"dropout": 0.5}, "with dropout: torch keeps no lse"),
    *(("torch", "fused", PLUS_ONE | {"sink": x}, "with a sink that is inf") for x in (inf, np.array([[-inf]]))),
    ("torch", "traced fused", PLUS_ONE, "while a program is traced"),
    *(("numpy", "fused", ENTMAX | {"alpha": a}, "with an alpha that") for a in (1.01, 3.0, np.array([[1.5]]))),
    ("numpy", "fused", ENTMAX | {"return_weights": True}, "with return_weights=True: no kernel holds them"),
    ("numpy", "fused", ENTMAX | {"where": np.ones((9, 1), bool)}, "with a mask or prior over queries alone"),
    ("torch", "traced fused", ENTMAX, "while a program is traced"),
    ("torch", "traced blocks", {}, "while a program is traced"),
    ("torch", "under vmap fused", {}, r"under a transform of torch\.func"),
    ("torch", "under vmap blocks", WITH_LSE, r"under a transform of torch\.func"),
]


@pytest.mark.parametrize(("library", "path", "options", "reason"), REFUSED)
def test_a_path_that_cannot_be_taken_is_refused_with_the_reason_and_auto_goes_another(
    library, path, options, reason
):
    if ALONE and (library == "torch" or "weights" in options):
        pytest.skip("needs torch, or the kernels")
    make, options = MAKE[library], dict(options)
    dtype, device = options.pop("dtype", "float64"), options.pop("device", None)
    arrays = [make(x.astype(dtype)) for x in random((2, 9, 3), (2, 9, 3), (2, 9, 2))]
    call = attention_with_lse if options.pop("call", None) else attention
    options = {name: make(x) if isinstance(x, np.ndarray) else x for name, x in options.items()}
    if "generator" in options:
        options["generator"] = torch.Generator().manual_seed(0)
    if device is not None:
        arrays = [x.to(device) for x in arrays]
    how, path = path.rsplit(" ", 1) if " " in path else ("", path)

    def ask(path):
        f = lambda *x: call(*x, path=path, **options)  # noqa: E731
        if how == "traced":
            return torch.fx.experimental.proxy_tensor.make_fx(f)(*arrays)
        return torch.func.vmap(f)(*arrays) if how else f(*arrays)

    says = f'path="{path}" cannot be taken {reason}.*; take path="readable" or "auto"$'
    with pytest.raises(ValueError, match=says):
        ask(path)
    ask("auto")


@pytest.fixture
def references_alone(monkeypatch):
    """Every quicker method ends in an error as soon as it is asked."""
    refuse = lambda *arguments: pytest.fail("a quicker method")  # noqa: E731
    for method in (fast.entmax_attention, fast.query_blocks, fast.entmax_by_sorting, fast.entmax_rows):
        monkeypatch.setattr(method, "reason_against", refuse)
    for name in ("FOR_NUMPY", "FOR_TORCH"):
        monkeypatch.setattr(fast, name, fast.RowKernels(*[refuse] * len(fast.RowKernels._fields)))
    if not ALONE:
        from lib.fast import sdpa_run

        monkeypatch.setattr(sdpa_run, "reason_against", refuse)


@each_library
def test_by_the_readable_path_the_references_run_alone_and_else_a_quicker_method_is_asked(
    references_alone, library
):
    q, k, v = (MAKE[library](x) for x in random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    u, bias = MAKE[library](np.arange(7.0)), MAKE[library](-np.arange(35.0).reshape(5, 7))
    priors = {}, {"prior": u}, {"log_prior": bias}
    for name in NAMES:
        for options in priors if name in TAKE_A_PRIOR else [{}]:
            for more in ({}, {"return_weights": True}):
                attention(q, k, v, weights=name, causal=True, path="readable", **options, **more)
            if name == "softmax":
                attention_with_lse(q, k, v, path="readable", **options)
        with pytest.raises(pytest.fail.Exception, match="a quicker method"):
            attention(q, k, v, weights=name)
    for f in (lib.softmax, lib.log_softmax, lib.log_partition, lib.sparsemax, lib.entmax):
        with pytest.raises(pytest.fail.Exception, match="a quicker method"):
            f(q)


@with_torch
def test_few_queries_do_not_have_all_keys_laid_out_for_them():
    def why_not(n_q, heads, path="auto"):
        q, k = torch.zeros(3, 8, n_q, 4), torch.zeros(3, heads, 4096, 4)
        return fast.entmax_attention.reason_against(checked(q, k, k, weights="entmax", path=path))

    if fast.entmax_attention.kernels.numba_kernels() is None:
        pytest.skip("needs Numba")
    assert why_not(15, 8).startswith("for so few queries")
    assert why_not(7, 4).startswith("for so few queries")
    assert why_not(16, 8) is why_not(8, 4) is why_not(1, 8, "fused") is None
