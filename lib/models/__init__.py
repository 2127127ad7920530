"""Small transformers whose attention is `lib.attention`, how they are trained, and one whose weights ship.

All modules import torch, but for `shipped` and `progress`.
"""
