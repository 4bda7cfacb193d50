"""Figures and names in sentences, charts and tables: one rule for each.

A measured or computed figure has three significant digits (:func:`number`), a measured or
computed share one decimal (:func:`percent`): ``0.0946``, ``2 × 10⁻⁵``, ``58.0 %``. What somebody
chose is exact, and as short as it is (:func:`exact`, :func:`share`): ``ε = 1``, ``45 %``. A figure
never breaks from its unit, its sign is a minus, and what is not known is ``unknown``. Thousands
are set apart by a narrow space that does not break. Files to
compute with (CSV, JSON) hold full numbers, not these.

Names from the data are escaped for where they stand: :func:`escape` for Markdown, :func:`safe`
for plotly.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "escape",
    "exact",
    "fixed",
    "listed",
    "number",
    "percent",
    "plain",
    "safe",
    "share",
    "shorten",
    "statistic_errors",
    "summed_up",
    "titled",
    "with_unit",
    "wrap",
]

SPACE = "\u00a0"
"""Between a figure and its unit: no line breaks there."""

UNKNOWN = "unknown"

_THIN = "\u202f"
_SMALLEST, _LARGEST = 1e-4, 1e7
_COUNTED = 10**13  # below it a whole number of things is written out
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAGS = re.compile(r"</?[a-z]+(\s[^<>]*)?/?>", re.IGNORECASE)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=^\"'])")


def number(value: float) -> str:
    """A figure to three significant digits, whole from 100 on.

    Parameters
    ----------
    value : float
        Any; infinite ones are signs, and NaN is ``unknown``.

    Returns
    -------
    str
        ``12.7``, ``0.0946``, ``5 531``, ``40`` where the figure is exactly that and ``40.0``
        where it is rounded; ``1.23 × 10⁻⁷`` below 10⁻⁴ and from 10⁷ on, but for whole numbers by
        type, which count something: ``45 000 000``.
    """
    if isinstance(value, int) and abs(value) < _COUNTED:
        return f"{value:,}".replace(",", _THIN).replace("-", "−")
    if not math.isfinite(value):
        return UNKNOWN if math.isnan(value) else ("−∞" if value < 0 else "∞")
    sign, size = "−" if value < 0 else "", abs(value)
    if size == 0:
        return "0"
    if not _SMALLEST <= size < _LARGEST:
        return sign + _scientific(f"{size:.2e}")
    if size >= 99.95:
        return sign + f"{size:,.0f}".replace(",", _THIN)
    decimals = 2 - math.floor(math.log10(float(f"{size:.2e}")))
    shown = f"{size:.{decimals}f}"
    # Zeros tell how exact a rounded figure is; those of an exact one go.
    return sign + (_short(shown) if float(shown) == size else shown)


def exact(value: float) -> str:
    """A figure that was chosen, as short as it is: ``1``, ``0.001``, ``1 × 10⁻⁵``, ``12.5``.

    Six significant digits at most.
    """
    if isinstance(value, int) or not math.isfinite(value):
        return number(value)
    sign, size = "−" if value < 0 else "", abs(value)
    if size and not _SMALLEST <= size < _LARGEST:
        return sign + _scientific(f"{size:.5e}")
    shown = f"{size:,.0f}" if size >= 1e6 else f"{float(f'{size:.6g}'):,}"
    return sign + shown.removesuffix(".0").replace(",", _THIN)


def fixed(value: float, decimals: int) -> str:
    """A figure to a number of decimals, where those of a column are to match: ``45 222.50``."""
    shown = f"{abs(value):,.{decimals}f}"
    return f"{'−' if value < 0 and float(shown.replace(',', '')) else ''}{shown}".replace(
        ",", _THIN
    )


def percent(value: float, decimals: int = 1) -> str:
    """A measured or computed share: ``57.7 %``, ``58.0 %``.

    Parameters
    ----------
    value : float
        The share, 1 for all; NaN is ``unknown``.
    decimals : int, at least 0
        One, but where a sentence only needs whole percents, or tells shares next to 0 or 1 apart.
    """
    if math.isnan(value):
        return UNKNOWN
    return f"{fixed(100 * value, decimals)}{SPACE}%"


def share(value: float) -> str:
    """A share that was chosen, as short as it is: ``45 %``, ``41.25 %``; four digits at most."""
    if math.isnan(value):
        return UNKNOWN
    return f"{exact(float(f'{100 * value:.4g}'))}{SPACE}%"


def with_unit(value: float, unit: str) -> str:
    """A figure with its unit, if it has one: ``12.7 years``."""
    return f"{number(value)}{SPACE}{unit}" if unit else number(value)


def titled(label: str, unit: str) -> str:
    """What is counted with its unit in brackets, if it has one: ``error (years)``."""
    return f"{label} ({unit})" if unit else label


def statistic_errors(
    labels: Sequence[str], errors: Iterable[float], units: Sequence[str]
) -> list[str]:
    """Each statistic with its expected absolute error: ``mean age ± 1.2 years``.

    Parameters
    ----------
    labels, units : sequence of str, shape (m,)
    errors : iterable of float, shape (m,)
        In the units.
    """
    return [
        f"{label} ± {with_unit(float(error), unit)}"
        for label, error, unit in zip(labels, errors, units, strict=True)
    ]


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
    sentences = {name: f"{text} with {name}" for name, text in texts.items()}
    if len(sentences) <= 4:
        return listed(list(sentences.values()))
    least, most = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    between = f"between {sentences[least]} and {sentences[most]}"
    return f"{sentences[selected]}, in all {between}" if selected in sentences else between


def escape(text: object) -> str:
    """Make text from the data stand for itself in Markdown."""
    return _MARKDOWN.sub(r"\\\1", str(text).replace("\n", " "))


def safe(text: object, length: int | None = None) -> str:
    """Make a label from the data show in a chart as it is written, whatever it holds.

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
    """Undo :func:`safe`, drop plotly's own tags and blanks that do not break: the bare text."""
    if not text:
        return ""
    spaced = re.sub(rf"<br\s*/?>|[{SPACE}{_THIN}]", " ", text)
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


def _scientific(shown: str) -> str:
    mantissa, exponent = shown.split("e")
    power = str(int(exponent)).translate(_SUPERSCRIPT)
    return f"{_short(mantissa)}{SPACE}×{SPACE}10{power}"


def _short(shown: str) -> str:
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _clean(text: object) -> str:
    spaced = "".join(
        " " if unicodedata.category(sign) in {"Cc", "Zl", "Zp"} else sign for sign in str(text)
    )
    # A space that does not break keeps a figure with its unit.
    return " ".join(re.split(r"[^\S\u00a0\u202f]+", _BIDIRECTIONAL.sub("", spaced).strip()))
