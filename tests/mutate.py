"""`make mutate`: changes the maths one small step at a time; a test must fail each time.

The mutants are mutmut's, of the modules that pyproject.toml names. The work can be broken off and taken up again:
what was killed stays so until its function changes; the rest is tried again. A mutant that no test can kill, since
nothing that can be observed changes, stands in mutants.md with the reason. Any other survivor is a failure.
"""

import functools
import os
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
HARMLESS = {"quiet", "eager", "functools.cache"}  # decorators that may stand on a mutant too
KILLED = {"killed", "timeout"}
SUSPICIOUS = 35  # mutmut's code for neither killed nor cleared
MODULES = ["masks", "gibbs", "alternatives", "gradients", "entmax_solver"]


def mutate_decorated_functions():
    """mutmut leaves every decorated function alone; ours are wrapped by what a copy may be wrapped by as well."""
    import libcst
    from mutmut.mutation.file_mutation import MutationVisitor

    skips = MutationVisitor._skip_node_and_children

    def skip(self, node):
        if isinstance(node, libcst.FunctionDef) and node.decorators:
            names = {libcst.Module([]).code_for_node(d.decorator) for d in node.decorators}
            if names <= HARMLESS:
                return False
        return skips(self, node)

    MutationVisitor._skip_node_and_children = skip


def cache_nothing():
    """A process for a mutant is a copy of one that ran the tests: what `lib` caches is not mutated."""
    cache = functools.cache
    functools.cache = lambda f: f if f.__module__.startswith("lib.") else cache(f)


def try_tests(all_of_them):
    """All tests that call the function, or a spread of 60 or so: enough for nearly all, and sooner collected."""
    from mutmut.runners.harness import PytestRunner
    from mutmut.utils.file_utils import change_cwd

    def run(self, *, mutant_name, tests):
        step = 1 if all_of_them else len(tests) // 60 + 1
        with change_cwd("mutants"):
            code = int(self.execute_pytest(self._pytest_args_regular_run(list(tests)[::step])))
        return code if code or all_of_them or not mutant_name else SUSPICIOUS

    PytestRunner.run_tests = run


def mutants(only):
    """(path, name, status) of every mutant of these modules."""
    from mutmut.mutation.data import SourceFileMutationData
    from mutmut.stats import status_by_exit_code
    from mutmut.utils.file_utils import walk_mutatable_files

    for path in sorted(walk_mutatable_files()):
        data = SourceFileMutationData(path=path)
        data.load()
        for name, code in data.exit_code_by_key.items() if path.stem in only else ():
            yield path, name, status_by_exit_code[code]


def change(path, name):
    """(function, the changed lines before, the same after) of a mutant."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    lines = get_diff_for_mutant(name, path=path).splitlines()[2:]
    before, after = (" ".join(s[1:].strip() for s in lines if s.startswith(sign)) for sign in "-+")
    function = re.fullmatch(r".*\.x_(.*)__mutmut_\d+", name).group(1)
    return f"{path.stem}.{function}", before, after


def is_listed(path, name):
    """Does the mutant stand in mutants.md?"""
    function, _, after = change(path, name)
    return f"- `{function}`: `{after}`\n" in (ROOT / "tests" / "mutants.md").read_text()


def report(only):
    """Print the score of each module and the survivors; True if none is left without a reason."""
    counts, left = defaultdict(Counter), []
    for path, name, status in mutants(only):
        if status not in KILLED | {"not checked"}:
            if not is_listed(path, name):
                function, before, after = change(path, name)
                left.append(f"{status}: {name}\n  `{function}`\n  - `{before}`\n  + `{after}`")
            status = "listed" if is_listed(path, name) else "survived"
        counts[path]["killed" if status in KILLED else status] += 1
    print("\n".join(["", *left, ""]))
    counts["all"] = sum(counts.values(), Counter())
    for path, count in counts.items():
        tried = count.total() - count["not checked"]
        killed = count.pop("killed", 0)
        others = ", ".join(f"{n} {what}" for what, n in count.items() if n)
        print(f"{path}: {killed} of {tried} killed, {100 * killed / max(tried, 1):.1f} % ({others or 'all'})")
    return counts["all"]["survived"] == counts["all"]["not checked"] == 0


def try_again(only):
    """Let mutmut run the mutants of these modules alone, and again those that were not killed."""
    from mutmut import __main__ as mutmut
    from mutmut.stats import status_by_exit_code

    collect, tests = mutmut.collect_source_file_mutation_data, mutmut.tests_for_mutant_names

    def chosen(**options):
        found, files = collect(**options)
        stands = {code for code, status in status_by_exit_code.items() if status in KILLED}
        for k, (data, name, code) in enumerate(found):
            if code is not None and code not in stands and not is_listed(data.path, name):
                found[k] = data, name, None
        found = [x for x in found if x[0].path.stem in only]
        return found, files

    mutmut.collect_source_file_mutation_data = chosen
    mutmut.tests_for_mutant_names = lambda _: tests([f"lib.{module}.*" for module in only])


def main(only):
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # a forked process has no other threads
    os.chdir(ROOT)
    from mutmut.__main__ import _run

    mutate_decorated_functions()
    cache_nothing()
    try_again(only)
    for all_of_them in (False, True):
        try_tests(all_of_them)
        _run((), max_children=2)
        if any(status == "not checked" for *_, status in mutants(only)):
            break  # interrupted
    return 0 if report(only) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or MODULES))
