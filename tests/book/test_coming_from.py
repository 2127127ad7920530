"""Lines of other libraries and of `lib` are run side by side, and a wrong word about them fails."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from chapter_code import cells, run

import lib
from book.coming_from.pairs import PairFailed, pairs, written

PAGE = Path(__file__).parents[2] / "appendix" / "coming-from.md"
NAMES = {"np": np, "torch": torch, "x": np.array([1.0, 2.0]), "nan": math.nan}


def test_the_page_treats_what_differs():
    heads = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    for word in ("mask", "causal", "multiplied", "nothing", "axis", "numbers", "Gradients"):
        assert any(word in head for head in heads), word
    code = "\n".join(cells(PAGE))
    for their in ("sdpa(", "heads(", "entmax.", "special.", "stats.", "torch.softmax("):
        assert code.count(f'"alike", "{their}') + code.count(f'"apart", "{their}') >= 2, their


def test_a_change_in_lib_that_makes_a_word_of_the_page_false_is_noticed(monkeypatch):
    attention = lib.attention
    monkeypatch.setattr(
        lib, "attention", lambda q, k, v, offset=0, **rest: attention(q, k, v, offset=offset, **rest)
    )
    with pytest.raises(PairFailed, match=r"is_causal=True.* are not apart"):
        run(PAGE)


@pytest.mark.parametrize(
    ("word", "theirs", "ours", "verdict"),
    [
        ("alike", "x / x.sum()", "np.array([1, 2]) / 3", "alike, exactly"),
        ("alike", "x + 1e-7", "x", "alike: largest difference 1.0e-07"),
        ("alike", "torch.tensor([nan, np.inf])", "np.array([nan, np.inf])", "alike, exactly"),
        ("alike", "x[:0]", "torch.empty(0)", "alike, exactly"),
        ("apart", "x + 1e-5", "x", "not alike: largest difference 1.0e-05"),
        ("apart", "x", "x[:1]", "not alike: different shapes"),
        ("apart", "np.array([nan, 2.0])", "x", "not alike: NaN against numbers"),
        ("apart", "x @ x[:1]", "x", "not alike: one of the two refuses"),
        ("apart", "np.array([np.inf, 2.0])", "x", "not alike: largest difference ∞"),
    ],
)
def test_a_pair_is_judged_by_what_comes_of_it(word, theirs, ours, verdict):
    (made,) = pairs("they", NAMES, (word, theirs, ours)).pairs
    assert made.verdict == verdict
    other = {"alike": "apart", "apart": "alike"}[word]
    with pytest.raises(PairFailed, match=f"are not {other}"):
        pairs("they", NAMES, (other, theirs, ours))
    with pytest.raises(ValueError, match="similar"):
        pairs("they", NAMES, ("similar", theirs, ours))


def test_our_names_are_those_of_lib_and_theirs_are_not():
    made = pairs("they", {"x": NAMES["x"], "softmax": abs}, ("apart", "softmax(x)", "softmax(x)"))
    np.testing.assert_array_equal(made.pairs[0].results[1], lib.softmax(NAMES["x"]))


def test_a_table_escapes_what_it_shows_and_has_results_only_where_they_differ():
    html = pairs("<they>", NAMES, ("alike", "x[x < 9]", "x"), ("apart", "x", "-x"))._repr_html_()
    assert "&lt;they&gt;" in html
    assert "x[x &lt; 9]" in html
    assert re.findall(r"<pre>(.*?)</pre>", html) == ["[1. 2.]", "[-1. -2.]"]
    said = written(ValueError("first line, " + 30 * "and more " + "\nsecond line"))
    assert re.fullmatch("ValueError: first line, and more.{,80}", said), "what refuses is quoted in one short line"
