"""Logits of three steps of a small model, as `train.py` has left them: the running example of this chapter."""

import json
from pathlib import Path

import numpy as np

MADE = json.loads(Path(__file__).with_name("steps.json").read_text(encoding="utf-8"))
CHARACTERS = MADE["characters"]
BEFORE = [step["before"] for step in MADE["steps"]]
LOGITS = np.array([step["logits"] for step in MADE["steps"]])  # (steps, n)
OPEN, SURE, FEW = LOGITS  # many characters fit, one does, a few do
