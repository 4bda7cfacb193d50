"""Promises about lengths: that vᵀ(Σ + S)⁻¹v stays below a bound, with slope and curvature.

What one record moves is such a v with Σ = 0, and the means of a pair whose covariances count as
equal are one with their Σ. They stand beside the promises of :mod:`distpriv.privacy.promises`, in
the same measure of room, ln(bound/length²), which is concave in S.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from distpriv.privacy.promises import BoolArray, Derivatives, Promises, entries, symmetric

__all__ = ["JointDerivatives", "Lengths", "Together"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lengths:
    """Vectors and how long they may be under noises, one program a row.

    Attributes
    ----------
    vectors : ndarray, shape (promises, k, m)
    beside : ndarray, shape (promises, k, m, m)
        Σ: what varies besides the noise.
    allowed : ndarray, shape (promises, k), each > 0
        The Mahalanobis lengths allowed.
    """

    vectors: FloatArray
    beside: FloatArray
    allowed: FloatArray

    def of(self, rows: BoolArray | NDArray[np.intp]) -> Lengths:
        """Those of some of the programs."""
        return Lengths(self.vectors[rows], self.beside[rows], self.allowed[rows])

    def whitened(self, noises: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(Σ + S)⁻¹v and (Σ + S)⁻¹ for noises of shape (promises, m, m)."""
        inverse = np.asarray(np.linalg.inv(self.beside + noises[:, None]), dtype=np.float64)
        return (inverse @ self.vectors[..., None])[..., 0], inverse

    def squares(self, whitened: FloatArray) -> FloatArray:
        """Squared lengths, shape (promises, k)."""
        return np.maximum((whitened * self.vectors).sum(axis=2), _TINY)

    def room(self, squares: FloatArray) -> FloatArray:
        """ln(bound/length²), same shape."""
        return np.asarray(2 * np.log(self.allowed) - np.log(squares))

    def and_also(self, other: Lengths) -> Lengths:
        """Both."""
        return Lengths(
            np.concatenate([self.vectors, other.vectors], axis=1),
            np.concatenate([self.beside, other.beside], axis=1),
            np.concatenate([self.allowed, other.allowed], axis=1),
        )


@dataclass(frozen=True, eq=False)
class Together:
    """Promises about pairs, where there are any, and lengths besides.

    Takes the place of :class:`.Promises` in the search for the least noise.

    Attributes
    ----------
    promises : Promises
    lengths : Lengths
        In the units of the promises.
    pairs : bool
        Whether the promises about the pairs count.
    """

    promises: Promises
    lengths: Lengths
    pairs: bool = True

    @property
    def units(self) -> FloatArray:
        """Of the statistics, shape (promises, m)."""
        return self.promises.units

    @property
    def epsilons(self) -> FloatArray:
        """ε, shape (promises,)."""
        return self.promises.epsilons

    @property
    def promised(self) -> FloatArray:
        """δ, shape (promises,)."""
        return self.promises.promised

    def of(self, rows: BoolArray | NDArray[np.intp]) -> Together:
        """Those of some of the programs."""
        return Together(self.promises.of(rows), self.lengths.of(rows), self.pairs)

    def deltas(self, noises: FloatArray, stride: int = 1) -> FloatArray:
        """What is delivered for the pairs, and for lengths as if they were such pairs' distances.

        Φ(μ/2 − ε/μ), μ to the distance that (ε, δ) allows as the length is to its bound.
        """
        goal = -ndtri(self.promised * _SPARE)
        allowed = -goal + np.sqrt(goal**2 + 2 * self.epsilons)
        squares = self.lengths.squares(self.lengths.whitened(noises)[0])
        distance = allowed[:, None] * np.exp(-self.lengths.room(squares) / 2)
        about = ndtr(distance / 2 - self.epsilons[:, None] / distance)
        if not self.pairs:
            return np.asarray(about)
        return np.concatenate([self.promises.deltas(noises, stride), about], axis=1)

    def room(self, deltas: FloatArray) -> FloatArray:
        """What delivered δ leave, as :meth:`.Promises.room`."""
        return self.promises.room(deltas)

    def derivatives(self, noises: FloatArray) -> JointDerivatives:
        """Of the pairs, then of the lengths."""
        whitened, inverse = self.lengths.whitened(noises)
        squares = self.lengths.squares(whitened)
        return JointDerivatives(
            self.promises.derivatives(noises) if self.pairs else None,
            self.lengths.room(squares),
            whitened,
            inverse,
            squares,
        )


@dataclass(frozen=True, eq=False)
class JointDerivatives:
    r"""Room and how it moves with S.

    With C = Σ + S, w = C⁻¹v and q = vᵀw the derivatives of −ln q are
    :math:`w^T X w / q` and :math:`(w^T X w)^2/q^2 - 2 w^T X C^{-1} X w / q`.
    """

    pairs: Derivatives | None
    left: FloatArray
    whitened: FloatArray
    inverse: FloatArray
    squares: FloatArray

    @property
    def room(self) -> FloatArray:
        """Shape (promises, losses + k)."""
        return self.left if self.pairs is None else np.hstack([self.pairs.room, self.left])

    def of(self, rows: BoolArray) -> JointDerivatives:
        """Those of some of the programs."""
        return JointDerivatives(
            None if self.pairs is None else self.pairs.of(rows),
            self.left[rows],
            self.whitened[rows],
            self.inverse[rows],
            self.squares[rows],
        )

    def gradients(self) -> FloatArray:
        """Slope of the room in S, shape (promises, losses + k, m, m)."""
        outer = self.whitened[..., :, None] * self.whitened[..., None, :]
        own = outer / self.squares[..., None, None]
        return own if self.pairs is None else np.hstack([self.pairs.gradients(), own])

    def hessian(self, multipliers: FloatArray, frames: FloatArray) -> FloatArray:
        """Curvature of Σ multiplier × room, as :meth:`.Derivatives.hessian`."""
        first = 0 if self.pairs is None else self.pairs.room.shape[1]
        prices = multipliers[:, first:]
        turned = self.whitened @ frames
        count, _, size = turned.shape
        across = frames.swapaxes(1, 2)[:, None] @ self.inverse @ frames[:, None]
        slopes = entries(turned[..., :, None] * turned[..., None, :]) / self.squares[..., None]
        total = (slopes * prices[..., None]).swapaxes(1, 2) @ slopes
        # Σ wᵀ X C⁻¹ X w as a form in the m² entries of X, then in those of a symmetric one.
        weighted = (prices / self.squares)[..., None] * turned
        outer = (weighted[..., :, None] * turned[..., None, :]).reshape(*turned.shape[:2], -1)
        flat = across.reshape(*turned.shape[:2], -1)
        bent = (outer.swapaxes(1, 2) @ flat).reshape(count, size, size, size, size)
        bent = bent.transpose(0, 1, 3, 4, 2).reshape(count, size**2, size**2)
        basis = symmetric(np.eye(total.shape[-1]), size).reshape(total.shape[-1], -1)
        total -= 2 * basis @ bent @ basis.T
        total = (total + total.swapaxes(1, 2)) / 2
        if self.pairs is not None:
            total = total + self.pairs.hessian(multipliers[:, :first], frames)
        return np.asarray(total)


_SPARE = 1 - 5e-10  # of δ, as for the pairs
_TINY = 1e-300
