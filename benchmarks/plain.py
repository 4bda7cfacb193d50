"""What a good engineer would write with pandas, NumPy and scikit-learn: no closed form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from distpriv.model import Release

FloatArray = NDArray[np.float64]
Groups = Sequence[tuple[FloatArray, int]]  # records, and how many of them a subset has
Fit = list[tuple[FloatArray, FloatArray]]  # mean and covariance at each share


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Turn the paper's five statistics into columns of numbers, once."""
    return pd.DataFrame(
        {
            "age": table["age"].astype(float),
            "education": table["education-num"].astype(float),
            "never": (table["marital-status"] == "Never-married").astype(float),
            "female": (table["sex"] == "Female").astype(float),
            "hours": table["hours-per-week"].astype(float),
        }
    )


def scales(n: int) -> FloatArray:
    """Return what makes means and counts of sums."""
    return np.array([1 / n, 1 / n, 1, 1, 1 / n])


def fit_with_pandas(table: pd.DataFrame, numbers_with: tuple[int, int], n: int, count: int) -> Fit:
    """Simulate subsets by `DataFrame.sample`.

    Tuned: columns become numbers once, groups are split once, and NumPy's newer generator spares
    pandas from shuffling the whole table for every subset.
    """
    rng = np.random.default_rng(1)
    values, rich = numbers(table), table["income"] == ">50K"
    having, without = values[rich], values[~rich]
    result = []
    for k in numbers_with:
        subsets = (
            pd.concat([having.sample(k, random_state=rng), without.sample(n - k, random_state=rng)])
            for _ in range(count)
        )
        answers = pd.DataFrame([subset.sum() for subset in subsets]) * scales(n)
        result.append((answers.mean().to_numpy(), answers.cov().to_numpy()))
    return result


def _sums(groups: Groups, count: int, rng: np.random.Generator) -> FloatArray:
    total = np.empty((count, 5))
    for row in total:
        chosen = (group[rng.choice(len(group), size, replace=False)] for group, size in groups)
        row[:] = sum(records.sum(axis=0) for records in chosen)
    return total


def attack(
    values: FloatArray,
    having: NDArray[np.bool_],
    numbers_with: tuple[int, int],
    n: int,
    noises: Mapping[str, Release | None],
    rng: np.random.Generator,
) -> dict[str, float]:
    """Run a repetition of the adaptive attack; all noises meet the same 400 datasets."""
    order = rng.permutation(len(values))
    drawn = []
    for part in (order[:10_000], order[10_000:20_000]):
        rich, others = values[part[having[part]]], values[part[~having[part]]]
        groups = ([(rich, k), (others, n - k)] for k in numbers_with)
        drawn.append(np.vstack([_sums(each, 100, rng) for each in groups]))
    shadow, test = (each * scales(n) for each in drawn)
    labels = np.repeat([0, 1], 100)
    right = {}
    for name, noise in noises.items():
        train = shadow if noise is None else shadow + noise.sample(200, rng)
        tried = test if noise is None else test + noise.sample(200, rng)
        center, spread = train.mean(axis=0), train.std(axis=0)
        model = LogisticRegression(solver="liblinear").fit((train - center) / spread, labels)
        right[name] = float(model.score((tried - center) / spread, labels))
    return right
