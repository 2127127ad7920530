"""How the kernels are compiled, and where the compiled code is kept."""

import contextlib
import hashlib
import sys
from importlib.resources import files
from pathlib import Path

from numba import config, njit
from numba.core import event
from numba.core.caching import FunctionCache

if config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT is set: as Python these loops would take hours")

SOURCES = sorted((file.name, file.read_bytes()) for file in files(__package__).iterdir() if file.is_file())
STATE = hashlib.sha256(repr(SOURCES).encode()).hexdigest()[:12]  # of all of them, as they are now
KERNELS = set()  # all that are compiled here, each by itself and into those that call it


class Cache(FunctionCache):
    """Where a kernel is kept. If that is damaged, full or out of reach, it is compiled anew, and all goes on."""

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever reading half a file may raise
            with contextlib.suppress(Exception):
                self.flush()  # so that what is compiled now can be kept in its place
            return None

    def save_overload(self, sig, data):
        with contextlib.suppress(Exception):
            super().save_overload(sig, data)


def _njit(**options):
    # All becomes one function: at each call that stayed one, Numba would count the references to the arrays.
    options |= {"nogil": True, "error_model": "numpy", "forceinline": True}

    def decorate(f):
        # Numba compares what it keeps of a kernel with the kernel's own file alone, but each is compiled together
        # with what it calls in the others. The file in which it is kept has this name, wherever that is.
        f.__qualname__ = f"{STATE}.{f.__qualname__}"
        kernel = njit(**options)(f)
        with contextlib.suppress(RuntimeError, OSError):  # there may be no folder to keep it in
            kernel._cache = Cache(f)  # which is what `enable_caching` does
        KERNELS.add(kernel)
        return kernel

    return decorate


compiled = _njit()
# For sums: LLVM adds several terms at once if it may reorder them. Nothing is assumed about NaN and infinity,
# which are among the inputs.
summing = _njit(fastmath={"reassoc", "contract", "nsz"})
# For sums that stay in the order in which they are written; a product and a sum may become one operation.
contracting = _njit(fastmath={"contract", "nsz"})
PART = 256  # terms of a sum that are added up by themselves, so that the rounding of a long one stays small


def forget_stale():
    """Remove what is kept of other states of the sources: each takes 10 MB."""
    for folder in {kernel.stats.cache_path for kernel in KERNELS} - {None}:
        for file in Path(folder).glob("*.nb[ic]"):
            if STATE not in file.name:
                with contextlib.suppress(OSError):  # another process may just have removed it, or be reading it
                    file.unlink()


class Announcer(event.Listener):
    """Says once that kernels are compiled: for half a minute nothing else would show."""

    said = False

    def on_start(self, event):
        kernel = event.data["dispatcher"]
        if self.said or kernel not in KERNELS:
            return
        self.said = True
        folder = kernel.stats.cache_path
        kept = f"It is kept in {folder}; NUMBA_CACHE_DIR sets another folder."
        if folder is None:
            kept = "It is not kept; for that set NUMBA_CACHE_DIR to a folder that can be written to."
        line = f"lib: compiling kernels for entmax, about half a minute for each dtype and purpose. {kept}"
        if sys.stderr is not None:
            with contextlib.suppress(OSError, ValueError):  # it may be closed
                print(line, file=sys.stderr, flush=True)

    def on_end(self, event):
        pass


event.register("numba:compile", Announcer())
