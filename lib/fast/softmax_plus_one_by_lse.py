"""Softmax-plus-one attention by torch's kernel: what softmax makes, less the share that the empty place takes.

The empty place is one more key, with nothing as its value. So it only takes a share away, and the lse of the other
keys says how much is left: σ(lse − β · sink).
"""

import math

from .._arrays import cast, is_number
from .._torch_modes import known_true, tracing


def reason_against(request):
    """Why this cannot be taken, or should not unless path="fused" asks for it; or None."""
    sink = request.sink
    if tracing():
        return "while a program is traced"
    if request.dropout:
        return "with dropout: torch keeps no lse then"
    if abs(sink) == math.inf if is_number(sink) else not known_true(sink.isfinite().all()):
        return "with a sink that is infinite, or that cannot be looked at"
    return _sdpa().reason_against(_by_softmax(request))


def result(request, reference):
    """The output, (..., n_q, d_v), as a tuple of one; None if these values are not for the kernel."""
    found = _sdpa().result(_by_softmax(request), reference)
    if found is None:
        return None
    output, lse = found
    left = (lse - request.beta * request.sink).sigmoid()  # (..., n_q, 1), 0 where a query sees nothing
    return (cast(request.xp, left * output, request.dtype),)


def _sdpa():
    from . import sdpa_run  # only now, since it imports torch

    return sdpa_run


def _by_softmax(request):
    """The same request for softmax, its output not yet rounded to half precision."""
    return request._replace(weights="softmax", sink=None, return_lse=True, dtype=request.working)
