"""The rule of units: what noise is calibrated in, and what an L2 error is counted in.

A scenario names both, its `units` and its `report`. Raw ones are the statistics' own, standardised
ones the standard deviations of the fitted model, custom ones the scenario's tolerances.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from distpriv.analysis.scenario import Units
from distpriv.model.gaussian import GaussianModel

__all__ = ["ERROR_UNITS", "unit_sizes"]

ERROR_UNITS: Mapping[Units, str] = {
    "raw": "",
    "standardised": "standard deviations",
    "custom": "tolerances",
}
"""What an L2 error is counted in; empty for the statistics' own units, mixed."""


def unit_sizes(
    units: Units, model: GaussianModel, tolerances: tuple[float, ...]
) -> NDArray[np.float64] | None:
    """How large one unit of each statistic is, shape (m,), in its own; None for raw ones."""
    if units == "raw":
        return None
    return model.standard_deviations if units == "standardised" else np.array(tolerances)
