"""The model of a scenario, fitted to the records of a table as the scenario describes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.analysis.scenario import Scenario
from distpriv.distances.outcomes import Outcomes
from distpriv.model.gaussian import GaussianModel, model_from_moments
from distpriv.model.moments import GroupMoments, RecordGroups
from distpriv.model.monte_carlo import (
    SimulatedFit,
    simulated_outcomes,
    simulated_statistics,
)
from distpriv.model.population import Population
from distpriv.model.record_access import HoldsRecords
from distpriv.model.source import Source, source_of
from distpriv.model.theta import Theta
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = [
    "SIMULATED",
    "Groups",
    "fitted_model",
    "resolved",
    "scenario_moments",
    "scenario_populations",
]

SIMULATED = 1000
"""Datasets that are simulated for each share."""

T = TypeVar("T")


class Groups(HoldsRecords):
    """Records of a table split by properties, and what is simulated of them, each made once.

    A subclass may have all of it from elsewhere, such as a cache that outlives it.

    Parameters
    ----------
    table : DataFrame or Source
    """

    def __init__(self, table: pd.DataFrame | Source) -> None:
        self.source = source_of(table)
        self._known: dict[str, Any] = {}

    def computed(self, key: str, compute: Callable[[], T]) -> T:
        """Anything that is made once for everything its key names beside the table."""
        if key not in self._known:
            self._known[key] = compute()
        known: T = self._known[key]
        return known

    def moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        """Moments of the records without the property and with it."""
        return self.computed(
            f"moments {query!r} {secret!r}", lambda: self.source.group_moments(query, secret)
        )

    def records(self, query: Query, secret: SensitiveProperty) -> RecordGroups:
        """Values of the records without the property and with it."""
        return self.computed(
            f"records {query!r} {secret!r}", lambda: self.source.sample(query, secret)
        )

    def population(self, query: Query, secret: SensitiveProperty, seed: int) -> Population:
        """The records, with what the coupling bound and exact laws have computed from them."""
        return self.computed(
            f"population {query!r} {secret!r} {seed}",
            lambda: Population.of(query, secret, lambda: self.records(query, secret), seed),
        )

    def simulated(
        self, query: Query, thetas: tuple[Theta, ...], subsets: int, seed: int
    ) -> NDArray[np.float64]:
        """See :func:`distpriv.model.monte_carlo.simulated_statistics`."""
        groups = self.records(query, thetas[0].secret)
        return simulated_statistics(groups, query, thetas, subsets, seed)

    def outcomes(
        self, query: Query, thetas: tuple[Theta, Theta], subsets: int, seed: int
    ) -> Outcomes:
        """See :func:`distpriv.model.monte_carlo.simulated_outcomes`."""
        groups = self.records(query, thetas[0].secret)
        return simulated_outcomes(groups, query, thetas, subsets, seed)


def resolved(scenario: Scenario, groups: Groups) -> Scenario:
    """The scenario with n the number of complete records, if the whole table is released."""
    if not scenario.whole:
        return scenario
    asked = scenario.query, scenario.secret
    linear = scenario.query.is_linear
    counts = groups.moments(*asked).counts if linear else groups.records(*asked).totals
    return replace(scenario, n=sum(counts))


def scenario_moments(scenario: Scenario, groups: Groups) -> dict[SensitiveProperty, GroupMoments]:
    """Moments for every secret of a scenario's pairs."""
    secrets = dict.fromkeys(pair.secret for pair in scenario.pairs)
    return {secret: groups.moments(scenario.query, secret) for secret in secrets}


def scenario_populations(scenario: Scenario, groups: Groups) -> dict[SensitiveProperty, Population]:
    """Records for every secret of a scenario's pairs."""
    secrets = dict.fromkeys(pair.secret for pair in scenario.pairs)
    return {secret: groups.population(scenario.query, secret, scenario.seed) for secret in secrets}


def fitted_model(scenario: Scenario, groups: Groups) -> GaussianModel:
    """The model of every pair of a scenario whose n is resolved, the main one first.

    In closed form, with simulated outcomes where the scenario asks for them; simulated with the
    scenario's seed where a statistic has no closed form.

    Raises
    ------
    QueryError, PropertyError, ModelError
        As :func:`distpriv.fit_gaussian`.
    """
    query, pairs, seed = scenario.query, scenario.pairs, scenario.seed
    bounds = dict(scenario.bounds)
    populations = scenario_populations(scenario, groups)
    if not query.is_linear:
        return (
            SimulatedFit(
                {pair.secret: groups.records(query, pair.secret) for pair in pairs},
                query,
                pairs,
                scenario.n,
                scenario.replacement,
                scenario.hidden_share,
                seed=seed,
                bounds=bounds,
            )
            .run()
            .drawn_from(populations)
        )
    model = model_from_moments(
        scenario_moments(scenario, groups),
        query,
        pairs,
        scenario.n,
        replacement=scenario.replacement,
        share_of=scenario.hidden_share,
        bounds=bounds,
    ).drawn_from(populations)
    if scenario.distances == "normals":
        return model
    fits = tuple(
        fit
        if fit.outcomes is not None
        else replace(fit, outcomes=groups.outcomes(query, fit.thetas, SIMULATED, seed))
        for fit in model.pairs
    )
    return replace(model, pairs=fits)
