"""From (ε, δ) to a distance, checked against two independent computations."""

from __future__ import annotations

import math
import re

import dp_accounting
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.privacy.calibration import classical_caveat

EPSILONS = st.floats(math.log(1e-4), math.log(100)).map(math.exp)
DELTAS = st.floats(math.log(1e-12), math.log(0.5)).map(math.exp)


def _delta(distance: float, epsilon: float) -> mpmath.mpf:
    """δ(ε) of two unit normals at this distance, to 50 digits."""
    with mpmath.workdps(50):
        mu, eps = mpmath.mpf(distance), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu)


def _assert_inverts(epsilon: float, delta: float) -> None:
    distance = dp.privacy.gaussian_distance(epsilon, delta)
    # δ grows with the distance, so these two enclose the true root.
    assert _delta(distance * (1 - 1e-9), epsilon) < delta < _delta(distance * (1 + 1e-9), epsilon)


@pytest.mark.parametrize("epsilon", np.geomspace(1e-4, 100, 7).tolist())
@pytest.mark.parametrize("delta", np.geomspace(1e-12, 0.5, 7).tolist())
def test_exact_distance_on_a_grid(epsilon: float, delta: float) -> None:
    _assert_inverts(epsilon, delta)


@given(EPSILONS, DELTAS)
def test_exact_distance_anywhere(epsilon: float, delta: float) -> None:
    _assert_inverts(epsilon, delta)


@given(st.floats(1e-4, 100), st.floats(1e-12, 0.5))
def test_against_the_accounting_of_dp_accounting(epsilon: float, delta: float) -> None:
    distance = dp.privacy.gaussian_distance(epsilon, delta)
    back = dp_accounting.get_epsilon_gaussian(1 / distance, delta)
    assert back == pytest.approx(epsilon, rel=1e-6, abs=1e-9)


@given(st.floats(0.05, 8), st.floats(1e-10, 0.3))
def test_the_other_way_round(distance: float, delta: float) -> None:
    epsilon = dp_accounting.get_epsilon_gaussian(1 / distance, delta)
    if epsilon > 1e-3:
        assert dp.privacy.gaussian_distance(epsilon, delta) == pytest.approx(distance, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "exact", "classical"),
    [(0.2, 0.1010, 0.0530), (1, 0.3884, 0.2648), (5, 1.4496, 1.3240), (10, 2.4627, 2.6480)],
)
def test_known_distances(epsilon: float, exact: float, classical: float) -> None:
    assert dp.privacy.gaussian_distance(epsilon, 1e-3) == pytest.approx(exact, abs=5e-5)
    found = dp.privacy.gaussian_distance(epsilon, 1e-3, "classical")
    assert found == pytest.approx(classical, abs=5.1e-5)
    assert found == pytest.approx(epsilon / math.sqrt(2 * math.log(1250)))


def test_the_classical_constant_breaks_its_promise_outside_its_proof() -> None:
    classical = dp.privacy.gaussian_distance(10, 1e-3, "classical")
    assert float(_delta(classical, 10)) == pytest.approx(0.0034, abs=5e-5)
    assert classical_caveat(10, 1e-3) == (
        "The classical calibration is proven for ε ≤ 1 only, not for ε = 10; noise that just "
        "meets it delivers δ = 0.0034 there where 0.001 is promised, even if both covariances are "
        "equal."
    )


@given(st.floats(1e-4, 1), st.floats(1e-12, 0.4))
def test_the_classical_constant_keeps_its_promise_inside_its_proof(
    epsilon: float, delta: float
) -> None:
    assert classical_caveat(epsilon, delta) is None
    assert dp.privacy.gaussian_distance(
        epsilon, delta, "classical"
    ) <= dp.privacy.gaussian_distance(epsilon, delta)


def test_a_delta_outside_the_classical_proof() -> None:
    caveat = classical_caveat(0.5, 0.41)
    assert caveat is not None
    assert "proven for δ ≤ 0.405 only, not for δ = 0.41; noise that just meets it" in caveat


@given(EPSILONS, EPSILONS, DELTAS, st.sampled_from(["exact", "classical"]))
def test_less_privacy_allows_a_larger_distance(
    one: float, other: float, delta: float, calibration: str
) -> None:
    low, high = sorted((one, other))
    allowed = [dp.privacy.gaussian_distance(epsilon, delta, calibration) for epsilon in (low, high)]
    assert allowed[0] <= allowed[1] * (1 + 1e-9)
    more = dp.privacy.gaussian_distance(low, min(0.9, 2 * delta), calibration)
    assert more >= allowed[0] * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf"), 2000000])
def test_an_epsilon_outside_its_domain(epsilon: float) -> None:
    with pytest.raises(
        dp.errors.CalibrationError,
        match=f"ε must be a positive number.*got ε = {re.escape(f'{epsilon:g}')}",
    ):
        dp.privacy.gaussian_distance(epsilon, 1e-3)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_a_delta_outside_its_domain(delta: float) -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match=rf"δ must be in \(0, 1\).*got δ = {delta:g}"
    ):
        dp.privacy.gaussian_distance(1.0, delta)


def test_a_calibration_that_is_none() -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match="one of exact-law, guarded, exact, classical, got 'rough'"
    ):
        dp.privacy.gaussian_distance(1.0, 1e-3, "rough")


@pytest.mark.parametrize("epsilon", [1e-8, 1e3, 1e6])
@pytest.mark.parametrize("delta", [1e-300, 1e-30, 0.999])
def test_extreme_settings_give_a_number(epsilon: float, delta: float) -> None:
    assert 0 < dp.privacy.gaussian_distance(epsilon, delta) < math.inf
