"""*Number formats* rounds as torch does, bit by bit, and says what becomes of the weights."""

from itertools import product

import numpy as np
import pytest
import torch
from figure_page import attributes, number_in, opened, table
from gallery import formats as example
from in_node import SEED, ask, number

from book.example import SCORES, TOKENS
from book.numerics.formats import KINDS, by_steps, ends

FORMAT = {name: f"FORMATS[{i}]" for i, name in enumerate(KINDS)}
SIXTEEN_BITS = ["bfloat16", "float16"]


def by_torch(figure):
    """The weights in each format, by torch, step by step."""
    rows = {name: torch.tensor(figure.shown, dtype=torch.float64).to(kind) for name, kind in KINDS.items()}
    return {name: by_steps(row, figure.way == "shifted").double().numpy() for name, row in rows.items()}


# --- the arithmetic --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_a_number_is_rounded_as_torch_rounds_it(name):
    rng = np.random.default_rng(SEED)
    anywhere = rng.normal(size=3000) * 10.0 ** rng.uniform(-330, 308, size=3000)
    near = rng.normal(size=3000) * 10.0 ** rng.uniform(-50, 40, size=3000)
    small = rng.integers(-4000, 4000, size=500) * 2.0**-27  # many lie halfway between two numbers of float16
    edge = 65504 + rng.uniform(0, 40, size=300)
    x = np.concatenate([anywhere, near, small, edge, [0.0, 65519.9, 65520.0, 2.0**-25, 2.0**-134, 2.0**-150]])
    found = number(ask(f"x => rounded(x, {FORMAT[name]})", x.tolist(), view="number_formats"))
    np.testing.assert_array_equal(found, torch.tensor(x).to(KINDS[name]).double().numpy())


@pytest.mark.parametrize("name", SIXTEEN_BITS)
def test_the_exponential_of_every_number_of_16_bits_is_that_of_torch(name):
    every = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(KINDS[name])
    finite = every[torch.isfinite(every)]
    answer = f"x => rounded(Math.fround(Math.exp(x)), {FORMAT[name]})"
    found = number(ask(answer, finite.double().tolist(), view="number_formats"))
    np.testing.assert_array_equal(found, finite.exp().double().numpy())


@pytest.mark.parametrize("name", KINDS)
def test_the_range_ends_where_it_does_in_torch(name):
    (found,) = ask(f"() => ends({FORMAT[name]})", [0], view="number_formats")
    np.testing.assert_allclose(found, [float(x) for x in ends(KINDS[name])], rtol=1e-14)


STATES = [
    {"size": float(f"{10 ** (i / 20):.3g}"), "way": way, "side": side}
    for i, way, side in product(range(81), ("plain", "shifted"), ("above", "below"))
]


def test_the_weights_are_those_of_torch_in_every_state():
    """Of 16 bits to the last; of more to the rounding of the exponential, which no two machines share."""
    answer = f"""state => FORMATS.map((format) =>
      stepByStep(magnified({list(SCORES)}, state.size, state.side), format, state.way === "shifted").weights)"""
    found = ask(answer, STATES, view="number_formats")
    rtol = {"float64": 1e-14, "float32": 1e-6, "bfloat16": 0, "float16": 0}
    for state, weights in zip(STATES, found, strict=True):
        for (name, wanted), got in zip(by_torch(example(**state)).items(), weights, strict=True):
            np.testing.assert_allclose(number(got), wanted, rtol=rtol[name], err_msg=str((state, name)))


# --- the picture ---------------------------------------------------------------------------------


def test_each_strip_says_what_its_format_holds_and_the_box_what_it_does(draw):
    html = draw(example(size=17))
    ends = {"float64": (53, "−745", 709), "float32": (24, "−103", 88), "bfloat16": (8, "−92", 88)}
    for name, (digits, low, high) in {**ends, "float16": (11, "−17", 11)}.items():
        says = f"{digits} binary digits, eˢ fits from {low} to {high}"
        assert f'{name}</span><span class="ws-note">{says}<' in html
    assert html.count("sum of exponentials ") == 4
    assert "make all scores negative (best −17)" in html


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"size": 1},
        {"size": 20},
        {"size": 15.8, "side": "below"},
        {"size": 1000, "way": "shifted"},
        {"size": 10_000, "way": "shifted", "side": "below"},
    ],
    ids=str,
)
def test_bars_labels_table_and_controls_are_those_of_torch(visit, state):
    figure = example(**state)
    page = opened(visit(figure))
    weights = np.array(list(by_torch(figure).values()))
    bars = np.nan_to_num(weights)
    highest = max(bars.max(), *figure.weights)  # the largest weight of all, or what it should be, fills the height
    np.testing.assert_allclose(attributes(page, ".ws-weight", "height") / 25, bars.ravel() / highest, atol=2e-5)
    labels = page.locator(".ws-strip > div:last-child text").all_text_contents()
    for label, weight in zip(labels, weights.ravel(), strict=True):
        if np.isnan(weight) or weight == 0:
            assert label == ("NaN" if np.isnan(weight) else "0")
        elif label[0] not in "<>":
            assert number_in(label) == pytest.approx(100 * weight, abs=0.51)
    rows = table(page)[:-1]
    assert [row[0] for row in rows] == list(TOKENS)
    np.testing.assert_allclose([[number_in(text) for text in row[1:]] for row in rows], weights.T, rtol=6e-3)
    sign = -1 if figure.side == "below" else 1
    assert number_in(page.locator(".ws-value").inner_text().split()[-1]) == sign * figure.size
    assert page.get_by_role("radio", checked=True).get_attribute("value") == figure.way
    assert page.get_by_role("checkbox").is_checked() == (figure.side == "below")


def test_scores_that_are_lost_are_hollow_and_lie_outside_the_band(visit):
    page = visit(example(size=400)).page
    for i, kind in enumerate(KINDS.values()):
        strip = page.locator(".ws-strip").nth(i)
        band = strip.locator(".ws-band").bounding_box()
        low, high = (float(x) for x in ends(kind))
        for dot, score in zip(strip.locator("circle").all(), example(size=400).shown, strict=True):
            box = dot.bounding_box()
            middle = box["x"] + box["width"] / 2
            inside = low <= float(torch.tensor(score, dtype=kind)) <= high
            assert (band["x"] <= middle <= band["x"] + band["width"]) == inside
            assert ("ws-lost" in dot.get_attribute("class")) == (not inside)


# --- Python ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scores", [[1.0], [1.0, 2.0, 3.0], [0.0, -1.0]])
def test_scores_that_cannot_be_shown_are_refused(scores):
    with pytest.raises(ValueError, match=r"^(tokens|scores): "):
        example(tokens=["a", "b"], scores=scores)


def test_the_exact_weights_are_those_of_float64():
    figure = example(size=40, way="shifted")
    np.testing.assert_allclose(figure.weights, by_torch(figure)["float64"], rtol=1e-13)
