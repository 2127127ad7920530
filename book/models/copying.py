"""The model that ships, which copies what it has read before: attention alone, two layers of four heads.

    python -m book.models.copying              trains it, a minute of one core, and writes copying.json
    python -m book.models.copying --seeds 5    trains five and says what came of each; writes nothing

Ctrl-C stops; the same command goes on from there. Another machine adds in another order and gets other numbers.
(The weights that ship were kept in int8 before they were rounded to a character each.)
Which head has which role is chance, so heads are known by their scores.
"""

import argparse
import json
import platform
from pathlib import Path

import numpy as np
import torch

from book.models.shipped import FILE, load, pack, unpack
from book.models.tasks import Repeated
from book.models.training import train
from book.models.transformer import Config, Transformer

SYMBOLS = ".abcdefghijklmnopqrstuvwxyz^"  # the last one begins each sequence
TASK = Repeated(symbols=len(SYMBOLS), room=65)
CONFIG = Config(symbols=len(SYMBOLS), room=TASK.room, width=48, heads=4, layers=2)
TRAINING = {"steps": 1500, "batch": 48, "rate": 5e-3, "warm_up": 20, "cool_down": 500}
SEED = 0
MEASURED = 1_000_003  # seed of the sequences that models are measured on: none that training uses
SEQUENCES = 2000  # for loss and accuracy; a quarter of them for the heads


def tokens(text: str) -> torch.Tensor:
    """The tokens of a text, after the begin symbol: (t,)."""
    strange = sorted(set(text) - set(SYMBOLS[:-1]))
    if strange:
        raise ValueError(f"the model knows the letters a to z and the full stop; got {strange}")
    if len(text) >= TASK.room:
        raise ValueError(f"the model reads up to {TASK.room - 1} symbols; got {len(text)}")
    return torch.tensor([len(SYMBOLS) - 1, *map(SYMBOLS.index, text)])


def shipped_model() -> Transformer:
    """The transformer with the weights that ship."""
    return with_weights(load()["weights"])


def with_weights(weights: dict) -> Transformer:
    """A transformer with these weights: {name: array}."""
    model = Transformer(CONFIG)
    model.load_state_dict({name: torch.as_tensor(array) for name, array in weights.items()}, strict=False)
    return model.eval()


@torch.no_grad()
def head_scores(model: Transformer, size: int, seed: int = MEASURED) -> dict[str, list]:
    """How far each head is a previous-token head and an induction head, from 0 to 1: lists [layer][head].

    *previous*: the mean weight on the token just before, over all places but the first. *induction*: the mean
    weight on the tokens that came after this very one in earlier rounds of the block, over the places that count.
    """
    sequences, start, period = TASK.draw(size, torch.Generator().manual_seed(seed))
    _, layers = model(sequences[:, :-1], look=True)
    place = torch.arange(TASK.room)
    since = place[:, None] - place + 1  # (t, t): query i stands so many places after the token before key j
    in_block = (place - 1 >= start[:, None])[:, None, :]  # (size, 1, t)
    rounds = (since % period[:, None, None] == 0) & (since > 0) & in_block  # (size, t, t)
    counts = place >= start[:, None] + period[:, None]  # (size, t)
    previous = [heads.weights.diagonal(-1, -2, -1).mean(dim=(0, -1)) for heads in layers]  # (H,) each
    follows = [(heads.weights * rounds[:, None]).sum(dim=-1) for heads in layers]  # (size, H, t) each
    induction = [weight.transpose(1, 2)[counts].mean(dim=0) for weight in follows]
    return {"previous": rounded(previous), "induction": rounded(induction)}


def rounded(layers):
    return [[round(x, 4) for x in heads.tolist()] for heads in layers]


@torch.no_grad()
def measured(model: Transformer) -> dict:
    """Loss and accuracy where the next symbol can be known, in sequences new to the model; and its heads."""
    batch = TASK.batch(SEQUENCES, torch.Generator().manual_seed(MEASURED))
    logits = model(batch.tokens)
    loss, accuracy = (measure(lambda tokens: logits, batch) for measure in (TASK.loss, TASK.accuracy))
    return {"loss": round(float(loss), 5), "accuracy": round(accuracy, 5)} | head_scores(model, SEQUENCES // 4)


def made(seed: int, file: Path) -> dict:
    """Train a model with this seed, and return what is to stand in copying.json; `file` keeps the checkpoints."""
    model = Transformer(CONFIG, seed)
    train(model, TASK, seed=seed, file=file, **TRAINING)
    exact = measured(model)
    packed = {name: pack(p.detach()) for name, p in model.named_parameters() if p.ndim == 2}
    beta = [block.log_beta.exp().tolist() for block in model.layers]
    return {
        "made_by": "python -m book.models.copying",
        "seed": seed,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "training": TRAINING,
        "symbols": list(SYMBOLS),
        "room": CONFIG.room,
        "width": CONFIG.width,
        "heads": CONFIG.heads,
        "layers": CONFIG.layers,
        "beta": beta,
        "before_rounding": exact,
        "measured": measured(with_weights({name: unpack(matrix) for name, matrix in packed.items()})),
        "weights": packed,
    }


def said(found: dict) -> str:
    """What came of a seed, in a line before its weights are rounded and a line after."""
    lines = [f"seed {found['seed']}"]
    for when in ("before_rounding", "measured"):
        row = found[when]
        previous = np.sort(np.ravel(row["previous"]))[::-1][:2]
        induction = np.sort(np.ravel(row["induction"]))[::-1][:5]
        right = f"loss {row['loss']:.4f}, {row['accuracy']:.2%} right"
        lines.append(f"  {when:<15} {right}, previous {previous}, induction {induction}")
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, help="try so many seeds, and write nothing")
    parser.add_argument("--folder", type=Path, default=Path("_build"), help="where checkpoints are kept")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(options.seeds) if options.seeds else [SEED]:
        found = made(seed, options.folder / f"copying-{seed}.pt")
        print(said(found), flush=True)
        if not options.seeds:
            FILE.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    # More threads gain nothing here, and on another number of them sums are added in another order.
    torch.set_num_threads(1)
    main()
