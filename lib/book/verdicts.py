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
        The checks that carry the verdict, of any chapter.
    argued : str or tuple of str
        The chapters that argue it, where no check measures it or a part of it.
    """

    id: str
    word: str
    sentence: str
    says: str
    claims: tuple = ()
    argued: tuple = ()

    def __post_init__(self):
        if self.word not in WORDS:
            raise ValueError(f"a verdict is one of {', '.join(WORDS)}; got {self.word!r}")
        for name in ("claims", "argued"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        if not (self.claims or self.argued):
            raise ValueError(f"verdict {self.id}: it is neither checked nor argued anywhere")
