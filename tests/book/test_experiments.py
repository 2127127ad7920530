"""The experiments: their tasks are what they say, their measurements find what is there, and their files fit."""

import importlib
import itertools
import json
import math

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

import lib
from book.models import induction, learned_beta, retrieval, sharpness
from book.models.lookup import Lookup, accuracy, attacked, exact
from book.models.results import FOLDER, results, select
from book.models.sweep import EXPERIMENTS, SEEDS
from book.models.transformer import Config, Transformer


def generator(seed=3):
    return torch.Generator().manual_seed(seed)


# --- retrieval -------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [0.1, 0.0])
def test_the_largest_leads_by_as_much_as_it_says(lead):
    items, kind, best = retrieval.Maximum(lead).draw(101, 13, generator())
    number = items[..., 0]
    ordered = number.sort(dim=-1).values
    assert (number.argmax(dim=-1) == best).all()
    assert (ordered[:, -1] - ordered[:, -2]).min() >= lead
    assert lead or ordered[:, -1].max() < 1
    assert (items[..., 1:].argmax(dim=-1) == kind).all()
    assert len(set(best.tolist())) == 13


class Ideal(retrieval.Retriever):
    """Its score of an item is 20 times its number; it reads the class off."""

    def encoded(self, items):
        k, v = torch.zeros(2, *items.shape[:2], retrieval.WIDTH)
        k[..., 0] = 20 * items[..., 0]
        v[..., : retrieval.CLASSES] = items[..., 1:]
        return k, v

    def answered(self, k, v, **changes):
        _, weights = super().answered(k, v, **changes)
        return (weights[:, None] @ v[..., : retrieval.CLASSES])[:, 0], weights


def test_n_star_is_where_softmax_leaves_the_largest_one_half():
    model, task = Ideal("softmax", seed=0), retrieval.Maximum(0.1)
    with torch.no_grad():
        model.query.copy_(torch.eye(1, retrieval.WIDTH))
        model.log_beta.zero_()
    # The mean of exp(−20 · gap) over gaps that are even from 0.1 to 1.
    exact = 18 / (math.exp(-2) - math.exp(-20))
    n_star = 1 / retrieval.measured(model, task, 4096, {})["rival"].item()
    assert n_star == pytest.approx(exact, rel=0.01)
    n = round(n_star) + 1
    found = retrieval.measured(model, task, n, {"softmax": {}, "sharp": {"beta_times": 1e4}})
    # The mean of 1 / (1 + the odds of all rivals) is an integral of e^−t times the transform of one, n − 1 times.
    t, gap = np.linspace(0, 30, 3001), np.linspace(0.1, 1, 2001)
    transform = np.exp(-t[:, None] * np.exp(-20 * gap)).mean(axis=1)
    half = np.trapezoid(np.exp(-t) * transform ** (n - 1), t)
    assert half == pytest.approx(0.5, abs=0.05)
    assert found["softmax"][1] == pytest.approx(half, abs=0.03)
    assert found["sharp"].tolist() == [1, 1]
    assert found["ceiling"] == 1


def test_the_ceiling_is_what_the_largest_score_would_get():
    model = Ideal("softmax", seed=0)
    with torch.no_grad():
        model.query.copy_(-torch.eye(1, retrieval.WIDTH))  # so that the smallest number has the largest score
    found = retrieval.measured(model, retrieval.Maximum(0.0), 97, {"sharp": {"beta_times": 1e6}})
    assert found["ceiling"] == found["sharp"][0] < 0.3


def test_a_polynomial_of_the_entropy_raises_beta_where_weights_are_spread():
    scores = torch.tensor([[2.0, 1.0, 0.0, 0.5, 1.5], [9.0, 0.0, 0.0, 0.0, 0.0]])
    found = retrieval.entropy_fitted(scores, 1.0)
    weights = lib.softmax(scores[0])
    h = -(weights * weights.log()).sum().item()
    beta = np.polyval([-0.037, 0.481, -2.3, 4.917, -1.791], h)
    assert beta > 1
    torch.testing.assert_close(found[0], lib.softmax(scores[0], beta))
    torch.testing.assert_close(found[1], lib.softmax(scores[1]))  # less than half a nat: as it was


def test_log_n_is_that_of_the_items_that_are_there():
    growing, plain = retrieval.Retriever("log n, fixed", seed=0), retrieval.Retriever("softmax", seed=0)
    assert (growing.beta(97) / plain.beta(97)).item() == pytest.approx(math.log(97))
    learned = {rule for rule in retrieval.RULES if retrieval.Retriever(rule, 0).log_beta.requires_grad}
    assert learned == {"log n, learned"}


# --- look-ups --------------------------------------------------------------------------------------


@pytest.mark.parametrize("agree", [1, 4])
def test_so_many_keys_carry_the_answer_as_agree(agree):
    batch = Lookup(agree).batch(2003, generator())
    near = (batch.query[:, None] * normalize(batch.keys, dim=-1)).sum(dim=-1)  # (size, n) cosines
    assert near[:, :agree].mean() == pytest.approx(1.25**-0.5, abs=0.02)  # with a blur of 1/2
    assert abs(near[:, agree:].mean()) < 0.01
    kind = batch.values.argmax(dim=-1)
    assert (kind[:, :agree] == batch.answer[:, None]).all()
    assert (kind[:, agree:] == batch.answer[:, None]).double().mean() == pytest.approx(0.1, abs=0.01)


def test_noise_is_as_large_as_it_says():
    clean, noisy = (Lookup(4, keys=x, values=x).batch(503, generator()) for x in (0, 0.7))
    torch.testing.assert_close(clean.query, noisy.query)
    assert (noisy.keys - clean.keys).norm(dim=-1).square().mean().sqrt().item() == pytest.approx(0.7, rel=0.02)
    assert (noisy.values - clean.values).std().item() == pytest.approx(0.7, rel=0.02)


def test_scores_are_cosines_whatever_the_matrices():
    model, batch = exact("softmax", 30.0), Lookup(1).batch(7, generator())
    logits = model(*batch[:3])
    cosines = (batch.query[:, None] * normalize(batch.keys, dim=-1)).sum(dim=-1)
    expected = lib.softmax(cosines, 30.0)[:, None] @ batch.values
    torch.testing.assert_close(logits, expected[:, 0])
    with torch.no_grad():
        model.query *= 17
        model.key *= 0.3
    torch.testing.assert_close(model(*batch[:3]), logits)
    softer = model(*batch[:3], weights="sparsemax", beta=2.0)
    torch.testing.assert_close(softer, (lib.sparsemax(cosines, 2.0)[:, None] @ batch.values)[:, 0])


def test_keys_are_moved_no_further_than_they_may():
    batch = Lookup(4).batch(101, generator())
    for reach in (0.1, 0.3):
        moved = (attacked(exact("softmax", 30.0), batch, reach) - batch.keys).norm(dim=-1)
        assert moved.max().item() == pytest.approx(reach, rel=1e-5)


def test_a_masked_gradient_looks_like_safety():
    """All the weight is on one key, so its own gradient is zero: what moves the keys is that of a softer model."""
    model, task = exact("sparsemax", 300.0), Lookup(1)
    found = sharpness.under_attack(model, task, 0.3)
    clean = accuracy(model, task)
    assert clean > 0.98
    assert found["own gradient"] == pytest.approx(clean, abs=0.02)
    assert found["worst"] < 0.75
    soft = sharpness.under_attack(exact("softmax", 4.0), task, 0.3)
    assert soft["own gradient"] - soft["worst"] < 0.05


def test_with_one_key_sharpness_itself_costs_nothing_and_with_four_it_does():
    """Where nothing has to be learned; models that are trained with a large β are less sure of their matrices."""
    one, four = (
        [accuracy(exact("softmax", beta), Lookup(agree, keys=1.5)) for beta in (8.0, 128.0)] for agree in (1, 4)
    )
    assert abs(one[0] - one[1]) < 0.01
    assert four[0] - four[1] > 0.02
    one, four = (
        [accuracy(exact("softmax", beta), Lookup(agree, values=0.75)) for beta in (4.0, 128.0)] for agree in (1, 4)
    )
    assert one[1] > one[0]
    assert four[0] - four[1] > 0.2


# --- induction -------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [False, True])
def test_blocks_come_again_and_count_from_the_second_time(repeats):
    batch = induction.Blocks(repeats).batch(503, generator())
    twice = 0
    for row, targets, counts in zip(batch.tokens, batch.targets, batch.counts, strict=True):
        period = int(counts.int().argmax())
        assert 3 <= period <= 12
        assert counts[period:].all()
        assert (targets[:-1] == row[1:]).all()
        assert (targets[period:] == row[1 : len(row) - period + 1]).all()
        twice += len(set(row[:period].tolist())) < period
    assert (twice > 100) == repeats
    assert repeats or twice == 0


def test_heads_are_known_by_what_they_look_at(monkeypatch):
    """The weight of a head on what came after the symbol that is read, one query and one key at a time."""
    monkeypatch.setattr(induction, "SEQUENCES", 3)
    model = Transformer(Config(16, 32, width=64, heads=2, beta=1.0), 0)
    tokens, _, counts = induction.Blocks().batch(3, generator(induction.MEASURED))
    _, layers = model(tokens, look=True)
    shares = {}
    for layer, row, i in itertools.product(range(2), range(3), range(32)):
        after = [j for j in range(1, i + 1) if tokens[row, j - 1] == tokens[row, i]]
        for head in range(2 * int(counts[row, i])):
            weights = layers[layer].weights[row, head, i]
            shares.setdefault((layer, head), []).append(weights[after].sum().item())
    assert induction.looks(model) == pytest.approx(max(map(np.mean, shares.values())), abs=1e-6)


def test_a_map_with_another_gradient_has_the_same_weights():
    """Opened, a map has softmax's gradient beside its own; shut, softmax has none where it gives no weight."""
    beta = torch.tensor(1.0)
    scores = torch.tensor([3.0, 2.5, -4.0], requires_grad=True)
    for name in ("entmax", "sparsemax"):
        sparse, soft = getattr(lib, name)(scores, beta), lib.softmax(scores, beta)
        (of_sparse,), (of_soft,) = (torch.autograd.grad(w[0], scores) for w in (sparse, soft))
        opened, shut = induction.opened(name)(scores, beta), induction.shut(name)(scores, beta)
        torch.testing.assert_close(opened, sparse)
        torch.testing.assert_close(shut, soft)
        (of_opened,), (of_shut,) = (torch.autograd.grad(w[0], scores) for w in (opened, shut))
        torch.testing.assert_close(of_opened, of_sparse + of_soft)
        assert sparse[2] == of_shut[2] == 0 != of_soft[2]
        torch.testing.assert_close(of_shut[:2], of_soft[:2])


@pytest.mark.parametrize("times", [0.125, 2])
def test_a_case_has_its_own_beta(times, monkeypatch):
    betas = []

    def not_trained(model, task, **_):
        betas.append(model.layers[0].log_beta.exp())
        task.right.extend([0.0] * induction.WINDOW)

    monkeypatch.setattr(induction, "train", not_trained)
    for case in ("plain", f"beta {times}"):
        induction.run(case, "softmax", 0.01, 0)
    torch.testing.assert_close(betas[1], times * betas[0])


def test_training_stops_once_it_is_learned():
    task = induction.Blocks()
    task.right.extend([0.0] * 5 + [1.0] * (induction.WINDOW - 1))
    assert not task.is_learned()
    task.right.append(1.0)
    assert task.is_learned()


def test_steps_are_counted_to_the_end_of_the_window():
    shares = np.array([0.1, 0.5, 0.9, 0.4, 0.95])
    assert induction.first(shares, 0.9) == induction.WINDOW + 2
    assert induction.first(shares, 0.96) is None


# --- all of them -----------------------------------------------------------------------------------

QUICK = {"retrieval": {"sizes": (16, 64)}}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_run_gives_what_its_file_has(name):
    """A few steps only: whether a run can be made, and has all that stands in the file."""
    module = importlib.import_module(f"book.models.{name}")
    settings = module.runs(range(2))[0]
    quick = settings | {"steps": 101 if name == "two_softmaxes" else 21} | QUICK.get(name, {})
    found = module.run(**quick)
    (committed,) = select(results(name), **settings)
    assert committed.keys() == settings.keys() | found.keys()
    assert not settings.keys() & found.keys()
    assert module.run(**quick) == found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_file_has_every_run_of_its_command(name):
    found = results(name)
    expected = importlib.import_module(f"book.models.{name}").runs(range(SEEDS))
    made = [{key: run[key] for key in expected[0]} for run in found["runs"]]
    assert sorted(made, key=repr) == sorted(expected, key=repr)
    assert found["command"] == f"python -m book.models.sweep {name} --seeds {SEEDS}"
    assert found["versions"].keys() == {"python", "torch", "numpy", "joblib"}
    json.dumps(found, allow_nan=False)
    assert FOLDER.joinpath(f"{name}.json").stat().st_size < 200_000


def test_a_run_made_here_is_like_the_committed_ones():
    """β on its way down with the most noise: near those of all seeds, also on another machine."""
    here = learned_beta.run(noise=2.0, beta=4.0, learn=True, rate=0.01, steps=900, seed=0)["way"][20]  # after 601
    runs = select(results("learned_beta"), noise=2.0, beta=4.0, learn=True, rate=0.01)
    there = [run["way"][6] for run in runs]  # after 601, too
    assert 0.9 * min(there) < here < 1.1 * max(there)
