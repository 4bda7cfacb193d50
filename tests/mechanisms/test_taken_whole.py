"""Groups of which every record is taken at one share, so that statistics cannot vary there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import distpriv as dp

SECRET = dp.SensitiveProperty("s", "y")
PAIR = SECRET.pair(center=0.4, width=0.2)  # 12 or all 20 of those with the property, of 40
COUNT = dp.Query([dp.Count("c", "a")])
BOTH = dp.Query([dp.Count("c", "a"), dp.Count("c", "b")])


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    drawn = np.random.default_rng(3).choice(["a", "b", "c"], 20)
    return pd.DataFrame({"c": [*drawn, *["a"] * 60], "s": ["y"] * 20 + ["n"] * 60})


@pytest.mark.parametrize("query", [COUNT, BOTH], ids=["one", "two"])
@pytest.mark.parametrize("mechanism", dp.mechanisms.names())
def test_every_mechanism_has_noise_where_a_statistic_cannot_vary(
    table: pd.DataFrame, query: dp.Query, mechanism: str
) -> None:
    model = dp.fit_gaussian(table, query, PAIR, 40)
    assert not model.pairs[0].covariances[1].any()
    assert model.pairs[0].covariances[0].any()
    assert model.steps.tolist() == [1.0] * len(query)
    for persons in (None, dp.Persons(1.0, 1e-3)):
        try:
            noise = dp.calibrate(mechanism, model, 1.0, 1e-2, persons=persons)
        except dp.errors.InapplicableError:  # noise along few directions, for persons
            assert persons is not None or len(query) == 2
            continue
        assert np.isfinite(noise.covariance).all()
        assert 0.5 <= dp.optimal_attack_accuracy(model, noise) <= 1
        if noise.distribution == "gaussian" and mechanism in dp.mechanisms.names(protects=True):
            assert dp.delivered_delta(model, noise, 1.0) <= 1e-2 * (1 + 1e-6)
            if query is COUNT:  # by its own law, from which the curve is hardly apart
                law = dp.exact_law(table, query, PAIR, 40)
                most = 1e-2 if mechanism == "CoupM" else 1.001e-2
                assert law.delivered_delta(noise, 1.0) <= most
