"""The best possible attacker on any noise: in closed form where there is one, else numerically."""

from __future__ import annotations

from typing import Annotated

from distpriv.arguments import Within, checked
from distpriv.errors import AttackError
from distpriv.laplace_optimum import laplace_optimum
from distpriv.models import GaussianModel
from distpriv.noise import Noise
from distpriv.optimal import Interval, closed_form_accuracy
from distpriv.sampling import RandomState

__all__ = ["optimal_attack_accuracy", "optimal_attack_estimate"]


@checked(AttackError)
def optimal_attack_accuracy(model: GaussianModel, noise: Noise | None = None) -> float:
    """Accuracy of the best possible attacker at equal priors, for the worst pair.

    Φ(d_M/2) for Gaussian noise, d_M the Mahalanobis distance of the means under Σ + S with the
    pooled covariance; in closed form too for Laplace noise along the difference of the means;
    else numerically, to 1e-3 and the same at every call (:func:`optimal_attack_estimate`). The
    attacker knows the grid of the statistics: noise that arithmetic undoes counts for nothing, and
    what the grid shows through noise that covers it (θ/2 at most) is added.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.

    Returns
    -------
    float in [0.5, 1]
    """
    return optimal_attack_estimate(model, noise, rng=0).estimate


@checked(AttackError)
def optimal_attack_estimate(
    model: GaussianModel,
    noise: Noise | None = None,
    rng: RandomState = None,
    *,
    tolerance: Annotated[float, Within(1e-5, 1)] = 5e-4,
) -> Interval:
    """Accuracy of the best possible attacker at equal priors, with its interval.

    In closed form, an interval of no width, where there is one
    (:func:`distpriv.optimal.closed_form_accuracy`); else simulated
    (:func:`distpriv.laplace_optimum.laplace_optimum`).

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    rng : Generator, int or None
        For the simulation.
    tolerance : float > 0
        Wanted half-width of the interval.
    """
    try:
        accuracy = closed_form_accuracy(model, noise)
    except AttackError:
        assert noise is not None
        return laplace_optimum(model, noise, rng, tolerance=tolerance).interval
    return Interval(accuracy, accuracy, accuracy)
