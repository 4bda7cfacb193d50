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

from distpriv.privacy.promises import Derivatives, Promises, entries, symmetric

__all__ = ["JointDerivatives", "Lengths", "Together"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lengths:
    """Vectors and how long they may be under the noise.

    Attributes
    ----------
    vectors : ndarray, shape (k, m)
    beside : ndarray, shape (k, m, m)
        Σ: what varies besides the noise.
    allowed : ndarray, shape (k,), each > 0
        The Mahalanobis lengths allowed.
    """

    vectors: FloatArray
    beside: FloatArray
    allowed: FloatArray

    def whitened(self, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(Σ + S)⁻¹v and (Σ + S)⁻¹ for a noise of shape (m, m)."""
        inverse = np.asarray(np.linalg.inv(self.beside + noise), dtype=np.float64)
        return (inverse @ self.vectors[..., None])[..., 0], inverse

    def room(self, noise: FloatArray) -> FloatArray:
        """ln(bound/length²), shape (k,)."""
        whitened, _ = self.whitened(noise)
        squares = np.maximum((whitened * self.vectors).sum(axis=1), _TINY)
        return np.asarray(2 * np.log(self.allowed) - np.log(squares))

    def and_also(self, other: Lengths) -> Lengths:
        """Both."""
        return Lengths(
            np.concatenate([self.vectors, other.vectors]),
            np.concatenate([self.beside, other.beside]),
            np.concatenate([self.allowed, other.allowed]),
        )


@dataclass(frozen=True, eq=False)
class Together:
    """One promise about pairs, if there is any, and lengths besides.

    Takes the place of :class:`.Promises` in the search for the least noise.

    Attributes
    ----------
    promises : Promises
        Of one model; of no pairs where `pairs` is False.
    lengths : Lengths
        In the units of the promises.
    pairs : bool
        Whether the promise about the pairs counts.
    """

    promises: Promises
    lengths: Lengths
    pairs: bool = True

    @property
    def units(self) -> FloatArray:
        """Of the statistics, shape (1, m)."""
        return self.promises.units

    @property
    def epsilons(self) -> FloatArray:
        """ε, shape (1,)."""
        return self.promises.epsilons

    @property
    def promised(self) -> FloatArray:
        """δ, shape (1,)."""
        return self.promises.promised

    def of(self, rows: object) -> Together:
        """Itself: there is one."""
        return self

    def deltas(self, noises: FloatArray, stride: int = 1) -> FloatArray:
        """What is delivered for the pairs, and for lengths as if they were such pairs' distances.

        Φ(μ/2 − ε/μ), μ to the distance that (ε, δ) allows as the length is to its bound.
        """
        goal = -ndtri(self.promised * _SPARE)
        allowed = -goal + np.sqrt(goal**2 + 2 * self.epsilons)
        distance = allowed * np.exp(-self.lengths.room(noises[0]) / 2)
        about = ndtr(distance / 2 - self.epsilons / distance)[None]
        if not self.pairs:
            return np.asarray(about)
        return np.concatenate([self.promises.deltas(noises, stride), about], axis=1)

    def room(self, deltas: FloatArray) -> FloatArray:
        """What delivered δ leave, as :meth:`.Promises.room`."""
        return self.promises.room(deltas)

    def derivatives(self, noises: FloatArray) -> JointDerivatives:
        """Of the pairs, then of the lengths."""
        noise = noises[0]
        whitened, inverse = self.lengths.whitened(noise)
        return JointDerivatives(
            self.promises.derivatives(noises) if self.pairs else None,
            self.lengths.room(noise)[None],
            whitened,
            inverse,
            np.maximum((whitened * self.lengths.vectors).sum(axis=1), _TINY),
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
        """Shape (1, losses + k)."""
        return self.left if self.pairs is None else np.hstack([self.pairs.room, self.left])

    def of(self, rows: object) -> JointDerivatives:
        """Itself: there is one."""
        return self

    def gradients(self) -> FloatArray:
        """Slope of the room in S, shape (1, losses + k, m, m)."""
        outer = self.whitened[:, :, None] * self.whitened[:, None, :]
        own = (outer / self.squares[:, None, None])[None]
        return own if self.pairs is None else np.hstack([self.pairs.gradients(), own])

    def hessian(self, multipliers: FloatArray, frames: FloatArray) -> FloatArray:
        """Curvature of Σ multiplier × room, as :meth:`.Derivatives.hessian`."""
        first = 0 if self.pairs is None else self.pairs.room.shape[1]
        prices = multipliers[0, first:]
        counts = prices != 0
        turned = self.whitened[counts] @ frames[0]
        across = frames[0].T @ self.inverse[counts] @ frames[0]
        shares = prices[counts] / self.squares[counts]
        slopes = entries(turned[:, :, None] * turned[:, None, :]) / self.squares[counts, None]
        total = (slopes * prices[counts, None]).T @ slopes
        size = turned.shape[1]
        # Σ wᵀ X C⁻¹ X w as a form in the m² entries of X, then in those of a symmetric one.
        bent = np.einsum("k,ki,kab,kj->iabj", shares, turned, across, turned, optimize=True)
        basis = symmetric(np.eye(len(total)), size).reshape(len(total), -1)
        total -= 2 * basis @ bent.reshape(size**2, size**2) @ basis.T
        total = (total + total.T) / 2
        if self.pairs is not None and first:
            total = total + self.pairs.hessian(multipliers[:, :first], frames)[0]
        return np.asarray(total[None])


_SPARE = 1 - 5e-10  # of δ, as for the pairs
_TINY = 1e-300
