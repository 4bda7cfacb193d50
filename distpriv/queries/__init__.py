"""What is asked of a table: statistics, secrets and pairs of shares.

A statistic registers itself under its kind; every module of this package is imported here, so
that a new file is all a new statistic takes.
"""

import importlib
import pkgutil

from distpriv.queries.base import (
    NumberRange,
    Parameter,
    Statistic,
    get,
    names,
    read_statistic,
    register,
    unregister,
)
from distpriv.queries.nonlinear import (
    Correlation,
    Median,
    Nonlinear,
    Quantile,
    StandardDeviation,
)
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Proportion, Query, Sum

__all__ = [
    "Correlation",
    "Count",
    "Mean",
    "Median",
    "Nonlinear",
    "NumberRange",
    "Pair",
    "Parameter",
    "Proportion",
    "Quantile",
    "Query",
    "SensitiveProperty",
    "StandardDeviation",
    "Statistic",
    "Sum",
    "get",
    "names",
    "read_statistic",
    "register",
    "unregister",
]

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")
