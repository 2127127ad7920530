"""What is masked has no effect on any result or gradient, not even NaN; and to mask is to delete."""

import itertools
import math

import numpy as np
from attending import close as close_in
from attending import every_lane, random, who_sees_whom
from calls import CALLS, Call, named
from drawn import betas, pairs
from exactness import close
from hypothesis import given
from hypothesis import strategies as st
from maps import DENSE
from optional_torch import torch

from lib import (
    attention,
    entmax,
    linear_attention,
    log_partition,
    log_softmax,
    merge_attention,
    softmax,
    sparsemax,
)
from lib._request import checked

inf, nan = math.inf, math.nan


def calls_with_hidden_entries():
    """(name, call, which entries of its arrays are hidden by the masks); each row has a β of its own."""
    beta = np.array([[1.0], [-1.5], [0.0], [inf], [-inf]])
    for name, call in CALLS.items():
        if "where" in call.rest and "scores" in call.floats:
            hidden = dict.fromkeys({"scores", "prior"} & {*call.floats}, ~call.rest["where"])
            wide = {key: np.resize(x, (5, 7)) if key == "prior" else x for key, x in call.floats.items()}
            yield name, call._replace(floats=wide | ({"beta": beta} if call.takes("beta") else {})), hidden
        elif call.takes("offset") and "q" in call.floats:
            sees = [who_sees_whom(5, 7, causal=True, offset=o, length=n) for o, n in ((2, 5), (-1, 3))]
            sees = np.stack(sees)[:, None] & call.rest.get("where", True)
            yield name, call, {"q": ~sees.any(-1)[..., None], **dict.fromkeys("kv", ~sees.any(-2)[..., None])}
    q, k, v, sets, lse = random((2, 7, 2), (2, 5, 2), (2, 5, 11), (5, 2), (5,))
    keep = np.array([[True, True, False, True, False], [False] * 5])
    for causal in (False, True):  # the first two queries are before the first key
        call = Call(linear_attention, {"q": q, "k": k, "v": v}, {"where": keep, "causal": causal})
        blind = (causal & (np.arange(7) < 2)) | ~keep.any(-1)[:, None]
        yield f"linear_attention {causal=}", call, {"q": blind[..., None], **dict.fromkeys("kv", ~keep[..., None])}

    def merged(first, second, lse):
        return merge_attention([first, second], [lse, lse - inf])

    yield (
        "merge_attention",
        Call(merged, {"first": sets, "second": sets, "lse": lse}),
        {"second": np.ones((5, 1), bool)},
    )


HIDDEN = {name: row for name, *row in calls_with_hidden_entries()}
HIDING = (  # for two items of 5 queries and 7 keys
    {"where": np.array([[[[True] * 5 + [False] * 2]], [[[False] + [True] * 6]]])},
    {"lengths": np.array([5, 2])},
    {"causal": True, "lengths": np.array([5, 0]), "offset": 2},
    {"causal": True, "offset": np.array([0, -2]), "beta": np.full((3, 1, 1), 0.7)},
    {"window": 2, "offset": np.array([2, 5]), "beta": -1.0},
    {"prior": np.array([0.0, 1, 2, 3, 1, 1, 0])},
    {"log_prior": np.array([0.0, 1, -inf, 3, 1, 1, 0]), "causal": True, "offset": 0},
    {"log_prior": np.array([[0.0] * 6 + [-inf]] * 5)},
)


def by_every_path():
    """Attention as before, by each path and each kind of kernel, under one kind of mask after the other."""
    q, k, v = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    for options in HIDING:
        floats = {key: x for key, x in options.items() if isinstance(x, np.ndarray) and x.dtype.kind == "f"}
        mask = np.broadcast_to(checked(q, k, v, **options).mask(), (2, 3, 5, 7))
        hidden = {"q": ~mask.any(-1)[..., None], **dict.fromkeys("kv", ~mask.any(-2)[..., None])}
        for path, weights in itertools.product(("auto", "fused", "readable"), ("softmax", "entmax")):
            rest = {key: x for key, x in options.items() if key not in floats} | {"path": path, "weights": weights}
            if path != "fused" or weights == "softmax" or not floats:  # in which that kernel has no gradient
                call = Call(attention, {"q": q, "k": k, "v": v, **floats}, rest)
                yield f"{path} {weights} {options}", call, hidden


def with_gradients(xp, call, seed=3):
    """The results, and the gradients of a random combination of the finite ones in all arrays of floats."""
    leaves = {name: xp.asarray(x).requires_grad_() for name, x in call.floats.items()}
    results = call(xp.asarray, **leaves)
    total = 0.0
    for x in results:
        weigh = xp.asarray(np.random.default_rng(seed).normal(size=tuple(x.shape)), dtype=x.dtype)
        total = total + torch.where(torch.isfinite(x), x, 0).mul(weigh).sum()
    with torch.autograd.set_detect_anomaly(True):  # no NaN on the way back either
        grads = torch.autograd.grad(total, list(leaves.values()))
    return results, dict(zip(leaves, grads, strict=True))


def spoilt(call, hidden, by):
    """With `by` in all hidden entries; a prior is looked at, so there another one."""
    instead = {key: 5.0 if key == "prior" and not math.isfinite(by) else by for key in hidden}
    floats = {key: np.where(on, instead[key], call.floats[key]) for key, on in hidden.items()}
    return call._replace(floats=call.floats | floats)


def test_what_a_mask_hides_has_no_effect_on_results_and_gradients(xp_grad):
    for name, call, hidden in (*((name, *row) for name, row in HIDDEN.items()), *by_every_path()):
        call = spoilt(call, hidden, 0.5)
        results, grads = with_gradients(xp_grad, call)
        for by in (nan, inf, -inf, 1e4):
            with named(name, by):
                again, slopes = with_gradients(xp_grad, spoilt(call, hidden, by))
                assert all(torch.equal(a, b) for a, b in zip(again, results, strict=True))
                for key, slope in slopes.items():
                    assert torch.isfinite(slope).all()
                    assert torch.equal(slope, grads[key])
                    on = np.broadcast_to(hidden.get(key, False), slope.shape)
                    assert not slope[torch.tensor(on)].any()


def test_what_a_mask_hides_has_no_effect_in_any_library(xp):
    for name, (call, hidden) in HIDDEN.items():
        for by in (nan, inf, -inf):
            with named(name, by):
                for got, want in zip(spoilt(call, hidden, by)(xp.asarray), call(xp.asarray), strict=True):
                    np.testing.assert_array_equal(xp.to_numpy(got), xp.to_numpy(want))


# ---- masking is deleting


def curve(alpha):
    return lambda scores, beta, **options: entmax(scores, beta, alpha=alpha, **options)


ROWS = {f.__name__: f for f in (softmax, log_softmax, log_partition, sparsemax, *DENSE)}
ROWS |= {f"entmax at {alpha}": curve(alpha) for alpha in (1.0, 1.05, 1.2, 1.5, 1.8, 2.0, 2.5)}


@given(pairs, betas, st.data())
def test_in_every_map_masking_equals_deleting(pair, beta, data):
    """By `where`, a score of −inf or a prior of 0."""
    scores, prior = pair
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=scores.size, max_size=scores.size)))
    for name, f in ROWS.items():
        some = keep if name != "log_partition" else keep | (np.arange(keep.size) == 0)
        hidden, u = np.where(some, scores, nan), {} if f in DENSE else {"prior": prior}
        with named(name):
            masked = f(hidden, beta, where=some, **u)
            deleted = f(scores[some], beta, **{key: x[some] for key, x in u.items()})
            if name == "log_partition":
                close(masked, deleted)
                continue
            close(masked[some], deleted)
            assert (masked[~some] == (-inf if name == "log_softmax" else 0)).all()
            np.testing.assert_array_equal(f(np.where(some, scores, -inf), beta, **u), masked)
            if u and some.any():
                np.testing.assert_array_equal(f(hidden, beta, prior=np.where(some, prior, 0)), masked)


@every_lane
def test_in_attention_masking_keys_equals_deleting_them(lane):
    q, k, v, u = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (7,))
    keep = np.array([True, False, True, True, False, False, True])
    deleted = lane(q, k[:, :, keep], v[:, :, keep], log_prior=u[keep])
    close_in(lane, lane(q, k, v, where=keep, log_prior=u), deleted)
    close_in(lane, lane(q, k, v, prior=np.exp(u) * keep), deleted)
    close_in(lane, lane(q, k, v, log_prior=np.where(keep, u, -inf)), deleted)
