"""The interactive figures: one class per figure, each an ipywidget and a picture for a static page."""

from .beta_weights import BetaWeights
from .can_you_tell import CanYouTell
from .compromise import Compromise
from .predict import Predict

__all__ = ["BetaWeights", "CanYouTell", "Compromise", "Predict"]
