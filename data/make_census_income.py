"""Make the embedded example: synthetic census records drawn from aggregates of UCI Adult.

Two steps, run from the repository's top folder::

    python -m data.make_census_income fit ADULT_DIR   # adult.data, adult.test -> the summary
    python -m data.make_census_income draw            # the summary alone -> the records

`fit` writes ``census_income_model.json``. It holds counts and shares only: no number in it
stands for fewer than `SMALLEST_COUNT` records. `draw` writes ``census_income.parquet`` from that
file with the fixed seed `SEED`; drawing again yields the same table.

The records are split into strata by income, sector of work, sex, marital group and, where a
stratum is large enough, age band. In each stratum the synthetic records take over the number of
records and the histograms of age, years of education and hours per week exactly (quotas, not
independent draws). A Gaussian copula ties the three together; its correlations are chosen so that
the product-moment correlations of the discrete columns are those of the stratum. By the law of
total covariance the means and covariances of these columns, of sex and of being never married
then agree with the source within each income group and each sector. The other columns follow
one after the other from conditional distributions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.binned import histogram, latent_correlation, quota

FOLDER = Path(__file__).parent
MODEL = FOLDER / "census_income_model.json"
RECORDS = FOLDER / "census_income.parquet"

SEED = 20_230_607
SMALLEST_COUNT = 10
SMALLEST_CELL = 50
LARGEST_LOSS = 0.01
SEPARATOR = " | "

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
LIMITS = {"age": (17, 90), "education-num": (1, 16), "hours-per-week": (1, 99)}
LAST_YOUNG_AGE = 24
LAST_MIDDLE_AGE = 61
# Who has passed 13 years of schooling (a bachelor's degree) is 19 or older, and so on.
YEARS_BEFORE_SCHOOL = 6
STRATUM = ("income", "sector", "sex", "marital group")

SECTORS = {
    "Private": "private",
    **dict.fromkeys(("Self-emp-inc", "Self-emp-not-inc"), "self-employed"),
    **dict.fromkeys(("Federal-gov", "Local-gov", "State-gov"), "government"),
}
MARITAL_GROUPS = {
    "Never-married": "never married",
    "Married-civ-spouse": "married",
    **dict.fromkeys(("Divorced", "Married-spouse-absent", "Separated", "Widowed"), "lives apart"),
}
# Labels with fewer than SMALLEST_CELL records in all are counted with the one next to them.
RARE_LABELS = {
    "workclass": {"Without-pay": "Self-emp-not-inc"},
    "marital-status": {"Married-AF-spouse": "Married-civ-spouse"},
    "occupation": {"Armed-Forces": "Protective-serv"},
}
BANDS = {
    "age band": ("age", (24, 34, 44, 54, 64), ("17-24", "25-34", "35-44", "45-54", "55-64", "65+")),
    "education band": (
        "education-num",
        (8, 9, 12, 13),
        ("no diploma", "high school", "some college", "bachelor", "advanced"),
    ),
    "hours band": ("hours-per-week", (34, 44), ("part time", "full time", "long")),
}
# In the order in which they are drawn; each depends on columns that are there by then.
# The conditions stand in the order of their weight: a cell that is too small drops the last one.
DETAILS = {
    "workclass": ("sector", "income", "education band", "sex"),
    "marital-status": ("marital group", "sex", "age band", "income"),
    "relationship": ("sex", "marital-status", "age band", "income"),
    "race": ("marital group", "sex", "education band", "income"),
    "occupation": ("workclass", "sex", "education band", "income", "hours band"),
}

Model = dict[str, Any]


def fit(records: pd.DataFrame) -> Model:
    """Summarise complete Adult records by counts, shares and correlations.

    Parameters
    ----------
    records : DataFrame
        Complete records with the columns of `COLUMNS`.

    Returns
    -------
    dict
        What ``census_income_model.json`` holds.
    """
    table = _with_bands(records[list(COLUMNS)].reset_index(drop=True))
    for column, others in RARE_LABELS.items():
        table[column] = table[column].astype(str).replace(others)
    table["sector"] = table["workclass"].map(SECTORS)
    table["marital group"] = table["marital-status"].map(MARITAL_GROUPS)
    names = table.drop_duplicates("education-num").set_index("education-num")["education"]
    return {
        "source": "Aggregates of the complete records of UCI Adult "
        "(Becker & Kohavi 1996, CC BY 4.0)",
        "smallest_count": SMALLEST_COUNT,
        "education": {str(years): str(names[years]) for years in sorted(names.index)},
        "strata": _strata(table),
        "details": {
            column: _conditional(table, column, given) for column, given in DETAILS.items()
        },
    }


def draw(model: Model) -> pd.DataFrame:
    """Draw the synthetic records.

    Parameters
    ----------
    model : dict
        What `fit` returned.

    Returns
    -------
    DataFrame
        Columns of `COLUMNS`; numbers are int64, the others categories.
    """
    rng = np.random.default_rng(SEED)
    table = pd.concat([_draw_stratum(stratum, rng) for stratum in model["strata"]])
    table = _with_bands(table.reset_index(drop=True))
    for column, detail in model["details"].items():
        table[column] = _draw_detail(table, detail, rng)
    education = {int(years): label for years, label in model["education"].items()}
    table["education"] = table["education-num"].map(education)
    table = table.iloc[rng.permutation(len(table))].reset_index(drop=True)[list(COLUMNS)]
    kinds = {name: "int64" if name in NUMBERS else "category" for name in COLUMNS}
    return table.astype(kinds)


def _with_bands(table: pd.DataFrame) -> pd.DataFrame:
    """Add the bands of age, education and hours as text."""
    table = table.copy()
    for band, (column, ends, labels) in BANDS.items():
        table[band] = np.array(labels)[np.searchsorted(ends, table[column])]
    return table


def _strata(table: pd.DataFrame) -> list[dict[str, Any]]:
    strata = []
    for key, group in table.groupby(list(STRATUM), observed=True):
        names = dict(zip(STRATUM, map(str, key), strict=True))
        for low, high in _age_parts(group["age"].to_numpy()):
            strata.append(_stratum(names, group[group["age"].between(low, high)], (low, high)))
    return strata


def _age_parts(ages: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Part a stratum into young, middle and old, where young and old are enough records.

    Age and hours, and age and education, rise together among the young and fall among the old,
    which one copula per stratum could not follow.
    """
    ends = [LIMITS["age"][1]]
    if np.sum(ages > LAST_MIDDLE_AGE) >= SMALLEST_CELL:
        ends.insert(0, LAST_MIDDLE_AGE)
    if np.sum(ages <= LAST_YOUNG_AGE) >= SMALLEST_CELL:
        ends.insert(0, LAST_YOUNG_AGE)
    return list(zip([LIMITS["age"][0], *(end + 1 for end in ends[:-1])], ends, strict=True))


def _stratum(names: dict[str, str], records: pd.DataFrame, ages: tuple[int, int]) -> dict[str, Any]:
    limits = {**LIMITS, "age": ages}
    bins = {
        name: histogram(records[name].to_numpy(), limits[name], SMALLEST_COUNT) for name in NUMBERS
    }
    correlations = np.corrcoef(records[list(NUMBERS)].to_numpy().T)
    latent = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        wanted = float(np.nan_to_num(correlations[i, j]))
        enough = len(records) >= SMALLEST_CELL
        rho = latent_correlation(bins[NUMBERS[i]], bins[NUMBERS[j]], wanted) if enough else 0.0
        latent.append(round(rho, 4))
    return {**names, "count": len(records), "latent correlations": latent, **bins}


def _conditional(table: pd.DataFrame, column: str, given: Sequence[str]) -> dict[str, Any]:
    """Shares of the levels of a column in every cell of the conditions that is large enough.

    A cell needs `SMALLEST_CELL` records; for a smaller one the cell with one condition fewer
    stands in.
    """
    levels = sorted(table[column].astype(str).unique())
    cells: dict[str, list[float]] = {}
    for depth in range(len(given) + 1):
        groups = table.groupby(list(given[:depth]), observed=True) if depth else [((), table)]
        for key, cell in groups:
            if depth and len(cell) < SMALLEST_CELL:
                continue
            counts = cell[column].astype(str).value_counts().reindex(levels, fill_value=0)
            names = [str(name) for name in key]
            coarser = np.array(_nearest_cell(cells, names[:-1])) if depth else np.zeros(len(levels))
            shares = _merged_shares(np.asarray(counts, dtype=np.float64), coarser)
            cells[SEPARATOR.join(names)] = [float(f"{share:.3g}") for share in shares]
    return {"given": list(given), "levels": levels, "cells": cells}


def _merged_shares(
    counts: NDArray[np.float64], coarser: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Shares of levels of which the rare ones are known together only.

    Levels with fewer than `SMALLEST_COUNT` records are merged, if need be with the least frequent
    of the others, and divided in proportion to their shares in the coarser cell. Where they are a
    negligible part of the cell, or have no share in the coarser one, they are left out.
    """
    rare = (counts > 0) & (counts < SMALLEST_COUNT)
    if counts[rare].sum() < SMALLEST_COUNT:
        if counts[rare].sum() > LARGEST_LOSS * counts.sum():
            rare[np.argmin(np.where(counts >= SMALLEST_COUNT, counts, np.inf))] = True
        else:
            counts, rare = np.where(rare, 0.0, counts), np.zeros_like(rare)
    merged = np.where(rare, coarser, 0.0)
    merged *= counts[rare].sum() / (merged.sum() or 1.0)
    shares = np.where(rare, merged, counts)
    return np.asarray(shares / shares.sum())


def _nearest_cell(cells: dict[str, list[float]], key: Sequence[str]) -> list[float]:
    """The cell of these conditions, or with as few of the last ones dropped as possible."""
    prefixes = (SEPARATOR.join(key[:depth]) for depth in range(len(key), -1, -1))
    return next(cells[prefix] for prefix in prefixes if prefix in cells)


def _draw_stratum(stratum: dict[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Match the quotas of the three numbers by the ranks of correlated normals."""
    count = stratum["count"]
    first, second, third = stratum["latent correlations"]
    target = np.array([[1, first, second], [first, 1, third], [second, third, 1]])
    normals = rng.standard_normal((count, len(NUMBERS)))
    normals -= normals.mean(axis=0)
    # Whitened, so that the sample itself has the correlations and not only its distribution.
    whitened = np.linalg.solve(np.linalg.cholesky(np.cov(normals.T)), normals.T)
    ranks = (np.linalg.cholesky(target) @ whitened).argsort(axis=1).argsort(axis=1)
    table = pd.DataFrame(
        {name: quota(stratum[name])[rank] for name, rank in zip(NUMBERS, ranks, strict=True)}
    )
    table["education-num"] = _swap_too_young(table["age"], table["education-num"])
    return table.assign(**{name: stratum[name] for name in STRATUM})


def _swap_too_young(age: pd.Series, education: pd.Series) -> NDArray[np.int64]:
    """Let records too young for their schooling exchange it with one old enough for it."""
    possible, years = age.to_numpy() - YEARS_BEFORE_SCHOOL, education.to_numpy().copy()
    for young in np.flatnonzero(years > possible):
        fits = (years <= possible[young]) & (possible >= years[young])
        if fits.any():
            other = int(np.argmax(np.where(fits, years, 0)))
            years[young], years[other] = years[other], years[young]
    return np.asarray(years)


def _draw_detail(
    table: pd.DataFrame, detail: dict[str, Any], rng: np.random.Generator
) -> NDArray[np.str_]:
    """Draw a column from its conditional shares, evenly spread in each cell."""
    levels, cells = np.array(detail["levels"]), detail["cells"]
    drawn = np.empty(len(table), dtype=levels.dtype)
    for key, group in table.groupby(list(detail["given"]), observed=True):
        rows = np.asarray(group.index, dtype=np.int64)
        shares = np.array(_nearest_cell(cells, [str(name) for name in key]), dtype=np.float64)
        uniforms = (rng.permutation(len(rows)) + rng.random(len(rows))) / len(rows)
        ends = np.cumsum(shares) / shares.sum()
        drawn[rows] = levels[np.searchsorted(ends[:-1], uniforms, side="right")]
    return drawn


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the two steps from the command line."""
    parser = argparse.ArgumentParser(description="Make the embedded synthetic census records.")
    commands = parser.add_subparsers(dest="command", required=True)
    fitting = commands.add_parser("fit", help="summarise Adult's records into the JSON file")
    fitting.add_argument("adult_dir", help="folder with adult.data and adult.test")
    commands.add_parser("draw", help="draw the records from the JSON file")
    options = parser.parse_args(arguments)
    if options.command == "fit":
        from distpriv.tables.examples import load_adult

        MODEL.write_text(_to_json(fit(load_adult(options.adult_dir))), encoding="utf-8")
    else:
        table = draw(json.loads(MODEL.read_text(encoding="utf-8")))
        table.to_parquet(RECORDS, index=False, compression="zstd", compression_level=19)


def _to_json(model: Model) -> str:
    """Write the summary with one histogram or cell a line."""
    text = json.dumps(model, separators=(",", ":"))
    return text.replace('],"', '],\n"').replace("},{", "},\n{") + "\n"


if __name__ == "__main__":
    main()
