"""Whoever is refused reads which argument does not fit, by the name under which it was passed, and what would."""

import inspect
import math
import re
import warnings

import array_api_strict
import numpy as np
import pytest
from attending import PATHS, random
from calls import CALLS, calls, named
from maps import DENSE, FUNCTIONS
from optional_torch import ALONE, torch, with_torch

import lib

inf, nan = math.inf, math.nan
T, V = TypeError, ValueError

# ---- the table: (function, error, what it says, the arguments that do not fit beside others that do)

Q, K, VALUES = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
SCORES, ROWS, ONES = np.array([[0.25, 0.75], [0.5, 0.5]]), np.ones((3, 5)), np.ones((2, 3, 5))
LIST = "must be a NumPy array or a torch tensor; got list"
OUT, LSE = np.ones((2, 5, 2)), np.ones((2, 5))
FITS = {
    lib.attention: {"q": Q, "k": K, "v": VALUES},
    lib.attention_with_lse: {"q": Q, "k": K, "v": VALUES},
    lib.linear_attention: {"q": Q[:, 0], "k": K[:, 0], "v": VALUES[:, 0]},
    lib.merge_attention: {"outputs": [OUT], "lses": [LSE]},
    lib.attention_distance: {"weights": ONES},
    lib.objective: {"p": SCORES, "scores": SCORES, "beta": 1.0},
    lib.beta_for_kl: {"scores": SCORES, "epsilon": 0.1},
    lib.causal_mask: {"n_q": 3},
    lib.window_mask: {"n_q": 3, "window": 2},
    lib.padding_mask: {"lengths": np.array([1, 2]), "n_k": 3},
    **{f: {"scores": SCORES} for f in (*FUNCTIONS, lib.log_softmax, lib.log_partition)},
    **{f: {"weights": ROWS, "grad": ROWS} for f in (lib.softmax_vjp, lib.sparsemax_vjp, lib.entmax_vjp)},
}
NOWHERE = r"^prior must be positive somewhere in every row; got 0\.0 everywhere in one$"
NOT_NAN = r"^beta must not be NaN: got nan; any other number is allowed, also 0, negative and ±inf$"
NO_OFFSET = r"with lengths.*\(5\).*\(7\).*offset=lengths - 5 .*offset=2 "
SINK = "sink must not be NaN: got nan; any other number is allowed, also ±inf"
ALPHA = "alpha must be at least 1 and finite; got "

OF_MAPS = [  # for every map that takes the argument
    (V, NOT_NAN, {"beta": nan}),
    (V, NOT_NAN, {"beta": np.array([[1.0], [nan]])}),
    (T, "^beta must be a number or an array; got None", {"beta": None}),
    (T, "^beta must be a NumPy array", {"beta": "1"}),
    (T, f"^beta {LIST}", {"beta": [1.0]}),
    (T, "where must be boolean, True = takes part; got dtype .*float64", {"where": np.array([1.0, 0.0])}),
    (V, r"prior must be finite and not negative; got -0\.5", {"prior": np.array([1.0, -0.5])}),
    (V, "prior must be finite and not negative; got nan", {"prior": np.array([nan, 1.0])}),
    (V, "prior must be finite and not negative; got inf", {"prior": np.array([1.0, inf])}),
    (V, NOWHERE, {"prior": np.zeros(2)}),
    (V, NOWHERE, {"prior": np.array([[0.5, 0.5], [0.0, 0.0]])}),
    (V, NOWHERE, {"prior": np.array([1.0, 0.0]), "axis": 0}),  # one for all entries of a column
    (V, "prior must have a finite sum.*got inf", {"prior": np.array([1.5e308, 1.5e308])}),
]
OF_ONE = {
    lib.softmax: [
        (V, NOWHERE, {"scores": np.ones(1), "prior": np.zeros(1)}),
        (V, r"^these do not .*\(2, 2\); beta has shape \(1, 4\)", {"beta": np.ones((1, 4)), "axis": 0}),
    ],
    lib.entmax: [
        *((V, f"{ALPHA}{bad}$", {"alpha": a}) for bad in (0.99, -1.0, nan, inf) for a in (bad, np.array([bad]))),
        (T, "alpha must be a number or an array; got None", {"alpha": None}),
        (T, "alpha must be a NumPy array", {"alpha": "2"}),
        (T, f"alpha {LIST}", {"alpha": [1.5]}),
        (V, r"alpha must have size 1 along axis -1.*alpha has shape \(2,\)", {"alpha": np.full(2, 1.5)}),
        (V, r"do not broadcast.*alpha has shape \(3, 1\)", {"alpha": np.full((3, 1), 1.5)}),
    ],
    lib.beta_for_kl: [
        *((V, f"epsilon must be at least 0, in nats; got {e}", {"epsilon": e}) for e in (-0.1, nan)),
        (V, r"epsilon must be at least 0, in nats; got -2\.0", {"epsilon": np.array([0.1, -2.0])}),
        *((T, "epsilon must be", {"epsilon": e}) for e in (None, [0.1, 0.2], "0.1")),
        (V, r"epsilon must .* \(2,\).*epsilon has shape \(2, 1\)$", {"epsilon": np.ones((2, 1))}),
        (V, r"epsilon must .* \(2,\).*epsilon has shape \(1, 2\)$", {"epsilon": np.ones((1, 2))}),
        (V, r"epsilon must .* \(2,\).*epsilon has shape \(1,\)$", {"epsilon": np.ones(1)}),
        (V, r"of the rows, which is \(\).*shape \(5,\)", {"scores": SCORES[0], "epsilon": np.ones(5)}),
    ],
    lib.softmax_vjp: [
        (V, NOT_NAN, {"beta": nan}),
        (V, "grad must have size n along axis -2", {"grad": ROWS[:1], "axis": 0}),
    ],
    lib.sparsemax_vjp: [(V, NOT_NAN, {"beta": nan})],
    lib.entmax_vjp: [
        (V, NOT_NAN, {"beta": nan}),
        (V, f"{ALPHA}0.5", {"alpha": 0.5}),
        *((T, f"^{name} must be a number or an array", {name: None}) for name in ("beta", "alpha")),
    ],
    lib.attention_distance: [
        (V, r"weights must have shape \(\.\.\., n_q, n_k\); got \(5,\)", {"weights": np.ones(5)}),
        (V, r"offset must have shape \(batch,\).* \(3,\), the leading axes are", {"offset": np.arange(3)}),
        (T, "offset must hold integers", {"offset": np.ones(2)}),
        (T, "offset must be a NumPy array or a torch tensor; got float", {"offset": 1.5}),
        (T, "^offset must be .*; got bool", {"offset": True}),
    ],
    lib.window_mask: [
        *((V, f"window must be at least 1.*got {n}$", {"window": n}) for n in (0, -3)),
        *((T, f"^window must be an integer, at least 1; got {x}", {"window": x}) for x in (1.5, True)),
    ],
    lib.causal_mask: [
        (V, "n_q must be at least 0; got -1", {"n_q": -1}),
        (T, "^n_q must be an integer, at least 0; got True", {"n_q": True}),
        *((T, f"^n_k must be an integer, at least 0; got {x}", {"n_k": x}) for x in (2.0, True)),
        (T, "^offset must be .*; got bool", {"offset": True}),
        (T, "offset must hold integers; got dtype .*float64", {"offset": np.array([1.0])}),
        (T, f"offset {LIST}", {"offset": [1]}),
    ],
    lib.padding_mask: [
        (V, "n_k must be at least 0; got -2", {"n_k": -2}),
        (T, "^n_k must be .*; got True", {"n_k": True}),
        (T, "lengths must hold integers; got dtype .*float64", {"lengths": np.array([1.0])}),
        (T, f"lengths {LIST}", {"lengths": [1, 2]}),
    ],
    lib.attention_with_lse: [
        *((V, "^beta must be finite.* got ±inf$", {"beta": beta}) for beta in (inf, -inf, np.array([[inf]]))),
    ],
    lib.merge_attention: [
        (V, "outputs must hold one array for each set of keys; got none", {"outputs": [], "lses": []}),
        (V, "lses must hold one array", {"lses": []}),
        (V, r"as many lses.*outputs\[1\] .* \(2, 5, 2\); lses\[0\] .*5\)$", {"outputs": [OUT, OUT]}),
        (V, r"lses\[0\] has shape \(1, 5\)", {"lses": [LSE[:1]]}),
        (V, r"outputs\[1\] has shape \(2, 5, 1\)", {"outputs": [OUT, OUT[..., :1]], "lses": [LSE, LSE]}),
        (V, r"outputs\[0\] has .* \(5,\); lses\[0\] .* \(\)", {"outputs": [LSE[0]], "lses": [np.array(1.0)]}),
        (T, rf"outputs\[1\] {LIST}", {"outputs": [OUT, [1.0]], "lses": [LSE, LSE]}),
        (T, r"^outputs\[1\] must be .*; got NoneType", {"outputs": [OUT, None], "lses": [LSE, LSE]}),
        (T, "lses must be a sequence of arrays, one for each set .*; got float", {"lses": 1.0}),
        (T, r"^lses\[0\] must be real numbers; got .*128", {"lses": [LSE + 0j]}),
        (T, r"^outputs\[0\] must be real numbers; got .*128", {"outputs": [OUT + 0j]}),
    ],
    lib.linear_attention: [
        (V, "feature_map must be 'elu1' or a callable.*got 'elu'", {"feature_map": "elu"}),
        (T, "feature_map must be 'elu1' or a callable.*got 3", {"feature_map": 3}),
        (V, r"it turned \(2, 5, 2\) into \(2, 2, 2\)", {"feature_map": lambda x: x[..., :2, :]}),
        (V, r"where must .*, n_k\), n_k = 7, .*: k has .*; where .* \(5,\)", {"where": np.array([True] * 5)}),
        (V, "leading axes do not broadcast", {"where": np.ones((3, 7), bool)}),
        (T, "where must be boolean", {"where": np.ones(7)}),
        (T, f"where {LIST}", {"where": [True] * 7}),
        (V, r"lengths must have shape \(batch,\)", {"lengths": np.array([1, 2, 3])}),
        (V, r"axis -1 of k should be d = 2, but is 1.*q \(\.\.\., n_q, d\)", {"k": K[:, 0, :, :1]}),
        (T, "^causal must be .*; got 2", {"causal": 2}),
        # before the mask is looked at
        (V, r"q must have shape .*; got \(2,\)", {"q": Q[0, 0, 0], "where": np.ones(7, bool)}),
        (V, r"k must have shape .*; got \(2,\)", {"k": K[0, 0, 0], "where": np.ones(7, bool)}),
        (V, r"v must have shape .*; got \(11,\)", {"v": VALUES[0, 0, 0], "where": np.ones(7, bool)}),
        *((T, f"^{name} {LIST}", {name: [[1.0]], "where": np.ones(7, bool)}) for name in "qkv"),
    ],
    **{f: [(T, "unexpected keyword argument 'prior'", {"prior": np.ones(2)})] for f in DENSE},
}
OF_ATTENTION = [  # on every path, and with the lse where it takes the argument
    (V, "beta must not be NaN", {"beta": nan}),
    (V, "beta must not be NaN", {"beta": np.array([[nan]])}),
    (V, r"axis -1 of beta should be 1, but is 7: .*beta \(\.\.\., n_q, 1\)", {"beta": np.ones(7)}),
    (V, r"axis -1 of beta should be 1, but is 2: ", {"beta": np.ones(2)}),
    (T, "where must be boolean, True = takes part; got dtype .*float64", {"where": np.ones(7)}),
    (V, "axis -2 of where should be n_q = 5, but is 4: q ", {"where": np.ones((4, 7), dtype=bool)}),
    (V, "leading axes do not .*where .* .2, 2, 5, 7", {"where": np.ones((2, 2, 5, 7), dtype=bool)}),
    (T, f"where {LIST}", {"where": [True] * 7}),
    (T, "^causal must be .*; got 'no'", {"causal": "no"}),
    (T, "^causal must be .*; got 2", {"causal": 2}),
    (T, "^return_weights must be .*; got 1", {"return_weights": 1}),
    (V, "window must be at least 1.*got 0", {"window": 0}),
    (T, r"window must be an integer, at least 1; got 2\.0", {"window": 2.0}),
    (T, "^window must be .*; got True", {"window": True}),
    (T, "lengths must be a NumPy array or a torch tensor; got int", {"lengths": 3}),
    (V, r"lengths must have shape \(batch,\).*shape \(\), .*\(2, 3\)", {"lengths": np.array(3)}),
    (V, r"lengths must have shape \(batch,\).*\(3,\)", {"lengths": np.array([3, 4, 5])}),
    (V, r"lengths must have shape \(batch,\).*\(2, 1\)", {"lengths": np.array([[3], [4]])}),
    (T, "lengths must hold integers; got dtype .*float64", {"lengths": np.array([3.0, 4.0])}),
    (V, r"offset must have shape \(batch,\).*\(3,\)", {"offset": np.array([1, 2, 3])}),
    (T, "offset must hold integers; got dtype .*float64", {"offset": np.array([1.0, 2.0])}),
    (T, "offset must be a NumPy array or a torch tensor; got float", {"offset": 1.5}),
    *((T, "^offset must be .*; got bool", {"offset": x}) for x in (True, False)),
    (V, rf"^causal {NO_OFFSET}", {"causal": True, "lengths": np.array([7, 3])}),
    (V, rf"^window {NO_OFFSET}", {"window": 2, "lengths": np.array([7, 3])}),
    (V, "^prior and log_prior .* not both$", {"prior": np.ones(7), "log_prior": np.zeros(7)}),
    (V, "axis -1 of prior should be n_k = 7, but is 6: .*prior ", {"prior": np.ones(6)}),
    (V, r"prior must be finite and not negative; got -1\.0", {"prior": -np.ones(7)}),
    (V, "prior must be finite and not negative; got nan", {"prior": np.full(7, nan)}),
    (V, "prior must be positive somewhere in every row", {"prior": np.zeros(7)}),
    (V, "prior must be positive somewhere in every", {"prior": np.arange(5.0)[:, None]}),
    (V, r"^log_prior must be less .* \(a prior of 0\)$", {"log_prior": np.full(7, nan)}),
    (V, "log_prior must be less than inf and not NaN", {"log_prior": np.full(7, inf)}),
    (V, "^log_prior must be above .*; got -inf everywhere in one$", {"log_prior": np.full(7, -inf)}),
    (V, "^log_prior must be above −inf", {"log_prior": np.where(np.arange(5) == 2, -inf, 0.0)[:, None]}),
    (V, "^log_prior must be above", {"k": K[..., :1, :], "v": VALUES[..., :1, :], "log_prior": np.full(1, -inf)}),
    (V, "weights must be callable or one of 'softmax'.*got 'softmix'", {"weights": "softmix"}),
    (T, "weights must be a name or a callable f.scores, beta=..., where=.*got 3", {"weights": 3}),
    (V, "prior does not go with .*'softmax'", {"weights": lambda *a, **k: 0, "prior": np.ones(7)}),
    (V, "prior does not .*'sparsemax', 'en", {"weights": lambda *a, **k: 0, "log_prior": np.ones(7)}),
    (V, "prior does not .* with .*'relu_norm'", {"weights": "relu_norm", "prior": np.ones(7)}),
    (V, "prior does not .* with .*'softmax_plus_one'", {"weights": "softmax_plus_one", "prior": np.ones(7)}),
    (V, "prior does not .* with .*'sigmoid_", {"weights": "sigmoid_weights", "log_prior": np.ones(7)}),
    (V, "prior does not go with weights='relu_norm'", {"weights": lib.relu_norm, "prior": np.ones(7)}),
    (V, "alpha does not go with weights='softmax'; maps that take it: 'entmax'", {"alpha": 1.5}),
    (V, "alpha does not go with weights='sparsemax'", {"alpha": 1.5, "weights": "sparsemax"}),
    *((V, f"{ALPHA}(0.5|nan)", {"alpha": a, "weights": "entmax"}) for a in (0.5, np.array([[0.5]]), nan)),
    (T, "alpha must be .* got list", {"alpha": [1.5], "weights": "entmax"}),
    (V, r"axis -1 of alpha should be 1.*alpha \(\.\.\., n_q, 1\) has", {"alpha": ROWS[0], "weights": "entmax"}),
    (V, r"leading axes do.*alpha .* \(4, 1, 1\)", {"alpha": np.full((4, 1, 1), 1.5), "weights": "entmax"}),
    (V, "sink does not go with weights='softmax'; maps that take it: 'softmax_plus_one'", {"sink": 0.0}),
    *((V, f"{SINK}$", {"sink": s, "weights": "softmax_plus_one"}) for s in (nan, np.array([[nan]]))),
    (T, "sink must be .* got list", {"sink": [1.5], "weights": "softmax_plus_one"}),
    (V, r"axis -1 of sink should be 1", {"sink": ROWS[0], "weights": "softmax_plus_one"}),
    (V, r"dropout must lie in \[0, 1\); got 1\.0", {"dropout": 1.0}),
    (V, r"dropout must lie in \[0, 1\); got -0\.1", {"dropout": -0.1}),
    (V, r"dropout must lie in \[0, 1\); got nan", {"dropout": nan}),
    (T, r"^dropout must be a number in \[0, 1\); got str$", {"dropout": "a"}),
    (T, "generator must be a .*Generator .* got int", {"generator": 3, "dropout": 0.5}),
    (V, "path must be one of 'auto', 'fused', 'blocks', 'readable'; got 'fast'", {"path": "fast"}),
    # shapes, printed with their letters
    (V, r"axis -1 of k should be d = 1, but is 2: q \(\.\.\., n_q, d\) has shape \(2, 3,", {"q": Q[..., :1]}),
    (V, r"axis -2 of v should be n_k = 6, but is 7: .*v \(\.\.\., n_k, d_v\) has shape", {"k": K[:, :, 1:]}),
    (V, "axis -2 of v should be n_k = 7, but is 1: ", {"v": VALUES[:, :, :1]}),  # of one value no 7 are made
    (V, "axis -1 of k should be d = 2, but is 1: ", {"k": K[..., :1]}),
    (V, r"leading axes do not broadcast.*k \(\.\.\., n_k, d\) has shape \(2, 2, 7, 2\)", {"k": K[:, :2]}),
    (V, "leading axes do not broadcast", {"q": Q[:, :2]}),
    (V, "leading axes do not broadcast", {"q": Q[0], "k": K[0, :2], "v": VALUES[0]}),
    # three axes have no heads to share
    (V, "leading axes do not broadcast", {"q": np.repeat(Q[0], 2, 0), "k": K[0], "v": VALUES[0]}),
    (V, r"q must have shape \(\.\.\., n_q, d\); got \(2,\)", {"q": Q[0, 0, 0]}),
    (V, r"v must have shape \(\.\.\., n_k, d_v\); got \(11,\)", {"v": VALUES[0, 0, 0]}),
]


def taken(function, arguments):
    return arguments.keys() <= inspect.signature(function).parameters.keys()


TABLE = [
    *((f, *row) for f, fits in FITS.items() if "scores" in fits for row in OF_MAPS if taken(f, row[2])),
    *((f, *row) for f in (lib.attention, lib.attention_with_lse) for row in OF_ATTENTION if taken(f, row[2])),
    *((f, *row) for f, rows in OF_ONE.items() for row in rows),
    (lib.softmax_plus_one, V, r"sink must have size 1 along axis -1.*shape \(2,\)", {"sink": np.ones(2)}),
    (lib.softmax_plus_one, T, "sink must be a number or an array; got None", {"sink": None}),
    (lib.softmax_plus_one, T, f"sink {LIST}", {"sink": [1.5]}),
    *((lib.softmax_plus_one, V, f"{SINK}$", {"sink": bad}) for bad in (nan, np.array([nan]))),
    (lib.sigmoid_weights, V, r"bias must have size n or 1 along axis -1.*shape \(3,\)", {"bias": np.ones(3)}),
]


def made(xp, x):
    if isinstance(x, list):
        return [made(xp, y) for y in x]
    return xp.asarray(x) if isinstance(x, np.ndarray) else x


def refuses(error, message, function, arguments):
    """Several paths say the same."""
    for path in PATHS if "path" in inspect.signature(function).parameters and "path" not in arguments else (None,):
        by = {} if path is None else {"path": path}
        with named(function.__name__, arguments, path), pytest.raises(error, match=message):
            function(**arguments, **by)


def test_what_does_not_fit_is_refused_by_name(xp):
    for function, error, message, wrong in TABLE:
        with named(wrong):
            arguments = {name: made(xp, x) for name, x in (FITS[function] | wrong).items()}
            refuses(error, message, function, arguments)


def test_beta_comes_second_in_maps_and_third_in_vjps_and_alpha_has_to_be_named(xp):
    scores, weights = xp.asarray(SCORES), xp.asarray(ROWS / 5)
    vjps = (lib.softmax_vjp, lib.sparsemax_vjp, lib.entmax_vjp)
    positions = [(f, (scores,)) for f in (*FUNCTIONS, lib.log_softmax, lib.log_partition)]
    for f, arrays in positions + [(f, (weights, weights)) for f in vjps]:
        got, want = f(*arrays, 1.3), f(*arrays, beta=1.3)
        np.testing.assert_array_equal(xp.to_numpy(got), xp.to_numpy(want))
    for call in (lambda: lib.entmax(scores, 1.3, 1.5), lambda: lib.entmax_vjp(weights, weights, 1.3, 1.5)):
        with pytest.raises(TypeError, match="positional argument"):
            call()


# ---- what is refused of any argument of any function

CALLED = [call for name, call in CALLS.items() if name != "merge_attention"]  # which names outputs[0]
NEEDED = {"scores", "p", "q", "k", "v", "weights", "grad"}  # for which no number and no None will do
NO_ARRAYS = ([0.5, 0.5], 3.0, 3, None, "scores", np.ma.array([0.5, 0.5]))


def test_what_is_no_array_is_named_with_what_to_pass_instead():
    for call in CALLED:
        for name in call.floats.keys() & NEEDED:
            for bad in NO_ARRAYS:
                advice = rf"got (\S+\.)?{type(bad).__name__}: pass (np\.asarray|{name}\.data)"
                message = f"^{name} must be a NumPy array or a torch tensor; {advice}"
                refuses(T, message, call.function, call.arguments | {name: bad})


def test_of_rows_what_does_not_fit_the_first_array_is_refused_with_the_shapes():
    sizes = {"q": "n", "grad": "n", "scores": "n", "beta": "1", "alpha": "1", "sink": "1"}
    for call in calls().values():
        first, *others = call.floats
        flat = rf"^{first} must have shape \(\.\.\., n\); got a 0-d array: pass {first}\[None\]"
        refuses(V, flat, call.function, call.arguments | {first: np.array(0.5)})
        there = rf"^axis must lie from -2 to 1 for {first} \(5, 7\); got "
        one = "^axis must be one integer; got "
        for axis, error, message in ((2, V, there), (-3, V, there), ((0, 1), T, one), (True, T, one)):
            if call.takes("axis"):
                refuses(error, f"{message}{re.escape(str(axis))}$", call.function, call.arguments | {"axis": axis})
        for name in {*others} - {"epsilon", *(("scores",) if call.function is lib.objective else ())}:
            what = rf"^{name} must have size {sizes.get(name, 'n or 1')} along axis -1 of \w+ \(\.\.\., n\): "
            size = call.floats[name].shape[-1]
            two, rows = np.ones(2), np.ones((4, size))
            refuses(V, rf"{what}.*\(5, 7\).*{name} has shape \(2,\)", call.function, call.arguments | {name: two})
            message = rf"^these do not broadcast.*\(5, 7\).*{name} has shape \(4, {size}\)"
            refuses(V, message, call.function, call.arguments | {name: rows})


def test_the_argument_of_complex_numbers_of_another_kind_or_on_another_device_is_named():
    for call in CALLED:
        for name, x in call.floats.items():
            message = f"^{name} must be real numbers; got dtype complex128"
            refuses(T, message, call.function, call.arguments | {name: x + 0j})
        for name in [*call.floats][1:]:
            strict = array_api_strict.asarray(call.floats[name])
            message = rf"two kinds: \w+ is a NumPy array, {name} is array_api_strict"
            refuses(T, message, call.function, call.arguments | {name: strict})
            if ALONE:
                continue
            tensors = {key: made(torch, x) for key, x in call.arguments.items()}
            message = rf"two kinds: \w+ is a NumPy array, {name} is a torch tensor"
            refuses(T, message, call.function, call.arguments | {name: tensors[name]})
            message = rf"two devices: \w+ is on cpu, {name} is on meta"
            refuses(T, message, call.function, tensors | {name: tensors[name].to("meta")})


@with_torch
def test_generators_sets_and_models_of_another_kind_are_named():
    q, k, v = (torch.tensor(x) for x in (Q, K, VALUES))
    of_numpy, of_torch = ({"generator": g, "dropout": 0.5} for g in (np.random.default_rng(0), torch.Generator()))
    lengths = {"lengths": np.ones(2, int)}
    for message, call in (
        (r"generator must be a torch\.Generator where q is", lambda: lib.attention(q, k, v, **of_numpy)),
        (r"generator must be a numpy\.random\.Generator where q", lambda: lib.attention(Q, K, VALUES, **of_torch)),
        (r"two kinds: outputs\[0\] is .*, lses\[0\] is ", lambda: lib.merge_attention([OUT], [torch.tensor(LSE)])),
        ("kinds: offset is a NumPy array, like is", lambda: lib.causal_mask(3, offset=np.array([1]), like=q)),
        ("kinds: q is a torch tensor, lengths is a NumPy array", lambda: lib.attention(q, k, v, **lengths)),
    ):
        with named(message), pytest.raises(T, match=message):
            call()


PADDED = "torch.nested.to_padded_tensor({}, 0.0), and which"
NO_BLOCKS = {  # tensors whose numbers do not lie in one block: {kind: (how one is made, what is advised)}
    "nested": (lambda x: torch.nested.nested_tensor([x, x]), PADDED),
    "jagged": (lambda x: torch.nested.nested_tensor([x, x], layout=torch.jagged), PADDED),
    "sparse": (lambda x: x.to_sparse(), "{}.to_dense()"),
    "sparse in rows": (lambda x: x.to_sparse_csr(), "{}.to_dense()"),
    "quantised": (lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint8), "{}.dequantize()"),
    "masked": (lambda x: torch.masked.masked_tensor(x, x > 0), "{0}.get_data(), where={0}.get_mask()"),
}


def is_refused_everywhere(bad, xp, what, advice):
    for call in CALLED:
        arguments = {name: made(xp, x) for name, x in call.arguments.items()}
        for name in call.floats:
            message = f"^{name} must be a {what}; got .*: pass {re.escape(advice.format(name))}"
            refuses(T, message, call.function, arguments | {name: bad})


@with_torch
@pytest.mark.parametrize("kind", NO_BLOCKS)
def test_a_tensor_that_is_no_block_of_numbers_is_named_with_what_to_pass(kind):
    make, advice = NO_BLOCKS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that it may change such kinds
        bad = make(torch.eye(3))
    is_refused_everywhere(bad, torch, "dense tensor", advice)


@pytest.mark.parametrize(("module", "make"), [("dask.array", "from_array"), ("scipy.sparse", "coo_array")])
def test_arrays_of_dask_and_sparse_ones_are_named_with_what_to_pass(module, make):
    bad = getattr(pytest.importorskip(module), make)(np.eye(3))
    advice = "{}.compute()" if module == "dask.array" else "{}.toarray()"
    is_refused_everywhere(bad, np, "NumPy array or a torch tensor", advice)


def test_the_advice_is_what_to_do():
    """A masked array keeps its mask, and an array is of the library of the other arguments."""
    scores = np.ma.masked_greater(np.array([1.0, 2.0, 3.0]), 2.0)
    with pytest.raises(T, match=r"got numpy\.ma.*MaskedArray: pass scores\.data, where=~scores\.mask"):
        lib.softmax(scores)
    kept = lib.softmax(scores.data, where=~scores.mask)
    np.testing.assert_array_equal(kept, [*lib.softmax(np.array([1.0, 2.0])), 0])
    with pytest.raises(T, match=r"pass np\.asarray\(\.\.\.\)"):
        lib.softmax([1.0])
    x = torch.ones(2, 3, 4)
    for name, call in (
        ("lengths", lambda: lib.attention(x, x, x, lengths=[1, 2])),
        ("lengths", lambda: lib.attention(x, x, x, lengths=3)),
        ("where", lambda: lib.attention(x, x, x, where=[True])),
        ("beta", lambda: lib.softmax(x, [1.0])),
        ("offset", lambda: lib.causal_mask(2, offset=[1, 2], like=x)),
        ("q", lambda: lib.linear_attention(x.tolist(), x, x)),
    ):
        with pytest.raises(T, match=rf"{name} must be .*: pass torch\.tensor\(\.\.\.\)"):
            call()
