"""Verdicts on the assumptions, and what mechanisms say they assume."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv import mechanisms
from distpriv.mechanisms.assumptions import Assumption
from distpriv.robustness.diagnostics import fit_diagnostics
from distpriv.robustness.shifts import shift_residual
from distpriv.words import number


def drawn(fit: dp.PairModel, covariances=None, count: int = 1000) -> np.ndarray:
    """Datasets that are exactly normal."""
    rng = np.random.default_rng(5)
    own = fit.covariances if covariances is None else covariances
    return np.array(
        [
            rng.multivariate_normal(mean, covariance, count)
            for mean, covariance in zip(fit.means, own, strict=True)
        ]
    )


def evidence(model: dp.GaussianModel, simulated=None, name: str = "OptM") -> dp.robustness.Evidence:
    fit = model.pairs[0]
    values = drawn(fit) if simulated is None else simulated
    return dp.robustness.Evidence(
        model,
        0,
        dp.calibrate(name, model, 1.0, 1e-3, calibration="exact"),
        dp.robustness.fitted_shift(values, fit, 1),
        fit_diagnostics(values, fit),
    )


def verdict(assumption: Assumption, known: dp.robustness.Evidence) -> dp.robustness.Verdict:
    (found,) = dp.verdicts([assumption], known)
    assert found.assumption is assumption
    assert found.sentence.endswith(".")
    return found


def equal(model: dp.GaussianModel) -> dp.GaussianModel:
    """The same with one covariance for both shares."""
    from dataclasses import replace

    pairs = tuple(replace(f, covariances=np.array([f.pooled, f.pooled])) for f in model.pairs)
    return replace(model, pairs=pairs)


NAMES = (
    "ExpM(L)",
    "ExpM",
    "DirM(L)",
    "DirM",
    "EigM",
    "DauM",
    "OptM",
    *mechanisms.names(baseline=True),
)


@pytest.mark.parametrize("name", NAMES)
def test_every_mechanism_says_what_it_assumes(name: str, model: dp.GaussianModel) -> None:
    mechanism = mechanisms.get(name)
    assert mechanism.assumes
    assert not {*mechanism.assumes} & {*mechanism.dispenses}
    assert mechanism.assumptions(model, "exact") == mechanism.assumes
    guarded = mechanism.assumptions(model, "guarded")
    if mechanism.distribution == "laplace" or mechanism.baseline:
        assert guarded == mechanism.assumes
    else:
        assert guarded == (Assumption.GAUSSIAN,)


@pytest.mark.parametrize("name", ["EigM", "DauM", "OptM"])
def test_mechanisms_keep_the_promise_where_their_assumptions_hold(
    several: dp.GaussianModel, name: str
) -> None:
    """Differences that are not parallel and axes that differ: neither is assumed."""
    model = equal(several)
    noise = dp.calibrate(name, model, 1.0, 1e-3, calibration="exact")
    assert dp.delivered_delta(model, noise, 1.0) <= 1e-3 * (1 + 1e-6)
    known = evidence(model, name=name)
    assert verdict(Assumption.PARALLEL, known).holds == "no"
    assert verdict(Assumption.SAME_EIGENVECTORS, known).holds == "no"
    assert verdict(Assumption.EQUAL_COVARIANCE, known).holds == "yes"


def test_guarded_noise_needs_no_equal_covariances(model: dp.GaussianModel) -> None:
    for name in ("ExpM", "DauM", "OptM"):
        noise = dp.calibrate(name, model, 1.0, 1e-3, "guarded")
        assert dp.delivered_delta(model, noise, 1.0) <= 1e-3 * (1 + 1e-6)


def test_equal_covariances_are_told_in_the_spread_and_in_delta(model: dp.GaussianModel) -> None:
    known = evidence(model)
    found = verdict(Assumption.EQUAL_COVARIANCE, known)
    assert found.holds == "no"
    # The most extreme ratio of variances, by maximising a quotient over random directions.
    first, second = model.pairs[0].covariances
    _, vectors = np.linalg.eig(np.linalg.solve(first, second))
    ratios = [(v @ second @ v) / (v @ first @ v) for v in vectors.T.real]
    most = max(max(ratio, 1 / ratio) for ratio in ratios)
    assert found.measured == pytest.approx(100 * (math.sqrt(most) - 1), rel=1e-6)
    assert found.expected == 0
    delivered = dp.delivered_delta(model, known.noise, 1.0)
    assert f"δ = {number(delivered)} where 0.001 is promised" in found.sentence


def test_what_laplace_noise_delivers_is_told(model: dp.GaussianModel) -> None:
    known = evidence(model, name="ExpM(L)")
    delivered = dp.delivered_delta(model, known.noise, known.noise.epsilon)
    found = verdict(Assumption.TRANSLATION, known)
    assert f"delivers δ = {number(delivered)} where 0 is promised" in found.sentence


def test_normal_datasets_do_not_refute_the_normal_curve(model: dp.GaussianModel) -> None:
    found = verdict(Assumption.GAUSSIAN, evidence(model))
    assert found.holds == "within chance"
    assert found.measured < found.expected


def test_skewed_datasets_do(model: dp.GaussianModel) -> None:
    values = drawn(model.pairs[0])
    fit = model.pairs[0]
    deviation = np.sqrt(fit.covariances[:, 0, 0])
    rng = np.random.default_rng(2)
    skewed = rng.exponential(size=values.shape[:2]) - 1
    values[:, :, 0] = fit.means[:, [0]] + deviation[:, None] * skewed
    found = verdict(Assumption.GAUSSIAN, evidence(model, values))
    assert found.holds == "no"
    assert "mean age" in found.sentence
    # The largest gap is the one at 0.159 of the exponential's start: Φ(−1).
    assert found.measured == pytest.approx(100 * stats.norm.cdf(-1), abs=3)


def test_shifts_leave_nothing(model: dp.GaussianModel, rng: np.random.Generator) -> None:
    values = rng.normal(size=(500, 3))
    assert shift_residual(values, values[::-1] + np.array([1, -7, 0.5])).max() < 1e-12
    # W_1 of N(0, 1) and N(0, 4) is E|X|.
    wide = 2 * rng.normal(size=(200_000, 1))
    assert shift_residual(rng.normal(size=(200_000, 1)), wide) == pytest.approx(
        math.sqrt(2 / math.pi), abs=0.01
    )
    same = equal(model)
    found = verdict(
        Assumption.TRANSLATION, evidence(same, drawn(same.pairs[0], same.pairs[0].covariances))
    )
    assert found.holds == "within chance"
    assert verdict(Assumption.TRANSLATION, evidence(model)).holds == "no"


def test_the_residual_by_scipy(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(2, 400, 1))
    best = min(
        stats.wasserstein_distance(x[:, 0], y[:, 0] + shift) for shift in np.linspace(-1, 1, 2001)
    )
    assert shift_residual(x, y)[0] == pytest.approx(best, abs=1e-3)


def test_the_chance_level_is_kept_by_shifts(model: dp.GaussianModel) -> None:
    """Of data for which nothing but shifts differs, about 5 % exceed it."""
    same = equal(model)
    fit = same.pairs[0]
    rng = np.random.default_rng(0)
    above = 0
    for _ in range(60):
        values = np.array([rng.multivariate_normal(mean, fit.pooled, 150) for mean in fit.means])
        shift = dp.robustness.fitted_shift(values, fit, rng)
        above += shift.residuals.max() > shift.chance
    assert above <= stats.binom.ppf(0.9999, 60, 0.05)


def test_one_pair_has_one_direction(model: dp.GaussianModel) -> None:
    found = verdict(Assumption.PARALLEL, evidence(model))
    assert (found.holds, found.measured) == ("yes", 0.0)


def test_angles_between_several(several: dp.GaussianModel) -> None:
    found = verdict(Assumption.PARALLEL, evidence(several))
    unit = several.differences / np.linalg.norm(several.differences, axis=1)[:, None]
    widest = max(
        math.degrees(math.acos(min(1.0, abs(unit[a] @ unit[b]))))
        for a, b in ((0, 1), (0, 2), (1, 2))
    )
    assert found.measured == pytest.approx(widest, abs=1e-5)
    assert found.holds == "no"


def test_axes_of_several_covariances(several: dp.GaussianModel) -> None:
    found = verdict(Assumption.SAME_EIGENVECTORS, evidence(several))
    covariances = [c for fit in several.pairs for c in fit.covariances]
    _, axes = np.linalg.eigh(np.mean(covariances, axis=0))
    left = 0.0
    for covariance in covariances:
        turned = axes.T @ covariance @ axes
        spread = np.sqrt(np.diag(turned))
        left = max(left, float(np.abs(turned / np.outer(spread, spread) - np.eye(4)).max()))
    assert found.measured == pytest.approx(left)


def test_bounds_that_were_set(people, query, pair) -> None:
    open_model = dp.fit_gaussian(people, query, pair, n=60)
    found = verdict(Assumption.KNOWN_BOUNDS, evidence(open_model, name="GroupDP"))
    assert (found.holds, found.measured) == ("no", 2.0)
    assert "age, hours" in found.sentence
    bounds = {"age": (0.0, 120.0), "hours": (0.0, 168.0)}
    bounded = dp.fit_gaussian(people, query, pair, n=60, bounds=bounds)
    assert verdict(Assumption.KNOWN_BOUNDS, evidence(bounded, name="GroupDP")).holds == "yes"


def test_datasets_without_diagnostics(model: dp.GaussianModel) -> None:
    known = evidence(model)
    bare = dp.robustness.Evidence(model, 0, known.noise, known.shift, None)
    assert verdict(Assumption.GAUSSIAN, bare).holds == "not measured"
    assert verdict(Assumption.EQUAL_COVARIANCE, bare).holds == "no"


@pytest.mark.adult
def test_the_paper_s_query(adult, adult_query, adult_income: dp.GaussianModel) -> None:
    fit = adult_income.pairs[0]
    groups = dp.record_groups(adult, adult_query, fit.pair.secret)
    rng = np.random.default_rng(1)
    values = np.array(
        [dp.model.simulate(groups, adult_query, theta, 1000, rng) for theta in fit.thetas]
    )
    known = evidence(adult_income, values)
    assert "δ = 0.00191 where" in verdict(Assumption.EQUAL_COVARIANCE, known).sentence
    assert verdict(Assumption.EQUAL_COVARIANCE, known).measured == pytest.approx(6.9, abs=0.5)
    assert verdict(Assumption.GAUSSIAN, known).holds == "within chance"
