"""*Your sentence* with the model: what is typed is shown as NumPy computes it from the same weights."""

import json
from functools import cache

import numpy as np
import pytest
from encoder_made import real, run, values, weights_of
from figure_page import attributes, in_a_notebook, more, opened, press, slider

from book.figures import YourSentence
from book.figures.bundle import data_script
from book.figures.encoder_heads import OWN_BETA
from book.figures.your_sentence import TEN, bytes_to_load, send_file
from book.models import encoder_files
from tools import firefox
from tools.browser import serve

THICK = 30  # CSS pixels of the arc of all the weight
CAT = "the cat drank the milk because it was"
MAP = {"sigmoid": "sigmoid_weights", "ReLU": "relu_norm", "off": "none"}
# Whether each arc is as thick as its weight, the head that is open once it is there.
ARE = """([widths, thick]) => {
  const all = [...document.querySelectorAll('.ws-sky:first-child .ws-arc')];
  const arcs = all.map(el => el.getAttribute('stroke-width') / thick);
  return arcs.length === widths.length && arcs.every((w, i) => Math.abs(w - widths[i]) < 2e-4);
}"""


@cache
def model():
    """The values of all files of the model, its weights as they are in these, and its words."""
    of = values(real())
    return of, weights_of(of), of["encoder/words"]["words"].split("\n")


@pytest.fixture
def beside(visit):
    """Pages that have the model beside them."""
    folder = visit.folder / "data" / "encoder"
    if not folder.exists():
        folder.mkdir()
        for name, value in model()[0].items():
            (visit.folder / "data" / f"{name}.js").write_text(data_script(name, value), encoding="utf-8")
    return visit


def tokens_of(page):
    names = page.locator(".ws-word").all_text_contents()
    assert (names[0], names[-1]) == ("start", "end")
    return ["[CLS]", *names[1:-1], "[SEP]"]


@cache
def found(tokens, change="{}"):
    """What NumPy makes of these tokens under a change."""
    _, weights, words = model()
    return run([words.index(token) for token in tokens], weights, json.loads(change))


def of(text, **change):
    """The same of a text whose words are words of the vocabulary."""
    return found(("[CLS]", *text.split(), "[SEP]"), json.dumps(change))


def row(text, word, layer=4, head=2, **change):
    """What a word gives to each token, by NumPy."""
    tokens = ["[CLS]", *text.split(), "[SEP]"]
    weights = of(text, **change)["layers"][layer - 1]["weights"][head - 1][tokens.index(word)]
    return dict(zip(tokens, weights, strict=True)), weights


def load(page):
    press(page, "Load the model")
    page.wait_for_selector(".ws-model[data-stage=done]")


def type_in(page, text):
    page.get_by_role("textbox", name="your sentence").fill(text)


def assert_row(page, expected):
    """The arcs come to be as thick as these weights."""
    page.wait_for_function(ARE, arg=[[float(w) for w in expected], THICK])


def turned(text, **change):
    """How far a change turns the vector of a text, in degrees, by NumPy."""
    return np.degrees(np.arccos(min(1, of(text)["vector"] @ of(text, **change)["vector"])))


def assert_turned(page, expected):
    text = f"turned by {round(expected)}°" if expected >= 0.5 else "unchanged"
    page.wait_for_function("text => document.querySelector('.ws-turned').textContent === text", arg=text)


def nearest(page):
    page.wait_for_function("""() => !document.querySelector('.ws-nearest.ws-old') &&
      document.querySelector('.ws-near-number').textContent""")
    return page.locator(".ws-near-text").all_text_contents()


# --- what is loaded, and when -----------------------------------------------------------------------


@pytest.mark.parametrize("over", ["file", "http"])
def test_nothing_is_loaded_unasked_and_all_comes_from_here(beside, over):
    figure = YourSentence()
    found = beside(figure)
    page, asked = found.page, []
    page.on("request", lambda request: asked.append(request.url))
    with serve(beside.folder) as host:
        if over == "http":
            found.go(page.url.replace(beside.folder.as_uri(), host))
            page.wait_for_selector("[data-ready]")
        asked.clear()
        type_in(page, "a bird sings")
        page.wait_for_selector(".ws-meant")
        assert asked == []
        assert page.locator(".ws-lead").text_content() == "Load the model to see this sentence."
        load(page)
        folder = (host if over == "http" else beside.folder.as_uri()) + "/data/encoder/"
        names = [url.removeprefix(folder) for url in asked if not url.startswith("blob:")]
        assert all("/" not in name and name.endswith(".js") for name in names)
        assert len(names) == len(set(names))
        assert {name for name in names if not name.startswith("rows")} == {
            "words.js",
            *(f"layer-{layer}-{piece}.js" for layer in range(1, 7) for piece in range(1, 4)),
        }
        assert_row(page, row("a bird sings", "sings")[1])
        found.go("about:blank")


def test_the_button_says_how_much_there_is(beside):
    page = beside(YourSentence()).page
    assert f"{round(bytes_to_load() / 1e6)} MB" in page.get_by_role("button", name="Load the model").text_content()
    sizes = {}
    page.on("request", lambda request: sizes.update({request.url.rpartition("/data/")[2].removesuffix(".js"): 0}))
    load(page)
    nearest(page)
    came = sum(
        3 * len(value["bytes"]) // 4 + len(value.get("words", ""))
        for name, value in model()[0].items()
        if name in sizes
    )
    assert came == pytest.approx(bytes_to_load(), rel=0.02)


def test_after_a_failure_it_goes_on_from_what_it_has(beside):
    visited = beside(YourSentence())
    page, asked = visited.page, []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    there = beside.folder / "data" / "encoder" / "layer-3-2.js"
    there.rename(there.with_suffix(".away"))
    try:
        press(page, "Load the model")
        page.get_by_role("button", name="Try again").wait_for()
        assert "stopped at" in page.locator(".ws-lead").text_content()
        assert page.locator(".ws-asked").count() == 11, "what was there stays"
    finally:
        there.with_suffix(".away").rename(there)
    press(page, "Try again")
    page.wait_for_selector(".ws-model[data-stage=done]")
    assert {name for name in asked if asked.count(name) > 1} == {there.name}
    assert_row(page, row(f"{CAT} thirsty", "it")[1])
    assert {"ERR_FILE_NOT_FOUND" in error for error in visited.errors} == {True}  # the browser's own, of the file
    visited.errors.clear()


def test_nothing_moves_while_the_model_comes(beside):
    page = beside(YourSentence(caption="A caption.")).page
    tops = """() => ['field', 'tokens-of', 'over', 'title', 'choice', 'beta', 'model', 'tools', 'caption'].map(
      part => document.querySelector(`.ws-${part}`).getBoundingClientRect().top)"""
    before = page.evaluate(tops)
    press(page, "Load the model")
    page.wait_for_function("document.querySelector('.ws-lead').textContent.startsWith('Loading')")
    assert page.evaluate(tops) == before
    page.wait_for_selector(".ws-model[data-stage=done]")
    assert page.evaluate(tops) == before


# --- what is computed ---------------------------------------------------------------------------------


def test_what_is_typed_is_shown_and_changed_as_numpy_has_it(beside):
    page = beside(YourSentence()).page
    load(page)
    text = "the wolf chased the sheep because it was hungry"
    type_in(page, text)
    assert_row(page, row(text, "it")[1])
    assert tokens_of(page) == ["[CLS]", *text.split(), "[SEP]"]
    assert_turned(page, 0)
    assert page.url.endswith(".html"), "typing leaves the address alone"
    page.get_by_role("radio", name="wolf").check(force=True)
    assert_row(page, row(text, "wolf")[1])
    page.evaluate("() => (window.token = document.querySelector('.ws-asked'))")
    for name in ("entmax", "sparsemax", "sigmoid", "ReLU", "off", "softmax"):
        change = {"map": MAP.get(name, name), "scope": {"layer": 4, "head": 2}}
        page.get_by_role("radio", name=name, exact=True).check(force=True)
        assert_row(page, row(text, "wolf", **change)[1])
        assert_turned(page, turned(text, **change))
    page.get_by_role("radio", name="all heads").check(force=True)
    page.get_by_role("radio", name="sparsemax").check(force=True)
    assert_row(page, row(text, "wolf", map="sparsemax")[1])
    page.get_by_role("radio", name="softmax").check(force=True)
    slider(page, "β").press("Home")
    assert_row(page, row(text, "wolf", beta=0)[1])
    assert_turned(page, turned(text, beta=0))
    slider(page, "β").press("End")
    assert slider(page, "β").get_attribute("aria-valuetext").startswith("β = 100,"), "∞ is beyond its end"
    change = {"beta": 2 / OWN_BETA}
    more(page)
    page.get_by_role("textbox", name="β").fill("2")
    page.get_by_role("textbox", name="β").press("Enter")
    assert_row(page, row(text, "wolf", **change)[1])
    press(page, "previous head")
    assert_row(page, row(text, "wolf", 4, 1, **change)[1])
    assert page.evaluate("window.token.isConnected"), "for the same tokens no parts are made"
    press(page, "Reset")
    assert_row(page, row(f"{CAT} thirsty", "it")[1])


def test_small_pictures_show_what_the_change_has_made_of_later_layers(beside):
    page = beside(YourSentence()).page
    load(page)
    paths = "() => [...document.querySelectorAll('.ws-strip')].map(el => el.innerHTML)"
    before = page.evaluate(paths)
    page.get_by_role("radio", name="off").check(force=True)
    page.wait_for_function(
        "before => document.querySelectorAll('.ws-strip')[5].innerHTML !== before", arg=before[5]
    )
    after = page.evaluate(paths)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, True, True, False, False, False]


def test_the_nearest_of_ten_sentences_that_can_be_edited(beside):
    page = beside(YourSentence()).page
    load(page)
    type_in(page, "the show will not take place")
    page.wait_for_function("document.querySelectorAll('.ws-asked').length === 8")
    texts = {one: one.lower() for one in TEN}
    own = of("the show will not take place")["vector"]
    cosines = {text: own @ of(plain)["vector"] for text, plain in texts.items()}
    page.wait_for_function("document.querySelector('.ws-near-text').textContent === 'The concert was called off'")
    shown = nearest(page)
    numbers = [float(one) for one in page.locator(".ws-near-number").all_text_contents()]
    assert numbers == sorted(numbers, reverse=True)
    for text, number in zip(shown, numbers, strict=True):
        assert number == pytest.approx(cosines[text], abs=0.0051)
    assert shown == sorted(cosines, key=cosines.get)[:-4:-1]
    more(page)
    page.get_by_role("textbox", name="ten sentences").fill(
        "It rains\n\nThe theatre stays closed tonight\nA dog barks"
    )
    page.get_by_role("textbox", name="ten sentences").press("Tab")
    page.wait_for_function("document.querySelector('.ws-near-text').textContent.startsWith('The theatre')")
    press(page, "Reset")
    page.wait_for_function(
        "document.querySelector('.ws-near-text').textContent !== 'The theatre stays closed tonight'"
    )


def test_a_long_text_is_cut_and_what_is_unknown_is_marked(beside):
    page = beside(YourSentence()).page
    load(page)
    type_in(page, "a b c d e f g h " * 10)
    page.wait_for_function("document.querySelectorAll('.ws-asked').length === 64")
    assert page.locator(".ws-cut").text_content() == "cut after 62 tokens: the model takes no more"
    assert page.locator(".ws-in-lines .ws-asked").count() == 64, "in several lines"
    type_in(page, "unbelievably ꙮ")
    page.wait_for_function("document.querySelectorAll('.ws-asked').length < 12")
    tokens = tokens_of(page)
    assert "[UNK]" in tokens
    assert any(token.startswith("##") for token in tokens)
    assert page.locator(".ws-cut").text_content() == ""


# --- what is said of it in the book -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word", "shares"),
    [
        (CAT, "it", {"milk": 0.56, "cat": 0.08}),
        (f"{CAT} hungry", "it", {"cat": 0.56, "milk": 0.11}),
        (f"{CAT} sweet", "it", {"milk": 0.46, "cat": 0.02}),
        ("the wolf chased the sheep because it was hungry", "it", {"wolf": 0.56, "sheep": 0.22}),
        ("the milk was drunk by the cat because it was thirsty", "it", {"milk": 0.54, "cat": 0.24}),
        ("the truck passed the bus because it was so slow", "it", {"truck": 0.66, "bus": 0.11}),
        ("the queen met the king when he was young", "he", {"queen": 0.22, "king": 0.07}),
    ],
)
def test_one_word_more_turns_the_head_and_where_it_fails(text, word, shares):
    weights, _ = row(text, word)
    assert {token: weights[token] for token in shares} == pytest.approx(shares, abs=0.011)


@pytest.mark.parametrize(("head", "cosine"), [((6, 12), 0.851), ((4, 2), 0.9991), ((1, 3), 0.996)])
def test_which_head_is_missed(head, cosine):
    change = {"off": True, "scope": dict(zip(("layer", "head"), head, strict=True))}
    assert np.cos(np.radians(turned("the dog bit the man", **change))) == pytest.approx(cosine, abs=0.02)


def test_which_map_breaks_the_model():
    text = "the show will not take place"

    def first(**change):
        own = of(text, **change)["vector"]
        return max(TEN, key=lambda one: own @ of(one.lower(), **change)["vector"])

    for name in ("softmax", "entmax", "sparsemax", "relu_norm"):
        assert first(map=name) == "The concert was called off"
    assert first(map="sigmoid_weights") != "The concert was called off"


# --- links, keys, phones, notebooks -------------------------------------------------------------------


def test_a_link_holds_the_text(beside):
    text = "the judge questioned the thief because he lied"
    link = f"#your-sentence?layer=1&head=3&text={text.replace(' ', '+')}&query=2&score_map=sparsemax"
    page = beside(YourSentence(), link=link).page
    assert page.locator(".ws-typing").input_value() == text
    assert page.locator(".ws-waits").count() == 1
    assert page.locator(".ws-asked").count() == 11, "the recorded sentence, until the model is there"
    load(page)
    change = {"map": "sparsemax", "scope": {"layer": 1, "head": 3}}
    assert_row(page, row(text, "judge", 1, 3, **change)[1])
    assert page.locator(".ws-waits").count() == 0
    more(page)
    press(page, "Copy link")
    page.wait_for_function("location.hash.includes('text=')")
    assert page.evaluate("location.hash") == link.replace("+", "%20")
    type_in(page, f"{CAT} fresh")
    page.wait_for_function("document.querySelectorAll('.ws-asked').length === 11")
    press(page, "Copy link")
    page.wait_for_function("location.hash.includes('sentence=fresh')")
    assert "text" not in page.evaluate("location.hash"), "one that is recorded goes by its name"


def test_by_keys_alone(beside):
    page = beside(YourSentence()).page
    page.locator(".ws-typing").focus()
    page.keyboard.press("End")
    page.keyboard.type(" and hungry")
    page.keyboard.press("Enter")
    assert page.locator(".ws-meant").count() == 1
    assert page.locator(".ws-call:visible").all_text_contents() == ["load the model below"]
    assert page.locator(".ws-typing").input_value() == f"{CAT} thirsty and hungry", "it stays one line"
    page.get_by_role("button", name="Load the model").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".ws-model[data-stage=done]")
    text = f"{CAT} thirsty and hungry"
    assert_row(page, row(text, "it")[1])
    page.locator(".ws-asked input").nth(7).focus()
    page.keyboard.press("ArrowRight")
    assert_row(page, row(text, "was")[1])
    assert page.locator(".ws-unseen[aria-live]").text_content() != ""


def test_on_a_phone_the_model_runs_too(beside):
    found = beside(YourSentence(), width=360)
    page = found.page
    assert page.locator(".ws-yours").bounding_box()["height"] <= 700
    load(page)
    text = "the cat sat on the mat"
    type_in(page, text)
    page.wait_for_function("document.querySelectorAll('.ws-asked').length === 8")
    assert page.locator(".ws-typing").evaluate("el => parseFloat(getComputedStyle(el).fontSize)") >= 16
    parts = page.locator(".ws-part").all_text_contents()
    assert [float(one.strip("<%")) for one in parts] == pytest.approx(
        [100 * w for w in row(text, "mat")[1]], abs=0.8
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_stage(beside, theme):
    found = beside(YourSentence(), theme=theme)
    page = opened(found)
    type_in(page, "a bird sings")
    page.wait_for_selector(".ws-meant")
    assert found.axe() == []
    load(page)
    nearest(page)
    page.get_by_role("radio", name="sigmoid").check(force=True)
    assert found.axe() == []


# Loads the model and types; then the widths of the arcs, once they are as many as tokens and have come to rest.
IN_FIREFOX = """
    const [text, n, done] = arguments;
    const until = (is) => new Promise(go => {
      const look = () => (is() ? go() : setTimeout(look, 50));
      look();
    });
    const stage = () => document.querySelector('.ws-model').dataset.stage;
    const widthOf = el => Number(el.getAttribute('stroke-width'));
    const arcs = () => [...document.querySelectorAll('.ws-sky:first-child .ws-arc')].map(widthOf);
    (async () => {
      document.querySelector('.ws-do button').click();
      await until(() => stage() === 'done' || stage() === 'failed');
      const field = document.querySelector('.ws-typing');
      field.value = text;
      field.dispatchEvent(new Event('input'));
      await until(() => arcs().length === n && arcs().some(w => w > 0));
      await new Promise(go => setTimeout(go, 1000));
      done([stage(), arcs()]);
    })();
"""


@pytest.mark.parametrize("over", ["file", pytest.param("http", marks=pytest.mark.nightly)])
def test_in_firefox_it_computes_the_same(beside, over):
    text, place = "a bird sings in the tree", beside(YourSentence()).page.url
    with firefox.firefox() as fox, serve(beside.folder) as host:
        firefox.opened(fox, place.replace(beside.folder.as_uri(), host) if over == "http" else place)
        fox.timeout.script = 60
        stage, widths = fox.execute_async_script(IN_FIREFOX, [text, 8])
        assert stage == "done"
        np.testing.assert_allclose(np.array(widths) / THICK, row(text, "tree")[1], atol=2e-4)
        assert firefox.complaints(fox) == []
        if over == "http":
            assert firefox.away(fox) == []


def test_two_figures_of_a_page_share_the_model(beside):
    page = beside(YourSentence(), YourSentence(6, 12, name="other")).page
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#other").get_by_role("button", name="Load the model").click()
    for name in ("your-sentence", "other"):
        page.wait_for_selector(f"#{name} .ws-model[data-stage=done]")
    names = [url for url in asked if url.endswith(".js")]
    assert len(names) == len(set(names))
    page.locator("#other").get_by_role("radio", name="all heads").check(force=True)
    page.locator("#other").get_by_role("radio", name="ReLU").check(force=True)
    change = json.dumps({"map": "relu_norm"})
    expected = found(("[CLS]", *CAT.split(), "thirsty", "[SEP]"), change)["layers"][5]["weights"][11][7]
    widths = lambda name: attributes(page, f"#{name} .ws-sky:first-child .ws-arc", "stroke-width") / THICK  # noqa: E731
    page.wait_for_function(
        "([one, thick]) => Math.abs(document.querySelector('#other .ws-arc').getAttribute('stroke-width') / thick"
        " - one) < 2e-4",
        arg=[float(expected[0]), THICK],
    )
    np.testing.assert_allclose(widths("other"), expected, atol=2e-4)
    np.testing.assert_allclose(widths("your-sentence"), row(f"{CAT} thirsty", "it")[1], atol=2e-4)


def test_in_a_notebook_python_sends_the_files():
    figure, sent = YourSentence(), []
    figure.send = lambda content, buffers=None: sent.append(content)
    send_file(figure, {"load": "encoder/layer-1-2"}, [])
    assert sent == [{"name": "encoder/layer-1-2", "value": real().value("encoder/layer-1-2")}]
    send_file(figure, "nothing of ours", [])
    send_file(figure, {"load": "../../secret"}, [])
    assert len(sent) == 2
    assert set(sent[1]) == {"name", "wrong"}


def test_in_a_notebook_the_view_asks_python(visit):
    real()
    act = """({ el, model }) => {
      window.sent = [];
      model.on = (event, call) => event === 'msg:custom' && (window.hear = call);
      model.send = (content) => window.sent.push(content);
      el.querySelector('.ws-do button').click();
    }"""
    page = visit(script=False).page
    in_a_notebook(page, YourSentence(), act, kept=True)
    answered = set()
    for _ in range(200):
        page.wait_for_timeout(20)
        wanted = [one["load"] for one in page.evaluate("() => window.sent.splice(0)")]
        for name in wanted:
            assert name not in answered
            answered.add(name)
            page.evaluate("message => window.hear(message)", {"name": name, "value": model()[0][name]})
        if page.locator(".ws-model[data-stage=done]").count():
            break
    assert_row(page, row(f"{CAT} thirsty", "it")[1])


def test_without_the_model_the_recorded_sentences_are_all(visit, monkeypatch):
    monkeypatch.setattr("book.figures.your_sentence.bytes_to_load", lambda: 0)
    page = visit(YourSentence()).page
    assert page.locator(".ws-typing, .ws-do").count() == 0
    page.get_by_role("combobox").select_option("ball")
    page.wait_for_function("document.querySelectorAll('.ws-word')[2].textContent === 'dog'")
    page.evaluate("location.hash = 'your-sentence?text=a+bird'")
    page.wait_for_selector(".ws-waits")
    assert "built without the model" in page.locator(".ws-lead").text_content()


def test_where_the_package_is_missing_there_is_nothing_to_load(monkeypatch):
    monkeypatch.setattr(encoder_files, "available", lambda: False)
    bytes_to_load.cache_clear()
    assert YourSentence().about["bytes"] == 0
    bytes_to_load.cache_clear()
