"""Quicker ways to the same weights: fewer steps for plain calls, rows shared among threads, compiled kernels.

The readable bodies of the maps say what is computed, and all of this is tested against them. Nothing outside
this folder imports Numba or Triton; `cpu` and `gpu`, which do, are imported only when they are first needed.
"""
