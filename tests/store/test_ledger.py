"""The ledger keeps what came out and the noise's distribution, and gives it back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from distpriv.errors import StoreError
from distpriv.mechanisms import calibrate
from distpriv.model.gaussian import GaussianModel
from distpriv.store import Store, ledger, record
from tests.examples import SOME
from tests.store.writers import entry


@pytest.mark.parametrize("mechanism", ["OptM", "DirM", "DirM(L)", "ExpM(L)", "Wasserstein"])
def test_a_release_comes_back_as_it_was(store: Store, model: GaussianModel, mechanism) -> None:
    noise = calibrate(mechanism, model, epsilon=0.3, delta=1e-3)
    scenario = replace(SOME, digest="d", mechanism=mechanism)
    one = replace(
        entry("Ann", note="For\nthe report"),
        scenario=scenario,
        noise=noise,
        values=tuple(38.25 - 40e3 * place for place in range(noise.dimension)),
        units=("hours", *("records" for _ in range(noise.dimension - 1))),
    )
    record(store, one)
    record(store, one)  # it is there
    (found,) = ledger(store, "d")
    assert found.scenario == scenario
    assert (found.values, found.units, found.at) == (one.values, one.units, one.at)
    assert (found.author, found.note, found.token) == ("Ann", "For\nthe report", one.token)
    assert (found.reason, found.decision) == ("A first look.", "")
    assert found.noise.distribution == noise.distribution
    assert (found.noise.epsilon, found.noise.delta) == (noise.epsilon, noise.delta)
    np.testing.assert_array_equal(found.noise.covariance, noise.covariance)
    assert ledger(store, "other") == []


def test_a_release_without_noise_comes_back(store: Store) -> None:
    one = entry("Ann")
    nothing = replace(one.noise, directions=np.zeros((1, 0)), scales=np.zeros(0), floor=None)
    record(store, replace(one, noise=nothing))
    found = ledger(store, "d")
    assert not found.unreadable
    assert found[0].noise.is_zero
    assert found[0].noise.dimension == 1


def test_a_noise_of_other_statistics_is_not_readable(store: Store) -> None:
    record(store, replace(entry("Ann"), values=(1.0, 2.0), units=("", "")))
    found = ledger(store, "d")
    assert list(found) == []
    assert len(found.unreadable) == 1


def test_releases_come_in_the_order_they_were_made(store: Store) -> None:
    made = [entry(str(place)) for place in range(4)]
    for one in reversed(made):
        record(store, one)
    assert [each.author for each in ledger(store)] == ["0", "1", "2", "3"]


def test_a_note_that_is_too_long_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="The note has 501 characters"):
        record(store, entry(note="x" * 501))
    assert ledger(store) == []


def test_a_scenario_of_another_version_is_told_from_none(store: Store) -> None:
    record(store, entry("Ann"))
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE releases SET scenario = '{}'")
    (found,) = ledger(store, "d")
    assert found.scenario is None
    assert found.values == (38.2,)
