"""A fold of a page says what it holds."""

import pytest

from book.builder.folds import held


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('run_checks("kl-one")', "the check"),
        ('run_checks(\n    "kl-one", "kl-two"\n)', "the checks"),
        ('pictures.edge(s, "kl-edge")', "the plot"),
        ('run_checks("kl-one")\npictures.edge(s, "kl-edge")', "the check and the plot"),
        ("from book.kl import pictures\nBetaWeights(TOKENS, SCORES)", "the code"),
    ],
)
def test_a_fold_is_named_after_what_it_holds(code, words):
    assert held(code) == words
