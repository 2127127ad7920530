"""Measure what is not in the result file yet, and print the tables. Ctrl-C stops; the rest comes next time.

A full run becomes `book/speed/results.json`, which the chapter *speed* shows, once all of it is measured.
"""

import argparse
import json
import sys

from bench import attention, rows, scaling, small
from bench.measure import ROOT, facts, peak_memory, peak_memory_here, timed
from bench.report import Bar, Results, curve_tables, table
from book.speed.measured import FILE

QUICK = ROOT / "bench" / "quick.json"
UNFINISHED = ROOT / "bench" / "unfinished.json"  # a full run, until it is whole
SUITES = (small, rows, attention)
CASES = {case.name: case for suite in SUITES for case in suite.cases()}
POINTS = {point.name: point for point in scaling.points()}


def main():
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few rounds, no memory; in a file of its own")
    parser.add_argument("--fresh", action="store_true", help="measure again what is in the result file")
    parser.add_argument("--only", default="", metavar="WORDS", help="only what has these words in its name")
    parser.add_argument("--memory-of", choices=[*CASES, *POINTS], metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print(json.dumps(peak_memory_here(calls_of(options.memory_of))))
        return
    results = Results(QUICK, facts()) if options.quick else Results(UNFINISHED, facts(), whole=FILE)
    if options.only and results.others and not options.quick:
        sys.exit("the last run is of another machine or source: a part measured anew would stand there alone")
    cases, points = (
        [one for name, one in named.items() if all(word in name for word in options.only.split())]
        for named in (CASES, POINTS)
    )
    if options.quick:
        points = [point for point in points if point.n in scaling.QUICK_SIZES]
    if options.fresh:
        results.forget([case.name for case in cases], points)
    try:
        run(cases, results, options.quick)
        scaling.run(points, results, options.quick)
        if (
            not options.quick
            and results.rows.keys() >= CASES.keys()
            and not scaling.left(POINTS.values(), results)
        ):
            results.finish()
    except KeyboardInterrupt:
        print("\nInterrupted: what is measured is kept, and the same command goes on from here.")
    shown = {case.name: results.rows[case.name] for case in cases if case.name in results.rows}
    curves = {point.curve: results.scaling[point.curve] for point in points if point.curve in results.scaling}
    print("\n\n".join([table(shown)] * bool(shown) + curve_tables(curves)))


def calls_of(name):
    """What is called in a process of its own to see its memory: both sides of a case, or a point of a curve."""
    if name in POINTS:
        return {"mb": POINTS[name].setup()}
    pair = CASES[name].setup()
    return {"ours_mb": pair.ours, "peer_mb": pair.peer}


def run(cases, results, quick):
    pace = dict(rounds=5, seconds=0.5, least=2) if quick else dict(rounds=15, seconds=6.0)
    cases = [case for case in cases if case.name not in results.rows]
    bar = Bar(len(cases))
    for case in cases:
        bar.show(case.name)
        row = timed(case.setup(), **pace)
        results.add(case, row | ({} if quick else peak_memory(case.name)))
    bar.close()


if __name__ == "__main__":
    main()
