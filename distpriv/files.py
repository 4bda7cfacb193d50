"""Files: those that users name, and the own ones of the package that are no modules."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import IO

from distpriv.errors import ReadError
from distpriv.text import near

__all__ = ["APP", "DATA", "DOCS", "PAGES", "File", "content_of", "is_large", "save_text", "text_of"]

_PACKAGE = Path(__file__).parent
_INSTALLED = (_PACKAGE / "_site").is_dir()
# A wheel carries them inside the package; in a checkout they lie beside it.
_SITE = _PACKAGE / "_site" if _INSTALLED else _PACKAGE.parent
APP = _PACKAGE / "dashboard" / "app.py" if _INSTALLED else _PACKAGE.parent / "app.py"
DATA, DOCS, PAGES = _SITE / "data", _SITE / "docs", _SITE / "pages"

LARGE = 50_000_000  # bytes of a text
File = str | bytes | os.PathLike[str] | IO[str] | IO[bytes]
"""A text with a line break or a brace, or that begins by a bracket, is itself; others are paths."""


def content_of(file: File) -> bytes:
    """Return the bytes of a file; ReadError if it cannot be opened, TypeError if it is none."""
    if hasattr(file, "read"):
        content: str | bytes = file.read()
        file = content.encode("utf-8", "replace") if isinstance(content, str) else bytes(content)
    if isinstance(file, bytes | bytearray | memoryview):
        return bytes(file)
    if isinstance(file, str) and re.search(r"[\n{]|^\s*\[", file):
        return file.encode("utf-8", "replace")
    path = Path(file)
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        hint = ""
        with suppress(OSError, ValueError):
            hint = "" if path.exists() else near(path.name, os.listdir(path.parent))  # noqa: PTH208
        reason = (getattr(error, "strerror", None) or "it is not a file").lower()
        name = path.name or str(path)
        raise ReadError(f"{name} cannot be opened ({reason}); check its name.{hint}") from None


def is_large(path: Path) -> bool:
    """Tell whether a table rather stays where it is: a folder, a Parquet file or a large text."""
    if path.is_dir() or path.suffix in (".parquet", ".pq"):
        return True
    return path.is_file() and path.stat().st_size > LARGE


def text_of(file: File) -> str:
    """Return the text of a file in UTF-8, see `content_of`."""
    try:
        return content_of(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError("This file is not text in UTF-8; choose another one.") from None


def save_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text and the end of its last line to a file; ReadError if it cannot be written."""
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "it is not a file").lower()
        raise ReadError(f"{path} cannot be written ({reason}); check its name.") from None
