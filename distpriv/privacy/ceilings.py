"""What a promise (ε, δ) means for whoever attacks, whatever the data."""

from __future__ import annotations

import math

from distpriv.arguments import checked
from distpriv.errors import CalibrationError
from distpriv.privacy.calibration import check_epsilon

__all__ = ["accuracy_ceiling"]


@checked(CalibrationError)
def accuracy_ceiling(epsilon: float, delta: float = 0.0) -> float:
    """Accuracy that no attacker exceeds at equal priors under an (ε, δ) guarantee.

    (e^ε + δ)/(1 + e^ε): 0.525 at ε = 0.1, 0.731 at 1, 0.881 at 2 (hypothesis-testing view of
    the definition, Kairouz et al. 2015, Theorem 2.1). Above the accuracy of an undefended
    attack the promise alone promises nothing.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in [0, 1)

    Raises
    ------
    CalibrationError
        If ε or δ is outside its domain.
    """
    epsilon = check_epsilon(epsilon)
    if not 0 <= delta < 1:
        raise CalibrationError(f"δ must be in [0, 1), got δ = {delta:g}.")
    # e^{−ε} instead of e^ε: no overflow.
    return (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))
