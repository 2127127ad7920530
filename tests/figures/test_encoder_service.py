"""The pretrained encoder at work in a page: in a Worker or without, what it loads, and whose turn it is."""

from contextlib import nullcontext

import numpy as np
import pytest
from encoder_made import real, run, small, values, weights_of

from book.figures.bundle import data_script, imported, source
from tools.browser import Visit, serve

CSP = """<meta http-equiv="Content-Security-Policy" content="worker-src 'none'">"""
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An encoder</title>
<link rel="icon" href="data:,">{rule}<script defer src="engine.js"></script></head><body></body></html>"""
# Of what is asked of a Worker a list is kept; files in `broken` fail, files in `held` come once they are let go.
TOOLS = """
const Own = globalThis.Worker;
Object.assign(window, { asked: [], made: 0, ended: 0, loaded: [], broken: new Set(), held: new Map() });
window.Worker = class extends Own {
  constructor(address) { super(address); window.made += 1; }
  postMessage(data) { window.asked.push(data.what); super.postMessage(data); }
  terminate() { window.ended += 1; super.terminate(); }
};
window.load = async (name) => {
  window.loaded.push(name);
  if (window.broken.has(name)) throw new Error(`${name} is broken`);
  if (window.held.has(name)) await new Promise((go) => window.held.set(name, go));
  return loadData(name);
};
window.begin = () => (window.service = encoderService(window.load));
window.plainly = (found) => found && {
  ...found, vector: Array.from(found.vector),
};
window.whole = async (text, change) => {
  const layers = [];
  const onLayer = ({ layer, weights, scores, n }) =>
    layers.push({ layer, weights: Array.from(weights), scores: Array.from(scores), n });
  return { ...window.plainly(await window.service.run(text, change, { onLayer })), layers };
};
window.ready = true;
"""


def lay_out(folder, of):
    (folder / "data" / "encoder").mkdir(parents=True)
    for name, value in of.items():
        (folder / "data" / f"{name}.js").write_text(data_script(name, value), encoding="utf-8")
    text = "\n".join(map(source, imported("page_data", "encoder_service")))
    (folder / "engine.js").write_text(f"(() => {{\n{text}\n{TOOLS}}})();\n", encoding="utf-8")
    (folder / "free.html").write_text(PAGE.format(rule=""), encoding="utf-8")
    (folder / "bound.html").write_text(PAGE.format(rule=CSP), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a small encoder, and its weights."""
    of = values(small())
    return lay_out(tmp_path_factory.mktemp("encoder"), of), weights_of(of)


@pytest.fixture
def opened(made, browser):
    """A page that is to begin, from the disk or from a host."""
    tabs = []

    def open_page(host=None, name="free", **options):
        visit = Visit(browser, **options)
        tabs.append(visit)
        visit.go(f"{host or made[0].as_uri()}/{name}.html")
        visit.page.wait_for_function("window.ready")
        visit.page.evaluate("() => { window.begin(); }")
        return visit

    yield open_page
    for visit in tabs:
        assert (visit.errors, visit.away) == ([], [])
        visit.context.close()


def assert_same(found, weights, change, ids=None):
    expected = run(ids or found["ids"], weights, change)
    assert [one["layer"] for one in found["layers"]] == [k + 1 for k in range(len(expected["layers"]))]
    for mine, theirs in zip(found["layers"], expected["layers"], strict=True):
        shape = theirs["scores"].shape
        assert mine["n"] == shape[-1]
        np.testing.assert_allclose(np.reshape(mine["weights"], shape), theirs["weights"], rtol=0, atol=1e-6)
        np.testing.assert_allclose(np.reshape(mine["scores"], shape), theirs["scores"], rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(found["vector"], expected["vector"], rtol=0, atol=1e-5)


START = """async () => {
  const told = [];
  await window.service.start((state) => told.push(state));
  return told;
}"""
WHOLE = "([text, change]) => window.whole(text, change)"
PIECES = [f"encoder/layer-{layer}-{piece}" for layer in (1, 2) for piece in (1, 2, 3)]


@pytest.mark.parametrize("over", ["file", "http"])
def test_it_loads_piece_by_piece_and_runs_in_a_worker(opened, made, over):
    folder, weights = made
    with serve(folder) if over == "http" else nullcontext() as host:
        page = opened(host).page
        assert page.evaluate("window.loaded") == [], "nothing is loaded unasked"
        told = page.evaluate(START)
        assert page.evaluate("window.loaded") == ["encoder/words", *PIECES]
        assert [state["layers"] for state in (told[0], told[-1])] == [0, 2]
        assert {state["total"] for state in told} == {told[-1]["loaded"]}
        assert [state["loaded"] for state in told] == sorted(state["loaded"] for state in told)
        change = {"map": "entmax", "beta": 2}
        assert_same(page.evaluate(WHOLE, ["some words", change]), weights, change)
        assert page.evaluate("[window.made, window.ended]") == [1, 0]
        rows = page.evaluate("window.loaded.filter((name) => name.includes('rows'))")
        assert len(rows) == len(set(rows)) >= 1
        page.evaluate("() => window.service.stop()")
        page.wait_for_function("window.ended === 1")


def test_a_text_is_split_before_any_layer_is_there(opened):
    page = opened().page
    found = page.evaluate("() => window.service.tokens('ab Ç [MASK]?')")
    assert found == {
        "tokens": ["[CLS]", "ab", "c", "[MASK]", "[UNK]", "[SEP]"],
        "ids": found["ids"],
        "cut": False,
    }
    assert page.evaluate("window.loaded") == ["encoder/words"]
    assert page.evaluate("() => window.service.tokens('a '.repeat(99))")["cut"]


@pytest.mark.parametrize("how", ["bound", "throws", "dies"])
def test_without_a_worker_the_page_computes_the_same(opened, made, how):
    visit = opened(name="bound" if how == "bound" else "free", bypass_csp=False)
    page = visit.page
    if how == "throws":
        page.evaluate("() => { window.Worker = class { constructor() { throw new Error('refused'); } }; }")
    if how == "dies":
        page.evaluate("""() => { window.Worker = class {
          postMessage() { setTimeout(() => this.onerror({})); }
          terminate() {}
        }; }""")
    assert page.evaluate(START)[-1]["layers"] == 2
    page.evaluate("() => { window.turns = 0; setInterval(() => (window.turns += 1), 0); }")
    change = {"map": "sparsemax", "scope": {"layer": 2, "head": 1}}
    assert_same(page.evaluate(WHOLE, ["without a worker", change]), made[1], change)
    assert page.evaluate("window.turns") >= 2
    assert all("worker" in text.lower() for text in visit.errors)
    assert bool(visit.errors) == (how == "bound")
    visit.errors.clear()


def test_a_worker_that_fails_later_is_told_and_all_can_begin_again(opened, made):
    page = opened().page
    page.evaluate("""() => {
      const Free = window.Worker;
      window.Worker = class extends Free {
        constructor(address) { super(address); window.latest = this; }
      };
    }""")
    page.evaluate(START)
    wrong = page.evaluate("""async () => {
      const found = window.service.run("a", {}).catch((error) => error.message);
      await new Promise((go) => setTimeout(go));
      window.latest.onerror({});
      return found;
    }""")
    assert wrong == "the Worker has failed"
    assert page.evaluate(START)[-1]["layers"] == 2
    assert_same(page.evaluate(WHOLE, ["a", {}]), made[1], {})
    assert page.evaluate("window.made") == 2


def test_an_interrupted_load_goes_on_from_what_it_has(opened, made):
    page = opened().page
    stopped = page.evaluate("""async () => {
      window.broken.add("encoder/layer-2-1");
      const told = [];
      const wrong = await window.service.start((state) => told.push(state)).catch((error) => error.message);
      await new Promise((go) => setTimeout(go, 100));
      return { told, wrong };
    }""")
    assert stopped["wrong"] == "encoder/layer-2-1 is broken"
    assert stopped["told"][-1]["layers"] == 1
    first = page.evaluate("window.loaded")
    page.evaluate("() => { window.broken.clear(); window.loaded.length = 0; }")
    told = page.evaluate(START)
    assert told[0]["loaded"] >= stopped["told"][-1]["loaded"] > 0
    assert told[-1] == {"loaded": told[-1]["total"], "total": told[-1]["total"], "layers": 2}
    again = page.evaluate("window.loaded")
    assert set(first) & set(again) == {"encoder/layer-2-1"}
    assert_same(page.evaluate(WHOLE, ["again", {}]), made[1], {})
    lost = page.evaluate("""async () => {
      window.broken.add("encoder/rows-001");
      return window.service.run("ff fg", {}).catch((error) => error.message);
    }""")
    assert lost == "encoder/rows-001 is broken"
    page.evaluate("() => window.broken.clear()")
    assert_same(page.evaluate(WHOLE, ["ff fg", {}]), made[1], {})


def test_the_newest_request_wins_and_the_one_under_way_is_finished(opened):
    page = opened().page
    page.evaluate(START)
    page.evaluate("() => window.service.tokens('').then(() => window.service.run('who is first'))")
    found = page.evaluate("""() => Promise.all([1, 2, 3, 4, 5].map((beta) =>
      window.service.run("who is first", { beta }).then((one) => one && beta)))""")
    assert found == [1, None, None, None, 5]


def test_layers_are_shown_as_they_come_and_a_run_that_waits_gives_way(opened, made):
    page = opened().page
    page.evaluate("""() => {
      for (const piece of [1, 2, 3]) window.held.set(`encoder/layer-2-${piece}`, null);
      window.seen = [];
      window.service.start();
      const onLayer = ({ layer }) => window.seen.push(["older", layer]);
      window.older = window.service.run("older", {}, { onLayer });
    }""")
    page.wait_for_function("window.seen.length === 1")
    page.wait_for_timeout(100)
    page.evaluate("""() => {
      const onLayer = ({ layer }) => window.seen.push(["newer", layer]);
      window.newer = window.service.run("newer", {}, { onLayer });
    }""")
    assert page.evaluate("window.older") is None
    page.wait_for_function("window.seen.length === 2")
    page.wait_for_function("[1, 2].every((piece) => window.held.get(`encoder/layer-2-${piece}`))")
    page.evaluate("() => { window.held.get('encoder/layer-2-1')(); window.held.get('encoder/layer-2-2')(); }")
    page.wait_for_function("Boolean(window.held.get('encoder/layer-2-3'))")
    page.evaluate("() => window.held.get('encoder/layer-2-3')()")
    assert page.evaluate("window.newer.then((found) => found.tokens.length)") == 7
    assert page.evaluate("window.seen") == [["older", 1], ["newer", 1], ["newer", 2]]
    assert page.evaluate("window.loaded.length === new Set(window.loaded).size"), "no file is loaded twice"


def test_what_has_not_changed_is_not_computed_again(opened, made):
    page = opened().page
    page.evaluate(START)
    changes = [
        ({}, 2),
        ({"beta": 3, "scope": {"layer": 2, "head": 1}}, 1),
        ({"off": True, "scope": {"layer": 2, "head": 2}}, 1),
        ({"off": True, "scope": {"layer": 2, "head": 2}}, 0),
        ({"beta": 2, "scope": {"layer": 1}}, 2),
        ({"beta": 2}, 1),
    ]
    for change, layers in changes:
        page.evaluate("() => { window.asked.length = 0; }")
        assert_same(page.evaluate(WHOLE, ["as it was", change]), made[1], change)
        assert page.evaluate("window.asked.filter((what) => what === 'layer').length") == layers, change
    page.evaluate("() => { window.asked.length = 0; }")
    assert_same(page.evaluate(WHOLE, ["as it is", {}]), made[1], {})
    assert page.evaluate("window.asked.filter((what) => what === 'layer').length") == 2


def test_vectors_of_other_sentences_are_made_while_nothing_else_is(opened, made):
    page = opened().page
    page.evaluate(START)
    texts = ["near", "far away", "in between", "near"]
    found = page.evaluate(
        """async (texts) => {
      const order = [];
      const all = window.service.vectors(texts, { beta: 2 }).then((found) => (order.push("all"), found));
      const one = window.service.run("first", {}).then(() => order.push("one"));
      const vectors = await all;
      await one;
      return { order, vectors: vectors.map((vector) => Array.from(vector)) };
    }""",
        texts,
    )
    assert found["order"] == ["one", "all"]
    ids = [page.evaluate("(text) => window.service.tokens(text).then(({ ids }) => ids)", text) for text in texts]
    exact = [run(one, made[1], {"beta": 2})["vector"] for one in ids]
    np.testing.assert_allclose(found["vectors"], exact, rtol=0, atol=1e-5)
    page.evaluate("() => { window.asked.length = 0; }")
    cancelled = page.evaluate("""async () => {
      const old = window.service.vectors(["near", "a long one that is new"], { beta: 3 });
      const none = await window.service.vectors([]);
      const known = await window.service.vectors(["near", "far away"], { beta: 2 });
      return [await old, none, known.length];
    }""")
    assert cancelled == [None, [], 2]
    assert page.evaluate("window.asked.filter((what) => what === 'layer').length") <= 1


def test_vectors_that_wait_for_a_file_give_way(opened):
    page = opened().page
    page.evaluate(START)
    assert page.evaluate("window.service.vectors(['a']).then((found) => found.length)") == 1
    page.evaluate("""() => {
      window.held.set("encoder/rows-001", null);
      window.older = window.service.vectors(["ff fg"]);
    }""")
    page.wait_for_function("Boolean(window.held.get('encoder/rows-001'))")
    found = page.evaluate("async () => [(await window.service.vectors(['a', 'b'])).length, await window.older]")
    assert found == [2, None]
    page.evaluate("() => window.held.get('encoder/rows-001')()")


@pytest.mark.parametrize(
    "change", ["{ beta: Infinity }", "{ beta: -1 }", "{ beta: NaN }", "{ map: 'hard' }", "{ scope: {} }"]
)
def test_what_cannot_be_computed_is_refused(opened, change):
    page = opened().page
    assert page.evaluate(f"() => window.service.run('a', {change}).catch((error) => error.name)") == "RangeError"
    assert page.evaluate("window.loaded") == []


TIMED = """async (text) => {
  const times = [];
  for (let k = 0; k < 8; k++) {
    const began = performance.now();
    await window.service.run(text, { beta: 1 + k / 100 });
    times.push(performance.now() - began);
  }
  return times;
}"""


def test_the_real_one_runs_in_a_page_in_good_time(tmp_path, browser):
    """Generously: on a busy machine it takes several times as long as alone."""
    of = values(real())
    folder = lay_out(tmp_path, of)
    with Visit(browser, (folder / "free.html").as_uri()) as visit:
        page = visit.page
        page.wait_for_function("window.ready")
        page.evaluate("() => { window.begin(); }")
        assert page.evaluate(START)[-1]["layers"] == 6
        text = "The cat drank the milk because it was sweet"
        found = page.evaluate(WHOLE, [text, {}])
        assert found["tokens"] == ["[CLS]", *text.lower().split(), "[SEP]"]
        assert_same(found, weights_of(of), {})
        times = page.evaluate(TIMED, text + ".")
        print("milliseconds for 12 tokens:", [round(time) for time in times])
        assert min(times) < 1000
        assert (visit.errors, visit.away) == ([], [])
