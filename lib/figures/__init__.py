"""The interactive figures: one class per figure, each an ipywidget and, in a page, its state."""

from .beta_weights import BetaWeights
from .can_you_tell import CanYouTell
from .compromise import Compromise
from .cost import Cost
from .four_rules import FourRules
from .heads import Heads
from .jacobian import Jacobian
from .mask import Mask
from .number_formats import NumberFormats
from .outside import Outside
from .predict import Predict
from .race import Race
from .raise_one import RaiseOne
from .real_head import RealHead
from .sampling import Sampling
from .seventy_two import SeventyTwo
from .side_by_side import SideBySide
from .streaming import Streaming
from .width import Width

__all__ = [
    "BetaWeights",
    "CanYouTell",
    "Compromise",
    "Cost",
    "FourRules",
    "Heads",
    "Jacobian",
    "Mask",
    "NumberFormats",
    "Outside",
    "Predict",
    "Race",
    "RaiseOne",
    "RealHead",
    "Sampling",
    "SeventyTwo",
    "SideBySide",
    "Streaming",
    "Width",
]
