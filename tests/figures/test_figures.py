"""The Python side of the figures: traits, what travels as JSON, and the texts that a page loads."""

import inspect
import json
import math
import re
import subprocess
import sys
from html import escape, unescape

import numpy as np
import pytest
import torch
from figure_page import set_to
from gallery import FEWER, GALLERY, HOSTILE
from traitlets import TraitError

import lib
from book.example import SCORES, TOKENS
from book.figures import (
    BetaWeights,
    Compromise,
    Mask,
    NumberFormats,
    Predict,
    RaiseOne,
    Sampling,
    Streaming,
    Width,
    bundle,
)
from book.figures.base import Figure
from book.figures.bundle import HERE, page_script, page_style, palette, source, views
from book.mime import OURS

inf = math.inf


def figure(**options):
    return BetaWeights(TOKENS, SCORES, **options)


def shown(widget):
    """The state that the page's script reads."""
    return json.loads(widget.as_data()["state"])


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_importing_lib_does_not_import_the_figures():
    run("import sys, lib; assert not {'anywidget', 'ipywidgets', 'book.figures'} & set(sys.modules)")


def test_figures_need_no_scipy():
    """Each is made, described and asked what it computes where SciPy cannot be imported."""
    run("""if True:
        import sys
        sys.modules["scipy"] = None
        from book.figures import BetaWeights, CanYouTell, Compromise, Mask, Outside, Predict, Race, Width
        for figure in (BetaWeights(["a", "b"], [1, 2]),
                       CanYouTell(["a", "b"], [1, 2], hold="misses"), Predict("?", ["a", "b"], "a"),
                       Race(["a", "b"], [1, 2]), Outside(["a", "b"], [1, 2]),
                       *(Compromise(["a", "b", "c"], [1, 2, 3], mode="budget", divergence=kind)
                         for kind in ("kl", "tsallis", "euclidean"))):
            assert figure._repr_html_()
            for computed in ("weights", "test", "limit", "wins"):
                getattr(figure, computed, None)
    """)


@pytest.mark.parametrize("beta", [0.0, 1e-9, 3.5, inf, -2.0, -inf])
def test_weights_are_those_of_softmax(beta):
    prior, where = [1, 2, 3, 4, 5, 6, 7], [True, False, True, True, True, True, True]
    expected = lib.softmax(np.array(SCORES), beta, prior=np.array(prior, dtype=float), where=np.array(where))
    assert figure(beta=beta, prior=prior, where=where).weights == expected.tolist()


@pytest.mark.parametrize(("beta", "word"), [(inf, "inf"), (-inf, "-inf"), (0.25, 0.25), (np.float32(2), 2.0)])
@pytest.mark.parametrize("name", ["beta", "epsilon"])
def test_infinity_travels_as_a_word(name, beta, word):
    if name == "epsilon" and beta == -inf:
        return  # there is no such budget
    widget = figure(beta=beta) if name == "beta" else Compromise(["a", "b", "c"], [1, 2, 3], epsilon=beta)
    assert widget.get_state()[name] == shown(widget)[name] == word
    setattr(widget, name, 1.0)
    widget.set_state({name: word})
    assert getattr(widget, name) == float(beta)
    json.dumps(widget.get_state(), allow_nan=False)


def test_what_people_pass_becomes_plain_lists():
    widget = BetaWeights(("a", "b"), np.array([1, 2]), prior=np.float32([1, 3]), where=np.array([True, False]))
    assert (widget.tokens, widget.scores) == (["a", "b"], [1.0, 2.0])
    assert (widget.prior, widget.where) == ([1.0, 3.0], [True, False])
    json.dumps(widget.get_state(), allow_nan=False)


def tensor(numbers):
    """As numbers of a model: with a gradient, in half precision; of flags, a boolean tensor."""
    made = torch.tensor(numbers)
    return made.bfloat16().requires_grad_() if made.is_floating_point() else made


TWO = {"tokens": ["a", "b"], "scores": [1.0, 2.0]}
TABLE, CROSS = [[1.0, 2.0], [0.0, 0.5]], [[True, False], [False, True]]


@pytest.mark.parametrize("make", [np.array, torch.tensor, tensor])
@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (BetaWeights, {**TWO, "beta": 0.5, "prior": [1.0, 3.0], "where": [True, False]}),
        (Compromise, {"tokens": ["a", "b", "c"], "scores": [1.0, 2.0, 0.0], "epsilon": 0.25}),
        (Mask, {**TWO, "scores": TABLE, "flips": CROSS, "window": 1}),
        (Sampling, {"tokens": ["a", "b"], "logits": TABLE, "before": ["x", "y"], "step": 1}),
        (Streaming, {**TWO, "values": [0.0, 0.5], "step": 1}),
        (Width, {"d": 8}),
    ],
)
def test_arrays_and_tensors_are_taken_as_lists_are(make, kind, given):
    arrays = {name: value if name in ("tokens", "before") else make(value) for name, value in given.items()}
    assert shown(kind(**arrays)) == shown(kind(**given))


def test_a_word_that_is_no_trait_is_refused():
    with pytest.raises(TypeError, match="BetaWeights has no trait captoin; did you mean caption"):
        figure(captoin="x")
    with pytest.raises(TypeError, match=r"Width has no trait zzz$"):
        Width(zzz=1)
    assert figure(layout={"width": "50%"}, model_id="one").model_id == "one"


@pytest.mark.parametrize("kind", Figure.__subclasses__())
def test_every_parameter_is_in_the_docstring_or_where_those_of_all_figures_are(kind):
    own = {one.name for one in inspect.signature(kind).parameters.values() if one.kind != one.VAR_KEYWORD}
    for described, names in [(kind, own), (kind.__init__, {"name", "caption", "alt"})]:
        lines = re.findall(r"^(\w[\w, ]*) : ", inspect.getdoc(described), re.MULTILINE)
        assert names <= {*", ".join(lines).split(", ")}


def test_a_bad_value_is_a_trait_error_too():
    with pytest.raises(TraitError, match=r"^(tokens|scores): "):
        BetaWeights(["a"], [1.0, 2.0])


def test_the_number_of_tokens_changes_when_all_lists_change_together():
    widget = figure(prior=[1, 2, 3, 4, 5, 6, 7])
    with widget.hold_trait_notifications():
        widget.tokens, widget.scores, widget.prior = ["a", "b"], [0, 1], None
    assert len(widget.weights) == 2


ROW = {"tokens": list("abc"), "scores": [1.0, 2.0, 3.0]}
VALUED = {**ROW, "values": [1.0] * 3}
SQUARE = {"tokens": list("abc"), "scores": np.zeros((3, 3)), "window": 1, "real": 1, "queries": 1, "offset": 0}
UNFIT = [
    (BetaWeights, {**ROW, "prior": [1, 2, 3]}, "2 tokens and 3 entries of prior"),
    (BetaWeights, {**ROW, "where": [True] * 3}, "2 tokens and 3 entries of where"),
    (NumberFormats, ROW, "2 tokens and 3 scores"),
    (Streaming, VALUED, "2 tokens and 3 entries of values"),
    (RaiseOne, {**ROW, "token": 2}, "token: 2 is none of 0 to 1"),
    (Streaming, {**VALUED, "cut": 2}, "cut 2 leaves none"),
    (Streaming, {**VALUED, "step": 3}, "step 3 is more"),
    (Mask, {**SQUARE, "window": 3}, "window: 3 is more"),
    (Mask, {**SQUARE, "real": 3}, "real: 3 is more"),
    (Mask, SQUARE, "flips: 9"),
]


@pytest.mark.parametrize(("kind", "state", "says"), UNFIT, ids=[says for *_, says in UNFIT])
def test_fewer_tokens_are_refused_while_anything_else_is_for_more(kind, state, says):
    widget = kind(**state)
    before = widget.get_state()
    two = {"tokens": ["a", "b"], "scores": np.zeros((2, 2)) if kind is Mask else [0, 1], "values": [0, 1]}
    fitting = {
        name: value for name, value in two.items() if hasattr(widget, name) and name not in says.split()[3:]
    }
    with pytest.raises(ValueError, match=says):
        set_to(widget, fitting)
    assert widget.get_state() == before


def test_reset_goes_back_to_what_the_constructor_was_given():
    widget = figure(beta=inf)
    widget.beta = 3.0
    row = {"tokens": list(TOKENS), "scores": list(SCORES)}
    page = {**row, "beta": "inf", "prior": None, "where": None, "crowd": 0}
    assert shown(widget)["start"] == page
    assert widget.start == page | {"query": "", "curves": False, "plain": False}


PLAIN = {
    "weights": "β and the weights (beta = 1.0; tokens = the, cat, ",
    "compromise": "compromise (beta = 1.0; tokens = cat, milk, it; ",
    "tell": "A caption. (beta = 1.0; tokens = the, cat, ",
    "width": "A caption. (d = 16; scale = undivided; query = 1)",
    "real": "A head is one of",
    "cost": "A caption. (n = 1024; d = 64; asks = all)",
    "predict": "What becomes of it? (It stays / It doubles / It is squared)",
}


@pytest.mark.parametrize("kind", GALLERY)
def test_the_mime_bundle_serves_jupyter_the_page_and_plain_text(kind):
    widget = next(iter(GALLERY[kind].values()))
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain", OURS}
    assert data[OURS] == {"figure": widget.as_data()}
    assert data["text/plain"].startswith(PLAIN.get(kind, ""))
    assert "\n" not in data["text/plain"]
    html = data["text/html"]
    assert html.startswith(f'<div class="ws-figure" data-figure="{widget.view}" id="{widget.name}"')
    assert html.endswith(f"<p>{escape(data['text/plain'])}</p></div>")
    assert not re.search("<(?!/?(?:div|p)\\b)", html)


ASKING = {**FEWER, "predict": Predict(HOSTILE, [HOSTILE, "b"], "b", HOSTILE)}


@pytest.mark.parametrize("widget", ASKING.values(), ids=ASKING)
def test_text_from_outside_is_escaped(draw, widget):
    assert "<u>" not in widget._repr_html_()
    state = shown(widget)
    assert state.get("tokens", state.get("options"))[0] == HOSTILE
    html = draw(widget)
    assert "<u>" not in html
    assert HOSTILE in unescape(re.sub(r"<[^>]*>", "", html)), "it is there as text"


def test_both_themes_name_the_same_colours():
    colours = palette()
    assert set(colours["light"]) == set(colours["dark"])
    assert all(
        re.fullmatch("#([0-9a-f]{6}|[0-9a-f]{8})", value) for theme in colours.values() for value in theme.values()
    )


def test_the_figures_use_no_colour_that_the_palette_does_not_define():
    rules = page_style().split(".ws-figure", 1)[1]
    assert not re.findall(r"#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(", rules)
    local = set(re.findall(r"--ws-([\w-]+)\s*:", rules)) | {"scheme", "n", "longest", "at"}
    assert set(re.findall(r"var\(--ws-([\w-]+)", rules)) <= set(palette()["light"]) | local
    scripts = "".join(path.read_text(encoding="utf-8") for path in (HERE / "js").glob("*.js"))
    assert not re.findall(r"#[0-9a-f]{6}\b|\brgba?\(", scripts)


def test_every_view_has_a_figure_and_every_figure_a_view():
    assert sorted(figure.view for figure in Figure.__subclasses__()) == views()
    assert all(figure._esm == bundle.widget_module(figure.view) for figure in Figure.__subclasses__())


def test_a_page_gets_the_views_that_it_asks_for():
    some = page_script("mask", "predict")
    assert re.findall(r"^const view_(\w+)", some, re.MULTILINE) == ["mask", "predict"]
    assert "mount({ mask: view_mask, predict: view_predict });" in some
    assert len(some) < len(page_script()) / 3


def test_a_page_gets_the_style_of_its_own_views_after_what_all_share():
    of_some = bundle.view_style("mask", "predict")
    assert ".ws-mask " in of_some
    assert ".ws-predict " in of_some
    assert ".ws-lake ." not in of_some + bundle.common_style()
    assert page_style() == bundle.common_style() + bundle.view_style(*views())


def test_a_style_sheet_loses_what_says_nothing_and_keeps_its_texts():
    written = """/* Don't "count". */
    .a > b , .c::after { content: "a  /* b */ ; }" ; width: calc(1px + 2px) ;
    }
    @media (max-width: 3em) { .d { color: red; } }"""
    assert bundle.lean_style(written) == (
        '.a>b,.c::after{content: "a  /* b */ ; }";width: calc(1px + 2px)}@media (max-width: 3em){.d{color: red}}'
    )


def test_a_script_loses_its_comments_and_no_text():
    assert not re.findall(r"^ *//.*|[;{}(),] // [\w ,.]*$", page_script(), re.MULTILINE)
    written = 'const a = "b, // c"; // d\n  // e\n  call(\n    f, // its place\n  );\n'
    assert bundle._lean(written) == 'const a = "b, // c";\ncall(\nf,\n);\n'


def test_no_name_is_declared_by_two_files_that_share_a_scope():
    declared = re.compile(r"^(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
    for view in views():
        modules = (*bundle.shared(), *bundle.mounting(), *bundle.parts(view), view)
        names = [name for module in modules for name in declared.findall(source(module))]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("view", views())
def test_the_rules_of_one_figure_touch_no_other(view):
    rules = (HERE / "css" / f"{view}.css").read_text(encoding="utf-8")
    heads = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL))
    parts = [part.strip() for head in heads if "@" not in head for part in re.split(r",(?![^(]*\))", head)]
    mine = {found[0] for part in parts if (found := re.match(r"\.ws-[\w-]+", part.replace(".ws-figure.", ".")))}
    assert len(parts) > 5
    assert [part for part in parts if not part.startswith(".ws-")] == []
    assert len(mine) == 1
    assert mine.isdisjoint({".ws-figure"})
    script = (HERE / "js" / f"{view}.js").read_text(encoding="utf-8")
    assert f'kind: "{mine.pop()[1:]}"' in script
