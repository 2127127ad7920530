"""torch, for files of tests that do nothing without it: where NumPy is alone, they are skipped as a whole."""

import pytest
from optional_torch import ALONE, torch

__all__ = ["torch"]

if ALONE:
    pytest.skip("needs torch, and NumPy is alone here", allow_module_level=True)
