"""Measure what is not in the result file yet, and print the table. Ctrl-C stops; the rest comes next time."""

import argparse
import json
from pathlib import Path

from bench import rows
from bench.measure import facts, peak_memory, peak_memory_here, timed
from bench.report import Bar, Results, table

SUITES = (rows,)
CASES = {case.name: case for suite in SUITES for case in suite.cases()}


def main():
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, no memory; in a file of its own")
    parser.add_argument("--fresh", action="store_true", help="measure again what is in the result file")
    parser.add_argument("--only", default="", metavar="WORDS", help="only the rows whose name has these words")
    parser.add_argument("--memory-of", choices=CASES, metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print(json.dumps(peak_memory_here(CASES[options.memory_of].setup())))
        return
    path = Path(__file__).parent / ("quick.json" if options.quick else "results.json")
    chosen = [case for case in CASES.values() if all(word in case.name for word in options.only.split())]
    results = Results(path, facts(), options.fresh)
    try:
        run([case for case in chosen if case.name not in results.rows], results, options.quick)
    except KeyboardInterrupt:
        print("\nInterrupted: what is measured is kept, and the same command goes on from here.")
    shown = {case.name: results.rows[case.name] for case in chosen if case.name in results.rows}
    print(table(shown))


def run(cases, results, quick):
    bar = Bar(len(cases))
    for case in cases:
        bar.show(case.name)
        row = timed(case.setup(), rounds=5 if quick else 15, seconds=1.5 if quick else 6.0)
        results.add(case, row | ({} if quick else peak_memory(case.name)))
    bar.close()


if __name__ == "__main__":
    main()
