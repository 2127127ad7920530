"""The benchmarks measure the same thing on both sides, keep what they have measured, and tell no secrets."""

import functools
import itertools
import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import bench.__main__ as bench
from bench import attention, figures, measure, scaling, small
from bench.measure import Case, Pair, code_of, facts, median_ms, peak_memory_here, timed
from bench.report import Results, as_ratio, curve_tables, table

FACTS = {"lib": "0123", "cores": 2}


def nothing(ours, peer):
    pass


def test_a_pair_that_disagrees_is_not_timed():
    from bench.rows import same

    calls = []
    pair = Pair(lambda: np.ones(3), lambda: calls.append(1) or np.ones(3) + 1e-3, same)
    with pytest.raises(AssertionError):
        timed(pair, rounds=3, seconds=1.0)
    assert len(calls) == 1


def test_the_right_result_may_be_another_than_the_peers():
    pair = Pair(lambda: 1, lambda: 2, np.testing.assert_equal, reference=lambda: 1)
    assert timed(pair, rounds=3, seconds=1.0)["rounds"] == 3
    with pytest.raises(AssertionError):
        timed(pair._replace(reference=lambda: 3), rounds=3, seconds=1.0)


def test_a_ratio_is_ours_over_the_peers():
    short, long, copies = lambda: time.sleep(0.001), lambda: time.sleep(0.02), []
    row = timed(Pair(short, long, nothing), rounds=3, seconds=1.0)
    assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"] < 1
    assert row["ours_ms"] < row["peer_ms"]
    assert row["rounds"] == 3
    assert "copy_ms" not in row
    row = timed(Pair(short, long, nothing, copy=lambda: copies.append(time.sleep(0.005))), rounds=3, seconds=1.0)
    assert row["ratio"] < 1
    assert row["ours_ms"] < row["copy_ms"] < row["peer_ms"]
    assert len(copies) >= 4


def test_memory_is_what_a_call_adds_at_most():
    memory = peak_memory_here({"ours_mb": lambda: np.ones(5_000_000).sum(), "peer_mb": lambda: np.ones(3).sum()})
    assert 35 < memory["ours_mb"] < 60  # 40 MB of float64
    assert memory["peer_mb"] < 5


def test_what_was_measured_stays_until_the_source_changes(tmp_path):
    path = tmp_path / "results.json"
    case = Case("a", "the peer", 0.5, None, limit_mb=30)
    results = Results(path, FACTS)
    results.scaling["b"] = {"points": []}
    results.add(case, {"ratio": 0.25})
    kept = Results(path, FACTS)
    assert kept.rows["a"] == {"peer": "the peer", "target": 0.5, "limit_mb": 30, "ratio": 0.25}
    assert kept.scaling == {"b": {"points": []}}
    other = Results(path, FACTS | {"lib": "4567"})
    assert other.rows == other.scaling == {}


def test_what_is_measured_again_alone_is_dropped(tmp_path):
    results = Results(tmp_path / "results.json", FACTS)
    cases = [Case(name, "the peer", 0.5, None) for name in "ab"]
    for case in cases:
        results.add(case, {"ratio": 0.25})
    results.scaling = {"c": {"points": [{"n": 64}, {"n": 128}], "powers": {"ms": 1.0, "mb": 1.0}}}
    results.forget(["a", "unknown"], [SimpleNamespace(curve="c", n=64), SimpleNamespace(curve="unknown", n=64)])
    assert list(results.rows) == ["b"]
    assert results.scaling == {"c": {"points": [{"n": 128}], "powers": {"ms": None, "mb": None}}}


def test_fresh_rows_leave_the_others_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setattr(bench, "facts", lambda: FACTS)
    monkeypatch.setattr(bench, "POINTS", {})
    monkeypatch.setattr(
        bench, "CASES", {name: Case(name, "x", 1.0, lambda: Pair(int, int, nothing)) for name in "ab"}
    )
    path = tmp_path / "quick.json"
    for arguments in ([], ["--fresh", "--only", "a"]):
        if arguments:
            kept = json.loads(path.read_text())
            kept["rows"]["a"]["ratio"] = kept["rows"]["b"]["ratio"] = -1.0
            path.write_text(json.dumps(kept))
        monkeypatch.setattr("sys.argv", ["bench", "--quick", *arguments])
        bench.main()
    rows = json.loads(path.read_text())["rows"]
    assert rows["a"]["ratio"] > 0
    assert rows["b"]["ratio"] == -1.0


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
    text = table({"fast": row | {"copy_ms": 0.75}, "slow": row | {"ratio": 0.2, "ours_mb": 17.2, "peer_mb": None}})
    assert re.search(r"1.00 +20.00 +0.75 +1/20.0", text.splitlines()[1])
    assert re.search(r"1.00 +20.00 +– +1/5.0", text.splitlines()[2])
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["fast", "slow"]
    assert "reached" in text.splitlines()[1]
    assert "missed" in text.splitlines()[2]
    assert as_ratio(0.05) == "1/20.0"
    assert as_ratio(1.25) == "1.25"


def test_the_memory_has_a_verdict_where_it_has_a_limit_and_is_known():
    row = dict(peer="x", target=1.0, ratio=2.0, ratio_low=2.0, ratio_high=2.0, ours_ms=1.0, peer_ms=1.0)
    rows = {
        "little": row | {"ours_mb": 29.0, "peer_mb": 9.0, "limit_mb": 30},
        "much": row | {"ours_mb": 31.0, "peer_mb": 9.0, "limit_mb": 30},
        "unlimited": row | {"ours_mb": 31.0, "peer_mb": 9.0, "limit_mb": None},
        "unknown": row | {"limit_mb": 30},
    }
    little, much, unlimited, unknown = table(rows).splitlines()[1:]
    assert re.search(r"missed +29 +30 +reached +9 +x$", little)
    assert re.search(r"missed +31 +30 +missed +9 +x$", much)
    assert re.search(r"missed +31 +9 +x$", unlimited)
    assert re.search(r"missed +– +30 +– +x$", unknown)


def test_cases_have_names_of_their_own_and_targets():
    assert len(bench.CASES) == sum(1 for suite in bench.SUITES for _ in suite.cases()) > 20
    assert all(0 < case.target < 2 for suite in (bench.rows, bench.attention) for case in suite.cases())
    assert all(0 < case.target <= 10 for case in bench.small.cases())  # of a small call we take the checks too
    assert len(bench.POINTS) == sum(1 for _ in scaling.points()) == 6 * len(scaling.SIZES) - 1


@pytest.mark.parametrize("case", list(small.cases()), ids=lambda case: case.name)
def test_small_calls_are_made_many_times_and_give_what_the_peer_gives(case, monkeypatch):
    monkeypatch.setattr(small, "again", lambda call, times: call)
    pair = case.setup()
    ours, right = pair.ours(), pair.peer()
    pair.copy()
    pair.check(ours, right)
    wrong = tuple(1.01 * x for x in ours) if isinstance(ours, tuple) else 1.01 * ours
    with pytest.raises(AssertionError):
        pair.check(wrong, right)
    monkeypatch.undo()
    calls = []
    assert small.again(lambda: calls.append(1) or len(calls), 7)() == len(calls) == 7


@pytest.mark.parametrize("case", list(attention.cases()), ids=lambda case: case.name)
def test_attention_is_checked_against_the_right_result(case):
    pair = case.setup(n=320)  # more than the window
    ours, right = pair.ours(), (pair.reference or pair.peer)()
    pair.copy()
    pair.check(ours, right)
    for spoil in (
        lambda x: 1.001 * x,
        lambda x: x.roll((1, 1), (-3, -2)),
        lambda x: torch.full_like(x, torch.nan),
    ):
        wrong = tuple(map(spoil, ours)) if isinstance(ours, tuple) else spoil(ours)
        with pytest.raises(AssertionError):
            pair.check(wrong, right)


def test_a_median_is_of_calls_after_some_that_are_not_timed(monkeypatch):
    calls, seconds = [], iter([3.0, 1.0, 2.0])
    monkeypatch.setattr(measure, "timed_call", lambda call: (call(), next(seconds)))
    assert median_ms(lambda: calls.append(1), rounds=3, seconds=9.0) == 2000.0
    assert len(calls) > 3


def test_a_copy_is_of_every_tensor():
    a, b = torch.arange(3.0), torch.ones(2, dtype=torch.int64)
    call = bench.rows.copying(a, b)
    call()
    copies = next(cell.cell_contents for cell in call.__closure__ if isinstance(cell.cell_contents, list))
    assert torch.equal(copies[0], a)
    assert torch.equal(copies[1], b)


def test_before_a_short_call_is_timed_its_own_side_has_run_for_a_while(monkeypatch):
    order, clock = [], itertools.count()
    monkeypatch.setattr(measure.time, "perf_counter", lambda: 0.004 * next(clock))
    monkeypatch.setattr(measure, "timed_call", lambda call: (*(call(), order.append("timed"))[:1], 0.001))
    pair = Pair(lambda: order.append("ours"), lambda: order.append("peer"), nothing)
    timed(pair, rounds=3, seconds=9.0)
    turns = " ".join(order).split(" timed")[2:-1]  # after the two first calls
    assert len(turns) == 6
    for turn, side in zip(turns, itertools.cycle(["ours", "peer"]), strict=False):
        assert set(turn.split()) == {side}
        assert len(turn.split()) >= 1 + measure.SETTLING / 0.004 - 1


def test_the_power_of_n_is_found_whatever_the_small_n_say():
    n = np.array([16, 64, 256, 1024])
    for p in (0.5, 1.0, 2.0):
        assert scaling.power(n, 3.0 * n**p, 16) == pytest.approx(p)
        assert scaling.power(n, [99.0, 0.0, *n[2:] ** p], 64) == pytest.approx(p)
        assert scaling.power(n, [99.0, None, *n[2:] ** p], 64) == pytest.approx(p)
    assert scaling.power(n, n, 1024) is None
    noisy = scaling.power(n, n**1.5 * [1, 1.1, 0.9, 1], 16)
    assert noisy != pytest.approx(1.5, abs=1e-6)
    assert noisy == pytest.approx(1.5, abs=0.1)


def test_scores_are_stored_up_to_four_gigabytes():
    stored = [point.n for point in bench.POINTS.values() if point.curve == "softmax, scores stored"]
    assert stored == [n for n in scaling.SIZES if n < 16384]


@pytest.mark.parametrize("curve", scaling.CURVES)
def test_a_point_is_a_call_of_its_length(curve):
    output = scaling.setup(scaling.CURVES[curve].attend, 32)()
    assert output.shape == (1, scaling.HEADS, 32, scaling.WIDTH)
    assert output.isfinite().all()


def test_scaling_goes_on_where_it_was_interrupted(tmp_path, capsys):
    asked = []

    def call(n):
        asked.append(n)
        if asked == [8192, 2048]:
            raise KeyboardInterrupt
        return lambda: time.sleep(0.001)

    points = [scaling.Point(f"a at {n}", "softmax", n, functools.partial(call, n)) for n in (8192, 2048, 4096)]
    results = Results(tmp_path / "results.json", FACTS)
    with pytest.raises(KeyboardInterrupt):
        scaling.run(points, results, quick=True)
    kept = Results(results.path, FACTS)
    assert [point["n"] for point in kept.scaling["softmax"]["points"]] == [8192]
    assert kept.scaling["softmax"]["powers"] == {"ms": None, "mb": None}
    scaling.run(points, kept, quick=True)
    assert asked == [8192, 2048, 2048, 4096]
    curve = Results(results.path, FACTS).scaling["softmax"]
    assert [point["n"] for point in curve["points"]] == [2048, 4096, 8192]
    times = [point["ms"] for point in curve["points"]]
    assert curve["powers"]["ms"] == pytest.approx(scaling.power([2048, 4096, 8192], times))
    scaling.run(points, kept, quick=True)
    assert len(asked) == 4
    assert "1/3" in capsys.readouterr().err


def test_curves_have_a_table_of_time_and_one_of_memory_where_it_is_known():
    def curve(ms, mb, limit):
        points = [{"n": 512, "ms": ms, "mb": mb}, {"n": 1024, "ms": 4 * ms, "mb": mb and 2 * mb}]
        return {"points": points, "powers": {"ms": 2.0, "mb": mb and 1.0}, "limits": {"ms": None, "mb": limit}}

    time_table, memory_table = curve_tables({"a": curve(1.5, 3.0, 1.1), "b": curve(2.5, 4.0, 0.9)})
    assert time_table.splitlines()[1].split() == ["a", "1.5", "6.0", "2.00"]
    assert memory_table.splitlines()[1].split() == ["a", "3.0", "6.0", "1.00", "1.1", "reached"]
    assert memory_table.splitlines()[2].split() == ["b", "4.0", "8.0", "1.00", "0.9", "missed"]
    assert len(curve_tables({"a": curve(1.5, None, 1.1)})) == 1
    assert curve_tables({}) == []


def test_results_outlive_a_change_of_words_and_not_one_of_code(tmp_path):
    seen = set()
    for text in ('"""One."""\nx = 1\n', '"""Two."""\n\nx = 1  # a comment\n', "x = 2\n"):
        (tmp_path / "a.py").write_text(text)
        seen.add(code_of(tmp_path / "a.py"))
    assert len(seen) == 2


def test_a_part_is_not_measured_into_a_file_of_another_source(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setattr(bench, "facts", lambda: FACTS)
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"facts": FACTS | {"lib": "4567"}, "rows": {"a": {}}, "scaling": {}}))
    monkeypatch.setattr("sys.argv", ["bench", "--only", "b"])
    with pytest.raises(SystemExit, match="would stand there alone"):
        bench.main()
    assert json.loads(path.read_text())["rows"] == {"a": {}}


def test_the_facts_name_no_host_and_no_path():
    import platform

    said = json.dumps(facts())
    assert platform.node() not in said or len(platform.node()) < 3
    assert not re.search(r"/(home|root|tmp|usr|work)\b", said)


def test_a_reason_is_given_for_each_missed_target_of_the_committed_run_and_for_no_other():
    folder = Path(bench.__file__).parent
    changed = [
        "git",
        "diff",
        "--quiet",
        "HEAD",
        "--",
        "results.json",
    ]  # 1 where it is, another where there is no git
    if shutil.which("git") and subprocess.run(changed, cwd=folder, stderr=subprocess.DEVNULL).returncode == 1:
        pytest.skip("measured anew here: the reasons are for the committed run")
    rows = json.loads((folder / "results.json").read_text(encoding="utf-8"))["rows"]
    assert set(rows) == set(bench.CASES)
    names = re.findall(r"^- `(.+?)`", (folder / "missed.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(names) == sorted(name for name, row in rows.items() if row["ratio"] > row["target"])


def test_the_time_of_a_figure_is_from_the_move_to_the_frame(browser, tmp_path):
    """Each move of this slider keeps the page busy for 30 ms, and of the hidden one nothing is measured."""
    slider = "<input type=range min=0 max=10 aria-label=x oninput='busy()'>"
    script = "function busy() { const end = performance.now() + 30; while (performance.now() < end); }"
    figure = f"<div data-figure=x data-ready id=it>{slider}<div hidden>{slider}</div></div>"
    head = "<!doctype html><meta charset=utf-8><title>A page</title>"
    (tmp_path / "page.html").write_text(f"{head}<script>{script}</script>{figure}")
    found = figures.measure(browser, tmp_path, ["page.html"])
    assert list(found) == ["page.html"]
    assert list(found["page.html"]) == ["it: x"]
    for times in found["page.html"]["it: x"].values():
        assert 30 <= times["work"] <= times["shown"]
