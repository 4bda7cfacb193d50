"""Every column as a secret: how often a guess at its share is right, from which figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import chdtri, ndtr

from distpriv.analysis.brief import brief
from distpriv.analysis.tables import medians, sample, secrets
from distpriv.arrays import BoolArray, FloatArray, integer, number
from distpriv.display import Progress, tracked
from distpriv.errors import DistprivError
from distpriv.queries import Query, SensitiveProperty, Statistic
from distpriv.queries.columns import numbers_of
from distpriv.queries.statistics import as_query
from distpriv.sources import Source, source_of

__all__ = ["exposure", "secret_labelled"]

_RARE = 0.02  # share of records below which a label is left out
_FIGURES = 500  # at most, which take some seconds
_MARGIN = 0.005  # between a range and 0 or 1
_SURE = 0.95
_VARIES = 1e-7  # of a squared deviation: less is none
_NOTHING = "No column of this table can be a secret; it needs labels or numbers."
_Secret = tuple[SensitiveProperty, FloatArray]
_BRIEF = {"label": "secret ", "share": "share in % .1", "low": "from % .1", "high": "to % .1"}
_BRIEF |= {"guesses": "right of 100 .1"}
_HEAD = ["column", "label", "share", "low", "high", "guesses", "fits"]


def exposure(
    table: Any,
    query: Query | None = None,
    *,
    n: int | None = None,
    width: float = 0.1,
    progress: Progress = None,
) -> pd.DataFrame:
    """Compute how often the best attacker guesses each column's share, by one pooled covariance.

    Every label that at least 2 % of the records have is a secret (of two labels, the rarer one),
    and every column of numbers or dates above its median. The attacker chooses between two shares
    around the table's own, and the figures vary within both groups as in the table.

    Parameters
    ----------
    table : DataFrame or Source
        Of larger tables 200 000 random records count, and fewer of very many columns: attrs of the
        frame have their number as "records". Guesses are then at least so many, for what the chance
        of such a sample reaches in 95 of 100 counts for nothing.
    query : Query, optional
        Figures that are released. None: every average, and counts of these labels, one after the
        other, up to 500, where a missing value counts as an average one.
    n : int, optional
        Records that the figures are of; the whole table by default. They count as drawn with
        replacement.
    width : float
        Distance of the two shares, a fraction.
    progress : bool or callable, optional
        Whether to show how far it is, or a function of columns done and of all.

    Returns
    -------
    DataFrame
        The most exposed first: column, label (of the secret), share, low, high (per cent), guesses
        (right, of 100, from all figures together) and fits (whether the range lies around the
        share); then a column for each figure alone, which are not printed. Without a query, figures
        of the secret's own column do not count.

    Raises
    ------
    DistprivError
        If no column can be a secret, n is not a number of records, or the width not a fraction.

    Examples
    --------
    >>> dp.exposure(dp.load_example("bank"), dp.Mean("amount"), n=100, width=0.2).head(2)
            secret share in % from % to % right of 100
     duration > 36       38.5   28.5 48.5         98.1
    amount > 11800       49.9   39.9 59.9         98.0
    """
    width = number("The distance of two shares", width)
    if not 0 < width < 1 - 2 * _MARGIN:
        raise DistprivError(f"Two shares cannot be {width!r} apart; choose a fraction such as 0.1.")
    n = None if n is None else integer("The number of records", n, 2)
    query = None if query is None else as_query(query)
    source = source_of(table)
    released = query.columns if query is not None else ()
    frame = sample(source, (*source.labels, *source.numbers, *source.dates, *released))
    every: Iterable[_Secret] = _secrets(source, frame)
    if query is None:
        every = [*every]
        figures = [*islice(_figures(source, frame, every), _FIGURES)]
        if not figures:
            raise DistprivError(_NOTHING)
        owners, labels, columns = zip(*figures, strict=True)
        values = np.column_stack(columns)
    else:
        owners, labels = ("",) * len(query), query.labels
        values = query.influence(query.values(frame))
    records = _Records(values, 1 - len(frame) / max(source.rows, 1))
    reach = width * math.sqrt(source.rows if n is None else n) / 2
    rows = []
    columns_of = groupby(every, lambda pair: pair[0].column)
    offered = {*source.labels, *source.numbers, *source.dates}
    for column, some in tracked(columns_of, len(offered), "Columns", progress):
        secrets, having = zip(*some, strict=True)
        own = np.array([owner == column for owner in owners])
        for secret, share, distances in zip(secrets, *records.distances(having, own), strict=True):
            if not _RARE <= share <= 1 - _RARE:
                continue
            middle = min(max(share, width / 2 + _MARGIN), 1 - width / 2 - _MARGIN)
            low, high = 100 * (middle - width / 2), 100 * (middle + width / 2)
            right = 100 * ndtr(reach * distances)
            head = (column, secret.label, 100 * share, low, high, right[0])
            rows.append((*head, abs(middle - share) < 1e-9, *right[1:]))
    if not rows:
        raise DistprivError(_NOTHING)
    result = pd.DataFrame(rows, columns=[*_HEAD, *labels])
    result.attrs["records"] = len(frame)
    result = result.sort_values("guesses", ascending=False, kind="stable", ignore_index=True)
    return brief(result, _BRIEF)


def secret_labelled(table: Any, column: str, label: str) -> SensitiveProperty:
    """Return the secret of a row of `exposure`; DistprivError if the table offers none such."""
    for secret in secrets(source_of(table)):
        if (secret.column, secret.label) == (column, label):
            return secret
    raise DistprivError(f"This table offers no secret {label!r}; choose another one.")


def _figures(
    source: Source, frame: pd.DataFrame, every: list[_Secret]
) -> Iterator[tuple[str, str, FloatArray]]:
    """Yield column, label and records of each figure; a missing label is none."""
    for column in source.numbers:
        if column not in source.labels:
            values = numbers_of(frame, column)
            known = np.isfinite(values)
            average = values[known].mean() if known.any() else 0.0
            yield column, Statistic("mean", column).label, np.where(known, values, average)
    for secret, having in every:
        for label in secret.values:  # noqa: PD011
            yield secret.column, Statistic("count", secret.column, label).label, having == 1


def _secrets(source: Source, frame: pd.DataFrame) -> Iterator[_Secret]:
    """Yield what columns offer, and who has it, column by column; labels that are not too rare."""
    above = {one.column: [one] for one in medians(source)}
    for column in dict.fromkeys((*source.labels, *above)):
        labels = source.labels.get(column, ())
        every = [SensitiveProperty(column, (label,)) for label in labels[len(labels) == 2 :]]
        for secret in (*above.get(column, []), *every):
            try:
                having = secret.mask(frame)
            except DistprivError:  # no record of a sample has it
                break
            if np.nanmean(having) < _RARE and secret.values:  # noqa: PD011
                break  # as are those that follow
            yield secret, having


class _Records:
    """Figures of records that lack none, and how they vary within groups of them.

    Those with and without a property differ by b, in p and 1 − p of the records, and vary within
    them by W = T − p (1 − p) b bᵀ, T the covariance of all. So bᵀ W⁻¹ b = q / (1 − p (1 − p) q),
    q = bᵀ T⁻¹ b, and T⁻¹ without some figures follows from that with all.
    """

    def __init__(self, values: FloatArray, left_out: float) -> None:
        self.complete = np.isfinite(values).all(axis=1)
        values = values if self.complete.all() else values[self.complete]
        largest = np.abs(values).max(axis=0, initial=0.0)  # whose square may be too large
        self.values: FloatArray = values / np.where(largest > 0, largest, 1.0)
        self.values -= self.values.sum(axis=0) / max(len(values), 1)
        unit = np.sqrt((self.values**2).sum(axis=0) / max(len(values), 1))
        self.values /= np.where(unit > 0, unit, 1.0)
        self.squares = self.values.T @ self.values
        self.left_out = left_out
        self.all = _inverted(self.squares / max(len(values), 1))

    def distances(
        self, having: Sequence[FloatArray], own: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return shares of properties of one column, (k,), and distances of the groups' means.

        By all figures but the column's own together, then by each, (k, 1 + m), in deviations of one
        record; NaN for own ones. `having` is 1, 0 or NaN for all records.
        """
        flags = np.array(having)[:, self.complete]
        known = np.isfinite(flags[0])
        count, total = int(known.sum()), np.zeros(len(own))
        variances, inverse = self.all
        if count < len(known):
            gaps = self.values[~known]
            total = -gaps.sum(axis=0)
            mean = total / max(count, 1)
            square = (self.squares - gaps.T @ gaps) / max(count, 1) - np.outer(mean, mean)
            variances, inverse = _inverted(square)
        with np.errstate(divide="ignore", invalid="ignore"):
            numbers = (flags == 1).sum(axis=1)[:, None]
            sums = (flags == 1).astype(float) @ self.values
            between = sums / numbers - (total - sums) / (count - numbers)
            share = numbers / count
            noise = self.left_out * (1 / numbers + 1 / (count - numbers))
            some = np.where(own, 0.0, between)
            along, block = some @ inverse, np.linalg.inv(inverse[np.ix_(own, own)])
            q = (along * some).sum(axis=1) - ((along[:, own] @ block) * along[:, own]).sum(axis=1)
            trace = np.trace(inverse) - (inverse[:, own] @ block * inverse[:, own]).sum()
            varying = (~own).sum() - _VARIES * trace  # others follow from these
            squares = np.hstack([q[:, None], np.where(own, np.nan, between**2)])
            rest = np.hstack([np.ones_like(share), np.broadcast_to(variances, between.shape)])
            squares /= (rest - share * (1 - share) * squares).clip(_VARIES)
            squares -= noise * chdtri(np.append(varying.clip(1), np.ones(len(own))), 1 - _SURE)
            squares[:, 0] = np.fmax(squares[:, 0], np.where(own, 0.0, squares[:, 1:]).max(axis=1))
        return share[:, 0], np.sqrt(squares.clip(0))


def _inverted(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return variances, (m,), and the inverse, (m, m), where all varies by a little at least."""
    inverse = np.linalg.inv(covariance + _VARIES * np.eye(len(covariance)))
    return np.diagonal(covariance), np.asarray(inverse, dtype=float)
