"""From a table to the normal model of its statistics."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from distpriv.display import Progress, plain
from distpriv.errors import DistprivError, NotApplicable
from distpriv.model import GaussianModel, fit_groups
from distpriv.model.fit import Method
from distpriv.queries import Pair, Query, Statistic
from distpriv.queries.statistics import as_query
from distpriv.sources.frame import FrameSource, source_of
from distpriv.text import whole

__all__ = ["check_pairs", "fit_gaussian", "with_records"]


def fit_gaussian(
    table: Any,
    query: Query | Statistic | Iterable[Statistic],
    pair: Pair | Sequence[Pair],
    n: int | None = None,
    *,
    replacement: bool = False,
    reference: Any = None,
    method: Method = "exact",
    rng: np.random.Generator | int | None = None,
    progress: Progress = None,
) -> GaussianModel:
    """Fit normal laws to the statistics of n records under the shares of one or several pairs.

    Sums, counts and averages exactly, from the moments of the records with and without each
    property (Chen & Ohrimenko 2023, Section 5.1, in closed form); medians, quantiles, deviations
    and correlations from simulated tables, beside them. Records that lack a value that figures or
    secrets need are left out, with a warning.

    Parameters
    ----------
    table : DataFrame or Source
        Of pandas, Polars or Arrow, or what `scan`, `connect` and `from_spark` return.
    query : Query, or statistics
    pair : Pair or sequence of Pair
    n : int, optional
        Records that the statistics are of, from 2 on. None: all complete records of the table,
        which then count as drawn with replacement from the groups' laws.
    replacement : bool
        Whether n records are drawn with replacement.
    reference : DataFrame or Source, optional
        Public table with the same columns that the groups' laws are taken from.
    method : {"exact", "monte-carlo"}
        The second estimates all statistics from 1000 simulated tables at each share, as the paper
        does.
    rng : Generator, int or None
        Of simulated tables; None for a fixed seed, so that figures do not move.
    progress : bool or callable, optional
        Whether to show how far it is, or a function of what is done and of all.

    Raises
    ------
    DistprivError
        If a column or label is not there, a column to average holds no numbers, n is no whole
        number from 2 on, a group has fewer than two complete records or fewer than a share
        needs, both shares mean equal numbers, or a figure is the same in all simulated tables.

    Examples
    --------
    >>> late = dp.SensitiveProperty("late", "yes").pair(center=0.25, width=0.2)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), [dp.Mean("income")], late, n=100)
    >>> model
    GaussianModel(mean income of 100 records; 15 % and 35 % with late = yes)
    >>> model.pairs[0].means.round(1)
    array([[2813.8],
           [2613.5]])
    """
    query, pairs = as_query(query), check_pairs(pair)
    source = source_of(table) if reference is None else source_of(reference, "reference")
    groups = [source.groups(query, one.secret) for one in pairs]
    fewest = max(groups, key=lambda one: one.dropped)
    if fewest.dropped:
        every = whole(fewest.dropped + fewest.counts.sum())
        text = f"Left out for a missing value: {whole(fewest.dropped)} of {every} records."
        warnings.warn(plain(text), stacklevel=2)
    if n is None:
        replacement, n = True, int(groups[0].counts.sum())
        if reference is not None:
            n = source_of(table).complete(query, [pairs[0].secret])
    return fit_groups(
        groups, query, pairs, n, replacement, method=method, rng=rng, progress=progress
    )


def check_pairs(pair: Any) -> list[Pair]:
    """Return one or several pairs as a list; DistprivError if one is none, or is there twice."""
    alone = isinstance(pair, Pair | str) or not hasattr(pair, "__iter__")
    pairs = [pair] if alone else [*pair]
    for one in pairs:
        if not isinstance(one, Pair):
            raise DistprivError(
                f"{one!r} is not a pair of shares; write SensitiveProperty('income', '>50K')"
                ".pair(0.25, 0.1)."
            )
        if pairs.count(one) > 1:
            raise DistprivError(f"The secret {one.secret.label} is there twice; take it once.")
    if not pairs:
        raise DistprivError("Nothing is to be hidden; pass at least one pair of shares.")
    return pairs


def with_records(model: GaussianModel, table: Any) -> GaussianModel:
    """Return a model that has records to draw from: itself, or one fitted to a sample.

    Groups of large tables that stay where they are have no records. Tables that a sample is too
    small for are drawn with replacement. NotApplicable where it lacks a group or label.
    """
    if all(one.groups.records is not None for one in model.pairs):
        return model
    source, query, pairs = source_of(table), model.query, [one.pair for one in model.pairs]
    frame = source.columns([*query.columns, *(one.secret.column for one in pairs)])
    some = FrameSource(source.key, source.title, frame, source.units, model.provenance)
    try:
        groups = [some.groups(query, one.secret) for one in pairs]
        few = any(
            (f.numbers > one.counts).any() for f, one in zip(model.pairs, groups, strict=True)
        )
        return fit_groups(groups, query, pairs, model.n, model.replacement or few)
    except DistprivError as error:
        raise NotApplicable(
            f"Simulations take {whole(some.rows)} random records of this table, too few here. "
            f"{error}"
        ) from None
