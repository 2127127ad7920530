"""Attention over two processes: `python -m book.speed.ring RANK FOLDER` is one of them."""

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import torch
import torch.distributed as dist

import lib
from lib import sharded

LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"
LIMIT = 240  # seconds until a process counts as hanging


def whole_text():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(3, 4, 1000, 32, generator=generator).unbind(0)


def one_of_two(rank, folder):
    """Meet the other process, compute the outputs for half of the text."""
    meet = f"file://{folder}/meet"
    dist.init_process_group("gloo", meet, rank=rank, world_size=2)
    q, k, v = (x.chunk(2, dim=-2)[rank] for x in whole_text())
    output = sharded.attention(q, k, v, causal=True)
    torch.save(output, f"{folder}/{rank}")
    dist.destroy_process_group()


@cache
def outputs_of_two():
    """The outputs of both processes, in order: (heads, n/2, d) each."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "book.speed.ring"]
        started = [
            subprocess.Popen(
                [*command, str(rank), folder],
                cwd=Path(lib.__file__).parents[1],  # so that it imports the same `lib`
                env={"GLOO_SOCKET_IFNAME": LOOPBACK, **os.environ},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for rank in range(2)
        ]
        try:
            said = [one.communicate(timeout=LIMIT)[0] for one in started]
        finally:
            for one in started:
                one.kill()
        if any(one.returncode for one in started):
            raise RuntimeError("\n".join(said))
        return [torch.load(Path(folder, str(rank))) for rank in range(2)]


def in_one():
    """The outputs for both halves of the text, by one process."""
    return lib.attention(*whole_text(), causal=True).chunk(2, dim=-2)


def alone():
    """The outputs for both halves if each process saw no keys but its own."""
    halves = zip(*(x.chunk(2, dim=-2) for x in whole_text()), strict=True)
    return [lib.attention(*half, causal=True) for half in halves]


if __name__ == "__main__":
    torch.set_num_threads(1)
    one_of_two(int(sys.argv[1]), sys.argv[2])
