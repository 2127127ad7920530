"""All that is there for speed alone, behind one door: `take` asks the ways of one table in their order.

A reference body says what is computed, and each way is tested against it. The public functions check their
arguments once and come here; nothing here imports a map, since what is to be computed is handed over. Nothing
outside this folder imports Numba; `cpu`, which does, is imported only when first needed.
"""

from collections.abc import Callable
from typing import NamedTuple

from .._arrays import is_torch, recording
from . import (
    entmax_attention,
    entmax_by_sorting,
    entmax_rows,
    query_blocks,
    softmax_by_numpy,
    softmax_by_torch,
)


class Way(NamedTuple):
    """A quicker way to what a reference body computes."""

    words: str  # what it is
    path: str  # by which `path=` of attention it is asked for
    is_for: Callable  # of the checked arguments: are they of the kind that it knows at all?
    why_not: Callable  # the question: why it cannot compute these, or had better not; None if it can
    result: Callable  # of the arguments and the reference body; None if values on the way show that it cannot
    in_programs: bool = False  # is it made of torch's operations alone, so that a recorded program can hold it?


def take(task, asked, reference, path="auto"):
    """What `reference(asked)` is, by the first way against which nothing speaks, or else by itself."""
    recorded = recording()
    for way in WAYS[task]:
        if path not in ("auto", way.path) or not way.is_for(asked):
            continue
        reason = "while a program is recorded" if recorded and not way.in_programs else way.why_not(asked)
        if reason is None:
            found = way.result(asked, reference)
            if found is not None:
                return found
            path = "auto"  # the way was taken, but these values are not for it
        elif path != "auto":
            raise ValueError(f'path="{path}" cannot be taken {reason}; take path="readable" or "auto"')
    return reference(asked)


def any_kind(asked):
    return True


def torch_scores(given):
    return is_torch(given.scores)


def numpy_scores(given):
    return not is_torch(given.scores)


def torch_softmax(request):
    return is_torch(request.q) and request.weights == "softmax"


def another_kernel(request):
    return not torch_softmax(request)


def of_sdpa(name):
    """A function of `lib.fast.sdpa`, which imports torch."""

    def function(*arguments):
        from . import sdpa

        return getattr(sdpa, name)(*arguments)

    return function


def why_no_lse(request):
    return of_sdpa("why_no_lse")(request) if is_torch(request.q) else "for NumPy arrays: the kernel is torch's"


BY_TORCH, BY_OURS, BLOCKS = "fused, by torch’s kernel", "fused, by a kernel of ours", "a few queries at a time"
WAYS = {
    "softmax": (
        Way("torch’s softmax", "fused", torch_scores, softmax_by_torch.why_not, softmax_by_torch.result),
        Way("a few rows at a time", "fused", numpy_scores, softmax_by_numpy.why_not, softmax_by_numpy.result),
    ),
    "log_softmax": (
        Way("torch’s log-softmax", "fused", torch_scores, softmax_by_torch.why_not, softmax_by_torch.log_result),
    ),
    "log_partition": (
        Way("torch’s logsumexp", "fused", torch_scores, softmax_by_torch.why_no_value, softmax_by_torch.value),
    ),
    "entmax": (
        Way("by sorting a few rows", "fused", any_kind, entmax_by_sorting.why_not, entmax_by_sorting.result),
        Way("by kernels of ours", "fused", any_kind, entmax_rows.why_not, entmax_rows.result),
    ),
    "attention": (
        Way(BY_TORCH, "fused", torch_softmax, of_sdpa("why_not"), of_sdpa("result"), in_programs=True),
        Way(BY_OURS, "fused", another_kernel, entmax_attention.why_not, entmax_attention.result),
        Way(BLOCKS, "blocks", any_kind, query_blocks.why_not, query_blocks.result),
    ),
    "attention_with_lse": (
        Way(BY_TORCH, "fused", any_kind, why_no_lse, of_sdpa("result_with_lse")),
        Way(BLOCKS, "blocks", any_kind, query_blocks.why_not, query_blocks.result),
    ),
}
