"""How far apart laws are: Wasserstein distances, normals in closed form, and relaxed promises."""

from distpriv.distances.normals import normal_closeness, normal_reach
from distpriv.distances.relaxations import (
    Frontier,
    close_attackers,
    max_divergence,
    relaxed_promise,
)
from distpriv.distances.wasserstein import (
    Coupling,
    closeness,
    optimal_coupling,
    rounding_mass,
    steps_apart,
    wasserstein_inf,
)

__all__ = ["Coupling", "Frontier", "close_attackers", "closeness", "max_divergence"]
__all__ += ["normal_closeness", "normal_reach", "optimal_coupling", "relaxed_promise"]
__all__ += ["rounding_mass", "steps_apart", "wasserstein_inf"]
