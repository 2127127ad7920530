"""How the kernels are compiled, and where the compiled code is kept."""

import contextlib
import functools
import hashlib
import sys
from importlib.resources import files

from numba import config, njit
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

if config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT is set: as Python these loops would take hours")

SOURCES = sorted((file.name, file.read_bytes()) for file in files(__package__).iterdir() if file.is_file())


class Cache(FunctionCache):
    """Where a kernel is kept. If that is damaged, full or out of reach, it is compiled anew, and all goes on.

    Numba compares what it keeps of a kernel with the kernel's own file alone, but each is compiled together with
    what it calls in the others. So what is kept carries a stamp of all of them.
    """

    def __init__(self, function):
        super().__init__(function)
        stamp = hashlib.sha256(repr(SOURCES).encode()).digest()
        self._cache_file = IndexDataCacheFile(self.cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig, target_context):
        overload = None
        try:
            overload = super().load_overload(sig, target_context)
        except Exception:  # whatever reading half a file may raise
            with contextlib.suppress(Exception):
                self.flush()  # so that what is compiled now can be kept in its place
        if overload is None:
            announce(f"It is kept in {self.cache_path}; NUMBA_CACHE_DIR sets another folder.")
        return overload

    def save_overload(self, sig, data):
        with contextlib.suppress(Exception):
            super().save_overload(sig, data)


class Nowhere(NullCache):
    """There is no folder that can be written to."""

    def load_overload(self, sig, target_context):
        announce("It is not kept; for that set NUMBA_CACHE_DIR to a folder that can be written to.")


@functools.cache
def announce(kept):
    """Say once that kernels are compiled: for half a minute nothing else would show."""
    line = f"lib: compiling kernels for entmax, about half a minute for each dtype and purpose. {kept}\n"
    with contextlib.suppress(AttributeError, OSError, ValueError):  # there may be no stderr, or it may be closed
        sys.stderr.write(line)
        sys.stderr.flush()


def _njit(**options):
    # All becomes one function: at each call that stayed one, Numba would count the references to the arrays.
    options |= {"nogil": True, "error_model": "numpy", "forceinline": True}

    def decorate(f):
        kernel = njit(**options)(f)
        try:
            kernel._cache = Cache(f)  # which is what `enable_caching` does
        except (RuntimeError, OSError):
            kernel._cache = Nowhere()
        return kernel

    return decorate


compiled = _njit()
# For sums: LLVM adds several terms at once if it may reorder them. Nothing is assumed about NaN and infinity,
# which are among the inputs.
summing = _njit(fastmath={"reassoc", "contract", "nsz"})
# For sums that stay in the order in which they are written; a product and a sum may become one operation.
contracting = _njit(fastmath={"contract", "nsz"})
