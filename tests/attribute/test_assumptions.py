"""Θ as a box: sensitivities and variances against the box's own grid and against simulation."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp

WEIGHT, PRESSURE, TEMPERATURE = dp.attribute.hospital().assumptions


def _ends(least: float, most: float) -> st.SearchStrategy[tuple[float, float]]:
    return st.tuples(st.floats(least, most), st.floats(least, most)).map(
        lambda pair: (min(pair), max(pair))
    )


@given(_ends(-2, 2), _ends(1, 5), _ends(4, 30), st.floats(0, 1), st.integers(1, 500))
def test_the_box_is_as_bad_as_its_worst_point(
    covariance: tuple[float, float],
    protected: tuple[float, float],
    released: tuple[float, float],
    diameter: float,
    n: int,
) -> None:
    box = dp.attribute.GaussianBox(covariance, protected, released, diameter, n)
    points = list(product(*(np.linspace(*ends, 5) for ends in (covariance, protected, released))))
    assert box.sensitivity == pytest.approx(max(abs(v) / i * diameter for v, i, _ in points))
    assert box.variance == pytest.approx(min((j - v * v / i) / n for v, i, j in points))


def test_the_box_against_regression_on_drawn_records(rng: np.random.Generator) -> None:
    drawn = rng.multivariate_normal([1, 2], [[4, 3], [3, 9]], size=400_000)
    slope, intercept = np.polyfit(drawn[:, 0], drawn[:, 1], 1)
    left = np.var(drawn[:, 1] - slope * drawn[:, 0] - intercept)
    box = dp.attribute.GaussianBox((3, 3), (4, 4), (9, 9), 0.5, 20)
    assert box.sensitivity == pytest.approx(slope * 0.5, rel=0.02)
    assert box.variance == pytest.approx(left / 20, rel=0.02)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"covariance": (2.0, 1.0)}, "runs from 2 to 1"),
        ({"covariance": (0.0, math.nan)}, "finite"),
        ({"covariance": (0.0, 9.0)}, "correlation is above 1"),
        ({"protected_variance": (0.0, 1.0)}, "positive"),
        ({"released_variance": (-1.0, 1.0)}, "below 0"),
        ({"diameter": -1.0}, "distance of the secrets"),
        ({"n": 0}, "whole number from 1"),
        ({"n": 2.5}, "n must be a whole number, got 2.5"),
    ],
)
def test_a_box_that_is_none(changes: dict, says: str) -> None:
    box = dp.attribute.GaussianBox((0.0, 1.0), (1.0, 2.0), (4.0, 5.0), 0.5, 10)
    with pytest.raises(dp.errors.AttributePrivacyError, match=says):
        replace(box, **changes)


def test_the_hospital_s_parameters() -> None:
    found = [(each.sensitivity, each.variance) for each in (WEIGHT, PRESSURE, TEMPERATURE)]
    assert found == [
        pytest.approx((6.125, 4.5)),
        pytest.approx((2.5, 2.0)),
        pytest.approx((0.075, 0.08)),
    ]
    errors = [
        noise.expected_absolute_error
        for noise in dp.attribute.noise_by_release(
            (WEIGHT, PRESSURE, TEMPERATURE), 1.0, 1e-3, "classical"
        ).values()
    ]
    assert errors == pytest.approx([18.38, 7.45, 0.012], abs=0.005)
    # The paper's 100 runs: within four standard errors, σ√(1 − 2/π)/10 each.
    for each, error in zip((WEIGHT, PRESSURE), errors, strict=False):
        assert each.paper_error == pytest.approx(
            error, abs=4 * error * math.sqrt(math.pi / 2 - 1) / 10
        )


def test_the_hospital_s_weights_simulated(rng: np.random.Generator) -> None:
    """At the worst corner of the paper's Θ the means shift by Δ, and vary by at least Var."""
    share = np.array([0.5, 0.75])
    drawn = []
    for women in share:
        height = np.where(rng.random((20_000, 50)) < women, 64.0, 71.0)
        drawn.append((3.5 * height - 85 + 15 * rng.normal(size=height.shape)).mean(axis=1))
    assert drawn[0].mean() - drawn[1].mean() == pytest.approx(WEIGHT.sensitivity, abs=0.15)
    assert min(map(np.var, drawn)) > WEIGHT.variance


def test_a_release_hides_every_share_it_has_a_row_about() -> None:
    age = replace(WEIGHT, protected="share above 65", difference=(8.0, 9.0), deviation=(10.0, 20.0))
    found = dp.attribute.noise_by_release([WEIGHT, PRESSURE, age], 1.0, 1e-3)
    assert list(found) == ["average weight", "average blood pressure"]
    assert found["average weight"].binding == 1
    assert found["average weight"].variances == pytest.approx([4.5, 2.0])
    with pytest.raises(dp.errors.AttributePrivacyError, match="two rows"):
        dp.attribute.noise_by_release([WEIGHT, WEIGHT], 1.0, 1e-3)
    with pytest.raises(dp.errors.AttributePrivacyError, match="at least one row"):
        dp.attribute.noise_by_release([], 1.0, 1e-3)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"release": " "}, "name of a release"),
        ({"slope": (4.0, 3.0)}, "slope of 'average weight' runs from 4 to 3"),
        ({"difference": (0.0, math.inf)}, "difference of 'average weight' is not a finite"),
        ({"deviation": (-1.0, 1.0)}, "deviation of 'average weight' cannot be below 0"),
        ({"diameter": math.nan}, "distance of the secrets of 'average weight'"),
        ({"n": 0}, "number of records of 'average weight'"),
    ],
)
def test_an_assumption_that_makes_no_sense(changes: dict, says: str) -> None:
    with pytest.raises(dp.errors.AttributePrivacyError, match=says):
        replace(WEIGHT, **changes)


def test_negative_slopes_and_differences_count_by_size() -> None:
    turned = replace(WEIGHT, slope=(-3.5, 1.0), difference=(-7.0, 2.0))
    assert turned.sensitivity == WEIGHT.sensitivity
