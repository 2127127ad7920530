"""How the kernels are compiled, and where the compiled code is kept."""

from pathlib import Path

from numba import njit

# Sums may be reordered, which lets LLVM keep several at once. Nothing is assumed about NaN and infinity:
# both are among the inputs.
compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})


def forget_stale():
    """Drop compiled code that is older than any of the sources here.

    Numba compares a kernel's cache with the kernel's own file alone, but each is compiled together with
    what it calls in the others.
    """
    here = Path(__file__).parent
    newest = max(path.stat().st_mtime for path in here.glob("*.py"))
    for index in here.glob("__pycache__/*.nbi"):
        if index.stat().st_mtime < newest:
            index.unlink(missing_ok=True)


forget_stale()
