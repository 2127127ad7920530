"""The changes that `make mutate` tries, and the files in _build/mutation/ that keep what became of them."""

import ast
import difflib
import hashlib
import json
import re
from pathlib import Path
from typing import NamedTuple

import libcst
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

RESULTS = Path("_build/mutation")
REASONS = Path("tools/survivors.md")


class Change(NamedTuple):
    """One small step: `function` by its qualified name, its changed lines before and after, its whole new text."""

    function: str
    before: str
    after: str
    text: str

    def __str__(self):
        return f"`{self.function}`\n  - `{self.before}`\n  + `{self.after}`"


class EveryFunction(MutationVisitor):
    def _skip_node_and_children(self, node):
        """mutmut leaves decorated functions alone. Here a change is put inside of the decorators."""
        return not isinstance(node, libcst.FunctionDef) and super()._skip_node_and_children(node)


def changes(path):
    """({function: digest of its text}, every change) of a module."""
    wrapped = libcst.metadata.MetadataWrapper(libcst.parse_module(path.read_text()))
    visitor = EveryFunction(mutation_operators, IgnoredCode(set(), set(), set()))
    code_of, names = wrapped.visit(visitor).code_for_node, _functions(wrapped.module)
    bare = {x: x.with_changes(decorators=(), leading_lines=()) for x in names}
    as_it_is = {x: (bare[x], code_of(bare[x])) for x in names}
    found = {}
    for step in visitor.mutations:
        definition = step.contained_by_top_level_function
        if definition not in names:
            continue  # the change is of a constant of the module
        bare, old = as_it_is[definition]
        text = code_of(bare.deep_replace(step.original_node, step.mutated_node))
        found[names[definition], *_changed_lines(old, text)] = text
    digests = {name: _digest(code_of(definition)) for definition, name in names.items()}
    return digests, [Change(*key, text) for key, text in found.items()]


def _functions(module):
    """{definition: qualified name} of the functions and methods of a module."""
    found = {x: x.name.value for x in module.body if isinstance(x, libcst.FunctionDef)}
    for node in module.body:
        if isinstance(node, libcst.ClassDef):
            methods = [x for x in node.body.body if isinstance(x, libcst.FunctionDef)]
            found |= {x: f"{node.name.value}.{x.name.value}" for x in methods}
    return found


def _changed_lines(old, new):
    lines = list(difflib.ndiff(old.splitlines(), new.splitlines()))
    return (" ".join(s[2:].strip() for s in lines if s.startswith(sign)) for sign in "-+")


def _digest(text):
    """Of a function's code: comments, layout and docstring do not count."""
    (function,) = ast.parse(text).body
    if ast.get_docstring(function) is not None:
        del function.body[0]
    return hashlib.sha256(ast.unparse(function).encode()).hexdigest()[:12]


class Results:
    """What became of a module's changes. In the file: a digest of the tests; for each function its own, how
    many of its changes were killed, and the lines, before and after, of those that survived."""

    def __init__(self, path, tests):
        self.path, self.file = path, RESULTS / path.with_suffix(".json")
        self.tests = hashlib.sha256(b"".join(Path(test).read_bytes() for test in tests)).hexdigest()[:12]
        self.digests, self.changes = changes(path)
        before = json.loads(self.file.read_text()) if self.file.exists() else {}
        same_tests = before.get("tests") == self.tests
        earlier = before["functions"] if same_tests else {}  # other tests may not notice what those before did
        self.entries = {name: entry for name, entry in earlier.items() if self._is_of_now(name, entry)}
        self.killed = {x for x in self.changes if x.function in self.entries and not self._survived(x)}
        self.tried = set(self.killed)  # in this run, or killed in an earlier one

    def _is_of_now(self, name, entry):
        same_changes = entry["killed"] + len(entry["survived"]) == len(self._of(name))
        return entry["digest"] == self.digests.get(name) and same_changes

    def _survived(self, change):
        return [change.before, change.after] in self.entries[change.function]["survived"]

    def _of(self, function):
        return {x for x in self.changes if x.function == function}

    def left(self):
        return [x for x in self.changes if x not in self.tried]

    def add(self, change, killed):
        """Note what became of a change; once all those of its function were tried, write it down."""
        self.tried.add(change)
        self.killed |= {change} if killed else set()
        of_function = self._of(change.function)
        if of_function <= self.tried:
            self.entries[change.function] = {
                "digest": self.digests[change.function],
                "killed": len(of_function & self.killed),
                "survived": sorted([x.before, x.after] for x in of_function - self.killed),
            }
            in_order = {name: self.entries[name] for name in self.digests if name in self.entries}
            self.file.parent.mkdir(parents=True, exist_ok=True)
            found = {"tests": self.tests, "functions": in_order}
            self.file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")

    def report(self):
        """Print the score and what is wrong; True if every change was tried and is killed or has its reason.

        A reason without its survivor is printed too, and is no failure: a harmless rewrite of a line leaves one.
        """
        survivors = {(x.function, x.after): x for x in self.tried - self.killed}
        untried = {(x.function, x.after) for x in self.left()}
        reasons = self._reasons()
        for key in survivors.keys() - reasons:
            print(f"survived: {self.path} {survivors[key]}")
        for function, after in reasons - survivors.keys() - untried:
            print(f"{REASONS} has a reason, but there is no such survivor: {self.path} `{function}`: `{after}`")
        share = f"{100 * len(self.killed) / max(len(self.tried), 1):.1f} %"
        others = f"{len(survivors.keys() & reasons)} cannot be" + (
            f", {len(untried)} not tried" if untried else ""
        )
        print(f"{self.path}: {len(self.killed)} of {len(self.tried)} killed, {share}; {others}")
        return survivors.keys() <= reasons and not untried

    def _reasons(self):
        """{(function, its changed lines after the change)} that stand in the list of what no test can kill."""
        text = REASONS.read_text() if REASONS.exists() else ""
        section = re.search(rf"^## {re.escape(str(self.path))}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        return set(re.findall(r"^- `(.*?)`: `(.*)`$", section[1], re.M)) if section else set()
