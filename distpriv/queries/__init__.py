"""What is released (statistics) and whose share is hidden (secrets)."""

from distpriv.queries.secrets import Pair, SensitiveProperty
from distpriv.queries.statistics import (
    Count,
    Label,
    Mean,
    Proportion,
    Query,
    Statistic,
    Sum,
)

__all__ = [
    "Count",
    "Label",
    "Mean",
    "Pair",
    "Proportion",
    "Query",
    "SensitiveProperty",
    "Statistic",
    "Sum",
]
