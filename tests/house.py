"""What the files of the project import, for the rules they keep and for what a change touches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "distpriv"


def sources(*folders: str) -> list[Path]:
    """Every Python file in these folders of the project."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def relative(path: Path) -> str:
    """A file's path from the project's root."""
    return path.relative_to(ROOT).as_posix()


def module(path: Path) -> str:
    """A file's dotted name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module(path): path for path in sources("distpriv")}


def namesake(path: Path) -> Path:
    """The file with the tests of a module of the package."""
    return ROOT / "tests" / path.relative_to(PACKAGE).with_name(f"test_{path.stem}.py")


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _names(path: Path) -> Iterator[tuple[str, str]]:
    """Full name of each thing that a file imports, and what the file calls it."""
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{relative(path)} imports relatively; name the module in full"
            yield from (
                (f"{node.module}.{alias.name}", alias.asname or alias.name) for alias in node.names
            )


def imports(path: Path) -> set[str]:
    """Full names of what a file imports, wherever in the file it does."""
    return {full for full, _ in _names(path)}


def _home(full: str) -> str:
    while full and full not in MODULES:
        full = full.rpartition(".")[0]
    return full


def modules(path: Path) -> set[str]:
    """Modules of the package that a file imports."""
    return {_home(full) for full in imports(path)} - {""}


@cache
def _public() -> dict[str, str]:
    """Where each public name of the package is made."""
    return {called: _home(full) for full, called in _names(PACKAGE / "__init__.py")}


def touched(path: Path) -> set[str]:
    """Modules that a file names, those behind ``dp.<name>`` among them."""
    found = modules(path) - {"distpriv"}
    called = {called for full, called in _names(path) if full == "distpriv"}
    for node in ast.walk(_parsed(path)):
        match node:
            case ast.Attribute(value=ast.Name(id=package), attr=attribute) if package in called:
                found.add(_public().get(attribute, ""))
    return found - {""}
