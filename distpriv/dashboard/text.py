"""Numbers and names in sentences, from :mod:`distpriv.words`."""

from __future__ import annotations

from collections.abc import Sequence

from distpriv import words
from distpriv.privacy.noise import Noise
from distpriv.queries.statistics import Query
from distpriv.words import escape, number, percent, share, with_unit

__all__ = ["escape", "number", "percent", "share", "statistic_errors", "with_unit"]


def statistic_errors(query: Query, noise: Noise, units: Sequence[str]) -> list[str]:
    """Each statistic with its expected absolute error, e.g. ``mean age ± 1.2 years``."""
    return words.statistic_errors(query.labels, noise.expected_absolute_errors(), units)
