"""Which way of releasing to take: one rule, read by every page and report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distpriv.analysis.comparison import Way
from distpriv.mechanisms import MECHANISMS

__all__ = ["Recommendation", "recommend"]

_NOTICED = 1.005  # ratio of errors from which on one is noticeably larger


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
    """

    way: Way
    others: tuple[Way, ...]
    nothing: Way

    @property
    def worse_than_nothing(self) -> bool:
        """Whether nothing that keeps the limit is better than no data, which `way` then is."""
        return self.way is self.nothing


def recommend(ways: Sequence[Way], mechanism: str = "") -> Recommendation:
    """Choose among ways of releasing that are held against one limit, no data among them.

    Of ways whose errors differ by less than 0.5 % the chosen mechanism comes first, then figures as
    they are, BalM, OptM and other mechanisms, the papers' last first.

    Raises
    ------
    ValueError
        If no data is not among the ways, or does not keep the limit on shares.
    """
    kept = sorted((way for way in ways if way.kept), key=lambda way: way.percent)
    nothing = next((way for way in ways if way.release.kind == "no data"), None)
    if nothing is None or not nothing.verdict.kept:  # to persons it promises nothing
        raise ValueError("No data has to be among the ways, and it keeps any limit.")
    better = [way for way in kept if way.percent < nothing.percent]
    alike = [way for way in better if way.percent <= _NOTICED * better[0].percent]
    order = (mechanism, "as it is", *reversed(MECHANISMS))
    best = min(alike, key=lambda way: order.index(way.key), default=nothing)
    return Recommendation(best, tuple(way for way in kept if way is not best), nothing)
