"""The pictures that the build draws: each by its own view, once; a view that fails is named."""

import re
from html import escape, unescape

import pytest
from gallery import GALLERY

from book.builder import draw_figures
from book.builder.draw_figures import Drawer
from book.example import SCORES, TOKENS
from book.figures import BetaWeights, Predict

CONTROLS = r"<(?:input|button|label|form|select)\b|tabindex|role=\"(?:slider|radio)|hidden=\"\""


@pytest.fixture(scope="module")
def drawer():
    with Drawer() as found:
        yield found


def test_a_picture_has_no_control_nothing_hidden_and_keeps_the_state_that_the_page_starts_from(drawer):
    for figure in (figure for states in GALLERY.values() for figure in states.values()):
        html = drawer(figure.as_data())
        assert not re.search(CONTROLS, html), figure.name
        assert "</p>" in html
        assert escape(figure.caption) in html
        ids = re.findall(r' id="([^"]+)"', html)
        assert len(ids) == len(set(ids)), figure.name
        assert all(one == figure.name or one.startswith(f"{figure.name}-") for one in ids), figure.name
        for given in (html, figure._repr_html_()):
            assert unescape(re.search(r'data-state="([^"]*)"', given)[1]) == figure.as_data()["state"]
        still = drawer(figure.as_data(), still=True)
        assert still == re.sub(r' data-(?:figure|state)="[^"]*"', "", html, count=2)


def test_each_state_is_drawn_once_and_the_sentence_is_what_the_view_says():
    with Drawer() as draw:
        asked = []
        ask = draw.ask
        draw.ask = lambda message: asked.append(message) or ask(message)
        first = BetaWeights(TOKENS, SCORES).as_data()
        other = Predict("Which *one*?", ["this", "that"], "that", "It is.").as_data()
        assert draw(first) == draw(dict(first))
        said, more = draw.sentence(first).split("\n")
        assert said == "At β = 1, “cat” gets 37% of the weight."
        assert more == "The spread is that of 5.3 equal weights, 0.28 nats from the null."
        assert draw.sentence(other) is None
        assert len(asked) == 2


def of(body):
    return lambda view: f"export default {{ render({{ el }}) {{ {body} }} }};"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('throw new RangeError("no such bar")', "RangeError: no such bar"),
        ("el.replaceChildren()", "draws nothing"),
        ("el.append([].at(0))", "undefined"),
        ('el.append("text"); el.setAttribute("width", `${0 / 0}%`)', "NaN"),
    ],
)
def test_a_view_that_fails_is_named_with_its_error(monkeypatch, drawer, body, said):
    monkeypatch.setattr(draw_figures, "widget_module", of(body))
    figure = BetaWeights(TOKENS, SCORES, name=f"broken-{abs(hash(body))}").as_data()
    with pytest.raises(ValueError, match=rf"broken-\d+ \(beta_weights\) cannot be drawn: .*{said}"):
        drawer(figure)
    assert drawer.sentence(figure) is None
    monkeypatch.undo()
    assert "<svg" in drawer(figure), "the next one is drawn"


CONTROLS_MADE = """
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


def test_what_becomes_of_each_control(monkeypatch, drawer):
    monkeypatch.setattr(draw_figures, "widget_module", of(CONTROLS_MADE))
    html = drawer(BetaWeights(TOKENS, SCORES, name="controls").as_data())
    assert html.partition(">")[2] == (
        '<i style="left:33.3333%;--at:1">first</i>'
        '<div><span class="a"><span class="ws-mark ws-chosen"></span>tick</span></div>'
        '<span class="ws-unseen">2 &lt; 3</span>'
        '<span class="ws-button" aria-hidden="true">Press</span>'
        "<p>one<br>two</p></div>"
    )
