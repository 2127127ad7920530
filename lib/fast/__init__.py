"""All that is there for speed alone. `dispatch` takes a path of attention, `row_kernels` those of rows.

A reference says what is computed, as the formulas are written, and each method is tested against it. The public
functions check their arguments once and come here once; nothing here imports a map, since what is to be computed
is handed over. Nothing outside this folder imports Numba. What imports it (`cpu`), or torch, is imported only when
it is first needed.
"""

from collections.abc import Callable
from typing import NamedTuple

from .._torch_modes import is_torch, tracing
from . import (
    entmax_attention,
    entmax_by_sorting,
    entmax_rows,
    query_blocks,
    softmax_by_numpy,
    softmax_by_torch,
    softmax_plus_one_by_lse,
)


class RowKernels(NamedTuple):
    """What computes rows: functions of the checked arguments, and of the reference for what they are not for."""

    softmax: Callable
    log_softmax: Callable
    log_partition: Callable
    entmax: Callable


def by_reference(arguments, reference):
    return reference(arguments)


def entmax(arguments, reference):
    """Entmax of a few rows by sorting, of many by the compiled kernels."""
    for method in (entmax_by_sorting, entmax_rows):
        if method.reason_against(arguments) is None:
            weights = method.result(arguments, reference)
            if weights is not None:
                return weights
    return reference(arguments)


REFERENCES = RowKernels(*[by_reference] * 4)
FOR_NUMPY = RowKernels(softmax_by_numpy.softmax, by_reference, by_reference, entmax)
FOR_TORCH = RowKernels(
    softmax_by_torch.softmax, softmax_by_torch.log_softmax, softmax_by_torch.log_partition, entmax
)


def row_kernels(x, path="auto"):
    """What computes rows of arrays like `x`: by path="readable", and in a traced program, the references."""
    if path == "readable" or tracing():
        return REFERENCES
    return FOR_TORCH if is_torch(x) else FOR_NUMPY


def dispatch(request, reference):
    """The results of attention by the first method that is applicable, or else by the reference."""
    path, traced = request.path, tracing()
    request = request._replace(row_kernels=row_kernels(request.q, path))
    if is_torch(request.q) and request.weights == "softmax":
        from . import sdpa_run as fused  # only now, since it imports torch
    elif is_torch(request.q) and request.weights == "softmax_plus_one":
        fused = softmax_plus_one_by_lse
    else:
        fused = entmax_attention
    for name, method in (("fused", fused), ("blocks", query_blocks)):
        if path not in ("auto", name) or (path == "auto" and method is entmax_attention and request.alpha is None):
            continue
        if traced and (request.return_lse or method in (entmax_attention, query_blocks)):
            reason = "while a program is traced"  # which holds torch's operations alone
        else:
            reason = method.reason_against(request)
        if reason is None:
            results = method.result(request, reference)
            if results is not None:
                return results
            path = "auto"  # the method was taken, but these values are not for it
        elif path != "auto":
            raise ValueError(f'path="{path}" cannot be taken {reason}; take path="readable" or "auto"')
    return reference(request)
