"""Measure against what one would install instead, and print one table: each row with its target and the last run.

A full run becomes `book/speed/results.json`, which the chapter *speed* shows, once all of it is measured. Ctrl-C
stops it, and the same command goes on from there, as long as machine and source are the same.
"""

import argparse
import json

from bench import attention, rows, scaling, small
from bench.measure import ROOT, facts, peak_memory, peak_memory_here, timed
from bench.report import Bar, Results, curve_tables, table
from book.speed.measured import FILE

UNFINISHED = ROOT / "bench" / "unfinished.json"  # a full run, until it is whole
CASES = {case.name: case for suite in (small, rows, attention) for case in suite.cases()}
POINTS = {point.name: point for point in scaling.points()}


def main():
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few rounds, no memory; nothing is kept")
    parser.add_argument("--only", default="", metavar="WORDS", help="what has these words in its name; not kept")
    parser.add_argument("--memory-of", choices=[*CASES, *POINTS], metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print(json.dumps(peak_memory_here(calls_of(options.memory_of))))
        return
    cases, points = (
        [one for name, one in named.items() if all(word in name for word in options.only.split())]
        for named in (CASES, POINTS)
    )
    if options.quick:
        points = [point for point in points if point.n in scaling.QUICK_SIZES]
    whole = not (options.quick or options.only)
    results = Results(facts(), UNFINISHED if whole else None)
    try:
        run(cases, results, options.quick)
        scaling.run(points, results, options.quick)
    except KeyboardInterrupt:
        print("\nInterrupted." + " The same command goes on from here." * whole)
    else:
        if whole:
            UNFINISHED.replace(FILE)
    last = json.loads(FILE.read_text())["rows"]
    print("\n\n".join([table(results.rows, last)] * bool(results.rows) + curve_tables(results.scaling)))


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
