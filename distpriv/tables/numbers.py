"""How numbers are written: decimal sign, groups of thousands, and what may surround them."""

from __future__ import annotations

import math
import re
from functools import lru_cache

__all__ = ["ENOUGH", "UNIT", "WRITINGS", "Writing", "beside", "compiled", "core", "is_ambiguous"]
__all__ += ["is_number", "minutes", "minutes_sql", "number", "number_macro", "other", "plain"]
__all__ += ["plain_sql"]

Writing = tuple[str, str]
"""Decimal sign, and sign of thousands or ""."""

WRITINGS: tuple[Writing, ...] = ((".", ""), (".", ","), (",", ""), (",", "."))
ENOUGH = 0.95  # share of a column's values that must be numbers, or dates, for it to be one
_SIGNS = "$€£¥"
# Arabic, Persian, Devanagari and full-width digits, minus and other signs.
_FROM = "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९０１２３４５６７８９−‐‑‒–－＋．，％٬٫"
_TO = 4 * "0123456789" + "------+.,%'"
_BLANK = "[ \u00a0\u202f]"
# What stands beside numbers that are rounded, estimated, or the first or last of a scale.
_BEFORE = (
    r"<=?|>=?|≤|≥|~|≈|ca?\.?|about|approx\.?|(?:less|more|fewer) than|at (?:least|most)|up to|"
    "under|over|below|above|unter|über|ab|bis|mehr als|weniger als|moins de|plus de|menos de|más de"
)
_AFTER = (
    r"[+*†‡#^!?¹²³]+|[(\[][a-z0-9*]{1,2}[)\]]|(?:and|or|&) (?:over|older|above|more|up|under|"
    "younger|below|less|fewer)|und (?:mehr|älter|jünger|weniger)|(?:et|ou) (?:plus|moins)|"
    "[oy] (?:más|menos)| [b-fimnprsuz]{1,2}"
)
_MONEY = r"eur|usd|gbp|chf|inr|cad|aud|jpy|cny|sek|nok|dkk|pln|brl|r\$|us\$|rs\.?|kr\.?"
_UNITS = (
    "[kmµ]?g|t|lbs?|oz|[kcm]?m|ft|in|mi|[cmd]?l|hours?|hrs?|h|min(?:ute)?s?|sec(?:ond)?s?|s|"
    f"years?|yrs?|y|months?|weeks?|wks?|days?|d|°[cf]|k|mio|mrd|bn|{_MONEY}"
)
UNIT = re.compile(_UNITS, re.IGNORECASE)
_CORE = re.compile(r"\d(?:[\d.,'’٫٬ \u00a0\u202f]*\d)?")
_HOURS, _MINUTES, _S = "h(?:ours?|rs?)?", "m(?:in(?:ute)?s?)?", "s(?:ec(?:ond)?s?)?"
_SHORT = "^([0-9]+:[0-9]{2})$"
_SPAN = (
    r"(\d+):([0-5]?\d)(?::([0-5]\d(?:\.\d+)?))?|"
    rf"(\d+) ?{_HOURS} ?(?:([0-5]?\d)(?: ?{_MINUTES})?)?(?: ?([0-5]?\d) ?{_S})?|"
    rf"(\d+) ?{_MINUTES}(?: ?([0-5]?\d) ?{_S})?|(\d+) ?{_S}"
)
_SECONDS = 3600, 60, 1, 3600, 60, 1, 60, 1, 1  # of the groups of a span of time


@lru_cache
def _shape(writing: Writing) -> str:
    """Return the pattern of ``-1.5e3``, ``1 234``, ``1'234``, ``(3)``, ``$5``, ``7 %``, ``'-2``."""
    decimal, thousands = map(re.escape, writing)
    sign = f"['’ \u00a0\u202f{thousands}]"
    groups = f"[1-9][0-9]{{0,2}}({sign}[0-9]{{3}})+|[1-9][0-9]?({sign}[0-9]{{2}})+{sign}[0-9]{{3}}"
    digits = f"([0-9]+|{groups})({decimal}[0-9]*)?|{decimal}[0-9]+"
    bare = f"[{_SIGNS}]? ?({digits})([eE][+-]?[0-9]+)? ?[%{_SIGNS}]?"
    return rf"'?([+-]?{_BLANK}*{bare}|\({bare}\)|{bare}-)"


def beside(writing: Writing, unit: str | None = None) -> str:
    """Return the pattern of numbers with a flag or a unit, any one for None."""
    return _beside(_shape(writing), unit)


def _beside(shape: str, unit: str | None) -> str:
    words = rf"(?:{_UNITS}|[^\W\d_]{{3,}})(?:/[^\W\d_]+)?[²³]?\.?"
    before, after = (_MONEY, words) if unit is None else (unit, unit)
    return (
        f"(?i)(?:(?P<flag>{_BEFORE}){_BLANK}?)?(?:(?P<unit>{before}){_BLANK}?)?(?P<number>{shape})"
        f"(?:{_BLANK}?(?P<other>{after}))?(?:{_BLANK}?(?P<mark>{_AFTER}))?"
    )


_LOOSE = _beside(rf"['(]*[+-]?[{_SIGNS}]? ?[0-9.,'’ \u00a0\u202f]+ ?[%{_SIGNS}]?[-)]?", None)


@lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled once."""
    return re.compile(pattern)


@lru_cache
def _signs(decimal: str) -> dict[int, int]:
    return str.maketrans(_FROM, _TO + decimal)


def plain(text: str, writing: Writing) -> str:
    """Return a text with the digits and signs of ASCII."""
    return text if text.isascii() else text.translate(_signs(writing[0]))


def is_number(text: str, writing: Writing) -> bool:
    """Return whether a text is a number in a writing."""
    if text[:1].isalpha() or (text.isascii() and text.isdigit()):  # for a pattern takes long
        return text.isdigit()
    return bool(compiled(_shape(writing)).fullmatch(plain(text, writing)))


def number(text: str, writing: Writing) -> float | None:
    """Return the number that a text is, as the macro of :func:`number_macro` reads it."""
    if not is_number(text, writing):
        return None
    decimal, thousands = writing
    text = plain(text, writing)
    bare = re.sub(r"[^0-9.,eE+-]", "", text).rstrip("-")
    if thousands:
        bare = bare.replace(thousands, "")
    one = float(bare.replace(decimal, "."))
    below = text.lstrip("'").startswith("(") or text.endswith("-")
    return None if math.isinf(one) else -one if below else one


def core(text: str) -> str:
    """Return the digits of a number, and the signs between them; other texts as they are."""
    digits = _CORE.search(text)
    if not digits or digits[0] == text or len(text) > 60:
        return text
    return digits[0] if compiled(_LOOSE).fullmatch(plain(text, WRITINGS[0])) else text


def minutes(text: str, short: bool) -> float | None:
    """Return the minutes of ``1:30:00``, ``1h 30m``, and of ``02:45``: hours and minutes.

    Where others have seconds too (`short`), these are minutes and seconds.
    """
    if not text[:1].isdigit() or text.isdigit():  # for a pattern takes long
        return None
    match = compiled(f"(?ia){_SPAN}").fullmatch(re.sub(_SHORT, r"0:\1", text) if short else text)
    parts = zip(match.groups() if match else (), _SECONDS, strict=False)
    return sum(float(part or 0) * one for part, one in parts) / 60 if match else None


def minutes_sql(text: str, short: bool) -> str:
    """Return SQL of the minutes of a text, as :func:`minutes` reads it."""
    text = f"regexp_replace({text}, '{_SHORT}', '0:\\1')" if short else text
    names = [f"p{k}" for k in range(len(_SECONDS))]
    parts = f"regexp_extract({text}, '^(?i:{_SPAN})$', {names})"
    seconds = " + ".join(
        f"coalesce(TRY_CAST({parts}.{name} AS DOUBLE), 0) * {one}"
        for name, one in zip(names, _SECONDS, strict=True)
    )
    return f"CASE WHEN regexp_full_match({text}, '(?i){_SPAN}') THEN ({seconds}) / 60 END"


def other(writing: Writing) -> Writing:
    """Return the writing with the other decimal sign."""
    return ("." if writing[0] == "," else ",", "")


def is_ambiguous(text: str, writing: Writing) -> bool:
    """Return whether another writing makes another number of a text, as of ``1,234``."""
    return not {number(text, one) for one in WRITINGS} <= {number(text, writing), None}


def plain_sql(text: str, writing: Writing) -> str:
    """Return SQL of a text with the digits and signs of ASCII."""
    signs = f"{_TO}{writing[0]}".replace("'", "''")
    other = f"translate({text}, '{_FROM}', '{signs}')"  # slow
    return f"CASE WHEN strlen({text}) = length({text}) THEN {text} ELSE {other} END"


def number_macro(name: str, writing: Writing) -> str:
    """Return SQL that defines a macro: the number that a plain text is, NULL where it is none.

    ``(3)`` and ``3-`` are -3, a percent sign and a currency are dropped; ``1_000``, ``inf`` and
    ``nan`` are no numbers.
    """
    decimal, thousands = writing
    bare = "rtrim(regexp_replace(t, '[^0-9eE+.,-]', '', 'g'), '-')"
    if thousands:
        bare = f"replace({bare}, '{thousands}', '')"
    if decimal == ",":
        bare = f"replace({bare}, ',', '.')"
    shape = _shape(writing).replace("'", "''")
    slow = (
        f"CASE WHEN regexp_full_match(t, '{shape}') THEN TRY_CAST({bare} AS DOUBLE) * "
        "CASE WHEN regexp_matches(t, '^''?[(]|-$') THEN -1 ELSE 1 END END"
    )
    # A point is no decimal sign where that is a comma, and DuckDB takes 1_000 and +-1 for numbers.
    odd = ("_", "+-", *("." if decimal == "," else ""))
    signs = " OR ".join(f"contains(t, '{sign}')" for sign in odd)
    quick = f"TRY_CAST(CASE WHEN {signs} THEN NULL ELSE t END AS DOUBLE)"
    result = f"coalesce({quick}, {slow})"
    # isfinite, for DuckDB 2.0 takes isnan(x) for false where a Parquet file's extremes omit NaN.
    return f"CREATE TEMP MACRO {name}(t) AS CASE WHEN isfinite({result}) THEN {result} END"
