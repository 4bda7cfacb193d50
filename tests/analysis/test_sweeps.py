"""What a release costs, against ε and against Δp."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv import mechanisms
from distpriv.analysis import sweeps

EPSILONS = np.geomspace(0.1, 10, 7)
WIDTHS = np.array([0.1, 0.2, 0.4, 0.7, 0.9])


def pairs_of(secret: dp.SensitiveProperty):
    return lambda width: [secret.pair(0.4, width)]


@pytest.fixture(scope="module")
def models(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty
) -> list[dp.GaussianModel | None]:
    moments = {rich: dp.group_moments(people, query, rich)}
    return sweeps.models_against_width(moments, query, pairs_of(rich), WIDTHS, 60)


def test_error_against_epsilon(model: dp.GaussianModel) -> None:
    names = mechanisms.names()
    curves = sweeps.error_against_epsilon(model, names, EPSILONS, 1e-3)
    np.testing.assert_array_equal(curves.x, EPSILONS)
    assert tuple(curves.y) == names
    for name, errors in curves.y.items():
        assert (np.diff(errors) <= 0).all(), name
        noise = dp.calibrate(name, model, float(EPSILONS[3]), 1e-3)
        assert errors[3] == pytest.approx(noise.expected_error(), rel=1e-4)


@pytest.mark.parametrize("statistic", [0, 1, 2, 3])
def test_error_of_one_statistic(model: dp.GaussianModel, statistic: int) -> None:
    curves = sweeps.error_against_epsilon(
        model, ["DauM", "ExpM(L)"], EPSILONS, 1e-3, "classical", statistic
    )
    for name, errors in curves.y.items():
        noise = dp.calibrate(name, model, float(EPSILONS[2]), 1e-3, "classical")
        assert errors[2] == noise.expected_absolute_errors()[statistic]


def test_expected_error_is_the_whole_or_one_statistic(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("DauM", model, 1.0, 1e-3)
    assert sweeps.expected_error(noise) == noise.expected_error()
    assert sweeps.expected_error(noise, 2) == noise.expected_absolute_errors()[2]


@pytest.mark.parametrize("statistic", [-1, 4])
def test_a_statistic_that_is_not_there(model: dp.GaussianModel, statistic: int) -> None:
    noise = dp.calibrate("DauM", model, 1.0, 1e-3)
    with pytest.raises(dp.QueryError, match=f"no statistic number {statistic}; the query has 4"):
        sweeps.expected_error(noise, statistic)


def test_error_against_width(models: list[dp.GaussianModel | None]) -> None:
    # 0.4 ± 0.45 is no proportion.
    assert [fitted is None for fitted in models] == [False, False, False, False, True]
    curves = sweeps.error_against_width(models, WIDTHS, ["ExpM", "DauM", "GroupDP"], 1.0, 1e-3)
    np.testing.assert_array_equal(curves.x, WIDTHS)
    for name in ("ExpM", "DauM"):
        assert (np.diff(curves.y[name][:4]) > 0).all()
        assert np.isnan(curves.y[name][4])
    assert np.ptp(curves.y["GroupDP"][:4]) == pytest.approx(0)


def test_a_model_for_each_width_is_the_fitted_one(
    people: pd.DataFrame,
    query: dp.Query,
    rich: dp.SensitiveProperty,
    models: list[dp.GaussianModel | None],
) -> None:
    assert models[1] is not None
    fitted = dp.fit_gaussian(people, query, rich.pair(0.4, 0.2), 60)
    np.testing.assert_array_equal(models[1].pairs[0].means, fitted.pairs[0].means)


def test_a_width_that_the_data_do_not_allow_has_no_model(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty
) -> None:
    moments = {rich: dp.group_moments(people, query, rich)}
    found = sweeps.models_against_width(moments, query, pairs_of(rich), WIDTHS[:3], 1500)
    assert [fitted is None for fitted in found] == [False, True, True]
    drawn = sweeps.models_against_width(
        moments, query, pairs_of(rich), WIDTHS[:3], 1500, replacement=True
    )
    assert None not in drawn


def test_accuracy_against_epsilon(model: dp.GaussianModel) -> None:
    curves = sweeps.accuracy_against_epsilon(model, ["DauM", "DirM(L)", "DP(L)"], EPSILONS, 1e-3)
    for name in ("DauM", "DirM(L)"):
        assert (np.diff(curves.y[name]) > 0).all()
        noise = dp.calibrate(name, model, float(EPSILONS[3]), 1e-3)
        # In one direction Laplace noise is simulated, on a curve with fewer draws.
        near = 1e-9 if name == "DauM" else 2e-3
        assert curves.y[name][3] == pytest.approx(
            dp.optimal_attack_accuracy(model, noise), abs=near
        )
    assert np.isnan(curves.y["DP(L)"]).all()


def test_accuracy_against_width(models: list[dp.GaussianModel | None]) -> None:
    curves = sweeps.accuracy_against_width(models, WIDTHS, ["DauM"], 1.0, 1e-3, "exact")
    undefended = curves.y[sweeps.UNDEFENDED]
    assert (np.diff(undefended[:4]) > 0).all()
    assert (curves.y["DauM"][:4] <= undefended[:4]).all()
    assert np.isnan(undefended[4])
    # DauM raises the noise with Δp, so that the promise is used up exactly at every width, where
    # the covariances of a pair are one.
    one = [each if each is None else _alike(each) for each in models]
    curves = sweeps.accuracy_against_width(one, WIDTHS, ["DauM"], 1.0, 1e-3, "exact")
    assert np.ptp(curves.y["DauM"][:4]) == pytest.approx(0, abs=1e-9)


def _alike(model: dp.GaussianModel) -> dp.GaussianModel:
    pairs = (replace(fit, covariances=np.array([fit.pooled] * 2)) for fit in model.pairs)
    return replace(model, pairs=tuple(pairs))


def test_accuracy_rises_with_the_releases_towards_the_undefended_attack(
    model: dp.GaussianModel,
) -> None:
    noises = {name: dp.calibrate(name, model, 1.0, 1e-3) for name in ("ExpM", "OptM")}
    curves = sweeps.accuracy_against_releases(model, noises, [1, 4, 100, 10**10])
    for name, accuracies in curves.y.items():
        assert accuracies[0] == pytest.approx(
            dp.optimal_attack_accuracy(model, noises[name]), rel=1e-12
        )
        assert (np.diff(accuracies) >= 0).all()
        assert accuracies[-1] == pytest.approx(dp.optimal_attack_accuracy(model), abs=1e-4)


def test_units_move_what_is_measured_and_what_is_least(model: dp.GaussianModel) -> None:
    units = model.standard_deviations
    raw = sweeps.error_against_epsilon(model, ["OptM", "ExpM"], EPSILONS, 1e-3, report=units)
    least = sweeps.error_against_epsilon(
        model, ["OptM", "ExpM"], EPSILONS, 1e-3, units=units, report=units
    )
    for index, epsilon in enumerate(EPSILONS):
        noise = dp.calibrate("OptM", model, float(epsilon), 1e-3, units=units)
        assert least.y["OptM"][index] == pytest.approx(noise.in_units(units).expected_error())
    assert (least.y["OptM"] <= raw.y["OptM"] * (1 + 1e-9)).all()
    assert (least.y["ExpM"] < raw.y["ExpM"]).all()


def test_repeated_releases_deliver_less_and_less(model: dp.GaussianModel) -> None:
    noises = {"OptM": dp.calibrate("OptM", model, 1.0, 1e-3)}
    counts = (1, 2, 5, 20)
    deltas = sweeps.delta_against_releases(model, noises, counts, 1.0).y["OptM"]
    epsilons = sweeps.epsilon_against_releases(model, noises, counts, 1e-3).y["OptM"]
    assert (np.diff(deltas) > 0).all()
    assert (np.diff(epsilons) > 0).all()
    for index, count in enumerate(counts):
        left = noises["OptM"].after_releases(count)
        assert deltas[index] == dp.delivered_delta(model, left, 1.0)
        # The two functions invert each other.
        assert dp.delivered_delta(model, left, epsilons[index]) == pytest.approx(1e-3, rel=1e-6)


def test_the_profile_is_that_of_the_worst_pair_and_order(several: dp.GaussianModel) -> None:
    noises = {"DauM": dp.calibrate("DauM", several, 1.0, 1e-3)}
    curves = sweeps.profiles(several, noises, np.array([0.0, 0.5, 1.0]))
    for index, epsilon in enumerate(curves.x):
        worst = dp.worst_case(several, noises["DauM"], float(epsilon))
        assert curves.y["DauM"][index] == pytest.approx(worst.delta, rel=1e-9)
        bare = dp.worst_case(several, None, float(epsilon))
        assert curves.y[sweeps.UNDEFENDED][index] == pytest.approx(bare.delta, rel=1e-9)
