"""The maps from scores to weights that `attention` knows by name, and how each is asked for its weights."""

from collections.abc import Callable
from typing import NamedTuple

from ._arrays import cast, is_number
from ._checks import LOWEST_PRIOR, in_one_dtype, prepare
from .alternatives import (
    relu_norm,
    relu_norm_of,
    sigmoid_weights,
    sigmoid_weights_of,
    softmax_plus_one,
    softmax_plus_one_of,
)
from .entmax import entmax, entmax_of, is_one, sparsemax
from .softmax import log_softmax_of, softmax, softmax_of


class ScoreMap(NamedTuple):
    function: Callable
    of_checked: Callable  # the same of `MapArguments`
    options: tuple = ()  # that it takes besides scores, beta, where and axis


SCORE_MAPS = {
    "softmax": ScoreMap(softmax, softmax_of, ("prior",)),
    "sparsemax": ScoreMap(sparsemax, entmax_of, ("prior",)),
    "entmax": ScoreMap(entmax, entmax_of, ("prior", "alpha")),
    "relu_norm": ScoreMap(relu_norm, relu_norm_of),
    "sigmoid_weights": ScoreMap(sigmoid_weights, sigmoid_weights_of),
    "softmax_plus_one": ScoreMap(softmax_plus_one, softmax_plus_one_of),
}


def name_or_function(weights, **options):
    """The name of the map `weights`, or else the callable; `ValueError` if it does not take the options."""
    if isinstance(weights, str):
        if weights not in SCORE_MAPS:
            names = ", ".join(map(repr, SCORE_MAPS))
            raise ValueError(f"weights must be callable or one of {names}; got {weights!r}")
    elif callable(weights):
        weights = next((name for name, known in SCORE_MAPS.items() if known.function is weights), weights)
    else:
        raise TypeError(
            f"weights must be a name or a callable f(scores, beta=..., where=..., axis=-1); got {weights!r}"
        )
    taken = () if callable(weights) else SCORE_MAPS[weights].options
    for name, given in options.items():
        if given is not None and name not in taken:
            takers = ", ".join(repr(other) for other, known in SCORE_MAPS.items() if name in known.options)
            raise ValueError(f"{name} does not go with weights={weights!r}; maps that take it: {takers}")
    return weights


def to_weights(request, scores, where):
    """From scores to weights, by the map that was asked for: (..., n_q, n_k) -> (..., n_q, n_k)."""
    xp, beta, log_prior, working = request.xp, request.beta, request.log_prior, request.working
    if callable(request.weights):
        return cast(xp, request.weights(scores, beta=beta, where=where, axis=-1), working)
    score_map, prior = SCORE_MAPS[request.weights], request.prior
    alpha = request.alpha
    double = alpha is not None and not is_one(alpha)
    if log_prior is not None and request.weights != "softmax":
        prior = prior_of(xp, log_prior, where, request.path_of_maps)
    given = in_one_dtype(xp, scores, beta, prior, where, -1, working, working, double)
    given = given._replace(path=request.path_of_maps)
    if request.weights == "softmax" and log_prior is not None:
        # Its exponential may underflow, so it is added to the logarithms of the weights.
        return softmax_of(
            given._replace(scores=log_softmax_of(given) + log_prior, given_beta=1.0, working=working)
        )
    if double and not is_number(alpha):
        alpha = cast(xp, alpha, given.working)
    return score_map.of_checked(given._replace(alpha=alpha))


def prior_of(xp, log_prior, where, path):
    """The prior with this logarithm, which sums to 1 over the keys that a query sees: (..., n_q or 1, n_k).

    A query that sees none needs a prior too, although it makes no difference: a row of zeros would be refused.
    """
    sees_none = ~xp.any(where, axis=-1, keepdims=True)  # (..., n_q, n_k) -> (..., n_q, 1)
    given = prepare(cast(xp, log_prior, xp.float64), 1.0, where=where | sees_none)
    prior = softmax_of(given._replace(path=path))
    return xp.where(prior > LOWEST_PRIOR, prior, LOWEST_PRIOR)
