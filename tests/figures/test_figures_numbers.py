"""What the pictures show is what `lib` computes, read off the places and the texts that the views draw."""

import math
import re

import numpy as np
import pytest
from compromise_page import points_of_path, weights_of
from gallery import GALLERY
from gallery import tell as tell_of

import lib
from book.figures import tell


@pytest.fixture
def draw(draw):
    return lambda figure: draw(figure._repr_html_())


def marks(html, kind):
    """The attributes of each element of a class, and its text, in their order."""
    found = re.findall(rf'<\w+ ([^>]*class="(?:[^"]* )?{kind}(?: [^"]*)?"[^>]*)>([^<]*)', html)
    return [dict(re.findall(r'([\w-]+)="([^"]*)"', one)) | {"text": text} for one, text in found]


def numbers(found, name):
    return np.array([float(re.search(r"-?[\d.]+", one[name].replace("−", "-"))[0]) for one in found])


@pytest.mark.parametrize("state", ["plain", "zero", "hard", "low", "masked", "prior"])
def test_bars_are_as_high_as_what_they_stand_for(draw, state):
    figure = GALLERY["weights"][state]
    html, scores = draw(figure), np.array(figure.scores)
    options = {key: np.array(value) for key in ("prior", "where") if (value := getattr(figure, key)) is not None}
    null = lib.softmax(scores, 0.0, **options)
    for kind, expected in [("ws-weight", figure.weights), ("ws-prior", null)]:
        np.testing.assert_allclose(numbers(marks(html, kind), "height"), 105 * np.array(expected), atol=1e-3)
    bars = marks(html, "ws-score")
    y, height = numbers(bars, "y"), numbers(bars, "height")
    np.testing.assert_allclose(height / height.max(), np.abs(scores) / np.abs(scores).max(), atol=1e-4)
    np.testing.assert_allclose(np.where(scores < 0, y, y + height), numbers(marks(html, "ws-zero"), "y1")[0])

    labels = marks(html, "ws-label")
    weights = [one for one in labels if "ws-accent" in one["class"]]
    at_scores = [one for one in labels if one not in weights]
    np.testing.assert_allclose(numbers(at_scores, "text"), scores, atol=0.006)
    ends = np.where(scores < 0, y + height + 21, y - 12)  # each label stands beyond the end of its bar
    np.testing.assert_allclose(numbers(at_scores, "y"), ends, atol=1e-3)
    assert [one["text"] == "out" for one in weights] == (null == 0).tolist()
    shown = numbers([one for one in weights if one["text"] != "out"], "text")
    np.testing.assert_allclose(shown, 100 * np.array(figure.weights)[null > 0], atol=0.5)


def area_and_middle(path):
    """How large the area under an outline of steps is, and where its middle lies."""
    x, _, *steps = re.findall(r"[HV]?[\d.]+", path) or "00"
    x, height, area, moment = float(x), 0.0, 0.0, 0.0
    for step in steps:
        to = float(step[1:])
        if step[0] == "V":
            height = 98 - to
        else:
            area, moment, x = area + height * (to - x), moment + height * (to**2 - x**2) / 2, to
    return area, moment / area if area else math.nan


def game(state):
    """In this state, with the game in view and its humps in the picture."""
    figure = GALLERY["tell"][state]
    values = {name: getattr(figure, name) for name in ("tokens", "scores", "beta", "m", "hold")}
    return tell_of(exponents=False, **values)


@pytest.mark.parametrize("state", GALLERY["tell"])
def test_humps_and_their_names_stand_at_the_mean_scores_and_tails_are_as_large_as_errors(draw, state):
    figure = game(state)
    html, scores = draw(figure), np.array(figure.scores)
    low, high = scores.min(), scores.max()

    def across(x):
        return 100 * (0.18 + (np.asarray(x) - low) / (high - low)) / 1.36

    pi = lib.softmax(scores, figure.beta)
    # Of a few words the bins are wide: half a bin is as near as the middle of a hump can be.
    near = 100 / 1.36 / 16 / 2 if state in ("few", "other") else 0.3
    for kind, name, mean, tail, log in [
        ("ws-from-u", "from u", scores.mean(), "ws-alarm", figure.test.log_false_alarm),
        ("ws-from-pi", "from π", pi @ scores, "ws-miss", figure.test.log_miss),
    ]:
        whole, middle = area_and_middle(marks(html, kind)[0]["d"])
        assert middle / 10 == pytest.approx(across(mean), abs=near)
        assert area_and_middle(marks(html, tail)[0]["d"])[0] / whole == pytest.approx(math.exp(log), abs=0.01)
        (named,) = (one for one in marks(html, "ws-label") if one["text"] == name)
        assert float(named["x"].rstrip("%")) == pytest.approx(across(mean), abs=0.01)
    ticks = marks(html, "ws-tick-label")
    np.testing.assert_allclose(numbers(ticks, "x"), across(numbers(ticks, "text")), atol=0.01)


@pytest.mark.parametrize("state", ["few", "other"])
def test_exponents_and_their_limits_are_drawn_where_they_are(draw, state):
    figure = GALLERY["tell"][state]
    html, scores, m = draw(figure), np.array(figure.scores), figure.m
    limits = [tell.limit(scores, figure.beta, hold) for hold in tell.HOLDS]
    pixel = 1.2 * max(limits) / 140
    x, (now,) = f"{round(100 * math.log(m, 1000), 2):g}%", marks(html, "ws-now")
    assert now["x1"] == now["x2"] == x
    for i, (hold, limit) in enumerate(zip(tell.HOLDS, limits, strict=True)):
        line, curve, dot, name = (
            next(one for one in marks(html, kind) if f"ws-test-{i}" in one["class"])
            for kind in ("ws-limit", "ws-exponent", "ws-here", "ws-label")
        )
        assert pixel * (140 - float(line["y1"])) == pytest.approx(limit, abs=pixel / 10)
        assert float(name["text"].split()[-1]) == pytest.approx(limit, rel=6e-3)
        curve = np.array(re.findall(r"([\d.]+) (-?[\d.]+)", curve["d"]), float)
        drawn = {round(10 ** (3 * x / 1000)): pixel * (140 - y) for x, y in curve}
        drawn[m] = pixel * (140 - float(dot["cy"]))
        for tokens in (1, 3, 30, 300, m):
            expected = tell.exponent(scores, figure.beta, tokens, hold=hold)
            assert drawn[tokens] == pytest.approx(expected, abs=pixel / 10)
        assert dot["cx"] == x


def test_errors_are_those_of_the_test(draw):
    for state in ("few", "other", "plain"):
        figure = game(state)
        shown = re.findall(r">(?:misses|false alarms) ([\d.]+)%</b>", draw(figure))
        expected = [100 * math.exp(log) for log in (figure.test.log_miss, figure.test.log_false_alarm)]
        np.testing.assert_allclose(np.array(shown, float), expected, atol=0.5)


@pytest.mark.parametrize("state", ["plain", "budget", "edge"])
def test_the_way_from_the_null_ends_at_the_best_and_both_are_named(draw, state):
    figure = GALLERY["compromise"][state]
    html, best = draw(figure), np.array(figure.weights)
    null = np.array(figure.prior or [1, 1, 1]) / sum(figure.prior or [1, 1, 1])
    gone = weights_of(points_of_path(marks(html, "ws-gone")[0]["d"]))
    np.testing.assert_allclose(gone[[0, -1]], [null, best], atol=2e-4)
    assert (np.diff(gone @ figure.scores) >= -1e-3).all()
    for kind, p in [("ws-of-null", null), ("ws-of-best", best), ("ws-point", null)]:
        left, top = re.findall(r"[\d.]+", marks(html, kind)[0]["style"])
        np.testing.assert_allclose(weights_of(np.array([[10 * float(left), 8.66 * float(top)]]))[0], p, atol=1e-3)
    corners = re.findall(r"<small>s = (.*?)</small><b[^>]*>(.*?)%</b>", html)
    np.testing.assert_allclose(np.array(corners, float).T, [figure.scores, 100 * best], atol=0.5)


@pytest.mark.parametrize("state", ["plain", "low", "masked"])
def test_a_curve_is_led_to_its_ends(draw, state):
    html = draw(GALLERY["curves"][state])
    paths, ends = marks(html, "ws-curve"), numbers(marks(html, "ws-end"), "cy").reshape(-1, 2)
    curves, snaps = ([one["d"] for one in paths if ("ws-snap" in one["class"]) == snap] for snap in (False, True))
    assert len(curves) == len(snaps) == len(ends) > 3
    assert ["ws-first" in one["class"] for one in marks(html, "ws-dot")] == (
        ends[:, 1] == ends[:, 1].min()
    ).tolist()
    for curve, snap, (first, last) in zip(curves, snaps, ends, strict=True):
        (*_, begins), *_, (*_, stops) = points_of_path(curve)
        assert points_of_path(snap).tolist() == [[0, first], [20, begins], [220, stops], [240, last]]


@pytest.mark.parametrize("state", ["plain", "many", "tied"])
def test_a_leader_goes_from_each_dot_to_its_name(draw, state):
    html = draw(GALLERY["curves"][state])
    names, leaders = marks(html, "ws-name"), marks(html, "ws-leader")
    assert len(names) == len(leaders) > 2
    ends = np.array([re.search(r"M\S+ ([\d.]+)L\S+ ([\d.]+)h", one["d"]).groups() for one in leaders], float)
    np.testing.assert_allclose(ends[:, 1] + 4, numbers(names, "y"), atol=1e-3)
    assert set(ends[:, 0].round(2)) <= set(numbers(marks(html, "ws-dot"), "cy").round(2))


def test_numbers_stand_under_their_places_on_the_line(draw):
    for state, share in [("number", lambda x: math.log(x, 1e5)), ("even", lambda x: (x + 2) / 10)]:
        html = draw(GALLERY["predict"][state])
        ticks = re.findall(r'<span style="left:([\d.]+)%">([^<]*)</span>', html)
        assert len(ticks) >= 5
        for left, text in ticks:
            x = float(text.replace("\u202f", "").replace("−", "-"))
            assert float(left) == pytest.approx(100 * share(x), abs=1e-3)
