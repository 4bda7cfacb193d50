"""Quantiles, deviations and correlations against NumPy, with and without weights."""

import numpy as np
import pytest

from distpriv.errors import DistprivError
from distpriv.queries import Correlation, Deviation, Mean, Median, Quantile, Query, Sum
from distpriv.queries.nonlinear import correlation, deviation, quantile

RNG = np.random.default_rng(1)
X = RNG.integers(0, 6, (30, 7)).astype(float)
XY = np.stack([X, X + RNG.normal(size=X.shape)], axis=-1)
TIMES = RNG.integers(0, 4, X.shape) + (np.arange(7) < 2)  # two records at least


@pytest.mark.parametrize("level", [0.5, 0.1, 0.9, 1 / 7, 2 / 7, 0.999])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_quantile_is_the_averaged_inverse_of_the_distribution(level, n):
    expected = np.quantile(X[:, :n], level, axis=-1, method="averaged_inverted_cdf")
    assert quantile(X[:, :n], level) == pytest.approx(expected)
    assert quantile(X[:, :n], level, np.ones(n)) == pytest.approx(expected)


def test_weights_count_records_as_often():
    weights, seven = TIMES.astype(float), np.arange(7)
    for row, times in enumerate(TIMES):
        again = np.repeat(seven, times)
        for level in (0.5, 0.25, 0.9):
            expected = quantile(X[row, again], level)
            assert quantile(X, level, weights)[row] == expected
            assert quantile(X[row], level, weights)[row] == expected
        both = XY[row, again]
        assert deviation(X, weights)[row] == pytest.approx(both[:, 0].std(ddof=1))
        assert deviation(X[row], weights)[row] == pytest.approx(both[:, 0].std(ddof=1))
        if both[:, 0].std() > 0:
            expected = np.corrcoef(both.T)[0, 1]
            assert correlation(XY, weights)[row] == pytest.approx(expected)
            assert correlation(XY[row], weights)[row] == pytest.approx(expected)
    assert deviation(X) == pytest.approx(X.std(axis=1, ddof=1))


def test_columns_far_from_zero_or_without_variation():
    far = 1e9 + X[0]
    assert deviation(far) == pytest.approx(X[0].std(ddof=1))
    assert deviation(np.full(5, 0.1)) == 0
    assert correlation(np.stack([X[0], np.full(7, 0.1)], -1)) == 0
    assert correlation(np.stack([X[0], 3 - 2 * X[0]], -1)) == pytest.approx(-1)
    with pytest.raises(DistprivError, match="needs two records"):
        deviation(np.ones((3, 1)))


def test_influence_is_the_derivative_but_for_its_size():
    query = Query([Deviation("x"), Correlation("x", "y"), Mean("x"), Median("y")])
    records = XY[:, 0][:, [0, 0, 1, 0, 1]]
    weights = RNG.uniform(1, 3, 30) * 1e6  # so many that n − 1 is n
    moved = query.of(records, weights + 1e-4 * weights.sum() * np.eye(30))
    influence = query.influence(records, weights)
    assert influence[:, 2].tolist() == records[:, 3].tolist()
    for at in range(3):
        assert np.corrcoef(moved[:, at], influence[:, at])[0, 1] == pytest.approx(1, abs=1e-5)
    assert len(np.unique(influence[:, 3])) == 3  # below, at and above the median
    records[4, 0] = np.nan
    assert np.isnan(query.influence(records)[4]).all()
    assert np.isfinite(np.delete(query.influence(records), 4, axis=0)).all()


def test_query_computes_datasets_with_and_without_weights():
    every = [Mean("x"), Correlation("x", "y"), Sum("y"), Median("y"), Quantile("x", 0.9)]
    query = Query(every)
    assert query.places == (slice(0, 1), slice(1, 3), slice(3, 4), slice(4, 5), slice(5, 6))
    assert query.columns == ("x", "y")
    assert not query.linear
    x, y = XY[..., 0], XY[..., 1]
    records = np.stack([x, x, y, y, y, x], axis=-1)
    result = query.of(records)
    assert result.shape == (30, 5)
    assert result[:, 0] == pytest.approx(x.mean(axis=1))
    assert result[:, 2] == pytest.approx(y.sum(axis=1))
    assert result[:, 3] == pytest.approx(np.median(y, axis=1))
    twice = query.of(records, np.full(7, 2.0))
    assert twice == pytest.approx(query.of(np.concatenate([records, records], axis=1)))
