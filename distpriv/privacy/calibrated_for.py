"""What a noise was calibrated for, so that it is not taken for something else by mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.theta import ShareOf
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query
from distpriv.words import exact

__all__ = ["CalibratedFor"]

FloatArray = NDArray[np.float64]

_SAME = 1e-6  # of a statistic's standard deviation
_ROUNDING = 1e-6  # of its mean; times the other one what rounding leaves
_ON_PURPOSE = "or say with noise.detached() that this is on purpose."


@dataclass(frozen=True, eq=False)
class CalibratedFor:
    """Statistics, size and distributions that a noise was calibrated for.

    Attributes
    ----------
    query : Query
        Of m statistics.
    n : int
        Records in the released dataset.
    replacement : bool
        Whether they are drawn with replacement.
    share_of : "release" or "table"
        Whose share is hidden.
    pairs : tuple of Pair
    means : tuple of ndarrays, shape (2, m) each
        Of the statistics under the two shares of each pair.
    covariances : tuple of ndarrays, shape (2, m, m) each
    record_ranges : mapping of column to (least, greatest)
        Of the model's records, see :class:`.GaussianModel`.
    """

    query: Query
    n: int
    replacement: bool
    pairs: tuple[Pair, ...]
    means: tuple[FloatArray, ...]
    covariances: tuple[FloatArray, ...]
    share_of: ShareOf = "release"
    record_ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, model: GaussianModel) -> CalibratedFor:
        """What a noise calibrated to a model is for."""
        return cls(
            model.query,
            model.n,
            model.replacement,
            tuple(fit.pair for fit in model.pairs),
            tuple(fit.means for fit in model.pairs),
            tuple(fit.covariances for fit in model.pairs),
            model.share_of,
            model.record_ranges,
        )

    def in_order(self, order: Sequence[int]) -> CalibratedFor:
        """The same with the statistics in another order, a permutation of theirs."""
        chosen = list(order)
        return replace(
            self,
            query=Query([self.query.statistics[index] for index in chosen]),
            means=tuple(array[:, chosen] for array in self.means),
            covariances=tuple(array[:, chosen][:, :, chosen] for array in self.covariances),
        )

    def check_statistics(self, query: Query) -> None:
        """Raise `CalibrationError` unless it is for these statistics, in this order."""
        if self.query != query:
            raise CalibrationError(
                f"The noise is calibrated for {_listed(self.query)}, not for {_listed(query)}; "
                f"calibrate one on a model of these statistics, {_ON_PURPOSE}"
            )

    def check_size(self, n: int) -> None:
        """Raise `CalibrationError` unless it is for datasets of n records."""
        if self.n != n:
            raise CalibrationError(
                f"The noise is calibrated for datasets of {exact(self.n)} records, not for n = "
                f"{exact(n)}; calibrate one on a model with that n, {_ON_PURPOSE}"
            )

    def check_drawing(self, replacement: bool, share_of: ShareOf) -> None:
        """Raise `CalibrationError` unless it is for records that are drawn this way."""
        if self.share_of != share_of:
            shares = {"release": "share among the n records", "table": "share of the table"}
            raise CalibrationError(
                f"The noise hides the {shares[self.share_of]}, not the {shares[share_of]}; take "
                f'share_of="{self.share_of}", or calibrate one on a model with '
                f'share_of="{share_of}", {_ON_PURPOSE}'
            )
        if self.replacement != replacement:
            ways = ("without replacement", "with replacement")
            raise CalibrationError(
                f"The noise is calibrated for records drawn {ways[self.replacement]}, not "
                f"{ways[replacement]}; calibrate one on such a model, {_ON_PURPOSE}"
            )

    def check_model(self, model: GaussianModel) -> None:
        """Raise `CalibrationError` unless it is for every pair of the model."""
        self.check_statistics(model.query)
        self.check_size(model.n)
        self.check_drawing(model.replacement, model.share_of)
        for fit in model.pairs:
            self.check_pair(fit)

    def check_pair(self, fit: PairModel) -> None:
        """Raise `CalibrationError` unless it is for this pair with these distributions."""
        alike = self._places.get(fit.pair)
        if alike is None:
            raise CalibrationError(
                f"The noise is not calibrated for {fit.pair.label}; calibrate one on a model with "
                f"that pair, {_ON_PURPOSE}"
            )
        if not any(self._is(index, fit) for index in alike):
            raise CalibrationError(
                f"The noise is calibrated for other distributions of the statistics for "
                f"{fit.pair.label} than this model has; calibrate one on this model, {_ON_PURPOSE}"
            )

    @cached_property
    def _places(self) -> dict[Pair, list[int]]:
        places: dict[Pair, list[int]] = {}
        for index, pair in enumerate(self.pairs):
            places.setdefault(pair, []).append(index)
        return places

    def _is(self, index: int, fit: PairModel) -> bool:
        means, covariances = self.means[index], self.covariances[index]
        if means is fit.means and covariances is fit.covariances:
            return True
        if means.shape != fit.means.shape:
            return False
        # Moments computed in another order of the records differ by rounding.
        deviations = np.sqrt(np.diagonal(covariances, axis1=-2, axis2=-1).max(axis=0))
        units = deviations + _ROUNDING * np.abs(means).max(axis=0)
        return bool(
            (np.abs(means - fit.means) <= _SAME * units).all()
            and (np.abs(covariances - fit.covariances) <= _SAME * np.outer(units, units)).all()
        )


def _listed(query: Query) -> str:
    return ", ".join(query.labels)
