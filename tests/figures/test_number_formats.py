"""*Number formats* rounds as torch does, bit by bit, and says what becomes of the weights."""

import re
from itertools import product

import numpy as np
import pytest
import torch
from in_node import SEED, ask, number

from lib.book.example import SCORES, TOKENS
from lib.book.numerics.formats import KINDS, by_steps, ends
from lib.figures import NumberFormats

FORMAT = {name: f"FORMATS[{i}]" for i, name in enumerate(KINDS)}
SIXTEEN_BITS = ["bfloat16", "float16"]


def example(**options):
    return NumberFormats(TOKENS, SCORES, **options)


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
    for state, weights in zip(STATES, found, strict=True):
        for (name, wanted), got in zip(by_torch(example(**state)).items(), weights, strict=True):
            if name in SIXTEEN_BITS:
                np.testing.assert_array_equal(number(got), wanted, err_msg=str((state, name)))
            else:
                rtol = 1e-6 if name == "float32" else 1e-14
                np.testing.assert_allclose(number(got), wanted, rtol=rtol, err_msg=str((state, name)))


# --- the picture of the build ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "state", [{}, {"size": 20}, {"size": 15.8, "side": "below"}, {"size": 1000, "way": "shifted"}]
)
def test_the_picture_has_the_weights_of_torch(draw, state):
    """Each bar is as high as its weight, next to the largest one."""
    figure = example(**state)
    found = [
        float(x) for x in re.findall(r'class="ws-weight"[^>]* height="([\d.e-]+)"', draw(figure._repr_html_()))
    ]
    wanted = np.nan_to_num(np.concatenate(list(by_torch(figure).values())))
    highest = max(*wanted, *figure.weights)  # the largest weight of all, or what it should be, fills the height
    np.testing.assert_allclose(np.array(found) / 25, wanted / highest, atol=2e-5)


# --- a reader moves it -----------------------------------------------------------------------------


def slider(page):
    return page.get_by_role("slider", name="best score")


def test_each_strip_says_what_its_format_holds_and_the_box_what_it_does(draw):
    html = draw(example(size=17)._repr_html_())
    ends = {"float64": (53, "−745", 709), "float32": (24, "−103", 88), "bfloat16": (8, "−92", 88)}
    for name, (digits, low, high) in {**ends, "float16": (11, "−17", 11)}.items():
        says = f"{digits} binary digits, eˢ fits from {low} to {high}"
        assert f'{name}</span><span class="ws-note">{says}<' in html
    assert html.count("sum of exponentials ") == 4
    assert "make all scores negative (best −17)" in html


def assert_shown(page, **state):
    """Labels of the weights, the table and the controls are those of torch in this state."""
    figure = example(**state)
    weights = by_torch(figure)
    labels = page.locator(".ws-strip > div:last-child text").all_text_contents()
    for label, weight in zip(labels, np.concatenate(list(weights.values())), strict=True):
        if np.isnan(weight) or weight == 0:
            assert label == ("NaN" if np.isnan(weight) else "0")
        elif label[0] not in "<>":
            assert float(label.rstrip("%")) == pytest.approx(100 * weight, abs=0.51)
    rows = page.locator(".ws-table tbody tr").evaluate_all(
        "all => all.map(tr => [...tr.cells].map(c => c.textContent))"
    )
    for i, (token, *texts) in enumerate(rows[:-1]):
        assert token == TOKENS[i]
        shown = [float(text.replace("−", "-").replace("NaN", "nan")) for text in texts]
        np.testing.assert_allclose(shown, [row[i] for row in weights.values()], rtol=6e-3)
    sign = -1 if figure.side == "below" else 1
    assert float(page.locator(".ws-value").inner_text().split()[-1].replace("−", "-")) == sign * figure.size
    assert page.get_by_role("radio", checked=True).get_attribute("value") == figure.way
    assert page.get_by_role("checkbox").is_checked() == (figure.side == "below")


def test_keys_and_clicks_lead_through_the_states(visit):
    page = visit(example()).page
    assert_shown(page)
    slider(page).focus()
    for key, size in [("ArrowRight", 2.5), ("PageUp", 10), ("ArrowUp", 12.5), ("End", 10_000), ("Home", 1)]:
        page.keyboard.press(key)
        assert_shown(page, size=size)
    page.get_by_text("the largest subtracted", exact=True).click()
    assert_shown(page, size=1, way="shifted")
    page.get_by_role("checkbox").focus()
    page.keyboard.press("Space")
    assert_shown(page, size=1, way="shifted", side="below")
    page.get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowUp")
    assert_shown(page, size=1, side="below")


def test_a_pointer_sets_the_size(visit):
    page = visit(example()).page
    box = slider(page).bounding_box()
    for share, size in [(0, 1), (0.5, 100), (0.75, 1000), (1, 10_000)]:
        page.mouse.click(box["x"] + 12 + share * (box["width"] - 24), box["y"] + 22)
        assert_shown(page, size=size)


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
        NumberFormats(["a", "b"], scores)


def test_the_exact_weights_are_those_of_float64():
    figure = example(size=40, way="shifted")
    np.testing.assert_allclose(figure.weights, by_torch(figure)["float64"], rtol=1e-13)
