"""Results kept in a file, a bar while they come, and the table in the end."""

import json
import os
import sys
import time


class Results:
    """What has been measured on this machine with this source; anything else in the file is dropped."""

    def __init__(self, path, facts, fresh=False):
        self.path, self.facts = path, facts
        kept = json.loads(path.read_text()) if path.exists() and not fresh else {}
        self.rows = kept.get("rows", {}) if kept.get("facts") == facts else {}

    def add(self, case, row):
        self.rows[case.name] = {"peer": case.peer, "target": case.target} | row
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({"facts": self.facts, "rows": self.rows}, indent=1) + "\n")
        os.replace(part, self.path)  # so that an interruption leaves a whole file


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


def verdict(row):
    return "reached" if row["ratio"] <= row["target"] else "missed"


def as_ratio(x):
    return f"1/{1 / x:.1f}" if x < 0.5 else f"{x:.2f}"


def table(rows):
    """The rows as lines of text."""
    head = ("", "ours ms", "peer ms", "ratio", "quartiles", "target", "", "MB", "peer MB", "against")
    lines = [head]
    for name, row in rows.items():
        spread = f"{as_ratio(row['ratio_low'])}–{as_ratio(row['ratio_high'])}"
        memory = [f"{row[key]:.0f}" if row.get(key) is not None else "–" for key in ("ours_mb", "peer_mb")]
        times = [f"{row[key]:.2f}" for key in ("ours_ms", "peer_ms")]
        ratios = [as_ratio(row["ratio"]), spread, as_ratio(row["target"])]
        lines.append((name, *times, *ratios, verdict(row), *memory, row["peer"]))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(pad(x, w) for x, w, pad in zip(line, widths, PADS, strict=True)) for line in lines)


PADS = (str.ljust, *[str.rjust] * 8, str.ljust)  # the words to the left, the numbers to the right
