"""How numbers are written: decimal sign, groups of thousands, and what may surround them."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache

__all__ = [
    "ENOUGH",
    "WRITINGS",
    "Writing",
    "is_ambiguous",
    "is_number",
    "number",
    "number_macro",
    "other",
]

Writing = tuple[str, str]
"""Decimal sign, and sign of thousands or ""."""

WRITINGS: tuple[Writing, ...] = ((".", ""), (".", ","), (",", ""), (",", "."))
ENOUGH = 0.95  # share of a column's values that must be numbers, or dates, for it to be one
_SIGNS = "$€£¥"


def _shape(writing: Writing) -> str:
    """Return the pattern of ``-1.5e3``, ``1 234``, ``1'234``, ``(3)``, ``$5``, ``7 %``, ``'-2``."""
    decimal, thousands = map(re.escape, writing)
    group = f"['’ \u00a0\u202f{thousands}][0-9]{{3}}"
    digits = f"([0-9]+|[1-9][0-9]{{0,2}}({group})+)({decimal}[0-9]*)?|{decimal}[0-9]+"
    bare = f"[{_SIGNS}]? ?({digits})([eE][+-]?[0-9]{{1,3}})? ?[%{_SIGNS}]?"
    return rf"'?([+-]?{bare}|\({bare}\))"


@lru_cache(maxsize=8)
def _pattern(writing: Writing) -> re.Pattern[str]:
    return re.compile(_shape(writing))


def is_number(text: str, writing: Writing) -> bool:
    """Return whether a text is a number in a writing."""
    plain = text.isascii() and text.isdigit()  # most are, and a pattern takes long
    return plain or bool(_pattern(writing).fullmatch(text.replace("−", "-")))


def number(text: str, writing: Writing) -> float | None:
    """Return the number that a text is, as the macro of :func:`number_macro` reads it."""
    if not is_number(text, writing):
        return None
    if "," not in text and writing[0] == ".":
        with contextlib.suppress(ValueError):
            return float(text)
    decimal, thousands = writing
    bare = re.sub(r"[^0-9.,eE+-]", "", text.replace("−", "-"))
    if thousands:
        bare = bare.replace(thousands, "")
    return float(bare.replace(decimal, ".")) * (-1 if text.lstrip("'").startswith("(") else 1)


def other(writing: Writing) -> Writing:
    """Return the writing with the other decimal sign."""
    return ("." if writing[0] == "," else ",", "")


def is_ambiguous(text: str, writing: Writing) -> bool:
    """Return whether another writing makes another number of a text, as of ``1,234``."""
    return not {number(text, one) for one in WRITINGS} <= {number(text, writing), None}


def number_macro(name: str, writing: Writing) -> str:
    """Return SQL that defines a macro: the number that a text is, NULL where it is none.

    ``(3)`` is -3, a percent sign and a currency are dropped, U+2212 is a minus; ``1_000``, ``inf``
    and ``nan`` are no numbers.
    """
    decimal, thousands = writing
    text = "replace(t, '−', '-')"
    bare = f"regexp_replace({text}, '[^0-9eE+.,-]', '', 'g')"
    if thousands:
        bare = f"replace({bare}, '{thousands}', '')"
    if decimal == ",":
        bare = f"replace({bare}, ',', '.')"
    shape = _shape(writing).replace("'", "''")
    slow = (
        f"CASE WHEN regexp_full_match({text}, '{shape}') THEN TRY_CAST({bare} AS DOUBLE) * "
        "CASE WHEN ltrim(t, '''')[1] = '(' THEN -1 ELSE 1 END END"
    )
    # A point is no decimal sign where that is a comma, and DuckDB takes 1_000 for 1000.
    signs = "contains(t, '_')" + (" OR contains(t, '.')" if decimal == "," else "")
    quick = f"TRY_CAST(CASE WHEN {signs} THEN NULL ELSE t END AS DOUBLE)"
    result = f"coalesce({quick}, {slow})"
    # isfinite, for DuckDB 2.0 takes isnan(x) for false where a Parquet file's extremes omit NaN.
    return f"CREATE TEMP MACRO {name}(t) AS CASE WHEN isfinite({result}) THEN {result} END"
