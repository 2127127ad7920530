"""*The sheet*: the tables of scores and weights as areas, beside the lists that they are made from."""

from traitlets import List

from .base import Figure
from .cost_counts import counts
from .traits import OneOf, Within

SHORTEST, LONGEST = 1024, 131_072  # words: the longest is as many as a book has
START = 16_384  # words
WIDTH = 64  # numbers in each query, key, value and output
MARKS = (("phone", 8), ("laptop", 16), ("large GPU", 141))  # with so many GB of memory


class Sheet(Figure):
    """What one head holds, drawn to scale: two tables of n × n numbers, or one small block of them at a time.

    Lines divide the tables into squares as large as a table at the start: twice the text, four times as many.

    Parameters
    ----------
    n : int, default 16384
        How many words there are, from 1024 to 131 072.
    way : {"stored", "blocks"}
        Whether scores and weights are all written down, or made block by block and forgotten.

    Examples
    --------
    >>> Sheet().held, Sheet(way="blocks").held
    (2164260864, 16908288)
    """

    view = "sheet"
    called = "the tables of scores and weights"
    changes = ("n", "way")
    beside = ("d", "marks")

    n = Within(SHORTEST, LONGEST, START, whole=True).tag(sync=True)
    way = OneOf("stored", "blocks").tag(sync=True)
    d = Within(WIDTH, WIDTH, WIDTH, whole=True).tag(sync=True)
    marks = List(help="Memories to compare with: what has it, and how many GB.").tag(sync=True)

    def __init__(self, n=START, way="stored", **options):
        super().__init__(n=n, way=way, **{"marks": [list(mark) for mark in MARKS], **options})

    @property
    def held(self) -> int:
        """How many bytes lie in memory at once."""
        return counts(self.n, self.d)["scores stored" if self.way == "stored" else "fused"][2]

    @property
    def products(self) -> int:
        """How many multiplications there are, either way."""
        return counts(self.n, self.d)["fused"][0]
