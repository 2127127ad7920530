"""The page *claims*: what the five texts say, and what running code makes of it."""

import re
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

import lib.book
from lib.book.claims import chapter_of

COUNTS = {"A": 10, "B": 6, "C": 10, "D": 7, "E": 24}  # how many claims this book takes up, by text
ALL = [f"{text}{number}" for text, count in COUNTS.items() for number in range(1, count + 1)]
CHAPTERS = [
    module.name
    for module in iter_modules(lib.book.__path__)
    if module.ispkg and find_spec(f"lib.book.{module.name}.verdicts")
]
VERDICTS = {
    verdict.id: verdict
    for chapter in CHAPTERS
    for verdict in import_module(f"lib.book.{chapter}.verdicts").VERDICTS
}

# What no chapter has judged yet, in a few words.
OPEN = {
    "A9": "what weights over positions say, when a position is no longer one token",
    "B6": "that more relevant tokens get higher weights",
    "C10": "sharp weights and brittle models",
    "D7": "that softmax highlights the most relevant tokens",
    "E3": "weights as probabilities, and as uncertainty",
    "E17": "average attention distance",
    "E19": "other activation functions in attention",
    "E20": "sharpness against performance",
    "E21": "adaptive temperature",
    "E22": "patterns in different layers and heads",
    "E24": "that weights emphasize relevant tokens, and the model so focuses on what matters (the human answer)",
}

# What is no statement that could be judged, and where it is met.
FORM = {
    "C8": "the shape of that page, from intuition to misunderstandings to summary: every chapter has these parts",
}


SOURCES = "claims.html#the-sources-that-the-texts-name"  # the last section of the page


def _link(name, address):
    return f'<a href="{SOURCES if name == "claims" else f"../chapters/{address}"}">{escape(name)}</a>'


def _quotation(says):
    """A quotation as a page shows it, with what stands between fences as code."""
    parts = re.split(r"^```\w*\n(.*?\n)```$\n*", says, flags=re.DOTALL | re.MULTILINE)
    shown = (f"<code>{escape(part)}</code>" if i % 2 else escape(part) for i, part in enumerate(parts))
    return f"<q>{''.join(shown)}</q>"


def _grounds(verdict, link):
    """What a verdict rests on: "Checked by kl-gibbs; argued in roads"."""
    claims = [link(name, f"{chapter_of(name)}.html#claim-{escape(name)}") for name in verdict.claims]
    chapters = [link(name, f"{name}.html") for name in verdict.argued]
    parts = [("checked by", claims), ("argued in", chapters)]
    said = "; ".join(f"{how} {', '.join(names)}" for how, names in parts if names)
    return said[:1].upper() + said[1:]


def _row(verdict):
    stop = "" if verdict.word == "holds when" else "."
    return (
        f'<div class="ws-verdict" id="verdict-{escape(verdict.id)}">'
        f'<p class="ws-verdict-source"><b>{escape(verdict.id)}</b> {_quotation(verdict.says)}</p>'
        f'<p class="ws-verdict-says"><strong class="ws-verdict-word">{verdict.word.capitalize()}{stop}</strong> '
        f'{escape(verdict.sentence)} <span class="ws-verdict-claims">{_grounds(verdict, _link)}.</span></p></div>'
    )


def _text(verdict):
    grounds = _grounds(verdict, lambda name, address: name)
    return f"{verdict.id} “{verdict.says}”\n  {verdict.word}: {verdict.sentence}\n  {grounds}"


@dataclass(frozen=True)
class Shown:
    """Verdicts under each other, as a page and as plain text."""

    verdicts: tuple

    def __repr__(self):
        return "\n".join(map(_text, self.verdicts))

    def _repr_html_(self):
        return "".join(map(_row, self.verdicts))


def verdicts(*words):
    """The verdicts with one of these words, in the order of the texts.

    >>> {verdict.word for verdict in verdicts("holds").verdicts}
    {'holds'}
    """
    return Shown(tuple(VERDICTS[id] for id in ALL if id in VERDICTS and VERDICTS[id].word in words))


@dataclass(frozen=True)
class Listed:
    """Claims without a verdict: their names, and what they are about."""

    subjects: dict

    def __repr__(self):
        return "\n".join(f"{id:4} {subject}" for id, subject in self.subjects.items())

    def _repr_html_(self):
        rows = (f"<li><b>{id}</b> {escape(subject)}</li>" for id, subject in self.subjects.items())
        return f'<ul class="ws-open-claims">{"".join(rows)}</ul>'


def still_open():
    """The claims that no chapter has judged yet."""
    return Listed(OPEN)


def matters_of_form():
    """What the texts have beside statements."""
    return Listed(FORM)
