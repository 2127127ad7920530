"""Train a next-character model and keep its logits for a few steps: python -m book.output.train

It reads Python's own help texts (`pydoc_data.topics`), all but a tenth of them, with a network of one hidden
layer, in about two minutes on two cores. The logits of the steps in CONTEXTS go into steps.json, with what made
them. Another Python has other help texts, another machine adds in another order: numbers differ a little there.
"""

import hashlib
import json
import platform
from pathlib import Path
from time import perf_counter

import torch
from torch import nn
from torch.nn.functional import cross_entropy

FILE = Path(__file__).with_name("steps.json")
SEED = 1
STEPS, BATCH = 2500, 256  # updates; characters to guess in each
READ = 16  # characters that the model sees
CHECK_AT = 8  # so many updates are quickly done again
PLAIN = str.maketrans("‘’“”–—", "''\"\"--", "…ß°")  # typographic marks, of which there are few

# What stands before each step; the model sees the last 16 characters of it.
CONTEXTS = (
    "The import statement ",
    "The following statemen",
    "An expression list containing at least one co",
)


def texts():
    """What the model learns from, and the tenth of the topics that is held out."""
    from pydoc_data.topics import topics

    names = sorted(topics)
    held = names[::10]

    def plain(part):
        return "\n".join(topics[name] for name in part).translate(PLAIN)

    return plain([name for name in names if name not in held]), plain(held)


class Model(nn.Module):
    """The logits of the next character from the last 16: an embedding, one hidden layer, n logits."""

    def __init__(self, n, width=24, hidden=384):
        super().__init__()
        self.embed = nn.Embedding(n, width)
        self.hide = nn.Linear(READ * width, hidden)
        self.logits = nn.Linear(hidden, n)

    def forward(self, x):  # (batch, READ) -> (batch, n)
        return self.logits(torch.relu(self.hide(self.embed(x).flatten(1))))


def train(steps=STEPS, say=None):
    """The model, its characters, and the log loss of each update, in nats for a character."""
    torch.manual_seed(SEED)
    learnt, held = texts()
    alphabet = sorted(set(learnt + held))
    data = torch.tensor([alphabet.index(c) for c in learnt])
    model = Model(len(alphabet))
    rule = torch.optim.Adam(model.parameters())
    plan = torch.optim.lr_scheduler.OneCycleLR(rule, max_lr=4e-3, total_steps=STEPS)
    losses = []
    for step in range(steps):
        start = torch.randint(len(data) - READ, (BATCH, 1))
        batch = data[start + torch.arange(READ + 1)]  # (batch, READ + 1)
        loss = cross_entropy(model(batch[:, :-1]), batch[:, -1])
        rule.zero_grad()
        loss.backward()
        rule.step()
        plan.step()
        losses.append(loss.item())
        if say and step % 500 == 499:
            say(f"{step + 1} of {steps}: {sum(losses[-500:]) / 500:.3f} nats")
    return model, alphabet, losses


@torch.no_grad()
def held_out_loss(model, alphabet):
    """The log loss of the model on what it has not seen, in nats for a character."""
    data = torch.tensor([alphabet.index(c) for c in texts()[1]])
    rows = data.unfold(0, READ + 1, 1)
    return cross_entropy(model(rows[:, :-1]), rows[:, -1]).item()


@torch.no_grad()
def logits_after(model, alphabet, context):
    """The logits of the character after `context`."""
    x = torch.tensor([[alphabet.index(c) for c in context[-READ:]]])
    return [round(s, 2) for s in model(x)[0].tolist()]


def main():
    torch.set_num_threads(2)
    began = perf_counter()
    model, alphabet, losses = train(say=print)
    learnt, held = texts()
    found = {
        "seed": SEED,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "text": hashlib.sha256((learnt + held).encode()).hexdigest(),
        "first_losses": [round(loss, 3) for loss in losses[:CHECK_AT]],
        "held_out_loss": round(held_out_loss(model, alphabet), 3),
        "characters": alphabet,
        "steps": [{"before": text, "logits": logits_after(model, alphabet, text)} for text in CONTEXTS],
    }
    FILE.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"held out: {found['held_out_loss']} nats; {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
