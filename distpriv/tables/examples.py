"""Example tables: the embedded synthetic ones, and UCI Adult from local files or OpenML."""

from __future__ import annotations

import os
from http.client import HTTPException
from pathlib import Path

import pandas as pd

from distpriv.arguments import checked
from distpriv.errors import DatasetError
from distpriv.resources import DATA
from distpriv.tables.gallery import GALLERY, Example, embedded
from distpriv.tables.reading import read_table

__all__ = ["EXAMPLES", "Example", "load_adult", "load_census_income", "load_example"]

_CENSUS_INCOME = DATA / "census_income.parquet"
_ADULT_FILES = ("adult.data", "adult.test")
_ADULT_NUMBERS = (
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
)
_ADULT_CATEGORIES = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
    "income",
)
_ADULT_SIZE = 45_222


def load_census_income() -> pd.DataFrame:
    """Load the embedded example: 45 222 synthetic census records.

    They are drawn from aggregates of UCI Adult (``data/README.md``); no record is that of a
    person.

    Returns
    -------
    DataFrame, shape (45222, 11)
        Numbers are int64, the other columns categories; nothing is missing.

    Raises
    ------
    DatasetError
        If the file is not there or cannot be read.
    """
    return embedded(_CENSUS_INCOME, "data.make_census_income draw")


@checked(DatasetError)
def load_example(key: str) -> pd.DataFrame:
    """Load one of the examples.

    Parameters
    ----------
    key : str
        "census-income", "hospital", "bank", "staff" or "school", which are embedded and synthetic;
        "adult" as :func:`load_adult` does.

    Raises
    ------
    DatasetError
        If there is no such example, or as its loader.
    """
    found = next((example for example in EXAMPLES if example.key == key), None)
    if found is None:
        known = ", ".join(example.key for example in EXAMPLES)
        raise DatasetError(f"There is no example {key!r}; take one of {known}.")
    return found.load()


@checked(DatasetError)
def load_adult(directory: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load the complete records of UCI Adult.

    Parameters
    ----------
    directory : path, optional
        Folder with UCI's raw files adult.data and adult.test. Default: the environment variable
        ADULT_DIR; where that is not set either, the table is fetched from OpenML.

    Returns
    -------
    DataFrame, shape (45222, 15)
        Numbers are int64, the other columns categories. The records that miss a value are left
        out. From raw files those of adult.data come first; OpenML has an order of its own.

    Raises
    ------
    DatasetError
        If the files are not there or are not Adult's, or OpenML cannot be reached.
    TableError
        If one of the files is damaged.
    """
    directory = directory or os.environ.get("ADULT_DIR")
    table = _fetch_adult() if not directory else _read_adult(Path(directory))
    unknown = [name for name in (*_ADULT_NUMBERS, *_ADULT_CATEGORIES) if name not in table.columns]
    source = directory or "OpenML"
    if unknown:
        raise DatasetError(f"The table from {source} is not UCI Adult: it has no {unknown[0]!r}.")
    table = table.dropna().reset_index(drop=True)
    if len(table) != _ADULT_SIZE:
        raise DatasetError(
            f"The table from {source} is not UCI Adult as published: it has {len(table)} complete "
            f"records instead of {_ADULT_SIZE}; get the files from the UCI repository again."
        )
    types = dict.fromkeys(_ADULT_NUMBERS, "int64") | dict.fromkeys(_ADULT_CATEGORIES, "str")
    # By way of text, so that no label is left over from the records that miss a value.
    return table.astype(types).astype(dict.fromkeys(_ADULT_CATEGORIES, "category"))


def _read_adult(directory: Path) -> pd.DataFrame:
    for name in _ADULT_FILES:
        if not (directory / name).is_file():
            raise DatasetError(
                f"There is no file {name} in {directory}; ADULT_DIR has to name the folder that "
                "holds adult.data and adult.test from the UCI repository."
            )
    return pd.concat([read_table(directory / name) for name in _ADULT_FILES])


def _fetch_adult() -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(
            "adult", version=2, as_frame=True, parser="auto", cache=False, n_retries=1
        )
    except (OSError, HTTPException) as error:
        raise DatasetError(
            "UCI Adult cannot be fetched because OpenML cannot be reached from here (offline?); "
            "get adult.data and adult.test from the UCI repository "
            "(https://archive.ics.uci.edu/dataset/2/adult) and upload them, or set ADULT_DIR to "
            "the folder that holds them."
        ) from error
    return pd.DataFrame(bunch.frame).rename(columns={"class": "income"})


_SECRET = "income = >50K"  # nosec B105 # a predicate
_STATISTICS = (
    "mean age",
    "mean education-num",
    "count marital-status = Never-married",
    "count sex = Female",
    "mean hours-per-week",
)
_UNITS = {"age": "years", "education-num": "years", "hours-per-week": "hours"}

EXAMPLES: tuple[Example, ...] = (
    Example(
        key="census-income",
        title="Census income (synthetic)",
        description=(
            "Age, work, schooling, family and income of 45 222 synthetic adults whose averages "
            "and correlations are close to those of the US census sample known as UCI Adult."
        ),
        attribution=(
            "45 222 synthetic records, drawn from aggregates of UCI Adult "
            "(Becker & Kohavi 1996, CC BY 4.0); no real person"
        ),
        units=_UNITS,
        load=load_census_income,
        story=(
            "A statistical office publishes five figures on the adults of a region for a school "
            "book. Shops that look for rich neighbourhoods should not learn from them what share "
            "of the adults earns more than 50 000 dollars a year."
        ),
        secret=_SECRET,
        statistics=_STATISTICS,
        digest="039bf844728d886bbaa9f8dd8594661b8cdfb630e663c20d3316017b1958b37c",
    ),
    *GALLERY,
    Example(
        key="adult",
        title="UCI Adult",
        description=(
            "The 45 222 complete records of the 1994 US census sample that the experiments of "
            "Chen & Ohrimenko (2023) use, read from local files or fetched from OpenML."
        ),
        attribution="UCI Adult (Becker & Kohavi 1996, CC BY 4.0); records of real people",
        units=_UNITS | {"capital-gain": "US dollars", "capital-loss": "US dollars"},
        load=load_adult,
        secret=_SECRET,
        statistics=_STATISTICS,
    ),
)
"""The tables that the dashboard offers, the one it opens on first."""
