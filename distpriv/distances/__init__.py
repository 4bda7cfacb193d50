"""How far distributions are apart: ∞-Wasserstein, (W, δ)-closeness, and couplings that show it."""

from distpriv.distances.coupling import Coupling, optimal_coupling
from distpriv.distances.normals import normal_closeness
from distpriv.distances.outcomes import Outcomes
from distpriv.distances.wasserstein import closeness, wasserstein_inf

__all__ = [
    "Coupling",
    "Outcomes",
    "closeness",
    "normal_closeness",
    "optimal_coupling",
    "wasserstein_inf",
]
