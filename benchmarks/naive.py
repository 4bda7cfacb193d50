"""The plain way: one subset at a time with `DataFrame.sample`, no closed form.

This is what somebody would write who knows pandas and scikit-learn and has the paper open. The
groups are split once and not once a subset; pandas and scikit-learn run with their defaults.

``tuned=True`` is the same loop by somebody who has profiled it: only the columns in use are
sampled, and NumPy's newer generator is handed to ``sample``, whose default shuffles the whole
table for every subset.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import laplace, multivariate_normal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distpriv.model.gaussian import PairModel
from distpriv.privacy.noise import Noise

__all__ = ["attack", "datasets", "fit", "profile"]

FloatArray = NDArray[np.float64]

COLUMNS = ["age", "education-num", "marital-status", "sex", "hours-per-week"]


def statistics(subset: pd.DataFrame) -> FloatArray:
    """The paper's five statistics of a subset."""
    return np.array(
        [
            subset["age"].mean(),
            subset["education-num"].mean(),
            (subset["marital-status"] == "Never-married").sum(),
            (subset["sex"] == "Female").sum(),
            subset["hours-per-week"].mean(),
        ]
    )


def datasets(
    records: pd.DataFrame, share: float, n: int, count: int, *, tuned: bool = False
) -> FloatArray:
    """Statistics of subsets with a given share of incomes above 50K, shape (count, 5)."""
    is_rich = records["income"] == ">50K"
    rich, poor = records[is_rich], records[~is_rich]
    generator = None
    if tuned:
        rich, poor = rich[COLUMNS], poor[COLUMNS]
        generator = np.random.default_rng()
    k = round(n * share)
    rows = []
    for _ in range(count):
        subset = pd.concat(
            [rich.sample(k, random_state=generator), poor.sample(n - k, random_state=generator)]
        )
        rows.append(statistics(subset))
    return np.array(rows)


def fit(
    records: pd.DataFrame,
    shares: tuple[float, float],
    n: int,
    count: int,
    *,
    tuned: bool = False,
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Mean and covariance of the statistics under each share, from `count` subsets each."""
    drawn = [datasets(records, share, n, count, tuned=tuned) for share in shares]
    return (
        [answers.mean(axis=0) for answers in drawn],
        [np.cov(answers, rowvar=False) for answers in drawn],
    )


def attack(
    records: pd.DataFrame,
    shares: tuple[float, float],
    n: int,
    noises: Mapping[str, Noise],
    *,
    adaptive: bool,
    tuned: bool = False,
) -> dict[str, float]:
    """One repetition of the attack; all noises meet the same 200 shadow and 200 test datasets."""
    shuffled = records.sample(20_000)
    labels = np.repeat([0, 1], 100)
    shadow, test = (
        np.vstack([datasets(part, share, n, 100, tuned=tuned) for share in shares])
        for part in (shuffled[:10_000], shuffled[10_000:])
    )
    accuracies = {}
    for name, noise in noises.items():
        features = shadow + noise.sample(len(shadow)) if adaptive else shadow
        classifier = make_pipeline(StandardScaler(), LogisticRegression()).fit(features, labels)
        accuracies[name] = float(classifier.score(test + noise.sample(len(test)), labels))
    return accuracies


def profile(fit: PairModel, noise: Noise, epsilons: FloatArray, draws: int) -> FloatArray:
    """Privacy profile from simulated privacy losses, for the first order."""
    first, second = (
        multivariate_normal(mean, covariance + noise.covariance)
        for mean, covariance in zip(fit.means, fit.covariances, strict=True)
    )
    drawn = first.rvs(draws, random_state=1)
    losses = first.logpdf(drawn) - second.logpdf(drawn)
    return np.array([np.maximum(-np.expm1(epsilon - losses), 0).mean() for epsilon in epsilons])


def max_f_scores(epsilons: FloatArray, beta: float, thresholds: int) -> list[float]:
    """Largest F-score of one record's attacker on Laplace noise, threshold by threshold."""
    best = []
    for epsilon in epsilons:
        psi = np.linspace(-10 / epsilon, 1 + 10 / epsilon, thresholds)
        right, wrong = (laplace.sf(psi, loc=at, scale=1 / epsilon) for at in (1, 0))
        best.append(float(((1 + beta**2) * right / (right + wrong + beta**2)).max()))
    return best
