"""Many small runs of an experiment, on all cores or on a Dask cluster, that can be stopped at any time.

    python -m book.models.sweep retrieval                    one process
    python -m book.models.sweep retrieval --jobs 4           four, by joblib
    python -m book.models.sweep retrieval --dask local       on a Dask cluster of --jobs workers on this machine
    python -m book.models.sweep retrieval --dask tcp://…     on the cluster of that scheduler

An experiment is a module of `book.models` with `runs(seeds)`, a list of settings, and `run(**settings)`, whose
result goes into JSON. Each result is a file of its own in --folder, there as soon as its run is done. Ctrl-C, or a
worker that dies, loses only what was being run; the same command goes on from there. Once all are there, they are
written into `book/models/results/`, a line for each setting with the results of its seeds.
"""

import argparse
import ast
import hashlib
import importlib
import json
import os
import platform
import random
import sys
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from book.models.progress import Bar
from book.models.results import FOLDER

EXPERIMENTS = ["retrieval", "sharpness", "learned_beta", "induction", "two_softmaxes", "silence"]
SHARED = ["tasks", "training", "transformer", "lookup"]  # what experiments are made of, beside their own module
SEEDS = 8


def sweep(module: str, folder: Path, *, seeds=SEEDS, jobs=1, dask=None, bar=None) -> list[dict]:
    """Make the runs of an experiment that have no file in `folder` yet; returns what is in all of their files."""
    code = code_of(module)
    files = {
        file_of(folder, settings): settings for settings in importlib.import_module(module).runs(range(seeds))
    }
    folder.mkdir(parents=True, exist_ok=True)
    missing = [file for file in files if not is_done(file, code)]
    # In random order those that are done are like those that are left, and the estimate is honest from the start.
    random.Random(0).shuffle(missing)
    progress = Bar(len(files), len(files) - len(missing), bar)
    try:
        with ExitStack() as stack:
            use(stack, dask, jobs)
            deaths = 0  # of workers, since a run was last done
            while missing:
                try:
                    for file, found in in_parallel(module, {file: files[file] for file in missing}, jobs, dask):
                        write(file, {"code": code} | found)
                        progress.step()
                        deaths = 0
                except TerminatedWorkerError as death:  # killed, or out of memory
                    deaths += 1
                    if deaths > 3:
                        raise RuntimeError(
                            f"workers die; {progress.total - progress.done} runs are left"
                        ) from death
                # What was being run is run again, at the end: should it be what kills, others are done before it.
                missing = [file for file in reversed(missing) if not is_done(file, code)]
    finally:
        progress.close()
    return [read(file) for file in files]


def in_parallel(module, files, jobs, dask):
    """(file, result) of each run as soon as it is done."""
    calls = (joblib.delayed(one)(module, str(file), settings) for file, settings in files.items())
    # With batches of one no result waits for another.
    workers = joblib.Parallel(
        -1 if dask else jobs,
        batch_size=1,
        pre_dispatch="all" if dask else "2*n_jobs",
        return_as="generator_unordered",
    )
    for file, found in workers(calls):
        yield Path(file), found


def use(stack, dask, jobs):
    """Let joblib run on a Dask cluster, if one is asked for."""
    if not dask:
        return
    from distributed import Client, LocalCluster

    if dask == "local":
        local = {"n_workers": jobs, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
        dask = stack.enter_context(LocalCluster(**local))
    stack.enter_context(Client(dask))
    stack.enter_context(joblib.parallel_config(backend="dask"))


def one(module, file, settings):
    """One run, in whatever process: the file that it belongs to, and what is to stand there."""
    experiment = importlib.import_module(module)
    if torch := sys.modules.get("torch"):
        # There may be as many processes as cores; and it gives the same bits on every run.
        torch.set_num_threads(1)
    began = perf_counter()
    found = experiment.run(**settings)
    return file, {"settings": settings, "seconds": round(perf_counter() - began, 1), "found": rounded(found)}


def rounded(x):
    """Numbers as they are to be kept, to four digits; those of torch and NumPy as Python's."""
    if isinstance(x, dict):
        return {key: rounded(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [rounded(value) for value in x]
    return x if x is None or isinstance(x, bool | int | str) else float(f"{float(x):.4g}")


def file_of(folder, settings):
    name = "_".join(f"{key}-{value}" for key, value in settings.items())
    return folder / f"{name.replace(' ', '-').replace(',', '')}.json"


def write(file, content):
    """All of it or nothing: it is written beside its place, and then put there at once."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content), encoding="utf-8")
    os.replace(part, file)


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def is_done(file, code):
    """Whether a run has its file, made by the code as it now is."""
    return file.exists() and read(file)["code"] == code


def code_of(module: str) -> str:
    """A mark of the code that makes a result; comments and docstrings are no part of it."""
    modules = [module] + [f"book.models.{name}" for name in SHARED]
    texts = [Path(importlib.import_module(name).__file__).read_text(encoding="utf-8") for name in modules]
    return hashlib.sha256("\n".join(map(without_docstrings, texts)).encode()).hexdigest()[:12]


def without_docstrings(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            node.body = body[1:]
    return ast.dump(tree)


def summary(name: str, seeds: int, done: list[dict]) -> str:
    """What is committed: how the runs were made, and a line for each setting, with a list over its seeds."""
    head = {
        "command": f"python -m book.models.sweep {name} --seeds {seeds}",
        "versions": {"python": platform.python_version()} | {p: version(p) for p in ("torch", "numpy", "joblib")},
        "machine": f"{platform.system()} {platform.machine()}",
        "seconds": round(sum(run["seconds"] for run in done)),  # of all runs, by the clock
        "code": done[0]["code"],
    }
    groups = {}
    for run in sorted(done, key=lambda run: run["settings"]["seed"]):
        setting = {key: value for key, value in run["settings"].items() if key != "seed"}
        groups.setdefault(json.dumps(setting, ensure_ascii=False), []).append(run["found"])
    columns = [{key: [found[key] for found in founds] for key in founds[0]} for founds in groups.values()]
    lines = ",\n".join(
        f'{{"setting": {setting}, "seeds": {json.dumps(column, ensure_ascii=False)}}}'
        for setting, column in zip(groups, columns, strict=True)
    )
    return json.dumps(head, indent=1, ensure_ascii=False)[:-2] + f',\n "runs": [\n{lines}\n]}}\n'


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many, from 0 (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (%(default)s)")
    parser.add_argument("--dask", metavar="ADDRESS", help="a Dask cluster: its scheduler's address, or local")
    parser.add_argument("--folder", type=Path, default=Path("_build/sweeps"), help="where the runs are kept")
    options = parser.parse_args(arguments)
    folder = options.folder / options.name
    try:
        done = sweep(
            f"book.models.{options.name}", folder, seeds=options.seeds, jobs=options.jobs, dask=options.dask
        )
    except KeyboardInterrupt:
        sys.exit(f"stopped; what is done lies in {folder}, and the same command goes on from there")
    FOLDER.joinpath(f"{options.name}.json").write_text(
        summary(options.name, options.seeds, done), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
