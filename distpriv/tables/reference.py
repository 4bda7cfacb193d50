"""Reference data: another table with the same columns, to model a released table on."""

from __future__ import annotations

import pandas as pd

from distpriv.arguments import checked
from distpriv.errors import TableError
from distpriv.tables.reading import column_types, retype

__all__ = ["align"]


@checked(TableError)
def align(reference: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Bring reference data to the columns of a table: their order and their types.

    Parameters
    ----------
    reference, table : DataFrame
        As :func:`distpriv.read_table` gives them.

    Returns
    -------
    DataFrame
        The records of the reference.

    Raises
    ------
    TableError
        If the two do not have the same columns, or a value of the reference does not fit the
        type its column has in the table.
    """
    missing = [str(name) for name in table.columns if name not in reference.columns]
    extra = [str(name) for name in reference.columns if name not in table.columns]
    if missing or extra:
        parts = [
            f"{what} {', '.join(map(repr, names))}"
            for what, names in (("lack", missing), ("have besides", extra))
            if names
        ]
        raise TableError(
            "The reference data must have the same columns as the table, but they "
            f"{' and '.join(parts)}; correct the file and upload it again."
        )
    types = column_types(table)
    try:
        return retype(reference[list(table.columns)], types)
    except TableError as error:
        raise TableError(
            f"The reference data do not have the types of the table's columns: {error}"
        ) from error
