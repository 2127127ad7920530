"""What a row of weights looks like, in one number."""

from lib.arrays import float_dtype, namespace, negative_axis, quiet, working_dtype
from lib.simplex import entropy


@quiet
def effective_count(p, axis=-1):
    xp = namespace(p=p)
    axis = negative_axis(p, axis, "p")
    dtype = float_dtype(xp, p, "p")
    p = xp.astype(p, working_dtype(xp, dtype), copy=False)
    count = xp.where(xp.any(p != 0, axis=axis), xp.exp(entropy(p, axis=axis)), 0.0)
    return xp.astype(count, dtype, copy=False)[()]
