"""How the kernels are compiled, and where the compiled code is kept."""

import contextlib
import functools
from pathlib import Path

from numba import njit

# All becomes one function: at each call that stayed one, Numba would count the references to the arrays.
_njit = functools.partial(njit, cache=True, nogil=True, error_model="numpy", forceinline=True)
compiled = _njit()
# For sums: LLVM adds several terms at once if it may reorder them. Nothing is assumed about NaN and infinity,
# which are among the inputs.
summing = _njit(fastmath={"reassoc", "contract", "nsz"})
# For sums that stay in the order in which they are written; a product and a sum may become one operation.
contracting = _njit(fastmath={"contract", "nsz"})
PART = 256  # terms of a sum that are added up by themselves, so that the rounding of a long one stays small


def forget_stale():
    """Drop compiled code that is older than any of the sources here.

    Numba compares a kernel's cache with the kernel's own file alone, but each is compiled together with
    what it calls in the others.
    """
    here = Path(__file__).parent
    newest = max(path.stat().st_mtime for path in here.glob("*.py"))
    for index in here.glob("__pycache__/*.nbi"):
        with contextlib.suppress(FileNotFoundError):  # another process may just have dropped it
            if index.stat().st_mtime < newest:
                index.unlink()


forget_stale()
