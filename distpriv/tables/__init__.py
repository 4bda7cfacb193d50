"""Tables: files to typed data frames, their types, their digest and a summary.

A table is a `pandas.DataFrame` whose columns have one of six types:

============== ====================================================================
``number``      ``int64`` where every value is a whole number, otherwise ``float64``
``category``    ``category`` with sorted labels
``boolean``     ``bool``, or ``boolean`` where a value is missing
``date``        ``datetime64[us]`` without a time zone
``identifier`` ``str``; tells records apart (names, keys, e-mail addresses)
``text``       ``str``; free text, or labels too many to choose from
============== ====================================================================

The types are kept in ``table.attrs["column_types"]``; how the file was read,
:func:`how_read` tells.
"""

from distpriv.tables.examples import EXAMPLES, load_adult, load_census_income, load_example
from distpriv.tables.reading import (
    ColumnType,
    column_types,
    digest,
    how_read,
    read_table,
    retype,
    summarise,
)
from distpriv.tables.reference import align

__all__ = [
    "EXAMPLES",
    "ColumnType",
    "align",
    "column_types",
    "digest",
    "how_read",
    "load_adult",
    "load_census_income",
    "load_example",
    "read_table",
    "retype",
    "summarise",
]
