"""Noise that arithmetic cannot undo."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv import mechanisms
from distpriv.privacy.covered import covered_releases, is_undone
from distpriv.privacy.smoothness import log_ratio

PROTECTING = [
    name
    for name in mechanisms.names(baseline=False)
    if mechanisms.get(name).protects
    and not (mechanisms.get(name).from_outcomes or mechanisms.get(name).from_records)
]
BARE = ("DirM(L)", "DirM", "DauM", "OptM")


def allowed(epsilon: float) -> float:
    return min(epsilon / 1000, 1e-3)


@pytest.mark.parametrize("name", PROTECTING)
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("calibration", ["exact", "classical"])
def test_what_the_grid_shows_is_within_what_was_taken_off(
    model: dp.GaussianModel,
    name: str,
    epsilon: float,
    calibration: dp.privacy.calibration.Calibration,
) -> None:
    noise = dp.calibrate(name, model, epsilon, 1e-3, calibration)
    if noise.floor is None:
        assert name.startswith(("ExpM", "EigM"))
        assert noise.distribution == "laplace" or noise.smoothness(model) < 1e-12
        return
    shows = log_ratio(noise.smoothness(model))
    assert shows <= allowed(epsilon)
    assert (noise.floor >= 0.5 * model.steps).all()
    assert (noise.epsilon, noise.delta) == (epsilon, 0.0 if name.endswith("(L)") else 1e-3)
    # Above the floor it is the mechanism for the blurred statistics, with as much taken off.
    spent = 1e-6 * epsilon if shows <= 1e-6 * epsilon else allowed(epsilon)
    left = 1e-3 / (1 + math.tanh(spent / 2))
    blurred = model.with_floor(noise.floor)
    inner = dp.calibrate(name, blurred, epsilon - spent, left, calibration)
    assert inner.floor is None
    np.testing.assert_allclose(
        noise.covariance - np.diag(noise.floor**2), inner.covariance, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("name", BARE)
def test_published_noise_is_undone_and_grid_safe_noise_is_not(
    model: dp.GaussianModel, name: str
) -> None:
    published = dp.calibrate(name, model, 1.0, 1e-3, "exact", grid_safe=False)
    safe = dp.calibrate(name, model, 1.0, 1e-3, "exact")
    assert published.smoothness(model) == math.inf
    undefended = dp.optimal_attack_accuracy(model)
    assert dp.optimal_attack_accuracy(model, published) == undefended
    assert dp.optimal_attack_accuracy(model, safe) < undefended - 0.05
    if published.distribution == "gaussian":
        assert dp.delivered_delta(model, published, 1.0) == dp.delivered_delta(model, None, 1.0)
        assert dp.delivered_epsilon(model, published, 1e-3) == dp.delivered_epsilon(
            model, None, 1e-3
        )
        assert dp.delivered_delta(model, safe, 1.0) < dp.delivered_delta(model, None, 1.0)
    # On paper, where statistics are densities, the floor costs next to nothing.
    paper = model.densities()
    assert dp.optimal_attack_accuracy(paper, safe) == pytest.approx(
        dp.optimal_attack_accuracy(paper, published), abs=0.01
    )
    assert safe.rms_error() == pytest.approx(published.rms_error(), rel=0.02)


def test_guarded_and_grid_safe_is_what_everybody_gets(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    assert noise.calibration == "guarded"
    assert noise.floor is not None
    assert dp.delivered_delta(model, noise, 1.0) <= 1e-3 * (1 + 1e-9)


def test_no_noise_stays_none(model: dp.GaussianModel) -> None:
    distance = model.pairs[0].mahalanobis
    enough = dp.analysis.design.noiseless_epsilon(model, 1e-3, "exact")
    assert distance > 0
    assert dp.calibrate("OptM", model, enough * 1.01, 1e-3, "exact").is_zero
    just = dp.calibrate("OptM", model, enough * 0.99, 1e-3, "exact")
    assert (just.floor_deviations >= model.steps / 2).all()
    assert not is_undone(model, just)


def test_the_noise_of_two_releases_covers_less(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("OptM", model, 0.5, 1e-3, "exact")
    count = covered_releases(model, noise)
    assert count >= 2
    assert not is_undone(model, noise.after_releases(count))
    assert is_undone(model, noise.after_releases(count + 1))
    undefended = dp.optimal_attack_accuracy(model)
    accuracies = [
        dp.optimal_attack_accuracy(model, noise.after_releases(each)) for each in range(1, 40)
    ]
    assert (np.diff(accuracies) >= -1e-12).all()
    assert max(accuracies) <= undefended
    assert dp.optimal_attack_accuracy(model, noise.after_releases(count + 1)) == undefended
    assert covered_releases(model.densities(), noise, most=64) == 64
    bare = dp.calibrate("OptM", model, 0.5, 1e-3, "exact", grid_safe=False)
    assert covered_releases(model, bare) == 0


def test_figures_rise_as_the_grid_begins_to_show(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("DauM", model, 0.5, 1e-3, "exact")
    thetas, deltas, epsilons = [], [], []
    for share in (1.0, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.3):
        less = replace(noise, floor=share * noise.floor_deviations)
        thetas.append(less.smoothness(model))
        deltas.append(dp.delivered_delta(model, less, 0.5))
        epsilons.append(dp.delivered_epsilon(model, less, 1e-3))
    assert (np.diff(thetas) > 0).all()
    assert (np.diff(deltas) >= -1e-12).all()
    assert (np.diff(epsilons) >= -1e-9).all()
    assert deltas[-1] == dp.delivered_delta(model, None, 0.5)


def test_unknown_steps_are_told_or_a_floor_is_given(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> None:
    known = dp.group_moments(people, query, pair.secret)
    bare = {pair.secret: replace(known, steps=None)}
    model = dp.model.model_from_moments(bare, query, [pair], 60)
    noise = dp.calibrate("OptM", model, 1.0, 1e-3, "exact")
    assert "Not grid-safe" in noise.caveats[-1]
    assert "'mean age'" in noise.caveats[-1]
    assert noise.smoothness(model) == math.inf
    assert not dp.calibrate("ExpM", model, 1.0, 1e-3, "exact").caveats
    steps = np.array([1 / 60, 0.1, 1.0, 1 / 60])
    vouched = dp.calibrate("OptM", model, 1.0, 1e-3, "exact", floor=0.8 * steps)
    assert not vouched.caveats
    assert vouched.floor == pytest.approx(0.8 * steps)
    assert log_ratio(vouched.smoothness(model)) < 0.1
    told = dp.model.model_from_moments(bare, query, [pair], 60, steps=steps)
    assert not dp.calibrate("OptM", told, 1.0, 1e-3, "exact").caveats


def test_a_floor_that_is_too_narrow_is_told(model: dp.GaussianModel) -> None:
    narrow = dp.calibrate("OptM", model, 1.0, 1e-3, "exact", floor=0.1 * model.steps)
    assert "too narrow" in narrow.caveats[-1]
    assert not dp.calibrate("OptM", model, 1.0, 1e-3, "exact", floor=model.steps).caveats


@pytest.mark.parametrize("floor", [[1.0], [1.0, 0.0, 1.0, 1.0], [math.nan] * 4])
def test_a_floor_out_of_range_is_refused(model: dp.GaussianModel, floor: list[float]) -> None:
    with pytest.raises(dp.errors.CalibrationError, match="The floor must be 4 positive numbers"):
        dp.calibrate("OptM", model, 1.0, 1e-3, floor=floor)
    with pytest.raises(dp.errors.CalibrationError, match="grid_safe=False"):
        dp.calibrate("OptM", model, 1.0, 1e-3, floor=np.ones(4), grid_safe=False)


def test_statistics_that_hardly_move_are_told(people: pd.DataFrame) -> None:
    """Three records of a rare kind: no noise makes such counts normal."""
    rare = people.assign(rare=(np.arange(len(people)) % 9 == 0) & (people["income"] == "high"))
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.5)
    model = dp.fit_gaussian(rare, dp.Query([dp.Count("rare", True)]), pair, n=4)
    noise = dp.calibrate("OptM", model, 0.05, 1e-6, "exact")
    assert "so few of their steps" in noise.caveats[-1]
    assert log_ratio(noise.smoothness(model)) > allowed(0.05)
    many = dp.fit_gaussian(rare, dp.Query([dp.Count("rare", True)]), pair, n=100)
    assert not dp.calibrate("OptM", many, 0.05, 1e-6, "exact").caveats


@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(1, 3),
    st.floats(0.05, 3),
    st.sampled_from(BARE),
)
def test_the_floor_suffices_on_random_models(
    make_model, seed: int, statistics: int, pairs: int, epsilon: float, name: str
) -> None:
    model = make_model(seed, statistics=statistics, pairs=pairs)
    rng = np.random.default_rng(seed)
    steps = model.standard_deviations * 10.0 ** rng.uniform(-4, -0.5, statistics)
    model = replace(model, pairs=tuple(replace(fit, steps=steps) for fit in model.pairs))
    noise = dp.calibrate(name, model, epsilon, 1e-3, "exact")
    if noise.is_zero:
        assert dp.calibrate(name, model.densities(), epsilon, 1e-3, "exact").is_zero
        return
    assert log_ratio(noise.smoothness(model)) <= allowed(epsilon) or noise.caveats
    if noise.distribution == "gaussian":
        pooled = [
            replace(fit, covariances=np.array([fit.pooled + noise.covariance] * 2), steps=None)
            for fit in model.pairs
        ]
        kept = dp.delivered_delta(replace(model, pairs=tuple(pooled)), None, epsilon)
        assert kept <= 1e-3 * (1 + 1e-6)


@given(st.integers(0, 10**6), st.floats(0.2, 4))
def test_units_move_the_floor_with_the_statistics(make_model, seed: int, unit: float) -> None:
    model = make_model(seed, statistics=2)
    steps = model.standard_deviations / 50
    model = replace(model, pairs=tuple(replace(fit, steps=steps) for fit in model.pairs))
    units = np.array([1.0, unit])
    noise = dp.calibrate("DauM", model, 0.7, 1e-3, "exact", units)
    direct = dp.calibrate("DauM", model.in_units(units), 0.7, 1e-3, "exact")
    np.testing.assert_allclose(noise.in_units(units).covariance, direct.covariance, rtol=1e-9)
    if noise.floor is not None:
        assert noise.floor == pytest.approx(direct.floor * units)


def test_a_sample_has_the_floor_in_it(model: dp.GaussianModel) -> None:
    for name in ("DirM(L)", "OptM"):
        noise = dp.calibrate(name, model, 1.0, 1e-3, "exact")
        drawn = noise.sample(200_000, 1)
        np.testing.assert_allclose(np.cov(drawn.T), noise.covariance, rtol=0.1, atol=1e-4)
        errors = np.abs(drawn).mean(axis=0)
        np.testing.assert_allclose(noise.expected_absolute_errors(), errors, rtol=0.02)
        lengths = np.linalg.norm(drawn, axis=1).mean()
        assert noise.expected_error() == pytest.approx(lengths, rel=0.02)


@pytest.mark.parametrize("name", ["OptM", "DauM", "EigM", "ExpM", "DirM(L)", "ExpM(L)"])
@pytest.mark.parametrize("share_of", ["release", "table"])
def test_cosets_take_a_floor_whatever_the_normals_say(name: str, share_of: str) -> None:
    rng = np.random.default_rng(0)
    sale, flag = rng.random(4000) < 0.5, rng.random(4000) < 0.5
    table = pd.DataFrame(
        {
            "price": np.round(rng.integers(5, 50, 4000) - 0.01 * sale, 2),
            "points": 2.0 * rng.integers(0, 9, 4000) + (flag ^ sale),
            "flag": np.where(flag, "up", "down"),
            "sale": np.where(sale, "yes", "no"),
        }
    )
    pair = dp.SensitiveProperty("sale", "yes").pair(0.5, 0.1)
    for query in ([dp.Mean("price")], [dp.Mean("points"), dp.Count("flag", "up")]):
        model = dp.fit_gaussian(table, dp.Query(query), pair, n=110, share_of=share_of)
        for epsilon in (1.0, 4.0):
            noise = dp.calibrate(name, model, epsilon, 1e-4)
            assert not noise.is_zero
            assert noise.smoothness(model) <= math.tanh(min(epsilon / 1000, 1e-3) / 2) * 1.001
            assert dp.delivered_delta(model, noise, epsilon) <= 1e-4
            assert dp.optimal_attack_accuracy(model, noise) < 0.52
