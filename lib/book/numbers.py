"""Numbers for the prose: every one comes from a cell."""

try:
    from myst_nb import glue
except ImportError:  # a downloaded notebook: the numbers stand in its text already
    glue = None


def keep(chapter, **numbers):
    """Make numbers available to the text of a chapter, under names of its own.

    After `keep("kl", best_score=2.0)` the text has it as ``{glue:text}`kl-best-score:.1f` ``.
    """
    if glue is None:
        return
    for name, number in numbers.items():
        glue(f"{chapter}-{name.replace('_', '-')}", float(number), display=False)
