"""What releases come to about the secret of a limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

import distpriv as dp
from distpriv.store import AgreedLimit, Budget, LimitVersion, Terms
from distpriv.store.tally import tally
from tests.store.limited import SCENARIO, release, sources, table

KNOWN = sources()
BOTH = Terms(0.7, Budget(3.0, 1e-3))


def limit(terms: Terms = BOTH, **changes: object) -> AgreedLimit:
    at = release().at
    scenario = replace(SCENARIO, **changes)  # type: ignore[arg-type]
    return AgreedLimit("k", "x", "d", (LimitVersion(1, at, "Ann", "Why", terms, scenario),))


def test_nothing_tells_nothing() -> None:
    found = tally(limit(), [], KNOWN)
    assert (found.accuracy, found.epsilon, found.per_record) == (0.5, 0.0, 0.0)


def test_one_release_tells_what_its_noise_lets_through() -> None:
    one = release(epsilon=0.7)
    model = dp.fit_gaussian(table(), SCENARIO.query, list(SCENARIO.pairs), n=300, replacement=True)
    found = tally(limit(), [one], KNOWN)
    assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, one.noise))
    assert found.epsilon == pytest.approx(dp.delivered_epsilon(model, one.noise, 1e-3))
    assert found.exact


def test_samples_are_fitted_at_their_own_size() -> None:
    scenario = replace(SCENARIO, whole=False, n=40)
    one = release(epsilon=0.7, scenario=scenario)
    model = dp.fit_gaussian(table(), SCENARIO.query, list(SCENARIO.pairs), n=40, replacement=True)
    found = tally(limit(), [one], KNOWN)
    assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, one.noise))


def test_a_release_of_another_version_is_named() -> None:
    one = replace(release(), scenario=None, about="d")
    (said,) = tally(limit(), [release(), one], KNOWN).uncounted
    assert said.startswith("The release of ")
    assert "another version" in said
