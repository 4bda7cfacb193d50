"""Which way of releasing to take: one rule, read by every page and report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distpriv.analysis.comparison import Way

__all__ = ["Recommendation", "recommend"]


@dataclass(frozen=True, eq=False)
class Recommendation:
    """Hold which way of releasing to take, and why.

    Attributes
    ----------
    way : Way
        Of least error, by the ruler, among those that keep the limit and are better than no data.
    others : tuple of Way
        All others that keep the limit, the least error first.
    nothing : Way
        No data: the error of whoever sees none of the figures.
    worse_than_nothing : bool
        Whether nothing that keeps the limit is better than no data, which `way` then is.
    outside : bool
        Whether the table's own share lies outside the range. For the analyst alone.
    """

    way: Way
    others: tuple[Way, ...]
    nothing: Way
    worse_than_nothing: bool
    outside: bool = False


def recommend(ways: Sequence[Way], outside: bool = False) -> Recommendation:
    """Choose among ways of releasing, no data among them.

    Parameters
    ----------
    ways : sequence of Way
        Held against one limit.
    outside : bool
        Whether the table's own share lies outside the range.

    Raises
    ------
    ValueError
        If no data is not among the ways, or does not keep the limit.
    """
    kept = sorted((way for way in ways if way.kept), key=lambda way: way.percent)
    nothing = next((way for way in kept if way.release.kind == "no data"), None)
    if nothing is None:
        raise ValueError("No data has to be among the ways, and it keeps any limit.")
    best = next((way for way in kept if way.percent < nothing.percent), nothing)
    others = tuple(way for way in kept if way is not best)
    return Recommendation(best, others, nothing, best is nothing, outside)
