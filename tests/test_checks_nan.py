"""No check is blind to NaN: where a function of `lib` that it calls returns NaN, it fails or raises."""

import numpy as np
import pytest
from poison import called, given, poisoned
from test_claims import NAMES

from lib.book.claims import find

# Fewer runs for the checks that take long: the same measurement on less.
FEWER = {
    "alternatives-trained": {"steps": 2},
    "roads-split": {"runs": 40},
}

# What a check is given that calls nothing of `lib`.
WITHOUT = {"attention-heads": {"given": np.full((2, 2), np.nan)}}

HELPERS = {"largest", "smallest"}


def outcomes(id):
    """What the check measures with NaN from one function after another, of those that it does call."""
    measure, fewer = find(id).measure, FEWER.get(id, {})
    functions = {each: name for each, name in called(measure).items() if each.__name__ not in HELPERS}
    public = [each for each, name in functions.items() if name]
    for some in (public, [each for each in functions if each not in public]):
        found = {}
        for function in some:
            with poisoned(function) as (poison, calls):
                try:
                    value = float(measure(**{**fewer, **given(measure, function, poison)}))
                except Exception as error:  # whatever it is, it is no check that holds
                    value = error
            if calls:
                found[function.__name__] = value
        if found:
            return found
    return {"what it is given": measure(**WITHOUT[id])}


@pytest.mark.filterwarnings("ignore")  # arithmetic with NaN
@pytest.mark.parametrize("id", NAMES)
def test_nan_from_any_function_that_a_check_calls_makes_it_fail(id):
    found = outcomes(id)
    assert found
    for name, value in found.items():
        assert isinstance(value, Exception) or value not in find(id).bound, f"blind to NaN from {name}"
