"""The table of all figures, {figure: what is asked of it}, see `figure_entry.py`, and what each of them says."""

import json
from pathlib import Path

import table_machines
import table_maps
import table_weights

TABLE = {**table_weights.ENTRIES, **table_maps.ENTRIES, **table_machines.ENTRIES}


def sentences():
    """{figure: [(state, sentence)]}, from sentences.txt: after a figure's name each state and what it says."""
    text = Path(__file__).with_name("sentences.txt").read_text("utf-8")
    figures = [part.partition("\n\n") for part in text.removeprefix("# ").split("\n\n# ")]
    read = lambda block: (json.loads(block.partition("\n")[0]), block.partition("\n")[2])  # noqa: E731
    return {name: [read(block) for block in blocks.strip().split("\n\n")] for name, _, blocks in figures}


SAID = sentences()
