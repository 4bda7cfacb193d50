"""What a release delivers at most, with no assumption on the laws of its statistics.

The mathematics lies in :mod:`distpriv.privacy.coupled`, the laws of what two datasets differ by in
:mod:`distpriv.model.swaps`, the proof in docs/coupling.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq

from distpriv.arguments import checked
from distpriv.errors import CalibrationError, InapplicableError, ModelError
from distpriv.model.gaussian import GaussianModel, check_any, table_size, thetas_of
from distpriv.model.moments import RecordGroups
from distpriv.model.population import Population
from distpriv.model.regularity import check_drawable
from distpriv.model.sampling import RandomState
from distpriv.model.source import Source, source_of
from distpriv.model.swaps import Differences, Matched, swap_differences
from distpriv.model.theta import ShareOf
from distpriv.privacy.calibration import check_delta
from distpriv.privacy.coupled import Radii, most_delivered, radii_of
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query

__all__ = [
    "CHARGED",
    "CouplingBound",
    "bounded_delta",
    "bounded_epsilon",
    "coupling_bound",
    "differences_of",
    "largest_bound",
]

FloatArray = NDArray[np.float64]

CHARGED = 1e-3
"""β/δ and τ/δ: what confidence and tails take of a promised δ, each."""

_FAILING = 1e-6
_HIGHEST = 700.0


@dataclass(frozen=True)
class CouplingBound:
    """At most this δ is delivered at ε, for the worst pair.

    Attributes
    ----------
    value : float
        δ. What confidence and tails cost is in it.
    epsilon : float
    confidence : float
        With this probability over the draws, at least, `value` without its `charged` part is no
        less than what is delivered; 1 where nothing is drawn.
    charged : float
        What has been added to δ for the draws that may mislead and for the tails.
    estimate : float
        Mean over the draws: the coupling's own δ, about; `value` exceeds it by the Monte Carlo
        part.
    draws : int
        How many differences of two datasets were drawn; 0 where their law is known.
    seed : int
    matched : "alike" or "independent"
        How the swapped records were put side by side.
    swapped : int
        How many records two datasets differ by.
    pair : int
        Which pair is the worst.
    varying : bool
        Whether that number is random, as it is for the share of a table, and `swapped` its mean.
    """

    value: float
    epsilon: float
    confidence: float
    charged: float
    estimate: float
    draws: int
    seed: int
    matched: Matched
    swapped: int
    pair: int
    varying: bool = False


@checked(CalibrationError)
def coupling_bound(
    records: pd.DataFrame | Source | RecordGroups,
    query: Query,
    pairs: Pair | Sequence[Pair],
    n: int,
    noise: Noise | None,
    epsilon: float,
    *,
    replacement: bool = False,
    share_of: ShareOf = "release",
    matched: Matched = "alike",
    confidence: float | None = None,
    rng: RandomState = None,
) -> CouplingBound:
    r"""A proven upper bound on the δ that Gaussian noise delivers, whatever the laws.

    :math:`\delta(\varepsilon) \le E\,\delta_N(\varepsilon; r)` for any coupling of the two laws,
    r the distance of the coupled statistics in the noise's own units (joint convexity of the
    hockey-stick divergence; docs/coupling.md). It assumes that a dataset is n records drawn from
    the two groups, k of one and n − k of the other, k as the share has it, and nothing else.

    Parameters
    ----------
    records : DataFrame, Source, or RecordGroups if all pairs are of one property
        Of a table that stays where it is, the bound is one for datasets drawn from its sample.
    query : Query
        Of m sums over records: counts, proportions, means, sums.
    pairs : Pair or sequence of Pair
    n : int
        Records in a dataset.
    noise : Noise or None
        Gaussian.
    epsilon : float >= 0
    replacement : bool
        Whether a dataset may hold a record twice.
    share_of : "release" or "table"
        Whose share is secret; see :func:`distpriv.fit_gaussian`.
    matched : "alike" or "independent"
        Whether swapped records are put beside ones that are as much like them as can be. Both are
        bounds, of which the first is the lower one, as a rule.
    confidence : float in (0, 1), optional
        1 − β for the draws; by default β is a thousandth of the δ that the noise promises, or
        1e-6.
    rng : Generator, int or None
        Seed of the draws; 0 by default.

    Returns
    -------
    CouplingBound

    Raises
    ------
    CalibrationError
        If ε is negative or the noise has another size.
    InapplicableError
        If a statistic is no sum over records, or the noise is Laplace.
    QueryError, PropertyError, ModelError
        As :func:`distpriv.fit_gaussian`.
    """
    chosen = (pairs,) if isinstance(pairs, Pair) else tuple(pairs)
    check_any(chosen)
    _check_linear(query)
    seed = int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else rng or 0
    laws = []
    for pair in chosen:
        groups = (
            records
            if isinstance(records, RecordGroups)
            else source_of(records).sample(query, pair.secret)
        )
        thetas = thetas_of(pair, n, replacement, table_size(share_of, groups.totals))
        check_drawable(groups, *thetas)
        population = Population.of(query, pair.secret, partial(_same, groups), seed)
        laws.append(swap_differences(population, thetas, matched))
    return largest_bound(laws, noise, epsilon, None if confidence is None else 1 - confidence)


@checked(CalibrationError)
def bounded_delta(model: GaussianModel, noise: Noise | None, epsilon: float) -> CouplingBound:
    """:func:`coupling_bound` of a model that knows its records; its curves are not used.

    Raises
    ------
    CalibrationError
        If ε is negative, or the noise is calibrated for another model.
    InapplicableError
        If the records are not known, a statistic is no sum over them, or the noise is Laplace.
    """
    if noise is not None and noise.calibrated_for is not None:
        noise.calibrated_for.check_model(model)
    return largest_bound(differences_of(model), noise, epsilon, None)


@checked(CalibrationError)
def bounded_epsilon(model: GaussianModel, noise: Noise | None, delta: float) -> float:
    """Least ε ≥ 0 at which the coupling bound is δ; ∞ if it never is.

    The bound falls as ε grows, with the same draws and the same confidence.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    delta : float in (0, 1)

    Errors are those of :func:`bounded_delta`.
    """
    delta = check_delta(delta)
    if noise is not None and noise.calibrated_for is not None:
        noise.calibrated_for.check_model(model)
    laws = differences_of(model)
    failing = CHARGED * delta / max(len(laws), 1)
    measured = [_radii(law, noise, failing) for law in dict.fromkeys(laws)]

    def excess(epsilon: float) -> float:
        bounds = [most_delivered(*radii, epsilon, failing).delta for radii in measured]
        return max(bounds, default=0.0) - delta

    if excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2
        if high > _HIGHEST:
            return np.inf
    return float(brentq(excess, 0.0, high, xtol=1e-9, rtol=1e-9)) * (1 + 1e-8)


def differences_of(model: GaussianModel) -> list[Differences]:
    """The law of what two datasets differ by, for each pair of a model.

    Raises
    ------
    InapplicableError
        If the records are not known, a statistic is not a sum over them, or a dataset has more
        records than the sample that stands for a table.
    """
    _check_linear(model.query)
    laws = []
    for fit in model.pairs:
        if fit.population is None:
            raise InapplicableError(
                "The coupling bound needs the records, and this model knows their moments alone; "
                "fit it with fit_gaussian, or take another mechanism."
            )
        try:
            check_drawable(fit.population.groups, *fit.thetas)
        except ModelError as error:
            raise InapplicableError(str(error)) from None
        laws.append(swap_differences(fit.population, fit.thetas))
    return laws


def _same(groups: RecordGroups) -> RecordGroups:
    return groups


def _check_linear(query: Query) -> None:
    other = [statistic.label for statistic in query if not statistic.linear]
    if other:
        raise InapplicableError(
            f"The coupling bound is for sums over records, which {', '.join(other)} is not; leave "
            "it out, or take another mechanism."
        )


def _radii(law: Differences, noise: Noise | None, failing: float) -> tuple[Radii, Radii]:
    size = law.values.shape[1]
    if noise is not None and not noise.is_zero and noise.distribution != "gaussian":
        raise InapplicableError(
            "The coupling bound is for Gaussian noise, this is Laplace noise; take a Gaussian "
            "mechanism."
        )
    if noise is not None and noise.dimension != size:
        raise CalibrationError(
            f"The noise is of {noise.dimension} statistics, the query has {size}; calibrate the "
            "noise for the statistics of this query."
        )
    covariance = np.zeros((size, size)) if noise is None else noise.covariance
    return (
        radii_of(law, covariance, failing),
        radii_of(law, covariance, failing, pilot=True),
    )


def largest_bound(
    laws: Sequence[Differences],
    noise: Noise | None,
    epsilon: float,
    failing: float | None = None,
) -> CouplingBound:
    """Return the bound of the worst of several laws of differences, one a pair.

    Parameters
    ----------
    laws : sequence of Differences, at least one
    noise : Noise or None
    epsilon : float >= 0
    failing : float in (0, 1), optional
        β; by default a thousandth of the promised δ, or 1e-6.
    """
    if not epsilon >= 0:
        raise CalibrationError(f"ε must be a number that is not negative, got ε = {epsilon:g}.")
    if failing is None:
        failing = CHARGED * noise.delta if noise is not None and noise.delta else _FAILING
    if not 0 < failing < 1:
        raise CalibrationError(
            f"The confidence must be in (0, 1), got {1 - failing:g}; take for instance 0.999999."
        )
    each = failing / len(laws)
    worst: CouplingBound | None = None
    for index, law in enumerate(laws):
        bound = most_delivered(*_radii(law, noise, each), min(epsilon, _HIGHEST), each)
        if worst is None or bound.delta > worst.value:
            charged = 2 * each if law.draws else 0.0
            worst = CouplingBound(
                value=bound.delta,
                epsilon=epsilon,
                confidence=1 - failing if law.draws else 1.0,
                charged=charged,
                estimate=bound.estimate,
                draws=law.draws,
                seed=law.seed,
                matched=law.matched,
                swapped=law.swapped,
                pair=index,
                varying=law.varying,
            )
    assert worst is not None
    return worst
