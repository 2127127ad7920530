"""The figures' JavaScript and CSS as single texts: one for a notebook widget, one for a page.

anywidget loads a widget's module from a Blob URL, and a page opened from file:// may not load
modules at all; in neither can a relative import be followed. So the source files, written as
modules, are joined as text: their import lines dropped, their exports made plain declarations,
the shared ones first. Names of top-level declarations must therefore differ between shared files;
each view has a scope of its own, with its parts.
"""

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
SHARED = ("math", "words", "controls", "presets", "beta_slider", "table", "grips")
VIEWS = ("beta_weights", "can_you_tell", "compromise", "predict")
# What one view alone is made of, in the order of its parts.
PARTS = {
    "beta_weights": ("curves",),
    "can_you_tell": ("log_slider", "fourier", "tell_math", "tell_words", "tell_plots", "tell_game"),
    "compromise": ("budget_slider", "choices", "family", "triangle"),
}

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async function|function|const|let|class)", re.MULTILINE)


def source(name: str) -> str:
    """The file js/<name>.js without its imports and exports."""
    text = (HERE / "js" / f"{name}.js").read_text(encoding="utf-8")
    return _EXPORT.sub("", _IMPORT.sub("", text)).strip() + "\n"


def _shared() -> str:
    return "\n".join(source(name) for name in SHARED)


def _view(name: str) -> str:
    body = "\n".join(map(source, (*PARTS.get(name, ()), name)))
    return f"const view_{name} = (() => {{\n{body}\nreturn render;\n}})();\n"


@cache
def widget_module(view: str) -> str:
    """The module of one figure, for anywidget's `_esm`."""
    return f"{_shared()}\n{_view(view)}\nexport default {{ render: view_{view} }};\n"


def _lean(text: str) -> str:
    """The text without comment lines, empty lines and indentation, which a reader's browser does not need."""
    return re.sub(r"^ *(//.*\n|\n)?", "", text, flags=re.MULTILINE)


@cache
def page_script() -> str:
    """All figures and their mount, as one classic script to load with `defer`; it leaves no globals."""
    views = "\n".join(_view(name) for name in VIEWS)
    table = ", ".join(f"{name}: view_{name}" for name in VIEWS)
    body = f"{_shared()}\n{views}\n{source('mount')}\nmount({{ {table} }});\n"
    return _lean(f'(() => {{\n"use strict";\n{body}}})();\n')


@cache
def _blocks() -> list[tuple[str, dict[str, str]]]:
    """The two blocks of css/palette.css, light and dark: (selector, {colour: value})."""
    text = (HERE / "css" / "palette.css").read_text(encoding="utf-8")
    blocks = re.findall(r"([^{}]+)\{([^}]*)\}", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    return [
        (re.sub(r"\s+", " ", head.strip()), dict(re.findall(r"--ws-([\w-]+):\s*(#\w+)", body)))
        for head, body in blocks
    ]


def palette() -> dict[str, dict[str, str]]:
    """The colours of css/palette.css: {"light": {"ink": "#1d2430", ...}, "dark": {...}}."""
    (_, light), (_, dark) = _blocks()
    return {"light": light, "dark": dark}


def selectors() -> dict[str, str]:
    """What css/palette.css gives each theme to: {"light": ":root", "dark": ...}."""
    (light, _), (dark, _) = _blocks()
    return {"light": light, "dark": dark}


def _theme(selector: str, scheme: str) -> str:
    colours = "".join(f"--ws-{name}:{value};" for name, value in palette()[scheme].items())
    return f"{selector}{{{colours}--ws-scheme:{scheme}}}\n"


@cache
def page_style() -> str:
    """The palette for every place a figure can stand in, the rules all figures share, then those of each view."""
    dark_page = _theme(":root:not([data-theme])", "dark").strip()
    themes = [
        _theme(":root", "light"),
        # A page without its theme script says nothing, so the system's wish counts.
        f"@media (prefers-color-scheme:dark){{{dark_page}}}\n",
        # These say which theme they show, whatever the system wishes.
        _theme('body[data-jp-theme-light="true"],body.vscode-light', "light"),
        _theme(
            ':root[data-theme="dark"],html[theme="dark"],'
            'body[data-jp-theme-light="false"],body.vscode-dark,body.vscode-high-contrast',
            "dark",
        ),
        # Paper is white.
        f"@media print{{{_theme(':root,:root[data-theme]:root,body[data-jp-theme-light]', 'light').strip()}}}\n",
    ]
    sheets = [HERE / "css" / "figure.css", *(HERE / "css" / f"{name}.css" for name in VIEWS)]
    rules = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets if sheet.exists())
    return "".join(themes) + _lean(re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL))
