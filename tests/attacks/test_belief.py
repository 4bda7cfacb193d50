"""Beliefs about the share, each against densities that are computed another way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from distpriv.attacks import posterior
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate
from distpriv.model import Release, fit_groups, no_data
from distpriv.queries import Count, Mean, Median, Pair, Query
from distpriv.sources import fit_gaussian
from tests import adult
from tests.attacks.conftest import PAIR

SHARES = np.array([0.3, 0.45, 0.55, 0.7])
PRIOR = np.array([0.1, 0.2, 0.3, 0.4])


def weighed(prior, densities):
    return prior * densities / (prior @ densities)


@pytest.mark.parametrize("scale", [0.0, 4.0])
def test_belief_follows_normal_densities_and_those_of_laplace_noise(scale):
    """Adult's five statistics, n = 100; 0.3 against 0.7 is another pair of the same groups."""
    model = adult.model(PAIR)
    noise = calibrate("OptM", model, 1.0, 1e-3)
    v = np.full((5, 1), 5**-0.5)
    if scale:
        noise = Release("DirM(L)", noise.covariance, v, scale)
    groups = [model.pairs[0].groups]
    outer = fit_groups(groups, adult.QUERY, [Pair(adult.INCOME, 0.3, 0.7)], 100).pairs[0]
    inner = model.pairs[0]
    y = inner.means[1] + [0.5, -0.1, 3.0, 1.0, 0.4]
    densities = []
    for law, side in ((outer, 0), (inner, 0), (inner, 1), (outer, 1)):
        normal = stats.multivariate_normal(
            law.means[side], law.covariances[side] + noise.covariance
        )
        density = normal.pdf(y)
        if scale:
            along = lambda s, normal=normal: normal.pdf(y - s * v[:, 0]) * np.exp(-abs(s) / scale)  # noqa: E731
            density = integrate.quad(along, -150, 150, points=[0.0], epsabs=0, limit=500)[0]
        densities.append(density)
    belief = posterior(model, noise, y, PRIOR, SHARES)
    assert belief.law == "model"
    np.testing.assert_allclose(belief.posterior, weighed(PRIOR, np.array(densities)), rtol=1e-5)
    assert belief.to_frame().shape == (4, 3)


@pytest.fixture(scope="module")
def women(census):
    """Return the model of one count, of 40 records drawn with replacement."""
    query = Query([Count("sex", "Female")])
    return fit_gaussian(census, query, Pair(adult.INCOME, 0.45, 0.55), 40, replacement=True)


@pytest.mark.parametrize("kind", ["none", "normal", "laplace"])
def test_belief_follows_the_exact_law_where_there_is_one(women, kind):
    """Of a count: sums of two binomial variables, by convolution; 0.5 lies between the pair's."""
    rates = women.pairs[0].groups.means[:, 0]
    shares, y = np.array([0.0, 0.45, 0.5, 1.0]), 9.0
    x = np.arange(41)
    noise = {
        "none": None,
        "normal": Release("OptM", np.array([[6.0]])),
        "laplace": Release("DirM(L)", None, np.eye(1), 2.0),
    }[kind]
    density = {
        "none": (x == y) * 1.0,
        "normal": stats.norm.pdf(y - x, 0, 6**0.5),
        "laplace": stats.laplace.pdf(y - x, 0, 2.0),
    }[kind]
    densities = []
    for k in (0, 18, 20, 40):
        laws = [stats.binom(40 - k, rates[0]), stats.binom(k, rates[1])]
        densities.append(np.convolve(*[law.pmf(x) for law in laws])[:41] @ density)
    belief = posterior(women, noise, [y], np.arange(1.0, 5.0), shares)
    assert belief.law == "exact"
    expected = weighed(np.arange(1.0, 5.0), np.array(densities))
    np.testing.assert_allclose(belief.posterior, expected, rtol=1e-5)
    two, every = (
        posterior(women, noise, [y], shares=one).posterior for one in ([0.45, 0.55], None)
    )
    assert two[0] / two[1] == pytest.approx(every[45] / every[55], rel=1e-6)
    halves = posterior(women, noise, [y], shares=[0.4625, 0.475])  # 18.5 of 40 mean 19, too
    np.testing.assert_allclose(halves.posterior, 0.5)


def test_bare_noise_leaves_the_belief_that_figures_without_noise_leave(model):
    noise = calibrate("DauM", model, 1.0, 1e-3, calibration="classical", grid_safe=False)
    x = np.round(model.pairs[0].means[1] / model.steps) * model.steps
    y = x + noise.sample(1, 3)[0]
    shares = np.linspace(0.4, 0.6, 11)
    plain, bare = (posterior(model, *each, shares=shares) for each in ((None, x), (noise, y)))
    np.testing.assert_allclose(bare.posterior, plain.posterior, atol=1e-4)
    assert plain.posterior.max() > 0.14
    assert posterior(model, calibrate("OptM", model, 1.0, 1e-3), y).posterior.max() < 0.1


def test_balanced_figures_and_no_data_give_the_prior_back(model):
    """Where there is such a release: 45 records of each group are kept."""
    y = model.pairs[0].means[0]
    balanced = posterior(model, calibrate("BalM", model), y)
    np.testing.assert_array_equal(balanced.posterior, balanced.prior)
    np.testing.assert_allclose(balanced.prior[45:56], 1 / 11)
    assert balanced.law == "any data"
    np.testing.assert_allclose(posterior(model, no_data(model), y).posterior, 1 / 101)


def test_belief_about_simulated_statistics_leans_to_the_right_share(census):
    model = fit_gaussian(
        census.iloc[::40], Query([Median("age"), Mean("hours-per-week")]), PAIR, 100
    )
    laws = model.pairs[0]
    beliefs = [posterior(model, None, mean, shares=[0.45, 0.55]) for mean in laws.means]
    assert beliefs[0].posterior[0] > 0.5 < beliefs[1].posterior[1]
    wide = posterior(model, None, laws.means[0], shares=np.linspace(0, 1, 21))
    assert wide.posterior.sum() == pytest.approx(1)
    assert abs(wide.posterior @ wide.shares - 0.45) < 0.1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"value": [1.0, 2.0]}, "1 finite figures"),
        ({"value": [np.nan]}, "must be a number"),
        ({"shares": [0.5, 1.2]}, "must be a number from 0 to 1"),
        ({"prior": [0.5, 0.5]}, "a number from 0 on for each"),
        ({"prior": [0.0, 0.0], "shares": [0.1, 0.2]}, "no such release"),
    ],
)
def test_belief_that_makes_no_sense_is_one_sentence(women, settings, words):
    with pytest.raises(DistprivError, match=words):
        posterior(women, None, **({"value": [9.0]} | settings))
