"""A noise is held to what it was calibrated for, and to nothing narrower."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import distpriv as dp
from distpriv.errors import CalibrationError
from distpriv.privacy.calibrated_for import CalibratedFor
from distpriv.privacy.delivered import delivered_interval, privacy_profile, worst_case


@pytest.fixture(scope="module")
def noise(several: dp.GaussianModel) -> dp.Noise:
    return dp.calibrate("OptM", several, 1.0, 1e-3)


def asks(noise: dp.Noise, model: dp.GaussianModel) -> list[float]:
    """Every delivered figure."""
    return [
        dp.delivered_delta(model, noise, 1.0),
        dp.delivered_epsilon(model, noise, 1e-3),
        delivered_interval(model, noise, 1.0).estimate,
        worst_case(model, noise, 1.0).delta,
        float(privacy_profile(model.pairs[0], noise, [1.0]).max()),
    ]


@pytest.mark.parametrize("name", ["OptM", "ExpM", "DirM(L)", "GroupDP"])
@pytest.mark.parametrize("units", [None, [1.0, 50.0, 2.0, 0.1]])
def test_what_it_is_for_is_what_it_was_given(several, name, units) -> None:
    noise = dp.calibrate(name, several, 1.0, 1e-3, units=units)
    known = noise.calibrated_for
    assert (known.query, known.n, known.replacement) == (several.query, 60, False)
    known.check_model(several)
    for model in (several.only(1), several.only(2, 0), several.densities()):
        known.check_model(model)


def test_moments_that_differ_by_rounding_are_the_same_model(several, noise) -> None:
    pairs = tuple(
        replace(fit, means=fit.means * (1 + 1e-13), covariances=fit.covariances * (1 - 1e-12))
        for fit in several.pairs
    )
    again = replace(several, pairs=pairs)
    np.testing.assert_allclose(asks(noise, again), asks(noise, several), rtol=1e-6)


def test_another_model_is_refused_and_may_be_meant(people, several, query, noise) -> None:
    pairs = [fit.pair for fit in several.pairs]
    fewer = dp.fit_gaussian(people.iloc[:1990], query, pairs, n=60)
    smaller = dp.fit_gaussian(people, query, pairs, n=59)
    doubles = dp.fit_gaussian(people, query, pairs, n=60, replacement=True)
    further = dp.fit_gaussian(people, query, replace(pairs[0], p_i=0.29), n=60)
    others = dp.fit_gaussian(people, dp.Query(query.statistics[::-1]), pairs, n=60)
    for model, says in (
        (fewer, "other distributions of the statistics for income = high"),
        (smaller, "60 records, not for n = 59"),
        (doubles, "without replacement, not with replacement"),
        (further, "not calibrated for income = high: 29 % or 50 %"),
        (others, "not for share town"),
    ):
        with pytest.raises(CalibrationError, match=says):
            dp.delivered_delta(model, noise, 1.0)
        with pytest.raises(CalibrationError):
            dp.delivered_epsilon(model, noise, 1e-3)
        with pytest.raises(CalibrationError):
            worst_case(model, noise, 1.0)
        assert all(np.isfinite(asks(noise.detached(), model)))
    with pytest.raises(CalibrationError, match="other distributions"):
        privacy_profile(fewer.pairs[0], noise, [1.0])


def test_it_goes_with_the_noise(several, noise) -> None:
    order = [2, 0, 3, 1]
    turned = noise.in_order(order)
    turned.calibrated_for.check_model(several.of_statistics(*order))
    with pytest.raises(CalibrationError, match="calibrated for"):
        turned.calibrated_for.check_model(several)
    assert asks(turned, several.of_statistics(*order)) == pytest.approx(asks(noise, several))
    assert noise.after_releases(3).calibrated_for is noise.calibrated_for
    units = np.array([1.0, 50.0, 2.0, 0.1])
    scaled = noise.in_units(units)
    assert scaled.calibrated_for is None
    assert asks(scaled, several.in_units(units)) == pytest.approx(asks(noise, several), rel=1e-6)
    kept = pickle.loads(pickle.dumps(noise))
    assert asks(kept, several) == asks(noise, several)


def test_attacks_on_something_else_are_refused(people, query, pair, model, noise) -> None:
    one = dp.calibrate("ExpM", model, 1.0, 1e-3)

    def run(asked: dp.Query, n: int, noise: dp.Noise, replacement: bool = False) -> None:
        dp.run_attack(
            people, asked, pair, n, {"it": noise}, repetitions=1, shadows=20, tests=20, rng=1,
            replacement=replacement,
        )  # fmt: skip

    run(query, 60, one)
    others = dp.Query([*query.statistics[:3], dp.Proportion("town", "Behausen")])
    for asked, n, replacement in ((others, 60, False), (query, 40, False), (query, 60, True)):
        with pytest.raises(CalibrationError, match="The noise is calibrated for"):
            run(asked, n, one, replacement)
        run(asked, n, one.detached(), replacement)


def test_statistics_that_do_not_vary_have_their_rounding(several) -> None:
    """Where a statistic is the same in every dataset only its mean says how large rounding is."""
    fit = several.pairs[0]
    still = replace(fit, means=fit.means + 1e6, covariances=fit.covariances * 0)
    model = replace(several, pairs=(still,))
    known = CalibratedFor.of(model)
    known.check_model(replace(model, pairs=(replace(still, means=still.means * (1 + 1e-14)),)))
    with pytest.raises(CalibrationError):
        known.check_model(replace(model, pairs=(replace(still, means=still.means + 1e-3),)))
