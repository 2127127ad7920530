"""No check is blind to NaN: where a function of `lib` that it calls returns NaN, it fails or raises."""

from importlib import import_module

import numpy as np
import pytest
from chapter_code import checks_of, sources
from poison import called, given, poisoned

from book.claims import find
from book.patterns import copier
from book.scale import checks as scale
from book.speed.ring import in_one

# Fewer runs for the checks that take long: the same measurement on less. All have fewer texts and turns of loops.
FEWER = {
    "alternatives-trained": {"steps": 2},
    "divergences-split": {"runs": 40},
    "tell-simulated": {"runs": 2000},
    "tell-trade": {"m": 1000},
    "speed-ring": {"outputs": in_one},  # without two processes more
}

# The checks of NumPy and torch that call nothing of `lib`: a number that they use, as NaN.
WITHOUT = {
    "attention-heads": {"given": np.full((2, 2), np.nan)},
    "gradients-backward": {"power": np.nan},
    "masking-gone": {"value": np.nan},
}

HELPERS = {"largest", "smallest"}


def measured(check, options):
    """What is measured, or the error: whatever it is, that is no check that holds."""
    try:
        return float(check(**options))
    except Exception as error:
        return error


def outcomes(id):
    """What the check measures with NaN from one function after another, of those that it does call.

    These are the public functions of `lib`; for a check that calls none, those of the book.
    """
    check, fewer = find(id), FEWER.get(id, {})
    functions = {each: name for each, name in called(check.measure).items() if each.__name__ not in HELPERS}
    public = [each for each, name in functions.items() if name]
    for some in (public, [each for each in functions if each not in public]):
        found = {}
        for function in some:
            with poisoned(function) as (poison, calls):
                value = measured(check, {**fewer, **given(check.measure, function, poison)})
            if calls:
                found[function.__name__] = value
        if found:
            return found
    return {"what it is given": measured(check, WITHOUT[id])}


@pytest.mark.filterwarnings("ignore")  # arithmetic with NaN
@pytest.mark.parametrize("page", [page for page in sources() if checks_of(page)], ids=lambda page: page.stem)
def test_nan_from_any_function_that_a_check_calls_makes_it_fail(page, monkeypatch):
    monkeypatch.setattr(copier, "TEXTS", 20)
    monkeypatch.setattr(scale, "MANY", 200)
    module = import_module(f"book.{page.stem}.checks")
    monkeypatch.setattr(module, "range", lambda *ends: range(*ends)[:300], raising=False)
    for id in checks_of(page):
        found = outcomes(id)
        assert found, id
        blind = [
            name for name, value in found.items() if not isinstance(value, Exception) and value in find(id).bound
        ]
        assert blind == [], f"{id} is blind to NaN from these"
