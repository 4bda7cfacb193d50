"""From a scenario and a table to what it comes to."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.fitting import Groups, resolved
from distpriv.analysis.scenario import Scenario
from distpriv.arguments import checked
from distpriv.errors import ScenarioError
from distpriv.model.source import Source

__all__ = ["evaluate"]


@checked(ScenarioError)
def evaluate(
    scenario: Scenario,
    table: pd.DataFrame | Source,
    *,
    reference: pd.DataFrame | Source | None = None,
    units: Mapping[str, str] | None = None,
) -> Evaluation:
    """What a scenario comes to: model, noise, errors, attacks, guarantee and assumptions.

    Parameters
    ----------
    scenario : Scenario
    table : DataFrame or Source
        What is released, of which the scenario's columns are taken.
    reference : DataFrame or Source, optional
        What the model is fitted to in place of the table, if the whole table is released; see
        :func:`distpriv.align`.
    units : mapping of column to str, optional
        Unit of each numeric column, such as ``{"age": "years"}``.

    Returns
    -------
    Evaluation

    Raises
    ------
    ScenarioError
        If the scenario counts in tolerances and has not one for every statistic.
    QueryError, PropertyError
        If the whole table is released and the scenario does not fit it.
    """
    scenario.check_tolerances()
    groups = Groups(table)
    scenario = resolved(scenario, groups)
    if reference is not None and scenario.whole:
        groups = Groups(reference)
    return Evaluation(scenario, table, groups, column_units=units or {})
