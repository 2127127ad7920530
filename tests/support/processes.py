"""Tests that run inside several processes at once, which share a process group of torch.distributed.

A test function under `on(2, 3)` runs on two processes and on three, in each with its rank and their number. It
passes if it returns from all of them. Processes are kept for the next test, so that starting them costs little.
"""

import importlib.util
import inspect
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import pytest

LIMIT = 60  # seconds until a test counts as hanging
PRELOADED = [
    "torch",
    "torch._dynamo",
    "sympy",
    "array_api_compat.torch",
    "pytest",
    "lib.sharded",
]  # each would take its time in each
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"


def on(*sizes, **cases):
    """Have a test run on so many processes; `cases` names one more parameter, and the values that it takes."""

    def decorate(function):
        (name, values), *_ = [*cases.items(), (None, [None])]
        assert [*inspect.signature(function).parameters] == ["rank", "size", *cases]

        @pytest.mark.parametrize("size", sizes)
        @pytest.mark.parametrize("value", values, ids=lambda value: "" if value is None else str(value))
        def test(size, value):
            kept(size).run(function, {} if name is None else {name: value})

        test.__name__, test.__doc__, test.inside = function.__name__, function.__doc__, function
        return test

    return decorate


class Processes:
    """So many processes of one process group, waiting for work."""

    def __init__(self, size):
        self.folder = tempfile.TemporaryDirectory()
        # A process that macOS forks must not use what its parent loaded.
        context = multiprocessing.get_context("spawn" if sys.platform == "darwin" else "forkserver")
        context.set_forkserver_preload(PRELOADED)
        ends = [context.Pipe() for _ in range(size)]
        store = f"file://{self.folder.name}/store"  # no port that another process might take first
        self.all = [
            context.Process(target=wait_for_work, args=(end, rank, size, store), daemon=True)
            for rank, (_, end) in enumerate(ends)
        ]
        for process in self.all:
            process.start()
        for _, end in ends:
            end.close()
        self.pipes = [own for own, _ in ends]

    def ask(self, function, options, ranks=None):
        """What became of it in each process: {rank: ("returned", value)}, or "failed", "ended", "hangs"."""
        for pipe in self.pipes:
            pipe.send((inspect.getfile(function), function.__name__, options))
        until, found = time.monotonic() + LIMIT, {}
        for rank in range(len(self.pipes)) if ranks is None else ranks:
            try:
                if self.pipes[rank].poll(max(0, until - time.monotonic())):
                    found[rank] = self.pipes[rank].recv()
                else:
                    found[rank] = ("hangs", f"after {LIMIT} s")
            except EOFError:
                self.all[rank].join(5)
                found[rank] = ("ended", self.all[rank].exitcode)
        return found

    def run(self, function, options):
        found = self.ask(function, options)
        bad = [f"rank {rank} {what}: {value}" for rank, (what, value) in found.items() if what != "returned"]
        if bad:
            self.end()
            pytest.fail("\n".join(bad), pytrace=False)

    def end(self):
        for size, processes in [*KEPT.items()]:
            if processes is self:
                del KEPT[size]
        for process in self.all:
            process.kill()
            process.join()
        self.folder.cleanup()


KEPT = {}


def kept(size):
    """The processes for tests on so many."""
    if size not in KEPT:
        KEPT[size] = Processes(size)
    return KEPT[size]


def wait_for_work(pipe, rank, size, store):
    """What a process does: it joins the group, and calls the functions it is told to."""
    os.environ["GLOO_SOCKET_IFNAME"] = LOOPBACK
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=size)
    modules = {}
    while True:
        try:
            path, name, options = pipe.recv()
        except EOFError:
            return
        try:
            if path not in modules:
                spec = importlib.util.spec_from_file_location(Path(path).stem, path)
                modules[path] = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(modules[path])
            function = getattr(modules[path], name)
            value = getattr(function, "inside", function)(rank=rank, size=size, **options)
            pipe.send(("returned", value))
        except BaseException:
            pipe.send(("failed", traceback.format_exc()))
