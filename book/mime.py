"""What the output of a cell tells the builder, beside its HTML and its text: data in its bundle, under this name.

{"figure": ...} of an interactive figure (`figures.base.Figure.as_data`), {"checks": [...]} of checks,
{"plot": ...} of a plot, {"unlinked": html} of what has links into pages that a notebook does not have.
"""

OURS = "application/vnd.why-softmax+json"
