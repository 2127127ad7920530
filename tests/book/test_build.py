"""The build tells the truth: what is wrong in a chapter fails it by name; no result outlives an edit to `lib`;
a build that was broken off is completed by the next.

Each build is of a small book in a temporary folder, with the project's own configuration.
"""

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from small_book import CLAIM, PAGE, build, kernels, new_book


def executed(said):
    """The pages that a build has executed, by what it said: each once, before it was read."""
    assert ".md: Executing notebook" not in said, "a page was executed again when it was read"
    return sorted(re.findall(r"^(\w+): executed in", said, re.MULTILINE))


QUESTION = """```{code-cell} ipython3
from book.figures import Predict
Predict("Which?", ["a", "b"], "a", name="%s"%s)
```"""
WRONG = {  # what stands in a page, and what the build says of it
    "See {ref}`no-label`.": "no-label",
    "See [this](no-page.md).": "no-page",
    "The share is $\\frac{a$.": r"does not typeset.*\s+\\frac\{a",
    "The share is $\\nosuchmacro x$, not $x$.": r"does not typeset.*\s+\\nosuchmacro x",
    "As {cite:p}`nobody1900` says.": "nobody1900",
    "```{figure} book/builder/static/favicon.svg\nA picture\n```": "no plain Markdown for <figure>",
    "Press {set}`this <gone?beta=4>`.": "“this” sets nothing: gone\\?beta=4: no figure",
    "Or {set}`that <my-question?beta=4>`.": "“that” sets nothing: my-question\\?beta=4: it has no beta=4",
    "It is. {tick}`page-nothing`": "the tick page-nothing names no check of its section",
    QUESTION
    % ("my-question", ""): r"my-question \(predict\) cannot be drawn: TypeError: el\.gone is not a function",
    QUESTION % ("two", ', figure="gone?beta=4"'): "the answer to two sets nothing: gone\\?beta=4: no fig",
    QUESTION
    % ("three", ', figure="my-question?beta=4"'): "the answer to three sets nothing: my-question.*no beta=4",
    "## Elsewhere\n\nIt is. {tick}`page-odds`": "the tick page-odds names no check of its section",
}


def test_every_broken_reference_view_and_kernel_fails_the_build_by_name(tmp_path):
    book = new_book(tmp_path)
    view = book / "book" / "figures" / "js" / "predict.js"
    begins = "export function render({ model, el }) {"
    assert begins in view.read_text("utf-8")
    view.write_text(view.read_text("utf-8").replace(begins, f"{begins} el.gone();"), "utf-8")
    kernels(book).write_text("1 / 0\n")
    status, said = build(book, "\n\n".join(WRONG))
    assert status != 0, said
    assert "the kernels of lib do not compile" in said
    for says in WRONG.values():
        assert re.search(rf"index.*{says}", said), says


# Text that is no mark-up, as a page says so, and its notebook in the same way.
AS_IT_IS = r"""1\. begins no list

12\) nor does this

\- nor this, **1.** is *one*`a*b`

\# no heading

\> no quotation

1.5 is a number

In 1. and # and > nothing begins, -1 is a\*b, a_b, \_c, \`d\`, \$5, \<e>, \&lt;"""
EVERYTHING = r"""
```{code-cell} ipython3
:tags: [hide-input]
from book.exercises import check
from book.example import SCORES, TOKENS
from book.numbers import keep
from book.figures import BetaWeights

keep("page")
BetaWeights(TOKENS, SCORES)
```

(goal)=
## A place, and *what* it is

As {cite:t}`vaswani2017` say {cite:p}`gibbs1902,luce1959`, see
[above](#goal), {ref}`goal`, {doc}`other`, {eq}`sum`.
{set}`At *β* = $4$ <beta-weights?beta=4>`.
Half is {glue:text}`page-half:.2f`; 2*3 and a_b cost $ 5, less than <b>, in `a|b`.

$$ a = b \\ c = d $$ (sum)

Term
: What $\beta$ means, in 10%.

| with a bar | code |
|---|---|
| $\operatorname{KL}(p\,\|\,q)$ and $\|x\|$ | `x` |

:::{note}
Mind *this*.
:::

1. one
2. two

   - inner

AS IT IS

```{code-cell} ipython3
:tags: [remove-output]
check("kl-1", ...)
```

:::{dropdown} Solution of it
By {eq}`sum`, **one half**.
:::

:::{dropdown} More
Stays.
:::
"""
PLAIN = r"""## A place, and *what* it is

As Vaswani *et al.* [[2017](https://arxiv.org/abs/1706.03762)] say [Gibbs, 1902, Luce, 1959], see
[above](#A-place,-and-what-it-is), [A place, and what it is](#A-place,-and-what-it-is), [Other](other.ipynb), (1).
At *β* = $4$.
Half is 0.50; 2\*3 and a_b cost \$ 5, less than , in `a|b`.

$$
\begin{split}
a = b \\ c = d
\end{split} \tag{1}
$$

- **Term.** What $\beta$ means, in 10%.

| with a bar | code |
| --- | --- |
| $\operatorname{KL}(p\,\vert \,q)$ and $\vert x\vert $ | `x` |

> **Note**
>
> Mind *this*.

1. one
2. two

   - inner

"""
CLAIMED = "✓ 1 check holds: page-odds"


ADDRESS = "https://example.org/deep/book/"


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A published book with all that a page may hold, a second notebook and a list of sources; built once."""
    book = new_book(tmp_path_factory.mktemp("everything"))
    (book / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n- file: other\n- file: references\n")
    (book / "other.md").write_text(PAGE.replace("A page", "Other") + "```{code-cell} ipython3\n1 + 1\n```\n")
    (book / "references.md").write_text("# Sources\n\n```{bibliography}\n```\n")
    status, said = build(book, CLAIM + EVERYTHING.replace("AS IT IS", AS_IT_IS), BOOK_URL=ADDRESS)
    assert status == 0, said
    assert said.index("compiling the kernels") < said.index("executed in"), "before a page would wait and say so"
    return book


def notebooks(book):
    return {file.name: file.read_bytes() for file in (book / "_build" / "html" / "notebooks").iterdir()}


def test_a_page_becomes_a_notebook_in_plain_markdown(everything):
    made = notebooks(everything)
    full, exercises = (nbformat.reads(made[f"{name}.ipynb"].decode(), 4) for name in ("index", "index-exercises"))
    claim, figure, place, asked, solution, more, cited = full.cells[1:]
    assert [output.data["text/plain"].split("\n")[0] for output in claim.outputs] == [CLAIMED]
    assert [set(output.data) for output in figure.outputs] == [{"text/plain"}], "of a widget, what it says"
    said = figure.outputs[0].data["text/plain"].split("\n")[0]
    assert said.startswith("At β = 1, “cat” gets 37% of the weight. The spread is that of 5.3 equal weights, ")
    assert (everything / "_build" / "html" / "index.html").read_text("utf-8").count('class="ws-svg"') == 2
    assert place.source == PLAIN + AS_IT_IS
    assert asked.source == 'check("kl-1", ...)'
    assert asked.outputs == []
    assert solution.source == "<details><summary>Solution of it</summary>\n\nBy (1), **one half**.\n\n</details>"
    assert more.source == "<details><summary>More</summary>\n\nStays.\n\n</details>"
    for name, line in zip(("Gibbs", "Luce", "Vaswani"), cited.source.splitlines()[2:], strict=True):
        assert name in line
    kept = (claim, figure, place, asked, more, cited)
    assert [cell.source for cell in exercises.cells[1:]] == [cell.source for cell in kept]
    assert set(made) == {"index.ipynb", "index-exercises.ipynb", "other.ipynb", "why-softmax.zip"}


def test_a_published_book_knows_its_address(everything):
    html = everything / "_build" / "html"
    assert (html / ".nojekyll").exists(), "else GitHub leaves out folders that begin with an underscore"
    lost = (html / "404.html").read_text(encoding="utf-8")
    assert 'href="/deep/book/index.html"' in lost
    assert 'name="robots" content="noindex"' in lost
    page = (html / "index.html").read_text("utf-8")
    assert f'<link rel="canonical" href="{ADDRESS}index.html"' in page
    assert f'<meta property="og:image" content="{ADDRESS}_static/card.png"/>' in page
    assert '<meta property="og:title" content="A page"/>' in page
    assert (html / "_static" / "card.png").exists()


@pytest.mark.nightly
def test_a_build_broken_off_is_completed_and_the_same_book_gives_the_same_notebooks(everything, tmp_path):
    """In another folder, with what is left by a build that was killed before it had written a notebook."""
    book = Path(shutil.copytree(everything, tmp_path / "book"))
    (cache,) = (book / "_build").glob(".jupyter_cache-*")
    (lost,) = (path for path in cache.glob("executed/*") if "1 + 1" in (path / "base.ipynb").read_text("utf-8"))
    shutil.rmtree(lost)
    (book / "_build" / ".unfinished").touch()
    (book / "_build" / "html" / "index.html").write_text("half of a p")
    status, said = build(book, BOOK_URL=ADDRESS)
    assert status == 0, said
    assert executed(said) == ["other"], "the first was whole"
    assert notebooks(book) == notebooks(everything)


@pytest.mark.nightly
def test_an_edit_to_lib_executes_the_pages_again_and_a_cell_that_fails_is_shown(everything, tmp_path):
    book = Path(shutil.copytree(everything, tmp_path / "book"))
    with (book / "lib" / "__init__.py").open("a") as maths:
        maths.write("\n\ndef softmax(scores, beta=1.0):\n    return scores * 0 + 0.5\n")
    status, said = build(book)
    assert status != 0, "the old result was served although lib had changed"
    # the page, its cell, and the bound
    for name in ("index.md", 'run_checks("page-odds")', "ClaimFailed", "2.718"):
        assert name in said
