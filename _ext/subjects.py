"""Under each title in the sidebar, what the page is about in a few words to look for."""

import re
from posixpath import dirname, join, normpath

# In the words that one would look for; each stands on its page.
SUBJECTS = {
    "chapters/attention": "queries, keys, values, heads",
    "chapters/exponential": "gaps, ratios, rivals, a race",
    "chapters/kl": "null, nats, price, budget",
    "chapters/temperature": "β, T, log loss, calibrated",
    "chapters/gradients": "Jacobian, Adam, hard choices",
    "chapters/scale": "variance, spread, step size",
    "chapters/masking": "masks, padding, −∞, NaN",
    "chapters/alternatives": "threshold, water level, α",
    "chapters/outside": "ReLU, bias, features, rank",
    "chapters/numerics": "overflow, log-sum-exp, bfloat16",
    "chapters/output": "logits, top-k, top-p, min-p",
    "chapters/tell": "false alarms, misses, log-ratios",
    "chapters/divergences": "squares, f-divergences, Rényi",
    "appendix/claims": "five texts, word for word",
    "appendix/widgets": "ipywidgets, HBox, link",
}
ENTRY = re.compile(r'(<a class="[^"]*reference internal" href="([^"]*)">)(.*?)</a>', re.DOTALL)


def with_subjects(tree, pagename):
    """The sidebar's list on this page, with the second lines."""

    def entry(link):
        start, href, title = link.groups()
        page = pagename if href == "#" else normpath(join(dirname(pagename), href)).removesuffix(".html")
        words = SUBJECTS.get(page)
        return f'{start}{title} <span class="ws-subject">{words}</span></a>' if words else link[0]

    return ENTRY.sub(entry, tree)


def add_subjects(app, pagename, templatename, context, doctree):
    context["furo_navigation_tree"] = with_subjects(context["furo_navigation_tree"], pagename)


def setup(app):
    app.connect("html-page-context", add_subjects, priority=900)  # after Furo has made the list
    return {"parallel_read_safe": True, "parallel_write_safe": True}
