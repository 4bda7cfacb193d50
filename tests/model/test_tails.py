"""Where differences lie for certain."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from distpriv.model.cells import match
from distpriv.model.moments import RecordGroups
from distpriv.model.population import Population
from distpriv.model.swap_counts import SwapCounts
from distpriv.model.swaps import Differences, swap_differences
from distpriv.model.tails import ApartSums, MatchedSums
from distpriv.model.theta import Theta
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Mean, Query, Sum

SECRET = SensitiveProperty("s", "yes")
RANDOM = np.random.default_rng(8)
# Skewed, with a few records far out.
GROUPS = RecordGroups(
    RANDOM.exponential(size=(400, 2)) ** 1.5, RANDOM.exponential(size=(300, 2)) + 0.2, 0
)
QUERY = Query([Mean("a"), Sum("b")])


def _law(matched: str, table: int | None, *, replacement: bool) -> Differences:
    thetas = tuple(Theta(SECRET, share, 60, replacement, table) for share in (0.4, 0.55))
    population = Population.of(QUERY, SECRET, lambda: GROUPS, 1)
    return swap_differences(population, thetas, matched)  # type: ignore[arg-type]


@pytest.mark.parametrize("matched", ["alike", "independent"])
@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("table", [None, 700])
@pytest.mark.parametrize("outside", [0.3, 1e-2, 1e-4])
def test_no_more_than_it_says_lies_outside_the_box(
    matched: str, table: int | None, replacement: bool, outside: float
) -> None:
    law = _law(matched, table, replacement=replacement)
    axes, ends = law.box(outside)
    coordinates = law.values @ np.linalg.inv(axes).T
    out = ((coordinates < ends[0]) | (coordinates > ends[1])).any(axis=1).mean()
    assert out <= outside
    assert (ends[1] > ends[0]).all()


@pytest.mark.parametrize("matched", ["alike", "independent"])
@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("table", [None, 700])
def test_cumulants_are_no_less_than_those_of_draws(
    matched: str, table: int | None, replacement: bool
) -> None:
    law = _law(matched, table, replacement=replacement)
    direction = np.array([1.0, -0.3])
    for sums in law.tails.sums:
        cumulant = sums.along(direction * law.tails.scales)
        values = (law.values - law.tails.mean) @ direction
        for tilt in (0.05, 0.3, 0.8):
            scaled = tilt / values.std() * values
            seen = math.log(np.exp(scaled).mean())
            assert cumulant(tilt / values.std()) >= seen - 0.02


def test_without_replacement_no_bound_is_below_that_with_it() -> None:
    matching = match(GROUPS, np.zeros(2, dtype=bool), 50)
    direction = np.array([0.5, 0.1])

    def counts(common: int, *, replacement: bool = False) -> SwapCounts:
        n = 2 * common + 9
        shares = common / n, (common + 9) / n
        first, second = (Theta(SECRET, share, n, replacement) for share in shares)
        return SwapCounts(first, second)

    def cumulant(common: int, *, replacement: bool = False) -> Callable[[float], float]:
        of = counts(common, replacement=replacement)
        return MatchedSums(matching.groups, matching.pairs, of).along(direction)

    plain, some, most = cumulant(20, replacement=True), cumulant(20), cumulant(200)
    for tilt in (0.1, 1.0):
        assert plain(tilt) <= some(tilt) <= most(tilt)
    apart = [
        ApartSums(matching.groups, counts(20), dependent).along(direction)
        for dependent in (False, True)
    ]
    assert apart[0](0.5) <= apart[1](0.5)
