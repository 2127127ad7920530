"""The page on widgets: its cells run by a program, and what stands for them on the built page."""

import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from chapter_code import cells
from nbclient import NotebookClient
from nbclient.output_widget import OutputWidget
from nbformat import NotebookNode

from book.builder.widget_pictures import STATES, Pictures
from book.example import SCORES, TOKENS
from book.figures import BetaWeights

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "appendix" / "widgets.md"

# ---- run by a program, without a page ----------------------------------------------------------------


def test_a_program_that_runs_the_page_has_nothing_to_answer(monkeypatch):
    """For an `Output` that catches what is shown nbclient answers, and may then miss the end of the cell."""
    made, answers = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells(PAGE))]), []
    monkeypatch.setattr(OutputWidget, "send", lambda self, data=None, **_: answers.append(data))
    NotebookClient(made, kernel_name="python3", timeout=120).execute()
    assert answers == []
    monkeypatch.undo()
    shown = [state["state"] for state in made.metadata.widgets[STATES]["state"].values()]
    (plot,) = (output for state in shown for output in state.get("outputs", ()))
    assert "ws-static" in plot["data"]["text/html"]


def state_of(html):
    """The state of each figure in a page of ipywidgets."""
    (kept,) = re.findall(rf'<script type="{re.escape(STATES)}">(.*?)</script>', html, re.DOTALL)
    states = [model["state"] for model in json.loads(kept)["state"].values()]
    return [state for state in states if state.get("_anywidget_id", "").endswith("BetaWeights")]


def test_the_line_that_writes_a_page_keeps_what_the_views_need(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    monkeypatch.setattr("ipywidgets.widgets.widget._instances", {})  # those of other tests
    names = {name: BetaWeights(TOKENS, SCORES) for name in ("even", "milk")}
    monkeypatch.chdir(tmp_path)
    exec(code, names)
    kept = state_of((tmp_path / "figures.html").read_text("utf-8"))
    needed = {"_esm", "_css", "start", *BetaWeights.changes, *BetaWeights.beside}
    assert len(kept) == 2
    assert all(needed <= state.keys() for state in kept)
    exec(code.replace(", drop_defaults=False", ""), names)
    assert not any("_esm" in state for state in state_of((tmp_path / "figures.html").read_text("utf-8")))


# ---- on the built page -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def html(site):
    return (site / "appendix" / "widgets.html").read_text("utf-8")


def test_a_picture_is_what_the_views_draw_and_nothing_on_the_page_pretends_to_work(html, draw):
    main = html.partition("<main")[2].partition("</main>")[0]
    assert main.count('class="ws-picture"') == 5
    assert not re.search(r"data-figure|data-state|vnd\.jupyter|<(?:input|button|select)\b|tabindex", main)
    assert "figures.js" not in html

    def sentence(**state):
        return draw.sentence(BetaWeights(TOKENS, SCORES, **state)._repr_html_()).partition("\n")[0]

    said = [re.sub("<[^>]*>", "", text) for text in re.findall(r'<p class="ws-say"[^>]*>(.*?)(?:\n|</p>)', html)]
    prior = [1, 1, 1, 1, 4, 1, 1]
    states = [{"beta": 2.0}, {"beta": np.inf}, {"beta": 0.5}, {"beta": 0.5, "prior": prior}, {"beta": 2.0}, {}]
    assert said == [sentence(**state) for state in states]
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_the_notebook_to_take_away_says_what_stands_in_each_box(site):
    made = nbformat.read(site / "notebooks" / "widgets.ipynb", as_version=4)
    shown = {cell.source: cell.outputs for cell in made.cells if cell.cell_type == "code"}
    linked = next(outputs for source, outputs in shown.items() if "link((even" in source)
    assert linked[0].data["text/plain"].count("At β = 0.5, ") == 2
    sliders = next(outputs for source, outputs in shown.items() if "FloatSlider(" in source)
    assert " cat has 0.3" in sliders[0].data["text/plain"]
    (plot,) = (outputs for source, outputs in shown.items() if "append_display_data(" in source)
    assert [next(iter(output.data)) for output in plot] == ["text/plain", "image/png", "text/markdown"]


def notebook(**states):
    widgets = {STATES: {"state": {name: {"state": state} for name, state in states.items()}}}
    return NotebookNode(metadata=nbformat.from_dict({"widgets": widgets}))


def test_a_slider_stands_where_it_stands_words_are_escaped_and_a_widget_without_a_rule_is_named(draw):
    with pytest.raises(ValueError, match="no picture of the widget ColorPicker"):
        Pictures(draw, notebook(one={"_model_name": "ColorPickerModel"})).framed({"model": "one"})
    slider = {"_model_name": "FloatSliderModel", "description": "<b>", "value": 0.5, "min": 0, "max": 2}
    output = {"_model_name": "OutputModel", "outputs": [{"output_type": "stream", "text": "1 < 2\n"}]}
    label = {"_model_name": "LabelModel", "value": "3 > 2"}
    box = {"_model_name": "VBoxModel", "children": [f"IPY_MODEL_{name}" for name in ("slider", "output", "label")]}
    parts = {"slider": {**slider, "readout_format": ".2f"}, "output": output, "label": label}
    drawn = Pictures(draw, notebook(box=box, **parts)).framed({"model": "box"})
    assert 'style="--at:0.25"' in drawn
    for text in ("&lt;b&gt;", ">0.50<", "<pre>1 &lt; 2\n</pre>", "<p>3 &gt; 2</p>"):
        assert text in drawn
    assert "<script" not in drawn
