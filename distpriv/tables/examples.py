"""Tables to start with, all synthetic: who publishes what, and what must stay hidden."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distpriv.errors import ReadError
from distpriv.site import DATA

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXAMPLES", "Example", "load_census_income", "load_example"]


@dataclass(frozen=True)
class Example:
    """Hold a table to start with, and the question that it begins with.

    Attributes
    ----------
    key : str
        Short name, fit for an address.
    title, story : str
        Name to show; who publishes what, and what must stay hidden from whom.
    attribution : str
        Where the records come from, and under which licence.
    secret : (str, str)
        Column and label of the property that is hidden.
    shares : (float, float)
        Fractions to be told apart; the table's share lies between them.
    statistics : tuple of tuples
        ("mean", column) or ("count", column, label).
    units : mapping of column to str
        In the plural.
    bounds : mapping of column to (float, float)
        Least and largest value that a column can have, which is no secret.
    records : int
        Number of records that are released together.
    """

    key: str
    title: str
    story: str
    attribution: str
    secret: tuple[str, str]
    shares: tuple[float, float]
    statistics: tuple[tuple[str, ...], ...]
    units: Mapping[str, str] = field(hash=False)
    bounds: Mapping[str, tuple[float, float]] = field(hash=False)
    records: int = 100


def _tuples(value: Any) -> Any:
    """Make tuples of lists."""
    if isinstance(value, dict):
        return {key: _tuples(entry) for key, entry in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


_TOML = tomllib.loads((Path(__file__).parent / "examples.toml").read_text(encoding="utf-8"))
EXAMPLES: dict[str, Example] = {key: Example(key, **_tuples(one)) for key, one in _TOML.items()}
"""The examples by their keys; the dashboard opens on the first."""


def load_example(name: str) -> pd.DataFrame:
    """Return the table of an example.

    Parameters
    ----------
    name : str
        A key of ``EXAMPLES``.

    Returns
    -------
    DataFrame
        Numbers are int64, other columns categories of text; nothing is missing.

    Raises
    ------
    ReadError
        If there is no such example, or its file is not there.
    """
    import pandas as pd

    if name not in EXAMPLES:
        raise ReadError(f"There is no example {name!r}; take one of {', '.join(EXAMPLES)}.")
    file = f"{name.replace('-', '_')}.parquet"
    try:
        return pd.read_parquet(DATA / file)
    except OSError:
        raise ReadError(f"The file data/{file} is missing; install distpriv again.") from None


def load_census_income() -> pd.DataFrame:
    """Return 45 222 synthetic census records whose moments are close to those of UCI Adult."""
    return load_example("census-income")
