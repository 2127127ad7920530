"""What the chapter *patterns* does with the model that ships, and what its text says of this very model."""

import ast
from pathlib import Path

import jupytext
import numpy as np
import pytest
import torch

from book import encoder
from book.models.copying import TASK, shipped_model
from book.patterns import checks, copier, sinks
from book.source import body

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "chapters" / "patterns.md"
TEXT = CHAPTER.read_text(encoding="utf-8")


def test_the_heads_of_a_role_are_those_with_the_scores():
    assert [len(copier.heads("previous")), len(copier.heads("induction"))] == [1, 4]
    assert copier.switches((0, 2), (1, 0)) == "00101000", "in the order of the layers"
    assert copier.named((1, 3)) == "2.4"


def test_the_texts_repeat_after_a_block_of_different_letters():
    for twice in (False, True):
        tokens, expected = copier.blocks(twice)
        block = tokens[:, 1 : copier.BLOCK + 1]
        assert all(len(set(row.tolist())) == copier.BLOCK - twice for row in block)
        assert torch.equal(tokens[:, copier.BLOCK + 1 :], block[:, : copier.READ])
        assert torch.equal(expected, tokens[:, copier.FOUND])
        assert ((tokens[:, copier.AGAIN] == tokens[:, -1]) == twice).all()


def test_a_silent_place_and_swapped_places_change_the_values_of_their_layer_alone():
    v = torch.randn(2, 4, 5, 3)
    silent, swapped = copier.silenced(1, 2)(1, v), copier.swapped(1, 0, 3)(1, v)
    assert torch.equal(silent[..., 2, :], torch.zeros(2, 4, 3))
    assert torch.equal(silent[..., [0, 1, 3, 4], :], v[..., [0, 1, 3, 4], :])
    assert torch.equal(swapped, v[..., [3, 1, 2, 0, 4], :])
    assert copier.silenced(1, 2)(0, v) is v
    assert copier.swapped(1, 0, 3)(0, v) is v


@pytest.mark.parametrize("twice", [False, True])
def test_what_an_exchange_costs_and_where_it_leads_is_what_plain_code_finds(twice):
    tokens, expected = copier.blocks(twice)
    changed = tokens.tolist()
    for text in changed:
        text[23] = text[12]  # the letter before place 13, as the one before the last
    with torch.no_grad():
        whole, after = (shipped_model()(each)[:, -1].softmax(dim=-1) for each in (tokens, torch.tensor(changed)))
    lost = [np.log(float(a[i] / b[i])) for a, b, i in zip(whole, after, expected, strict=True)]
    assert copier.lost_if_exchanged(twice) == pytest.approx(np.mean(lost), abs=1e-4)
    says = after.argmax(dim=-1).tolist()
    led = np.mean([say == text[14] for say, text in zip(says, changed, strict=True)])
    assert copier.follows_the_exchange(twice) == pytest.approx(led)


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


def test_heads_at_rest_are_compared_within_layers_and_without_the_last():
    """Over all layers alike, the last would speak for the others: 0.8 in place of 1."""
    rests, lost = encoder.on_start() >= 0.5, encoder.made()["lost"]
    zero, even = (np.degrees(np.arccos(1 - np.reshape(lost[change], (6, 12)))) for change in ("zero", "uniform"))
    for rest in (True, False):
        picked = [(layer, head) for layer in range(1, 5) for head in range(12) if rests[layer, head] == rest]
        ratio = sum(even[at] for at in picked) / sum(zero[at] for at in picked)
        assert sinks.even_over_silent(rest) == pytest.approx(ratio)
    everywhere = sinks.even_over_silent(False, range(1, 7))
    assert round(everywhere, 1) == 0.8
    assert everywhere not in checks.ratio_farthest_from_one.bound


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
