"""The tasks: what their sequences are, and which of the next tokens count."""

import math

import numpy as np
import pytest
import torch
from calls import named
from torch.nn.functional import one_hot

from book.models.tasks import Batch, Repeated


@pytest.fixture(scope="module")
def drawn():
    return Repeated().draw(997, torch.Generator().manual_seed(0))


def test_sequences_repeat_a_block_after_a_few_symbols(drawn):
    tokens, start, period = drawn
    assert tokens.shape == (997, 66)
    assert (tokens[:, 0] == 27).all()
    assert 0 <= tokens[:, 1:].min() <= tokens[:, 1:].max() == 26
    assert set(start.tolist()) == set(range(1, 10))
    assert set(period.tolist()) == set(range(2, 25))
    for row, first, p in zip(tokens.tolist(), start.tolist(), period.tolist(), strict=True):
        assert row[first + p :] == row[first:-p]
    before = [
        (row[f - 1], row[f - 1 + p]) for row, f, p in zip(*(x.tolist() for x in drawn), strict=True) if f > 1
    ]
    assert np.mean([a == b for a, b in before]) < 0.1, "what stands before the first block is not of it"


def test_half_of_the_blocks_may_have_a_symbol_twice(drawn):
    blocks = [row[f : f + p] for row, f, p in zip(*(x.tolist() for x in drawn), strict=True) if p == 24]
    twice = sum(len(set(block)) < 24 for block in blocks)
    assert len(blocks) > 30
    assert (
        0.3 < twice / len(blocks) < 0.7
    )  # the seed is fixed; 24 of 27 symbols with replacement: always one twice


def test_what_follows_the_first_symbol_of_the_second_round_counts():
    task = Repeated()
    tokens, start, period = task.draw(7, torch.Generator().manual_seed(5))
    batch = task.batch(7, torch.Generator().manual_seed(5))
    assert torch.equal(batch.tokens, tokens[:, :65])
    assert torch.equal(batch.targets, tokens[:, 1:])
    for row in range(7):
        first = int(start[row] + period[row])  # here the block's first symbol comes for the second time
        assert batch.counts[row].tolist() == [False] * first + [True] * (65 - first)


def test_loss_and_accuracy_look_at_what_counts_alone():
    tokens = torch.tensor([[0, 1, 2], [2, 1, 0]])
    batch = Batch(tokens, (tokens + 1) % 3, torch.tensor([[True, False, True], [False, False, True]]))
    right = {0: 1, 1: 0, 2: 1}  # what the model bets on after each token: right after 0 alone

    def model(tokens):
        bets = torch.tensor([right[token] for token in tokens.flatten().tolist()]).reshape(tokens.shape)
        return math.log(3) * one_hot(bets, 3).double()  # 3/5 on its bet, 1/5 on each other

    task = Repeated()  # the loss is that of every task
    assert task.loss(model, batch).item() == pytest.approx(-(2 * math.log(3 / 5) + math.log(1 / 5)) / 3)
    assert task.accuracy(model, batch) == pytest.approx(2 / 3)


def test_a_task_that_cannot_be_is_refused():
    for says, changes in (
        ("periods are the least and the most symbols in a block, from 1 to 27", {"periods": (0, 4)}),
        (r"got \(5, 4\)", {"periods": (5, 4)}),
        (r"got \(2, 28\)", {"periods": (2, 28)}),
        ("prefix is to be 0 or more; got -1", {"prefix": -1}),
        ("a room of 33 is too small for 8 symbols, a block of 24 and more of it", {"room": 33}),
    ):
        with named(changes), pytest.raises(ValueError, match=says):
            Repeated(**changes)


def test_in_the_smallest_room_something_counts():
    task = Repeated(room=34)
    assert task.batch(997, torch.Generator().manual_seed(0)).counts.any(dim=-1).all()
