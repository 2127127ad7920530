"""*The cost*: what attention costs in products, bytes moved and bytes held, in five ways, as the text grows."""

from traitlets import validate

from .base import Figure
from .cost_counts import ASKS, TOKENS, WIDTHS, counts
from .traits import FigureError, OneOf, Within


class Cost(Figure):
    """Products, bytes moved and bytes held of one head: scores stored, fused, later hidden, window, linear.

    Parameters
    ----------
    n : int, default 1024
        How many tokens there are: a power of two from 64 to 1 048 576.
    d : int, default 64
        Width of queries, keys and values: 16, 32, 64, 128 or 256.
    asks : {"all", "one"}
        Whether all tokens ask, or one new token, as when a model writes.

    Examples
    --------
    >>> Cost(n=4096).costs["fused"]
    (2147483648, 4194304, 4227072)
    """

    view = "cost"
    called = "what attention costs"
    changes = ("n", "d", "asks")

    n = Within(TOKENS[0], TOKENS[-1], 1024, whole=True).tag(sync=True)
    d = Within(WIDTHS[0], WIDTHS[-1], 64, whole=True).tag(sync=True)
    asks = OneOf(*ASKS).tag(sync=True)

    def __init__(self, n=1024, d=64, asks="all", **options):
        super().__init__(n=n, d=d, asks=asks, **options)

    @property
    def costs(self) -> dict[str, tuple[int, int, int]]:
        """Products, bytes moved and bytes held of each way."""
        return counts(self.n, self.d, self.asks)

    @validate("n", "d")
    def _a_power_of_two(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if value & (value - 1):
            raise FigureError(f"{name}: {value} is no power of two")
        return value
