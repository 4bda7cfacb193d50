"""What the experiments of Chen & Ohrimenko (2023) would print if they were done again.

They draw twice: the model of a pair is fitted to 1000 random subsets of those records that the
attack leaves over, and an error is the mean of 50 draws of the noise. A closed form need not
meet one such figure; the question is whether the figure lies where most repeats lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from distpriv.mechanisms import calibrate
from distpriv.model.gaussian import GaussianModel
from distpriv.papers.records import DELTA, QUERY, SIZE, PaperRecords
from distpriv.queries.properties import Pair

__all__ = ["DRAWS", "REPEATS", "middle_95", "repeated_errors", "repeated_models"]

FloatArray = NDArray[np.float64]

REPEATS = 400
DRAWS = 50
_SUBSETS = 1000
_ATTACKED = 20_000  # records that the attack takes


def repeated_models(
    records: PaperRecords, pair: Pair, repeats: int, rng: np.random.Generator
) -> Iterator[GaussianModel]:
    """Models of a pair as the paper fits them, each to other records and other subsets.

    The modelling part is a random half and more of the records, whose group means are normal with
    the variance of a draw without replacement; the statistics of 1000 subsets are drawn from the
    normals of the exact model, moved by those means.
    """
    exact = records.model(pair)
    fit, moments = exact.pairs[0], records.moments[pair.secret]
    left = 1 - min(_ATTACKED / records.count, 0.5)
    roots = [
        np.linalg.cholesky(covariance * (1 - left) / (left * count))
        for covariance, count in zip(moments.covariances, moments.counts, strict=True)
    ]
    factors = np.linalg.cholesky(fit.covariances)
    taken = np.array([[theta.without, theta.having] for theta in fit.thetas])
    scales = QUERY.scales(SIZE)
    for _ in range(repeats):
        moved = np.array([root @ rng.standard_normal(len(QUERY)) for root in roots])
        centers = fit.means + taken @ moved * scales
        drawn = rng.standard_normal((2, _SUBSETS, len(QUERY))) @ factors.swapaxes(1, 2)
        means = drawn.mean(axis=1)
        centred = drawn - means[:, None]
        again = replace(
            fit,
            means=centers + means,
            covariances=centred.swapaxes(1, 2) @ centred / (_SUBSETS - 1),
            outcomes=None,
        )
        yield replace(exact, pairs=(again,))


def repeated_errors(
    records: PaperRecords,
    pair: Pair,
    mechanisms: Iterable[str],
    epsilons: Iterable[float],
    *,
    repeats: int = REPEATS,
    seed: int,
) -> Mapping[tuple[str, float], FloatArray]:
    """Mean L2 errors of 50 draws for each mechanism and ε, shape (repeats,) each.

    δ = 0.001, classical calibration, noise as published. Also the ratio Δ_{E,1}/Δ_{E,2} of every
    repeat, under ``("ratio", 0)``.
    """
    rng = np.random.default_rng(seed)
    keys = [(name, epsilon) for name in mechanisms for epsilon in epsilons]
    runs: dict[tuple[str, float], list[float]] = {key: [] for key in (*keys, ("ratio", 0.0))}
    for model in repeated_models(records, pair, repeats, rng):
        runs["ratio", 0.0].append(model.sensitivity(1) / model.sensitivity(2))
        for name, epsilon in keys:
            noise = calibrate(name, model, epsilon, DELTA, "classical", grid_safe=False)
            drawn = noise.sample(DRAWS, rng)
            runs[name, epsilon].append(float(np.linalg.norm(drawn, axis=1).mean()))
    return {key: np.array(values) for key, values in runs.items()}


def middle_95(values: FloatArray) -> tuple[float, float]:
    """Ends of the range that holds the middle 95 % of the values."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
