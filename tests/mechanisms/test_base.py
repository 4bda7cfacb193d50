"""What every mechanism keeps: its promise, its place in the registry, and its domain."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv import mechanisms
from distpriv.mechanisms import base

GAUSSIAN = mechanisms.names(distribution="gaussian")
LAPLACE = mechanisms.names(distribution="laplace")
WITHOUT_DELTA = tuple(name for name in LAPLACE if not mechanisms.get(name).takes_delta)
PROTECTING = tuple(name for name in mechanisms.names() if mechanisms.get(name).protects)
# Those that the model's moments suffice for, under every calibration.
CALIBRATED = tuple(name for name in mechanisms.names() if not mechanisms.get(name).from_records)
EPSILONS = st.floats(math.log(0.05), math.log(20)).map(math.exp)
DELTAS = st.floats(math.log(1e-9), math.log(0.3)).map(math.exp)
CALIBRATIONS = st.sampled_from(["exact", "classical"])
SHAPES = {
    "statistics": st.integers(1, 5),
    "pairs": st.integers(1, 4),
    "seed": st.integers(0, 10**6),
}
MakeModel = Callable[..., dp.GaussianModel]


def test_all_mechanisms_in_order() -> None:
    assert mechanisms.names() == (
        "ExpM(L)",
        "ExpM",
        "DirM(L)",
        "DirM",
        "EigM",
        "DauM",
        "OptM",
        "CoupM",
        "Wasserstein",
        "ApproxWasserstein",
        "BoundedWasserstein",
        "GroupDP(L)",
        "GroupDP",
        "DP(L)",
        "DP",
    )
    assert mechanisms.names(baseline=True) == ("GroupDP(L)", "GroupDP", "DP(L)", "DP")
    assert WITHOUT_DELTA == ("ExpM(L)", "DirM(L)", "Wasserstein", "GroupDP(L)", "DP(L)")
    assert set(LAPLACE) - set(WITHOUT_DELTA) == {"ApproxWasserstein", "BoundedWasserstein"}
    assert [name for name in mechanisms.names() if name not in PROTECTING] == ["DP(L)", "DP"]


@pytest.mark.parametrize("name", mechanisms.names())
def test_every_mechanism_says_what_it_is(name: str) -> None:
    mechanism = mechanisms.get(name)
    assert mechanism.name == name
    assert mechanism.summary.endswith(".")
    assert "(20" in mechanism.source
    assert mechanism.title
    assert type(mechanism).__doc__


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="'DauM' is already registered"):
        base.register(type(mechanisms.get("DauM")))


def test_a_mechanism_that_does_not_exist(model: dp.GaussianModel) -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match=r"no mechanism 'ExpM\(G\)'; choose one of ExpM\(L\), "
    ):
        dp.calibrate("ExpM(G)", model, 1.0, 1e-3, calibration="exact")


@pytest.mark.parametrize("name", mechanisms.names())
@pytest.mark.parametrize("epsilon", [0.0, -2.0, float("nan"), float("inf")])
def test_epsilon_outside_its_domain(model: dp.GaussianModel, name: str, epsilon: float) -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match=f"ε must be a positive.*got ε = {epsilon:g}"
    ):
        dp.calibrate(name, model, epsilon, 1e-3, calibration="exact")


@pytest.mark.parametrize("name", sorted(set(mechanisms.names()) - set(WITHOUT_DELTA)))
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.5, 7.0, float("nan")])
def test_delta_outside_its_domain(model: dp.GaussianModel, name: str, delta: float) -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match=rf"δ must be in \(0, 1\).*got δ = {delta:g}"
    ):
        dp.calibrate(name, model, 1.0, delta, calibration="exact")


@pytest.mark.parametrize("name", sorted(set(mechanisms.names()) - set(WITHOUT_DELTA)))
def test_delta_left_out(model: dp.GaussianModel, name: str) -> None:
    with pytest.raises(dp.errors.CalibrationError, match=r"needs a δ in \(0, 1\); give one"):
        dp.calibrate(name, model, 1.0, calibration="exact")


@pytest.mark.parametrize("name", WITHOUT_DELTA)
def test_laplace_mechanisms_need_no_delta(model: dp.GaussianModel, name: str) -> None:
    noise = dp.calibrate(name, model, 0.7, calibration="exact")
    assert (noise.mechanism, noise.distribution) == (name, "laplace")
    assert (noise.epsilon, noise.delta, noise.calibration) == (0.7, 0.0, None)
    with_delta = dp.calibrate(name, model, 0.7, 0.1, "classical")
    np.testing.assert_array_equal(with_delta.scales, noise.scales)


@pytest.mark.parametrize("name", sorted({*GAUSSIAN} & {*CALIBRATED}))
@pytest.mark.parametrize("calibration", ["exact", "classical"])
def test_gaussian_noise_says_what_it_promises(
    model: dp.GaussianModel, name: str, calibration: str
) -> None:
    noise = dp.calibrate(name, model, 0.7, 0.01, calibration)
    assert (noise.mechanism, noise.distribution) == (name, "gaussian")
    assert (noise.epsilon, noise.delta, noise.calibration) == (0.7, 0.01, calibration)


def test_the_classical_calibration_outside_its_proof_carries_a_caveat(
    model: dp.GaussianModel,
) -> None:
    assert dp.calibrate("DauM", model, 1.0, 1e-3, "classical").caveats == ()
    assert dp.calibrate("DauM", model, 5.0, 1e-3, "exact").caveats == ()
    (caveat,) = dp.calibrate("DauM", model, 5.0, 1e-3, "classical").caveats
    assert "proven for ε ≤ 1 only, not for ε = 5" in caveat


@settings(max_examples=150)
@given(**SHAPES, epsilon=EPSILONS, delta=DELTAS, calibration=CALIBRATIONS)
def test_gaussian_noise_brings_every_pair_close_enough(
    make_model: MakeModel,
    statistics: int,
    pairs: int,
    seed: int,
    epsilon: float,
    delta: float,
    calibration: str,
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    allowed = dp.privacy.gaussian_distance(epsilon, delta, calibration) ** 2
    for name in {*GAUSSIAN} & {*PROTECTING} & {*CALIBRATED}:
        noise = dp.calibrate(name, model, epsilon, delta, calibration).covariance
        for fit in model.pairs:
            d = fit.difference
            assert d @ np.linalg.solve(fit.pooled + noise, d) <= allowed * (1 + 1e-7), name


@given(**SHAPES, epsilon=EPSILONS)
def test_laplace_noise_covers_every_shift(
    make_model: MakeModel, statistics: int, pairs: int, seed: int, epsilon: float
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    for name in set(WITHOUT_DELTA) & set(PROTECTING):
        noise = dp.calibrate(name, model, epsilon, calibration="exact")
        for fit in model.pairs:
            along = noise.directions.T @ fit.difference
            np.testing.assert_allclose(noise.directions @ along, fit.difference, atol=1e-9)
            assert np.abs(along / noise.scales).sum() <= epsilon * (1 + 1e-9), name


@given(
    **SHAPES, epsilon=EPSILONS, factor=st.floats(1.01, 10), delta=DELTAS, calibration=CALIBRATIONS
)
def test_error_falls_as_epsilon_and_delta_grow(
    make_model: MakeModel,
    statistics: int,
    pairs: int,
    seed: int,
    epsilon: float,
    factor: float,
    delta: float,
    calibration: str,
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    for name in CALIBRATED:
        tight = dp.calibrate(name, model, epsilon, delta, calibration)
        for loose in (
            dp.calibrate(name, model, epsilon * factor, delta, calibration),
            dp.calibrate(name, model, epsilon, min(0.9, delta * factor), calibration),
        ):
            assert loose.rms_error() <= tight.rms_error() * (1 + 1e-7), name
            assert loose.expected_error() <= tight.expected_error() * (1 + 1e-7), name


@given(**SHAPES, epsilon=EPSILONS, delta=DELTAS, unit=st.floats(1e-3, 1e3))
def test_error_follows_the_unit(
    make_model: MakeModel,
    statistics: int,
    pairs: int,
    seed: int,
    epsilon: float,
    delta: float,
    unit: float,
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    scaled = make_model(seed, statistics=statistics, pairs=pairs, unit=unit)
    for name in CALIBRATED:
        error = dp.calibrate(name, model, epsilon, delta, calibration="exact").expected_error()
        other = dp.calibrate(name, scaled, epsilon, delta, calibration="exact").expected_error()
        assert other == pytest.approx(unit * error, rel=1e-5, abs=1e-9 * unit), name


@given(seed=st.integers(0, 10**6), order=st.permutations(range(4)), epsilon=EPSILONS)
def test_permuting_the_statistics_permutes_the_noise(
    make_model: MakeModel, seed: int, order: list[int], epsilon: float
) -> None:
    model = make_model(seed, statistics=4)
    fit = model.pairs[0]
    permuted = dp.GaussianModel(
        query=dp.Query([list(model.query)[index] for index in order]),
        n=model.n,
        pairs=(
            dp.PairModel(
                fit.pair,
                fit.thetas,
                fit.means[:, order],
                fit.covariances[:, order][:, :, order],
            ),
        ),
        method="exact",
        replacement=False,
        record_sensitivities=model.record_sensitivities[order],
    )
    for name in CALIBRATED:
        covariance = dp.calibrate(name, model, epsilon, 1e-3, calibration="exact").covariance
        found = dp.calibrate(name, permuted, epsilon, 1e-3, calibration="exact").covariance
        np.testing.assert_allclose(
            found, covariance[order][:, order], atol=1e-8 * max(1e-9, np.abs(covariance).max())
        )


def test_proportions_that_are_the_same_records_need_no_noise(
    people, query: dp.Query, rich: dp.SensitiveProperty
) -> None:
    # 60 records cannot show a difference of 0.1 %.
    model = dp.fit_gaussian(people, query, rich.pair(0.5, 0.001), n=60)
    for name in PROTECTING:
        if not mechanisms.get(name).baseline:
            assert dp.calibrate(name, model, 1.0, 1e-3, calibration="exact").is_zero


@pytest.mark.parametrize("name", mechanisms.names())
def test_shares_that_are_one_number_of_records_are_named(
    people, query: dp.Query, rich: dp.SensitiveProperty, name: str
) -> None:
    """One of two records, at 45 % as at 55 %; of three they are one and two."""
    pairs = [rich.pair(0.5, 0.1), rich.pair(0.5, 0.9)]
    model = dp.fit_gaussian(people, query, pairs, n=2)
    assert [fit.thetas[0].having == fit.thetas[1].having for fit in model.pairs] == [True, False]
    (said,) = [
        each for each in dp.calibrate(name, model, 1.0, 1e-3).caveats if "same number" in each
    ] or [""]
    assert ("same number of n = 2 records (income = high: 45 % or 55 %)" in said) == (
        name in PROTECTING
    )
    assert not any("same number" in each for each in dp.calibrate(
        name, dp.fit_gaussian(people, query, pairs, n=3), 1.0, 1e-3
    ).caveats)  # fmt: skip


@pytest.mark.parametrize("name", ["GroupDP(L)", "DP(L)"])
def test_noise_larger_than_numbers_is_refused(name):
    table = pd.DataFrame({"age": [20.0, 30, 40, 50] * 5, "rich": ["yes", "no"] * 10})
    pair = dp.SensitiveProperty("rich", "yes").pair(0.5, 0.2)
    query, bounds = dp.Query([dp.Mean("age")]), {"age": (-1e49, 1e49)}
    model = dp.fit_gaussian(table, query, [pair], n=9, bounds=bounds)
    with pytest.raises(dp.errors.InapplicableError, match="larger than numbers are here"):
        dp.calibrate(name, model, 1e-120, 1e-9, "exact")
