"""The words of charts, from :mod:`distpriv.words`."""

from __future__ import annotations

from distpriv.words import (
    listed,
    number,
    percent,
    plain,
    safe,
    shorten,
    summed_up,
    titled,
    with_unit,
    wrap,
)

__all__ = [
    "listed",
    "number",
    "percent",
    "plain",
    "safe",
    "shorten",
    "summed_up",
    "titled",
    "with_unit",
    "wrap",
]
