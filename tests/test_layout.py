"""The rules that keep the package a house."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import distpriv

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "distpriv"
LONGEST = 400


def _sources(*folders: str) -> list[Path]:
    found = [ROOT / "app.py"] if (ROOT / "app.py").exists() else []
    for folder in folders:
        found += sorted((ROOT / folder).rglob("*.py"))
    return found


def _imports(path: Path) -> set[str]:
    """Full names of the modules a file imports, wherever in the file it does."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            pytest.fail(f"{path.relative_to(ROOT)} imports relatively; name the module in full")
    return names


def _packages(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in _imports(path)}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=_name)
def test_only_the_dashboard_imports_streamlit(path: Path) -> None:
    if PACKAGE / "dashboard" in path.parents:
        return
    assert "streamlit" not in _packages(path)
    assert not any(name.startswith("distpriv.dashboard") for name in _imports(path))


@pytest.mark.parametrize("path", sorted((PACKAGE / "charts").rglob("*.py")), ids=_name)
def test_charts_compute_nothing_but_pictures(path: Path) -> None:
    assert not _packages(path) & {"streamlit", "scipy", "sklearn"}


@pytest.mark.parametrize(
    "path", _sources("distpriv", "app_pages", "benchmarks", "data", "tests"), ids=_name
)
def test_nothing_imports_from_pages(path: Path) -> None:
    assert not _packages(path) & {"pages", "app_pages"}


@pytest.mark.parametrize("path", _sources("distpriv", "app_pages", "benchmarks", "data"), ids=_name)
def test_no_file_is_too_long(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST, f"{_name(path)} has {lines} lines; make it two files"


@pytest.mark.parametrize("name", distpriv.__all__)
def test_every_public_name_has_a_docstring(name: str) -> None:
    thing = getattr(distpriv, name)
    text = (thing.__doc__ or "").strip()
    # A dataclass without a docstring gets its signature for one.
    assert text, f"{name} has no docstring"
    assert not text.startswith(f"{name}("), f"{name} has no docstring"
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (
                inspect.isfunction(value) or isinstance(value, property)
            ):
                inherited = any(
                    getattr(getattr(base, member, None), "__doc__", None) for base in thing.__mro__
                )
                assert inherited, f"{name}.{member} has no docstring"


def test_the_public_names_are_sorted() -> None:
    assert list(distpriv.__all__) == sorted(distpriv.__all__)


@pytest.mark.parametrize("path", sorted((PACKAGE / "mechanisms").glob("*.py")), ids=_name)
def test_every_family_of_mechanisms_has_its_tests(path: Path) -> None:
    if path.stem != "__init__":
        assert (ROOT / "tests" / "mechanisms" / f"test_{path.stem}.py").exists()


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=_name)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
