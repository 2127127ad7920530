"""What running code makes of one claim of the source documents.

`verdicts.toml` has them all, one table for each claim, in the order of the texts. The page *claims* shows them
(see `claims_page`).
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

WORDS = ("does not hold", "holds in part", "holds when", "holds")  # as the page orders them


@dataclass(frozen=True)
class Verdict:
    """One verdict.

    Parameters
    ----------
    id : str
        The source's claim: the letter of its document and a number, "A5"; or P, for a sentence from elsewhere.
    word : str
        One of `WORDS`. "holds in part" is for a passage of which one part holds and another does not, or is not
        judged; "holds when" for one that holds as it stands, under a condition.
    sentence : str
        Why, in one sentence; after "holds when" the condition. The page shows it at once.
    says : str
        What the source says, word for word and with its line breaks: formulas in plain characters, words in bold
        without their asterisks, and code between ``` as in the source. A note in brackets stands for what lies
        between two passages. `tests/book/quotations.json` has a hash of each.
    where, address : str
        For a sentence from elsewhere its document, place and date, and where that is on the web.
    claims : str or tuple of str
        The checks that carry the verdict, of any chapter.
    argued : str or tuple of str
        The chapters that argue it, where no check measures it or a part of it; "claims" for the end of that page.
    more : str
        What else there is to say, in sentences; the page folds it.
    """

    id: str
    word: str
    sentence: str
    says: str
    claims: tuple = ()
    argued: tuple = ()
    more: str = ""
    where: str = ""
    address: str = ""

    def __post_init__(self):
        if self.word not in WORDS:
            raise ValueError(f"a verdict is one of {', '.join(WORDS)}; got {self.word!r}")
        for name in ("claims", "argued"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        if not (self.claims or self.argued):
            raise ValueError(f"verdict {self.id}: it is neither checked nor argued anywhere")


VERDICTS = {
    entry["id"]: Verdict(**{name: tuple(x) if isinstance(x, list) else x for name, x in entry.items()})
    for entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["verdict"]
}
