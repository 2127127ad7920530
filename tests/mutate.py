"""`make mutate`: changes the maths one small step at a time; a test must fail each time.

    make mutate                                           all of the maths
    make mutate ONLY="lib/masks.py lib/paths/sdpa.py"     two modules, by their paths

The compiled kernels are broken by hand, by break_kernels.py.

The changes (a sign, a bound, an argument, a default) are mutmut's. The tests of a module run first without a
change, to learn how long each takes and which functions it calls. Then each change is put into a copy of this
process (a fork: nothing is imported or collected again), which runs the tests that call the changed function, the
quick ones first, until one fails: the change is killed.

Results are written to tests/mutation/, one file for each module, as soon as all changes of a function were tried.
These files are committed. So the work can be broken off (Ctrl-C) and taken up again by the same command, in
another clone too: what was killed is not tried again while its function reads the same, apart from comments and
docstring. What survived is tried again each time. After tests were removed or weakened, remove the module's file,
and all is tried anew.

A change that no test can notice, since nothing that can be observed changes, stands with the reason in
tests/mutation/README.md. Any other survivor makes the command fail, and so does a reason without its survivor.
"""

import functools
import gc
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import types
from collections import defaultdict
from pathlib import Path

os.environ |= {  # a forked process has none of its parent's threads, and cannot use a GPU that its parent used
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
}

import pytest
from mutations import Results, changes

TOGETHER = os.cpu_count()  # changes tried at the same time
SURVIVED, KILLED, BROKEN = 0, 1, 2  # exit codes of a process that tries a change
NOT_FORKED = "compile or inductor or memory or load"  # tests that start compilers or other Python processes

# The files whose tests can notice a change, beside test_<module>.py, test_devices.py and test_refusals.py.
EVERY_MAP = "awkward autograd short_ways"
NOTICED_BY = {
    "lib/arrays.py": "gibbs alternatives divergences masks gradients objectives attention_arguments merge awkward",
    "lib/gibbs.py": EVERY_MAP + " objectives",
    "lib/map_arguments.py": EVERY_MAP + " gibbs alternatives",
    "lib/alternatives.py": EVERY_MAP + " gradients",
    "lib/sparse_maps.py": EVERY_MAP + " alternatives gradients",
    "lib/entmax_solver.py": EVERY_MAP + " alternatives gradients",
    "lib/kernels/entmax_on_arrays.py": "kernels alternatives awkward",
    "lib/kernels/threads.py": "kernels entmax_attention",
    "lib/gradients.py": "autograd",
    "lib/masks.py": "attention_arguments",
    "lib/divergences.py": "objectives",
    "lib/linear.py": "linear_masks",
    "lib/objectives.py": "awkward",
    "lib/attention.py": "attention_maps attention_arguments sdpa query_blocks entmax_attention",
    "lib/definition.py": "attention attention_maps attention_arguments merge",
    "lib/attention_arguments.py": "attention attention_maps sdpa merge linear",
    "lib/paths/query_blocks.py": "attention attention_maps",
    "lib/paths/entmax_attention.py": "attention_maps",
    "lib/paths/sdpa.py": "attention",
}


class Trial:
    """A plugin of pytest that, in place of running the collected tests once, runs them on each change."""

    def __init__(self, results):
        self.results, self.path = results, results.path

    def pytest_runtestloop(self, session):
        name = str(self.path.with_suffix("")).replace("/", ".").removesuffix(".__init__")
        self.module, self.items = importlib.import_module(name), session.items
        self.functions = _originals(self.module)
        self.cached = [x for x in gc.get_objects() if type(x) is functools._lru_cache_wrapper and _is_ours(x)]
        self.reach, self.seconds = defaultdict(list), {}
        self.learn()
        self.try_all(self.results.left())
        return True

    def learn(self):
        """Run every test without a change: for its time, and in a copy of this process for what it calls."""
        follows = dict(zip(self.items, self.items[1:] + self.items[:1], strict=True))
        for item in self.items:
            start = time.process_time()
            self.must_pass(item, follows[item])
            self.seconds[item] = time.process_time() - start
        with tempfile.TemporaryFile("w+") as found:
            process = os.fork() or self.leave(
                lambda: print(json.dumps(self.calls(follows)), file=found, flush=True)
            )
            assert os.waitpid(process, 0)[1] == 0, "a copy of the process fails where the process itself does not"
            found.seek(0)
            for name, numbers in json.load(found).items():
                self.reach[name] = sorted((self.items[k] for k in numbers), key=self.seconds.get)

    def calls(self, follows):
        """{function: the numbers of the tests that call it}."""
        names = {f.__code__: name for name, found in self.functions.items() for f in found}
        reach = defaultdict(list)
        for k, item in enumerate(self.items):
            called = set()
            sys.setprofile(lambda frame, event, _, called=called: called.add(frame.f_code))
            self.must_pass(item, follows[item])
            sys.setprofile(None)
            for name in {names[code] for code in called & names.keys()}:
                reach[name].append(k)
        return reach

    def must_pass(self, item, then):
        assert self.passes(item, then), f"nothing was changed, but {item.nodeid} fails:\n{self.failure}"

    def passes(self, item, then):
        for f in self.cached:
            f.cache_clear()
        self.failure = None
        item.ihook.pytest_runtest_protocol(item=item, nextitem=then)
        return self.failure is None

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failure = report.longreprtext

    def pytest_collectreport(self, report):
        if report.failed:
            print(report.longreprtext, file=sys.__stderr__)

    def leave(self, work):
        """Do the work of a copy of the process, and end it."""
        code = BROKEN
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            code = work() or SURVIVED
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)

    def try_all(self, waiting):
        running, start, total = {}, time.monotonic(), len(waiting)
        try:
            while waiting or running:
                if waiting and len(running) < TOGETHER:
                    change = waiting.pop(0)
                    running[os.fork() or self.leave(lambda change=change: self.try_one(change))] = change
                    continue
                process, status = os.wait()
                if process in running:
                    change, code = running.pop(process), os.waitstatus_to_exitcode(status)
                    assert code != BROKEN, f"cannot be tried: {change}"
                    self.results.add(change, code != SURVIVED)
                    self.show(f"{total - len(waiting) - len(running)} of {total}")
        except KeyboardInterrupt:
            for process in running:
                os.kill(process, signal.SIGKILL)
        self.show(f"{total - len(waiting) - len(running)} tried in {time.monotonic() - start:.0f} s\n")

    def show(self, text):
        if sys.__stderr__.isatty() or text.endswith("\n"):
            print(f"\r{self.path}: {text}", end="", file=sys.__stderr__, flush=True)

    def try_one(self, change):
        """Put the change in and run the tests of its function until one fails."""
        items = self.reach[change.function]
        limit = 10 + int(5 * sum(self.seconds[item] for item in items))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.put_in(change)
        passed = all(self.passes(item, then) for item, then in zip(items, items[1:] + items[:1], strict=True))
        return SURVIVED if passed else KILLED

    def put_in(self, change):
        exec(compile(change.text.strip(), str(self.path), "exec"), vars(self.module), found := {})
        (new,) = found.values()
        for f in self.functions[change.function]:
            f.__code__, f.__defaults__, f.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


def _originals(module):
    """{qualified name: the functions of a module, as they were written}: inside of any decorator too."""
    found = defaultdict(list)
    for f in gc.get_objects():
        if type(f) is types.FunctionType and f.__code__.co_filename == module.__file__:
            found[f.__code__.co_qualname].append(f)
    return found


def _is_ours(f):
    return (getattr(f, "__module__", None) or "").startswith("lib.")


def try_module(path):
    """Try the changes of one module; True if every one is killed or has a reason not to be."""
    results = Results(path)
    if results.left():
        names = [path.stem, "devices", "refusals", *NOTICED_BY.get(str(path), "").split()]
        files = [f"tests/test_{name}.py" for name in names if Path(f"tests/test_{name}.py").exists()]
        options = ["-k", f"not ({NOT_FORKED})", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:terminal"]
        if pytest.main([*files, *options], [Trial(results)]) != pytest.ExitCode.OK:
            print(f"{path}: its tests cannot be collected, or fail without a change")
            return False
    return results.report()


def main(paths):
    """Each module in a process of its own: what one imported and cached is not in the way of the next."""
    if len(paths) == 1:
        return 0 if try_module(Path(paths[0])) else 1
    return max([subprocess.call([sys.executable, __file__, path]) for path in paths or the_maths()])


def the_maths():
    """Every module with functions that Python runs: those of lib/kernels/cpu are compiled."""
    found = [path for folder in ("lib", "lib/kernels", "lib/paths") for path in sorted(Path(folder).glob("*.py"))]
    return [str(path) for path in found if changes(path)[1]]


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    sys.exit(main(sys.argv[1:]))
