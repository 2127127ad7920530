"""How rows are shared among threads: each row is done once, and by no more threads than are allowed anywhere."""

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from needs_torch import torch

from lib.fast import threads

NUMBERS = [f"{name}_NUM_THREADS" for name in ("OMP", "NUMBA", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")]
NUMBERS += ["VECLIB_MAXIMUM_THREADS"]


@pytest.fixture
def shared(monkeypatch):
    """As if so many threads were allowed, and a call were worth so many entries."""

    def share(count, entries):
        monkeypatch.setattr(threads, "count", lambda: count)
        monkeypatch.setattr(threads, "ENTRIES", entries)

    return share


def rows_done():
    """How often each of 101 rows is done, and by whom."""
    done, who = np.zeros(101, int), set()

    def kernel(start, stop, done, who):
        done[start:stop] += 1
        who.add(threading.current_thread())

    threads.over_rows(kernel, (101, 5), done, who)
    return done, who


def test_every_row_is_done_once_by_however_many_threads(shared):
    for count in (1, 2, 3):
        shared(count, 37)
        done, who = rows_done()
        assert (done == 1).all()
        assert 1 <= len(who) <= count


def test_where_no_thread_can_be_started_this_one_does_all(shared, monkeypatch):
    def refuse(work):
        raise RuntimeError("cannot schedule new futures after shutdown")

    shared(3, 37)
    for first in (refuse, threads.pool().submit):
        submits = iter([first])
        pool = SimpleNamespace(submit=lambda work, submits=submits: next(submits, refuse)(work))
        monkeypatch.setattr(threads, "pool", lambda pool=pool: pool)
        assert (rows_done()[0] == 1).all()


@pytest.mark.parametrize(("rows", "helpers"), [(1, 0), (20, 0), (21, 1), (50, 2), (60, 2), (101, 3)])
def test_no_thread_is_asked_that_would_find_no_rows_left(shared, monkeypatch, rows, helpers):
    asked, done = [], SimpleNamespace(result=lambda: None, cancel=lambda: False)
    shared(4, 100)  # 20 rows of 5 in one call
    monkeypatch.setattr(threads, "pool", lambda: SimpleNamespace(submit=lambda work: asked.append(work) or done))
    threads.over_rows(lambda start, stop: None, (rows, 5))
    assert len(asked) == helpers


def test_what_goes_wrong_in_a_thread_is_not_lost(shared):
    shared(2, 1)
    here, other = threading.current_thread(), threading.Event()

    def kernel(start, stop):
        if threading.current_thread() is here:
            assert other.wait(60)
        else:
            other.set()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        threads.over_rows(kernel, (2, 1))


def test_the_threads_ask_for_rows_one_at_a_time(shared, monkeypatch):
    """Without Python's lock an iterator may give two threads the same rows, or skip some."""
    lock, rest, held = threading.Lock(), [0, 1, 2], []
    starts = iter(lambda: held.append(lock.locked()) or (rest.pop() if rest else None), None)
    monkeypatch.setattr(threads, "range", lambda *to: starts if len(to) == 3 else range(*to), raising=False)
    monkeypatch.setattr(threads, "threading", SimpleNamespace(Lock=lambda: lock))
    shared(2, 1)
    threads.over_rows(lambda start, stop: None, (3, 1))
    assert len(held) >= 4
    assert all(held)


# ---- how many


def test_torch_says_how_many_threads():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert threads.count() == 1
    finally:
        torch.set_num_threads(before)


@pytest.fixture
def seven_cores(monkeypatch):
    """As if this process might use so many, and nobody had allowed fewer threads."""
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.delitem(sys.modules, "threadpoolctl", raising=False)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 7, raising=False)
    for name in NUMBERS:
        monkeypatch.delenv(name, raising=False)


def test_without_torch_there_is_a_thread_for_each_core(monkeypatch, seven_cores):
    assert threads.count() == 7, "what Python 3.13 says that this process may use"
    monkeypatch.delattr(os, "process_cpu_count")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 4, 6}, raising=False)
    assert threads.count() == 3, "the cores that this process may use"
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert threads.count() == 5, "where a system does not say which those are, all"


@pytest.mark.parametrize("name", NUMBERS)
def test_each_number_in_the_environment_is_a_limit(name, monkeypatch, seven_cores):
    numbers = {"3": 3, "4,2": 4, " 5 ": 5, "0": 1, "11": 7}
    for text, count in (numbers | dict.fromkeys(["", "-2", "many", ",3", "2.5", "²"], 7)).items():
        monkeypatch.setenv(name, text)
        assert threads.count() == count
    monkeypatch.setenv(name, "5")
    monkeypatch.setenv("OMP_NUM_THREADS" if name != "OMP_NUM_THREADS" else "MKL_NUM_THREADS", "2")
    assert threads.count() == 2, "the least of them"


def test_what_threadpoolctl_has_set_is_a_limit_for_as_long_as_it_lasts(monkeypatch, seven_cores):
    libraries = [SimpleNamespace(num_threads=6), SimpleNamespace(num_threads=6)]
    module = SimpleNamespace(ThreadpoolController=lambda: SimpleNamespace(lib_controllers=libraries))
    monkeypatch.setitem(sys.modules, "threadpoolctl", module)
    threads._controller.cache_clear()
    try:
        for number in (5, 1, 3):
            libraries[1].num_threads = number
            assert threads.count() == number
    finally:
        threads._controller.cache_clear()


# ---- the pool, and how it ends


def test_there_is_a_thread_for_each_core_and_they_say_whose_they_are(monkeypatch):
    monkeypatch.setattr(threads, "_cores", lambda: 3)
    threads.pool.cache_clear()
    together = threading.Barrier(3)

    def work():
        together.wait(60)
        return threading.current_thread().name

    names = {task.result() for task in [threads.pool().submit(work) for _ in range(12)]}
    assert len(names) == 3
    assert all(name.startswith("lib.fast.threads") for name in names)
    threads.pool.cache_clear()
    assert threads.pool().submit(int).result() == 0, "after that there are new ones"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    _use_the_pool()
    child = multiprocessing.get_context("fork").Process(target=_use_the_pool)
    child.start()
    child.join(60)
    assert child.exitcode == 0


def _use_the_pool():
    threads.pool().submit(int).result()


def test_a_thread_that_goes_on_after_the_main_one_and_a_last_call_get_their_results():
    code = """
import atexit, threading, numpy as np, lib
x = np.zeros((2003, 499))

def work():
    threading.main_thread().join()
    last()

def last():
    print(lib.softmax(x).sum().round(), lib.entmax(x).sum().round())

atexit.register(last)
threading.Thread(target=work).start()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["2003.0"] * 4, done.stderr


def test_work_that_was_cancelled_in_the_queue_holds_no_arrays():
    """Where all threads of the pool are busy, what a call has submitted waits on; its arrays must not."""
    free, array = threading.Event(), np.zeros((64, 4))
    gone = weakref.ref(array)
    busy = [threads.pool().submit(free.wait) for _ in range(threads._cores() + 1)]
    try:
        threads.over_rows(lambda start, stop, x: None, (64, threads.ENTRIES // 8), array)
        del array
        gc.collect()
        assert gone() is None
    finally:
        free.set()
    assert all(one.result() for one in busy)
