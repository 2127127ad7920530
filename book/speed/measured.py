"""What the last full run of the benchmark measured: `make bench` writes `results.json`.

What new memory costs stands in `fresh.json`, which says by what it was measured.
Nothing is timed while the book is built.
"""

import json
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("results.json")
FRESH = Path(__file__).with_name("fresh.json")
MB = 2**20 / 1e6  # the benchmark's unit of memory, in millions of bytes
HEADS, WIDTH = 4, 64  # of the curves


@cache
def results():
    return json.loads(FILE.read_text("utf-8"))


def machine():
    """The machine, in words."""
    facts = results()["facts"]
    return f"{facts['cores']} cores of an {facts['processor']}, {facts['system'].replace('_', '-')}"


def rows():
    """{work: what was measured}, for each row that has a peer and a target."""
    return results()["rows"]


def reached(row):
    """Whether time, and memory where it has a limit, are within what was wanted."""
    return row["ratio"] <= row["target"] and (row["limit_mb"] is None or row["ours_mb"] <= row["limit_mb"])


def missed():
    return [name for name, row in rows().items() if not reached(row)]


def curve(name):
    """{n: (milliseconds, millions of bytes)} for one way to attention, four heads of width 64."""
    return {p["n"]: (p["ms"], MB * p["mb"]) for p in results()["scaling"][name]["points"]}


@cache
def fresh():
    """{"new" or "kept": {curve: {n: ms and page faults of a call}}}, as arrays get new memory or keep theirs."""
    found = json.loads(FRESH.read_text("utf-8"))
    return {
        how: {name: {int(n): one for n, one in points.items()} for name, points in found[how].items()}
        for how in ("new", "kept")
    }
