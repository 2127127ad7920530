"""What is there for speed alone, under the maps: rows shared out among threads, and kernels compiled by Numba.

The readable bodies say what is computed, and are what all of this is tested against. Nothing outside this folder
imports Numba, and `cpu`, which does, is imported only when it is first needed.
"""
