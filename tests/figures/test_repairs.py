"""*Repairs* draws the weights that `lib` gives for each repair, and its lamps are what trying out says."""

import numpy as np
import pytest
from figure_page import assert_shares, attributes, marks, number_in, numbers, opened, press, said, table, tops
from gallery import repairs
from in_node import ask, assert_same

from book.example import SCORES, TOKENS
from book.figures.repairs import LAMPS, REPAIRS, SITUATIONS, lamps_of
from lib import softmax, softmax_plus_one

ROW = np.array(SCORES)
START = {"sink": 2.6, "gate": 0.4, "cap": 2.0, "gain": 3.0, "typical": 7}
ALL = [(repair, situation) for repair in REPAIRS for situation in ("none", *SITUATIONS)]


def expected(repair, situation="none", row=ROW, **knobs):
    """The weights of all words one by one, written out once more; the newcomers of a long text are added up."""
    knob, n = {**START, **knobs}, len(row)
    words = {"shift": row + 2, "join": [*row, 1.0], "long": [*row, *[0.2] * (3 * n)], "times": 3 * row}
    s = np.asarray(words.get(situation, row), dtype=float)
    if repair == "cap":
        s = knob["cap"] * np.tanh(s / knob["cap"])
    if repair == "norm":  # a key of two numbers for each word, the first its score
        query = np.array([3.0 if situation == "times" else 1.0, 0.0])
        keys = np.stack([s / query[0], np.full(len(s), 2.0)], axis=1)
        s = knob["gain"] * (keys @ query) / np.linalg.norm(keys, axis=1) / np.linalg.norm(query)
    if repair == "length":
        s = s * np.log(len(s)) / np.log(knob["typical"])
    weights = softmax_plus_one(s, sink=knob["sink"]) if repair == "sink" else softmax(s)
    if repair == "gate":
        weights = weights / (1 + np.exp(-knob["gate"]))
    return np.append(weights[:n], weights[n:].sum()) if situation in ("join", "long") else weights


# --- the numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("repair", "situation"), ALL)
def test_python_has_the_weights_word_by_word(repair, situation):
    figure = repairs(repair=repair, situation=situation)
    np.testing.assert_allclose(figure.weights, expected(repair, situation), rtol=1e-12)
    np.testing.assert_allclose(figure.plain, expected("none", situation), rtol=1e-12)
    assert figure.share == pytest.approx(expected(repair, situation).sum())
    assert figure.nobody == pytest.approx(1 - figure.share)


ANSWER = """([repair, situation, scores, knobs]) =>
  repaired(repair, knobs, inSituation({ scores, situation }))"""


def test_both_languages_have_the_same_weights():
    rng = np.random.default_rng(47)
    knobs = [START, {"sink": -4, "gate": 6, "cap": 0.5, "gain": 10, "typical": 2}]
    rows = [
        [*way, (rng.normal(size=n) * size).tolist(), knob]
        for way in ALL
        for n, size in ((2, 1), (5, 3), (7, 30))
        for knob in knobs
    ]
    wanted = lambda row: expected(row[0], row[1], np.array(row[2]), **row[3])  # noqa: E731
    assert_same(ANSWER, rows, wanted, "repairs", rtol=1e-9, atol=1e-300)


def test_the_score_that_counts_is_the_one_that_softmax_gets():
    used = """([repair, situation, knobs, scores]) => {
      const now = inSituation({ scores, situation });
      return usedScores(repair, knobs, { ...now, words: scores.length + now.more });
    }"""
    wanted = lambda row: repairs(repair=row[0], situation=row[1]).used  # noqa: E731
    assert_same(used, [[*way, START, list(SCORES)] for way in ALL], wanted, "repairs", rtol=1e-12)
    for way in ALL:
        figure = repairs(repair=way[0], situation=way[1])
        within = {"cap": 2.0, "norm": 3.0}.get(way[0], np.inf)
        assert (abs(figure.used) <= within).all()


KEPT = {  # worked out by hand: the wishes, and what is gained
    "none": "1234",
    "sink": "124 can say nothing",
    "gate": "1234 can say nothing",
    "cap": "124 scores are bounded",
    "norm": "124 scores are bounded",
    "length": "234 a lead lasts in long texts",
}


def told(lamps):
    wishes, gains = lamps[:4], [name for name, on in zip(LAMPS[4:], lamps[4:], strict=True) if on]
    return " ".join(["".join(str(k + 1) for k in range(4) if wishes[k]), *gains])


def test_lamps_are_those_of_the_proofs_at_every_setting_and_in_both_languages():
    ends = {"sink": (-4, 8), "gate": (-6, 6), "cap": (0.5, 10), "gain": (0.5, 10), "typical": (2, 30)}
    settings = [START, *({**START, name: end} for name, both in ends.items() for end in both)]
    rows = [[repair, knobs] for repair in REPAIRS for knobs in settings]
    found = ask("([repair, knobs]) => lampsOf(repair, knobs)", rows, "repairs")
    for (repair, knobs), lamps in zip(rows, found, strict=True):
        assert lamps == list(lamps_of(repair, knobs).values()), (repair, knobs)
        assert told(lamps) == KEPT[repair], (repair, knobs)
    assert repairs(repair="cap").lamps == lamps_of("cap", START)


def test_the_question_of_the_chapter():
    assert repairs().share == pytest.approx(0.599, abs=5e-4)
    assert repairs(situation="shift").share == pytest.approx(0.917, abs=5e-4)
    assert repairs(repair="gate").share == pytest.approx(0.599, abs=5e-4)  # both begin alike


# --- the picture -------------------------------------------------------------------------------------


def widths(page, kind):
    """How long the bars of the words are, after that of all words together, in shares of what 100% is."""
    return attributes(page, f".ws-strip rect.ws-{kind}", "width") / 100


@pytest.mark.parametrize(("repair", "situation"), ALL)
def test_bars_and_numbers_are_those_of_lib(visit, repair, situation):
    page = visit(repairs(repair=repair, situation=situation)).page
    now, was = expected(repair, situation), expected(repair)
    full = lambda weights: np.append(weights, np.zeros(8 - len(weights)))  # noqa: E731
    np.testing.assert_allclose(widths(page, "weight"), [now.sum(), *full(now)], atol=1e-9)
    np.testing.assert_allclose(widths(page, "plain"), [1, *full(expected("none", situation))], atol=1e-9)
    values = page.locator(".ws-strip .ws-label:not(.ws-rest)").all_text_contents()[: 1 + len(now)]
    assert_shares(values, [now.sum(), *now])
    lines = page.locator(".ws-strip .ws-was")
    before, after = [was.sum(), *was], [now.sum(), *now[:7]]
    for k, (a, b) in enumerate(zip(before, after, strict=True)):
        seen = lines.nth(k).get_attribute("visibility") == "inherit"
        assert seen == (abs(a - b) > 1e-9)
        if seen:
            assert float(lines.nth(k).get_attribute("x1").strip("%")) == pytest.approx(100 * a)
    assert lines.nth(8).get_attribute("visibility") == "hidden"
    scores = page.locator(".ws-word-row:not(.ws-keys, .ws-absent) .ws-given").all_text_contents()[1:]
    used = repairs(repair=repair, situation=situation).used
    for text, s in zip(scores, used, strict=True):
        assert number_in(text.split(" → ")[-1]) == pytest.approx(s, abs=0.0051)
    shine = "all => all.map(el => el.classList.contains('ws-on'))"
    assert page.eval_on_selector_all(".ws-lamp, .ws-gain", shine) == [*lamps_of(repair, START).values()]


def test_the_picture_of_the_build_has_the_weights(draw):
    html = draw(repairs(repair="gate", situation="shift"))
    bars = [one for one in marks(html, "ws-weight") if one.get("width")]
    now = expected("gate", "shift")
    np.testing.assert_allclose(numbers(bars, "width") / 100, [now.sum(), *now, 0], atol=1e-5)


def test_the_press_of_the_question_is_asked_for_and_answers_it(visit):
    page = visit(repairs()).page
    assert page.locator(".ws-call").filter(visible=True).all_text_contents() == ["press"]
    assert page.locator(".ws-rest").first.text_content() == "no word 40%"
    press(page, "2 points")
    page.wait_for_timeout(700)
    np.testing.assert_allclose(widths(page, "weight")[0], 0.917, atol=5e-4)
    assert page.locator(".ws-all-words .ws-label").first.text_content() == "92%"
    assert page.locator(".ws-rest").first.text_content() == ""
    assert page.locator(".ws-call").filter(visible=True).count() == 0
    assert page.locator(".ws-asked").text_content() == "3 no zero point"
    assert said(page).endswith("wish 3 is gone.")
    press(page, "2 points")  # it is taken back
    page.wait_for_timeout(700)
    np.testing.assert_allclose(widths(page, "weight")[0], 0.599, atol=5e-4)


def test_a_slider_leads_the_weights_and_only_the_chosen_one_is_there(visit):
    page = visit(repairs()).page
    names, knobs = ("sink", "gate", "cap", "QK-norm", "log n"), ("sink", "gate", "cap", "gain", "typical")
    for name, repair, knob, end in zip(names, REPAIRS[1:], knobs, (8, 6, 10, 10, 30), strict=True):
        page.get_by_role("radio", name=name).check(force=True)
        assert page.get_by_role("slider").count() == 1
        page.get_by_role("slider").press("End")
        now = expected(repair, **{knob: end})
        np.testing.assert_allclose(widths(page, "weight")[1:8], now, atol=1e-9)
    page.get_by_role("radio", name="plain softmax").check(force=True)
    assert page.get_by_role("slider").count() == 0


def test_the_table_has_the_lamps_of_all_repairs(visit):
    page = opened(visit(repairs(cap=5)))
    rows = {name: [text == "yes" for text in cells] for name, *cells in table(page)}
    assert [*rows] == list(LAMPS)
    for k, repair in enumerate(REPAIRS):
        assert [row[k] for row in rows.values()] == [*lamps_of(repair, START).values()]


def test_a_word_that_hardly_moves_is_said_to(draw):
    scores = [0.0, 0.0, 0.0, 0.0, 0.02, 0.0, 0.0]
    says = draw.sentence(repairs(repair="cap", cap=10, scores=scores, situation="shift"))
    assert says.endswith("it hardly moves from 15%: wish 3 is gone.")


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_no_text_is_cut_off_and_nothing_moves(visit, width):
    page = visit(repairs(caption="A caption."), width=width).page
    parts = "presses board knobs marks say tools caption"
    before = tops(page, parts)
    whole = "all => all.filter(el => el.scrollWidth > el.clientWidth + 1).map(el => el.textContent)"
    texts = ".ws-presses button, .ws-name, .ws-given, .ws-legend, .ws-kept > span, .ws-choice .ws-tick, .ws-say"
    for name in ("plain softmax", "sink", "gate", "cap", "QK-norm", "log n"):
        page.get_by_role("radio", name=name).check(force=True)
        for button in page.locator(".ws-presses button").all():
            button.click()
            assert page.eval_on_selector_all(texts, whole) == []
            assert tops(page, parts) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_the_first_press_stands_above_all_else(visit):
    page = visit(repairs(), width=360).page
    first = page.get_by_role("button", name="2 points").bounding_box()
    figure = page.locator(".ws-figure").bounding_box()
    assert first["y"] + first["height"] - figure["y"] < 50
    assert page.locator(".ws-name").all_text_contents()[1:8] == list(TOKENS)
