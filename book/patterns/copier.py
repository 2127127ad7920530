"""Experiments on the model that ships, `book.models.copying`: heads switched off, values silenced and swapped.

Heads are known by what they were measured to do, never by their number: another seed permutes them. Letters: m
texts, t places, H heads of a layer.
"""

import json
from functools import cache
from typing import NamedTuple

import numpy as np
import torch

from book.models.copying import MEASURED, SYMBOLS, TASK, shipped_model
from book.models.shipped import FILE

ROLE = 0.5  # a head has a role from this score on
TEXTS = 200  # texts of an experiment; half as many where it takes long
BLOCK, READ = 16, 8  # a text is a block of so many letters, all different, and its first few once more
FOUND = READ + 1  # the place in the first round that holds the letter to come
AGAIN = 13  # where the letter just read stands once more in the block, in texts of `blocks` with `twice`
SWAPPED = 4  # another place, whose value that one gets


class Read(NamedTuple):
    """Many texts as the model has read them, and where their next symbol could be known: (m, t) each."""

    right: torch.Tensor  # is the model's first choice what comes?
    surprise: torch.Tensor  # −log of the probability that it gave to what comes, in nats
    known: torch.Tensor


@cache
def model():
    """The transformer with the weights that ship."""
    return shipped_model()


@cache
def heads(role: str) -> tuple[tuple[int, int], ...]:
    """The heads, as (layer, head) from 0, that have a role: "previous" or "induction", by the scores that ship."""
    scores = json.loads(FILE.read_text(encoding="utf-8"))["measured"][role]
    return tuple((int(layer), int(head)) for layer, head in np.argwhere(np.array(scores) >= ROLE))


def named(head: tuple[int, int]) -> str:
    """A head as the figure names it: "1.3" is the third of the first layer."""
    return f"{head[0] + 1}.{head[1] + 1}"


def switches(*off: tuple[int, int]) -> str:
    """These heads off and no other, as an address of the figure has it."""
    layers, count = model().config.layers, model().config.heads
    return "".join(str(int((layer, head) in off)) for layer in range(layers) for head in range(count))


@cache
def texts():
    """Texts that training has not seen, and where their next symbol can be known."""
    batch = TASK.batch(TEXTS // 2, torch.Generator().manual_seed(MEASURED))
    return batch.tokens, batch.targets, batch.counts


@cache
def read(off: tuple = (), beta_times: float = 1.0) -> Read:
    """The model reads the texts, with these heads switched off, or with another β."""
    tokens, targets, known = texts()
    with torch.no_grad():
        logits = model()(tokens, off=off, beta_times=beta_times)
    chances = logits.log_softmax(dim=-1)  # (m, t, V)
    surprise = -chances.gather(-1, targets[..., None])[..., 0]
    return Read(logits.argmax(dim=-1) == targets, surprise, known)


@cache
def stands_twice() -> torch.Tensor:
    """Where the symbol just read stands more than once in the block that repeats: (m, t)."""
    sequences, start, period = TASK.draw(TEXTS // 2, torch.Generator().manual_seed(MEASURED))
    tokens, place = sequences[:, :-1], torch.arange(sequences.shape[-1] - 1)
    in_block = (place >= start[:, None]) & (place < (start + period)[:, None])  # (m, t), its first round
    same = tokens[:, :, None] == tokens[:, None]  # (m, t, t)
    return (same & in_block[:, None]).sum(dim=-1) > 1


def accuracy(off: tuple = (), beta_times: float = 1.0, twice: bool | None = None) -> float:
    """In which share of the places where the next symbol can be known the model's first choice is right.

    With `twice`, only of the places where the symbol just read stands more than once in the block, or does not.
    """
    found = read(off, beta_times)
    counted = found.known if twice is None else found.known & (stands_twice() == twice)
    return found.right[counted].double().mean().item()


def looks_back(head: tuple[int, int], places: int) -> float:
    """Which weight a head gives to the place so many before its own, on average."""
    with torch.no_grad():
        _, layers = model()(texts()[0], look=True)
    weights = layers[head[0]].weights[:, head[1]]  # (m, t, t)
    return weights.diagonal(-places, 1, 2).double().mean().item()


@cache
def helper() -> tuple[int, int]:
    """The head of layer 1 that looks most at the letter two places back."""
    return max(((0, head) for head in range(model().config.heads)), key=lambda head: looks_back(head, 2))


@cache
def blocks(twice: bool = False):
    """Random texts (m, t), t = 1 + BLOCK + READ, and the letter that comes next: (m,).

    The letters of a block all differ; with `twice` the one just read stands in it twice, at READ and at AGAIN.
    """
    draws = torch.rand(TEXTS, len(SYMBOLS) - 1, generator=torch.Generator().manual_seed(3)).argsort(dim=-1)
    block, begin = draws[:, :BLOCK], torch.full((TEXTS, 1), len(SYMBOLS) - 1)
    if twice:
        block[:, AGAIN - 1] = block[:, READ - 1]
    return torch.cat([begin, block, block[:, :READ]], dim=1), block[:, READ]


def largest_weights(beta_times: float = 1.0) -> np.ndarray:
    """The largest weight in a row of the induction heads, at each place of `blocks`, on average: (t,)."""
    with torch.no_grad():
        _, layers = model()(blocks()[0], beta_times=beta_times, look=True)
    weights = torch.stack([layers[layer].weights[:, head] for layer, head in heads("induction")])  # (4, m, t, t)
    return weights.amax(dim=-1).double().mean(dim=(0, 1)).numpy()


def last(tokens, change=None):
    """The logits of the symbol after the last: (m, V)."""
    with torch.no_grad():
        return model()(tokens, change=change)[:, -1]


def silenced(layer, place):
    """A `change`: in this layer the place hands over nothing."""

    def change(at, v):  # (m, H, t, e)
        return torch.where(torch.arange(v.shape[-2])[:, None] == place, 0.0, v) if at == layer else v

    return change


def swapped(layer, one, other):
    """A `change`: in this layer two places hand over each other's values."""

    def change(at, v):  # (m, H, t, e)
        order = torch.arange(v.shape[-2])
        order[one], order[other] = other, one
        return v[..., order, :] if at == layer else v

    return change


def chance(tokens, change=None):
    """The log-probability of the letter that comes next in the texts of `blocks`: (m,)."""
    return last(tokens, change).log_softmax(dim=-1).gather(-1, blocks()[1][:, None])[:, 0]


@cache
def lost_if_silent(at: int, layer: int) -> np.ndarray:
    """What the right letter loses if this place hands over nothing in this layer, from 0: (m,), in nats."""
    tokens, _ = blocks()
    return (chance(tokens) - chance(tokens, silenced(layer, at))).numpy()


def exchanged(tokens):
    """The same texts with the letter before the place AGAIN as the last but one."""
    changed = tokens.clone()
    changed[:, -2] = tokens[:, AGAIN - 1]
    return changed


def lost_if_exchanged(twice: bool) -> float:
    """What the right letter loses in `exchanged` texts, on average, in nats."""
    tokens, _ = blocks(twice)
    return (chance(tokens) - chance(exchanged(tokens))).double().mean().item()


def follows_the_exchange(twice: bool) -> float:
    """In which share of `exchanged` texts the model says the letter after the place AGAIN."""
    tokens, _ = blocks(twice)
    said = last(exchanged(tokens)).argmax(dim=-1)
    return (said == tokens[:, AGAIN + 1]).double().mean().item()


def follows(layer=1, source=FOUND) -> float:
    """In which share of the texts the model says another letter of the text, once it has that letter's value.

    In `layer`, the place `source` hands over the value of place SWAPPED, and that place its own in turn.
    """
    tokens, _ = blocks()
    said = last(tokens, swapped(layer, source, SWAPPED)).argmax(dim=-1)
    return (said == tokens[:, SWAPPED]).double().mean().item()


def rollout(tokens) -> np.ndarray:
    """Attention rollout from the last place: (m, t).

    In each layer every place keeps one half of what it has, and takes the other half with the mean of the heads.
    """
    with torch.no_grad():
        _, layers = model()(tokens, look=True)
    path = torch.eye(tokens.shape[-1])
    for layer in layers:
        path = (layer.weights.mean(dim=1) + torch.eye(tokens.shape[-1])) / 2 @ path  # (m, t, t)
    return path[:, -1].numpy()


def rollout_of_the_last_but_one(twice: bool) -> float:
    """What rollout gives the last letter but one in the texts of `blocks`, on average."""
    return float(rollout(blocks(twice)[0])[:, -2].mean())


def last_layer(tokens) -> np.ndarray:
    """The weights of the last place in layer 2, the mean of its heads: (m, t)."""
    with torch.no_grad():
        _, layers = model()(tokens, look=True)
    return layers[-1].weights.mean(dim=1)[:, -1].numpy()
