"""Draw the five example tables from their models: ``python data/make.py``.

The census is drawn from ``census_income_model.json``, aggregates of UCI Adult in which every count
stands for at least ten records. The hospital, the bank, the company and the school district are
models of our own, written down below: no data went into them. The seeds are fixed, so drawing again
gives the same tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize

FOLDER = Path(__file__).parent
SUMMARY = FOLDER / "census_income_model.json"

Numbers = NDArray[np.floating]
Labels = NDArray[np.str_]
Whole = NDArray[np.int64]

COLUMNS = (
    "age",
    "workclass",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "hours-per-week",
    "income",
)
NUMBERS = ("age", "education-num", "hours-per-week")
STRATUM = ("income", "sector", "sex", "marital group")
# Who has passed 13 years of schooling (a bachelor's degree) is 19 or older, and so on.
YEARS_BEFORE_SCHOOL = 6
BANDS = {
    "age band": ("age", (24, 34, 44, 54, 64), ("17-24", "25-34", "35-44", "45-54", "55-64", "65+")),
    "education band": (
        "education-num",
        (8, 9, 12, 13),
        ("no diploma", "high school", "some college", "bachelor", "advanced"),
    ),
    "hours band": ("hours-per-week", (34, 44), ("part time", "full time", "long")),
}


def census_income(rng: np.random.Generator) -> pd.DataFrame:
    """Draw census records with the summary's histograms, correlations and shares.

    In each stratum (income, sector of work, sex, marital group, part of the ages) age, years of
    education and hours a week have the summary's histograms exactly: quotas, not independent draws.
    A Gaussian copula ties the three together. The other columns follow one after the other from
    shares within cells.
    """
    summary = json.loads(SUMMARY.read_text(encoding="utf-8"))
    strata = [_stratum(stratum, rng) for stratum in summary["strata"]]
    table = pd.concat(strata, ignore_index=True)
    for band, (column, ends, labels) in BANDS.items():
        table[band] = np.array(labels)[np.searchsorted(ends, table[column])]
    for column, detail in summary["details"].items():
        table[column] = _detail(table, detail, rng)
    education = {int(years): label for years, label in summary["education"].items()}
    table["education"] = table["education-num"].map(education)
    return table.iloc[rng.permutation(len(table))].reset_index(drop=True)[list(COLUMNS)]


def _stratum(stratum: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Match the quotas of the three numbers by the ranks of correlated normals."""
    first, second, third = stratum["latent correlations"]
    target = np.array([[1, first, second], [first, 1, third], [second, third, 1]])
    normals = rng.standard_normal((stratum["count"], len(NUMBERS)))
    normals -= normals.mean(axis=0)
    # Whitened, so that the sample itself has the correlations and not only its distribution.
    whitened = np.linalg.solve(np.linalg.cholesky(np.cov(normals.T)), normals.T)
    ranks = (np.linalg.cholesky(target) @ whitened).argsort(axis=1).argsort(axis=1)
    quotas = [
        np.sort(np.concatenate([_spread(*part) for part in stratum[name]])) for name in NUMBERS
    ]
    table = pd.DataFrame(
        {name: quota[rank] for name, quota, rank in zip(NUMBERS, quotas, ranks, strict=True)}
    )
    table["education-num"] = _swap_too_young(table["age"], table["education-num"])
    return table.assign(**{name: stratum[name] for name in STRATUM})


def _spread(low: int, high: int, count: int, mean: int) -> Whole:
    """Compute quantiles of the distribution of largest entropy on low..high with that mean."""
    offsets = np.arange(high - low + 1)
    target = float(np.clip(mean - low, 0.25, max(high - low - 0.25, 0.25)))

    def shares(tilt: float) -> Numbers:
        weights = np.exp(tilt * (offsets - offsets[-1] * (tilt > 0)))
        return np.asarray(weights / weights.sum())

    if low == high:
        return np.full(count, low)
    tilt = optimize.brentq(lambda tilt: float(shares(tilt) @ offsets) - target, -20, 20)
    levels = (np.arange(count) + 0.5) / count
    return np.asarray(low + np.searchsorted(np.cumsum(shares(float(tilt)))[:-1], levels))


def _swap_too_young(age: pd.Series[int], education: pd.Series[int]) -> Whole:
    """Let records too young for their schooling exchange it with one old enough for it."""
    possible, years = age.to_numpy() - YEARS_BEFORE_SCHOOL, education.to_numpy().copy()
    for young in np.flatnonzero(years > possible):
        fits = (years <= possible[young]) & (possible >= years[young])
        if fits.any():
            other = int(np.argmax(np.where(fits, years, 0)))
            years[young], years[other] = years[other], years[young]
    return np.asarray(years)


def _detail(table: pd.DataFrame, detail: Mapping[str, Any], rng: np.random.Generator) -> Labels:
    """Draw a column from its conditional shares, evenly spread in each cell.

    Where the summary has no shares for a cell, those with the last conditions dropped stand in.
    """
    levels, cells = np.array(detail["levels"]), detail["cells"]
    drawn = np.empty(len(table), dtype=levels.dtype)
    for key, group in table.groupby(list(detail["given"]), observed=True):
        prefixes = (" | ".join(map(str, key[:depth])) for depth in range(len(key), -1, -1))
        shares = np.array(next(cells[prefix] for prefix in prefixes if prefix in cells))
        uniforms = (rng.permutation(len(group)) + rng.random(len(group))) / len(group)
        ends = np.cumsum(shares) / shares.sum()
        rows = np.asarray(group.index, dtype=np.int64)
        drawn[rows] = levels[np.searchsorted(ends[:-1], uniforms, side="right")]
    return drawn


def _chance(score: Numbers | float) -> Numbers:
    """Turn a score into a chance: 0 is one half."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(score))))


def _yes(rng: np.random.Generator, chance: Numbers) -> Labels:
    return np.where(rng.random(len(chance)) < chance, "yes", "no")


def _whole(values: Numbers, low: float, high: float) -> Whole:
    """Round to whole numbers within their range."""
    return np.clip(np.round(values), low, high).astype(np.int64)


def _among(
    rng: np.random.Generator, labels: Sequence[str], shares: Sequence[Numbers | float], size: int
) -> Labels:
    """Draw one label a record, by shares that may differ from record to record."""
    weights = np.stack([np.broadcast_to(np.asarray(share, dtype=float), size) for share in shares])
    ends = np.cumsum(weights / weights.sum(axis=0), axis=0)[:-1]
    return np.array(labels)[(rng.random(size) > ends).sum(axis=0)]


def hospital(rng: np.random.Generator) -> pd.DataFrame:
    """Draw stays in a hospital: age, diagnoses and emergencies bring patients back."""
    size = 12_000
    surgery = rng.random(size) < 0.35
    age = _whole(np.where(surgery, 54, 63) + 17 * rng.standard_normal(size), 18, 98)
    sex = np.where(rng.random(size) < 0.52, "female", "male")
    emergency = rng.random(size) < _chance(-0.9 + 0.025 * (age - 60) - 0.5 * surgery)
    illness = 0.03 * (age - 60) + 0.5 * emergency + rng.standard_normal(size)
    diagnoses = _whole(3.5 + 1.5 * illness, 1, 12)
    spread = np.exp(0.45 * rng.standard_normal(size))
    days = _whole(4.2 * np.exp(0.22 * illness - 0.1 * surgery) * spread, 1, 45)
    medicines = _whole(6 + 1.4 * diagnoses + 0.25 * days + 2.2 * rng.standard_normal(size), 0, 40)
    ward = np.where(
        surgery,
        "surgery",
        _among(rng, ["cardiology", "medicine", "neurology"], [0.3, 0.5, 0.2], size),
    )
    insurance = np.where(rng.random(size) < _chance(-1.8 + 0.01 * (age - 50)), "private", "public")
    back = -3.55 + 0.3 * diagnoses + 0.09 * days + 0.7 * emergency
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "ward": ward,
            "emergency": np.where(emergency, "yes", "no"),
            "diagnoses": diagnoses,
            "medicines": medicines,
            "days": days,
            "insurance": insurance,
            "readmitted": _yes(rng, _chance(back)),
        }
    )


def bank(rng: np.random.Generator) -> pd.DataFrame:
    """Draw loans: who earns little, borrows much, is self-employed falls behind more often."""
    size = 15_000
    age = _whole(20 + 48 * rng.random(size) ** 1.2, 20, 75)
    employment = _among(
        rng,
        ["employee", "public servant", "self-employed", "without work"],
        [0.62, 0.15, 0.16, 0.07],
        size,
    )
    level = (employment == "public servant") * 0.12 - (employment == "without work") * 0.75
    swing = np.where(employment == "self-employed", 0.55, 0.33)
    career = 0.012 * (np.minimum(age, 55) - 40)
    income = _whole(2_600 * np.exp(level + career + swing * rng.standard_normal(size)), 500, 15_000)
    purpose = _among(
        rng, ["car", "furniture", "home", "other"], [0.4, 0.2, _chance((age - 45) / 10), 0.2], size
    )
    scale = np.where(purpose == "home", 22_000, np.where(purpose == "car", 13_000, 5_500))
    wish = scale * (income / 2_600) ** 0.45 * np.exp(0.45 * rng.standard_normal(size))
    amount = 100 * _whole(wish / 100, 5, 800)
    duration = _whole((12 + 1.7 * amount / 1_000 + 8 * rng.standard_normal(size)) / 6, 1, 20) * 6
    burden = amount / duration / income
    late = -3.6 + 7 * burden + 1.1 * (employment == "self-employed")
    late += 1.6 * (employment == "without work") - 0.02 * (age - 40) - 0.25 * (income - 2_600) / 1e3
    others = _whole(-0.4 + 1.1 * rng.standard_normal(size) + 1.5 * _chance(late), 0, 6)
    return pd.DataFrame(
        {
            "age": age,
            "employment": employment,
            "income": income,
            "purpose": purpose,
            "amount": amount,
            "duration": duration,
            "other-loans": others,
            "late": _yes(rng, _chance(late + 0.5 * others)),
        }
    )


def staff(rng: np.random.Generator) -> pd.DataFrame:
    """Draw a company's staff: who is young, new, paid less, works long thinks of leaving."""
    size = 6_000
    age = _whole(21 + 43 * rng.random(size) ** 1.1, 21, 66)
    sex = np.where(rng.random(size) < 0.44, "female", "male")
    department = _among(
        rng,
        ["administration", "development", "production", "sales"],
        [0.17, 0.25, 0.36, 0.22],
        size,
    )
    service = _whole((age - 20) * rng.random(size) ** 1.4, 0, 45)
    rise = -2.3 + 0.045 * (age - 35) + 0.05 * service - 0.4 * (sex == "female")
    level = np.where(
        rng.random(size) < _chance(rise),
        "manager",
        np.where(rng.random(size) < _chance(-0.4 + 0.02 * service), "specialist", "clerk"),
    )
    part_time = rng.random(size) < np.where(sex == "female", 0.32, 0.08)
    usual = np.where(part_time, 24, 39.5) + np.where(part_time, 4, 3.5) * rng.standard_normal(size)
    hours = _whole(usual + 4 * (level == "manager"), 12, 60)
    base = np.where(level == "manager", 5_900, np.where(level == "specialist", 4_300, 3_300))
    place = 1 + 0.12 * (department == "development") - 0.06 * (department == "production")
    fair = base * place * (1 + 0.007 * service) * np.exp(0.11 * rng.standard_normal(size))
    pay = 10 * _whole(fair * (1 - 0.04 * (sex == "female")) / 10, 220, 1_400)
    training = _whole(np.maximum(0, 3.5 + 2.6 * rng.standard_normal(size)), 0, 15)
    leaving = -0.3 - 0.04 * (age - 40) - 0.1 * service + 0.07 * (hours - 38)
    leaving += -0.35 * (pay - 4_000) / 1e3 - 0.12 * (training - 3)
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "department": department,
            "level": level,
            "service": service,
            "weekly-hours": hours,
            "pay": pay,
            "training": training,
            "leaving": _yes(rng, _chance(leaving)),
        }
    )


def school(rng: np.random.Generator) -> pd.DataFrame:
    """Draw pupils: scores and days missed go with what a family can afford."""
    size = 9_000
    means = rng.standard_normal(size)  # of the family
    grade = _whole(4.5 + 5 * rng.random(size), 5, 9)
    sex = np.where(rng.random(size) < 0.49, "girl", "boy")
    language = np.where(rng.random(size) < _chance(-1.4 - 0.6 * means), "another", "the school's")
    kind = _among(rng, ["comprehensive", "grammar"], [1.0, 0.55 * np.exp(0.7 * means)], size)
    talent = 0.6 * means + rng.standard_normal(size)
    maths = 56 + 12 * talent + 7 * rng.standard_normal(size) + 4 * (kind == "grammar")
    reading = 59 + 11 * talent + 7 * rng.standard_normal(size) + 4 * (sex == "girl")
    reading = reading - 6 * (language == "another") + 4 * (kind == "grammar")
    missed = np.exp(1.6 - 0.3 * means + 0.65 * rng.standard_normal(size))
    books = np.exp(3.3 + 0.7 * means + 0.8 * rng.standard_normal(size))
    return pd.DataFrame(
        {
            "grade": grade,
            "sex": sex,
            "school": kind,
            "language": language,
            "maths": _whole(maths, 0, 100),
            "reading": _whole(reading, 0, 100),
            "missed": _whole(missed, 0, 60),
            "books": _whole(books, 0, 500),
            "free-meals": _yes(rng, _chance(-0.9 - 1.7 * means)),
        }
    )


MODELS: Mapping[str, tuple[int, Callable[[np.random.Generator], pd.DataFrame]]] = {
    "census_income": (20_230_607, census_income),
    "hospital": (20_260_901, hospital),
    "bank": (20_260_902, bank),
    "staff": (20_260_903, staff),
    "school": (20_260_904, school),
}
"""Seed and model of each table."""


def draw(name: str) -> pd.DataFrame:
    """Draw the records of an example: numbers as int64, all other columns as categories."""
    seed, model = MODELS[name]
    table = model(np.random.default_rng(seed))
    return table.astype(dict.fromkeys(table.select_dtypes(exclude="number"), "category"))


if __name__ == "__main__":
    for name in MODELS:
        draw(name).to_parquet(
            FOLDER / f"{name}.parquet", index=False, compression="zstd", compression_level=19
        )
