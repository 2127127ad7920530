"""The Python side of *the compromise*: traits, JSON, and its maths and sentence against those of the page."""

import json
import math
import re
from html import unescape

import numpy as np
import pytest
from test_math_js import SEED, ask, number

import lib
from lib.figures import Compromise, family, static_compromise

inf = math.inf
TOKENS, SCORES = ["cat", "milk", "it"], [2.0, 1.5, 0.8]
MAPS = {
    "kl": lib.softmax,
    "tsallis": lambda s, beta, prior: lib.entmax(s, 1.5, beta, prior=prior),
    "euclidean": lib.sparsemax,
}


def figure(**options):
    return Compromise(TOKENS, SCORES, **options)


def shown(widget):
    """The state that the page's script reads."""
    return json.loads(unescape(re.search(r'data-state="([^"]*)"', widget._repr_html_()).group(1)))


@pytest.mark.parametrize("divergence", MAPS)
@pytest.mark.parametrize("beta", [0, 0.7, 3, 50.0, inf])
def test_weights_are_those_of_the_map(divergence, beta):
    prior = np.array([0.2, 0.3, 0.5])
    widget = figure(beta=beta, prior=prior, divergence=divergence)
    np.testing.assert_allclose(widget.weights, MAPS[divergence](np.array(SCORES), beta, prior=prior), atol=1e-14)


@pytest.mark.parametrize("divergence", MAPS)
@pytest.mark.parametrize("epsilon", [0, 0.01, 0.2, 5, inf])
def test_a_budget_is_spent_in_full_or_does_not_bind(divergence, epsilon):
    answer = figure(mode="budget", epsilon=epsilon, divergence=divergence).answer
    if epsilon >= 5:
        assert answer.beta == inf
        assert answer.pi.tolist() == [1, 0, 0]
    else:
        assert answer.spent == pytest.approx(epsilon, rel=1e-9, abs=1e-15)
        assert (answer.beta == 0) == (epsilon == 0)


@pytest.mark.parametrize("divergence", MAPS)
def test_a_budget_is_never_exceeded_where_the_best_tie(divergence):
    for epsilon in np.linspace(0, 1.5, 61):
        tied = Compromise(["a", "b", "c"], [1, 1, 0], prior=[1, 5, 14], mode="budget", epsilon=epsilon)
        tied.divergence = divergence
        assert tied.answer.spent <= epsilon * (1 + 1e-9) + 1e-15


BAD = [
    ("beta", -1, "at least 0"),
    ("beta", math.nan, "NaN"),
    ("epsilon", -0.1, "at least 0"),
    ("epsilon", math.nan, "nan"),
    ("epsilon", "much", "'much'"),
    ("epsilon", None, "None"),
    ("mode", "both", "'both' is none of 'price', 'budget'"),
    ("divergence", "js", "'js' is none of 'kl', 'tsallis', 'euclidean'"),
    ("divergence", ["kl"], "is none of"),
    ("prior", [1, 0, 1], "positive"),
    ("prior", [1, 1], "three corners"),
    ("prior", [1e308] * 3, "positive"),
    ("scores", [1.0, 2.0], "three corners"),
    ("scores", [1.0, 2.0, inf], "inf"),
    ("tokens", ["a", "b"], "three corners"),
    ("name", "two words", "letters"),
    ("name", "", "letters"),
]


@pytest.mark.parametrize(("name", "value", "says"), BAD)
def test_a_bad_value_is_named_and_nothing_is_lost(name, value, says):
    widget = figure(beta=2.0, prior=[1, 2, 3], mode="budget", epsilon=0.25, divergence="tsallis")
    before = widget.get_state()
    with pytest.raises(ValueError, match=rf"^{name}: .*{re.escape(says)}"):
        setattr(widget, name, value)
    assert widget.get_state() == before
    with pytest.raises(ValueError, match=rf"^{name}: "):
        figure(**{name: value}) if name not in ("tokens", "scores") else Compromise(
            **{"tokens": TOKENS, "scores": SCORES, name: value}
        )


@pytest.mark.parametrize(
    ("name", "value", "word"), [("beta", inf, "inf"), ("epsilon", inf, "inf"), ("epsilon", 1, 1.0)]
)
def test_infinity_travels_as_a_word(name, value, word):
    widget, seen = figure(), []
    widget.observe(lambda change: seen.append(change["new"]), name)
    widget.set_state({name: word})
    assert seen == [value]
    assert widget.get_state()[name] == word
    assert shown(widget)[name] == word
    json.dumps(widget.get_state(), allow_nan=False)


def test_reset_goes_back_to_what_the_constructor_was_given():
    widget = figure(beta=inf, prior=np.float32([1, 1, 2]))
    widget.beta, widget.mode = 3.0, "budget"
    assert widget.start == {
        "tokens": TOKENS,
        "scores": SCORES,
        "prior": [1, 1, 2],
        "beta": "inf",
        "epsilon": 0.1,
        "mode": "price",
        "divergence": "kl",
    }
    assert shown(widget)["start"] == widget.start


def test_the_mime_bundle_serves_jupyter_the_page_and_plain_text():
    data, _ = figure()._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert data["text/plain"].startswith(
        "At 1 point a nat the best weights lie 0.10 nats from the null: “cat” 52%,"
    )
    assert data["text/html"].startswith(
        '<div class="ws-figure ws-compromise" data-figure="compromise" id="compromise"'
    )
    assert "<script" not in data["text/html"]


def test_text_from_outside_is_escaped():
    hostile = "<b>'\"&</b>"
    html = Compromise([hostile, "b", "c"], [1, 2, 3], caption=hostile, alt=hostile)._repr_html_()
    assert "<b>'" not in html
    assert shown(Compromise([hostile, "b", "c"], [1, 2, 3]))["tokens"][0] == hostile


def some_states(count):
    rng = np.random.default_rng(SEED)
    for i in range(count):
        scores = rng.normal(size=3)
        prior = rng.dirichlet([2, 2, 2]).tolist() if i % 3 else None
        yield {
            "tokens": TOKENS,
            "scores": (scores if i % 7 else np.round(scores)).tolist(),
            "prior": prior,
            "beta": float(rng.choice([0, 0.01, 0.3, 1, 2.5, 8, 40, inf])),
            "epsilon": float(rng.choice([0, 0.003, 0.05, 0.2, 0.4, 1, inf])),
            "mode": ["price", "budget"][i % 2],
            "divergence": list(MAPS)[i % 3 - 1],
        }


STATES = list(some_states(600))
PARTS = ["math", "words", "family", "triangle"]


def test_answers_are_the_same():
    for state, answer in zip(STATES, ask(PARTS, "(state) => solve(state)", STATES), strict=True):
        here = family.solve(**{key: value for key, value in state.items() if key != "tokens"})
        for key in ("u", "beta", "pi", "spent", "gain", "left"):
            np.testing.assert_allclose(
                number(answer[key]), getattr(here, key), rtol=1e-9, atol=1e-11, err_msg=f"{key} of {state}"
            )


def test_sentences_are_the_same():
    said = ask(PARTS, "(state) => compromise(state)", STATES)
    differ = [
        (state, text) for state, text in zip(STATES, said, strict=True) if text != family.compromise(**state)
    ]
    # A value within rounding of a half may be written either way; a wrong wording shows everywhere.
    assert len(differ) <= 2, differ[:3]
    starts = ("A budget", "At β = 0", "At β = ∞", "The scores", "At ")
    assert all(any(text.startswith(start) for text in said) for start in starts)
    ends = (
        "A corner at",
        "An edge at",
        "No weight is",
        "With KL",
        "allows nothing",
        "More would buy",
        "the price 1/β",
    )
    assert all(any(end in text for text in said) for end in ends)


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0])
def test_the_way_is_made_of_best_weights_and_turns_exactly_at_the_edges(alpha):
    scores, u = np.array(SCORES), np.array([0.2, 0.3, 0.5])
    for beta, pi in static_compromise.route(scores, alpha, u):
        np.testing.assert_allclose(pi, family.weights(scores, alpha, beta, u), atol=1e-12)
    ask_way = "({ scores, alpha, u }) => route(scores, alpha, u).map((step) => step.pi)"
    there = ask(PARTS, ask_way, [{"scores": SCORES, "alpha": alpha, "u": u.tolist()}])[0]
    way = np.array([pi for _, pi in static_compromise.route(scores, alpha, u)])
    np.testing.assert_allclose(number(there), way, atol=1e-9)
    assert way[0].tolist() == pytest.approx(u.tolist())
    assert way[-1].tolist() == [1, 0, 0]
    if alpha > 1:  # the last weights with all three above 0 and the first without lie together
        inside = (way > 0).all(axis=1)
        turn = np.flatnonzero(inside)[-1]
        assert np.abs(way[turn + 1] - way[turn]).max() < 0.1
        assert way[turn + 1].min() == 0
        before = family.weights(
            scores, alpha, static_compromise.route(scores, alpha, u)[turn + 1][0] * (1 - 1e-9), u
        )
        assert before.min() > 0


def test_contours_lie_where_the_value_is():
    points, cells = static_compromise.grid()
    assert len(np.unique(points, axis=0)) == len(points)
    corners = static_compromise.place(points[cells])
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    assert areas.sum() == pytest.approx(static_compromise.SIDE * static_compromise.TALL / 2)
    values = points @ np.array(SCORES)
    here = static_compromise.contours(values, [1.1, 1.7])
    there = ask(
        PARTS,
        "({ values, levels }) => contours(values, levels)",
        [{"values": values.tolist(), "levels": [1.1, 1.7]}],
    )[0]
    spots = [np.array(re.findall(r"[\d.]+", d), dtype=float).reshape(-1, 2) for d in (here, there)]
    assert len(spots[0]) == len(spots[1])
    for x, y in np.concatenate(spots):
        a = 1 - y / static_compromise.TALL
        c = x / static_compromise.SIDE - a / 2
        assert min(abs(np.array([a, 1 - a - c, c]) @ SCORES - np.array([1.1, 1.7]))) < 1e-3
