"""*Heads*: a small trained model runs in the page, and shows what its heads look at."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
from traitlets import Dict, TraitType, observe, validate

import lib
from book.models.shipped import FILE

from .base import Figure
from .traits import FigureError, FromOn, OneOf, Within, items_of

TEXT = 2 * "mary.had.a.little.lamb."
PLACE = 39  # the "l" before the "e" of the second "little"
MAPS = {"softmax": {}, "entmax": {"alpha": 1.5}, "sparsemax": {}}
LEAST = 1 / 16
CAPTION = (
    "A transformer of eight heads and nothing else, trained to go on with what repeats. A head is named by what "
    "it was measured to do."
)


@cache
def made() -> dict:
    """The trained model as `python -m book.models.copying` has left it, the weights still packed."""
    return json.loads(FILE.read_text(encoding="utf-8"))


@cache
def copier() -> dict:
    """What the view needs of it."""
    sizes = {name: made()[name] for name in ("symbols", "room", "width", "heads", "layers", "beta")}
    scores = {name: made()["measured"][name] for name in ("previous", "induction")}
    kept = made()["weights"].items()
    weights = {name: {key: packed[key] for key in ("scale", "letters")} for name, packed in kept}
    return {**sizes, **scores, "weights": weights}


def names() -> list[str]:
    """The heads, as "1.3" for the third of the first layer."""
    return [f"{layer + 1}.{head + 1}" for layer in range(made()["layers"]) for head in range(made()["heads"])]


def best(role: str) -> str:
    """The head with the highest measured score of "previous" or "induction"."""
    return names()[int(np.argmax(np.ravel(made()["measured"][role])))]


class Letters(TraitType):
    """A str of symbols that the model knows, as many as it has room for."""

    letters, most = "".join(made()["symbols"][:-1]), made()["room"] - 1
    address = {"kind": "letters", "of": letters, "most": most}  # noqa: RUF012

    def validate(self, obj, value):
        if not isinstance(value, str) or set(value) - set(self.letters) or len(value) > self.most:
            raise FigureError(f"{self.name}: {value!r} is not up to {self.most} of the symbols {self.letters}")
        return value


class Switches(TraitType):
    """A list of bool, one for each head."""

    default_value = tuple(False for _ in names())
    address = {"kind": "flags", "per": "silent"}  # noqa: RUF012

    def validate(self, obj, value):
        items = items_of(self.name, value, "a list of True and False")
        if len(items) != len(names()) or not all(isinstance(item, bool) for item in items):
            raise FigureError(
                f"{self.name}: {items!r} is not a list of {len(names())} times True (switched off) or False"
            )
        return items


class Heads(Figure):
    """Where the heads of a small trained model look, in a text that the reader types.

    The model (`book.models.copying`) has attention alone: two layers of four heads, trained on random sequences in
    which a block of symbols repeats. It runs where the figure is shown.

    Parameters
    ----------
    sequence : str
        Up to 64 letters from a to z and full stops.
    place : int, optional
        Which symbol looks: 1 for the first, 0 for the mark of the beginning. By default the last one.
    head : str, optional
        "1.1" to "2.4": layer and head. By default the one with the highest induction score.
    times : float
        What β is multiplied by: from 1/16 on, math.inf is allowed.
    mapping : {"softmax", "entmax", "sparsemax"}
        The map from scores to weights; entmax has α = 1.5.
    only : str
        "all", or the one head that `times` and `mapping` change.
    silent : list of bool
        For each of the eight heads, whether it is switched off.

    `weights`, `surprise` and `guesses` are computed by `book.models`, which needs torch.

    Examples
    --------
    >>> figure = Heads("abcdabcd", place=6)
    >>> figure.sequence[figure.weights.argmax() - 1]  # what came after "b" the last time
    'c'
    >>> "".join(Heads("zebrazebra").guesses[6:])  # from the second letter of the second round on
    'ebraz'
    """

    view = "heads"
    called = "heads of a small trained model"
    changes = ("sequence", "place", "head", "times", "mapping", "only", "silent")
    beside = ("copier",)

    sequence = Letters().tag(sync=True)
    place = Within(0, Letters.most, 0, whole=True).tag(sync=True)
    head = OneOf(*names()).tag(sync=True)
    times = FromOn(LEAST, 1.0).tag(sync=True)
    mapping = OneOf(*MAPS).tag(sync=True)
    only = OneOf("all", *names()).tag(sync=True)
    silent = Switches().tag(sync=True)
    copier = Dict(help="The model; see `copier`.").tag(sync=True)

    def __init__(self, sequence=TEXT, place=None, head=None, times=1.0, **options):
        if place is None:
            place = PLACE if sequence == TEXT else len(sequence)
        named = {"caption": CAPTION, **options}
        head = best("induction") if head is None else head
        super().__init__(sequence=sequence, place=place, head=head, times=times, copier=copier(), **named)

    @validate("place")
    def _place_fits(self, proposal):
        if proposal["value"] > len(self.sequence):
            raise FigureError(
                f"place: {proposal['value']} is beyond the {len(self.sequence)} symbols of the sequence"
            )
        return proposal["value"]

    @observe("sequence")
    def _place_stays_inside(self, change):
        self.place = min(self.place, len(self.sequence))

    @property
    def weights(self) -> np.ndarray:
        """The weights of the symbol at `place` in this head, from the mark of the beginning on: (place + 1,)."""
        layer, head = (int(part) - 1 for part in self.head.split("."))
        _, heads = self._run()
        return heads[layer].weights[head, self.place, : self.place + 1].numpy()

    @property
    def surprise(self) -> np.ndarray:
        """How surprising each symbol of the text is to the model, in nats."""
        logits, _ = self._run()
        tokens = [self.copier["symbols"].index(letter) for letter in self.sequence]
        return -logits.log_softmax(dim=-1).numpy()[range(len(tokens)), tokens]

    @property
    def guesses(self) -> list[str]:
        """What the model expects at each place of the text, and after it: t + 1 symbols."""
        logits, _ = self._run()
        return [self.copier["symbols"][i] for i in logits.argmax(dim=-1)]

    def _run(self):
        """The logits and what the heads of each layer did, by `book.models`."""
        import torch

        from book.models.copying import shipped_model, tokens

        model = shipped_model()
        touched = np.array([self.only in ("all", name) for name in names()]).reshape(model.config.layers, -1)
        for layer, block in enumerate(model.layers):
            block.config = replace(block.config, weights=self._map(torch.tensor(touched[layer])))
        times = torch.where(torch.tensor(touched), self.times, 1.0)
        off = [(i // model.config.heads, i % model.config.heads) for i, is_off in enumerate(self.silent) if is_off]
        with torch.no_grad():
            return model(tokens(self.sequence), beta_times=times, off=off, look=True)

    def _map(self, touched):
        """The map of a layer: softmax, but for the heads that are touched."""
        chosen = getattr(lib, self.mapping)

        def weigh(scores, **options):  # (..., H, t, t)
            own, other = lib.softmax(scores, **options), chosen(scores, **options, **MAPS[self.mapping])
            return touched[:, None, None] * other + ~touched[:, None, None] * own

        return weigh
