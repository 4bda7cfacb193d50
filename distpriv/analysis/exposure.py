"""Every column as a secret: how often a guess at its share is right, from which figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from distpriv.arrays import BoolArray, FloatArray
from distpriv.errors import DistprivError
from distpriv.queries import Query, SensitiveProperty, Statistic
from distpriv.queries.statistics import numbers_of
from distpriv.sources import Source, source_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["exposure"]

_RARE = 0.02  # share of records below which a label is left out
_MARGIN = 0.005  # between a range and 0 or 1
_VARIES = 1e-7  # of a squared deviation: less is none


def exposure(
    table: Any, query: Query | None = None, *, n: int | None = None, width: float = 0.1
) -> pd.DataFrame:
    """Compute how often the best attacker guesses each column's share, by the normal model.

    Every label that at least 2 % of the records have is a secret, and every column of numbers above
    its median. The attacker chooses between two shares around the table's own.

    Parameters
    ----------
    table : DataFrame or Source
        Of larger tables 200 000 random records count.
    query : Query, optional
        Figures that are released. None: every figure of the table, one after the other, where a record
        with a missing value counts as an average one.
    n : int, optional
        Records that the figures are of; the whole table by default. They count as drawn with
        replacement.
    width : float
        Distance of the two shares, a fraction.

    Returns
    -------
    DataFrame
        The most exposed first: column, label (of the secret), share, low, high (per cent), guesses
        (right, of 100, from all figures together) and fits (whether the range lies around the share).
        Without a query, guesses is from all other columns' figures, and one column a figure follows.

    Raises
    ------
    DistprivError
        If no column can be a secret, or the width is no fraction.
    """
    import pandas as pd

    if not 0 < width < 1 - 2 * _MARGIN:
        raise DistprivError(f"Two shares cannot be {width!r} apart; choose a fraction such as 0.1.")
    source = source_of(table)
    needed = [*source.labels, *source.numbers, *(query.columns if query else ())]
    frame = source.columns(list(dict.fromkeys(needed)))
    count = source.rows if n is None else n
    if query is None:
        figures = list(_figures(source, frame))
        values = np.column_stack([one for *_, one in figures])
    else:
        figures, values = [], query.values(frame)
    complete = np.isfinite(values).all(axis=1)
    rows = []
    for secret, flags in _secrets(source, frame):
        fine = complete & np.isfinite(flags)
        share = float(flags[fine].mean()) if fine.any() else 0.0
        if not _RARE <= share <= 1 - _RARE:
            continue
        middle = min(max(share, width / 2 + _MARGIN), 1 - width / 2 - _MARGIN)
        others = np.array(
            [column != secret.column for column, *_ in figures] or [True] * len(query)
        )
        single, together = _distances(values[fine], flags[fine] == 1, middle, others)
        away = width * math.sqrt(count) / 2 * np.append(together, single)
        right = 100 * ndtr(away)
        low, high = 100 * (middle - width / 2), 100 * (middle + width / 2)
        fits = abs(middle - share) < 1e-9
        row = (secret.column, secret.label, 100 * share, low, high, right[0], fits)
        rows.append((*row, *np.where(others, right[1:], np.nan)) if figures else row)
    if not rows:
        raise DistprivError("No column of this table can be a secret; it needs labels or numbers.")
    columns = ["column", "label", "share", "low", "high", "guesses", "fits"]
    columns += [label for _, label, _ in figures]
    result = pd.DataFrame(rows, columns=columns)
    return result.sort_values("guesses", ascending=False, kind="stable", ignore_index=True)


def _figures(source: Source, frame: pd.DataFrame) -> Iterator[tuple[str, str, FloatArray]]:
    """Column, label and records of every figure; missing numbers are average, missing labels none."""
    for column in source.numbers:
        if column not in source.labels:
            values = numbers_of(frame, column)
            yield (
                column,
                Statistic("mean", column).label,
                np.where(np.isnan(values), np.nanmean(values), values),
            )
    for secret, flags in _secrets(source, frame):
        if secret.values:
            figure = Statistic("count", secret.column, secret.values[0])
            yield secret.column, figure.label, np.nan_to_num(flags)


def _secrets(source: Source, frame: pd.DataFrame) -> Iterator[tuple[SensitiveProperty, FloatArray]]:
    """Properties that columns offer, and who has them: one of two labels is enough."""
    for column, labels in source.labels.items():
        for label in labels[1:] if len(labels) == 2 else labels:
            secret = SensitiveProperty(column, (label,))
            yield secret, secret.mask(frame)
    for column in source.numbers:
        if column in source.labels:
            continue
        values = numbers_of(frame, column)
        below = np.unique(values[np.isfinite(values)])[:-1]
        if len(below):  # not all records have the same number
            threshold = float(min(np.nanmedian(values), below[-1]))
            yield (
                SensitiveProperty(column, above=threshold),
                np.where(np.isnan(values), np.nan, values > threshold),
            )


def _distances(
    values: FloatArray, having: BoolArray, middle: float, others: BoolArray
) -> tuple[FloatArray, float]:
    """Mahalanobis distances of the groups' means from each figure, (m,), and from several together.

    Under the covariance at the middle of the range.
    """
    parts = values[~having], values[having]
    between = parts[1].mean(axis=0) - parts[0].mean(axis=0)
    spread = np.zeros((len(between), len(between)))
    for weight, part in zip((1 - middle, middle), parts, strict=True):
        away = part - part.mean(axis=0)
        spread += weight * (away.T @ away) / len(part)
    unit = np.sqrt(np.diagonal(spread))
    unit = np.where(unit > 0, unit, 1e-6 * np.abs(values).max(axis=0).clip(1e-300))
    z = between / unit
    chosen = np.flatnonzero(others)
    eigen, along = np.linalg.eigh((spread / np.outer(unit, unit))[np.ix_(chosen, chosen)])
    share = (along.T @ z[chosen]) ** 2
    kept = (eigen > _VARIES) | (
        share > _VARIES
    )  # labels of a column sum to 1: nothing to see there
    return np.abs(z), math.sqrt(float((share[kept] / eigen[kept].clip(_VARIES)).sum()))
