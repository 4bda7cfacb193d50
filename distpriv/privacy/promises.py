"""How far noise keeps (ε, δ) for many pairs at once, with slope and curvature.

The room a noise covariance S leaves for one normal against another is ln(μ*²/μ²), μ that of
Φ(μ/2 − ε/μ) = δ, about the distance of two normals of one covariance that deliver δ, and μ* the
same for the δ promised. It is 0 where the promise is just kept and negative where it is broken,
rises by about 1 where S grows e-fold, and is nearly concave in S, which δ is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.contours import ComplexArray, Contours, contours, suprema

__all__ = ["Derivatives", "Promises", "congruence", "entries", "symmetric"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_NOTHING = 1e-140  # of δ
_SPARE = 5e-10  # of δ: rounding does not break a promise that is kept by that much


@dataclass(frozen=True, eq=False)
class Promises:
    """Promises (ε, δ) on models of one shape, in units of each statistic's standard deviation.

    Attributes
    ----------
    units : ndarray, shape (promises, m)
        The standard deviations.
    differences : ndarray, shape (promises, pairs, m)
    covariances : ndarray, shape (promises, pairs, 2, m, m)
    epsilons, promised : ndarray, shape (promises,)
        ε and δ.
    """

    units: FloatArray
    differences: FloatArray
    covariances: FloatArray
    epsilons: FloatArray
    promised: FloatArray

    @classmethod
    def on(cls, settings: Sequence[tuple[GaussianModel, float, float]]) -> Promises:
        """Of every model at its ε and δ; all with as many statistics and pairs."""
        known: dict[int, tuple[FloatArray, FloatArray, FloatArray]] = {}
        for model, _, _ in settings:
            if id(model) not in known:
                units = model.standard_deviations
                units = np.where(units > 0, units, 1.0)
                covariances = np.array([fit.covariances for fit in model.pairs])
                known[id(model)] = (
                    units,
                    model.differences / units,
                    covariances / np.outer(units, units),
                )
        parts = [known[id(model)] for model, _, _ in settings]
        return cls(
            np.array([part[0] for part in parts]),
            np.array([part[1] for part in parts]),
            np.array([part[2] for part in parts]),
            np.array([epsilon for _, epsilon, _ in settings], dtype=np.float64),
            np.array([delta for _, _, delta in settings], dtype=np.float64),
        )

    def of(self, rows: BoolArray | NDArray[np.intp]) -> Promises:
        """Some of the promises."""
        return Promises(
            self.units[rows],
            self.differences[rows],
            self.covariances[rows],
            self.epsilons[rows],
            self.promised[rows],
        )

    def between(self, pairs: NDArray[np.intp]) -> Promises:
        """Each promise for some of its pairs, shape (promises, fewer)."""
        rows = np.arange(len(pairs))[:, None]
        return Promises(
            self.units,
            self.differences[rows, pairs],
            self.covariances[rows, pairs],
            self.epsilons,
            self.promised,
        )

    def in_units(self, noises: FloatArray) -> FloatArray:
        """Noises of the statistics as they are, in these units."""
        return noises / (self.units[:, :, None] * self.units[:, None, :])

    def raw(self, noises: FloatArray) -> FloatArray:
        """Noises in these units, of the statistics as they are."""
        return noises * (self.units[:, :, None] * self.units[:, None, :])

    def deltas(self, noises: FloatArray, stride: int = 1) -> FloatArray:
        """What noises of shape (promises, m, m) deliver, shape (promises, 2 pairs)."""
        return self._measured(noises, stride)[0]

    def room(self, deltas: FloatArray) -> FloatArray:
        """What delivered δ leave, 0 where it is just what is promised, same shape."""
        return _scale(deltas, self.epsilons[:, None], self.promised[:, None])[0]

    def derivatives(self, noises: FloatArray) -> Derivatives:
        """Room with its derivatives, on contours of half as many points."""
        deltas, losses, lines, inside = self._measured(noises, 2)
        room, first, second = _scale(deltas, self.epsilons[:, None], self.promised[:, None])
        return Derivatives(room, first, second, losses, lines, inside)

    def _measured(
        self, noises: FloatArray, stride: int
    ) -> tuple[FloatArray, _Losses, Contours, BoolArray]:
        losses = _losses(self.differences, self.covariances + noises[:, None, None])
        shape = losses.shift.shape
        shift, spread = losses.shift.reshape(-1, shape[-1]), losses.spread.reshape(-1, shape[-1])
        epsilons = np.repeat(self.epsilons, shape[1])
        inside = suprema(shift, spread) > epsilons + 1e-12
        regular = np.repeat(losses.regular.ravel(), 2)
        inside &= regular
        deltas = np.where(regular, 0.0, 1.0)
        if inside.all():
            lines = contours(shift, spread, epsilons, stride)
        elif inside.any():
            lines = contours(shift[inside], spread[inside], epsilons[inside], stride)
        else:
            nothing: ComplexArray = np.ones((0, 1), dtype=np.complex128)
            lines = Contours(nothing, nothing)
        deltas[inside] = lines.deltas
        return deltas.clip(0.0, 1.0).reshape(shape[:2]), losses, lines, inside


@dataclass(frozen=True, eq=False)
class _Losses:
    """Shift, spread and whitening of every pair, its second order after its first."""

    shift: FloatArray
    spread: FloatArray
    whitening: FloatArray
    regular: BoolArray


@dataclass(frozen=True, eq=False)
class Derivatives:
    r"""Room of every loss and how it moves with S.

    With α = 1 + s, A, B and C = (1 − α)A + αB the covariances with the noise, u = C⁻¹d and
    κ = α(1 − α)/2, the derivatives of ln M(s) are

    * first, in direction X: :math:`\kappa u^T X u - \tfrac12 \mathrm{tr}\,C^{-1}X +
      \tfrac{1-\alpha}{2} \mathrm{tr}\,A^{-1}X + \tfrac{\alpha}{2} \mathrm{tr}\,B^{-1}X`,
    * second, in X twice: :math:`-2\kappa u^T X C^{-1} X u + \tfrac12 \mathrm{tr}(C^{-1}X)^2 -
      \tfrac{1-\alpha}{2} \mathrm{tr}(A^{-1}X)^2 - \tfrac{\alpha}{2} \mathrm{tr}(B^{-1}X)^2`,

    and those of δ follow under the integral. Where A is the identity all are diagonal but u.

    Attributes
    ----------
    room : ndarray, shape (promises, losses)
    """

    room: FloatArray
    first: FloatArray
    second: FloatArray
    losses: _Losses
    found: Contours
    inside: BoolArray

    def of(self, rows: BoolArray) -> Derivatives:
        """Those of some of the promises."""
        kept = np.repeat(rows, self.room.shape[1])[self.inside]
        return Derivatives(
            self.room[rows],
            self.first[rows],
            self.second[rows],
            _Losses(
                self.losses.shift[rows],
                self.losses.spread[rows],
                self.losses.whitening[rows],
                self.losses.regular[rows],
            ),
            Contours(self.found.line[kept], self.found.weights[kept]),
            self.inside.reshape(self.room.shape)[rows].ravel(),
        )

    def gradients(self) -> FloatArray:
        """Slope of the room in S, shape (promises, losses, m, m), symmetric."""
        whitening = self.losses.whitening
        slopes = np.zeros_like(whitening).reshape(-1, *whitening.shape[-2:])
        if self.inside.any():
            integrand = self._integrand(self.inside)
            weighted = (integrand.weights * integrand.kappa)[..., None] * integrand.u
            slopes[self.inside] = (weighted.swapaxes(1, 2) @ integrand.u).real
            index = np.arange(slopes.shape[-1])
            slopes[:, index, index] += _filled(
                (integrand.weights[:, None, :] @ integrand.diagonal).real[:, 0], self.inside
            )
        raw = whitening.swapaxes(-1, -2) @ slopes.reshape(whitening.shape) @ whitening
        return np.asarray(self.first[..., None, None] * raw)

    def hessian(self, multipliers: FloatArray, frames: FloatArray) -> FloatArray:
        """Curvature of Σ multiplier × room in D where S moves by F D Fᵀ.

        Parameters
        ----------
        multipliers : ndarray, shape (promises, losses)
            Zero where a loss does not count.
        frames : ndarray, shape (promises, m, m)
            F.

        Returns
        -------
        ndarray, shape (promises, q, q)
            In the coordinates of :func:`entries` of D.
        """
        count, losses, size = self.losses.shift.shape
        total = np.zeros((count, size * (size + 1) // 2, size * (size + 1) // 2))
        rows = (multipliers.ravel() != 0) & self.inside
        if not rows.any():
            return total
        integrand = self._integrand(rows)
        upper = _upper(size)
        slope = (integrand.kappa[..., None] * integrand.u[..., upper.row]) * integrand.u[
            ..., upper.column
        ]
        slope *= upper.factor
        slope[..., upper.row == upper.column] += integrand.diagonal
        weights = integrand.weights[:, None, :]
        gradient = (weights @ slope).real
        curve = ((weights * slope.swapaxes(1, 2)) @ slope).real + integrand.curvature()
        curve *= self.first.ravel()[rows][:, None, None]
        curve += self.second.ravel()[rows][:, None, None] * (gradient * gradient.swapaxes(1, 2))
        owner = np.repeat(np.arange(count), losses)[rows]
        change = congruence(self.losses.whitening.reshape(-1, size, size)[rows] @ frames[owner])
        curve = change.swapaxes(1, 2) @ curve @ change
        np.add.at(total, owner, multipliers.ravel()[rows][:, None, None] * curve)
        return total

    def _integrand(self, rows: BoolArray) -> _Integrand:
        kept = rows[self.inside]
        line, weights = self.found.line[kept], self.found.weights[kept]
        size = self.losses.shift.shape[-1]
        shift = self.losses.shift.reshape(-1, size)[rows]
        spread = self.losses.spread.reshape(-1, size)[rows]
        alpha: Any = 1 + line[..., None]
        inverse = 1 / (1 - alpha + alpha * spread[:, None, :])
        diagonal = (1 - alpha + alpha / spread[:, None, :] - inverse) / 2
        kappa = -line * (1 + line) / 2
        return _Integrand(
            weights, 1 + line, kappa, shift[:, None, :] * inverse, inverse, diagonal, spread
        )


@dataclass(frozen=True, eq=False)
class _Integrand:
    """What the derivatives of ln M are made of, at the points of each loss's contour."""

    weights: ComplexArray
    alpha: ComplexArray
    kappa: ComplexArray
    u: ComplexArray
    inverse: ComplexArray
    diagonal: ComplexArray
    spread: FloatArray

    def curvature(self) -> FloatArray:
        """Integral of the second derivative of ln M, in entries, shape (losses, q, q)."""
        count, points, size = self.u.shape
        weighted = (self.weights * self.kappa)[..., None] * self.u
        outer = (weighted[..., :, None] * self.u[..., None, :]).reshape(count, points, -1)
        mixed = (outer.swapaxes(1, 2) @ self.inverse).real.reshape(count, size, size, size)
        weighted = self.weights[..., None] * self.inverse
        same = (weighted.swapaxes(1, 2) @ self.inverse).real / 2
        same -= (self.weights * (1 - self.alpha)).sum(axis=1).real[:, None, None] / 2
        reverse = 1 / self.spread
        same -= (
            (self.weights * self.alpha).sum(axis=1).real[:, None, None]
            * (reverse[:, :, None] * reverse[:, None, :])
            / 2
        )
        full = np.zeros((count, size, size, size, size))
        index = np.arange(size)
        full[:, :, index, :, index] = -2 * mixed.transpose(3, 0, 1, 2)
        full[:, index[:, None], index, index[:, None], index] += same
        basis = _upper(size).basis
        return np.asarray(basis @ full.reshape(count, size**2, size**2) @ basis.T)


@dataclass(frozen=True, eq=False)
class _Upper:
    """Where the entries of a symmetric matrix are, and the orthonormal basis they belong to."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    factor: FloatArray
    basis: FloatArray


@lru_cache(maxsize=32)
def _upper(size: int) -> _Upper:
    row, column = np.triu_indices(size)
    factor = np.where(row == column, 1.0, np.sqrt(2.0))
    basis = np.zeros((len(row), size, size))
    basis[np.arange(len(row)), row, column] += factor / 2
    basis[np.arange(len(row)), column, row] += factor / 2
    return _Upper(row, column, factor, basis.reshape(len(row), -1))


def entries(matrices: FloatArray) -> FloatArray:
    """Entries on and above the diagonal, those above it times √2, so that lengths are kept."""
    upper = _upper(matrices.shape[-1])
    return matrices[..., upper.row, upper.column] * upper.factor


def symmetric(values: FloatArray, size: int) -> FloatArray:
    """The matrices with these entries."""
    return np.asarray((values @ _upper(size).basis).reshape(*values.shape[:-1], size, size))


def congruence(changes: FloatArray) -> FloatArray:
    """Matrices T with entries(V D Vᵀ) = T entries(D), one for each V."""
    size = changes.shape[-1]
    basis = _upper(size).basis
    product = changes[:, :, None, :, None] * changes[:, None, :, None, :]
    return np.asarray(basis @ product.reshape(-1, size**2, size**2) @ basis.T)


def _filled(values: FloatArray, rows: BoolArray) -> FloatArray:
    sums = np.zeros((len(rows), values.shape[1]))
    sums[rows] = values
    return sums


def _losses(differences: FloatArray, covariances: FloatArray) -> _Losses:
    """Losses of normals with covariances of shape (promises, pairs, 2, m, m), in both orders."""
    count, pairs, _, size, _ = covariances.shape
    regular: BoolArray = np.ones((count, pairs), dtype=np.bool_)
    try:
        roots = np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        values = np.linalg.eigvalsh(covariances)
        regular = np.all(values[..., 0] > 1e-14 * values[..., -1], axis=2)
        covariances = np.where(regular[..., None, None, None], covariances, np.eye(size))
        roots = np.linalg.cholesky(covariances)
    inverse = np.linalg.inv(roots[:, :, 0])
    half = inverse @ roots[:, :, 1]
    vectors, singular, _ = np.linalg.svd(half)
    spread = singular**2
    whitening = vectors.swapaxes(-1, -2) @ inverse
    shift = (whitening @ differences[..., None])[..., 0]
    shape = (count, 2 * pairs, size)
    return _Losses(
        np.stack([shift, -shift / singular], axis=2).reshape(shape),
        np.stack([spread, 1 / spread], axis=2).reshape(shape),
        np.stack([whitening, whitening / singular[..., None]], axis=2).reshape(*shape, size),
        regular,
    )


def _scale(
    deltas: FloatArray, epsilons: FloatArray, promised: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Room of delivered δ, with its first and second derivative in δ."""
    here = deltas.clip(_NOTHING, 1 - 1e-15)
    far = deltas <= _NOTHING
    y, goal = -ndtri(here), -ndtri(promised * (1 - _SPARE))
    length, distance = _distance(y, epsilons)
    _, allowed = _distance(goal, epsilons)
    density = np.exp(-(y**2) / 2) / np.sqrt(2 * np.pi)
    return (
        2 * np.log(allowed / distance),
        np.where(far, 0.0, -2 / (length * density)),
        np.where(far, 0.0, (2 * y / length - 2 * y / length**3) / density**2),
    )


def _distance(y: FloatArray, epsilons: FloatArray) -> tuple[FloatArray, FloatArray]:
    """√(y² + 2ε), and the μ with ε/μ − μ/2 = y."""
    length = np.sqrt(y**2 + 2 * epsilons)
    return length, np.where(y > 0, 2 * epsilons / (length + np.abs(y)), length - y)
