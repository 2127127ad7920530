"""Shapes of the arguments of `attention`: whether they fit, and the leading axes that they broadcast to."""

from ._arrays import as_int, is_integer, is_number
from .masks import FAR, integers

# The last two axes of each argument, in the letters of the docstring.
LETTERS = {
    "q": ("n_q", "d"),
    "k": ("n_k", "d"),
    "v": ("n_k", "d_v"),
    "beta": ("n_q", "1"),
    "alpha": ("n_q", "1"),
    "where": ("n_q", "n_k"),
    "prior": ("n_q", "n_k"),
    "log_prior": ("n_q", "n_k"),
}


def with_two_axes(xp, x):
    """An array with two axes at least; None and numbers as they are."""
    if x is None or is_number(x) or x.ndim >= 2:
        return x
    return xp.reshape(x, (1,) * (2 - x.ndim) + tuple(x.shape))


def leading_axes(arrays):
    """The leading axes that all arguments broadcast to; `ValueError` if a shape does not fit."""
    sizes, leads = {"1": 1}, []
    for name, x in arrays.items():
        shape = tuple(x.shape)
        if len(shape) < 2:
            if name in "qkv":
                raise ValueError(f"{name} must have shape (..., {', '.join(LETTERS[name])}); got {shape}")
            shape = (1,) * (2 - len(shape)) + shape
        for axis, letter in enumerate(LETTERS[name], -2):
            n = shape[axis]
            if n != sizes.setdefault(letter, n) and (name in "qkv" or n != 1):
                wanted = letter if letter == "1" else f"{letter} = {sizes[letter]}"
                raise ValueError(f"axis {axis} of {name} should be {wanted}, but is {n}: {spelt(arrays)}")
        group = group_size(arrays["q"], x) if name in "kv" else 1
        leads.append(shape[:-2] if group == 1 else (*shape[:-3], shape[-3] * group))
    return broadcast(leads, arrays)


def group_size(q, x):
    """How many heads of `q` share one head of `x`, its keys or values (axis −3, from four axes on)."""
    if q.ndim < 4 or x.ndim < 3:
        return 1
    heads, shared = q.shape[-3], x.shape[-3]
    return heads // shared if shared > 1 and heads % shared == 0 else 1


def broadcast(leads, arrays):
    found = broadcast_shapes(leads)
    if found is None:
        raise ValueError(
            f"leading axes do not broadcast together (only k and v may have fewer heads than q, "
            f"axis -3 of four or more, and by a whole factor): {spelt(arrays)}"
        )
    return found


def broadcast_shapes(shapes):
    """The shape to which these broadcast, or None.

    While torch compiles for any size, a size is a symbol. NumPy's function of this name would make a number of it,
    and the program one for this size alone; nor can a symbol be put into a set.
    """
    first, *others = shapes
    for shape in others:
        longer, shorter = (first, shape) if len(first) >= len(shape) else (shape, first)
        sizes = list(longer)
        for axis in range(-len(shorter), 0):
            if sizes[axis] == 1:
                sizes[axis] = shorter[axis]
            elif shorter[axis] != 1 and shorter[axis] != sizes[axis]:
                return None
        first = tuple(sizes)
    return tuple(first)


def spelt(arrays):
    """The shapes with their letters, for an error message."""
    letters = {name: ", ".join(LETTERS[name]) for name in arrays}
    return "; ".join(f"{name} (..., {letters[name]}) has shape {tuple(x.shape)}" for name, x in arrays.items())


def for_each_item(xp, name, x, lead):
    """An argument (batch,) as (batch, 1, ...), with as many axes as `lead`, copied; or an integer, or None."""
    if x is None:
        return x
    if is_integer(x):
        return max(-FAR, min(as_int(x), FAR))
    if not lead or tuple(x.shape) != lead[:1]:
        raise ValueError(
            f"{name} must have shape (batch,), batch being the first axis of the scores (batch, ..., n_q, n_k): "
            f"{name} has shape {tuple(x.shape)}, the leading axes are {lead}"
        )
    return xp.reshape(integers(xp, name, x), (-1,) + (1,) * (len(lead) - 1))
