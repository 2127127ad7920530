"""`make mutate`: changes the maths one small step at a time; a test must fail each time.

    make mutate                                           all of the maths
    make mutate ONLY="lib/masks.py lib/fast/sdpa.py"     two modules, by their paths
    make mutate NIGHT=12                                  one module, the next on the next night

The compiled kernels and sharded are broken by hand, by break_by_hand.py.

The changes (a sign, a bound, an argument, a default) are mutmut's. The tests of a module run first without a
change, to learn which functions each calls and how long it takes. Then each change is put into a copy of this
process (a fork: nothing is imported or collected again), which runs the tests that call the changed function,
until one fails: the change is killed. Quick tests come first, and those that killed other changes of the function.
Tests marked `not_forked` are left out.

Results are written to _build/mutation/, one file for each module, as soon as all changes of a function were tried.
So the work can be broken off (Ctrl-C) and taken up again by the same command: what was killed is not tried again
while the module's tests are the same and its function reads the same, apart from comments and docstring. What
survived is tried again each time.

A change that no test can notice, since nothing that can be observed changes, stands with the reason in
tools/survivors.md. Any other survivor makes the command fail. A reason without its survivor is only printed.
"""

import contextlib
import cProfile
import functools
import gc
import importlib
import json
import mmap
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

from tools.mutations import Results, changes

TOGETHER = os.cpu_count()  # changes tried at the same time
SURVIVED, KILLED, BROKEN = 0, 1, 2  # exit codes of a process that tries a change
BROKEN_OFF = 130  # exit code after Ctrl-C

# The files whose tests can notice a change, beside test_<module>.py, test_devices.py and test_refusals.py.
EVERY_MAP = "awkward autograd fast"
NOTICED_BY = {
    "lib/_arrays.py": "arrays divergences masks gradients merge promises",
    "lib/_checks.py": EVERY_MAP + " arrays softmax alternatives promises",
    "lib/_maps.py": "attention_maps attention_arguments",
    "lib/_request.py": "attention attention_arguments attention_maps query_blocks",
    "lib/_shapes.py": "attention_arguments attention",
    "lib/_slopes.py": "gradients autograd",
    "lib/_entmax_autograd.py": "gradients autograd",
    "lib/softmax.py": EVERY_MAP + " objectives promises",
    "lib/alternatives.py": EVERY_MAP + " gradients",
    "lib/entmax.py": EVERY_MAP + " entmax_solver alternatives gradients",
    "lib/gradients.py": "autograd",
    "lib/masks.py": "attention_arguments",
    "lib/divergences.py": "objectives",
    "lib/linear.py": "linear_masks",
    "lib/objectives.py": "awkward autograd promises",
    "lib/attention.py": "attention_maps attention_arguments query_blocks merge",
    "lib/fast/__init__.py": "fast attention attention_maps lse",
    "lib/fast/softmax_by_torch.py": "fast softmax",
    "lib/fast/softmax_by_numpy.py": "fast softmax kernels",
    "lib/fast/entmax_by_sorting.py": "fast kernels alternatives",
    "lib/fast/entmax_rows.py": "kernels alternatives awkward triton_rows",
    "lib/fast/kernels.py": "fast kernels entmax_attention triton_rows",
    "lib/fast/threads.py": "kernels entmax_attention",
    "lib/fast/query_blocks.py": "attention attention_maps",
    "lib/fast/entmax_attention.py": "attention_maps triton_attention",
    "lib/fast/entmax_arguments.py": "entmax_attention entmax_dropout attention_maps triton_attention",
    "lib/fast/sdpa.py": "attention",
    "lib/fast/kernel_call.py": "sdpa",
}


class Trial:
    """A plugin of pytest that, in place of running the collected tests once, runs them on each change."""

    def __init__(self, results):
        self.results, self.path = results, results.path

    def pytest_runtestloop(self, session):
        if session.testsfailed:  # not even collected
            return True
        name = str(self.path.with_suffix("")).replace("/", ".").removesuffix(".__init__")
        self.module, self.items = importlib.import_module(name), session.items
        self.functions = _originals(self.module)
        self.cached = [x for x in gc.get_objects() if type(x) is functools._lru_cache_wrapper and _is_ours(x)]
        self.reach, self.seconds, self.broken_off = defaultdict(list), {}, False
        try:
            self.learn()
            gc.freeze()  # so that copies do not write to the memory that they share
            self.try_all(self.results.left())
        except KeyboardInterrupt:
            self.broken_off = True
            raise
        return True

    def pytest_configure(self):
        """Whether a test fails is asked, not what the simplest failure looks like."""
        from hypothesis import Phase, settings  # only now: pytest rewrites it when it is imported

        settings.register_profile("mutate", settings(), phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutate")

    def learn(self):
        """Run every test without a change for what it calls, and those that matter in a copy, for their times."""
        names = {f.__code__: name for name, found in self.functions.items() for f in found}
        wanted, matter = {change.function for change in self.results.left()}, []
        for item, then in _with_next(self.items):
            with cProfile.Profile(subcalls=False, builtins=False) as profile:
                self.must_pass(item, then)
            called = {names.get(entry.code) for entry in profile.getstats()} & wanted
            for name in called:
                self.reach[name].append(item)
            matter += [item] if called else []
        with tempfile.TemporaryFile("w+") as found:
            copies = {}
            try:
                self.copy(copies, lambda: print(json.dumps(self.times(matter)), file=found, flush=True), matter)
                status = os.waitpid(*copies, 0)[1]
            except KeyboardInterrupt:
                _kill(copies)
                raise
            assert status == 0, "a copy of the process fails where the process itself does not"
            found.seek(0)
            self.seconds = dict(zip(matter, json.load(found), strict=True))
        self.kills = {name: mmap.mmap(-1, len(items)) for name, items in self.reach.items()}  # shared with copies

    def times(self, items):
        """How long each of the tests takes: the second time, when what can be kept from the first is there."""
        found = []
        for item, then in _with_next(items):
            start = time.process_time()
            self.must_pass(item, then)
            found.append(time.process_time() - start)
        return found

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

    def copy(self, copies, work, what):
        """Have a copy of this process do the work; what it is goes into `copies`, under the copy's number.

        Ctrl-C has to wait until then: Python would swallow what it raises while a process is copied.
        """
        with _later(signal.SIGINT):
            copies[os.fork() or self.leave(work)] = what

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
                    self.copy(running, lambda change=change: self.try_one(change), change)
                    continue
                process, status = os.wait()
                if process in running:
                    change, code = running.pop(process), os.waitstatus_to_exitcode(status)
                    assert code not in (BROKEN, -signal.SIGTERM), f"cannot be tried: {change}"
                    self.results.add(change, code != SURVIVED)
                    self.show(f"{total - len(waiting) - len(running)} of {total}")
        finally:
            _kill(running)
            self.show(f"{total - len(waiting) - len(running)} tried in {time.monotonic() - start:.0f} s\n")

    def show(self, text):
        if sys.__stderr__.isatty() or text.endswith("\n"):
            print(f"\r{self.path}: {text}", end="", file=sys.__stderr__, flush=True)

    def try_one(self, change):
        """Put the change in and run the tests of its function until one fails."""
        items, kills = self.reach[change.function], self.kills.get(change.function)
        limit = 10 + int(5 * sum(self.seconds[item] for item in items))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.put_in(change)
        order = sorted(range(len(items)), key=lambda k: self.seconds[items[k]] / (1 + kills[k]))
        for k, then in _with_next(order):
            if not self.passes(items[k], items[then]):
                kills[k] = min(kills[k] + 1, 255)
                return KILLED
        return SURVIVED

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


def _with_next(items):
    """Each with the one that follows it, for which pytest keeps the fixtures that they share."""
    return zip(items, items[1:] + items[:1], strict=True)


def _kill(processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(process, signal.SIGKILL)


@contextlib.contextmanager
def _later(number):
    """A signal that comes meanwhile is delivered afterwards."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})


def _is_ours(f):
    return (getattr(f, "__module__", None) or "").startswith("lib.")


def try_module(path):
    """Try the changes of one module: 0 if every one is killed or has a reason not to be, else 1."""
    names = {path.stem, "devices", "refusals", *NOTICED_BY.get(str(path), "").split()}
    files = sorted(
        str(file) for file in Path("tests").rglob("test_*.py") if file.stem.removeprefix("test_") in names
    )
    results = Results(path, files)
    if results.left():
        without = ("cacheprovider", "faulthandler", "terminal")  # a change that crashes its process is killed, too
        plugins = [option for name in without for option in ("-p", f"no:{name}")]
        options = ["-m", "not not_forked", "--capture=sys", *plugins]
        trial = Trial(results)
        code = pytest.main([*files, *options], [trial])
        if trial.broken_off:
            results.report()
            return BROKEN_OFF
        if code != pytest.ExitCode.OK:
            print(f"{path}: its tests cannot be collected, or fail without a change")
            return 1
    return 0 if results.report() else 1


def main(paths):
    """Each module in a process of its own: what one imported and cached is not in the way of the next."""
    if len(paths) == 1:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return try_module(Path(paths[0]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process of the module is told too, and ends by itself
    worst = 0
    for path in paths or the_maths():
        code = subprocess.call([sys.executable, "-m", "tools.mutate", path])
        worst = max(worst, code)
        if code == BROKEN_OFF:
            break
    return worst


def the_maths():
    """Every module that can be judged here.

    lib/fast/cpu is compiled, and lib/sharded.py has its own processes.
    """
    elsewhere = ("sharded.py",)
    found = [path for folder in ("lib", "lib/fast") for path in sorted(Path(folder).glob("*.py"))]
    return [str(path) for path in found if path.name not in elsewhere and changes(path)[1]]


def of_the_night(night):
    """One module, by the number of the night: all have their turn."""
    paths = the_maths()
    return paths[night % len(paths)]


if __name__ == "__main__":
    paths = sys.argv[1:]
    sys.exit(main([of_the_night(int(paths[1]))] if paths[:1] == ["--night"] else paths))
