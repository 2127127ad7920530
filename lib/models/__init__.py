"""Small transformers whose attention is `lib.attention`, how they are trained, one whose weights ship; experiments.

All modules import torch, but for `shipped`, `progress` and `results`.
"""
