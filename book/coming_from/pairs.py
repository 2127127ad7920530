"""Two lines of code that do the same, or do not: run where they are shown, and compared."""

import math
import re
import warnings
from dataclasses import dataclass
from html import escape
from textwrap import shorten

import numpy as np

import lib
from book.claims_show import number


class PairFailed(AssertionError):  # noqa: N818 - it reads as what happened
    """Two lines were said to be alike or apart, and are not."""


def evaluate(line, names):
    """What a line of code gives, or the exception that it raises; warnings are not passed on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(line, names)
        except Exception as refusal:
            return refusal


def plain(result):
    """Numbers of either library as a NumPy array of float64."""
    return np.asarray(result.detach().double() if hasattr(result, "detach") else result, dtype=float)


def breaking(line):
    """A line of code as HTML that breaks in narrow columns where a reader would break it.

    >>> breaking("f(x.masked_fill(~keep, -inf))")
    'f(<wbr>x.<wbr>masked_<wbr>fill(<wbr>~keep, <span style="white-space: nowrap">-inf</span>))'
    """
    line = re.sub(r"(?<=\()(?=[^)])|(?<=[._])(?=[a-z])", "<wbr>", escape(line))
    return line.replace("-inf", '<span style="white-space: nowrap">-inf</span>')


def distance(one, other):
    """The largest difference; ∞ if one refuses, if the shapes differ, or if only one of two numbers is NaN."""
    if isinstance(one, Exception) or isinstance(other, Exception):
        return math.inf
    one, other = plain(one), plain(other)
    if one.shape != other.shape or (np.isnan(one) != np.isnan(other)).any():
        return math.inf
    same = (one == other) | np.isnan(one)  # ∞ − ∞ would be NaN
    return float(np.where(same, 0, abs(np.where(same, 0, one) - np.where(same, 0, other))).max(initial=0))


def written(result):
    """A result in a few digits; of an exception, its name and how its message begins."""
    if isinstance(result, Exception):
        return f"{type(result).__name__}: {shorten(str(result).splitlines()[0], 100, placeholder=' …')}"
    return np.array2string(plain(result), precision=3, suppress_small=True, max_line_width=60)


@dataclass(frozen=True)
class Pair:
    """Their line, ours, what came of both, and the largest difference."""

    theirs: str
    ours: str
    results: tuple
    apart: float
    alike: bool

    @property
    def verdict(self):
        if self.alike:
            return "alike, exactly" if self.apart == 0 else f"alike: largest difference {number(self.apart)}"
        if any(isinstance(result, Exception) for result in self.results):
            return "not alike: one of the two refuses"
        one, other = map(plain, self.results)
        if one.shape != other.shape:
            return "not alike: different shapes"
        if (np.isnan(one) != np.isnan(other)).any():
            return "not alike: NaN against numbers"
        return f"not alike: largest difference {number(self.apart)}"


class Pairs:
    """Some pairs as a table of two columns. Results are shown where they differ."""

    def __init__(self, heads, pairs):
        self.heads, self.pairs = heads, pairs

    def __repr__(self):
        told = []
        for pair in self.pairs:
            for head, line, result in zip(self.heads, (pair.theirs, pair.ours), pair.results, strict=True):
                told.append(f"{head}: {line}")
                told += [] if pair.alike else [f"    {row}" for row in written(result).splitlines()]
            told.append(f"  {pair.verdict}\n")
        return "\n".join(told).rstrip()

    def _repr_html_(self):
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.heads)
        return (
            f'<table class="ws-pairs"><thead><tr>{head}</tr></thead>{"".join(map(self._rows, self.pairs))}</table>'
        )

    def _rows(self, pair):
        cells = []
        for head, line, result in zip(self.heads, (pair.theirs, pair.ours), pair.results, strict=True):
            shown = "" if pair.alike else f"<pre>{escape(written(result))}</pre>"
            cells.append(f'<td data-head="{escape(head)}"><code>{breaking(line)}</code>{shown}</td>')
        verdict = f'<td colspan="2" class="ws-{"alike" if pair.alike else "apart"}">{escape(pair.verdict)}</td>'
        return f"<tbody><tr>{''.join(cells)}</tr><tr>{verdict}</tr></tbody>"


def pairs(theirs, names, *rows, within=1e-6):
    """Run pairs of lines, hold them to what is said of them, and set them side by side.

    Parameters
    ----------
    theirs : str
        Whose lines stand to the left; `lib`'s stand to the right.
    names : dict
        Where the names in the lines are looked up: ``globals()``. In our lines those of `lib` come first.
    *rows : (str, str, str)
        "alike" or "apart", their line, our line. What differs by at most `within` is alike.

    Returns
    -------
    Pairs
        A table, in the page and in Jupyter.

    Raises
    ------
    PairFailed
        If two lines are said to be alike and are not, or the other way round.

    Examples
    --------
    >>> pairs("they", {"x": 2}, ("alike", "x + x", "2 * x"), ("apart", "x + x", "x ** 3"))
    they: x + x
    lib: 2 * x
      alike, exactly
    <BLANKLINE>
    they: x + x
        4.
    lib: x ** 3
        8.
      not alike: largest difference 4
    """
    ours = {**names, **{name: getattr(lib, name) for name in lib.__all__}}
    made = []
    for word, left, right in rows:
        if word not in ("alike", "apart"):
            raise ValueError(f"a pair is alike or apart; got {word!r}")
        results = evaluate(left, names), evaluate(right, ours)
        apart = distance(*results)
        if (apart <= within) != (word == "alike"):
            raise PairFailed(f"{left} and {right} are not {word}: {written(results[0])} and {written(results[1])}")
        made.append(Pair(left, right, results, apart, word == "alike"))
    return Pairs((theirs, "lib"), made)
