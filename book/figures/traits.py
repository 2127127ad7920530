"""Traits that take what people pass (arrays, tuples, infinity) and refuse the rest by name.

A trait that can stand in the address of a page says how in `address`: its kind, which js/address.js knows how
to write and to read, with what limits it.
"""

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from numbers import Real

from traitlets import TraitError, TraitType


class FigureError(TraitError, ValueError):
    """A value that a figure cannot show. The figure keeps the value it had."""


def _number(name: str, value, allowed: str) -> float:
    if math.prod(getattr(value, "shape", (0,))) == 1:
        value = value.item()  # a NumPy or torch scalar
    if isinstance(value, bool) or not isinstance(value, Real):
        raise FigureError(f"{name}: {value!r} is not a number; {allowed}")
    return float(value)


def _inverse_temperature(name: str, value) -> float:
    value = _number(name, value, "pass a number, math.inf or -math.inf")
    if math.isnan(value):
        raise FigureError(f"{name}: NaN is no inverse temperature; pass a number, math.inf or -math.inf")
    return value


def items_of(name: str, value, what: str) -> list:
    """The items of a list or an array of either library; what has none is refused as no `what`."""
    if isinstance(value, str) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise FigureError(f"{name}: {value!r} is not {what}")
    return list(value)


def proposed(figure, proposal, *names):
    """What these traits are if the proposal is taken."""
    name, value = proposal["trait"].name, proposal["value"]
    return [value if other == name else getattr(figure, other) for other in names]


def one_for_each_token(figure, proposal, *lists, indices=()):
    """What is proposed for `tokens`, for a list that goes with them (or None), or for an index, if it fits."""
    name, value = proposal["trait"].name, proposal["value"]
    words, *places = proposed(figure, proposal, "tokens", *indices)
    for other in lists if name == "tokens" else set(lists) & {name}:
        (entries,) = proposed(figure, proposal, other)
        if entries is not None and len(entries) != len(words):
            what = "scores" if other == "scores" else f"entries of {other}"
            raise FigureError(
                f"{name}: {len(words)} tokens and {len(entries)} {what}; to change all that goes together, "
                "set it inside `with figure.hold_trait_notifications():`"
            )
    for which, place in zip(indices, places, strict=True):
        if place >= len(words):
            raise FigureError(f"{which}: {place} is none of 0 to {len(words) - 1}")
    return value


def address_of(figure, names) -> dict:
    """How each of these traits is written in an address, but for those that never stand in one."""
    traits = figure.traits()
    addresses = {name: getattr(traits[name], "address", None) for name in names}
    return {name: address for name, address in addresses.items() if address}


def beta_to_json(value, widget=None):
    return str(value) if math.isinf(value) else value


def beta_from_json(value, widget=None):
    return float(value)


class Words(TraitType):
    """A list of str, at least one."""

    default_value = ("a", "b")

    def validate(self, obj, value):
        items = items_of(self.name, value, "a list of words")
        if not items or not all(isinstance(item, str) and item for item in items):
            raise FigureError(f"{self.name}: {items!r} is not a list of one word or more")
        return items


class Numbers(TraitType):
    """A list of finite floats, one for each token."""

    address = {"kind": "numbers", "per": "tokens"}  # noqa: RUF012

    def validate(self, obj, value):
        if value is None and self.allow_none:
            return None
        allowed = "pass a list of finite numbers"
        items = [_number(self.name, item, allowed) for item in items_of(self.name, value, "a list of numbers")]
        for item in items:
            if not math.isfinite(item):
                raise FigureError(f"{self.name}: {item} cannot be drawn; {allowed}")
        return items


class Shares(Numbers):
    """A list of finite floats, or None: all alike. The figure checks that none is negative and one is above 0."""

    default_value, allow_none = None, True
    address = {"kind": "shares", "per": "tokens"}  # noqa: RUF012


class Table(TraitType):
    """A list of lists of finite floats. The figure checks how many of each there are."""

    default_value = ((0.0, 0.0), (0.0, 0.0))

    def validate(self, obj, value):
        row = Numbers()
        row.name = self.name
        return [row.validate(obj, line) for line in items_of(self.name, value, "a table of numbers")]


class Number(TraitType):
    """A finite float."""

    address = {"kind": "number"}  # noqa: RUF012

    def validate(self, obj, value):
        value = _number(self.name, value, "pass a finite number")
        if not math.isfinite(value):
            raise FigureError(f"{self.name}: {value} has no place on a line; pass a finite number")
        return value


class Answer(Number):
    """A str or a finite float."""

    address = None

    def validate(self, obj, value):
        return value if isinstance(value, str) else super().validate(obj, value)


class Typed(TraitType):
    """What a reader has typed or chosen, a str; "" is nothing."""

    default_value = ""
    address = {"kind": "typed", "most": 200}  # noqa: RUF012

    def validate(self, obj, value):
        if not isinstance(value, str) or len(value) > self.address["most"]:
            raise FigureError(f"{self.name}: {value!r} is no text of at most {self.address['most']} characters")
        return value


class Name(TraitType):
    """The id of a figure in its page, which links begin with."""

    def validate(self, obj, value):
        if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z][\w-]*", value, re.ASCII):
            raise FigureError(f"{self.name}: {value!r} must be letters, digits, - and _, beginning with a letter")
        return value


class Flags(TraitType):
    """A list of bool, one for each token, True = takes part, or None: all do."""

    default_value, allow_none = None, True
    address = {"kind": "flags", "per": "tokens"}  # noqa: RUF012

    def validate(self, obj, value):
        if value is None:
            return None
        items = items_of(self.name, value, "a list of True and False")
        items = [item.item() if hasattr(item, "item") else item for item in items]
        if not all(isinstance(item, bool) for item in items):
            raise FigureError(f"{self.name}: {items!r} is not a list of True (takes part) and False")
        return items


class Beta(TraitType):
    """A float that may be ±∞; in JSON, which has no infinity, that is the word "inf" or "-inf"."""

    default_value = 1.0
    address = {"kind": "number", "infinite": True}  # noqa: RUF012

    def __init__(self, **options):
        super().__init__(**options)
        self.tag(to_json=beta_to_json, from_json=beta_from_json)

    def validate(self, obj, value):
        return _inverse_temperature(self.name, value)


class OneOf(TraitType):
    """One of a few words; the first is the default."""

    def __init__(self, *words):
        self.words = words
        self.address = {"kind": "word", "of": words}
        super().__init__(default_value=words[0])

    def validate(self, obj, value):
        if value not in self.words:
            raise FigureError(f"{self.name}: {value!r} is none of {', '.join(map(repr, self.words))}")
        return value


class SomeOf(TraitType):
    """A list of some of a few words, each once, kept in the order of `words`; the default is all of them."""

    least = 1

    def __init__(self, *words):
        self.words = words
        super().__init__(default_value=list(words))

    def validate(self, obj, value):
        items = items_of(self.name, value, "a list of words")
        if len(items) < self.least or len(set(items)) < len(items) or not set(items) <= set(self.words):
            known = ", ".join(map(repr, self.words))
            raise FigureError(f"{self.name}: {items!r} is not a list of some of {known}")
        return [word for word in self.words if word in items]


class AnyOf(SomeOf):
    """The same, but there may be none of them, as by default."""

    least = 0

    def __init__(self, *words):
        super().__init__(*words)
        self.default_value = []
        self.address = {"kind": "some", "of": words}


class FromOn(Beta):
    """A float of at least `low` that may be ∞."""

    def __init__(self, low, default):
        self.low = low
        self.address = {**Beta.address, "low": low}
        super().__init__(default_value=default)

    def validate(self, obj, value):
        allowed = f"pass a number of at least {Fraction(self.low)}, or math.inf"  # 1/16, not 0.0625
        value = _number(self.name, value, allowed)
        if not value >= self.low:
            raise FigureError(f"{self.name}: {value:g} cannot be shown; {allowed}")
        return value


class Within(TraitType):
    """A number from `low` to `high`; `whole` admits only integers."""

    def __init__(self, low, high, default, whole=False):
        self.low, self.high, self.whole = low, high, whole
        self.address = {"kind": "count" if whole else "number"}
        super().__init__(default_value=default)

    def validate(self, obj, value):
        allowed = f"pass {'a whole' if self.whole else 'a'} number from {self.low} to {self.high}"
        value = _number(self.name, value, allowed)
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            raise FigureError(f"{self.name}: {value:g} cannot be shown; {allowed}")
        return int(value) if self.whole else value
