"""The house's order: what a room imports lies below it, and Streamlit stays in its own rooms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ORDER = (
    ("errors", "arrays", "text", "display", "files"),
    ("tables",),
    ("queries",),
    ("model",),
    ("sources",),
    ("privacy",),
    ("distances",),
    ("mechanisms",),
    ("attacks",),
    ("attribute",),
    ("hypothesis",),
    ("composition",),
    ("analysis",),
    ("papers", "lessons", "records"),
    ("charts",),
    ("report",),
    ("dashboard",),
    ("plot", "cli", "__main__", "app", "pages"),
)
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
FILES = sorted([ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("distpriv/**/*.py")])


def _room(name: str) -> str:
    """The room of a module: its first part below distpriv."""
    return name.removeprefix("distpriv.").split(".")[0]


def _imports(node: ast.AST) -> Iterator[str]:
    """Modules that are imported when a module is, without those for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (name.name for name in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "relative imports hide where things come from"
            yield child.module or ""
            yield from (f"{child.module}.{name.name}" for name in child.names)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield from _imports(child)


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", FILES, ids=_module)
def test_module_imports_only_what_lies_below(path):
    module, imports = _module(path), set(_imports(ast.parse(path.read_text("utf-8"))))
    room = _room(module)
    above = {
        name
        for name in imports
        if name.startswith("distpriv.")
        and (other := _room(name)) != room
        and other in RANK
        and (module == "distpriv" or RANK[other] > RANK[room])
    }
    assert not above, f"{module} imports {sorted(above)}, which stand above it"
    assert not any(name.startswith("scipy.stats") for name in imports)
    if room not in ("dashboard", "pages", "app"):
        assert not any(name.split(".")[0] == "streamlit" for name in imports)


def test_every_room_has_its_place_in_the_order():
    assert {_room(_module(path)) for path in FILES} - set(RANK) == {"distpriv"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b", {"a.b"}),
        ("from a import b", {"a", "a.b"}),
        ("if TYPE_CHECKING:\n import a", set()),
        ("try:\n import a\nexcept ImportError:\n import b", {"a", "b"}),
        ("def f():\n import a", set()),
        ("class C:\n import a", {"a"}),
    ],
)
def test_imports_are_those_of_the_module_level(text, names):
    assert set(_imports(ast.parse(text))) == names


LICENCES = "0BSD|Apache|BSD|CC0|MIT|MPL|PSF|Python Software Foundation|Zlib"  # that ask for their notice alone
LOCKS = [ROOT / "requirements.txt", ROOT / "requirements-served.txt"]
PACKAGES = {name for lock in LOCKS for name in re.findall("(?m)^[a-z0-9-]+", lock.read_text())}


@pytest.mark.parametrize("package", sorted(PACKAGES - {"psycopg", "psycopg-binary"}))
def test_package_has_a_licence_that_asks_nothing_of_those_who_link_it(package):
    """Psycopg is an extra, LGPL: it is imported as it comes, and asks for nothing more."""
    try:
        about = metadata(package)
    except PackageNotFoundError:
        pytest.skip("of another system or Python")
    trove = [one for one in about.get_all("Classifier", ()) if one.startswith("License ::")]
    licence = about.get("License-Expression") or " ".join(trove) or about.get("License", "")
    assert re.search(LICENCES, licence), licence
    assert not re.search("GPL|GNU", licence), licence
