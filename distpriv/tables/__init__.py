"""Tables: from a file to typed columns, how it was read, and the examples."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distpriv.tables.examples import EXAMPLES, load_census_income, load_example
    from distpriv.tables.guard import busy, read_guarded
    from distpriv.tables.options import Notice, ReadOptions, Row, how_read
    from distpriv.tables.read import Reading, read_table
    from distpriv.tables.rows import as_records

__all__ = ["EXAMPLES", "Notice", "ReadOptions", "Reading", "Row", "as_records", "busy"]
__all__ += ["how_read", "load_census_income", "load_example", "read_guarded", "read_table"]

# What reads files takes half a second to import, which those who need a Row alone need not wait.
_NAMES = {
    "examples": "EXAMPLES load_census_income load_example",
    "guard": "busy read_guarded",
    "options": "Notice ReadOptions Row how_read",
    "read": "Reading read_table",
    "rows": "as_records",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"distpriv.tables.{_HOMES[name]}"), name)
