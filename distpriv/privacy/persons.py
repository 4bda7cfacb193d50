"""The second promise of a release: to each person as well as about the share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import check_delta, check_epsilon, gaussian_distance
from distpriv.privacy.record_moves import RecordMoves, record_moves
from distpriv.queries.statistics import check_bounds

__all__ = ["Persons", "leaking_columns"]

FloatArray = NDArray[np.float64]


@checked(CalibrationError)
@dataclass(frozen=True)
class Persons:
    """(ε, δ)-differential privacy per record, promised besides distribution privacy.

    Attributes
    ----------
    epsilon : float in (0, 10⁶]
    delta : float in (0, 1)
    bounds : mapping of column to (lowest, highest)
        Public bounds of numeric columns; where there are none, those of the model are taken, which
        are its own public ones or the data's range, which tells something of the data.
    """

    epsilon: float
    delta: float
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        check_delta(self.delta)

    @property
    def distance(self) -> float:
        """μ*(ε, δ): the Mahalanobis length that one record's move may have."""
        return gaussian_distance(self.epsilon, self.delta, "exact")

    def moves(self, model: GaussianModel) -> RecordMoves:
        """How far one of a model's records can move its statistics.

        Raises
        ------
        QueryError
            If bounds are not two finite numbers, the lower one first, or a record that the model
            is fitted to lies outside.
        """
        spans = np.array(model.record_sensitivities)
        for index, statistic in enumerate(model.query):
            if not statistic.takes_bounds or statistic.column not in self.bounds:
                continue
            low, high = self.bounds[statistic.column]
            check_bounds(statistic.column, low, high, model.record_ranges.get(statistic.column))
            spans[index] = statistic.sensitivity(model.n, high - low)
        return record_moves(model.query, spans)


def leaking_columns(model: GaussianModel, persons: Persons | None = None) -> tuple[str, ...]:
    """Numeric columns for whose bounds the data's own range stands in, which tells of the data."""
    public = {*model.public_bounds, *(persons.bounds if persons else ())}
    # An indicator's range is 0 to 1 whatever the data; only numeric columns can leak theirs.
    leaking = [
        statistic.column
        for statistic in model.query
        if statistic.takes_bounds and statistic.column not in public
    ]
    return tuple(dict.fromkeys(leaking))
