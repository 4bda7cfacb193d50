"""What several pages draw from a table's records, each for :func:`.cache.computed`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distpriv.dashboard.shell import presenting
from distpriv.dashboard.shell.cache import computed
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.model.gaussian import GaussianModel
from distpriv.model.monte_carlo import SimulatedFit
from distpriv.model.run import Run
from distpriv.model.theta import ShareOf
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.robustness.bootstrap import MomentReplicates, bootstrap_moments

__all__ = ["fit", "resampled"]

FloatArray = NDArray[np.float64]


def fit(
    dataset: Dataset,
    query: Query,
    pairs: tuple[Pair, ...],
    n: int,
    replacement: bool,
    share_of: ShareOf,
    bounds: tuple[tuple[str, tuple[float, float]], ...],
    seed: int,
) -> Run[GaussianModel]:
    """A fit by simulation, not begun; whoever needs it takes it further."""
    groups = {pair.secret: computed(Dataset.groups, dataset, query, pair.secret) for pair in pairs}
    simulation = SimulatedFit(
        groups, query, pairs, n, replacement, share_of, seed=seed, bounds=dict(bounds)
    )
    return presenting.waiting(Run(simulation.steps))


def resampled(
    dataset: Dataset, query: Query, secret: SensitiveProperty, replicates: int, seed: int
) -> MomentReplicates:
    """Group moments of resampled records, which depend on neither the pair nor a mechanism."""
    groups = computed(Dataset.groups, dataset, query, secret)
    # A stream of its own: those of the simulated datasets are the children of the same seed.
    return bootstrap_moments(groups, replicates, rng=np.random.default_rng((seed, replicates)))
