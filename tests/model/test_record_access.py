"""Pickles, copies and `repr` hold no records."""

from __future__ import annotations

import copy
import pickle
import struct
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.fitting import Groups
from distpriv.attacks.posterior import ReleaseModel, posterior, share_grid, uniform_prior
from distpriv.attacks.property_inference import PropertyInferenceAttack
from distpriv.composition import TableRelease, joint_releases
from distpriv.composition.table_releases import records_of
from distpriv.errors import CalibrationError, ModelError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.monte_carlo import SimulatedFit
from distpriv.model.population import Population
from distpriv.model.source import MemorySource
from distpriv.privacy import bounded_delta, model_laws
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Query

MARKED, LABEL = 41.123456789012, "zz-marked-label"
SECRET = SensitiveProperty("member", "yes")
PAIR = SECRET.pair(center=0.4, width=0.2)
QUERY = Query([Mean("amount"), Count("kind", "a")])
COUNTS = Query([Count("kind", "a")])
RECORDS = 3000
SMALL = 40_000  # bytes; a pickle of the values alone has 2 * 8 * 3000

Passing = Callable[[Any], Any]


def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    members = rng.choice(["yes", "no"], RECORDS)
    amounts = rng.normal(np.where(members == "yes", 80, 20), 10)
    amounts[1000] = MARKED
    chances = np.where(members == "yes", 0.9, 0.2)
    kinds = np.where(rng.random(RECORDS) < chances, "a", "b").astype(object)
    kinds[1000] = LABEL
    return pd.DataFrame({"amount": amounts, "kind": kinds, "member": members})


def pickled(one: Any) -> Any:
    return pickle.loads(pickle.dumps(one))


PASSES = pytest.mark.parametrize("passed", [pickled, copy.deepcopy])


def fitted(query: Query = QUERY) -> GaussianModel:
    return dp.fit_gaussian(table(), query, PAIR, 60)


def used_model() -> GaussianModel:
    """A model whose records have been loaded, and laws computed from them."""
    model = fitted(COUNTS)
    model_laws(model)
    bounded_delta(model, dp.calibrate("OptM", model, 1.0, 1e-2), 1.0)
    return model


def believed_model() -> ReleaseModel:
    """A model of releases that beliefs have been computed by, from exact laws of its records."""
    moments = dp.group_moments(table(), COUNTS, SECRET)
    model = ReleaseModel(moments, COUNTS, 60, population=fitted(COUNTS).pairs[0].population)
    shares = share_grid(60)
    assert model.is_exact(shares)
    posterior(model, uniform_prior(shares), [20.0])
    return model


def attack(model: GaussianModel) -> PropertyInferenceAttack:
    groups = dp.record_groups(table(), QUERY, SECRET)
    made = PropertyInferenceAttack(groups, QUERY, PAIR, 60, {"none": None}, shadows=20, tests=20)
    made.run(0)
    return made


@lru_cache
def holders() -> dict[str, Any]:
    records, model = table(), fitted()
    noise = dp.calibrate("OptM", model, 1.0, 1e-2)
    groups = dp.record_groups(records, QUERY, SECRET)
    scenario = dp.Scenario(secret=SECRET, query=QUERY, center=0.4, width=0.2, n=60, delta=1e-2)
    evaluation = dp.evaluate(scenario, records)
    assert evaluation.noise is not None
    assert evaluation.fit.population is not None
    assert len(evaluation.fit.population.groups.without)
    joint = joint_releases([TableRelease(QUERY, noise, 60)], records, PAIR)
    joint.bounded_delta(1.0)
    simulated = SimulatedFit({SECRET: groups}, QUERY, [PAIR], 60, subsets=20)
    source = MemorySource(records)
    believed = believed_model()
    return {
        "model of beliefs": believed,
        "model": model,
        "model with laws": used_model(),
        "noise": noise,
        "evaluation": evaluation,
        "attack": attack(model),
        "attack result": dp.run_attack(
            records, QUERY, PAIR, 60, {"none": None}, repetitions=2, shadows=20, tests=20
        ),
        "simulated fit": simulated,
        "simulated model": simulated.run(),
        "release": dp.draw_release(records, QUERY, SECRET, noise, n=60),
        "releases": joint,
        "source": source,
        "profile": source.profile(),
        "sample": source.sample(QUERY, SECRET, 1500),
        "record groups": groups,
        "groups": Groups(records),
        "records": records_of(records),
        "outcomes": Groups(records).outcomes(QUERY, model.pairs[0].thetas, 50, 0),
    }


def check(name: str, one: object) -> None:
    shown = repr(one)
    assert LABEL not in shown, name
    assert "41.12" not in shown, name
    for written in (pickle.dumps(one), pickle.dumps(copy.deepcopy(one))):
        assert LABEL.encode() not in written, name
        assert struct.pack("<d", MARKED) not in written, name
        assert len(written) < SMALL, name


def test_pickles_copies_and_repr_hold_no_records() -> None:
    low, high = dp.record_groups(table(), QUERY, SECRET).extremes()
    assert low[0] < MARKED < high[0]
    for name, one in holders().items():
        check(name, one)


def test_a_table_would_be_found() -> None:
    with pytest.raises(AssertionError, match="raw"):
        check("raw", table())


@PASSES
def test_a_model_without_its_records_answers_in_closed_form(passed: Passing) -> None:
    model = fitted()
    again = passed(model)
    noise = dp.calibrate("OptM", again, 1.0, 1e-2)
    assert noise.covariance == pytest.approx(dp.calibrate("OptM", model, 1.0, 1e-2).covariance)
    assert dp.optimal_attack_accuracy(again, noise) == dp.optimal_attack_accuracy(model, noise)
    assert again.of_statistics(1).in_units(np.array([2.0])).pairs[0].population is not None


@PASSES
def test_a_model_without_its_records_names_them_where_it_needs_them(passed: Passing) -> None:
    again = passed(used_model())
    noise = dp.calibrate("OptM", again, 1.0, 1e-2)
    asked: list[tuple[type[Exception], Callable[[], object]]] = [
        (CalibrationError, partial(bounded_delta, again, noise, 1.0)),
        (CalibrationError, partial(dp.calibrate, "CoupM", again, 1.0, 1e-2)),
        (ModelError, partial(model_laws, again)),
    ]
    for error, ask in asked:
        with pytest.raises(error, match=r"records are no longer here.*fit the model again"):
            ask()


@PASSES
def test_a_table_that_is_missing_is_named(passed: Passing) -> None:
    for one in (passed(MemorySource(table())), passed(holders()["evaluation"]).table):
        with pytest.raises(ModelError, match="no longer here"):
            dp.fit_gaussian(one, QUERY, PAIR, 60)
    with pytest.raises(ModelError, match="no longer here"):
        passed(holders()["simulated fit"]).run()


def test_a_population_keeps_what_is_public() -> None:
    population = fitted().pairs[0].population
    assert population is not None
    again = pickled(population)
    assert isinstance(again, Population)
    assert (again.query, again.secret, again.seed) == (QUERY, SECRET, population.seed)
