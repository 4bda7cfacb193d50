"""Wasserstein mechanisms: ExpM(L) for translations, the distances of the outcomes otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv import mechanisms
from distpriv.distances.outcomes import Outcomes
from distpriv.mechanisms.wasserstein import swap_reach

PLACES = np.array([1.0, 2.0, 3.0, 100.0])
MU, NU = np.array([0.6, 0.2, 0.0, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])


def with_outcomes(model: dp.GaussianModel, *outcomes: Outcomes) -> dp.GaussianModel:
    pairs = [replace(fit, outcomes=each) for fit, each in zip(model.pairs, outcomes, strict=True)]
    return replace(model, pairs=tuple(pairs))


@given(
    seed=st.integers(0, 10**6),
    statistics=st.integers(1, 5),
    pairs=st.integers(1, 3),
    epsilon=st.floats(0.1, 10),
)
def test_translations_are_expm(make_model, seed, statistics, pairs, epsilon) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    expected = dp.calibrate("ExpM(L)", model, epsilon)
    found = dp.calibrate("Wasserstein", model, epsilon)
    np.testing.assert_allclose(found.scales, expected.scales)
    np.testing.assert_array_equal(found.directions, expected.directions)
    approximate = dp.calibrate("ApproxWasserstein", model, epsilon, 1e-3)
    assert approximate.rms_error() <= found.rms_error() * (1 + 1e-9)
    # What is only bounded needs more than what is known.
    bounded = dp.calibrate("BoundedWasserstein", model, epsilon, 1e-3)
    assert bounded.rms_error() > found.rms_error()
    assert bounded.delta == approximate.delta == 1e-3
    assert found.delta == 0


def test_samples_that_are_translations_are_expm(make_model) -> None:
    model = make_model(4, statistics=3, pairs=2)
    rng = np.random.default_rng(1)
    centred = rng.normal(size=(50, 3))
    outcomes = [Outcomes((centred + fit.means[0], centred + fit.means[1])) for fit in model.pairs]
    noise = dp.calibrate("Wasserstein", with_outcomes(model, *outcomes), 0.7)
    np.testing.assert_allclose(noise.scales, dp.calibrate("ExpM(L)", model, 0.7).scales)
    assert "50 simulated datasets" in noise.caveats[0]


def test_figure_1(make_model) -> None:
    model = make_model(1, statistics=1)
    example = with_outcomes(model, Outcomes((PLACES, PLACES), (MU, NU), exact=True))
    assert dp.calibrate("Wasserstein", example, 2.0).scales == pytest.approx([48.5])
    noise = dp.calibrate("ApproxWasserstein", example, 2.0, 0.1)
    assert noise.scales == pytest.approx([0.5])
    assert noise.caveats == ()
    # Δ_E of the model, and twice the 0.95 quantile of the outcomes' deviations.
    bounded = dp.calibrate("BoundedWasserstein", example, 2.0, 0.1)
    assert bounded.scales == pytest.approx([(model.sensitivity(1) + 2 * 88.4) / 2])


def hockey_stick(weights: np.ndarray, other: np.ndarray, scale: float, epsilon: float) -> float:
    """sup_S P(S) − e^ε Q(S) of the mixtures after Laplace noise, on a fine grid."""
    grid = np.linspace(-40 * scale, 100 + 40 * scale, 400_001)
    density = stats.laplace.pdf(grid[:, None], PLACES, scale)
    excess = density @ weights - np.exp(epsilon) * (density @ other)
    return float(np.maximum(excess, 0).sum() * (grid[1] - grid[0]))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_promise_is_kept_on_figure_1(make_model, epsilon: float) -> None:
    """By numerical integration of both releases, in both orders."""
    example = with_outcomes(
        make_model(1, statistics=1), Outcomes((PLACES, PLACES), (MU, NU), exact=True)
    )
    for name, delta in (("Wasserstein", 0.0), ("ApproxWasserstein", 0.1)):
        scale = dp.calibrate(name, example, epsilon, 0.1).scales[0]
        for one, other in ((MU, NU), (NU, MU)):
            assert hockey_stick(one, other, scale, epsilon) <= delta + 1e-4


def test_units_are_those_of_the_distance(make_model) -> None:
    model = make_model(2, statistics=2)
    rng = np.random.default_rng(2)
    outcomes = Outcomes((rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) * 2 + 1))
    units = np.array([0.5, 3.0])
    noise = dp.calibrate("Wasserstein", with_outcomes(model, outcomes), 1.0, units=units)
    reach = dp.wasserstein_inf(*(points / units for points in outcomes.points))
    np.testing.assert_allclose(np.sort(noise.scales), np.sort(reach * units))


def test_a_sample_too_small_for_its_delta(make_model) -> None:
    rng = np.random.default_rng(2)
    outcomes = Outcomes((rng.normal(size=(30, 2)), rng.normal(size=(30, 2))))
    model = with_outcomes(make_model(2, statistics=2), outcomes)
    with pytest.raises(dp.errors.CalibrationError, match="30 simulated datasets do not show"):
        dp.calibrate("BoundedWasserstein", model, 1.0, 1e-3)


@pytest.mark.adult
def test_adult(adult_income: dp.GaussianModel) -> None:
    """Theorem 3.1 on the fitted normals: the table's 21.08 for ExpM (L)."""
    noise = dp.calibrate("Wasserstein", adult_income, 1.0)
    assert noise.expected_error() == pytest.approx(21.08, rel=2e-3)


@pytest.mark.parametrize("kind", [dp.Count, dp.Proportion])
def test_exchanging_records_bounds_every_distance(
    people, rich: dp.SensitiveProperty, kind: type[dp.Count] | type[dp.Proportion]
) -> None:
    """Simulated, exact and fitted distances all stay below it."""
    statistic, pairs = kind("town", "Ahausen"), [rich.pair(0.5, 0.1), rich.pair(0.5, 0.4)]
    single = dp.fit_gaussian(people, dp.Query([statistic]), pairs, n=60)
    assert max(fit.outcomes.closeness() for fit in single.pairs) <= swap_reach(single) + 1e-9
    query = dp.Query([statistic, dp.Mean("age"), dp.Mean("hours")])
    simulated = dp.fit_gaussian(
        people, query, pairs[1], n=60, method="monte-carlo", subsets=300, rng=1
    )
    assert simulated.pairs[0].outcomes.closeness() <= swap_reach(simulated)
    assert simulated.sensitivity(1) <= swap_reach(simulated)
    # 60 records, Δp = 0.4: 24 of them are exchanged.
    assert swap_reach(simulated) == pytest.approx(24 * simulated.record_sensitivities.sum())


def test_what_the_promise_rests_on(make_model) -> None:
    """Nothing where the outcomes are known; else what stands in for them."""
    model = make_model(1, statistics=1)
    known = with_outcomes(model, Outcomes((PLACES, PLACES), (MU, NU), exact=True))
    for name, expected in (
        ("Wasserstein", (dp.robustness.Assumption.TRANSLATION,)),
        (
            "ApproxWasserstein",
            (dp.robustness.Assumption.GAUSSIAN, dp.robustness.Assumption.EQUAL_COVARIANCE),
        ),
        ("BoundedWasserstein", (dp.robustness.Assumption.GAUSSIAN,)),
    ):
        assert mechanisms.get(name).assumptions(model, "exact") == expected
        assert mechanisms.get(name).assumptions(known, "exact") == ()
