"""From a table to the Gaussian model of its statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from distpriv.arguments import checked
from distpriv.errors import ModelError
from distpriv.model.gaussian import GaussianModel, Method, check_any, model_from_moments
from distpriv.model.monte_carlo import SimulatedFit
from distpriv.model.population import Population
from distpriv.model.sampling import RandomState
from distpriv.model.source import Source, source_of
from distpriv.model.theta import ShareOf
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query

__all__ = ["fit_gaussian"]


@checked(ModelError)
def fit_gaussian(
    table: pd.DataFrame | Source,
    query: Query,
    pairs: Pair | Sequence[Pair],
    n: int,
    *,
    method: Method = "exact",
    replacement: bool = False,
    share_of: ShareOf = "release",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    subsets: int | None = None,
    rng: RandomState = None,
    progress: Callable[[float], None] | None = None,
) -> GaussianModel:
    """Fit N(μ_θ, Σ_θ) to the query's distribution for both proportions of every pair.

    Under θ with proportion p a dataset is k records drawn from those that have the property and
    n − k from those that do not, k = round(n·p) or random (`share_of`). *exact* computes mean and
    covariance of the query from the moments of the two groups; *monte-carlo* draws ``subsets``
    datasets per θ as in Section 5.1 of Chen & Ohrimenko (2023) and gives standard errors. Beside
    statistics that have no closed form the others stay exact.

    Parameters
    ----------
    table : DataFrame or Source, N records
        Of a table that stays where it is (:mod:`distpriv.sources`), *exact* takes the moments of
        all records, and what is simulated a bounded sample.
    query : Query of m statistics
    pairs : Pair or sequence of Pair
    n : int
        Records in the released dataset, at least 2.
    method : "exact" or "monte-carlo"
    replacement : bool
        Draw records with replacement within a subset. The paper draws without.
    share_of : "release" or "table"
        Whose share is hidden. "release": that among the n records, k = round(n·p) of which have
        the property, as in the paper; a release of n of N records is then drawn stratified.
        "table": that of the table, of which the n records are a random sample, so that k is
        random: binomial with replacement, hypergeometric without.
    bounds : mapping of column to (lowest, highest), optional
        Public bounds for the baselines of differential privacy; the data's range by default.
    subsets : int, optional
        Datasets per θ for *monte-carlo*, more than there are statistics. By default 1000, as in the
        paper, and 20 000 where a statistic has no closed form, whose simulation error the
        *guarded* calibration charges to δ.
    rng : Generator, int or None
        For *monte-carlo*. A whole number is also the seed of what is simulated of the records
        later on, such as the coupling bound; that is 0 otherwise.
    progress : callable, optional
        For *monte-carlo*: told the share done, from 0 to 1, every now and then.

    Returns
    -------
    GaussianModel

    Raises
    ------
    QueryError, PropertyError
        If the statistics or the property do not fit the table.
    ModelError
        If n is below 2, a group has fewer records than a subset needs, the covariance is singular
        (a constant or duplicated statistic), or a statistic that is not linear in the records
        (:mod:`distpriv.queries.nonlinear`) is to be fitted exactly.
    """
    chosen = (pairs,) if isinstance(pairs, Pair) else tuple(pairs)
    check_any(chosen)
    secrets = dict.fromkeys(pair.secret for pair in chosen)
    source = source_of(table)
    seed = rng if isinstance(rng, int) else 0
    populations = {
        secret: Population.of(query, secret, partial(source.sample, query, secret), seed)
        for secret in secrets
    }
    if method == "exact":
        moments = {secret: source.group_moments(query, secret) for secret in secrets}
        model = model_from_moments(
            moments,
            query,
            chosen,
            n,
            replacement=replacement,
            share_of=share_of,
            bounds=bounds,
        )
        return model.drawn_from(populations)
    if method != "monte-carlo":
        raise ModelError(f'method must be "exact" or "monte-carlo", got {method!r}.')
    fitted = SimulatedFit(
        groups={secret: known.groups for secret, known in populations.items()},
        query=query,
        pairs=chosen,
        n=n,
        replacement=replacement,
        share_of=share_of,
        subsets=subsets,
        seed=int(np.random.default_rng(rng).integers(2**63)),
        bounds=bounds or {},
    )
    return fitted.run(progress).drawn_from(populations)
