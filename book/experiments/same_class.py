"""Why the scores of *retrieval* put close numbers in the wrong order: the class of an item enters its score."""

import torch

from book.models.retrieval import CLASSES, RATES, STEPS, TRAINING, Maximum, Retriever
from book.models.training import train

ROWS, ITEMS, DRAWN = 64, 1024, 5  # rows, their length, and the seed of the rows, which training does not use


@torch.no_grad()
def found(model, items, best):
    """The share of rows in which the largest number has the highest score."""
    scores = (model.query @ model.encoded(items)[0].mT)[:, 0]  # (rows, n)
    return (scores.argmax(dim=-1) == best).float().mean().item()


def largest_found(seed, alike):
    """The same of a model trained for 700 steps where leads shrink, with all items of one class if `alike`."""
    task, model = Maximum(0.0), Retriever("softmax", seed)
    train(model, task, steps=STEPS[0], rate=RATES[0], seed=seed, bar=False, **TRAINING)
    items, _, best = task.draw(ROWS, ITEMS, torch.Generator().manual_seed(DRAWN))
    if alike:
        items[..., 1:] = torch.eye(CLASSES)[0]
    return found(model, items, best)
