"""What simulated datasets tell of a scenario's assumptions, where they can be simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from distpriv.analysis.fitting import Groups
from distpriv.analysis.scenario import Scenario
from distpriv.errors import ModelError
from distpriv.model.gaussian import PairModel
from distpriv.model.regularity import check_drawable
from distpriv.queries.statistics import Query
from distpriv.robustness.diagnostics import FitDiagnostics, fit_diagnostics
from distpriv.robustness.shifts import fitted_shift
from distpriv.robustness.verdicts import Assumption, Evidence, Verdict, verdicts

__all__ = ["measured", "unsimulated"]


def unsimulated(groups: Groups, query: Query, fit: PairModel) -> str:
    """Why datasets of a model cannot be simulated, as a sentence; empty if they can.

    They cannot where they have more records than the sample that stands for a table.
    """
    try:
        check_drawable(groups.records(query, fit.pair.secret), *fit.thetas)
    except ModelError as error:
        return str(error)
    return ""


def measured(
    groups: Groups, scenario: Scenario, drawn: NDArray[np.float64] | None, evidence: Evidence
) -> dict[Assumption, Verdict]:
    """A verdict on every assumption.

    Parameters
    ----------
    groups : Groups
        Keep what is computed.
    scenario : Scenario
    drawn : ndarray, shape (2, R, m), or None
        Statistics of simulated datasets under both shares of the pair looked at.
    evidence : Evidence
        Without what they tell.
    """
    if drawn is not None:
        fit, seed = evidence.fit, scenario.seed

        def diagnosed() -> FitDiagnostics | None:
            try:
                return fit_diagnostics(drawn, fit)
            except ModelError:
                return None

        key = repr((scenario.query, fit.thetas, seed))
        evidence = replace(
            evidence,
            shift=groups.computed(f"shift {key}", lambda: fitted_shift(drawn, fit, seed)),
            found=groups.computed(f"diagnostics {key}", diagnosed),
        )
    return {verdict.assumption: verdict for verdict in verdicts(Assumption, evidence)}
