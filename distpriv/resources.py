"""Where entry, pages and example data lie: in the project's folder, or in the installed package."""

from pathlib import Path

__all__ = ["DATA", "HOME", "MAIN"]

_PACKAGE = Path(__file__).parent
_INSTALLED = _PACKAGE / "_app"
HOME = _INSTALLED if _INSTALLED.exists() else _PACKAGE.parent
DATA = HOME / "data"
MAIN = _PACKAGE / "dashboard" / "main.py"
