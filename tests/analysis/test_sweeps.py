"""What a release costs, against ε and against Δp."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv import mechanisms
from distpriv.analysis import sweeps
from distpriv.analysis.sweeps import (
    attack_accuracies,
    delivered_deltas,
    delivered_epsilons,
    expected_errors,
    sweep,
)
from distpriv.attacks import hypothesis
from distpriv.model.gaussian import model_from_moments

EPSILONS = np.geomspace(0.1, 10, 7)
WIDTHS = np.array([0.1, 0.2, 0.4, 0.7, 0.9])


def along(moments, query, secret, widths, n: int, **options) -> list[dp.GaussianModel | None]:
    return sweeps.models_along(
        widths,
        lambda width: model_from_moments(moments, query, [secret.pair(0.4, width)], n, **options),
    )


@pytest.fixture(scope="module")
def models(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty
) -> list[dp.GaussianModel | None]:
    moments = {rich: dp.group_moments(people, query, rich)}
    return along(moments, query, rich, WIDTHS, 60)


def test_error_against_epsilon(model: dp.GaussianModel) -> None:
    names = mechanisms.names()
    curves = sweep(expected_errors(), "epsilon", EPSILONS, model, names, delta=1e-3)
    np.testing.assert_array_equal(curves.x, EPSILONS)
    assert tuple(curves.y) == names
    for name, errors in curves.y.items():
        assert (np.diff(errors) <= 0).all(), name
        noise = dp.calibrate(name, model, float(EPSILONS[3]), 1e-3)
        assert errors[3] == pytest.approx(noise.expected_error(), rel=1e-4)


@pytest.mark.parametrize("statistic", [0, 1, 2, 3])
def test_error_of_one_statistic(model: dp.GaussianModel, statistic: int) -> None:
    curves = sweep(
        expected_errors(statistic),
        "epsilon",
        EPSILONS,
        model,
        ["DauM", "ExpM(L)"],
        delta=1e-3,
        calibration="classical",
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
    with pytest.raises(
        dp.errors.QueryError, match=f"no statistic number {statistic}; the query has 4"
    ):
        sweeps.expected_error(noise, statistic)


def test_error_against_width(models: list[dp.GaussianModel | None]) -> None:
    # 0.4 ± 0.45 is no proportion.
    assert [fitted is None for fitted in models] == [False, False, False, False, True]
    curves = sweep(
        expected_errors(), "width", WIDTHS, models, ["ExpM", "DauM", "GroupDP"], 1.0, 1e-3
    )
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
    found = along(moments, query, rich, WIDTHS[:3], 1500)
    assert [fitted is None for fitted in found] == [False, True, True]
    drawn = along(moments, query, rich, WIDTHS[:3], 1500, replacement=True)
    assert None not in drawn


def test_accuracy_against_epsilon(model: dp.GaussianModel) -> None:
    curves = sweep(
        attack_accuracies(), "epsilon", EPSILONS, model, ["DauM", "DirM(L)", "DP(L)"], delta=1e-3
    )
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
    promised = (["DauM"], 1.0, 1e-3, "exact")
    curves = sweep(attack_accuracies(), "width", WIDTHS, models, *promised, undefended=True)
    undefended = curves.y[sweeps.UNDEFENDED]
    assert (np.diff(undefended[:4]) > 0).all()
    assert (curves.y["DauM"][:4] <= undefended[:4]).all()
    assert np.isnan(undefended[4])
    # DauM raises the noise with Δp, so that the promise is used up exactly at every width, where
    # the covariances of a pair are one.
    one = [each if each is None else _alike(each) for each in models]
    curves = sweep(attack_accuracies(), "width", WIDTHS, one, *promised)
    assert np.ptp(curves.y["DauM"][:4]) == pytest.approx(0, abs=1e-9)


def _alike(model: dp.GaussianModel) -> dp.GaussianModel:
    pairs = (replace(fit, covariances=np.array([fit.pooled] * 2)) for fit in model.pairs)
    return replace(model, pairs=tuple(pairs))


def test_accuracy_rises_with_the_releases_towards_the_undefended_attack(
    model: dp.GaussianModel,
) -> None:
    noises = {name: dp.calibrate(name, model, 1.0, 1e-3) for name in ("ExpM", "OptM")}
    curves = sweep(attack_accuracies(), "releases", [1, 4, 100, 10**10], model, noises)
    for name, accuracies in curves.y.items():
        assert accuracies[0] == pytest.approx(
            dp.optimal_attack_accuracy(model, noises[name]), rel=1e-12
        )
        assert (np.diff(accuracies) >= 0).all()
        assert accuracies[-1] == pytest.approx(dp.optimal_attack_accuracy(model), abs=1e-4)


def test_units_move_what_is_measured_and_what_is_least(model: dp.GaussianModel) -> None:
    units, names = model.standard_deviations, ["OptM", "ExpM"]
    measure = expected_errors(units=units)
    raw = sweep(measure, "epsilon", EPSILONS, model, names, delta=1e-3)
    least = sweep(measure, "epsilon", EPSILONS, model, names, delta=1e-3, units=units)
    for index, epsilon in enumerate(EPSILONS):
        noise = dp.calibrate("OptM", model, float(epsilon), 1e-3, units=units)
        assert least.y["OptM"][index] == pytest.approx(noise.in_units(units).expected_error())
    assert (least.y["OptM"] <= raw.y["OptM"] * (1 + 1e-9)).all()
    assert (least.y["ExpM"] < raw.y["ExpM"]).all()


def test_repeated_releases_deliver_less_and_less(model: dp.GaussianModel) -> None:
    noises = {"OptM": dp.calibrate("OptM", model, 1.0, 1e-3)}
    counts = (1, 2, 5, 20)
    deltas = sweep(delivered_deltas(1.0), "releases", counts, model, noises).y["OptM"]
    epsilons = sweep(delivered_epsilons(1e-3), "releases", counts, model, noises).y["OptM"]
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
        worst = dp.privacy.worst_case(several, noises["DauM"], float(epsilon))
        assert curves.y["DauM"][index] == pytest.approx(worst.delta, rel=1e-9)
        bare = dp.privacy.worst_case(several, None, float(epsilon))
        assert curves.y[sweeps.UNDEFENDED][index] == pytest.approx(bare.delta, rel=1e-9)


def test_any_measure_is_carried_along_any_axis(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty, model: dp.GaussianModel
) -> None:
    def f_scores(cases) -> np.ndarray:
        return np.array([hypothesis.optimal_f_score(*case, beta=0.5) for case in cases])

    curves = sweep(f_scores, "epsilon", EPSILONS, model, ["DauM"], delta=1e-3)
    ready = hypothesis.f_score_against_epsilon(model, ["DauM"], EPSILONS, 1e-3, beta=0.5)
    np.testing.assert_allclose(curves.y["DauM"], ready.y["DauM"], rtol=1e-9)
    deltas = np.array([1e-6, 1e-3, 0.1])
    kept = sweep(delivered_deltas(1.0), "delta", deltas, model, ["DauM"], 1.0)
    assert (kept.y["DauM"] <= deltas * (1 + 1e-6)).all()
    pair = rich.pair(0.4, 0.2)
    sizes = [20.0, 40.0, 60.0, 5000.0]
    models = sweeps.models_along(sizes, lambda n: dp.fit_gaussian(people, query, pair, int(n)))
    along_n = sweep(expected_errors(0), "n", sizes, models, ["DauM"], 1.0, 1e-3).y["DauM"]
    assert np.isnan(along_n[3])
    assert along_n[2] == dp.calibrate("DauM", models[2], 1.0, 1e-3).expected_absolute_errors()[0]
    # No noise is no error, and delivers what noise can only improve.
    bare = sweep(expected_errors(), "epsilon", EPSILONS, model, [], delta=1e-3, undefended=True)
    assert not bare.y[sweeps.UNDEFENDED].any()


def test_a_sweep_says_what_it_needs(model: dp.GaussianModel) -> None:
    with pytest.raises(dp.errors.CalibrationError, match="another axis than ε needs an ε"):
        sweep(expected_errors(), "delta", [0.1], model, ["DauM"])


def test_curves_by_the_exact_law(people: pd.DataFrame, rich: dp.SensitiveProperty) -> None:
    query = dp.Query([dp.Count("status", "married")])
    model = dp.fit_gaussian(people, query, rich.pair(0.4, 0.2), 30)
    (law,) = laws = dp.privacy.model_laws(model)
    epsilons = np.array([0.5, 1.0, 2.0])
    names = ["OptM", "ExpM(L)"]
    curves = sweep(
        attack_accuracies(), "epsilon", epsilons, model, names, delta=1e-3, calibration="exact-law"
    )
    for place, epsilon in enumerate(epsilons):
        noise = dp.calibrate("OptM", model, epsilon, 1e-3, "exact-law")
        assert curves.y["OptM"][place] == pytest.approx(law.optimal_attack_accuracy(noise))
    noises = {name: dp.calibrate(name, model, 1.0, 1e-3, "exact-law") for name in names}
    profile = sweeps.profiles(model, noises, epsilons, law=laws)
    assert profile.y["OptM"] == pytest.approx(
        law.delivered_deltas(noises["OptM"], epsilons).max(axis=0)
    )
    assert profile.y[sweeps.UNDEFENDED] == pytest.approx(
        law.delivered_deltas(None, epsilons).max(axis=0)
    )
    by_normals = sweeps.profiles(model, noises, epsilons)
    assert profile.y["ExpM(L)"] == pytest.approx(
        law.delivered_deltas(noises["ExpM(L)"], epsilons).max(axis=0)
    )
    for name in names:
        assert profile.y[name] != pytest.approx(by_normals.y[name], rel=1e-3)


def test_curves_of_many_outcomes_are_by_the_normals(people: pd.DataFrame) -> None:
    """A law of a mean of many records takes seconds for a curve, and is all but normal."""
    pair = dp.SensitiveProperty("income", "high").pair(0.4, 0.2)
    model = dp.fit_gaussian(people, dp.Query([dp.Mean("hours")]), pair, 600)
    assert dp.privacy.known_laws(model) is not None
    assert sweeps.curve_laws(model, None) is None
    few = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), pair, 60)
    laws = sweeps.curve_laws(few, None)
    assert laws is not None
    (figure,) = attack_accuracies()([(few, None)])
    assert figure == dp.optimal_attack_accuracy(few, law=laws)
