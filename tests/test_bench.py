"""The benchmarks measure the same thing on both sides, keep what they have measured, and tell no secrets."""

import json
import re
import time

import numpy as np
import pytest

import bench.__main__ as bench
from bench.measure import Case, Pair, facts, peak_memory_here, timed
from bench.report import Results, as_ratio, table

FACTS = {"lib": "0123", "cores": 2}


def nothing(ours, peer):
    pass


def test_a_pair_that_disagrees_is_not_timed():
    from bench.rows import same

    calls = []
    pair = Pair(lambda: np.ones(3), lambda: calls.append(1) or np.ones(3) + 1e-3, same)
    with pytest.raises(AssertionError):
        timed(pair, rounds=3)
    assert len(calls) == 1


def test_a_ratio_is_ours_over_the_peers():
    row = timed(Pair(lambda: time.sleep(0.001), lambda: time.sleep(0.02), nothing), rounds=3)
    assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"] < 1
    assert row["ours_ms"] < row["peer_ms"]
    assert row["rounds"] == 3


def test_memory_is_what_a_call_adds_at_most():
    memory = peak_memory_here(Pair(lambda: np.ones(5_000_000).sum(), lambda: np.ones(3).sum(), nothing))
    assert 35 < memory["ours_mb"] < 60  # 40 MB of float64
    assert memory["peer_mb"] < 5


def test_what_was_measured_stays_until_the_source_changes(tmp_path):
    path = tmp_path / "results.json"
    case = Case("a", "the peer", 0.5, None)
    Results(path, FACTS).add(case, {"ratio": 0.25})
    assert Results(path, FACTS).rows["a"] == {"peer": "the peer", "target": 0.5, "ratio": 0.25}
    assert Results(path, FACTS | {"lib": "4567"}).rows == {}
    assert Results(path, FACTS, fresh=True).rows == {}


def test_an_interruption_loses_nothing_and_the_next_run_goes_on(tmp_path, capsys):
    def interrupted():
        raise KeyboardInterrupt

    def quick():
        return Pair(int, int, nothing)

    results = Results(tmp_path / "results.json", FACTS)
    cases = [Case("a", "x", 1.0, quick), Case("b", "x", 1.0, interrupted)]
    with pytest.raises(KeyboardInterrupt):
        bench.run(cases, results, quick=True)
    assert list(Results(results.path, FACTS).rows) == ["a"]
    assert "1/2" in capsys.readouterr().err


def test_the_table_says_what_was_reached_and_what_was_not():
    row = dict(peer="x", target=0.1, ratio=0.05, ratio_low=0.04, ratio_high=0.06, ours_ms=1.0, peer_ms=20.0)
    text = table({"fast": row, "slow": row | {"ratio": 0.2, "ours_mb": 17.2, "peer_mb": None}})
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["fast", "slow"]
    assert "reached" in text.splitlines()[1]
    assert "missed" in text.splitlines()[2]
    assert as_ratio(0.05) == "1/20.0"
    assert as_ratio(1.25) == "1.25"


def test_cases_have_names_of_their_own_and_targets():
    assert len(bench.CASES) == sum(1 for suite in bench.SUITES for _ in suite.cases()) > 20
    assert all(0 < case.target < 2 for case in bench.CASES.values())


def test_the_facts_name_no_host_and_no_path():
    import platform

    said = json.dumps(facts())
    assert platform.node() not in said or len(platform.node()) < 3
    assert not re.search(r"/(home|root|tmp|usr|work)\b", said)
