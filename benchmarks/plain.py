"""What a good engineer would write or install instead of the package: no closed form of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import integrate, linalg, optimize, spatial
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


def fit_with_numpy(table: pd.DataFrame, numbers_with: tuple[int, int], n: int, count: int) -> Fit:
    """Simulate subsets by the sums of drawn rows."""
    rng = np.random.default_rng(1)
    values, rich = numbers(table).to_numpy(), (table["income"] == ">50K").to_numpy()
    having, without = values[rich], values[~rich]
    drawn = [_sums([(having, k), (without, n - k)], count, rng) * scales(n) for k in numbers_with]
    return [(each.mean(axis=0), np.cov(each.T)) for each in drawn]


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


Tail = Callable[[FloatArray, FloatArray, float, float], float]


def delta(
    d: FloatArray, first: FloatArray, second: FloatArray, epsilons: FloatArray, tail: Tail
) -> FloatArray:
    """Return P(L > ε) - e^ε Q(L > ε) of P = N(d, first) and Q = N(0, second), one ε at a time."""
    of_p, of_q = _form(d, first, second), _form(-d, second, first)
    return np.array(
        [tail(*of_p, one) - math.exp(one) * (1 - tail(*of_q, -one)) for one in epsilons]
    )


def _form(
    d: FloatArray, first: FloatArray, second: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Weights, slopes and constant of the loss Σ w y² + b y + c, where y is standard normal."""
    root = linalg.cholesky(first, lower=True)
    inverse = linalg.inv(second)
    weights, vectors = linalg.eigh(root.T @ inverse @ root)
    logs = np.linalg.slogdet(second)[1] - np.linalg.slogdet(first)[1]
    return (weights - 1) / 2, vectors.T @ root.T @ inverse @ d, (logs + d @ inverse @ d) / 2


def imhof_tail(weights: FloatArray, slopes: FloatArray, constant: float, t: float) -> float:
    """Integrate P(L > t) as Imhof (1961) does."""
    centres = (slopes / (2 * weights)) ** 2
    x = t - constant + weights @ centres

    def integrand(u: float) -> float:
        v = weights * u
        angle = (np.arctan(v) + centres * v / (1 + v**2)).sum() / 2
        size = ((1 + v**2) ** 0.25).prod() * np.exp((centres * v**2 / (1 + v**2)).sum() / 2)
        return float(np.sin(angle - x * u / 2) / (u * size))

    with np.errstate(over="ignore"):  # 1/∞ is the 0 that is meant
        return 0.5 + float(integrate.quad(integrand, 1e-12, np.inf, limit=2000)[0]) / math.pi


def gx2_tail(weights: FloatArray, slopes: FloatArray, constant: float, t: float) -> float:
    """Ask the package gx2 for P(L > t)."""
    import gx2

    quadratic = {"q2": np.diag(weights), "q1": slopes, "q0": constant}
    size = len(weights)
    law = gx2.norm_quad_to_gx2_params(np.zeros(size), np.eye(size), quadratic)
    return float(gx2.cdf(t, *law, side="upper"))


def least_noise(epsilon: float, delta: float) -> float:
    """Search the least noise of a sum that may move by 1, with the PLD of dp_accounting."""
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    return float(
        dp_accounting.calibrate_dp_mechanism(
            PLDAccountant, dp_accounting.GaussianDpEvent, epsilon, delta
        )
    )


def wasserstein_inf(x: FloatArray, y: FloatArray) -> float:
    """Search the least reach at which a linear program finds a coupling of equal weights."""
    far, k = spatial.distance.cdist(x, y, "cityblock"), len(x)
    reaches = np.unique(far)
    ends = np.vstack([np.kron(np.eye(k), np.ones(k)), np.kron(np.ones(k), np.eye(k))])
    low, high = 0, len(reaches) - 1
    while low < high:
        half = (low + high) // 2
        most = np.where(far <= reaches[half], 1.0, 0.0).ravel()
        bounds = np.column_stack([np.zeros_like(most), most])
        found = optimize.linprog(np.zeros(k * k), A_eq=ends, b_eq=np.ones(2 * k), bounds=bounds)
        low, high = (low, half) if found.status == 0 else (half + 1, high)
    return float(reaches[low])


def moments_by_sql(path: Path) -> pd.DataFrame:
    """Take counts, sums and sums of products of both groups from a file."""
    names = ['"age"', '"education-num"', "(\"marital-status\" = 'Never-married')::INT"]
    names += ["(\"sex\" = 'Female')::INT", '"hours-per-week"']
    sums = [f"sum({one}::DOUBLE)" for one in names]
    sums += [f"sum({a}::DOUBLE * {b})" for i, a in enumerate(names) for b in names[i:]]
    query = f"SELECT income = '>50K', count(*), {', '.join(sums)} FROM '{path}' GROUP BY 1"
    return duckdb.sql(query).df()
