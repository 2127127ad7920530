"""Puts NaN in the place of what a function of `lib` returns, wherever a check may call it."""

import inspect
import sys
from contextlib import contextmanager
from functools import wraps
from types import CodeType, FunctionType, ModuleType

import numpy as np
import torch

import lib

PUBLIC = {getattr(lib, name): name for name in lib.__all__}


def of_the_book(name):
    """Whether a module is one of the book's or of its figures, but none of its models."""
    return name.startswith("book") and not name.startswith("book.models")


def nothing(x):
    """NaN in the shape of x; in torch with its gradients."""
    if isinstance(x, tuple):
        return tuple(map(nothing, x))
    if isinstance(x, torch.Tensor):
        return (x if x.is_floating_point() else x.float()) * torch.nan
    return np.full(np.shape(x), np.nan)[()]


def tracked(x):
    """Whether gradients flow through x, so that it must be computed for each call."""
    return any(map(tracked, x)) if isinstance(x, tuple) else isinstance(x, torch.Tensor) and x.requires_grad


def form(x):
    """What of an argument the shape of a result may depend on."""
    if isinstance(x, (tuple, list, dict)):
        return type(x), *map(form, x.items() if isinstance(x, dict) else x)
    return (type(x), x.dtype, tuple(x.shape)) if isinstance(x, (np.ndarray, torch.Tensor)) else repr(x)


def plain(value):
    """The function inside a cached one, or itself."""
    return getattr(value, "__wrapped__", value)


def names(code):
    """All names that code looks up, also in the functions that it defines."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names(constant)


def inside(value, used):
    """A value, or those of a table of functions, or those of a module that are used."""
    if isinstance(value, ModuleType) and value.__name__.startswith(("lib", "book")):
        return [getattr(value, name, None) for name in used]
    return list(value.values()) if isinstance(value, dict) else [value]


def called(function, found=None):
    """The functions of `lib` that a function may call: public ones, and those of the book and the figures."""
    found = {} if found is None else found
    used = [*names(function.__code__)]
    values = [function.__globals__.get(name) for name in used]
    values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for value in (each for entry in values for each in inside(entry, used)):
        if not callable(value) or value in found:
            continue
        if value in PUBLIC:
            found[value] = PUBLIC[value]
        elif isinstance(plain(value), FunctionType) and of_the_book(value.__module__):
            found[value] = ""
            called(plain(value), found)
    return found


def modules():
    """The modules in which the names of functions may stand: of the book and of the figures."""
    return [module for name, module in sys.modules.items() if of_the_book(name)]


def places(function):
    """Where a function stands, each as a table and a key, or as a function that has it as a default."""
    for module in modules():
        for name, value in [*vars(module).items()]:
            if value is function:
                yield vars(module), name
            if isinstance(value, dict) and name != "CLAIMS":
                yield from ((value, key) for key, each in value.items() if each is function)


def forget():
    """Empty all caches: what was computed before would hide what is called."""
    for module in modules():
        for value in [*vars(module).values()]:
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@contextmanager
def poisoned(function):
    """Within this, `function` returns NaN in the shape of what it would return. Gives a list of its calls.

    That shape is found once for all arguments of one form.
    """
    made, calls = {}, []

    @wraps(function)
    def poison(*args, **options):
        calls.append(args)
        key = form((args, options))
        if key not in made or tracked(made[key]):
            made[key] = function(*args, **options)
        return nothing(made[key])

    found = [*places(function)]
    for table, key in found:
        table[key] = poison
    forget()
    try:
        yield poison, calls
    finally:
        for table, key in found:
            table[key] = function
        forget()


def given(measure, function, poison):
    """The arguments with which a measurement that has the function as a default takes the poison instead."""
    defaults = inspect.signature(measure).parameters.items()
    return {name: poison for name, parameter in defaults if parameter.default is function}
