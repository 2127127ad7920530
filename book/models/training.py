"""The training loop: seeds, checkpoints, exact resumption, and Ctrl-C that loses nothing."""

import os
import re
import signal
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from book.models.progress import Bar


def train(
    model: nn.Module,
    task: Any,
    *,
    steps: int,
    seed: int = 0,
    batch: int = 48,
    rate: float = 5e-3,
    warm_up: int = 20,
    cool_down: int = 0,
    clip: float = 1.0,
    decay: float = 0.01,
    memory: float = 0.99,
    after: Callable[[], bool | None] | None = None,
    file: str | Path | None = None,
    every: int = 100,
    bar: bool | None = None,
) -> list[float]:
    """Train `model` in place by AdamW on batches that `task` draws, and return the loss of each step.

    The rate rises for `warm_up` steps and falls to zero in the last `cool_down`. Gradients longer than `clip` are
    shortened to it (with `inf`, none is); only matrices decay; `memory` is AdamW's β₂. Batches come from a
    generator of their own, so `seed` fixes them. `after` is called after each step, and ends the training if it
    returns True.

    With `file` the state is kept there after every `every` steps, after the last, and on Ctrl-C, which takes
    effect once the step is whole (a second Ctrl-C at once). The same call then goes on from there, and on the same
    machine ends with the same bits as if it had never stopped; after a kill, it makes the steps since the last
    checkpoint again. `bar` shows the progress on stderr; by default on a terminal alone.
    """
    for name, value, least in (("steps", steps, 0), ("batch", batch, 1), ("every", every, 1)):
        if value < least:
            raise ValueError(f"{name} is to be {least} or more; got {value}")
    if not (rate > 0 and clip > 0 and decay >= 0):
        raise ValueError(f"rate={rate} and clip={clip} are to be positive, decay={decay} is to be 0 or more")
    settings = (steps, seed, batch, rate, warm_up, cool_down, clip, decay, memory)
    optimiser = torch.optim.AdamW(decaying(model, decay), lr=rate, betas=(0.9, memory))
    run = Run(model, optimiser, torch.Generator().manual_seed(seed), [], described(model, task, settings))
    if file is not None and Path(file).exists():
        run.restore(file)
    progress = Bar(steps, len(run.losses), bar)
    with interrupt_held() as interrupts:
        for step in range(len(run.losses), steps):
            rising, falling = (step + 1) / max(1, warm_up), (steps - step) / max(1, cool_down)
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1, rising, falling)
            loss = task.loss(model, task.batch(batch, run.generator))
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimiser.step()
            run.losses.append(loss.item())
            progress.step(f"loss {run.losses[-1]:.3f}")
            stop = bool(interrupts)  # asked once: what comes while the state is kept waits for the next step
            if file is not None and (stop or (step + 1) % every == 0 or step + 1 == steps):
                run.keep(file)
            if stop or (after is not None and after()):
                break
    progress.close()
    if interrupts:
        raise KeyboardInterrupt
    return run.losses


@dataclass
class Run:
    """All that changes while a model is trained, and from what it was made."""

    model: nn.Module
    optimiser: torch.optim.Optimizer
    generator: torch.Generator
    losses: list[float]
    made_from: str

    def keep(self, file):
        """Write the state beside `file`, then put it in its place at once: there is never half of one."""
        state = {
            "made_from": self.made_from,
            "losses": self.losses,
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "generator": self.generator.get_state(),
        }
        part = Path(f"{file}.part")
        with open(part, "wb") as opened:
            torch.save(state, opened)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(part, file)

    def restore(self, file):
        """Go on where `file` was kept; one of another run is refused."""
        try:
            state = torch.load(file, weights_only=True)
            made_from = state["made_from"]
        except Exception as fault:
            raise ValueError(f"{file} is not a checkpoint of `train`; remove it, or name another file") from fault
        if made_from != self.made_from:
            raise ValueError(
                f"{file} is from another run; remove it, or name another file. "
                f"There: {made_from}; here: {self.made_from}"
            )
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.generator.set_state(state["generator"])
        self.losses = state["losses"]


def described(*parts):
    """What a run is made from, as text that is the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(parts))


def decaying(model, decay):
    """The parameters in two groups: matrices decay; a vector, such as the β of heads, does not."""
    learned = [p for p in model.parameters() if p.requires_grad]
    matrices, others = [p for p in learned if p.ndim > 1], [p for p in learned if p.ndim < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


@contextmanager
def interrupt_held():
    """Let Ctrl-C wait: it puts an entry into the list that is given, and a second one comes through at once.

    Only where Python would raise KeyboardInterrupt: in the main thread, and if nobody else took it over.
    """
    held = []

    def hold(number, frame):
        if held:
            raise KeyboardInterrupt
        held.append(number)

    ours = threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, hold)
    try:
        yield held
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
