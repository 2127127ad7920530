"""The build tells the truth: what is wrong in a chapter fails it by name; no result outlives an edit to `lib`;
a build that was broken off is completed by the next.

Each test builds a book of one page in a temporary folder, with the project's own configuration.
"""

import re
import shutil
import signal
from pathlib import Path

import nbformat
import pytest
from small_book import CLAIM, PAGE, build, kernels, new_book

ROOT = Path(__file__).parents[2]


@pytest.fixture
def book(tmp_path):
    return new_book(tmp_path)


def executed(said):
    """The pages that a build has executed, by what it said: each once, before it was read."""
    assert ".md: Executing notebook" not in said, "a page was executed again when it was read"
    return sorted(re.findall(r"^(\w+): executed in", said, re.MULTILINE))


KILLED = """
import os, signal
from itertools import count
write, written = NbCacheRecord.create_record, count(1)


def killed_at_the_second(**options):
    record = write(**options)
    if next(written) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return record


NbCacheRecord.create_record = killed_at_the_second
"""


def test_a_build_broken_off_is_completed_by_the_next(book):
    """Killed between the record of the second notebook and the notebook itself."""
    (book / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n- file: other\n")
    (book / "other.md").write_text(PAGE.replace("A page", "Other") + "```{code-cell} ipython3\n1 + 1\n```\n")
    hook = book / "book" / "builder" / "build_cache.py"
    text = hook.read_text()
    hook.write_text(text + KILLED)
    status, said = build(book, CLAIM)
    assert status == -signal.SIGKILL, said
    hook.write_text(text)
    status, said = build(book)
    assert status == 0, said
    assert executed(said) == ["other"], "the first was whole"


QUICK_KERNELS = """
import numpy as np
from lib.fast.cpu.compile import compiled


@compiled
def filled(x):
    x[:] = 0.5
    return x


def entmax_forward(scores, *_):
    return filled(np.empty_like(scores)), np.zeros(len(scores))


def entmax_backward(weights, *_):
    return filled(np.empty_like(weights))


def attention_forward(q, k, v, *_):
    return filled(np.empty((*q.shape[:2], v.shape[2]), q.dtype)), ()


def attention_backward(q, k, v, *_):
    return tuple(filled(np.empty_like(x)) for x in (q, k, v))


def ready(x, dtype):
    return x


def dropout_of(*_):
    return None


def Sight(*_):
    return None
"""
USES_KERNELS = """
```{code-cell} ipython3
import numpy as np
from lib import attention, entmax
for dtype in (np.float32, np.float64):
    x = np.zeros((256, 256), dtype)
    assert (entmax(x) == 0.5).all()
    assert (attention(x, x, x, weights="entmax") == 0.5).all()
```
"""


QUESTION = """```{code-cell} ipython3
from book.figures import Predict
Predict("Which?", ["a", "b"], "a", name="%s"%s)
```"""
WRONG = {  # what stands in a page, and what the build says of it
    "See {ref}`no-label`.": "no-label",
    "See [this](no-page.md).": "no-page",
    "The share is $\\frac{a$.": "does not typeset",
    "As {cite:p}`nobody1900` says.": "nobody1900",
    "```{figure} _ext/static/favicon.svg\nA picture\n```": "no plain Markdown for <figure>",
    "Press {set}`this <gone?beta=4>`.": "“this” sets nothing: gone\\?beta=4: no figure",
    "Or {set}`that <my-question?beta=4>`.": "“that” sets nothing: my-question\\?beta=4: it has no beta=4",
    "It is. {tick}`page-nothing`": "the tick page-nothing names no check of its section",
    CLAIM.partition("\n\n")[2]: "the check page-odds has no tick",
    QUESTION
    % ("my-question", ""): r"my-question \(predict\) cannot be drawn: TypeError: el\.gone is not a function",
    QUESTION % ("two", ', figure="gone?beta=4"'): "the answer to two sets nothing: gone\\?beta=4: no fig",
    QUESTION
    % ("three", ', figure="my-question?beta=4"'): "the answer to three sets nothing: my-question.*no beta=4",
}


def test_every_broken_reference_view_and_kernel_fails_the_build_by_name(book):
    view = book / "book" / "figures" / "js" / "predict.js"
    begins = "export function render({ model, el, page }) {"
    assert begins in view.read_text("utf-8")
    view.write_text(view.read_text("utf-8").replace(begins, f"{begins} el.gone();"), "utf-8")
    kernels(book).write_text("1 / 0\n")
    status, said = build(book, "\n\n".join(WRONG))
    assert status != 0, said
    assert "the kernels of lib do not compile" in said
    for says in WRONG.values():
        assert re.search(rf"index.*{says}", said), says


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

   - inner"""
CLAIMED = "✓ 1 check holds: page-odds"


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A book with all that a page may hold, a second notebook and a list of sources; built once."""
    book = new_book(tmp_path_factory.mktemp("everything"))
    kernels(book).write_text(QUICK_KERNELS)
    (book / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n- file: other\n- file: references\n")
    (book / "other.md").write_text(PAGE.replace("A page", "Other") + USES_KERNELS)
    (book / "references.md").write_text("# Sources\n\n```{bibliography}\n```\n")
    status, said = build(book, CLAIM + EVERYTHING)
    assert status == 0, said
    assert said.index("compiling the kernels") < said.index("executed in"), "before a page would wait and say so"
    assert "lib: compiling" not in said
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
    assert place.source == PLAIN
    assert asked.source == 'check("kl-1", ...)'
    assert asked.outputs == []
    assert solution.source == "<details><summary>Solution of it</summary>\n\nBy (1), **one half**.\n\n</details>"
    assert more.source == "<details><summary>More</summary>\n\nStays.\n\n</details>"
    for name, line in zip(("Gibbs", "Luce", "Vaswani"), cited.source.splitlines()[2:], strict=True):
        assert name in line
    kept = (claim, figure, place, asked, more, cited)
    assert [cell.source for cell in exercises.cells[1:]] == [cell.source for cell in kept]


def test_the_same_book_gives_the_same_notebooks_and_the_same_zip(everything, tmp_path):
    """Built once more from the cache, and executed anew in another folder."""
    first = notebooks(everything)
    assert set(first) == {"index.ipynb", "index-exercises.ipynb", "other.ipynb", "why-softmax.zip"}
    elsewhere = Path(shutil.copytree(everything, tmp_path / "book", ignore=shutil.ignore_patterns("_build")))
    for folder in ("html", ".doctrees"):
        shutil.rmtree(everything / "_build" / folder)
    for book in (everything, elsewhere):
        status, said = build(book)
        assert status == 0, said
        assert bool(executed(said)) == (book is elsewhere)
        assert notebooks(book) == first


def test_an_edit_to_lib_executes_the_pages_again_and_a_cell_that_fails_is_shown(everything):
    maths = everything / "lib" / "__init__.py"
    before = maths.read_text()
    maths.write_text(before + "\n\ndef softmax(scores, beta=1.0):\n    return scores * 0 + 0.5\n")
    status, said = build(everything)
    maths.write_text(before)
    assert status != 0, "the old result was served although lib had changed"
    # the page, its cell, and the bound
    for name in ("index.md", 'run_checks("page-odds")', "ClaimFailed", "2.718"):
        assert name in said
