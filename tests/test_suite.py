"""The suite itself: which devices take part, which files belong to the maths, which go first."""

from pathlib import Path

import break_kernels
import break_sharded
import conftest
import pytest
import torch

TESTS = Path(__file__).parent
MODULES = [*(TESTS.parent / "lib").glob("*.py"), *(TESTS.parent / "lib" / "fast").glob("*.py")]


def test_cuda_takes_part():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device: nothing that runs on torch-cpu was tried on torch-cuda")
    assert {"torch-cpu", "torch-cuda"} <= {
        xp.library for xp in conftest._backends(conftest.LIBRARIES, ["float64"])
    }


def test_cuda_takes_part_only_where_it_is(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert conftest.torch_devices() == ["torch-cpu", "torch-cuda"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert conftest.torch_devices() == ["torch-cpu"]


def test_every_file_named_in_a_list_is_there():
    for name in conftest.LONG_FIRST + conftest.BEYOND_THE_MATHS:
        assert (TESTS / f"test_{name}.py").is_file(), name


def test_the_tests_of_a_module_of_the_maths_belong_to_the_maths():
    own = {path.stem for path in MODULES if (TESTS / f"test_{path.stem}.py").is_file()}
    assert len(own) > 10
    assert not own & set(conftest.BEYOND_THE_MATHS)


def test_what_needs_a_page_or_a_figure_is_beyond_the_maths():
    beyond = ("lib.figures", "lib.book", "from browser", "from figure_page", "from in_node", "chapter_code")
    for path in TESTS.glob("test_*.py"):
        if path != Path(__file__) and any(name in path.read_text() for name in beyond):
            assert path.stem.removeprefix("test_") in conftest.BEYOND_THE_MATHS


def test_what_is_broken_in_the_kernels_by_hand_stands_there_once():
    for file, breakages in break_kernels.BREAKAGES.items():
        text = (TESTS.parent / break_kernels.KERNELS / file).read_text()
        assert len(breakages) >= 3
        for before, after in breakages:
            assert break_kernels.once(text, before, after) != text


def test_what_is_broken_in_sharded_by_hand_stands_there_once():
    text = (TESTS.parent / break_sharded.FILE).read_text(encoding="utf-8")
    for before, after in break_sharded.BREAKAGES:
        assert break_kernels.once(text, before, after) != text


def test_the_long_files_are_handed_out_first():
    class Item:
        def __init__(self, stem):
            self.path = Path(f"tests/{stem}.py")

    first, second = (f"test_{name}" for name in conftest.LONG_FIRST[:2])
    items = [Item(stem) for stem in ("test_masks", second, "test_arrays", first)]
    conftest.pytest_collection_modifyitems(items)
    assert [item.path.stem for item in items] == [first, second, "test_masks", "test_arrays"]
