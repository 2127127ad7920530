"""The book's own search: what is found first, where a result leads, and that it works where the page is opened."""

import gzip
import json
import re
from pathlib import Path

import pytest

import lib
from book.builder.book_search import STOCK
from tools.browser import Visit, serve

# The word, and the page of the result that stands first.
FIRST = {
    "gradient": "chapters/gradients",
    "temperature": "chapters/temperature",
    "sqrt": "chapters/scale",
    "overflow": "chapters/numerics",
    "softmax_vjp": "chapters/gradients",
    "vanishing": "chapters/gradients",
    "logits": "chapters/output",
    "causal mask": "chapters/masking",
    "sparse": "chapters/alternatives",
    "beta": "chapters/temperature",
    "KL divergence": "chapters/divergences",
    "cross-entropy": "chapters/output",
    "attention": "chapters/attention",
    "why divide by √d": "chapters/scale",
    "Kullback": "chapters/divergences",
    "sigmoid": "chapters/outside",
    "Gumbel": "chapters/exponential",
    "flash attention": "chapters/numerics",
    "speed": "chapters/speed",
    "benchmark": "chapters/speed",
}
BUDGET = 150 * 1024  # bytes of the page with all it loads, gzipped
CHAPTERS = list((Path(__file__).parents[2] / "chapters").glob("*.md"))
OF_INDEX = 5632  # bytes of the index for each chapter, with its share of all else that is found


@pytest.fixture
def asked(site, tab):
    """Asks a question of the page in a folder on disk; nothing may be sent for, or be complained of."""
    address = (site / "search.html").as_uri()

    def ask(question):
        if not tab.page.url.startswith(address):
            tab.go(address)
        tab.page.get_by_role("searchbox").fill(question)
        return tab.page

    yield ask
    assert tab.errors == []
    assert tab.away == []


LINKS = "[...document.querySelectorAll('#search-results a')].map(link => link.getAttribute('href'))"


def test_a_word_finds_its_chapter_first(asked):
    found = {question: asked(question).evaluate(LINKS)[:1] for question in FIRST}
    assert found == {question: [f"{page}.html"] for question, page in FIRST.items()}


@pytest.mark.parametrize("kind", ["term", "function"])
def test_what_is_asked_for_by_name_is_among_the_first_three(asked, kind):
    """Every term of the glossary and every function of `lib`, as it is written there."""
    missed = """kind => SECTIONS.filter(section => section.kind === kind).filter(section => {
      const found = search(section.title);
      return ![...found.first, ...found.groups.flatMap(([, results]) => results)].slice(0, 3).includes(section);
    }).map(section => section.title)"""
    page = asked("")
    assert page.evaluate(missed, kind) == []
    names = page.evaluate("kind => SECTIONS.filter(one => one.kind === kind).map(one => one.title)", kind)
    assert len(names) > 20
    assert kind != "function" or set(lib.__all__) <= set(names)


def test_results_are_grouped_and_say_where_they_are(asked):
    page = asked("gradients")
    heads = page.locator("#search-results h2").all_text_contents()
    assert heads == ["Chapters", "Reference", "Appendix"]
    of_group = page.locator("#search-results section")
    for k, folders in enumerate([("chapters/", "index"), ("reference/",), ("appendix/", "references")]):
        links = of_group.nth(k).locator("a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
        assert links
        assert all(link.startswith(folders) for link in links)
    entry = page.locator("#search-results li", has_text="Does the gradient vanish?")
    assert entry.locator(".search-where").text_content() == "Scaling: why divide by √d?"
    assert len(entry.locator("p").text_content()) <= 122
    assert entry.locator("mark").first.text_content() == "gradient"


START = {
    "temperature": ["chapters/temperature.html", "appendix/glossary.html#term-temperature"],
    "lib.softmax_vjp": ["chapters/gradients.html", "reference/gradients.html#lib.softmax_vjp"],
}


@pytest.mark.parametrize("name", START)
def test_a_question_by_name_has_a_place_to_start_in_its_chapter_and_in_the_reference(asked, name):
    page = asked(name)
    assert page.locator("#search-results h2").all_text_contents()[0] == "Start here"
    links = page.evaluate(LINKS)
    assert links[:2] == START[name]
    assert len(links) == len(set(links))


def test_where_many_are_found_the_rest_waits_behind_a_button(asked):
    page = asked("score")
    group = page.locator("#search-results section").nth(1)
    before = group.locator("li").count()
    button = group.get_by_role("button")
    waiting = int(re.search(r"\d+", button.text_content())[0])
    button.click()
    assert group.locator("li").count() == before + waiting
    assert button.count() == 0
    assert group.locator("li").nth(before).locator("a").evaluate("link => link === document.activeElement")


def test_what_is_found_is_said_politely_and_what_to_try_where_nothing_is(asked):
    page = asked("distillation")
    assert page.locator("#search-status").get_attribute("aria-live") == "polite"
    page.get_by_text(f"{page.evaluate('search(`distillation`).total')} sections for “distillation”.").wait_for()
    assert page.title() == "distillation - Search - Why Softmax?"
    assert page.locator("#search-places").is_hidden()
    markup = "qwertz <img onerror=alert()>"  # what is asked is text
    asked(markup).get_by_text(f"Nothing is found for “{markup}”. Try one word").wait_for()
    links = page.locator("#search-places a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
    assert links == ["appendix/glossary.html", "appendix/about.html#letters", "reference/maps.html"]
    assert page.locator("#search-places").is_visible()
    assert page.evaluate(LINKS) == []
    assert page.locator("main img").count() == 0


def test_a_section_with_all_words_comes_alone_and_where_none_has_them_those_with_some_come(asked):
    total = "question => search(question).total"
    page = asked("water level")
    assert "chapters/alternatives.html#sparsemax-a-water-level" in page.evaluate(LINKS)
    both, either = page.evaluate(total, "water level"), [page.evaluate(total, one) for one in ("water", "level")]
    assert 0 < both < min(either)
    asked("sparsemax qwertz").get_by_text("None has all the words; these have some of them.").wait_for()
    assert page.evaluate(LINKS)[0] == "chapters/alternatives.html"


def test_every_result_leads_to_a_place_that_there_is_and_every_synonym_to_a_title_or_heading(site, asked):
    found = asked("").evaluate("SECTIONS.map(({ href }) => href)")
    ids = {}
    for href in found:
        name, _, anchor = href.partition("#")
        if name not in ids:
            ids[name] = set(re.findall(r' id="([^"]*)"', (site / name).read_text("utf-8")))
        assert not anchor or anchor in ids[name], href
    assert len(found) == len(set(found)) > 400
    lost = """() => {
      const headed = SECTIONS.filter(({ kind }) => !["source", "verdict"].includes(kind));
      const heads = headed.flatMap(({ title }) => wordsOf(title));
      return SYNONYMS.flatMap(([, others]) => others).filter(other => !heads.some(head => fit(head, other) === 1));
    }"""
    assert asked("").evaluate(lost) == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_enter_in_any_page_leads_to_results_which_follow_the_typing_as_the_address_does(site, tab, scheme):
    with serve(site) as address:
        base = address if scheme == "http" else site.as_uri()
        tab.go(f"{base}/chapters/kl.html")
        box = tab.page.get_by_role("searchbox")
        box.fill("overflow")
        tab.page.keyboard.press("Enter")
        tab.page.locator("#search-results a").first.wait_for()
        assert tab.page.url == f"{base}/search.html?q=overflow"
        assert box.input_value() == "overflow"
        assert tab.page.evaluate(LINKS)[0] == "chapters/numerics.html"
        box.fill("")
        box.press_sequentially("sqrt")
        assert tab.page.evaluate(LINKS)[0] == "chapters/scale.html"
        assert tab.page.url == f"{base}/search.html?q=sqrt"
        tab.page.locator("#search-results a").first.click()
        tab.page.wait_for_url("**/scale.html")
        tab.page.go_back()
        tab.page.locator("#search-results a").first.wait_for()
        assert box.input_value() == "sqrt"
    assert tab.errors == []
    assert tab.away == []


def test_without_javascript_a_sentence_leads_to_what_can_be_looked_up(site, browser):
    with Visit(browser, java_script_enabled=False) as visit:
        visit.go((site / "search.html").as_uri() + "?q=softmax")
        assert visit.page.locator("main noscript p").is_visible()
        for name in ("glossary", "table of letters", "reference"):
            assert visit.page.get_by_role("main").get_by_role("link", name=name).is_visible()
        assert visit.page.get_by_role("main").get_by_role("searchbox").count() == 0


def test_the_page_is_light_and_usable_by_everyone(site, tab):
    tab.responses.clear()
    with serve(site) as base:
        tab.go(f"{base}/search.html?q=causal%20mask")
        tab.page.locator("#search-results a").first.wait_for()
        bodies = {response.url: response.body() for response in tab.responses if response.ok}
        weights = {url: len(gzip.compress(body, 6)) for url, body in bodies.items()}
        assert sum(weights.values()) <= BUDGET
        assert weights[f"{base}/_static/search_index.js"] <= OF_INDEX * len(CHAPTERS)
        assert tab.axe() == []
        tab.go(f"{base}/search.html?q=softmax", width=360, theme="dark")
        tab.page.locator("#search-results a").first.wait_for()
        assert tab.axe() == []
        wide = tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0
    assert tab.errors == []
    assert tab.away == []


# Of a page, a section, a term, a function and a verdict: titles and first lines in plain text, formulas too.
INDEXED = [
    (
        "scaling-why-divide-by-d",
        "page",
        "Scaling: why divide by √d?",
        "Without the division, a wide head is often",
    ),
    ("by-hand-for-one-query", "section", "By hand, for one query", "Scores. The query meets each key in a dot "),
    ("by-hand-for-one-query", "section", "By hand, for one query", ", sⱼ = ⟨q,kⱼ⟩. It is large where the key "),
    ("why-e", "section", "Why e?", " above 1 is e^β with β = log b: base 2 is "),
    ("the-loss-wants-logits", "section", "The loss wants logits", "of the right class y small: L = −log π_y. Put"),
    ("strengths-and-limits", "section", "Strengths and limits", "e errors. But KL tells their slope"),
    (
        "term-log-loss",
        "term",
        "log loss",
        "Minus the logarithm of the weight that was given to what then",
    ),
    ("lib.objective", "function", "objective", "What softmax maximises: expected score minus divergence"),
    (
        "verdict-A2",
        "verdict",
        "πᵢ,ₜ = e^(β kᵢ·qₜ) / Σⱼ e^(β kⱼ·qₜ), where",
        "Holds: β is 1/√d in the Transformer, 1/T",
    ),
]


def test_the_index_is_one_classic_script_of_titles_lines_and_words_that_no_other_page_loads(site):
    text = (site / "_static" / "search_index.js").read_text("utf-8")
    made = json.loads(text.removeprefix("const SEARCH_INDEX = ").rstrip(";\n"))
    assert made["groups"] == ["Chapters", "Reference", "Appendix"]
    for anchor, kind, title, line in INDEXED:
        found = [one for one in made["sections"] if one[2] == anchor and one[1] == kind]
        assert any(one[3].startswith(title) and line in one[4] for one in found), (anchor, found)
    assert all(len(line) <= 120 for *_, line in made["sections"])
    words = made["words"].split()
    assert {"velickovic", "causal_mask", "β", "√", "1e9"} <= set(words), "without accents"
    assert set(words).isdisjoint(["the", "d", "12", "folded", "veličković"])
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    assert [path.name for path, html in pages.items() if "search_index.js" in html] == ["search.html"]
    for stock in [*STOCK, "searchindex.js"]:
        assert not list(site.rglob(stock))
        assert not [path for path, html in pages.items() if stock in html]
