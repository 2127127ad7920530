"""The figures' JavaScript and CSS as single texts: one for a notebook widget, one for a page.

anywidget loads a widget's module from a Blob URL, and a page opened from file:// may not load
modules at all; in neither can a relative import be followed. So the source files, written as
modules, are joined as text: their import lines dropped, their exports made plain declarations,
each file after those that it imports.

A view is a file with an exported `render`. What several views import stands above them, once; the names of
top-level declarations must differ between these files. What one view alone imports shares a scope with it.
"""

import json
import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent

_IMPORT = re.compile(r"^import [^;]*?(?:\"./([\w-]+)\.js\")?;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async function|function|const|let|class)", re.MULTILINE)
_RENDER = re.compile(r"^export (?:async )?function render\(", re.MULTILINE)


def _text(name: str) -> str:
    return (HERE / "js" / f"{name}.js").read_text(encoding="utf-8")


def source(name: str) -> str:
    """The file js/<name>.js without its imports and exports."""
    return _EXPORT.sub("", _IMPORT.sub("", _text(name))).strip() + "\n"


@cache
def views() -> list[str]:
    """The names of all views."""
    names = sorted(path.stem for path in (HERE / "js").glob("*.js"))
    return [name for name in names if _RENDER.search(_text(name))]


def _imports(name: str, found: dict[str, None]) -> dict[str, None]:
    """What js/<name>.js imports, added in order to what has been found, each file after its own imports."""
    for part in _IMPORT.findall(_text(name)):
        if part not in found:
            _imports(part, found)[part] = None
    return found


def imported(*names: str) -> list[str]:
    """These files and all that they import, in order."""
    found = {}
    for name in names:
        _imports(name, found)
        found[name] = None
    return list(found)


@cache
def shared() -> list[str]:
    """What more than one view imports, in order."""
    of_each = [_imports(view, {}) for view in views()]
    found = dict.fromkeys(part for those in of_each for part in those)
    return [part for part in found if sum(part in those for those in of_each) > 1]


def parts(view: str) -> list[str]:
    """What one view alone imports, in order."""
    return [part for part in _imports(view, {}) if part not in shared()]


def mounting() -> list[str]:
    """What mounts figures in a page and no view imports, in order."""
    return [part for part in imported("mount") if part not in shared()]


def _joined(names) -> str:
    return "\n".join(map(source, names))


def _view(name: str) -> str:
    body = _joined([*parts(name), name])
    return f"const view_{name} = (() => {{\n{body}\nreturn render;\n}})();\n"


@cache
def widget_module(view: str) -> str:
    """The module of one figure, for anywidget's `_esm`."""
    wanted = imported(view)
    common = [part for part in shared() if part in wanted]
    return f"{_joined(common)}\n{_view(view)}\nexport default {{ render: view_{view} }};\n"


def _lean(text: str) -> str:
    """A script without comments, empty lines and indentation, which a reader's browser does not need.

    A comment after code ends its line and has no quotation mark, so that none is cut out of a text.
    """
    text = re.sub(r"(?<=[;{}(),\]]) +// [^\"'`\n]*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^ *(//.*\n|\n)?", "", text, flags=re.MULTILINE)


def lean_style(text: str) -> str:
    """A style sheet without comments and spaces that say nothing; what stands in quotation marks stays."""
    quoted = r"(\"[^\"]*\"|'[^']*')"
    text = re.sub(rf"{quoted}|/\*.*?\*/", lambda found: found[1] or "", text, flags=re.DOTALL)
    return re.sub(
        rf"{quoted}|\s*;?\s*(\}})\s*|\s*([{{;,>])\s*|\s+",
        lambda found: found[1] or found[2] or found[3] or " ",
        text,
    ).strip()


@cache
def page_script(*names: str) -> str:
    """The views of these names, or all, and what mounts them, as one classic script to load with `defer`.

    It leaves no globals.
    """
    names = names or tuple(views())
    table = ", ".join(f"{name}: view_{name}" for name in names)
    wanted = set(imported(*names, "mount"))
    common = [part for part in shared() if part in wanted]
    text = "\n".join([_joined(common), *map(_view, names), _joined(mounting())])
    return _lean(f'(() => {{\n"use strict";\n{text}\nmount({{ {table} }});\n}})();\n')


def data_script(name: str, value) -> str:
    """A classic script that hands a value to the page which has loaded it (`js/page_data.js`)."""
    detail = json.dumps({"name": name, "value": value}, ensure_ascii=False, separators=(",", ":"))
    return f'dispatchEvent(new CustomEvent("ws-data", {{ detail: {detail} }}));\n'


@cache
def _blocks() -> list[tuple[str, dict[str, str]]]:
    """The two blocks of css/palette.css, light and dark: (selector, {colour: value})."""
    text = (HERE / "css" / "palette.css").read_text(encoding="utf-8")
    blocks = re.findall(r"([^{}]+)\{([^}]*)\}", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    return [
        (re.sub(r"\s+", " ", selector.strip()), dict(re.findall(r"--ws-([\w-]+):\s*(#\w+)", body)))
        for selector, body in blocks
    ]


def palette() -> dict[str, dict[str, str]]:
    """The colours of css/palette.css: {"light": {"ink": "#1d2430", ...}, "dark": {...}}."""
    (_, light), (_, dark) = _blocks()
    return {"light": light, "dark": dark}


def selectors() -> dict[str, str]:
    """The selectors of the themes in css/palette.css: {"light": ":root", "dark": ...}."""
    (light, _), (dark, _) = _blocks()
    return {"light": light, "dark": dark}


def _theme(selector: str, scheme: str) -> str:
    colours = "".join(f"--ws-{name}:{value};" for name, value in palette()[scheme].items())
    return f"{selector}{{{colours}--ws-scheme:{scheme}}}\n"


@cache
def view_style(*names: str) -> str:
    """The rules of these views."""
    sheets = [HERE / "css" / f"{name}.css" for name in names]
    return lean_style("".join(sheet.read_text(encoding="utf-8") for sheet in sheets if sheet.exists()))


@cache
def common_style() -> str:
    """The palette for wherever a figure can stand, then the rules all figures share."""
    dark_page = _theme(":root:not([data-theme])", "dark").strip()
    themes = [
        _theme(":root", "light"),
        # A page whose theme script has not run names no theme, so the system's preference counts.
        f"@media (prefers-color-scheme:dark){{{dark_page}}}\n",
        # Jupyter, VS Code and a page whose script has run name their theme, which counts before the system's.
        _theme('body[data-jp-theme-light="true"],body.vscode-light', "light"),
        _theme(
            ':root[data-theme="dark"],html[theme="dark"],'
            'body[data-jp-theme-light="false"],body.vscode-dark,body.vscode-high-contrast',
            "dark",
        ),
        # Paper is white, so a printed page takes the light theme.
        f"@media print{{{_theme(':root,:root[data-theme]:root,body[data-jp-theme-light]', 'light').strip()}}}\n",
    ]
    return "".join(themes) + view_style("figure")


@cache
def page_style() -> str:
    """The palette, the rules all figures share, then those of each view."""
    return common_style() + view_style(*views())
