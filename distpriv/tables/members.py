"""Archives: which of their files is the table."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import NamedTuple

from distpriv.errors import TableError
from distpriv.tables.labels import shown

__all__ = ["Archive", "archive_of", "is_workbook", "member_of"]

_TABLES = {
    *(".csv", ".tsv", ".txt", ".dat", ".data", ".tab", ".psv", ".json", ".jsonl", ".ndjson"),
    *(".parquet", ".pq", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".gz", ".test"),
}
_NEVER = {".zip", ".pdf", ".png", ".jpg", ".jpeg", ".html", ".htm", ".md", ".py", ".r", ".docx"}
_NEVER |= {".rtf", ".xml", ".names", ".ipynb", ".exe", ".db", ".sqlite", ".svg"}
_PAPERS = ("readme", "license", "licence", "index")
_MOST = 1_000
_DAMAGED = "the zip archive is damaged; pack or download it again."


class Archive(NamedTuple):
    """What a zip archive holds.

    Attributes
    ----------
    names : tuple of str
        Of the files that may be tables, the largest first.
    workbook : bool
        Whether the archive is a workbook itself.
    size : int
        Bytes that all its files say they have unpacked.
    """

    names: tuple[str, ...]
    workbook: bool
    size: int


def is_workbook(names: set[str]) -> bool:
    """Whether these are the parts of an .xlsx, .xlsb or .ods."""
    parts = any(name.startswith("xl/") for name in names)
    return ("[Content_Types].xml" in names and parts) or {"content.xml", "mimetype"} <= names


def archive_of(data: bytes) -> Archive:
    """List an archive; raises TableError if it is damaged or has too many files."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise TableError(_DAMAGED) from None
    if len(entries) > _MOST:
        raise TableError(
            f"the zip archive holds {len(entries)} files; pack the one with the table alone."
        )
    size = sum(entry.file_size for entry in entries)
    everything = {entry.filename for entry in entries}
    if is_workbook(everything):
        return Archive((), True, size)
    files = [entry for entry in entries if not entry.is_dir() and _may_be(entry.filename)]
    sure = [entry for entry in files if _suffix(entry.filename) in _TABLES and not _paper(entry)]
    ordered = sorted(sure or files, key=lambda entry: -entry.file_size)
    return Archive(tuple(dict.fromkeys(entry.filename for entry in ordered)), False, size)


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _may_be(name: str) -> bool:
    hidden = name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")
    return not hidden and _suffix(name) not in _NEVER


def _paper(entry: zipfile.ZipInfo) -> bool:
    return PurePosixPath(entry.filename).name.lower().startswith(_PAPERS)


def member_of(data: bytes, name: str, most: int) -> bytes:
    """Unpack one file of an archive.

    Parameters
    ----------
    data : bytes
    name : str
    most : int
        Bytes that are unpacked, whatever the archive says; one more if there are more.

    Raises
    ------
    TableError
        If there is no such file, or it is damaged, locked or packed in an unknown way.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(name) as file:
            return file.read(most + 1)
    except KeyError:
        raise TableError(f"the zip archive holds no file {shown(name)}; choose another.") from None
    except RuntimeError as error:
        if "password" in str(error) or "encrypted" in str(error):
            raise TableError(
                f"{shown(name)} in the zip archive is locked with a password; unpack it first."
            ) from None
        raise TableError(_DAMAGED) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, MemoryError):
        raise TableError(_DAMAGED) from None
    except Exception:  # noqa: BLE001 - the decoders of other packings raise what they like
        raise TableError(_DAMAGED) from None
