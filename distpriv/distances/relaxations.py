r"""Promises that are left when the distributions are not those they were calibrated for.

f_θ is the true law of the statistics, f̃_θ the one that noise was calibrated for (Chen & Ohrimenko
2023, Theorems 4.6 and 4.7; Proposition A.7 of the full version).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Frontier", "close_attackers", "max_divergence", "relaxed_promise"]


@dataclass(frozen=True, eq=False)
class Frontier:
    """Hold relaxed promises, one for each λ.

    Attributes
    ----------
    lambdas, etas : ndarray, shape (points, …)
    epsilons, deltas : ndarray, shape (points, …)
        ε′ and δ′; at δ′ = 1 nothing is promised.
    """

    lambdas: FloatArray
    etas: FloatArray
    epsilons: FloatArray
    deltas: FloatArray

    @property
    def best(self) -> int:
        """Place of the least δ′."""
        return int(self.deltas.argmin())

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each λ: lambda, eta, epsilon, delta."""
        import pandas as pd

        columns = {"lambda": self.lambdas, "eta": self.etas}
        return pd.DataFrame(columns | {"epsilon": self.epsilons, "delta": self.deltas})


def relaxed_promise(
    epsilon: ArrayLike, delta: ArrayLike, lambdas: ArrayLike, etas: ArrayLike
) -> Frontier:
    r"""Compute the promise that is left when f_θ differs from f̃_θ by (λ, η).

    :math:`\varepsilon' = \varepsilon + 2\lambda` and
    :math:`\delta' = (1 + e^{\varepsilon+\lambda})\,\eta + e^{\lambda}\delta` (Theorem 4.6), for
    P_i(S) <= e^λ P̃_i(S) + η <= e^λ (e^ε P̃_j(S) + δ) + η <= e^λ (e^ε (e^λ P_j(S) + η) + δ) + η.
    One pointwise step of the paper's proof does not follow; the theorem stands by this line
    (erratum 10). η is the largest of `PrivacyLoss.profile` at λ between f_θ and f̃_θ, in both
    orders and for both shares, measured before the noise or after it, where it is smaller. Between
    a law on a grid and a normal one it is 1 before the noise.

    With Lap(W/λ) added to each statistic, (W, η)-closeness of f_θ and f̃_θ is enough (Theorem 4.7,
    Lemma C.1): the mass that moves by at most W is hidden up to e^λ, and the rest counts in both
    orders. The theorem's δ′ = e^λ δ is that of η = 0.

    Parameters
    ----------
    epsilon, delta, lambdas, etas : array_like, shapes that broadcast
        Any points of a profile δ(ε) will do, those of ε below 0 as well.

    Raises
    ------
    DistprivError
        If a λ is negative, or an η is none from 0 to 1.
    """
    given = (np.atleast_1d(np.asarray(one, float)) for one in (epsilon, delta, lambdas, etas))
    level, least, steps, masses = np.broadcast_arrays(*given)
    if not ((steps >= 0) & (masses > -1e-12) & (masses < 1 + 1e-12)).all():
        raise DistprivError("Each λ must be at least 0, and each η from 0 to 1; correct them.")
    with np.errstate(over="ignore", invalid="ignore"):
        lost = np.where(masses > 0, (1 + np.exp(level + steps)) * masses, 0.0)
        lost += np.where(least > 0, np.exp(steps) * least, 0.0)
    return Frontier(steps, masses, level + 2 * steps, np.minimum(lost, 1.0))


def max_divergence(p: ArrayLike, q: ArrayLike) -> float:
    """Compute D_∞(p ‖ q), the largest ln(p/q) where p has mass; ∞ if q lacks it (Definition A.6).

    Parameters
    ----------
    p, q : array_like, equal shapes
        Probabilities of the same outcomes.
    """
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    possible = first > 0
    if not second[possible].all():
        return math.inf
    return float(np.log(first[possible] / second[possible]).max())


def close_attackers(
    believed: tuple[float, float],
    hidden: Iterable[tuple[float, float]],
    n: int,
    *,
    independent: bool,
) -> float:
    """Compute c of Proposition A.7, (ε + 2c, e^c δ), for attackers who tell other shares apart.

    The proposition is printed with δ in place of e^c δ, which its proof does not give (erratum
    13): where θ_i has an outcome of chance δ that θ_j lacks, an attacker's θ̃_i may have it with
    chance e^c δ.
    The least, over the hidden pairs in both orders, of the larger max-divergence between the
    believed and the hidden law of the data. For independent records it is n times that of one; if
    exactly k of n records have the property, no dataset is possible under two k, and c is 0 or ∞.

    Parameters
    ----------
    believed : (p_i, p_j)
        Shares that the attacker takes for possible.
    hidden : pairs of shares
        What is hidden.
    n : int
        Records.
    independent : bool
        Whether each record has the property by itself, with the chance p.
    """

    def apart(one: float, other: float) -> float:
        if not independent:
            return 0.0 if round(n * one) == round(n * other) else math.inf
        laws = (one, 1 - one), (other, 1 - other)
        return n * max(max_divergence(*laws), max_divergence(*laws[::-1]))

    return min(
        max(apart(*shares) for shares in zip(order, pair, strict=True))
        for pair in hidden
        for order in (believed, believed[::-1])
    )
