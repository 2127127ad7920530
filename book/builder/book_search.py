"""The book's own search: an index of all sections, made when the pages stand, and the one page that reads it.

It takes the place of Sphinx's. The index is a script and not data, so that a page opened from a folder may load
it; no other page does. static/search_rank.js ranks the results, static/search_page.js shows them.
"""

import json
import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from unicodedata import category, normalize

from book.builder.sections import sections_of

# In the order of the results; the first has what is in no other.
GROUPS = ["Chapters", "Reference", "Appendix"]
SYNONYMS = tomllib.loads(Path(__file__).with_name("synonyms.toml").read_text(encoding="utf-8"))
STOCK = "searchtools.js language_data.js documentation_options.js doctools.js sphinx_highlight.js".split()
WORD = re.compile(r"\w+|[√∞]")
# Of these the index is made: no numbers, no single Latin letters, and nothing that only a formula runs together.
TOLD = re.compile(r"[a-z_][a-z0-9_]+|[^\W\da-z_]|[√∞]|1e\d+")
# Too common to find anything by.
COMMON = set(
    """a about after all also an and any are as at be been but by can do does for from had has have he her how i if
    in into is it its itself may more most much no nor not of on one only or other our out over same so some such
    than that the their them then there these they this those to too two up us was we what when where which who
    whose why will with would you your""".split()
)


def words(text):
    """The words of a text, lower-case and without accents; search_rank.js does the same to a question."""
    plain = "".join(char for char in normalize("NFKD", text) if category(char) != "Mn").lower()
    return WORD.findall(plain)


def told(word):
    """Whether the index has this word."""
    return word not in COMMON and bool(TOLD.fullmatch(word))


def groups_of(site_map):
    """{page: (number of its group, the part it stands in)}, from the table of contents."""
    found = {site_map.root.docname: (0, "")}
    for tree in site_map.root.subtrees:
        group = GROUPS.index(tree.caption) if tree.caption in GROUPS else 0
        found |= {str(item): (group, tree.caption or "") for item in tree.items}
    return found


def source_titles(env):
    """{anchor: title} of the works that the page of sources lists."""
    cited = env.domains["cite"]
    works = cited.bibdata.data.entries
    titles = {item.citation_id: works[item.key].fields["title"] for item in cited.citations}
    return {anchor: re.sub(r"[{}]", "", title).replace("--", "–") for anchor, title in titles.items()}


def sorted_into(counts):
    """The words of all sections, each with the numbers of its sections: differences in base 36, and how often."""
    places = defaultdict(list)
    for number, count in enumerate(counts):
        for word, times in count.items():
            places[word].append((number, min(times, 9)))
    lines, listed = [], sorted(places)
    for word in listed:
        last, line = 0, []
        for number, times in places[word]:
            line.append(base36(number - last) + ("." * (times > 1) + "." * (times > 3)))
            last = number
        lines.append(",".join(line))
    return " ".join(listed), " ".join(lines)


def base36(number):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return digits[number] if number < 36 else base36(number // 36) + digits[number % 36]


def index(pages, names=()):
    """The index of pages, given as (address, group, part, html); `names` has titles for anchors."""
    shown, sections, counts = [], [], []
    for address, group, part, html in pages:
        found = sections_of(html)
        for section in found:
            title = dict(names).get(section.anchor) if section.kind == "source" else section.title
            text = " ".join(section.text)
            if title and (text.strip() or section.kind == "page"):
                sections.append([len(shown), section.kind, section.anchor, title, section.line])
                counts.append(Counter(filter(told, words(text))))
        shown.append([address, found[0].title if found else address, group, part])
    listed, places = sorted_into(counts)
    return {
        "groups": GROUPS,
        "pages": shown,
        "sections": sections,
        "words": listed,
        "places": places,
        "common": " ".join(sorted(COMMON)),
        "synonyms": SYNONYMS,
    }


def search_page(app):
    yield "search", {"title": "Search"}, "search.html"


def write_index(app, error):
    """Write the index beside the scripts that read it, and leave out what Sphinx's own search had."""
    if error is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for stock in [*(static / name for name in STOCK), Path(app.outdir, "searchindex.js")]:
        stock.unlink(missing_ok=True)
    pages = []
    for page, (group, part) in groups_of(app.env.external_site_map).items():
        built = Path(app.outdir, f"{page}.html")
        if built.exists():
            pages.append((f"{page}.html", group, part, built.read_text(encoding="utf-8")))
    made = index(pages, source_titles(app.env))
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    (static / "search_index.js").write_text(f"const SEARCH_INDEX = {text};\n", encoding="utf-8")


def do_without_stock(app):
    app.builder.search = False


def setup(app):
    app.connect("builder-inited", do_without_stock)
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
