"""Results kept in a file, a bar while they come, and the table in the end."""

import json
import os
import sys
import time


class Results:
    """What has been measured on this machine with this source; anything else in the file is dropped.

    `whole` is the file of the last run that was whole: this run goes on from it, and takes its place at `finish`.
    """

    def __init__(self, path, facts, whole=None):
        self.path, self.facts, self.whole = path, facts, whole
        found = [json.loads(file.read_text()) for file in (path, whole) if file and file.exists()]
        kept = next((one for one in found if one.get("facts") == facts), {})
        self.others = bool(found) and not kept
        self.rows, self.scaling = kept.get("rows", {}), kept.get("scaling", {})

    def forget(self, names, points=()):
        """Drop the rows of these names and these points of curves, so that they are measured again."""
        for name in names:
            self.rows.pop(name, None)
        for point in points:
            if point.curve in self.scaling:
                curve = self.scaling[point.curve]
                curve["points"] = [found for found in curve["points"] if found["n"] != point.n]
                curve["powers"] = {"ms": None, "mb": None}  # until they are fitted anew

    def add(self, case, row):
        self.rows[case.name] = {"peer": case.peer, "target": case.target, "limit_mb": case.limit_mb} | row
        self.save()

    def save(self):
        part = self.path.with_suffix(".part")
        kept = {"facts": self.facts, "rows": self.rows, "scaling": self.scaling}
        part.write_text(json.dumps(kept, indent=1) + "\n")
        os.replace(part, self.path)  # so that an interruption leaves a whole file

    def finish(self):
        if self.path.exists():  # something was measured
            os.replace(self.path, self.whole)


class Bar:
    """How far it is, and about how long it will take from here."""

    def __init__(self, total):
        self.total, self.done, self.start = total, 0, time.monotonic()

    def show(self, name):
        left = (time.monotonic() - self.start) / self.done * (self.total - self.done) if self.done else None
        bar = "█" * round(20 * self.done / max(1, self.total))
        soon = "" if left is None else f", about {left:.0f} s left"
        print(f"\r\x1b[K{bar:░<20} {self.done}/{self.total}{soon}: {name}", end="", file=sys.stderr, flush=True)
        self.done += 1

    def close(self):
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def verdict(value, limit):
    if value is None or limit is None:
        return ""
    return "reached" if value <= limit else "missed"


def as_ratio(x):
    return f"1/{1 / x:.1f}" if x < 0.5 else f"{x:.2f}"


def written(x, digits=0):
    return "–" if x is None else f"{x:.{digits}f}"


TIMES = ("ours ms", "peer ms", "copy ms")
HEAD = ("", *TIMES, "ratio", "quartiles", "target", "", "MB", "limit", "", "peer MB", "against")


def table(rows):
    """The rows as lines of text."""
    lines = [HEAD]
    for name, row in rows.items():
        times = [written(row.get(key), 2) for key in ("ours_ms", "peer_ms", "copy_ms")]
        spread = f"{as_ratio(row['ratio_low'])}–{as_ratio(row['ratio_high'])}"
        ratios = [as_ratio(row["ratio"]), spread, as_ratio(row["target"]), verdict(row["ratio"], row["target"])]
        ours, peer, limit = (row.get(key) for key in ("ours_mb", "peer_mb", "limit_mb"))
        memory = [written(ours), "" if limit is None else written(limit), verdict(ours, limit), written(peer)]
        lines.append((name, *times, *ratios, *memory, row["peer"]))
    return aligned(lines, last=str.ljust)


def curve_tables(curves):
    """Time and memory of each curve at each n, and the powers of n that fit: the tables that there is data for."""
    sizes = sorted({point["n"] for curve in curves.values() for point in curve["points"]})
    tables = []
    for key, title in (("ms", "time, ms, at n ="), ("mb", "memory, MB, at n =")):
        lines = [(title, *map(str, sizes), "power of n", "limit", "")]
        for name, curve in curves.items():
            at = {point["n"]: point[key] for point in curve["points"]}
            p, limit = curve["powers"][key], curve["limits"][key]
            wanted = ("" if limit is None else written(limit, 1), verdict(p, limit))
            lines.append((name, *(written(at.get(n), 1) for n in sizes), written(p, 2), *wanted))
        if not any(curve["limits"][key] for curve in curves.values()):
            lines = [line[:-2] for line in lines]
        if any(point[key] is not None for curve in curves.values() for point in curve["points"]):
            tables.append(aligned(lines))
    return tables


def aligned(lines, last=str.rjust):
    """Columns: the words of the first to the left, the numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    pads = (str.ljust, *[str.rjust] * (len(widths) - 2), last)
    padded = ("  ".join(pad(x, w) for x, w, pad in zip(line, widths, pads, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in padded)
