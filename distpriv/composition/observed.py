"""What is seen of statistics: some numbers exactly, and some with standard normal noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from distpriv.privacy.noise import Noise

__all__ = ["Observed", "noise_from"]

FloatArray = NDArray[np.float64]

_BARE = 1e-9  # of the noise's own deviation: what is less is rounding
_SAME = 1e-8  # of a direction: nearer ones are one
_ROUNDING = 4e-15
_NOTHING = 1e-9  # of the terms of a sum


@dataclass(frozen=True, eq=False)
class Observed:
    """What is seen of statistics x: ``known @ x``, and ``seen @ x`` plus standard normals.

    Attributes
    ----------
    known : ndarray, shape (e, m)
    seen : ndarray, shape (s, m)
    """

    known: FloatArray
    seen: FloatArray

    @classmethod
    def through(cls, noise: Noise, rows: FloatArray) -> Observed:
        """A release of ``rows @ x``, shape (m_k, m); of Laplace noise the normal floor only.

        Whoever sees a release without its Laplace part sees no less than the release.
        """
        floor = np.diag(noise.floor_deviations)
        factors = floor
        if noise.distribution == "gaussian":
            factors = np.hstack([noise.directions * noise.scales, floor])
        units = np.linalg.norm(factors, axis=1)
        units = np.where(units > 0, units, 1.0)
        vectors, lengths, _ = np.linalg.svd(factors / units[:, None])
        kept = lengths > _BARE
        turned = (vectors / units[:, None]).T @ rows
        return cls(turned[~kept], turned[kept] / lengths[kept, None])

    @classmethod
    def exactly(cls, rows: FloatArray) -> Observed:
        """``rows @ x`` without noise."""
        return cls(rows, np.zeros((0, rows.shape[1])))

    @classmethod
    def together(cls, parts: Sequence[Observed]) -> Observed:
        """All of it."""
        return cls(
            np.vstack([part.known for part in parts]), np.vstack([part.seen for part in parts])
        )

    def of(self, columns: FloatArray) -> Observed:
        """The same of other numbers z with x = columns z, shape (m, c)."""
        return Observed(_mapped(self.known, columns), self.seen @ columns)

    def factors(self, units: FloatArray) -> FloatArray:
        """Noise of the single release of x that tells the same: its covariance is T Tᵀ.

        Parameters
        ----------
        units : ndarray, shape (m,), each > 0
            Of the statistics, in which they are about one.

        Returns
        -------
        ndarray, shape (m, d)
            T.
        """
        axes = self._open(units)
        if not axes.shape[1]:
            return np.zeros((len(units), 0))
        root = np.linalg.qr(self.seen * units @ axes, mode="r")
        _, lengths, turned = np.linalg.svd(root, full_matrices=True)
        full = np.zeros(axes.shape[1])
        full[: len(lengths)] = lengths
        # What rounding may have taken off counts as information, which is the safe side.
        full += _ROUNDING * max(float(full.max()), 1e-300)
        factors: FloatArray = units[:, None] * (axes @ turned.T) / full
        return factors

    def _open(self, units: FloatArray) -> FloatArray:
        """Orthonormal columns of what is not known exactly, in units."""
        known = self.known * units
        lengths = np.linalg.norm(known, axis=1)
        known = known[lengths > 0] / lengths[lengths > 0, None]
        if not len(known):
            return np.eye(len(units))
        _, sizes, rows = np.linalg.svd(known, full_matrices=True)
        rank = int(np.count_nonzero(sizes > _SAME))
        return np.asarray(rows[rank:].T)


def _mapped(rows: FloatArray, columns: FloatArray) -> FloatArray:
    """``rows @ columns``, where rows that only rounding leaves are dropped."""
    mapped = rows @ columns
    mapped[np.abs(mapped) <= _NOTHING * (np.abs(rows) @ np.abs(columns))] = 0.0
    kept: FloatArray = mapped[mapped.any(axis=1)]
    return kept


def noise_from(factors: FloatArray, like: Noise) -> Noise:
    """Gaussian noise of covariance ``factors @ factors.T``, with the promise of another one."""
    lengths = np.linalg.norm(factors, axis=0)
    kept = lengths > 0
    return replace(
        like.detached(),
        distribution="gaussian",
        directions=factors[:, kept] / lengths[kept],
        scales=lengths[kept],
        floor=None,
    )
