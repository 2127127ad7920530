"""*Which map*: how far the vectors of 48 sentences turn, if all heads of a pretrained encoder use another map."""

from functools import cache

import numpy as np
from traitlets import Dict

from book import encoder_story

from .base import Figure
from .pairs import SENTENCES, bytes_for_pairs
from .traits import AnyOf
from .your_sentence import send_file

# What is put into all heads: its name in a link, its map, and how many times the model's own β.
CHANGES = {
    "half": ("softmax", 0.5),
    "double": ("softmax", 2),
    "entmax": ("entmax", 1),
    "sparsemax": ("sparsemax", 1),
    "relu_norm": ("relu_norm", 1),
    "sigmoid_weights": ("sigmoid_weights", 1),
    "none": ("none", 1),
}


@cache
def degrees() -> dict[str, list[float]]:
    """The recorded degrees, by these names."""
    found = encoder_story.turned()
    return {name: found[f"{which} {factor:g}"] for name, (which, factor) in CHANGES.items()}


class WhichMap(Figure):
    """Seven changes to all heads of a model, and for each by how much it turns the vectors of 48 sentences.

    The sentences are those of `Pairs`. Where nothing is changed, each vector is at 0 degrees; two that have
    nothing to do with each other are at 90. Once a reader loads the model, the page computes the degrees itself.

    Parameters
    ----------
    tried : list of str, default []
        What has been put in: "half" and "double" (of β), "entmax" (α = 1.5), "sparsemax", "relu_norm",
        "sigmoid_weights" (with a bias of −log n), "none" (no attention at all).

    Examples
    --------
    >>> figure = WhichMap(tried=["sigmoid_weights", "none"])
    >>> {name: round(median) for name, median in figure.medians.items()}
    {'sigmoid_weights': 78, 'none': 58}
    """

    view = "which_map"
    called = "how far another map in all heads turns the vectors of sentences"
    changes = ("tried",)
    beside = ("about",)

    tried = AnyOf(*CHANGES).tag(sync=True)
    about = Dict(help="The recorded degrees, the changes, the sentences, what there is to load.").tag(sync=True)

    def __init__(self, tried=(), **options):
        about = {
            "degrees": degrees(),
            "changes": {name: list(change) for name, change in CHANGES.items()},
            "sentences": SENTENCES,
            "bytes": bytes_for_pairs(),
            "model": "{model} ({licence})".format(**encoder_story.made()),
        }
        super().__init__(tried=tried, **{"about": about, **options})
        self.on_msg(send_file)

    @property
    def medians(self) -> dict[str, float]:
        """Of each change that has been tried the median of its degrees."""
        return {name: float(np.median(degrees()[name])) for name in self.tried}
