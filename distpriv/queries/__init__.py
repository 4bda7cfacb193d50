"""What is released (statistics) and whose share is hidden (secrets)."""

from distpriv.queries.columns import Label
from distpriv.queries.secrets import Pair, SensitiveProperty
from distpriv.queries.statistics import (
    Correlation,
    Count,
    Deviation,
    Mean,
    Median,
    Proportion,
    Quantile,
    Query,
    Statistic,
    Sum,
)

__all__ = ["Correlation", "Count", "Deviation", "Label", "Mean", "Median", "Pair", "Proportion"]
__all__ += ["Quantile", "Query", "SensitiveProperty", "Statistic", "Sum"]
