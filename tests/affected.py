"""Name the test files that a change touches, and those of the core: ``python -m tests.affected``.

A test file is touched if it has changed, if it names a changed module or public name, if it shares
the name of one or of a module that imports one, or, of a page, if it bears the page's name. What
needs a browser or a database server is left to ``make test``.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.house import (
    MODULES,
    PACKAGE,
    ROOT,
    imports,
    module,
    modules,
    namesake,
    relative,
    sources,
)
from tests.house import touched as named

CORE = (
    "test_layout.py",
    "queries/test_statistics.py",
    "model/test_moments.py",
    "privacy/test_calibration.py",
    "mechanisms/test_differential.py",
    "analysis/test_scenario_file.py",
)
LEFT = {"browser", "store"}


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed() -> set[Path]:
    """Files that differ from where this branch left main, or that git does not know yet."""
    base = (_git("merge-base", "HEAD", "main") or ["HEAD"])[0]
    listed = [
        *_git("diff", "--name-only", base),
        *_git("ls-files", "--others", "--exclude-standard"),
    ]
    return {ROOT / line for line in listed if line}


def affected(changes: set[Path]) -> list[Path]:
    """Test files that these changes touch, and those of the core."""
    tests = [
        path
        for path in sources("tests")
        if path.stem.startswith("test_") and path.parts[len(ROOT.parts) + 1] not in LEFT
    ]
    seen = {other for other, path in MODULES.items() if path in changes}
    near = {other for other, path in MODULES.items() if modules(path) & seen} | seen
    shared = {module(path) for path in changes if path.parent.name != "distpriv"}
    shared = {other for other in shared if other.startswith("tests.")}
    # A page's tests bear the name of its script and of its folder in the dashboard.
    pages = {
        path.stem if path.parent == ROOT / "pages" else path.parent.name
        for path in changes
        if path.parent == ROOT / "pages" or PACKAGE / "dashboard" in path.parents
    }
    chosen = {ROOT / "tests" / core for core in CORE} | {namesake(MODULES[other]) for other in near}
    chosen |= {
        path
        for path in tests
        if path in changes
        or named(path) & seen
        or any(full.startswith(tuple(f"{other}." for other in shared)) for full in imports(path))
        or (path.parent.name == "app" and path.stem.removeprefix("test_") in pages)
    }
    if pages & {"shell", "widgets", "dashboard"}:
        chosen.add(ROOT / "tests" / "app" / "test_pages.py")
    return sorted(chosen & set(tests))


if __name__ == "__main__":
    print(*map(relative, affected(changed())), sep="\n")
