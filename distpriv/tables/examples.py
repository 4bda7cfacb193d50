"""Tables to start with, all synthetic: who publishes what, and what must stay hidden."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distpriv.errors import ReadError
from distpriv.files import DATA
from distpriv.text import one_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXAMPLES", "Example", "load_census_income", "load_example"]


@dataclass(frozen=True, repr=False)
class Example:
    """Hold a table to start with, and the question that it begins with."""

    key: str  # short name, fit for an address
    title: str
    story: str  # who publishes what, and what must stay hidden from whom
    attribution: str  # where the records come from, and under which licence
    secret: tuple[str, str]  # column and label of the property that is hidden
    shares: tuple[float, float]  # to be told apart; the table's share lies between them
    statistics: tuple[tuple[str, ...], ...]  # ("mean", column) or ("count", column, label)
    units: Mapping[str, str] = field(hash=False)  # of columns, in the plural
    bounds: Mapping[str, tuple[float, float]] = field(hash=False)  # of a column, no secret
    records: int = 100  # that are released together

    def __repr__(self) -> str:
        return f"Example({self.key!r}, {self.title!r})"


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
        census-income, bank, hospital, school or staff; ``dp.tables.EXAMPLES`` tells of each.

    Returns
    -------
    DataFrame
        Numbers are int64, other columns categories of text; nothing is missing.

    Raises
    ------
    ReadError
        If there is no such example, or its file is not there.

    Examples
    --------
    >>> table = dp.load_example("bank")
    >>> table.shape, list(table)[:3]
    ((15000, 8), ['age', 'employment', 'income'])
    """
    import pandas as pd

    one_of("example", name, EXAMPLES, ReadError)
    file = f"{name.replace('-', '_')}.parquet"
    try:
        return pd.read_parquet(DATA / file)
    except OSError:
        raise ReadError(f"The file data/{file} is missing; install distpriv again.") from None


def load_census_income() -> pd.DataFrame:
    """Return 45 222 synthetic census records whose moments are close to those of UCI Adult.

    Examples
    --------
    >>> dp.load_census_income()["income"].value_counts(normalize=True).round(2).to_dict()
    {'<=50K': 0.75, '>50K': 0.25}
    """
    return load_example("census-income")
