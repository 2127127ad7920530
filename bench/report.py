"""Results kept in a file, a bar while they come, and the table in the end."""

import json
import sys
import time


class Results:
    """What has been measured; with a file, what is there of this machine and source, to go on from."""

    def __init__(self, facts, path=None):
        self.path, self.facts = path, facts
        there = json.loads(path.read_text()) if path and path.exists() else {}
        same = there if there.get("facts") == facts else {}
        self.rows, self.scaling = same.get("rows", {}), same.get("scaling", {})

    def add(self, case, row):
        self.rows[case.name] = {"peer": case.peer, "target": case.target, "limit_mb": case.limit_mb} | row
        self.save()

    def save(self):
        if self.path:
            part = self.path.with_suffix(".part")
            part.write_text(
                json.dumps({"facts": self.facts, "rows": self.rows, "scaling": self.scaling}, indent=1) + "\n"
            )
            part.replace(self.path)  # so that an interruption leaves a whole file


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


HEAD = ("", "ours ms", "peer ms", "copy ms", "ratio", "quartiles", "target", "", "last", "MB", "limit", "", "peer")


def table(rows, last):
    """The rows as lines of text, each with its ratio in the last full run."""
    lines = [HEAD]
    for name, row in rows.items():
        times = [written(row.get(key), 2) for key in ("ours_ms", "peer_ms", "copy_ms")]
        spread = f"{as_ratio(row['ratio_low'])}–{as_ratio(row['ratio_high'])}"
        ratios = [as_ratio(row["ratio"]), spread, as_ratio(row["target"]), verdict(row["ratio"], row["target"])]
        before = as_ratio(last[name]["ratio"]) if name in last else "–"
        ours, limit = row.get("ours_mb"), row.get("limit_mb")
        memory = [written(ours), "" if limit is None else written(limit), verdict(ours, limit)]
        lines.append((name, *times, *ratios, before, *memory, row["peer"]))
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
