"""What running code makes of one claim of the source documents.

The verdicts of a chapter are the list VERDICTS in the module `verdicts` of its folder. The page *claims* shows
them all (see `claims_page`).
"""

from dataclasses import dataclass

WORDS = ("holds", "holds when", "does not hold")


@dataclass(frozen=True)
class Verdict:
    """One verdict.

    Parameters
    ----------
    id : str
        The source's claim: the letter of its document and a number, "A5".
    word : str
        "holds", "holds when" or "does not hold".
    sentence : str
        Why; after "holds when" the condition.
    says : str
        What the source says, word for word and unabridged.
    claims : str or tuple of str
        The executed claims that carry the verdict, of any chapter.
    """

    id: str
    word: str
    sentence: str
    says: str
    claims: tuple

    def __post_init__(self):
        if self.word not in WORDS:
            raise ValueError(f"a verdict is one of {', '.join(WORDS)}; got {self.word!r}")
        if isinstance(self.claims, str):
            object.__setattr__(self, "claims", (self.claims,))
        if not self.claims:
            raise ValueError(f"verdict {self.id}: no claim is cited")
