"""The interactive figures: one class per figure, each an ipywidget and, in a page, its state.

What all of them take, a name, a caption and a text for screen readers, and how Python sets and observes them,
is said in the constructor of `book.figures.base.Figure`.
"""

from .answer import AnswerField
from .beta_weights import BetaWeights
from .can_you_tell import CanYouTell
from .compromise import Compromise
from .cost import Cost
from .dispersion import Dispersion
from .heads import Heads
from .jacobian import Jacobian
from .lake import Lake
from .lamps import Lamps
from .make_it_flat import MakeItFlat
from .mask import Mask
from .mixture import Mixture
from .number_formats import NumberFormats
from .one_price import OnePrice
from .outside import Outside
from .pairs import Pairs
from .predict import Predict
from .race import Race
from .raise_one import RaiseOne
from .real_head import RealHead
from .repairs import Repairs
from .sampling import Sampling
from .sheet import Sheet
from .streaming import Streaming
from .twice import Twice
from .two_maps_learn import TwoMapsLearn
from .two_rules import TwoRules
from .two_sentences import TwoSentences
from .uphill import Uphill
from .which_map import WhichMap
from .width import Width
from .your_sentence import YourSentence

__all__ = [
    "AnswerField",
    "BetaWeights",
    "CanYouTell",
    "Compromise",
    "Cost",
    "Dispersion",
    "Heads",
    "Jacobian",
    "Lake",
    "Lamps",
    "MakeItFlat",
    "Mask",
    "Mixture",
    "NumberFormats",
    "OnePrice",
    "Outside",
    "Pairs",
    "Predict",
    "Race",
    "RaiseOne",
    "RealHead",
    "Repairs",
    "Sampling",
    "Sheet",
    "Streaming",
    "Twice",
    "TwoMapsLearn",
    "TwoRules",
    "TwoSentences",
    "Uphill",
    "WhichMap",
    "Width",
    "YourSentence",
]
