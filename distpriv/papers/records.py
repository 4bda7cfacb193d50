"""The records and the setting of Chen & Ohrimenko's experiments (2023, full version, Section 6.1).

The paper fits its distributions to 1000 subsets of the 25 222 records that its attack leaves over;
here they are fitted to all records, in closed form. It takes the statistics for densities; the
attacker takes them for what they are, counts and averages of whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from distpriv.model.gaussian import GaussianModel, model_from_moments
from distpriv.model.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Query

__all__ = [
    "DELTA",
    "INCOME",
    "QUERY",
    "SECRETS",
    "SEED",
    "SIZE",
    "WORK_CLASS",
    "PaperRecords",
    "paper_records",
]

QUERY = Query(
    [
        Mean("age"),
        Mean("education-num"),
        Count("marital-status", "Never-married"),
        Count("sex", "Female"),
        Mean("hours-per-week"),
    ]
)
INCOME = SensitiveProperty("income", ">50K")
WORK_CLASS = SensitiveProperty("workclass", "Private")
SECRETS = {"income": INCOME, "work class": WORK_CLASS}
SIZE = 100
DELTA = 1e-3
SEED = 2023

# Of UCI Adult's complete records: with the income, in the private sector, and the query's sums.
_ADULT_COUNTS = (45_222, 11_208, 33_307)
_ADULT_SUMS = (1_743_215, 457_577, 14_598, 14_695, 1_851_299)


@dataclass(frozen=True, eq=False)
class PaperRecords:
    """Records with the columns of UCI Adult that the experiments use.

    Attributes
    ----------
    groups : mapping of SensitiveProperty to RecordGroups
    moments : mapping of SensitiveProperty to GroupMoments
    stand_in : bool
        Whether they are other records than the complete ones of UCI Adult, which the paper has.
    """

    groups: Mapping[SensitiveProperty, RecordGroups]
    moments: Mapping[SensitiveProperty, GroupMoments]
    stand_in: bool

    @property
    def count(self) -> int:
        """Complete records."""
        return sum(self.groups[INCOME].counts)

    def model(self, *pairs: Pair) -> GaussianModel:
        """The model of 100 records in closed form, for one or more pairs."""
        return model_from_moments(self.moments, QUERY, pairs, SIZE)

    def densities(self, *pairs: Pair) -> GaussianModel:
        """The same as the paper takes it: normal densities, on no grid."""
        model = self.model(*pairs)
        return replace(model, pairs=tuple(replace(fit, steps=None) for fit in model.pairs))


def paper_records(table: pd.DataFrame) -> PaperRecords:
    """Take from a table what the experiments need; incomplete records are left out.

    Parameters
    ----------
    table : DataFrame
        Adult, or a table with its columns.

    Raises
    ------
    QueryError, PropertyError
        If a column is missing or does not fit.
    """
    table = table.dropna()
    groups = {secret: record_groups(table, QUERY, secret) for secret in SECRETS.values()}
    moments = {secret: group_moments(table, QUERY, secret) for secret in SECRETS.values()}
    return PaperRecords(groups, moments, not _is_adult(groups))


def _is_adult(groups: Mapping[SensitiveProperty, RecordGroups]) -> bool:
    income, work_class = groups[INCOME], groups[WORK_CLASS]
    counts = (sum(income.counts), income.counts[1], work_class.counts[1])
    sums = income.without.sum(axis=0) + income.having.sum(axis=0)
    return counts == _ADULT_COUNTS and bool(np.array_equal(np.round(sums), _ADULT_SUMS))
