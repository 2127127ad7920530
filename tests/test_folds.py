"""A fold of a page says what it holds."""

import pytest
from folds import held


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('@claim("kl-one", "One.")\ndef one(): ...', "the check"),
        ('x = 1\n\n@claim("kl-one")\ndef one(): ...\n\n@claim("kl-two")\ndef two(): ...', "the checks"),
        ('pictures.edge(s, "kl-edge")', "the plot"),
        ('@claim("kl-one")\ndef one(): ...\n\npictures.edge(s, "kl-edge")', "the check and the plot"),
        ("from lib.book.kl import pictures\nBetaWeights(TOKENS, SCORES)", "the code"),
    ],
)
def test_a_fold_is_named_after_what_it_holds(code, words):
    assert held(code) == words
