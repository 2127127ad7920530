"""Small transformers on `lib.attention`: the model, its training, one whose weights ship, and experiments.

All modules import torch, but for `shipped`, `progress` and `results`.
"""
