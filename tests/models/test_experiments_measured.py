"""What the chapter *experiments* reads from the committed results is what stands there."""

import numpy as np
import pytest

from book.experiments import measured
from book.models.induction import BETAS, RATES
from book.models.results import results, select
from book.models.retrieval import SIZES


def test_a_line_falls_where_it_crosses_the_level_between_two_sizes():
    row = np.ones(len(SIZES))
    row[3:] = 0.2  # between 64 and 128 items
    straight = np.linspace(0.9, 0.1, len(SIZES))
    found = measured.falls(np.stack([row, straight]), 0.6)
    assert found[0] == pytest.approx(np.sqrt(64 * 128))
    assert found[1] == pytest.approx(SIZES[3])
    assert measured.falls(straight[None], 0.85) == pytest.approx(2 ** (4 + 0.5))


def test_a_line_that_never_falls_has_no_place():
    assert np.isnan(measured.falls(np.ones((1, len(SIZES))), 0.5)).all()
    assert np.isnan(measured.falls(np.full((1, len(SIZES)), np.nan), 0.5)).all()


def test_rules_that_are_put_in_afterwards_are_those_of_the_models_trained_with_softmax():
    rows = select(results("retrieval"), rule="softmax", lead=0.1, steps=700, rate=0.003)
    for rule in ("softmax", "entropy", "log n, at test"):
        found = measured.retrieved(rule, 0.1)
        assert found.tolist() == [row[rule]["right"] for row in rows]
    (first,) = select(results("retrieval"), rule="sparsemax", lead=0.0, steps=700, seed=0)
    assert measured.retrieved("sparsemax", 0.0, "top")[0].tolist() == first["sparsemax"]["top"]
    assert measured.retrieved("sparsemax", 0.0, "ceiling")[0].tolist() == first["ceiling"]


def test_noise_and_reach_are_found_by_their_size():
    (run,) = select(results("sharpness"), agree=4, beta=128.0, weights="softmax", steps=400, seed=2)
    assert measured.looked_up(4, 128.0)[2] == run["clean"]
    assert measured.looked_up(4, 128.0, "keys", 2.0)[2] == run["keys"][3]
    assert measured.looked_up(4, 128.0, "values", 0.75)[2] == run["values"][2]
    assert measured.looked_up(4, 128.0, "worst", 0.3)[2] == run["worst"][2]


def test_a_beta_that_is_held_is_not_one_that_is_learned():
    (learned,) = select(results("learned_beta"), noise=2.0, beta=4.0, learn=True, rate=0.01, seed=1)
    (held,) = select(results("learned_beta"), noise=2.0, beta=4.0, learn=False, seed=1)
    assert measured.settled(2.0, 4.0)[1] == learned["settled"]
    assert measured.with_own_beta(2.0, 4.0)[1] == learned["times"][2]
    assert measured.held(4.0)[1] == held["times"][2]


def test_a_map_is_taken_at_the_rate_at_which_all_seeds_arrive_soonest():
    for weights in ("softmax", "entmax", "sparsemax"):
        rows = {rate: select(results("induction"), case="plain", weights=weights, rate=rate) for rate in RATES}
        taken = {rate: [run["steps"][-1] for run in runs] for rate, runs in rows.items()}
        whole = {rate: np.median(steps) for rate, steps in taken.items() if None not in steps}
        assert measured.best(weights) == (min(whole, key=whole.get), 1)
        for rate, steps in taken.items():
            assert measured.arrived(weights, rate) == 8 - steps.count(None)


def test_a_map_is_taken_at_the_beta_at_which_it_is_soonest():
    # as the text says it
    assert [measured.best(name, BETAS)[1] for name in ("softmax", "entmax", "sparsemax")] == [1, 0.125, 0.125]
    rate, beta = measured.best("entmax", BETAS)
    (case,) = {1: ["plain"]}.get(beta, [f"beta {beta}"])
    runs = select(results("induction"), weights="entmax", rate=rate, case=case)
    soonest = np.median([run["steps"][-1] for run in runs])
    assert len(runs) == 8
    assert beta < 1
    assert soonest == np.median(measured.steps_at_best("entmax", BETAS))
    assert soonest < np.median(measured.steps_at_best("entmax"))


def test_the_way_of_a_beta_ends_where_it_settled():
    steps, betas = measured.on_its_way(2.0, 16.0)
    assert (steps[0], steps[-1]) == (1, 3000)
    assert (np.diff(steps) > 0).all()
    assert betas[0] == pytest.approx(16, rel=0.02)
    assert betas[-1] == np.median(measured.settled(2.0, 16.0))


def test_the_symbol_seen_least_recently_is_found():
    assert measured.least_recent_is_next() == 1
    assert measured.least_recent_is_next(repeats=True) < 0.9
