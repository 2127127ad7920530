"""The controls of every figure: sliders, fields and bars lead to what they say, and nothing shifts on the way."""

from itertools import product
from math import log

import pytest
from figure_page import LOOK, OVERLAPS, copied, grip, named, opened, pull, slider
from gallery import MAKE, tell

BETA = "inverse temperature"
PRICE = "price of a claim"


# --- sliders, fields, bars -----------------------------------------------------------------------

# Each slider is led, by keys and clicks at a share of its rail, to what it then says.
SLIDERS = {
    "weights": {
        BETA: "ArrowRight: β = 1.25; ArrowUp: β = 1.6; ArrowLeft: β = 1.25; PageUp: β = 10; Home: β = 0; "
        "ArrowRight: β = 0.01; End: β = infinity; ArrowLeft: β = 100; 50%: β = 1; 0%: β = 0; 6%: β = 0.01; "
        "3%: β = 0; 94%: β = 100; 97%: β = infinity"
    },
    "compromise": {
        PRICE: "ArrowRight: β = 1.25; PageUp: β = 2; ArrowLeft: β = 1.6; Home: β = 0; ArrowRight: β = 0.1; "
        "End: β = infinity; ArrowDown: β = 10; PageDown: β = 5; 50%: β = 1; 0%: β = 0; 8.4%: β = 0.1; "
        "100%: β = infinity",
    },
    "tell": {
        "words": "ArrowRight: m = 25 words; ArrowUp: m = 32 words; PageUp: m = 100 words; "
        "PageDown: m = 10 words; Home: m = 1 word; ArrowRight: m = 2 words; ArrowUp: m = 3 words; "
        "End: m = 1000 words; 50%: m = 32 words",
        "β": "ArrowRight: β = 1.25; PageUp: β = 10; ArrowLeft: β = 8; Home: β = 0.1",
    },
    "race": {"": "PageUp: β = 10; ArrowLeft: β = 8; Home: β = 0.1; ArrowUp: β = 0.125"},
    "lake": {
        "level": "PageDown: 0.7 points; ArrowUp: 0.8 points; Home: −1.2 points; End: 2.5 points",
        "α, the rule": "50%: entmax; Home: softmax; ArrowRight: entmax; End: sparsemax",
        BETA: "ArrowRight: β = 1.25; End: β = 4; Home: β = 0.25",
    },
    "repairs": {"empty place": "ArrowRight: 2.7 points; End: 8 points; Home: −4 points; 50%: 2 points"},
    "one-price": {
        "price": "ArrowRight: between x log x and ½x²; Home: x log x; 50%: half way; "
        "End: ½x²; ArrowLeft: between x log x and ½x²",
    },
    "width": {
        "width d": "ArrowRight: d = 17; ArrowUp: d = 18; ArrowLeft: d = 17; Home: d = 1; ArrowRight: d = 2; "
        "End: d = 64; 0%: d = 1; 50%: d = 32"
    },
    "uphill": {
        "lead of the wrong word": "ArrowRight: 9.5 points; End: 1 point; ArrowLeft: 1.5 points; Home: 10 points; "
        "50%: 5 points"
    },
    "dispersion": {
        "number of tokens n": "ArrowRight: 10 tokens; ArrowUp: 13 tokens; PageUp: 100 tokens; "
        "ArrowLeft: 80 tokens; End: 1 000 000 tokens; Home: 8 tokens; 58.86%: 8000 tokens",
        "lead among 8 tokens": "End: lead 12 points; ArrowLeft: lead 11.9 points",
    },
    "mask": {
        "position of the first query": "Home: position -2; ArrowRight: position -1; End: position 6; "
        "ArrowDown: position 5; 25%: position 0; 75%: position 4"
    },
    "cost": {
        "words n": "ArrowRight: n = 2048; Home: n = 64; ArrowUp: n = 128; 50%: n = 8192",
        "width d": "End: d = 256; 50%: d = 64; ArrowLeft: d = 32",
    },
    "sheet": {
        "length of the text": "ArrowRight: 32 768 words; ArrowUp: 65 536 words; ArrowLeft: 32 768 words; "
        "End: 131 072 words; ArrowDown: 65 536 words; Home: 1024 words"
    },
    "formats": {
        "shift of all scores": "ArrowRight: +0.25 points for everybody; End: +12 points for everybody; "
        "ArrowLeft: +11.8 points for everybody; Home: −22 points for everybody; 50%: −5 points for everybody"
    },
    "stream": {
        "split after": "ArrowRight: split after key 1; 66.67%: split after key 4; ArrowLeft: split after key 3",
        "keys read": "ArrowRight: each part has read up to 1 of 4 keys; End: both parts merged; "
        "40%: each part has read up to 2 of 4 keys",
    },
    "sampling": {"temperature T": "ArrowRight: T = 1.25; End: T = 10; 0%: T = 0.1; 50%: T = 1"},
    "heads": {
        "times": "Home: 1/16 own; ArrowRight: 0.0884 own; ArrowRight: 1/8 own; End: infinity: the highest score "
        "takes all; ArrowLeft: 16 own; ArrowLeft: 11.3 own; ArrowRight: 16 own".replace(
            "own", "times the model’s own"
        )
    },
}


@pytest.mark.parametrize("kind", SLIDERS)
def test_keys_and_clicks_move_a_slider_and_the_figure_follows(visit, kind):
    page = opened(visit(MAKE[kind]()))
    for name, steps in SLIDERS[kind].items():
        control = slider(page, name)
        for step in steps.split("; "):
            move, _, says = step.partition(": ")
            if move.endswith("%"):  # a click; the thumb's middle stays 12 pixels from the ends of the rail
                rail = control.bounding_box()
                x = 12 + float(move[:-1]) / 100 * (rail["width"] - 24)
                control.click(position={"x": x, "y": rail["height"] / 2})
            else:
                control.press(move)
            told = control.get_attribute("aria-valuetext").replace("\u202f", " ")
            assert told.partition(", ")[0] == says, step
    shown, link = page.evaluate(LOOK), copied(page)
    assert visit(MAKE[kind](), link=f"#{link}").page.evaluate(LOOK) == shown


STEP = "(range, by) => { range.value = Number(range.value) + by; range.dispatchEvent(new Event('input')) }"


@pytest.mark.parametrize(
    ("figure", "name", "steps"),
    [
        (MAKE["weights"](beta=0.01), BETA, [(-1, "β = 0"), (1, "β = 0.01")]),
        (MAKE["tell"](m=1), "words", [(1, "m = 2 "), (1, "m = 3 "), (-1, "m = 2 "), (-1, "m = 1 ")]),
    ],
    ids=["weights", "tell"],
)
def test_a_screen_readers_single_steps_pass_the_gaps_and_never_stand_still(visit, figure, name, steps):
    control = slider(visit(figure).page, name)
    for by, says in steps:
        control.evaluate(STEP, by)
        assert control.get_attribute("aria-valuetext").startswith(says)


@pytest.mark.parametrize("kind", ["weights", "raise", "jacobian", "mixture", "lamps"])
def test_the_end_of_a_bar_follows_a_pointer(visit, kind):
    page, i = opened(visit(MAKE[kind]())), 4
    here = lambda: (grip(page, i).bounding_box()["y"], float(grip(page, i).get_attribute("aria-valuenow")))  # noqa: E731
    y, score = here()
    pull(page, i, -14)
    assert here()[0] == pytest.approx(y + 14, abs=3)
    assert here()[1] < score


# What stands over the thumb of which slider, and at which share of its rail.
OVER = {
    "jacobian": ({"beta": 10.0}, ".ws-range", "circle.ws-here", 170 / 240),
    "dispersion": ({"crowd": 8000}, ".ws-range >> nth=0", "circle.ws-dot", log(1000) / log(125_000)),
    "width": ({"d": 24}, ".ws-range", "circle.ws-tip", 24 / 64),
    "uphill": ({"lead": 4}, ".ws-range", "circle.ws-ball >> nth=0", 6 / 10),
}


@pytest.mark.parametrize("kind", OVER)
def test_the_dots_stand_over_the_thumb(visit, kind):
    state, range_, dots, share = OVER[kind]
    page = visit(MAKE[kind](**state)).page
    rail = page.locator(range_).bounding_box()
    found = [dot.bounding_box() for dot in page.locator(dots).all()]
    assert found
    for box in found:
        middle = box["x"] + box["width"] / 2
        assert middle == pytest.approx(rail["x"] + 12 + share * (rail["width"] - 24), abs=1.5)


# --- nothing shifts ------------------------------------------------------------------------------


def keys(name, *all_):
    return [("slider", name, key) for key in all_]


def clicks(role, *names):
    return [(role, name, None) for name in names]


STAY = (None, "", None)
RIGHT = ["ArrowRight"]
KNOBS = ["empty place", "gate", "bound", "gain", "usual length"]  # of which one is seen at a time
ENDS = keys("words", "End") + keys("β", "Home", "End") + keys("words", "Home") + keys("β", "Home")
GUESSED = clicks("button", "Draw", "softmax’s weights")
humps = lambda **state: tell(exponents=False, **state)  # noqa: E731
# Each figure is led through every combination of these moves, one of each list, from the states in `WALKED`.
WALKS = {
    "weights": [keys(BETA, "Home", "End", *["PageDown"] * 3)],
    "compromise": [
        clicks("radio", "softmax", "entmax", "sparsemax"),
        [*clicks("radio", "price", "budget")],
        [
            step
            for key in ("Home", *["PageUp"] * 3, *RIGHT * 2, *["PageUp"] * 2, "End")
            for step in (("slider", PRICE, key), ("slider", "budget", key))
        ],
        [STAY, *clicks("button", "show the top")],
        [STAY, *keys("your weights", "ArrowLeft", "PageUp")],
    ],
    "tell": [ENDS, clicks("radio", "misses", "false alarms", "neither"), GUESSED],
    "humps": [ENDS, GUESSED],
    "race": [
        [*keys("", "Home", "End"), ("button", "Clear", None)],
        clicks("radio", "Gumbel", "normal", "uniform", "none"),
    ],
    "raise": [
        keys("score of because", "PageDown", "End", "End", "PageUp"),
        keys(BETA, "Home", "ArrowRight", "PageUp", "PageUp", "PageUp", "End"),
    ],
    "jacobian": [keys(BETA, "Home", *RIGHT * 30, "End")],
    "mixture": [keys(BETA, "Home", "End", *["PageDown"] * 3)],
    "lake": [
        keys("level of the water", "Home", "End"),
        keys("α, the rule", "Home", *RIGHT * 3, "End"),
        keys(BETA, "Home", "End"),
    ],
    "one-price": [
        [STAY, *clicks("button", "newcomer")],
        keys("price", "Home", *RIGHT * 6, "End"),
    ],
    "outside": [
        [STAY, *clicks("button", "3 points up", "4 points down", "× 10", "lowest rises", "one word joins")],
        [STAY, *clicks("button", "3 points up", "one word joins")],
    ],
    "repairs": [
        clicks("radio", "plain softmax", "sink", "gate", "cap", "QK-norm", "log n"),
        [STAY, *clicks("button", "2 points", "joins", "the text", "the query")],
        [STAY, *(step for name in KNOBS for step in keys(name, "Home", "End"))],
    ],
    "width": [
        [STAY, *clicks("button", *8 * ["Another query"])],
        clicks("radio", "as they are", "divided by √d"),
        keys("width d", "Home", *RIGHT * 5, "End"),
    ],
    "uphill": [clicks("button", *["One step"] * 7, "Run")],
    "dispersion": [
        clicks("radio", "β = 1", "β grows with log n"),
        clicks("radio", "lead stays", "lead shrinks as 1/n"),
        keys("number of tokens n", "Home", "PageUp", "PageUp", "End"),
    ],
    "mask": [
        clicks("radio", "causal", "window", "all keys"),
        clicks("radio", "left out", "score −∞", "score −1e9"),
        keys("position of the first query", "Home", "ArrowRight", "End"),
    ],
    "cost": [
        clicks("radio", "all words ask", "one new word asks"),
        keys("width d", "Home", "End"),
        keys("words n", "Home", *RIGHT * 14),
    ],
    "sheet": [
        [STAY, *clicks("button", "never store the tables")],
        [STAY, *keys("length of the text", "Home", *RIGHT * 12)],
        [STAY, *clicks("button", *["twice the text"] * 7)],
    ],
    "formats": [
        clicks("radio", "float16", "bfloat16", "float32", "float64"),
        [STAY, *clicks("button", "subtract the largest score")],
        keys("shift of all scores", "Home", *RIGHT * 40, "End"),
    ],
    "stream": [
        [STAY, *keys("split after", *RIGHT * 6)],
        [STAY, *keys("keys read", *RIGHT * 8)],
    ],
    "two": [keys("points for the first sentence", "End", *["ArrowDown"] * 5, "PageDown")],
    "twice": [
        [STAY, *clicks("checkbox", "softmax again")],
        keys("score of 7", "Home", "PageUp", "PageUp", "PageUp", "End"),
    ],
    "flat": [
        clicks("button", "A straight curve", "A sudden step", "Squares"),
        keys("share at score 4", "PageUp", "PageUp", "PageDown"),
        keys("the row of words", "Home", "End"),
        [STAY, ("button", "Show me", None)],
        keys("β, the slope", "Home", "End", "PageDown"),
    ],
    "two-rules": [
        [STAY, *clicks("button", *5 * ["last word"])],
        clicks("radio", "rule A", "rule B"),
        [STAY, *clicks("button", "guess A"), *clicks("checkbox", "ten points more", "ten points more")],
    ],
    "sampling": [
        [*clicks("radio", "top-k", "top-p", "min-p", "nothing"), ("button", "clear", None)],
        keys("temperature T", "Home", "End", "PageDown"),
    ],
}
WALKED = {
    "dispersion": [{"lead": 1.2}],
    "mask": [{"queries": 6}],
    "uphill": [{"lead": lead, "steps": 2} for lead in (4, 7, 10)],  # before, the lower hill is not there
}
STANDING = """halves roads game plot rise slider tests lanes tokens shares runs kinds presses board knobs marks
    rules line choice costs strip svg valued spread acts table track say tools caption"""
MOVING = {"compromise": "say tools caption"}  # where other parts give way to one another
APART = {  # which texts never lie on one another
    "outside": ".ws-rule-name, .ws-name, .ws-drawn, .ws-tests b, .ws-asks, .ws-reading, .ws-strip text, .ws-say",
    "repairs": ".ws-presses button, .ws-name, .ws-given, .ws-label, .ws-kept > span, .ws-tick, .ws-say",
    "lake": ".ws-head span, .ws-call, .ws-ends span, .ws-share, .ws-sum, .ws-verdict, .ws-say",
    "one-price": ".ws-roads span, .ws-asks, .ws-ends > span > span, .ws-say, .ws-of-bar, .ws-ratio, .ws-call",
    "dispersion": ".ws-ticks span, .ws-level, .ws-head > span, .ws-melting span",
}
# Makes every combination of moves, one of each level, and gives those after which something has moved, and how
# many different states it has seen.
WALK = """([levels, parts, apart]) => {
  const overlaps = OVERLAPS;
  const tops = () => JSON.stringify(parts.map(part => [...document.querySelectorAll(`.ws-${part}`)].map(
    el => el.checkVisibility() ? el.getBoundingClientRect().top + scrollY : null)));
  const before = tops(), wrong = [], states = new Set();
  const act = (el, key) => {
    if (!el || el.disabled || !el.checkVisibility()) return;
    if (!key) return el.click();
    el.focus();
    if (!el.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))) return;
    if (key === 'ArrowRight') el.stepUp(); // no script has taken the key, so the browser would
    else el.value = key === 'Home' ? el.min : el.max;
    el.dispatchEvent(new Event('input'));
  };
  const walk = (path, [level, ...rest]) => {
    if (!level) {
      states.add([...document.querySelectorAll('.ws-say, .ws-value, .ws-ask')].map(el => el.textContent).join());
      if (tops() !== before || (apart && overlaps(apart).length)) wrong.push(path.join(', '));
    } else for (const [el, name, key] of level) {
      act(el, key);
      walk([...path, `${name} ${key ?? ''}`], rest);
    }
  };
  walk([], levels);
  return [wrong, states.size];
}""".replace("OVERLAPS", OVERLAPS)


@pytest.mark.parametrize("kind", WALKS)
def test_no_state_moves_what_is_below_the_figure(visit, kind):
    levels, make = WALKS[kind], {**MAKE, "humps": humps}[kind]
    for width, state in product([1280, 360], WALKED.get(kind, [{}])):
        page = opened(visit(make(**{"caption": "A caption.", **state}), width=width))
        handles = {}
        for role, name, _ in (move for level in levels for move in level if move[0]):
            if (role, name) not in handles:
                seen = named(page, role, name)
                control = seen if seen.count() else named(page, role, name, include_hidden=True)
                handles[role, name] = control.first.element_handle()
        moves = [[[handles.get((role, name)), name, key] for role, name, key in level] for level in levels]
        parts = MOVING.get(kind, STANDING).split()
        wrong, seen = page.evaluate(WALK, [moves, parts, APART.get(kind)])
        assert wrong == [], f"on a screen of {width} something has moved, or a text lies on another, after these"
        assert seen >= max(len({(name, key) for _, name, key in level}) for level in levels)
