"""The attribute-private Gaussian mechanism: the hospital, vectors, Θ, and what it delivers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

import distpriv as dp
from distpriv.attribute.gaussian import protected_properties
from distpriv.privacy.calibration import gaussian_delta

HOSPITAL = ((6.125, 4.5, 18.38), (2.5, 2.0, 7.45), (0.075, 0.08, 0.012))
C = math.sqrt(2 * math.log(1250))


@pytest.mark.parametrize(("sensitivity", "variance", "error"), HOSPITAL)
def test_the_hospital(sensitivity: float, variance: float, error: float) -> None:
    """Zhang et al. (2022), Section 4.2, in expectation; the third is the erratum."""
    found = dp.attribute_private_gaussian([sensitivity], [variance], 1.0, 1e-3, "classical")
    assert found.expected_absolute_error == pytest.approx(error, abs=0.005)
    assert found.variance == pytest.approx((C * sensitivity) ** 2 - variance)
    assert found.noise.covariance == pytest.approx(np.array([[found.variance]]))
    assert found.noise.expected_error() == pytest.approx(found.expected_absolute_error)


def test_the_temperature_needs_a_little_noise_or_none() -> None:
    classical = dp.attribute_private_gaussian([0.075], [0.08], 1.0, 1e-3, "classical")
    assert classical.variance == pytest.approx(0.00022, abs=5e-6)
    exact = dp.attribute_private_gaussian([0.075], [0.08], 1.0, 1e-3)
    assert exact.variance == 0
    assert exact.noise.is_zero
    assert exact.noise.release([98.6]) == pytest.approx([98.6])
    assert exact.accuracy(0.05) == 0
    assert exact.failure(0.0) == 0


@given(
    st.floats(0.01, 50),
    st.floats(0, 100),
    st.floats(0.05, 5),
    st.floats(1e-8, 0.3),
)
def test_the_exact_noise_delivers_what_is_promised(
    sensitivity: float, variance: float, epsilon: float, delta: float
) -> None:
    found = dp.attribute_private_gaussian([sensitivity], [variance], epsilon, delta)
    total = found.variance + variance
    delivered = gaussian_delta(sensitivity / math.sqrt(total), epsilon)
    assert delivered <= delta * (1 + 1e-5)
    if found.variance > 1e-9 * total:
        # No more noise than that: the least variance found by searching for δ itself.
        least = brentq(
            lambda s: math.log(gaussian_delta(sensitivity / s, epsilon) / delta),
            math.sqrt(total) / 2,
            math.sqrt(total) * 2,
        )
        assert least**2 == pytest.approx(total, rel=1e-5)


def test_the_attribute_that_asks_for_most_decides() -> None:
    found = dp.attribute_private_gaussian([1.0, 3.0, 2.0], [0.0, 100.0, 1.0], 1.0, 1e-3)
    alone = [
        dp.attribute_private_gaussian([s], [v], 1.0, 1e-3).variance
        for s, v in ((1.0, 0.0), (3.0, 100.0), (2.0, 1.0))
    ]
    assert found.variance == max(alone)
    assert found.binding == int(np.argmax(alone)) == 2


def test_a_family_takes_the_largest_shift_and_the_least_variance() -> None:
    found = dp.attribute_private_gaussian(
        [[1.0, 2.0], [3.0, 1.0]], [[4.0, 9.0], [16.0, 5.0]], 1, 0.01
    )
    assert found.sensitivities == pytest.approx([2, 3])
    assert found.variances == pytest.approx([4, 5])
    same = dp.attribute_private_gaussian([2, 3], [4, 5], 1, 0.01)
    assert found.variance == same.variance


def test_a_vector_is_hidden_in_every_direction(rng: np.random.Generator) -> None:
    factor = rng.normal(size=(3, 3))
    covariance = factor @ factor.T
    found = dp.attribute_private_gaussian([20.0], [covariance], 1.0, 1e-3, "classical")
    total = covariance + found.noise.covariance
    t = (1 / C) ** 2
    for _ in range(200):
        shift = rng.normal(size=3)
        shift *= 20 / np.linalg.norm(shift)
        assert shift @ np.linalg.solve(total, shift) <= t * (1 + 1e-9)
    # And not more than that: the worst direction is met.
    worst = 20 * np.linalg.eigh(covariance)[1][:, 0]
    assert worst @ np.linalg.solve(total, worst) == pytest.approx(t)


def test_accuracy_both_ways() -> None:
    found = dp.attribute_private_gaussian([6.125], [4.5], 1.0, 1e-3, "classical")
    alpha = found.accuracy(0.05)
    assert alpha == pytest.approx(math.sqrt(530.54) * norm.ppf(0.975), rel=1e-4)
    assert found.failure(alpha) == pytest.approx(0.05)
    drawn = np.abs(found.noise.sample(200_000, 3)[:, 0])
    assert (drawn > alpha).mean() == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize(
    ("sensitivities", "variances", "says"),
    [
        ([-1.0], [1.0], "cannot be negative, got -1"),
        ([1.0], [-2.0], "cannot be negative, got -2"),
        ([math.inf], [1.0], "not finite"),
        ([1.0], [math.nan], "not finite"),
        ([1.0, 2.0], [1.0], "2 sensitivities and 1 variances"),
        ([], [], "at least one"),
        (["a"], [1.0], "sensitivities must be an array of numbers"),
        ([[1.0], [1.0, 2.0]], [1.0, 1.0], "sensitivities must be an array of numbers"),
        (1.0, 1.0, "one sensitivity and one variance"),
        ([1.0], [[[1.0, 2.0], [0.0, 1.0]]], "square and symmetric"),
        ([1.0], [[[1.0, 2.0], [2.0, 1.0]]], "eigenvalue"),
    ],
)
def test_what_makes_no_sense_is_named(sensitivities: list, variances: list, says: str) -> None:
    with pytest.raises(dp.errors.AttributePrivacyError, match=says):
        dp.attribute_private_gaussian(sensitivities, variances, 1.0, 1e-3)


def test_parameters_outside_their_domain() -> None:
    with pytest.raises(dp.errors.CalibrationError, match="ε"):
        dp.attribute_private_gaussian([1], [1], 0, 1e-3)
    with pytest.raises(dp.errors.CalibrationError, match="δ"):
        dp.attribute_private_gaussian([1], [1], 1, 2)
    found = dp.attribute_private_gaussian([1], [1], 1, 1e-3)
    for beta in (0, 1, math.nan):
        with pytest.raises(dp.errors.AttributePrivacyError, match="β"):
            found.accuracy(beta)
    for alpha in (-1, math.inf, math.nan):
        with pytest.raises(dp.errors.AttributePrivacyError, match="α"):
            found.failure(alpha)
    assert "proven for ε ≤ 1 only" in " ".join(
        dp.attribute_private_gaussian([1], [1], 3, 1e-3, "classical").noise.caveats
    )


def test_from_a_table(people: pd.DataFrame, rng: np.random.Generator) -> None:
    """Conditional mean and variance by drawing datasets with a fixed share, not in closed form."""
    query, rich = dp.Query([dp.Mean("age")]), dp.SensitiveProperty("income", "high")
    model = dp.fit_gaussian(people, query, rich.pair(0.5, 0.2), n=40)
    found = dp.attribute.gaussian_from_model(model, 1.0, 1e-2, "exact")
    ages, high = people["age"].to_numpy(float), (people["income"] == "high").to_numpy()
    means = {
        k: [
            np.r_[
                rng.choice(ages[high], k, replace=False),
                rng.choice(ages[~high], 40 - k, replace=False),
            ].mean()
            for _ in range(4000)
        ]
        for k in (16, 24)
    }
    shift = abs(np.mean(means[16]) - np.mean(means[24]))
    assert found.sensitivities == pytest.approx([shift], abs=0.15)
    assert found.variances == pytest.approx([min(map(np.var, means.values()))], rel=0.1)
    assert protected_properties(model) == (rich,)
    again = dp.attribute_private_gaussian(found.sensitivities, found.variances, 1.0, 1e-2)
    assert found.variance == pytest.approx(again.variance)


def test_several_attributes_and_a_family_from_tables(
    several: dp.GaussianModel, people: pd.DataFrame, query: dp.Query
) -> None:
    found = dp.attribute.gaussian_from_model(several, 1.0, 1e-3)
    secrets = protected_properties(several)
    assert len(secrets) == len(found.sensitivities) == 2
    for secret, shift, least in zip(secrets, found.sensitivities, found.variances, strict=True):
        fits = [fit for fit in several.pairs if fit.pair.secret == secret]
        assert shift == pytest.approx(max(np.linalg.norm(fit.difference) for fit in fits))
        assert least == pytest.approx(
            min(np.linalg.eigvalsh(c)[0] for fit in fits for c in fit.covariances)
        )
    for fit in several.pairs:  # each pair alone delivers what the exact calibration promises
        spread = np.sqrt(found.variance + np.linalg.eigvalsh(fit.pooled)[0])
        assert gaussian_delta(np.linalg.norm(fit.difference) / spread, 1.0) <= 1e-3 * (1 + 1e-6)
    half = dp.fit_gaussian(people.iloc[:1000], query, [f.pair for f in several.pairs], n=60)
    both = dp.attribute.gaussian_from_model([several, half], 1.0, 1e-3)
    alone = dp.attribute.gaussian_from_model(half, 1.0, 1e-3)
    assert both.sensitivities == pytest.approx(np.maximum(found.sensitivities, alone.sensitivities))
    assert both.variances == pytest.approx(np.minimum(found.variances, alone.variances))
    with pytest.raises(dp.errors.AttributePrivacyError, match="at least one"):
        dp.attribute.gaussian_from_model([], 1.0, 1e-3)
    other = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), several.pairs[0].pair, n=60)
    with pytest.raises(dp.errors.AttributePrivacyError, match="same query"):
        dp.attribute.gaussian_from_model([several, other], 1.0, 1e-3)
