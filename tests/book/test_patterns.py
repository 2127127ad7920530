"""What the chapter *patterns* does with the model that ships, and what its text says of this very model."""

import ast
from pathlib import Path

import jupytext
import numpy as np
import pytest
import torch

from book.models.copying import TASK, shipped_model
from book.patterns import checks, copier
from book.source import body

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "chapters" / "patterns.md"
TEXT = CHAPTER.read_text(encoding="utf-8")


def test_the_heads_of_a_role_are_those_with_the_scores():
    assert [len(copier.heads("previous")), len(copier.heads("induction"))] == [1, 4]
    assert copier.switches((0, 2), (1, 0)) == "00101000", "in the order of the layers"
    assert copier.named((1, 3)) == "2.4"


def test_the_texts_repeat_after_a_block_of_different_letters():
    tokens, expected, other = copier.blocks()
    block = tokens[:, 1 : copier.BLOCK + 1]
    assert all(len(set(row.tolist())) == copier.BLOCK for row in block)
    assert torch.equal(tokens[:, copier.BLOCK + 1 :], block[:, : copier.READ])
    assert torch.equal(expected, tokens[:, copier.FOUND])
    assert not (block == other[:, None]).any()


def test_a_silent_place_and_swapped_places_change_the_values_of_their_layer_alone():
    v = torch.randn(2, 4, 5, 3)
    silent, swapped = copier.silenced(1, 2)(1, v), copier.swapped(1, 0, 3)(1, v)
    assert torch.equal(silent[..., 2, :], torch.zeros(2, 4, 3))
    assert torch.equal(silent[..., [0, 1, 3, 4], :], v[..., [0, 1, 3, 4], :])
    assert torch.equal(swapped, v[..., [3, 1, 2, 0, 4], :])
    assert copier.silenced(1, 2)(0, v) is v
    assert copier.swapped(1, 0, 3)(0, v) is v


def test_what_is_lost_is_what_plain_code_finds():
    tokens, expected, other = (x[:3] for x in copier.blocks())
    with torch.no_grad():
        whole = shipped_model()(tokens)[:, -1].softmax(dim=-1)
        changed = torch.cat([tokens[:, :8], other[:, None], tokens[:, 9:]], dim=1)
        replaced = shipped_model()(changed)[:, -1].softmax(dim=-1)
    lost = [np.log(float(a[i] / b[i])) for a, b, i in zip(whole, replaced, expected, strict=True)]
    np.testing.assert_allclose(copier.lost_if_replaced(8)[:3], lost, atol=1e-4)


def test_rollout_is_the_path_through_both_layers():
    tokens = copier.blocks()[0][:2]
    with torch.no_grad():
        _, (first, second) = shipped_model()(tokens, look=True)
    found = copier.rollout(tokens)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    one, two = (heads.weights.mean(dim=1).numpy() for heads in (first, second))
    for text in range(2):
        last = (one[text].T @ two[text, -1] + one[text, -1] + two[text, -1]) / 4
        last[-1] += 1 / 4
        np.testing.assert_allclose(found[text], last, atol=1e-6)


def test_the_share_that_is_right_is_that_of_the_task():
    batch = TASK.batch(copier.TEXTS // 2, torch.Generator().manual_seed(copier.MEASURED))
    with torch.no_grad():
        assert copier.accuracy() == pytest.approx(TASK.accuracy(shipped_model(), batch))


def test_the_line_as_printed_is_the_same_in_the_text_and_in_the_check():
    cells = [cell.source for cell in jupytext.read(CHAPTER).cells if cell.cell_type == "code"]
    (shown,) = [
        ast.unparse(node)
        for cell in cells
        for node in ast.parse(cell).body
        if isinstance(node, ast.FunctionDef) and node.name == "as_printed"
    ]
    assert shown == ast.unparse(ast.parse(body(checks.as_printed)))
