"""Files of statistics programs: Stata, SAS, SPSS and Weka."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.delimited import utf8
from distpriv.tables.grids import Grid, grid_of_rows, grid_of_table, text_of
from distpriv.tables.options import Notice, ReadOptions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_arff", "read_sas", "read_spss", "read_stata"]

_SECONDS = "DATETIME", "E8601DT"  # what formats of times begin with
_DAYS = "DATE", "DDMMYY", "MMDDYY", "YYMMDD", "E8601DA", "MONYY", "WORDDATE", "WEEKDATE"
_ZERO = 1e-78  # pandas reads zeros of transport files as 5.4e-79
_ATTRIBUTE = re.compile(
    r"""\s*@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))""", re.IGNORECASE
)


@contextmanager
def _damage(program: str) -> Iterator[None]:
    """Name a file that a library cannot read, whatever that raises."""
    try:
        yield
    except (MemoryError, ReadError):
        raise
    except Exception as error:  # noqa: BLE001 - each library has its own
        raise ReadError(
            f"The file of {program} is damaged or of an unusual version ({type(error).__name__}); "
            "save the table there as CSV and choose that file."
        ) from None


def _grid(frame: pd.DataFrame, options: ReadOptions, notices: list[Notice]) -> Grid:
    """Return a grid of a DataFrame; values of several types in a column are texts."""
    for name, column in frame.items():
        mixed = column.dtype.name == "object" and len(set(map(type, column.dropna()))) > 1
        if mixed or column.dtype.name == "category":
            frame[name] = column.astype(object).map(text_of, na_action="ignore")
    return grid_of_table(pa.Table.from_pandas(frame, preserve_index=False), options, notices)


def read_stata(data: bytes, options: ReadOptions) -> Grid:
    """Load a table of Stata; labels stand for their values."""
    import pandas as pd

    notices: list[Notice] = []
    with _damage("Stata"):
        if data.startswith(b"<stata_dta>") and not data.rstrip().endswith(b"</stata_dta>"):
            raise EOFError  # pandas reads what is there, without labels
        try:
            frame = pd.read_stata(io.BytesIO(data))
        except ValueError:  # two values have one label
            frame = pd.read_stata(io.BytesIO(data), convert_categoricals=False)
            notices.append(Notice("Two values have one label, so values were read, not labels."))
        return _grid(frame, options, notices)


def read_sas(data: bytes, options: ReadOptions) -> Grid:
    """Load a table or transport file of SAS; labels of values stand in another file."""
    import pandas as pd

    with _damage("SAS"):
        if not data.startswith(b"HEADER"):
            frame = pd.read_sas(io.BytesIO(data), format="sas7bdat", encoding="infer")
            return _grid(frame, options, [])
        how: Any = {"format": "xport", "encoding": "ISO-8859-1", "iterator": True}
        reader: Any = pd.read_sas(io.BytesIO(data), **how)
        frame = reader.read()
        for name, field in zip(frame, reader.fields, strict=True):
            if field["ntype"] == "numeric":
                frame[name] = frame[name].mask(frame[name].abs() < _ZERO, 0.0)
            form = field["nform"].decode("ascii", "replace")
            if form.startswith((*_SECONDS, *_DAYS)):  # dates are numbers with a format
                unit: Literal["s", "D"] = "s" if form.startswith(_SECONDS) else "D"
                frame[name] = pd.to_datetime(frame[name].to_numpy(), unit=unit, origin="1960-01-01")
        return _grid(frame, options, [])


def read_spss(data: bytes, options: ReadOptions) -> Grid:
    """Load a table of SPSS; labels stand for their values, and what its user calls missing is."""
    try:
        import pyreadstat
    except ImportError:
        raise ReadError(
            "This is a file of SPSS, which needs a further package; run pip install "
            "'distpriv[statistics-files]', or save the table in SPSS as CSV."
        ) from None

    with _damage("SPSS"):
        reader: Any = pyreadstat.read_sav if data[:3] == b"$FL" else pyreadstat.read_por
        notices, how = list[Notice](), {"apply_value_formats": True}
        try:
            frame, _ = reader(io.BytesIO(data), **how)
        except OverflowError:
            frame, _ = reader(io.BytesIO(data), **how, disable_datetime_conversion=True)
            text = "A date lies beyond the year 9999, so dates were read as seconds since 1582."
            notices.append(Notice(text))
        return _grid(frame, options, notices)


def read_arff(data: bytes, options: ReadOptions) -> Grid:
    """Load a table of Weka: names above, and records below, in which ? is missing."""
    names = []
    lines = iter(utf8(data)[0].decode().split("\n"))
    for line in lines:
        if attribute := _ATTRIBUTE.match(line):
            names.append(re.sub(r"\\(.)", r"\1", "".join(filter(None, attribute.groups()))))
        elif re.match(r"\s*@data", line, re.IGNORECASE):
            break
    records = [line for line in lines if line.strip() and not line.lstrip().startswith("%")]
    if any(line.lstrip().startswith("{") for line in records[:1]):
        raise ReadError(
            "The ARFF file is sparse, with places in braces, which is not read; save the table "
            "in Weka as CSV and choose that file."
        )
    quote = '"' if any(re.search(r'(^|,)\s*"', line) for line in records[:1_000]) else "'"
    cells = csv.reader(records, quotechar=quote, escapechar="\\", skipinitialspace=True)
    rows: list[list[str]] = []
    try:
        for row in cells:
            if len(row) != len(names):
                raise ReadError(
                    f"Record {len(rows) + 1} of the ARFF file has {len(row)} values where it "
                    f"names {len(names)} columns; correct it."
                )
            rows.append(row)
    except csv.Error as error:
        raise ReadError(f"Record {len(rows) + 1} cannot be read ({error}); correct it.") from None
    return grid_of_rows(rows, options, [], names)
