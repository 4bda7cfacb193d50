"""What an example is, and those of the gallery that are drawn from models of our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pandas as pd

from distpriv.errors import DatasetError
from distpriv.resources import DATA

__all__ = ["GALLERY", "Example", "embedded"]


@dataclass(frozen=True)
class Example:
    """A table to start with.

    Attributes
    ----------
    key : str
        Short name, fit for an address.
    title : str
        Name to show.
    description : str
        One sentence on what the table holds.
    attribution : str
        Where it comes from, under which licence, and whether the records are real.
    units : Mapping[str, str]
        Unit of each numeric column, in the plural ("years").
    load : callable
        Returns the table; raises DatasetError.
    secret, statistics : str, tuple of str
        Labels of what is hidden and released to begin with.
    story : str
        Two sentences: who publishes what, and what is to stay hidden from whom. Empty for an
        example that stands in no gallery.
    center, width : float
        Of the two shares to begin with.
    bounds : Mapping[str, tuple[float, float]]
        Least and largest value that a numeric column can hold, which is no secret.
    digest : str
        Fingerprint of the table, see :func:`distpriv.digest`; empty where it is not embedded.
    """

    key: str
    title: str
    description: str
    attribution: str
    units: Mapping[str, str] = field(hash=False)
    load: Callable[[], pd.DataFrame]
    secret: str
    statistics: tuple[str, ...]
    story: str = ""
    center: float = 0.5
    width: float = 0.1
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    digest: str = ""


def embedded(file: Path, maker: str) -> pd.DataFrame:
    """Read an embedded table.

    Parameters
    ----------
    file : Path
    maker : str
        Module and arguments that make the file again.

    Raises
    ------
    DatasetError
        If the file is not there or cannot be read.
    """
    try:
        return pd.read_parquet(file)
    except FileNotFoundError:
        raise DatasetError(
            f"The embedded example is missing: there is no data/{file.name} beside the "
            "package; install distpriv again, or run it from a complete checkout."
        ) from None
    except (OSError, ValueError):
        raise DatasetError(
            f"The embedded example data/{file.name} cannot be read; restore it with "
            f"`python -m {maker}`."
        ) from None


def _of_the_gallery(name: str) -> Callable[[], pd.DataFrame]:
    return partial(embedded, DATA / f"{name}.parquet", "data.make_gallery")


_OWN = "drawn from a model of our own (MIT licence); no real person"

GALLERY: tuple[Example, ...] = (
    Example(
        key="hospital",
        title="Hospital stays (synthetic)",
        description=(
            "Age, ward, diagnoses, medicines and length of 12 000 synthetic stays in a hospital, "
            "and whether the patient came back within 30 days."
        ),
        attribution=f"12 000 synthetic records, {_OWN}",
        units={
            "age": "years",
            "diagnoses": "diagnoses",
            "medicines": "medicines",
            "days": "days",
        },
        load=_of_the_gallery("hospital"),
        story=(
            "A hospital publishes averages of its stays in its quality report. Rival hospitals and "
            "insurers should not learn from them what share of the patients had to come back "
            "within 30 days."
        ),
        secret="readmitted = yes",  # nosec B106 # a predicate
        statistics=(
            "mean age",
            "mean days",
            "mean diagnoses",
            "mean medicines",
            "count emergency = yes",
        ),
        center=0.2,
        bounds={"age": (18, 98), "diagnoses": (1, 12), "medicines": (0, 40), "days": (1, 45)},
        digest="6a698de2ef4a14725bcc6244633a2b21087f9d634621461adcdbed1f10a7e2a5",
    ),
    Example(
        key="bank",
        title="Bank loans (synthetic)",
        description=(
            "Age, work, monthly income, size and duration of 15 000 synthetic loans, and whether "
            "the borrower is late with the payments."
        ),
        attribution=f"15 000 synthetic records, {_OWN}",
        units={
            "age": "years",
            "income": "euros",
            "amount": "euros",
            "duration": "months",
            "other-loans": "loans",
        },
        load=_of_the_gallery("bank"),
        story=(
            "A bank publishes averages of its loans for investors. Competitors should not learn "
            "from them what share of the borrowers is late with the payments."
        ),
        secret="late = yes",  # nosec B106 # a predicate
        statistics=(
            "mean age",
            "mean income",
            "mean amount",
            "mean duration",
            "count employment = self-employed",
        ),
        center=0.15,
        bounds={
            "age": (20, 75),
            "income": (500, 15_000),
            "amount": (500, 80_000),
            "duration": (6, 120),
            "other-loans": (0, 6),
        },
        digest="163d7290c207c32ad866bc0e437051a9f80a3e81ab32c82e76453351174ee88b",
    ),
    Example(
        key="staff",
        title="Company staff (synthetic)",
        description=(
            "Age, department, level, years of service, hours and monthly pay of 6 000 synthetic "
            "employees, and whether they think of leaving."
        ),
        attribution=f"6 000 synthetic records, {_OWN}",
        units={
            "age": "years",
            "service": "years",
            "weekly-hours": "hours",
            "pay": "euros",
            "training": "days",
        },
        load=_of_the_gallery("staff"),
        story=(
            "A company publishes averages of age, service, hours and pay in its report on equal "
            "pay. Headhunters should not learn from them what share of the staff said in a survey "
            "that they think of leaving."
        ),
        secret="leaving = yes",  # nosec B106 # a predicate
        statistics=(
            "mean age",
            "mean service",
            "mean weekly-hours",
            "mean pay",
            "count sex = female",
        ),
        center=0.3,
        bounds={
            "age": (21, 66),
            "service": (0, 45),
            "weekly-hours": (12, 60),
            "pay": (2_200, 14_000),
            "training": (0, 15),
        },
        digest="4a92bc85af10ab791f73cd50086622a0dc360e21cdfa9cedba9be5ecd20866bc",
    ),
    Example(
        key="school",
        title="School pupils (synthetic)",
        description=(
            "Grade, school, language at home, test scores and days missed of 9 000 synthetic "
            "pupils, and whether they have free meals."
        ),
        attribution=f"9 000 synthetic records, {_OWN}",
        units={
            "grade": "years",
            "maths": "points",
            "reading": "points",
            "missed": "days",
            "books": "books",
        },
        load=_of_the_gallery("school"),
        story=(
            "A school district publishes average test scores and days missed. Estate agents should "
            "not learn from them what share of the pupils comes from families that are poor enough "
            "for free meals."
        ),
        secret="free-meals = yes",  # nosec B106 # a predicate
        statistics=(
            "mean maths",
            "mean reading",
            "mean missed",
            "count language = another",
            "count sex = girl",
        ),
        center=0.35,
        bounds={
            "grade": (5, 9),
            "maths": (0, 100),
            "reading": (0, 100),
            "missed": (0, 60),
            "books": (0, 500),
        },
        digest="fb6cde2b1f35b85afda045ed2c697bac884464a839d7b1bad0d2bcd696e1c0c6",
    ),
)
"""Four synthetic tables; `data/make_gallery.py` says how they are made."""
