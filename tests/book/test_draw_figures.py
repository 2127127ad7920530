"""The pictures that the build draws: each by its own view, once; a view that fails is named."""

import re
from html import escape, unescape

import pytest

from book.builder import draw_figures
from book.builder.draw_figures import Drawer
from book.example import SCORES, TOKENS
from book.figures import BetaWeights, CanYouTell, Compromise, Mask, Predict, Race, Width

FIGURES = [
    BetaWeights(TOKENS, SCORES, curves=True, presets=[("T = 1", 1.0)], caption="A <caption> & more", name="first"),
    Compromise(["cat", "milk", "it"], [2.0, 1.5, 0.8], mode="budget"),
    CanYouTell(TOKENS, SCORES),
    Predict("Which *one*?", ["this", "that"], "that", "It is."),
    Predict("How many?", answer=1e5, why="It is.", low=1, high=1e6, log=True, unit="tokens", name="second"),
    Race(TOKENS, SCORES),
    Width(d=32, scale="undivided"),
    Mask(["a", "b", "c"], [[0, 1, 2], [1, 0, 2], [2, 1, 0]], offset=-1, way="infinity"),
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_a_picture_has_no_control_nothing_hidden_and_keeps_the_state_that_the_page_starts_from(draw, figure):
    given = figure._repr_html_()
    html = draw(given)
    assert not re.search(
        r"<(?:input|button|label|form|select)\b|tabindex|role=\"(?:slider|radio)|hidden=\"\"", html
    )
    assert "</p>" in html
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert all(one == figure.name or one.startswith(f"{figure.name}-") for one in ids)
    stated, kept = (re.search(r'data-state="([^"]*)"', one)[1] for one in (given, html))
    assert unescape(kept) == unescape(stated)


def test_what_stands_around_figures_is_left_alone_and_each_state_is_drawn_once():
    first, second = FIGURES[0]._repr_html_(), FIGURES[1]._repr_html_()
    with Drawer() as draw:
        asked = []
        ask = draw.ask
        draw.ask = lambda message: asked.append(message) or ask(message)
        page = draw(f"<h1>A</h1>{first}<div>between</div>{second}{first}<p>end</p>")
        assert page == f"<h1>A</h1>{draw(first)}<div>between</div>{draw(second)}{draw(first)}<p>end</p>"
        assert len(asked) == 2
    assert draw("<p>none</p>") == "<p>none</p>"
    assert escape(FIGURES[0].caption) in page


def test_the_sentence_is_what_the_view_says(draw):
    said, more = draw.sentence(FIGURES[0]._repr_html_()).split("\n")
    assert said == "At β = 1, “cat” gets 37% of the weight."
    assert more == "The spread is that of 5.3 equal weights, 0.28 nats from the null."
    assert draw.sentence(FIGURES[3]._repr_html_()) is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('throw new RangeError("no such bar")', "RangeError: no such bar"),
        ("el.replaceChildren()", "draws nothing"),
        ("el.append([].at(0))", "undefined"),
        ('el.append("text"); el.setAttribute("width", `${0 / 0}%`)', "NaN"),
    ],
)
def test_a_view_that_fails_is_named_with_its_error(monkeypatch, draw, body, said):
    module = f"export default {{ render({{ el }}) {{ {body} }} }};"
    monkeypatch.setattr(draw_figures, "widget_module", lambda view: module)
    html = BetaWeights(TOKENS, SCORES, name=f"broken-{abs(hash(body))}")._repr_html_()
    with pytest.raises(ValueError, match=rf"broken-\d+ \(beta_weights\) cannot be drawn: .*{said}"):
        draw(html)
    assert draw.sentence(html) is None
    monkeypatch.undo()
    assert "<svg" in draw(html), "the next one is drawn"


CONTROLS = """
  const made = (name, attributes = {}, ...children) => {
    const one = document.createElement(name);
    for (const key in attributes) one.setAttribute(key, attributes[key]);
    one.append(...children);
    return one;
  };
  const box = made("input", { type: "checkbox" });
  const form = made("form", {}, made("label", { class: "a" }, box, "tick"), made("input", { type: "text" }));
  const slider = made("div", { role: "slider", tabindex: 0, "aria-valuetext": "2 < 3" }, "knob");
  const press = made("button", { type: "button", class: "ws-button" }, "Press");
  el.append(form, slider, press, made("p", { hidden: "" }, "hidden"), made("p", {}, "one", made("br"), "two"));
  box.checked = true;
  form.before(made("i", { style: "left: 33.333333%; --at: 1" }, "first"));
"""


def test_what_becomes_of_each_control(monkeypatch, draw):
    module = f"export default {{ render({{ el }}) {{ {CONTROLS} }} }};"
    monkeypatch.setattr(draw_figures, "widget_module", lambda view: module)
    html = draw(BetaWeights(TOKENS, SCORES, name="controls")._repr_html_())
    assert html.partition(">")[2] == (
        '<i style="left:33.3333%;--at:1">first</i>'
        '<div><span class="a"><span class="ws-mark ws-chosen"></span>tick</span></div>'
        '<span class="ws-unseen">2 &lt; 3</span>'
        '<span class="ws-button" aria-hidden="true">Press</span>'
        "<p>one<br>two</p></div>"
    )
