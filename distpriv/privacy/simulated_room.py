"""How sure it is that noise keeps (ε, δ) where the model behind it is simulated."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr, ndtri

from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.jackknife import Jackknife
from distpriv.privacy.covered import shown
from distpriv.privacy.noise import Noise
from distpriv.privacy.promises import Promises

__all__ = ["SimulatedRoom", "delta_with_room", "simulated_room"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SimulatedRoom:
    """Room that noise leaves for every pair and order, with its standard error.

    The room (:mod:`distpriv.privacy.promises`) is twice the logarithm of a distance, which moves in
    proportion to the moments where ln δ moves with the square of the distance's inverse: normal in
    the limit, it is so sooner than δ.

    Attributes
    ----------
    room, errors : ndarray, shape (losses,)
        Room is negative where the promise is broken.
    freedom : int
        Degrees of freedom that the errors rest on.
    """

    room: FloatArray
    errors: FloatArray
    freedom: int

    def least(self, beta: float) -> float:
        """Return the lower end of the room for all pairs and orders together, at confidence 1 − β.

        Parameters
        ----------
        beta : float in (0, 1)
        """
        away = float(stats.t.isf(beta / len(self.room), self.freedom))
        return float((self.room - away * self.errors).min())


def simulated_room(
    model: GaussianModel, noise: Noise | None, epsilon: float, delta: float
) -> SimulatedRoom | None:
    """Return how sure it is that Gaussian noise keeps (ε, δ), by the jackknife of simulated fits.

    A noise that was chosen from the same simulation has the same error to first order: where the
    noise moves with the model, what it delivers by that model stays.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    epsilon, delta : float

    Returns
    -------
    SimulatedRoom or None
        None where no pair's fit is simulated, or for Laplace noise.
    """
    if noise is not None and noise.distribution != "gaussian" and not noise.is_zero:
        return None
    rooms, errors, freedom = [], [], math.inf
    for fit in model.pairs:
        if fit.jackknife is None:
            continue
        replicates = _rooms(fit, fit.jackknife, noise, epsilon, delta)
        rooms.append(replicates[0])
        errors.append(Jackknife.errors(replicates[1:]))
        freedom = min(freedom, len(replicates) - 2)
    if not rooms:
        return None
    return SimulatedRoom(np.concatenate(rooms), np.concatenate(errors), int(freedom))


def delta_with_room(epsilon: float, delta: float, room: float) -> float:
    """Return the δ that lies so much room from another, less where the room is negative."""
    y = -float(ndtri(delta))
    length = math.sqrt(y**2 + 2 * epsilon)
    distance = 2 * epsilon / (length + y) if y > 0 else length - y
    moved = distance * math.exp(room / 2)
    return float(ndtr(moved / 2 - epsilon / moved))


def _rooms(
    fit: PairModel, jackknife: Jackknife, noise: Noise | None, epsilon: float, delta: float
) -> FloatArray:
    """Return the room in both orders, by the fit and by each of its jackknife, shape (B + 1, 2)."""
    means = np.concatenate([fit.means[None], jackknife.means])
    covariances = np.concatenate([fit.covariances[None], jackknife.covariances])
    if noise is not None and not math.isinf(shown(fit, noise)):
        covariances = covariances + noise.covariance
    units = np.sqrt(covariances[0].mean(axis=0).diagonal())
    units = np.where(units > 0, units, 1.0)
    count = len(means)
    alone = Promises(
        np.ones((count, len(units))),
        ((means[:, 0] - means[:, 1]) / units)[:, None],
        (covariances / np.outer(units, units))[:, None],
        np.full(count, epsilon),
        np.full(count, delta),
    )
    return alone.room(alone.deltas(np.zeros((count, len(units), len(units)))))
