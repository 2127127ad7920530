"""Under `torch.autocast` all is computed as outside, backward too; attention's output takes autocast's dtype."""

import sys
import threading


class _Around(threading.local):
    """Is autocast on around the function of `lib` that this thread is in?"""

    def __init__(self):
        self.on = False


_around = _Around()


def autocast_dtype(x):
    """The dtype that autocast has on the device of a tensor; None where it is off."""
    torch = sys.modules["torch"]
    device = "cpu" if x.is_cpu else x.device.type
    on = (x.is_cpu or torch.amp.is_autocast_available(device)) and torch.is_autocast_enabled(device)
    return torch.get_autocast_dtype(device) if on else None


def autocast_is_around():
    """Is this computed apart from an autocast, so that products must say how to be apart from it backward?"""
    return _around.on


def apart(function, x, rounded, args, kwargs):
    """Call `function` without autocast for the device of the tensor `x`.

    The first results, as many as `rounded`, take autocast's dtype, but for float64, which it leaves alone. They
    are rounded once: half precision of the other kind goes in as float32.
    """
    dtype = autocast_dtype(x)
    if dtype is None:
        return function(*args, **kwargs)
    torch = sys.modules["torch"]
    if rounded:
        args, kwargs = (
            [_in_float32(x, dtype) for x in args],
            {name: _in_float32(x, dtype) for name, x in kwargs.items()},
        )
    with torch.autocast(x.device.type, enabled=False):
        before, _around.on = _around.on, True
        try:
            results = function(*args, **kwargs)
        finally:
            _around.on = before
    if isinstance(results, tuple):
        return *(_rounded(y, dtype) for y in results[:rounded]), *results[rounded:]
    return _rounded(results, dtype) if rounded else results


def _in_float32(x, dtype):
    """`x` in float32 if it is in half precision of another kind than `dtype`."""
    torch = sys.modules["torch"]
    half = isinstance(x, torch.Tensor) and x.dtype in (torch.bfloat16, torch.float16)
    return x.float() if half and x.dtype != dtype else x


def _rounded(x, dtype):
    return x if x.dtype == sys.modules["torch"].float64 else x.to(dtype)
