"""What is released (statistics) and whose share is hidden (secrets)."""

from distpriv.queries.columns import Label
from distpriv.queries.secrets import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Proportion, Query, Statistic, Sum

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
