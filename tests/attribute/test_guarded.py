"""The guarded attribute-private noise delivers what it promises, and is no larger than that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

import distpriv as dp
from distpriv.attribute.guarded import guarded_variance
from distpriv.privacy.known_laws import model_laws


def delta_by_integral(
    means: np.ndarray, deviations: np.ndarray, added: float, epsilon: float
) -> float:
    """The larger δ of two normals on a line, ∫ (p − e^ε q)₊ of their densities."""
    wide = np.hypot(deviations, np.sqrt(added))
    ends = [means.min() - 12 * wide.max(), means.max() + 12 * wide.max()]
    found = []
    for one, other in ((0, 1), (1, 0)):
        p, q = norm(means[one], wide[one]), norm(means[other], wide[other])
        mesh = np.linspace(*ends, 20_001)
        inside = p.pdf(mesh) - np.exp(epsilon) * q.pdf(mesh)
        kinks = mesh[1:][np.diff(np.sign(inside)) != 0]
        value, _ = quad(
            lambda x, p=p, q=q: max(p.pdf(x) - np.exp(epsilon) * q.pdf(x), 0.0),
            *ends,
            points=kinks,
            limit=500,
            epsabs=1e-12,
        )
        found.append(value)
    return max(found)


def on_a_line(model: dp.GaussianModel, means: list[float], variances: list[float]):
    fit = replace(
        model.of_statistics(0).pairs[0],
        means=np.array(means)[:, None],
        covariances=np.array(variances)[:, None, None],
        steps=None,
        outcomes=None,
    )
    return replace(model.of_statistics(0), pairs=(fit,))


@pytest.mark.parametrize(
    ("means", "variances", "epsilon"),
    [((0.0, 3.0), (4.0, 5.0), 1.0), ((0.0, 3.0), (1.0, 9.0), 0.3), ((2.0, 2.0), (4.0, 9.0), 0.5)],
)
def test_it_is_raised_until_the_promise_holds_and_no_further(
    model, means, variances, epsilon
) -> None:
    """The last has equal means: only the variances tell the shares apart."""
    line = on_a_line(model, list(means), list(variances))
    found = dp.attribute.gaussian_from_model(line, epsilon, 1e-2, "guarded")
    exact = dp.attribute.gaussian_from_model(line, epsilon, 1e-2, "exact")

    def delivered(added: float) -> float:
        return delta_by_integral(np.array(means), np.sqrt(variances), added, epsilon)

    assert delivered(exact.variance) > 1e-2  # so there is something to guard
    wanted = brentq(lambda added: delivered(added) - 1e-2, exact.variance, 1e4, rtol=1e-9)
    assert found.variance == pytest.approx(wanted, rel=1e-5)
    assert found.needed - found.variances == pytest.approx([found.variance])


@given(
    st.floats(0.1, 5.0),
    st.sampled_from([1e-2, 1e-3, 1e-6]),
    st.sampled_from([(0,), (1,), (2,), (3,), (0, 2), (0, 1, 2, 3)]),
    st.booleans(),
)
def test_every_pair_gets_what_is_promised_on_the_grid(several, epsilon, delta, statistics, dense):
    model = several.of_statistics(*statistics)
    model = model.densities() if dense else model
    found = dp.attribute.gaussian_from_model(model, epsilon, delta, "guarded")
    assert found.noise.calibration == "guarded"
    assert (found.noise.epsilon, found.noise.delta) == (epsilon, delta)
    assert dp.delivered_delta(model, found.noise, epsilon) <= delta * (1 + 1e-9)
    assert found.variance >= dp.attribute.gaussian_from_model(model, epsilon, delta).variance * (
        1 - 1e-9
    )
    assert found.noise.covariance == pytest.approx(found.variance * np.eye(len(statistics)))


def test_a_family_gets_what_each_of_its_models_asks_for(
    several: dp.GaussianModel, people: pd.DataFrame, query: dp.Query
) -> None:
    half = dp.fit_gaussian(people.iloc[:1000], query, [f.pair for f in several.pairs], n=60)
    both = dp.attribute.gaussian_from_model([several, half], 0.2, 1e-3, "guarded")
    for each in (several, half):
        assert dp.delivered_delta(each, both.noise, 0.2) <= 1e-3 * (1 + 1e-9)
        both.noise.calibrated_for.check_model(each)
    with pytest.raises(dp.errors.CalibrationError, match="other distributions"):
        dp.delivered_delta(half, dp.attribute.gaussian_from_model(several, 0.2, 1e-3).noise, 0.2)
    fewer = dp.fit_gaussian(people, query, [f.pair for f in several.pairs], n=40)
    assert (
        dp.attribute.gaussian_from_model([several, fewer], 0.2, 1e-3).noise.calibrated_for is None
    )
    alone = guarded_variance(replace(half, pairs=half.pairs[:1]), 0.2, 1e-3)[0]
    assert both.variance >= alone
    assert both.binding == int(np.argmax(both.needed - both.variances))


def test_a_variance_for_both_shares_cannot_be_guarded() -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match="guarded calibration needs the covariance"
    ):
        dp.attribute_private_gaussian([1.0], [1.0], 1.0, 1e-3, "guarded")


@settings(max_examples=20)
@given(
    statistics=st.sampled_from(
        [
            [dp.Count("status", "married")],
            [dp.Proportion("remote", True)],
            [dp.Mean("age")],
            [dp.Count("status", "married"), dp.Count("remote", True)],
        ]
    ),
    center=st.integers(10, 90),
    n=st.sampled_from([10, 20, 50]),
    epsilon=st.sampled_from([1.0, 2.0, 4.0]),
    share_of=st.sampled_from(["release", "table"]),
)
@example([dp.Count("status", "married")], 10, 50, 2.0, "release")
def test_the_exact_law_decides_where_it_is_known(
    people, statistics, center, n, epsilon, share_of
) -> None:
    pair = dp.SensitiveProperty("income", "high").pair(center / 100, 0.1)
    model = dp.fit_gaussian(people, dp.Query(statistics), pair, n, share_of=share_of)
    hidden = dp.attribute.gaussian_from_model(model, epsilon, 1e-4)
    laws = model_laws(model)
    assert max(law.delivered_delta(hidden.noise, epsilon) for law in laws) <= 1e-4


def test_a_count_is_not_hidden_by_the_exact_calibration(people) -> None:
    """Its law is no normal one with the same variance under both shares."""
    pair = dp.SensitiveProperty("income", "high").pair(0.1, 0.1)
    model = dp.fit_gaussian(people, dp.Query([dp.Count("status", "married")]), pair, 50)
    noise = dp.attribute.gaussian_from_model(model, 2.0, 1e-4, "exact").noise
    (law,) = model_laws(model)
    assert law.delivered_delta(noise, 2.0) > 2e-4
