"""torch, for tests that try NumPy too; where NumPy is alone, a stand-in: a test that asks it for anything skips.

NumPy is alone in `make test-numpy`, which sets NUMPY_ALONE. Anywhere else it is an error if torch is not there.
"""

import os

import pytest

ALONE = "NUMPY_ALONE" in os.environ
with_torch = pytest.mark.skipif(ALONE, reason="needs torch, and NumPy is alone here")


class Missing:
    """Stands for torch or something of it. It can be named, so that a file of tests can be read, but not used."""

    def __init__(self, name):
        vars(self)["name"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.name}.{name}")

    def __setattr__(self, name, value):
        self()

    def __call__(self, *args, **options):
        pytest.skip(f"needs {self.name}, and NumPy is alone here", allow_module_level=True)

    def __instancecheck__(self, x):
        return False

    def __mro_entries__(self, bases):
        return ()

    def __repr__(self):
        return self.name


if ALONE:
    torch = Missing("torch")
else:
    import torch  # noqa: F401
