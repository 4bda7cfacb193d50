"""Words and numbers in charts: labels from the data made safe, numbers rounded for reading."""

from __future__ import annotations

import html
import math
import re
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence

__all__ = [
    "listed",
    "number",
    "percent",
    "plain",
    "safe",
    "shorten",
    "summed_up",
    "with_unit",
    "wrap",
]

_BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAGS = re.compile(r"</?[a-z]+(\s[^<>]*)?/?>", re.IGNORECASE)
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def safe(text: object, length: int | None = None) -> str:
    """Make a label from the data show as it is written, whatever it holds.

    plotly reads a part of HTML, ``%{...}`` templates and ``$...$`` formulas in its texts;
    all three are escaped. Line breaks and control characters become spaces.

    Parameters
    ----------
    text : object
    length : int, optional
        Shorten to that many characters first.
    """
    cleaned = _clean(text)
    if length is not None:
        cleaned = shorten(cleaned, length)
    escaped = html.escape(cleaned, quote=False)
    return escaped.replace("$", "&#36;").replace("%{", "%&#123;")


def plain(text: str | None) -> str:
    """Undo :func:`safe` and drop plotly's own tags: a chart's text as it reads on screen."""
    if not text:
        return ""
    spaced = re.sub(r"<br\s*/?>", " ", text)
    return html.unescape(_TAGS.sub("", spaced))


def shorten(text: str, length: int) -> str:
    """Cut a text to a number of characters, the last of them an ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def wrap(text: object, width: int, lines: int = 2) -> str:
    """Break a label into lines, shorten what does not fit, and make it safe.

    Parameters
    ----------
    text : object
    width : int
        Characters a line, at least 2.
    lines : int, at least 1
    """
    rows = textwrap.wrap(_clean(text), width, max_lines=lines, placeholder="…")
    return "<br>".join(map(safe, rows))


def with_unit(label: str, unit: str) -> str:
    """A label with its unit in brackets, if it has one; not yet safe."""
    return f"{label} ({unit})" if unit else label


def number(value: float) -> str:
    """Three significant digits, whole from 100 on: ``12.7``, ``0.0946``, ``5 531``."""
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else ("−∞" if value < 0 else "∞")
    sign, size = "−" if value < 0 else "", abs(value)
    if size == 0:
        return "0"
    if not 1e-4 <= size < 1e7:
        mantissa, exponent = f"{size:.2e}".split("e")
        power = str(int(exponent)).translate(_SUPERSCRIPT)
        return f"{sign}{float(mantissa):g} × 10{power}"
    if size >= 99.95:
        return f"{sign}{size:,.0f}".replace(",", "\u202f")
    decimals = 2 - math.floor(math.log10(size))
    shown = f"{size:.{decimals}f}"
    # Zeros tell how exact a rounded figure is; those of an exact one go.
    exact = "." in shown and float(shown) == size
    return sign + (shown.rstrip("0").rstrip(".") if exact else shown)


def percent(share: float, decimals: int = 1) -> str:
    """A share as a percentage: ``57.7 %``; whole numbers without decimals."""
    shown = f"{100 * share:.{decimals}f}"
    return f"{shown.rstrip('0').rstrip('.') if '.' in shown else shown} %"


def listed(items: Sequence[str]) -> str:
    """Join with commas and a final "and"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def summed_up(values: Mapping[str, float], texts: Mapping[str, str], selected: str | None) -> str:
    """Figures by mechanism in words: all of a few, else the selected one's and the extremes.

    Parameters
    ----------
    values, texts : mapping of mechanism to its figure, as a number and in words
        Not empty.
    selected : str or None
    """
    told = {name: f"{text} with {name}" for name, text in texts.items()}
    if len(told) <= 4:
        return listed(list(told.values()))
    least, most = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    between = f"between {told[least]} and {told[most]}"
    return f"{told[selected]}, in all {between}" if selected in told else between


def _clean(text: object) -> str:
    spaced = "".join(
        " " if unicodedata.category(sign) in {"Cc", "Zl", "Zp"} else sign for sign in str(text)
    )
    return " ".join(_BIDIRECTIONAL.sub("", spaced).split())
