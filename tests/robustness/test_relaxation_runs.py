"""Simulations of what survives without an assumption: cut up, and compared with closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv.model.run import Run
from distpriv.robustness.relaxation_runs import RelaxationRun, distance_measure, eta_measure
from distpriv.robustness.relaxations import (
    normal_etas,
    relaxed_promise,
)

LAMBDAS = np.array([0.0, 0.05, 0.2, 0.5, 1.0])


def relaxation(people, query, model, measure, repetitions=3, datasets=60) -> RelaxationRun:
    fit = model.pairs[0]
    groups = dp.record_groups(people, query, fit.pair.secret)
    return RelaxationRun(groups, query, fit.thetas, fit.means, fit.covariances, measure,
                         repetitions, datasets, 7)  # fmt: skip


def test_a_run_does_not_depend_on_how_it_is_cut_up(people, query, model) -> None:
    measure = eta_measure(dp.calibrate("ExpM", model, 1.0, 1e-3, calibration="exact"), LAMBDAS)
    whole = relaxation(people, query, model, measure).run()
    run = Run(relaxation(people, query, model, measure).steps)
    for step in range(12):
        assert (run.result() is None) == (step < 8)
        assert run.share_done == pytest.approx(step / 12)
        run.step(0.0)
    assert run.finished
    cut = run.result()
    assert cut.repetitions == whole.repetitions == 3
    for name in ("estimate", "low", "high"):
        np.testing.assert_array_equal(getattr(cut.simulated, name), getattr(whole.simulated, name))
    assert (whole.simulated.low <= whole.simulated.estimate).all()
    assert (np.diff(whole.simulated.estimate) <= 0).all()


def test_nothing_seen_is_not_nothing(people, query, model) -> None:
    """Where no draw shows a deviation, the interval reaches as far as the draws can tell."""
    measure = eta_measure(
        dp.calibrate("ExpM", model, 0.2, 1e-3, calibration="exact"), np.array([0.0, 5.0])
    )
    run = relaxation(people, query, model, measure)
    run.shares = True
    found = run.run().simulated
    assert found.estimate[1] == 0
    assert found.high[1] == pytest.approx(1 - 0.025 ** (1 / 180))
    assert found.high[0] > found.estimate[0] > 0


def test_the_distance_of_one_statistic(people, rich) -> None:
    """Closeness to the quantiles of the normal, in units."""
    query = dp.Query([dp.Mean("age")])
    model = dp.fit_gaussian(people, query, rich.pair(0.4, 0.2), n=60)
    rng = np.random.default_rng(0)
    values = rng.normal(40, 2, size=(300, 1))
    measure = distance_measure(0.0, np.array([2.0]))
    found = measure(values, np.array([40.0]), np.array([[4.0]]), rng)
    levels = stats.norm.ppf((np.arange(6000) + 0.5) / 6000, 20, 1)
    each = np.repeat(np.sort(values[:, 0] / 2), 20)
    assert found[0, 0] == pytest.approx(np.abs(each - levels).max())
    deviation = relaxation(people, query, model, distance_measure(0.05)).run()
    # Both are draws of nearly the same distribution.
    assert deviation.simulated.low[0] <= deviation.chance.high[0]
    assert deviation.chance.low[0] <= deviation.simulated.high[0]


@pytest.mark.adult
def test_the_paper_s_query(adult, adult_query, adult_income: dp.GaussianModel) -> None:
    """Theorem 4.6 at ε = 1, δ = 0.001 on income, exactly and after the noise of ExpM."""
    lambdas = np.arange(0, 1, 0.025)
    for name, least in (("OptM", 1.40e-3), ("DauM", 1.39e-3)):
        noise = dp.calibrate(name, adult_income, 1.0, 1e-3, calibration="exact")
        kept = relaxed_promise(1.0, 1e-3, lambdas, normal_etas(adult_income, lambdas, noise))
        assert kept.deltas[kept.best] == pytest.approx(least, rel=0.02)
    fit = adult_income.pairs[0]
    groups = dp.record_groups(adult, adult_query, fit.pair.secret)
    noise = dp.calibrate("ExpM", adult_income, 1.0, 1e-3, calibration="exact")
    run = RelaxationRun(groups, adult_query, fit.thetas, fit.means, fit.covariances,
                        eta_measure(noise, lambdas), 4, 800, 1)  # fmt: skip
    found = run.run()
    assert found.simulated.low[0] <= found.chance.high[0]
    assert found.simulated.estimate[0] < 0.02
    assert found.simulated.estimate[8] < 1e-4
