"""Beliefs by the exact law of the statistics against enumeration."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.attacks.posterior import (
    ReleaseModel,
    beta_prior,
    posterior,
    share_grid,
    simulate_release,
    uniform_prior,
)
from distpriv.model.population import Population
from distpriv.privacy.noise import Noise

SICK = dp.SensitiveProperty("sick")
COUNT = dp.Query([dp.Count("rare", True)])


def release_model(
    table: pd.DataFrame, query: dp.Query, n: int, replacement: bool = False
) -> ReleaseModel:
    groups = dp.record_groups(table, query, SICK)
    population = Population.of(query, SICK, lambda: groups)
    moments = dp.group_moments(table, query, SICK)
    return ReleaseModel(moments, query, n, replacement=replacement, population=population)


def rare_count(rare: tuple[int, int], records: tuple[int, int] = (1500, 500)) -> pd.DataFrame:
    """Records without the property and with it, of which some are rare."""
    return pd.DataFrame(
        {
            "rare": np.concatenate([np.arange(r) < k for r, k in zip(records, rare, strict=True)]),
            "sick": np.repeat([False, True], records),
        }
    )


def count_law(rare: tuple[int, int], records: tuple[int, int], n: int, k: int) -> np.ndarray:
    """Probabilities of 0, ..., n rare records among n, k of which are drawn from the second."""
    without, having = (
        stats.hypergeom(size, hits, draws).pmf(np.arange(draws + 1))
        for size, hits, draws in zip(records, rare, (n - k, k), strict=True)
    )
    return np.convolve(without, having)


def gaussian(*deviations: float, kind: str = "gaussian") -> Noise:
    m = len(deviations)
    return Noise("own", kind, np.eye(m), np.array(deviations), 1.0, 1e-3)  # type: ignore[arg-type]


def test_a_range_of_95_percent_holds_the_share_of_a_rare_count() -> None:
    """Over shares by the prior and all outcomes; none without the property is rare."""
    n, rare = 20, (0, 80)
    exact = release_model(rare_count(rare), COUNT, n)
    prior = uniform_prior(share_grid(n))
    laws = np.array([count_law(rare, (1500, 500), n, k) for k in range(n + 1)])
    held = {}
    for name, model in {"exact": exact, "normals": replace(exact, population=None)}.items():
        assert model.is_exact(prior.shares) == (name == "exact")
        inside = np.zeros_like(laws, dtype=bool)
        for outcome in np.flatnonzero(laws.max(axis=0) > 1e-12):
            after = posterior(model, prior, [float(outcome)]).credible_interval(0.95)
            inside[:, outcome] = (prior.shares >= after.low) & (prior.shares <= after.high)
        held[name] = float(prior.weights @ (laws * inside).sum(axis=1))
    assert 0.69 < held["normals"] < 0.77
    assert 0.95 <= held["exact"] < 0.99


@pytest.mark.parametrize("deviation", [0.0, 0.4, 3.0])
def test_the_posterior_of_a_count_is_bayes_rule_on_its_law(deviation: float) -> None:
    n, rare = 30, (4, 60)
    model = release_model(rare_count(rare), COUNT, n)
    model = replace(model, noise=gaussian(deviation) if deviation else None)
    prior = beta_prior(share_grid(n), 1.0, 4.0)
    for released in (0.0, 1.0, 5.0):
        seen = released + 0.3 * deviation
        likelihood = np.zeros(n + 1)
        for k in range(n + 1):
            law = count_law(rare, (1500, 500), n, k)
            bells = stats.norm.pdf(seen, np.arange(n + 1), deviation) if deviation else None
            likelihood[k] = law[int(released)] if bells is None else law @ bells
        expected = prior.weights * likelihood
        found = posterior(model, prior, [seen]).weights
        assert found == pytest.approx(expected / expected.sum(), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize(
    "query",
    [
        dp.Query([dp.Mean("pay")]),
        dp.Query([dp.Count("rare", True), dp.Proportion("town", "A")]),
    ],
)
def test_the_posterior_is_bayes_rule_on_every_dataset(query: dp.Query, replacement: bool) -> None:
    table = pd.DataFrame(
        {
            "pay": [0.5, 1.0, 1.0, 3.5, 2.0, 2.5, 2.5, 4.0],
            "rare": [True, False, False, False, True, True, False, True],
            "town": list("ABABAABA"),
            "sick": [False] * 4 + [True] * 4,
        }
    )
    n, m = 3, len(query)
    noise = gaussian(*[0.3, 0.2][:m])
    model = replace(release_model(table, query, n, replacement), noise=noise)
    values, released = query.values(table), np.array([1.1, 0.6])[:m]

    def draws(first: int, size: int) -> list[tuple[int, ...]]:
        members = range(first, first + 4)
        if replacement:
            return list(itertools.product(members, repeat=size))
        return list(itertools.combinations(members, size))

    expected = []
    for k in range(n + 1):
        rows = [[*one, *other] for one in draws(0, n - k) for other in draws(4, k)]
        away = released - np.array([values[row].sum(axis=0) for row in rows]) * query.scales(n)
        expected.append(stats.multivariate_normal(cov=noise.covariance).pdf(away).mean())
    prior = uniform_prior(share_grid(n))
    assert model.is_exact(prior.shares)
    found = posterior(model, prior, released).weights
    assert found == pytest.approx(np.array(expected) / np.sum(expected), rel=1e-9)


def test_simulated_releases_follow_the_exact_law() -> None:
    n, rare, share = 20, (5, 80), 0.3
    model = release_model(rare_count(rare), COUNT, n)
    laws = model.exact_laws([share])
    assert laws is not None
    quantiles = (np.arange(20_000) + 0.5) / 20_000
    drawn = [laws[0].draw(np.array([quantile]))[0] for quantile in quantiles]
    found = np.bincount(np.array(drawn, dtype=int), minlength=n + 1) / 20_000
    assert found == pytest.approx(count_law(rare, (1500, 500), n, 6), abs=1e-4)
    values = {float(simulate_release(model, share, seed)[0][0]) for seed in range(40)}
    assert len(values) > 1
    assert all(value.is_integer() for value in values)


def test_beliefs_rest_on_normals_where_the_exact_law_is_not_computed() -> None:
    table = rare_count((5, 80))
    model, shares = release_model(table, COUNT, 100), share_grid(100)
    assert model.is_exact(shares)
    assert not replace(model, noise=gaussian(1.0, kind="laplace")).is_exact(shares)
    assert not replace(model, n=400).is_exact(share_grid(400))
    assert not pickle.loads(pickle.dumps(model)).is_exact(shares)
    other = dp.Query([dp.Count("rare", True), dp.Mean("pay")])
    both = release_model(table.assign(pay=np.arange(2000) % 7), other, 50)
    assert not both.is_exact(share_grid(50))


def test_statistics_that_no_share_can_have_are_refused() -> None:
    model = release_model(rare_count((0, 80)), COUNT, 20)
    with pytest.raises(dp.errors.ModelError, match="impossible whatever share"):
        posterior(model, uniform_prior(share_grid(20)), [2.5])
