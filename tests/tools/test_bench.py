"""The benchmarks measure the same thing on both sides, keep what they have measured, and tell no secrets."""

import functools
import json
import mmap
import platform
import re
import time

import numpy as np
import pytest

import bench.__main__ as bench
from bench import attention, fresh, measure, scaling, small
from bench.measure import Case, Pair, facts, peak_memory_here, timed
from bench.report import Results, table
from book.speed import measured

FACTS = {"lib": "0123", "cores": 2}


def nothing(ours, peer):
    pass


def test_a_pair_is_timed_only_once_it_agrees_with_the_right_result():
    calls = []
    pair = Pair(lambda: 1, lambda: calls.append(1) or 2, np.testing.assert_equal)
    for wrong in (pair, pair._replace(reference=lambda: 3)):
        with pytest.raises(AssertionError):
            timed(wrong, rounds=3, seconds=1.0)
    assert len(calls) == 2
    assert timed(pair._replace(reference=lambda: 1), rounds=3, seconds=1.0)["rounds"] == 3


def test_a_ratio_is_ours_over_the_peers():
    short, middle, long = (functools.partial(time.sleep, seconds) for seconds in (0.001, 0.005, 0.02))
    row = timed(Pair(short, long, nothing, copy=middle), rounds=3, seconds=1.0)
    assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"] < 1
    assert row["ours_ms"] < row["copy_ms"] < row["peer_ms"]


def test_page_faults_are_those_of_one_call():
    # An array would not do: what the process has freed before may be used again, without a fault.
    pages = 1000

    def touch_new_pages():
        with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
            if hasattr(mmap, "MADV_NOHUGEPAGE"):
                memory.madvise(mmap.MADV_NOHUGEPAGE)
            memory.write(bytes(len(memory)))

    assert fresh.least(touch_new_pages, rounds=3)["faults"] >= pages
    found = fresh.measure({"softmax": (64,)}, rounds=3)["softmax"]["64"]
    assert found["ms"] > 0
    assert found["faults"] < 100


def test_memory_is_what_a_call_adds_at_most():
    memory = peak_memory_here({"ours_mb": lambda: np.ones(5_000_000).sum(), "peer_mb": lambda: np.ones(3).sum()})
    assert 35 < memory["ours_mb"] < 60  # 40 MB of float64
    assert memory["peer_mb"] < 5


def test_what_was_measured_stays_until_the_source_changes(tmp_path):
    path = tmp_path / "results.json"
    Results(FACTS, path).add(Case("a", "the peer", 0.5, None, limit_mb=30), {"ratio": 0.25})
    row = {"peer": "the peer", "target": 0.5, "limit_mb": 30, "ratio": 0.25}
    assert Results(FACTS, path).rows == {"a": row}
    assert Results(FACTS | {"lib": "4567"}, path).rows == {}


def test_what_the_book_shows_is_a_whole_run_which_goes_on_where_it_was_interrupted(tmp_path, monkeypatch, capsys):
    """A benchmark of two cases and two points, interrupted in the second case, and then in the second point."""
    whole, asked = tmp_path / "results.json", []
    whole.write_text('{"rows": {}}')

    def measured_once(what, **pace):
        asked.append(what)
        if asked in (["a", "b"], ["a", "b", "b", 8192, 2048]):
            raise KeyboardInterrupt
        return dict(ratio=0.5, ratio_low=0.4, ratio_high=0.6, ours_ms=1.0, peer_ms=2.0)

    def call(n):
        measured_once(n)
        return lambda: time.sleep(0.001)

    cases = {name: Case(name, "the peer", 0.5, lambda name=name: name) for name in ("a", "b")}
    points = [scaling.Point(f"for {n}", "softmax", n, lambda n=n: call(n)) for n in (8192, 2048)]
    replaced = dict(
        FILE=whole,
        UNFINISHED=tmp_path / "unfinished.json",
        CASES=cases,
        POINTS={each.name: each for each in points},
    )
    replaced |= dict(timed=measured_once, peak_memory=lambda name: {}, facts=lambda: FACTS)
    for name, value in replaced.items():
        monkeypatch.setattr(bench, name, value)
    monkeypatch.setattr(scaling, "peak_memory", lambda name: {})

    def run(*options):
        monkeypatch.setattr("sys.argv", ["bench", *options])
        bench.main()
        return sorted(json.loads(whole.read_text())["rows"])

    assert run() == run() == []
    assert run() == ["a", "b"]
    assert asked == ["a", "b", "b", 8192, 2048, 2048], "what was measured is kept"
    assert not replaced["UNFINISHED"].exists()
    curve = json.loads(whole.read_text())["scaling"]["softmax"]
    assert [point["n"] for point in curve["points"]] == [2048, 8192]
    times = [point["ms"] for point in curve["points"]]
    assert curve["powers"]["ms"] == pytest.approx(scaling.power([2048, 8192], times))
    assert "1/2" in capsys.readouterr().err
    before = whole.read_text()
    run("--only", "a")
    assert asked[-1] == "a"
    assert whole.read_text() == before, "a part is shown and not kept"


def test_the_table_says_what_was_reached_and_what_was_not():
    row = dict(peer="x", target=0.1, ratio=0.05, ratio_low=0.04, ratio_high=0.06, ours_ms=1.0, peer_ms=20.0)
    rows = {
        "fast": row | {"copy_ms": 0.75, "limit_mb": 30},
        "slow": row | {"ratio": 0.2, "ours_mb": 31.0, "peer_mb": 9.0, "limit_mb": 30},
        "small": row | {"ratio": 1.25, "ours_mb": 29.0, "peer_mb": None, "limit_mb": 30},
    }
    fast, slow, little = table(rows, {"slow": {"ratio": 0.25}}).splitlines()[1:]
    assert re.search(r"^fast +1.00 +20.00 +0.75 +1/20.0 .* reached +– +– +30 +x$", fast)
    assert re.search(r"^slow +1.00 +20.00 +– +1/5.0 .* missed +1/4.0 +31 +30 +missed +x$", slow)
    assert re.search(r" 1.25 .* missed +– +29 +30 +reached +x$", little)


SMALL, ATTENTION = list(small.cases()), list(attention.cases())


@pytest.mark.parametrize("case", [*SMALL, *ATTENTION], ids=lambda case: case.name)
def test_a_case_is_checked_against_the_right_result(case, monkeypatch):
    monkeypatch.setattr(small, "again", lambda call, times: call)
    pair = case.setup() if case in SMALL else case.setup(n=320)  # more than the window
    ours, right = pair.ours(), (pair.reference or pair.peer)()
    pair.copy()
    pair.check(ours, right)
    with pytest.raises(AssertionError):
        pair.check(tuple(1.01 * x for x in ours) if isinstance(ours, tuple) else 1.01 * ours, right)


def test_the_power_of_n_is_found_whatever_the_small_n_say():
    n = np.array([16, 64, 256, 1024])
    for p in (0.5, 1.0, 2.0):
        assert scaling.power(n, 3.0 * n**p, 16) == pytest.approx(p)
        assert scaling.power(n, [99.0, None, *n[2:] ** p], 64) == pytest.approx(p)
    assert scaling.power(n, n, 1024) is None
    assert scaling.power(n, n**1.5 * [1, 1.1, 0.9, 1], 16) == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize("curve", scaling.CURVES)
def test_a_point_is_a_call_of_its_length(curve):
    output = scaling.setup(scaling.CURVES[curve].attend, 32)()
    assert output.shape == (1, scaling.HEADS, 32, scaling.WIDTH)
    assert output.isfinite().all()


def test_the_facts_name_no_host_and_no_path():
    said = json.dumps(facts())
    assert platform.node() not in said or len(platform.node()) < 3
    assert not re.search(r"/(home|root|tmp|usr|work)\b", said)


@pytest.mark.parametrize("folder", ["lib", "lib/fast", "lib/fast/cpu"])
def test_the_facts_tell_one_source_from_another(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "ROOT", tmp_path)
    source = tmp_path / folder / "a.py"
    source.parent.mkdir(parents=True)
    source.write_text("a = 1\n")
    before = facts()["lib"]
    source.write_text("a = 1  # a comment takes no time\n")
    assert facts()["lib"] == before
    source.write_text("a = 2\n")
    assert facts()["lib"] != before


def test_the_last_run_is_of_the_rows_that_there_are():
    assert set(measured.rows()) == set(bench.CASES)
