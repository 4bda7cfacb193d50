"""What releases come to about the secret of a limit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.fitting import Groups
from distpriv.analysis.scenario_file import read_scenario
from distpriv.privacy.calibration import gaussian_delta
from distpriv.privacy.delivered import delivered_interval
from distpriv.privacy.noise import gaussian_noise
from distpriv.queries.statistics import Mean, Query
from distpriv.store import AgreedLimit, Budget, LedgerEntry, LimitVersion, Terms
from distpriv.store.ledger import row_of
from distpriv.store.tally import tally
from tests.store.limited import SCENARIO, release, sources, table

KNOWN = sources()
BOTH = Terms(0.7, Budget(3.0, 1e-3))
AGE, HOURS = Query([Mean("age")]), Query([Mean("hours")])
BOUNDS = (("age", (0.0, 120.0)), ("hours", (0.0, 100.0)))


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


def with_noise(mechanism: str, epsilon: float = 0.5, query: Query = AGE) -> LedgerEntry:
    """A release of the whole table with any mechanism's noise."""
    scenario = replace(SCENARIO, query=query, mechanism=mechanism, epsilon=epsilon)
    noise = dp.evaluate(scenario, table()).noise
    return replace(release(), scenario=scenario, noise=noise)


def test_other_statistics_are_stacked() -> None:
    """Two noises on two statistics are one block-diagonal noise on both."""
    one, other = with_noise("OptM"), with_noise("OptM", query=HOURS)
    both = Query([*AGE, *HOURS])
    model = dp.fit_gaussian(table(), both, list(SCENARIO.pairs), n=300, replacement=True)
    covariance = np.diag([one.noise.covariance[0, 0], other.noise.covariance[0, 0]])
    noise = gaussian_noise("OptM", covariance, epsilon=1.0, delta=1e-3, calibration="exact")
    found = tally(limit(), [one, other], KNOWN)
    assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, noise), abs=1e-6)
    assert found.epsilon == pytest.approx(dp.delivered_epsilon(model, noise, 1e-3), rel=1e-4)
    assert found.accuracy > max(tally(limit(), [each], KNOWN).accuracy for each in (one, other))


def test_laplace_noise_counts_by_what_it_delivers() -> None:
    """Not by its promise, which the unequal covariances of the two shares break."""
    one = with_noise("ExpM(L)", 1.0)
    model = dp.fit_gaussian(table(), AGE, list(SCENARIO.pairs), n=300, replacement=True)
    right = dp.optimal_attack_estimate(model, one.noise, rng=0).high
    found = tally(limit(), [one], KNOWN)
    assert not found.exact
    assert found.accuracy >= right
    delta = delivered_interval(model, one.noise, 1.0).high
    tight = tally(limit(Terms(budget=Budget(9.0, max(delta / 10, 1e-9)))), [one], KNOWN)
    assert tight.epsilon > 1.0


def test_each_record_is_counted_in_every_release() -> None:
    agreed = limit(Terms(persons=Budget(3.0, 1e-5)), bounds=BOUNDS)
    one, sample = (
        with_noise("ExpM"),
        release(scenario=replace(SCENARIO, whole=False, n=40, replacement=False)),
    )
    squares = 0.0
    for entry, n in ((one, 300), (sample, 40)):
        squares += (120 / n) ** 2 / entry.noise.covariance[0, 0]
    found = tally(agreed, [one, sample], KNOWN)
    # Balle & Wang's δ at the ε that is found.
    assert gaussian_delta(math.sqrt(squares), found.per_record) == pytest.approx(1e-5, rel=1e-6)
    assert tally(agreed, [one], KNOWN).per_record < found.per_record
    laplace = with_noise("ExpM(L)")
    reach = 120 / 300 / laplace.noise.scales[0]
    if laplace.noise.floor is None:
        both = tally(agreed, [one, sample, laplace], KNOWN)
        assert both.per_record == pytest.approx(found.per_record + reach)


@pytest.mark.parametrize(
    ("bounds", "said"),
    [((), "has no public bounds"), ((("age", (30.0, 40.0)),), "do not hold all its records")],
)
def test_bounds_that_are_none_are_refused(bounds, said) -> None:
    agreed = limit(Terms(persons=Budget(3.0, 1e-5)), bounds=bounds)
    (found,) = tally(agreed, [release()], KNOWN).uncounted
    assert said in found


def test_who_may_be_drawn_twice_is_promised_nothing() -> None:
    agreed = limit(Terms(persons=Budget(3.0, 1e-5)), bounds=BOUNDS)
    sample = release(scenario=replace(SCENARIO, whole=False, n=40))
    (said,) = tally(agreed, [sample], KNOWN).uncounted
    assert "drawn with replacement" in said


def test_what_has_no_joint_law_is_named() -> None:
    """Releases of the whole table that rest on different records."""
    other = replace(release("Bob"), scenario=replace(SCENARIO, n=250))
    (said,) = tally(limit(), [release(), other], KNOWN).uncounted
    assert said.startswith("The release by Bob of ")
    assert "cannot be counted: It is of the whole table and rests on 250 records" in said


def test_a_sample_counts_by_whose_share_it_was_drawn_for() -> None:
    """A random sample leaves open how many of its records have the property."""
    scenario = replace(SCENARIO, whole=False, replacement=False, n=40)
    found = {}
    for share_of in ("release", "table"):
        one = release(epsilon=0.7, scenario=scenario)
        one = replace(one, scenario=replace(one.scenario, share_of=share_of))
        model = dp.fit_gaussian(table(), AGE, list(SCENARIO.pairs), n=40, share_of=share_of)
        found[share_of] = tally(limit(), [one], KNOWN).accuracy
        wanted = dp.optimal_attack_accuracy(model, one.noise)
        assert found[share_of] == pytest.approx(wanted)
    assert found["table"] < found["release"]


def test_a_release_keeps_whose_share_it_was_drawn_for() -> None:
    scenario = replace(SCENARIO, whole=False, share_of="table")
    row = row_of(release(scenario=scenario))
    assert read_scenario(row.scenario).share_of == "table"
    lines = row_of(release(scenario=scenario)).scenario.splitlines()
    old = [line for line in lines if "share_of" not in line]  # as in rows of earlier versions
    assert len(old) == len(lines) - 1
    assert read_scenario("\n".join(old)).share_of == "release"


def test_a_sample_beside_its_table_counts_by_their_joint_law() -> None:
    """Also where the law is that of reference data."""
    rng = np.random.default_rng(1)
    rich, both = rng.random(6000) < 0.5, rng.normal(0, 10, 6000)
    people = pd.DataFrame(
        {
            "age": both + rng.normal(0, 0.5, 6000),
            "hours": both + 2.0 * rich + rng.normal(0, 0.5, 6000),
            "rich": np.where(rich, "yes", "no"),
        }
    )
    known = {"": Groups(people.iloc[:300]), "r": Groups(people)}
    quiet = gaussian_noise("ExpM", np.array([[0.0025]]), epsilon=1.0, delta=1e-3)
    whole = replace(release(), noise=quiet)
    sampled = replace(SCENARIO, whole=False, replacement=False, n=270, query=HOURS)
    sample = replace(whole, scenario=sampled)
    agreed = limit(reference="r")
    alone = [tally(agreed, [each], known).accuracy for each in (whole, sample)]
    counted = tally(agreed, [whole, sample], known)
    assert counted.accuracy > max(alone) + 0.1
    assert not counted.uncounted
