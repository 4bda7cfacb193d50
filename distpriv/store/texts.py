"""What people type, made fit to be kept: trimmed, bounded, without signs that hide others."""

from __future__ import annotations

import re
import unicodedata

from distpriv.errors import StoreError

__all__ = ["LONGEST", "cleaned", "same_name", "title"]

LONGEST = {"name": 80, "reason": 4000, "comment": 2000, "note": 500, "title": 200}
"""Most characters of each kind of text."""

_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def cleaned(text: str, kind: str, *, required: bool = False) -> str:
    """A text without control characters and blanks around it; raises StoreError.

    Parameters
    ----------
    text : str
    kind : "name", "reason", "comment" or "note"
        Only the name is one line.
    required : bool
        Whether it must not be empty.
    """
    lines = _DIRECTIONS.sub("", text).replace("\r\n", "\n").split("\n")
    rows = ["".join(sign if _printed(sign) else " " for sign in line).rstrip() for line in lines]
    kept = (" " if kind == "name" else "\n").join(rows).strip()
    if required and not kept:
        raise StoreError(f"The {kind} is empty; fill it in.")
    if len(kept) > LONGEST[kind]:
        raise StoreError(
            f"The {kind} has {len(kept)} characters and may have {LONGEST[kind]} at most; "
            "shorten it."
        )
    return kept


def title(text: str) -> str:
    """The name of a file or an example, fit to be kept: one line, cut where it is too long."""
    return "".join(sign for sign in text if _printed(sign))[: LONGEST["title"]]


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same but for case, blanks and how their letters are coded."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    # Folding can undo a normal form. Signs without width are no part of a name (Cf).
    seen = "".join(sign for sign in name if unicodedata.category(sign) != "Cf")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    return " ".join(folded.split())


def _printed(sign: str) -> bool:
    return unicodedata.category(sign) not in {"Cc", "Cs", "Zl", "Zp"}
