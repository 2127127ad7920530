"""The maps from scores to weights that `attention` knows by name, and how each is asked for its weights."""

from lib._arrays import cast
from lib._checks import LOWEST_PRIOR
from lib.alternatives import relu_norm, sigmoid_weights, softmax_plus_one
from lib.entmax import entmax, sparsemax
from lib.softmax import log_softmax, softmax

# Each map, and the options that it takes besides scores, beta, where and axis.
SCORE_MAPS = {
    "softmax": (softmax, ("prior",)),
    "sparsemax": (sparsemax, ("prior",)),
    "entmax": (entmax, ("prior", "alpha")),
    "relu_norm": (relu_norm, ()),
    "sigmoid_weights": (sigmoid_weights, ()),
    "softmax_plus_one": (softmax_plus_one, ()),
}


def name_or_function(weights, **options):
    """The name of the map `weights`, or else the callable; `ValueError` if it does not take the options."""
    if isinstance(weights, str):
        if weights not in SCORE_MAPS:
            names = ", ".join(map(repr, SCORE_MAPS))
            raise ValueError(f"weights must be callable or one of {names}; got {weights!r}")
    elif callable(weights):
        weights = next((name for name, (score_map, _) in SCORE_MAPS.items() if score_map is weights), weights)
    else:
        raise TypeError(
            f"weights must be a name or a callable f(scores, beta=..., where=..., axis=-1); got {weights!r}"
        )
    taken = () if callable(weights) else SCORE_MAPS[weights][1]
    for name, given in options.items():
        if given is not None and name not in taken:
            takers = ", ".join(repr(other) for other, (_, names) in SCORE_MAPS.items() if name in names)
            raise ValueError(f"{name} does not go with weights={weights!r}; maps that take it: {takers}")
    return weights


def to_weights(request, scores, where):
    """From scores to weights, by the map that was asked for: (..., n_q, n_k) -> (..., n_q, n_k)."""
    xp, beta, log_prior = request.xp, request.beta, request.log_prior
    if callable(request.weights):
        return cast(xp, request.weights(scores, beta=beta, where=where, axis=-1), request.working)
    if request.weights == "softmax" and log_prior is not None:
        # Its exponential may underflow, so it is added to the logarithms of the weights.
        return softmax(log_softmax(scores, beta, where=where) + log_prior, where=where)
    score_map, _ = SCORE_MAPS[request.weights]
    options = {} if request.alpha is None else {"alpha": request.alpha}
    if request.prior is not None:
        options["prior"] = request.prior
    if log_prior is not None:
        options["prior"] = prior_of(xp, log_prior, where)
    return score_map(scores, beta=beta, where=where, axis=-1, **options)


def prior_of(xp, log_prior, where):
    """The prior with this logarithm, which sums to 1 over the keys that a query sees: (..., n_q or 1, n_k).

    A query that sees none needs a prior too, although it makes no difference: a row of zeros would be refused.
    """
    sees_none = ~xp.any(where, axis=-1, keepdims=True)  # (..., n_q, n_k) -> (..., n_q, 1)
    prior = softmax(cast(xp, log_prior, xp.float64), where=where | sees_none)
    return xp.where(prior > LOWEST_PRIOR, prior, LOWEST_PRIOR)
