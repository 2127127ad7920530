"""The page *claims*: what five texts and sentences from elsewhere say, and what running code makes of it."""

import re
from collections import Counter
from dataclasses import dataclass
from html import escape

from book.claims import chapter_of
from book.mime import OURS
from book.verdicts import VERDICTS, WORDS

COUNTS = {"A": 10, "B": 6, "C": 10, "D": 7, "E": 24, "P": 11}  # how many claims are taken up, by text
ALL = [f"{text}{number}" for text, count in COUNTS.items() for number in range(1, count + 1)]
# What no chapter has judged yet, in a few words.
OPEN = {}

# What is no statement that could be judged, and where it is met.
FORM = {
    "C8": "the shape of that page, from intuition to misunderstandings to summary: every chapter has these parts",
}


TEXTS = {"A": "blog post", "B": "documentation", "C": "course", "D": "document", "E": "answer", "P": "elsewhere"}
UNJUDGED = "not judged"  # as the page counts what stands in OPEN and FORM

# What does not hold, the most surprising first: the more people would have believed a sentence, and the further
# the truth is from it, the earlier it stands. B3 is the "most important thing" of its text, and many repeat it;
# softmax can do the very opposite. E8 prints a sum beside numbers that do not have it, and nobody adds them up.
# B5 sends its reader to a paper on the contrary. E11 has the right idea under a wrong name. P6 is a formula for a
# method that then does nothing; P1 and P2 give reasons for what libraries leave out, P3 mends what was right.
SURPRISING = ["B3", "P6", "E8", "P1", "P3", "P2", "B5", "E11", "P4", "P5"]

SOURCES = "claims.html#the-sources-that-the-texts-name"  # the last section of the page


def _link(name, address):
    return f'<a href="{SOURCES if name == "claims" else f"../chapters/{address}"}">{escape(name)}</a>'


def _code(name, address):
    """In place of a link to a check, which only a page has."""
    return f"<code>{escape(name)}</code>" if "#" in address else _link(name, address)


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


def _marks(id, word):
    """What the page's script reads to filter: the verdict and the text."""
    return f'data-verdict="{word.replace(" ", "-")}" data-text="{id[0]}"'


def _counted(checks):
    """What a fold holds.

    >>> _counted(()), _counted(("kl-gibbs",)), _counted(("kl-gibbs", "kl-solver"))
    ('Why', 'Why, with 1 check', 'Why, with 2 checks')
    """
    return f"Why, with {len(checks)} check{'s' * (len(checks) > 1)}" if checks else "Why"


def _typeset(sentence):
    """One of the book's own sentences as HTML, with its powers raised.

    >>> _typeset("at least 1 − √(1 − e^(−m KL(π‖u))) < 1")
    'at least 1 − √(1 − e<sup>−m KL(π‖u)</sup>) &lt; 1'
    """
    return re.sub(r"\^\(((?:[^()]|\([^()]*\))*)\)", r"<sup>\1</sup>", escape(sentence))


def _source(verdict):
    """Whose words the quotation is, where the letter does not say it."""
    if not verdict.where:
        return ""
    link = f'<a href="{escape(verdict.address)}">{escape(verdict.where)}</a>'
    return f'<p class="ws-verdict-where">{link}</p>'


def _row(verdict, link=_link):
    lead = '<span class="ws-verdict-lead">It holds when</span> ' if verdict.word == "holds when" else ""
    more = f"<p>{_typeset(verdict.more)}</p>" if verdict.more else ""
    id = escape(verdict.id)
    own = f'<a href="#verdict-{id}" class="ws-verdict-id">{id}</a>' if link is _link else f"<code>{id}</code>"
    return (
        f'<div class="ws-verdict" id="verdict-{id}" {_marks(verdict.id, verdict.word)}>'
        f'<p class="ws-verdict-head" role="heading" aria-level="3">'
        f'<strong class="ws-verdict-word">{verdict.word.capitalize()}</strong> '
        f"{own}</p>"
        # in a notebook, where no style sheet is, too
        f'<p class="ws-verdict-source" style="white-space: pre-wrap">{_quotation(verdict.says)}</p>'
        f"{_source(verdict)}"
        f'<p class="ws-verdict-says">{lead}{_typeset(verdict.sentence)}</p>'
        f'<details class="ws-verdict-more"><summary>{_counted(verdict.claims)}</summary>{more}'
        f'<p class="ws-verdict-claims">{_grounds(verdict, link)}.</p></details></div>'
    )


def _text(verdict):
    grounds = _grounds(verdict, lambda name, address: name)
    said = f"{verdict.sentence} {verdict.more}".strip()
    source = f" ({verdict.where})" if verdict.where else ""
    return f"{verdict.word.capitalize()}: {verdict.id} “{verdict.says}”{source}\n  {said}\n  {grounds}"


@dataclass(frozen=True)
class Shown:
    """Verdicts under each other, as a page and as plain text."""

    verdicts: tuple

    def __repr__(self):
        return "\n".join(map(_text, self.verdicts))

    def _repr_html_(self):
        return "".join(map(_row, self.verdicts))

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {OURS: {"unlinked": "".join(_row(verdict, _code) for verdict in self.verdicts)}}


def _place(verdict):
    """Where a verdict stands among those with the same word."""
    first = SURPRISING.index(verdict.id) if verdict.id in SURPRISING else len(SURPRISING)
    return first, ALL.index(verdict.id)


def verdicts(*words):
    """The verdicts with one of these words: in the order of the texts, but what surprises most comes first.

    >>> {verdict.word for verdict in verdicts("holds").verdicts}
    {'holds'}
    """
    return Shown(tuple(sorted((v for v in VERDICTS.values() if v.word in words), key=_place)))


@dataclass(frozen=True)
class Scores:
    """How many claims there are of each verdict and of each text; the page's script makes filters of them."""

    words: dict
    texts: dict

    def __repr__(self):
        return "\n".join(", ".join(f"{n} {name}" for name, n in row.items()) for row in (self.words, self.texts))

    def _repr_html_(self):
        words = "".join(
            f'<li data-verdict="{word.replace(" ", "-")}"><b>{n}</b> <span>{word}</span></li>'
            for word, n in self.words.items()
        )
        texts = "".join(
            f'<li data-text="{text}"><span>{text}, {TEXTS[text]}</span> <b>{n}</b></li>'
            for text, n in self.texts.items()
        )
        return (
            f'<div class="ws-scores">'
            f'<ul class="ws-scores-verdicts" aria-label="How many claims, by verdict">{words}</ul>'
            f'<ul class="ws-scores-texts" aria-label="How many claims, by text">{texts}</ul></div>'
        )


def scores():
    """The counts at the top of the page.

    >>> sum(scores().words.values()) == sum(scores().texts.values()) == len(ALL)
    True
    """
    judged = Counter(verdict.word for verdict in VERDICTS.values())
    words = {word: judged[word] for word in WORDS} | {UNJUDGED: len(OPEN) + len(FORM)}
    return Scores(words, COUNTS)


@dataclass(frozen=True)
class Listed:
    """Claims without a verdict: their names, and what they are about; `lead` stands before them."""

    subjects: dict
    lead: str = ""

    def __repr__(self):
        return "\n".join([self.lead, *(f"{id:4} {subject}" for id, subject in self.subjects.items())]).lstrip()

    def _repr_html_(self):
        rows = (
            f'<li id="verdict-{id}" {_marks(id, UNJUDGED)}><b>{id}</b> {escape(subject)}</li>'
            for id, subject in self.subjects.items()
        )
        lead = f"<p>{escape(self.lead)}</p>" if self.lead else ""
        return f'<div class="ws-open-claims">{lead}<ul>{"".join(rows)}</ul></div>'


def still_open():
    """The claims that no chapter has judged yet."""
    return Listed(OPEN, "" if OPEN else "Nothing: each statement has its verdict.")


def matters_of_form():
    """What the texts have beside statements."""
    return Listed(FORM, "One entry is no statement that one could judge:")
