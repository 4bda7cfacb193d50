"""Numbers and names in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from distpriv.privacy.noise import Noise
from distpriv.queries.statistics import Query

__all__ = ["escape", "number", "percent", "share", "statistic_errors", "with_unit"]


def escape(text: object) -> str:
    """Make text from the data stand for itself in Markdown."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=^\"'])", r"\\\1", str(text).replace("\n", " "))


def number(value: float) -> str:
    """A figure as one would say it: three digits, no exponent where one can do without."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "–"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e6 or size < 1e-4:
        return f"{value:.2e}"
    if size >= 1000:
        return f"{value:,.0f}".replace(",", "\u202f")
    digits = max(0, 2 - math.floor(math.log10(size)))
    rounded = f"{value:.{digits}f}"
    # Zeros that say how exact a rounded figure is stay; those of an exact one go.
    exact = "." in rounded and float(rounded) == value
    return rounded.rstrip("0").rstrip(".") if exact else rounded


def percent(value: float, digits: int = 1) -> str:
    """A share with its sign: 57.7 %."""
    return f"{100 * value:.{digits}f}\u00a0%"


def share(value: float) -> str:
    """A proportion of the secret without needless digits: 45 %."""
    return f"{100 * value:.4g}\u00a0%"


def with_unit(value: float, unit: str) -> str:
    """A figure with its unit, if it has one."""
    return f"{number(value)}\u00a0{unit}" if unit else number(value)


def statistic_errors(query: Query, noise: Noise, units: Sequence[str]) -> list[str]:
    """Each statistic with its expected absolute error, e.g. ``mean age ± 1.2 years``."""
    return [
        f"{label} ± {with_unit(float(error), unit)}"
        for label, error, unit in zip(
            query.labels, noise.expected_absolute_errors(), units, strict=True
        )
    ]
