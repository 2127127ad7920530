"""The running example: one sentence and one row of scores, the same in every chapter.

The query is "it". The keys are the words up to and including "it". The scores are
written by hand so that every effect in the book can be seen on them; a trained model
gives others. The two words "the" are the same word, so they tie.
"""

import numpy as np

from lib import softmax

SENTENCE = "the cat drank the milk because it was thirsty"
TOKENS = ("the", "cat", "drank", "the", "milk", "because", "it")
SCORES = (0.2, 2.0, 1.1, 0.2, 1.5, -0.6, 0.8)

s = np.array(SCORES)  # (n,)
n = len(s)
u = np.full(n, 1 / n)  # (n,), the even null
pi = softmax(s)  # (n,), at β = 1
