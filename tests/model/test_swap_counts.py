"""How many records two coupled datasets swap, and how many they have in common."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from distpriv.model.swap_counts import SwapCounts
from distpriv.model.theta import Theta
from distpriv.queries.properties import SensitiveProperty

SECRET = SensitiveProperty("s", "yes")


def counts_of(n: int, shares: tuple[float, float], replacement: bool, table: int | None):
    first, second = (Theta(SECRET, share, n, replacement, table) for share in shares)
    return SwapCounts.of((first, second))


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("shares", [(0.3, 0.7), (0.7, 0.3)])
def test_the_share_of_a_release_swaps_a_fixed_number(shares, replacement: bool) -> None:
    counts = counts_of(10, shares, replacement, None)
    assert (counts.varying, counts.most, counts.mean, counts.variance) == (False, 4, 4.0, 0.0)
    assert counts.most_common == (3, 3)
    swapped, without, having = counts.draw(5, np.random.default_rng(1))
    assert swapped.tolist() == [4] * 5
    if not replacement:
        assert without.tolist() == having.tolist() == [3] * 5


def test_with_replacement_each_record_of_a_sample_is_swapped_by_chance() -> None:
    counts = counts_of(12, (0.2, 0.55), True, 40)
    values, masses = counts.swapped
    np.testing.assert_allclose(masses, stats.binom.pmf(values, 12, 0.35), rtol=1e-9)
    assert counts.mean == pytest.approx(12 * 0.35)
    assert counts.variance == pytest.approx(12 * 0.35 * 0.65)
    swap = np.exp(1j * np.linspace(0, 3, 7))
    mixed = sum(mass * swap**value for value, mass in zip(values, masses, strict=True))
    np.testing.assert_allclose(counts.transform(swap), mixed, atol=1e-12)


def test_without_replacement_positions_of_the_table_are_swapped() -> None:
    """Multivariate hypergeometric: of 20 positions 4 have the property, 6 are swapped, 10 none."""
    counts = counts_of(7, (0.5, 0.2), False, 20)
    drawn = np.array(counts.draw(40_000, np.random.default_rng(3)))
    assert (drawn.sum(axis=0) == 7).all()
    law = stats.multivariate_hypergeom([6, 10, 4], 7)
    cells = [(d, c, 7 - d - c) for d, c in product(range(7), range(8)) if 0 <= 7 - d - c <= 4]
    expected = np.array([law.pmf(cell) for cell in cells]) * drawn.shape[1]
    seen = np.array([(cell == drawn.T).all(axis=1).sum() for cell in cells])
    likely = expected >= 5
    rest = (seen[~likely].sum(), max(expected[~likely].sum(), 1e-9))
    observed, wanted = np.append(seen[likely], rest[0]), np.append(expected[likely], rest[1])
    assert stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue > 1e-4
