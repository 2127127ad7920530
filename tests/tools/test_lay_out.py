"""`make lab` lays the build's notebooks out; what a reader has changed there is never lost."""

import json
import re

import pytest

from tools.lay_out import LIST, lay_out, replace


class Desk:
    """A build whose pages are written by the test, and the folder where they are laid out."""

    def __init__(self, home):
        self.built, self.folder = home / "built", home / "notebooks"
        self.built.mkdir()

    def build(self, **pages):
        """A build of these pages; `kl_exercises` stands for kl-exercises. Says what `make lab` says."""
        for file in self.built.iterdir():
            file.unlink()
        for name, text in pages.items():
            (self.built / f"{name.replace('_', '-')}.ipynb").write_text(text, encoding="utf-8")
        (self.built / "why-softmax.zip").write_bytes(b"zip")
        return lay_out(self.built, self.folder)

    def write(self, name, text):
        """What the reader does."""
        (self.folder / name).write_text(text, encoding="utf-8")

    @property
    def files(self):
        return {path.name: path.read_text("utf-8") for path in self.folder.iterdir() if path.name != LIST}


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def test_each_page_is_laid_out_once_with_its_exercises_open_and_its_links_leading_there(desk):
    told = "[a](kl.ipynb) [b](kl.ipynb#KL) [c](<kl.ipynb#A-B>) [d](claims.ipynb) kl.ipynb"
    here = told.replace("(kl", "(kl-exercises").replace("<kl", "<kl-exercises")
    assert desk.build(index=told, claims="β", kl="solved", kl_exercises=told) == []
    assert desk.files == {"index.ipynb": here, "kl-exercises.ipynb": here, "claims.ipynb": "β"}
    desk.build(index="[a](kl.ipynb)", kl="kl")  # a book without exercises
    assert desk.files == {"index.ipynb": "[a](kl.ipynb)", "kl.ipynb": "kl"}


def notebook(text, **metadata):
    cells = [{"cell_type": "markdown", "id": "one", "metadata": {}, "source": [text]}]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def test_what_was_merely_opened_follows_the_build(desk):
    desk.build(index="1", kl=notebook("1"))
    desk.write("kl.ipynb", notebook("1", language_info={"version": "3.11.9"}))
    assert desk.build(kl=notebook("2")) == []
    assert desk.files == {"kl.ipynb": notebook("2")}, "and a page that is gone goes"
    desk.write("kl.ipynb", notebook("mine"))
    assert desk.build(kl=notebook("3"))
    assert desk.files == {"kl.ipynb": notebook("mine"), "kl-new.ipynb": notebook("3")}


@pytest.mark.parametrize("broken", ["", "{}", "3"])
def test_what_is_no_notebook_any_more_is_the_readers(desk, broken):
    desk.build(kl=notebook("1"))
    desk.write("kl.ipynb", broken)
    desk.build(kl=notebook("2"))
    assert desk.files == {"kl.ipynb": broken, "kl-new.ipynb": notebook("2")}


def test_what_was_changed_stays_and_the_newer_one_lands_beside_it(desk):
    desk.build(index="1", kl="1")
    desk.write("kl.ipynb", "mine")
    assert desk.build(index="1", kl="1") == [], "nothing is newer"
    assert desk.files == {"index.ipynb": "1", "kl.ipynb": "mine"}
    for newer in "223":  # the same build again, and one more
        assert desk.build(index="1", kl=newer) == ["kl.ipynb has your changes; the newer one is kl-new.ipynb"]
        assert desk.files == {"index.ipynb": "1", "kl.ipynb": "mine", "kl-new.ipynb": newer}


def test_what_was_changed_beside_it_stays_too(desk):
    desk.build(kl="1")
    desk.write("kl.ipynb", "mine")
    for newer, place in (("2", "kl-new.ipynb"), ("3", "kl-new-2.ipynb"), ("4", "kl-new-3.ipynb")):
        assert desk.build(kl=newer) == [f"kl.ipynb has your changes; the newer one is {place}"]
        assert desk.files[place] == newer
        desk.write(place, f"mine, {newer}")
    said = {"kl-new.ipynb": "mine, 2", "kl-new-2.ipynb": "mine, 3", "kl-new-3.ipynb": "mine, 4"}
    assert desk.files == {"kl.ipynb": "mine", **said}


def test_what_is_the_readers_own_stays_though_its_page_is_gone_or_has_its_name(desk):
    desk.build(index="1", kl="1")
    desk.write("kl.ipynb", "mine")
    desk.write("own.ipynb", "mine, too")
    assert desk.build(index="1") == []
    desk.build(index="1", own="1")
    assert desk.files == {"index.ipynb": "1", "kl.ipynb": "mine", "own.ipynb": "mine, too", "own-new.ipynb": "1"}


def test_a_change_that_is_given_up_takes_the_newer_one(desk):
    """By deleting it, by putting the newer one in its place, or by undoing what was changed."""
    for give_up in (
        lambda: (desk.folder / "kl.ipynb").unlink(),
        lambda: (desk.folder / "kl-new.ipynb").replace(desk.folder / "kl.ipynb"),
        lambda: desk.write("kl.ipynb", "1"),
    ):
        desk.build(kl="1")
        desk.write("kl.ipynb", "mine")
        desk.build(kl="2")
        assert desk.files == {"kl.ipynb": "mine", "kl-new.ipynb": "2"}
        give_up()
        assert desk.build(kl="2") == []
        assert desk.files == {"kl.ipynb": "2"}


@pytest.mark.parametrize("damaged", [None, "\x00\n\nnonsense"])
def test_without_a_list_that_can_be_read_nothing_is_overwritten(desk, damaged):
    desk.build(index="1", kl="1")
    desk.write("kl.ipynb", "mine")
    (desk.folder / LIST).unlink() if damaged is None else desk.write(LIST, damaged)
    desk.build(index="1", kl="2")
    assert desk.files == {"index.ipynb": "1", "kl.ipynb": "mine", "kl-new.ipynb": "2"}
    assert desk.build(index="2", kl="2"), "what is the build's own is known as such again"
    assert desk.files == {"index.ipynb": "2", "kl.ipynb": "mine", "kl-new.ipynb": "2"}


def test_a_run_that_is_broken_off_is_completed_by_the_next(desk, monkeypatch):
    desk.build(index="1", kl="1")

    def broken_off(path, data):
        replace(path, data)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tools.lay_out.replace", broken_off)
        with pytest.raises(KeyboardInterrupt):
            desk.build(index="2", kl="2")
    assert desk.files == {"index.ipynb": "2", "kl.ipynb": "1"}
    for text in "23":
        assert desk.build(index=text, kl=text) == []
        assert desk.files == {"index.ipynb": text, "kl.ipynb": text}


def test_the_book_s_own_links_all_lead_to_what_is_laid_out(site, tmp_path):
    lay_out(site / "notebooks", tmp_path / "notebooks")
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "notebooks").glob("*.ipynb")}
    assert {"index.ipynb", "kl-exercises.ipynb", "claims.ipynb"} <= set(files)
    assert "kl.ipynb" not in files
    for name, text in files.items():
        linked = set(re.findall(r"\]\(<?([\w-]+\.ipynb)", text))
        assert linked, name
        assert linked <= set(files), name
