"""Lists the licences of all locked packages in docs/licences.md; refuses what is not allowed."""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from license_expression import ExpressionError, LicenseExpression, get_spdx_licensing

from tools.locked import Locked, read

__all__ = ["ALLOWED", "LicenceError", "allows", "licence", "main", "page"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"

ALLOWED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "HPND",
        "ISC",
        "LGPL-3.0-only",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "PSF-2.0",
        "Python-2.0",
        "Unlicense",
        "Zlib",
    }
)
"""Licences of what the dashboard runs on: none asks that works which use it bear it as well."""

TOOLS = ALLOWED | {"BSD-4-Clause", "GPL-3.0-only", "GPL-3.0-or-later"}
"""Of what it is built and tested with, and which is handed on to nobody."""

# What packages say in words of their own, where no other licence can be meant.
_SAID = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "gpl-3.0": "GPL-3.0-only",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0-only",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
}
# Their metadata say "BSD" or nothing; this is what their licence files say.
_READ = {
    "altair": "BSD-3-Clause",
    "axe-playwright-python": "MIT AND MPL-2.0",
    "colorama": "BSD-3-Clause",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "nbformat": "BSD-3-Clause",
    "py4j": "BSD-3-Clause",
    "pyspark": "Apache-2.0",
    "scipy": "BSD-3-Clause",
    "scs": "MIT",
    "traitlets": "BSD-3-Clause",
    # In its documentation: its own, and that of pyExcelerator, which it goes back to.
    "xlwt": "BSD-3-Clause AND BSD-4-Clause",
}
_SPDX = get_spdx_licensing()


class LicenceError(ValueError):
    """A package without a licence that is known and allowed."""


def licence(package: Locked) -> str:
    """The licence of a package, as an SPDX expression.

    Raises
    ------
    LicenceError
        If the package is not installed, though it should be, or says nothing that is known.
    """
    if package.name in _READ:
        return _READ[package.name]
    try:
        said = metadata(package.name)
    except PackageNotFoundError:
        raise LicenceError(f"{package.name} is not installed; run make lint.") from None
    stated = [text for name in ("License-Expression", "License") for text in said.get_all(name, [])]
    classifiers = [
        each.rpartition(" :: ")[2]
        for each in said.get_all("Classifier", [])
        if each.startswith("License :: ")
    ]
    for text in (*stated, *classifiers):
        spelled = _SAID.get(text.strip().lower(), text.strip())
        if (parsed := _parsed(spelled)) is not None:
            return str(parsed)
    raise LicenceError(
        f"{package.name} {package.version} says no licence that is known; read its licence file "
        "and add it to tools/licences.py."
    )


def _parsed(text: str) -> LicenseExpression | None:
    """An SPDX expression, or None for any other text."""
    try:
        return _SPDX.parse(text, validate=True) if text else None
    except ExpressionError:  # also what is no expression at all
        return None


def allows(expression: str, allowed: frozenset[str]) -> bool:
    """Whether a licence is allowed: of several to choose from one, of several that hold each."""
    parsed = _parsed(expression)
    return parsed is not None and _holds(parsed, allowed)


def _holds(parsed: LicenseExpression, allowed: frozenset[str]) -> bool:
    if not hasattr(parsed, "args") or not parsed.args:
        return str(parsed) in allowed
    each = [_holds(part, allowed) for part in parsed.args]
    return any(each) if "OR" in parsed.operator else all(each)


def page() -> str:
    """The list, from the locks and what is installed.

    Raises
    ------
    LicenceError
        As `licence`, and for a licence that is not allowed.
    """
    parts = [
        "# Licences\n\nOf every package in the locks, by `make licences`; `make lint` holds it to "
        "what `tools/licences.py` allows. Versions and hashes are in the locks, and in the bill of "
        "materials that `make sbom` writes.\n"
    ]
    for title, lock, allowed in (
        ("What the dashboard runs on", "requirements-lock.txt", ALLOWED),
        ("What it is built and tested with", "requirements-dev-lock.txt", TOOLS),
    ):
        lines = [f"\n## {title}\n\n| package | licence |\n|---|---|\n"]
        for package in read(ROOT / lock):
            found = licence(package)
            if not allows(found, allowed):
                raise LicenceError(f"{package.name} is under {found}, which is not allowed here.")
            lines.append(f"| {package.name} | {found} |\n")
        parts += lines
    return "".join(parts)


def main() -> int:
    """Write the list, or with ``--check`` compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it is old")
    options = parser.parse_args()
    try:
        text = page()
    except LicenceError as error:
        print(f"licences: {error}")
        return 1
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print("licences: docs/licences.md is not what the locks hold; run make licences.")
        return 1
    print(f"licences: all {text.count(chr(10) + '| ') - 2} are allowed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
