"""A bar on stderr with an honest estimate, where somebody can see it."""

import sys
from time import perf_counter


class Bar:
    """How much is done. By default it is drawn on a terminal alone: where a book is built, stderr is an error.

    The estimate rests on what was done since the bar was made, not on what a checkpoint had brought.
    """

    def __init__(self, total: int, done: int = 0, shown: bool | None = None):
        self.total, self.done, self.before = total, done, done
        self.shown = sys.stderr.isatty() if shown is None else shown
        self.began = self.drawn = perf_counter()

    def step(self, says: str = "") -> None:
        """One more is done; at most ten times a second the bar says so."""
        self.done += 1
        now = perf_counter()
        if not self.shown or (now - self.drawn < 0.1 and self.done < self.total):
            return
        self.drawn = now
        left = (now - self.began) / (self.done - self.before) * (self.total - self.done)
        full = "█" * (20 * self.done // self.total)
        line = f"{full:░<20} {self.done}/{self.total}, {left:.0f} s left {says}"
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
