"""The stored golden values are what their generator makes, row by row."""

import pytest

QUICK = ["maps", "entmax", "dense", "pairs", "attention"]  # a second for all of them


@pytest.mark.parametrize("name", QUICK)
def test_every_row_comes_from_the_generator(golden, reference, name):
    assert reference.table(name) == golden[name]


def test_the_inputs_of_every_budget_and_the_results_of_every_fifth_come_from_the_generator(golden, reference):
    rows, _ = reference.module.TABLES["budgets"]
    assert list(rows()) == list(golden["budgets"])
    for name, row in rows().items():
        assert {k: golden["budgets"][name][k] for k in row} == row
    some = list(golden["budgets"])[::5]
    assert reference.table("budgets", some) == {k: golden["budgets"][k] for k in some}


def test_there_is_no_other_table(golden):
    assert set(golden) == {*QUICK, "budgets"}
