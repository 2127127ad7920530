"""What torch is doing around a call, asked without importing it; and so, which values can be read now.

It may trace a program, transform a function, or compute under autocast. Torch tells some of this under private
names alone. They stand here, but for those listed in `lib.fast.sdpa_derivative` and those of `lib.sharded`:
in `is_traced_size` and `tracing` `_is_tracing`; in `tracing` `_dispatch_tls_is_dispatch_key_included`,
`_len_torch_dispatch_stack` (in `watched` too) and `proxy_tensor.get_proxy_mode`; in `can_read` `FakeTensor`; in
`active_transform` `_are_functorch_transforms_active`; in `is_many` `is_batchedtensor` and
`is_legacy_batchedtensor`.
"""

import functools
import math
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable)


def imported_torch():
    """torch, if it has been imported; None while another thread is still at it, as there are no tensors yet."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "compiler") else None


def is_torch(x):
    """Is `x` a torch tensor? Asks without importing torch, and in a way that torch.compile can follow."""
    torch = sys.modules.get("torch")
    return hasattr(torch, "Tensor") and isinstance(x, torch.Tensor)  # another thread may be importing it


# ---- values: may they be read?


def stop_gradient(x):
    """`x` as a constant: no derivative, forward or backward, goes through it."""
    return x.detach() if is_torch(x) else x


def known_true(condition):
    """True if the 0-d boolean array `condition` can be read now and is true; False also where it cannot."""
    return known(condition, bool, False)


def known(x, to=float, unknown=math.nan):
    """The value of a 0-d array, or `unknown` where it cannot be read now.

    On a GPU it is not read, since the program would wait for it, nor while a program is traced, since that
    breaks the graph, or leaves in it what is true of the example alone.
    """
    if is_torch(x) and (not x.is_cpu or tracing()):
        return unknown
    try:
        return to(x)
    except RuntimeError:  # it is one of many under vmap, or a fake one
        if x.ndim > 0:
            raise
        return unknown


def all_finite(xp, x):
    """True if `x` can be read and its sum is finite: then all values are. The sum of large ones may overflow."""
    return known_true(xp.isfinite(xp.sum(x)))


def can_read(x):
    """May values be read, of a tensor too? For a GPU the program would wait; a graph and a fake have none yet."""
    if not is_torch(x):
        return True
    from torch._subclasses import FakeTensor

    return x.is_cpu and not tracing() and not isinstance(x, FakeTensor)


# ---- tracing, transforms, gradients


def compiling():
    """Is torch.compile or torch.export tracing this?"""
    torch = imported_torch()
    return torch is not None and torch.compiler.is_compiling()


def tracing():
    """Is torch making a program of this call, to be run on other values, so that none must be read?

    By torch.compile, torch.export, torch.jit.trace, make_fx, or the exporters to ONNX that are built on them.
    """
    torch = sys.modules.get("torch")
    if not hasattr(torch, "compiler"):
        return False  # another thread may be importing it
    if torch.compiler.is_compiling() or torch._C._is_tracing():
        return True
    before_dispatch = torch._C._dispatch_tls_is_dispatch_key_included(torch._C.DispatchKey.PreDispatch)
    if not before_dispatch and torch._C._len_torch_dispatch_stack() == 0:
        return False  # as nearly always, and known sooner than what follows
    from torch.fx.experimental.proxy_tensor import get_proxy_mode

    return get_proxy_mode() is not None


def is_traced_size(x):
    """Does `x` stand for an integer in a program that is traced? torch.jit.trace has 0-d tensors for these."""
    torch = imported_torch()
    if torch is None:
        return False
    if isinstance(x, torch.SymInt):
        return True
    by_jit = not compiling() and torch._C._is_tracing()
    return by_jit and isinstance(x, torch.Tensor) and x.ndim == 0 and not x.is_floating_point()


def not_compiled(function):
    """A function of torch's that torch.compile is to call as it stands, also where it is all that is compiled.

    `torch.compiler.disable` as a decorator would not hold there, and would import all of torch.compile at once.
    """

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return (sys.modules["torch"].compiler.disable(function) if compiling() else function)(*args, **kwargs)

    return wrapper


def watched():
    """Does something follow torch's operations, to which a kernel that is called through NumPy would be hidden?

    A program that is traced, but also a mode that counts operations or gives fake tensors.
    """
    torch = imported_torch()
    return torch is not None and (torch._C._len_torch_dispatch_stack() > 0 or tracing())


def active_transform(arrays):
    """What torch is doing, in words, if it needs more than values and gradients; else None.

    A compiled kernel has no derivative but its gradient, so it must not be used then.
    """
    import torch

    if torch._C._are_functorch_transforms_active():
        return "under a transform of torch.func"
    dual = torch.autograd.forward_ad.unpack_dual  # outside of `dual_level` no tensor has a tangent
    forward = any(dual(x).tangent is not None for x in arrays if isinstance(x, torch.Tensor))
    return "in forward-mode differentiation" if forward else None


def wants_gradient(arguments):
    """Does autograd follow what torch computes from these tensors, numbers and None?"""
    import torch

    return torch.is_grad_enabled() and any([isinstance(x, torch.Tensor) and x.requires_grad for x in arguments])


def is_many(x):
    """Is this a tensor that stands for many, under vmap: of torch.func, or of `is_grads_batched`?"""
    import torch

    one_of_many = torch._C._functorch.is_batchedtensor, torch._C._functorch.is_legacy_batchedtensor
    return isinstance(x, torch.Tensor) and any(ask(x) for ask in one_of_many)


def savable(x):
    """The tensor, or a copy if it was made in inference mode, which autograd does not keep."""
    return x.clone() if x.is_inference() else x


# ---- what is set around a call: NumPy's warnings, torch's autocast


_around = threading.local()  # is autocast on around the function of `lib` that this thread is in?


def isolated(autocast_results: int = 0) -> Callable[[Function], Function]:
    """Decorates a function, so that neither NumPy's warnings of infinities and NaN nor torch's autocast touch it.

    Under autocast it is computed as outside, and the first results, as many as `autocast_results`, take its dtype.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            # The first tensor decides, since all are on one device; if it is not the first argument, it may have
            # a name. NumPy's settings are for NumPy alone: torch.compile could not follow them.
            for x in args if (args and is_torch(args[0])) else (*args, *kwargs.values()):
                if is_torch(x):
                    if autocast_dtype(x) is None:
                        return function(*args, **kwargs)
                    return without_autocast(function, x, autocast_results, args, kwargs)
            with np.errstate(all="ignore"):
                return function(*args, **kwargs)

        return wrapper

    return decorate


def autocast_dtype(x):
    """The dtype that autocast has on the device of a tensor; None where it is off."""
    torch = sys.modules["torch"]
    device = "cpu" if x.is_cpu else x.device.type
    on = (x.is_cpu or torch.amp.is_autocast_available(device)) and torch.is_autocast_enabled(device)
    return torch.get_autocast_dtype(device) if on else None


def autocast_is_around():
    """Is this computed apart from an autocast, so that products must say how to be apart from it backward?"""
    return getattr(_around, "on", False)


def without_autocast(function, x, autocast_results, args, kwargs):
    """Call `function` without autocast for the device of the tensor `x`.

    The first results, as many as `autocast_results`, take autocast's dtype, but for float64, which it leaves
    alone. They are rounded once: half precision of the other kind goes in as float32.
    """
    dtype = autocast_dtype(x)
    if dtype is None:
        return function(*args, **kwargs)
    torch = sys.modules["torch"]

    def widened(x):
        half = isinstance(x, torch.Tensor) and x.dtype in (torch.bfloat16, torch.float16)
        return x.float() if half and x.dtype != dtype else x

    if autocast_results:
        args, kwargs = [widened(x) for x in args], {name: widened(x) for name, x in kwargs.items()}
    with torch.autocast(x.device.type, enabled=False):
        before, _around.on = autocast_is_around(), True
        try:
            results = function(*args, **kwargs)
        finally:
            _around.on = before
    if not autocast_results:
        return results
    several = results if isinstance(results, tuple) else (results,)
    rounded = [y if y.dtype == torch.float64 else y.to(dtype) for y in several[:autocast_results]]
    return (*rounded, *several[autocast_results:]) if isinstance(results, tuple) else rounded[0]
