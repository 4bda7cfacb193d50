"""How sure the δ of a release is where the model behind it is simulated."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.covered import shown
from distpriv.privacy.noise import Noise
from distpriv.privacy.promises import Promises

__all__ = ["SimulatedDelta", "simulated_delta"]

FloatArray = NDArray[np.float64]

_LEAST = 1e-290


@dataclass(frozen=True, eq=False)
class SimulatedDelta:
    """ln δ of every pair and order, with its standard error; normal in the limit.

    Attributes
    ----------
    logs, errors : ndarray, shape (losses,)
    freedom : int
        Degrees of freedom that the errors rest on.
    """

    logs: FloatArray
    errors: FloatArray
    freedom: int

    def factor(self, beta: float) -> float:
        """Return what δ of the worst pair is to be multiplied by to hold at confidence 1 − β.

        The confidence is that of all pairs and orders together (Bonferroni).

        Parameters
        ----------
        beta : float in (0, 1)
        """
        away = float(stats.t.isf(beta / len(self.logs), self.freedom))
        return math.exp(min(float((self.logs + away * self.errors).max() - self.logs.max()), 700.0))


def simulated_delta(
    model: GaussianModel, noise: Noise | None, epsilon: float
) -> SimulatedDelta | None:
    """Return how sure δ(ε) of Gaussian noise is, by the jackknife of the model's simulated fits.

    A noise that was chosen from the same simulation has the same error to first order: where the
    noise moves with the model, what it delivers by that model stays.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    epsilon : float

    Returns
    -------
    SimulatedDelta or None
        None where no pair's fit is simulated, or for Laplace noise.
    """
    if noise is not None and noise.distribution != "gaussian" and not noise.is_zero:
        return None
    fits = [fit for fit in model.pairs if fit.jackknife is not None]
    if not fits:
        return None
    logs, errors, freedom = [], [], math.inf
    for fit in fits:
        replicates = _logs(fit, noise, epsilon)
        count = len(replicates) - 1
        logs.append(replicates[0])
        errors.append(np.sqrt((count - 1) * replicates[1:].var(axis=0)))
        freedom = min(freedom, count - 1)
    return SimulatedDelta(np.concatenate(logs), np.concatenate(errors), int(freedom))


def _logs(fit: PairModel, noise: Noise | None, epsilon: float) -> FloatArray:
    """Return ln δ in both orders, by the fit and by each of its jackknife, shape (B + 1, 2)."""
    assert fit.jackknife is not None
    means = np.concatenate([fit.means[None], fit.jackknife.means])
    covariances = np.concatenate([fit.covariances[None], fit.jackknife.covariances])
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
        np.full(count, 0.5),
    )
    deltas = alone.deltas(np.zeros((count, len(units), len(units))))
    return np.log(np.maximum(deltas, _LEAST))
