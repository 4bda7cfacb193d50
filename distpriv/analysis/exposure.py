"""Every column as a secret: how often a guess at its share is right, from which figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from distpriv.analysis.tables import medians, sample, secrets
from distpriv.arrays import BoolArray, FloatArray
from distpriv.errors import DistprivError
from distpriv.queries import Query, SensitiveProperty, Statistic
from distpriv.queries.columns import numbers_of
from distpriv.sources import Source, source_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["exposure", "secret_labelled"]

_RARE = 0.02  # share of records below which a label is left out
_LABELS = 49  # of a column: no more have so large a share
_MARGIN = 0.005  # between a range and 0 or 1
_VARIES = 1e-7  # of a squared deviation: less is none
_HEAD = ["column", "label", "share", "low", "high", "guesses", "fits"]


def exposure(
    table: Any, query: Query | None = None, *, n: int | None = None, width: float = 0.1
) -> pd.DataFrame:
    """Compute how often the best attacker guesses each column's share, by one pooled covariance.

    Every label that at least 2 % of the records have is a secret (of two labels, the rarer one),
    and every column of numbers above its median. The attacker chooses between two shares around
    the table's own.

    Parameters
    ----------
    table : DataFrame or Source
        Of larger tables 200 000 random records count.
    query : Query, optional
        Figures that are released. None: every figure of the table, one after the other, where a
        missing value counts as an average one.
    n : int, optional
        Records that the figures are of; the whole table by default. They count as drawn with
        replacement.
    width : float
        Distance of the two shares, a fraction.

    Returns
    -------
    DataFrame
        The most exposed first: column, label (of the secret), share, low, high (per cent), guesses
        (right, of 100, from all figures together) and fits (whether the range lies around the
        share). Without a query, guesses is from all other columns' figures, and a column for each
        figure alone follows.

    Raises
    ------
    DistprivError
        If no column can be a secret, or the width is no such fraction.
    """
    import pandas as pd

    if not 0 < width < 1 - 2 * _MARGIN:
        raise DistprivError(f"Two shares cannot be {width!r} apart; choose a fraction such as 0.1.")
    source = source_of(table)
    released = query.columns if query is not None else ()
    frame = sample(source, (*source.labels, *source.numbers, *source.dates, *released))
    if query is None:
        owners, labels, columns = zip(*_figures(source, frame), strict=True)
        values = np.column_stack(columns)
    else:
        owners, labels, values = ("",) * len(query), (), query.influence(query.values(frame))
    groups = _Moments(values)
    reach = width * math.sqrt(source.rows if n is None else n) / 2
    rows = []
    for secret, having in _secrets(source, frame):
        share = groups.split(having)
        if not _RARE <= share <= 1 - _RARE:
            continue
        middle = min(max(share, width / 2 + _MARGIN), 1 - width / 2 - _MARGIN)
        others = np.array([owner != secret.column for owner in owners])
        single, together = groups.distances(middle, others)
        right = 100 * ndtr(reach * np.append(together, np.where(others, single, np.nan)))
        low, high = 100 * (middle - width / 2), 100 * (middle + width / 2)
        head = (secret.column, secret.label, 100 * share, low, high, right[0])
        rows.append((*head, abs(middle - share) < 1e-9, *right[1 : 1 + len(labels)]))
    if not rows:
        raise DistprivError("No column of this table can be a secret; it needs labels or numbers.")
    result = pd.DataFrame(rows, columns=[*_HEAD, *labels])
    return result.sort_values("guesses", ascending=False, kind="stable", ignore_index=True)


def secret_labelled(table: Any, column: str, label: str) -> SensitiveProperty:
    """Return the secret of a row of `exposure`; DistprivError if the table offers none such."""
    for secret in secrets(source_of(table)):
        if (secret.column, secret.label) == (column, label):
            return secret
    raise DistprivError(f"This table offers no secret {label!r}; choose another one.")


def _figures(source: Source, frame: pd.DataFrame) -> Iterator[tuple[str, str, FloatArray]]:
    """Yield column, label and records of each figure; a missing label is none."""
    for column in source.numbers:
        if column not in source.labels:
            values = numbers_of(frame, column)
            average = np.where(np.isnan(values), np.nanmean(values), values)
            yield column, Statistic("mean", column).label, average
    for secret, having in _secrets(source, frame):
        for label in secret.values:  # noqa: PD011
            yield secret.column, Statistic("count", secret.column, label).label, having == 1


def _secrets(source: Source, frame: pd.DataFrame) -> Iterator[tuple[SensitiveProperty, FloatArray]]:
    """Yield what columns offer, and who has it."""
    every = [
        SensitiveProperty(column, (label,))
        for column, labels in source.labels.items()
        for label in (labels[1:] if len(labels) == 2 else labels[:_LABELS])
    ]
    for secret in (*every, *medians(source, frame)):
        with suppress(DistprivError):  # no record of the sample has it
            yield secret, secret.mask(frame)


class _Moments:
    """Means and covariance of records that have a property and of those that have not."""

    def __init__(self, values: FloatArray) -> None:
        self.complete: BoolArray = np.asarray(np.isfinite(values).all(axis=1))
        records = values[self.complete]
        center, unit = records.mean(axis=0), records.std(axis=0)
        scaled = (values - center) / np.where(unit > 0, unit, 1.0)
        self.values: FloatArray = np.where(self.complete[:, None], scaled, 0.0)
        self.all = self.complete.sum(), self.values.sum(axis=0), self.values.T @ self.values

    def split(self, having: FloatArray) -> float:
        """Take records with and without (1 and 0) apart; return the share with it."""
        fine, flags = self.complete & np.isfinite(having), self.complete & (having == 1)
        total, sums, squares = self.all
        if fine.sum() != total:
            part = self.values[fine]
            total, sums, squares = len(part), part.sum(axis=0), part.T @ part
        count = int(flags.sum())
        few = flags if 2 * count <= total else fine & ~flags
        part = self.values[few]
        smaller = len(part), part.sum(axis=0), part.T @ part
        larger = total - smaller[0], sums - smaller[1], squares - smaller[2]
        parts = (larger, smaller) if few is flags else (smaller, larger)
        self.groups = [(sum_ / max(size, 1), square / max(size, 1)) for size, sum_, square in parts]
        return count / max(int(total), 1)

    def distances(self, middle: float, others: BoolArray) -> tuple[FloatArray, float]:
        """Return distances of the groups' means by each figure, (m,), and by some together.

        In deviations of one record, where a share `middle` has the property.
        """
        (mean, square), (other, other_square) = self.groups
        between = other - mean
        spread = (1 - middle) * (square - np.outer(mean, mean))
        spread += middle * (other_square - np.outer(other, other))
        single = np.abs(between) / np.sqrt(np.diagonal(spread).clip(_VARIES))
        values, along = np.linalg.eigh(spread[np.ix_(others, others)])
        away = (along.T @ between[others]) ** 2
        visible = (values > _VARIES) | (away > _VARIES)  # else labels that sum to 1: no figure
        square_sum = (away[visible] / values[visible].clip(_VARIES)).sum()
        return single, math.sqrt(float(square_sum))
