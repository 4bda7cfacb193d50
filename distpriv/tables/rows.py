"""What one row of a table is: a record, a cell of counted records, or one of a record's rows."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from distpriv.errors import ReadError
from distpriv.tables.options import Notice, ReadOptions, Row, excerpt, how_as_json, how_read
from distpriv.text import listed, whole

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.arrays import IntArray

__all__ = ["KEY", "MOST_RECORDS", "as_records", "counts_of", "names_of", "proposed"]

MOST_RECORDS = 2_000_000
MOST_CELLS = 20_000
MOST_NAMES, MOST_COLUMNS = 2_000, 200  # that are compared
MOST_LABELS = 30  # of each column that makes cells
KEY = re.compile(
    r"(^|[\W_])(?i:id|key|nr|number|code|uuid|respondent\w*|person|case|row)$|^(?i:id)|ID$"
    r"|(^|[ .])(?i:no)\W?$"  # "smoking_no" is an answer
)
_COUNT = (
    "freq|frequency|count|counts|n|anzahl|häufigkeit|effectif|effectifs|frecuencia|aantal|antal"
)
_COUNTED = rf"{_COUNT}|number|nombre|numero|total|cases|persons|people|records|obs|fälle|personen"
_CROWD = re.compile(
    r"(?i)births?|deaths?|population|inhabitants|einwohner|persons|people|habitants"
)
_CALLED = re.compile(rf"(?i){_COUNT}|nombre|n?cases|n?controls|successes|failures")
_PERSON = "(subject|patient|participant|respondent|resp|person|pupil|student|user|customer|client"
_PERSON += "|member|employee|worker|record|case|study|proband|teilnehmer|individual|player)"
_NAME = re.compile(rf"[pu]?id|uuid|id(no|nr)|(id)?{_PERSON}(id|nr|no|number|key|code|idno)")
_WEIGHTS = re.compile(
    r"[dfpa]?wei?ghts?|[dfpa]?wgtp?|fnlwgt|wts?|pwgtp|wt(fa|int|mec|ss).*|perwt|hhwt|asecwt|.*llcpwt"
    r"|.*spwght|.*(survey|sampl|design|final|person|household|post).*(weights?|wt|wgt)|gewicht(ung)?"
    r"|hochrechnung.*|poids|peso|pond[eé]ration|fexp"
)
_RUNNING = re.compile(r"(?i)row\W?(names?)?|index|column 1|unnamed\W+0|x|")
_BODY = re.compile(r"weights?|wts?|gewicht|poids|peso")  # of bodies too


def _stem(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _is_number(column: pd.Series) -> bool:
    return column.dtype.kind in "iuf" and bool(column.notna().any())


def _is_count(column: pd.Series) -> bool:
    if not _is_number(column):
        return False
    values = column.dropna().to_numpy(float)
    natural = bool(np.all((values >= 0) & (values == np.floor(values))))
    return natural and values.sum() >= 2


def _is_name(column: pd.Series) -> bool:
    return bool(column.notna().all()) and 1 < column.nunique() < len(column)


def counts_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that may count records: whole numbers of 0 or more, or blank."""
    return [str(name) for name in frame if _is_count(frame[name])]


def names_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that may name a record of several rows: filled, and repeated."""
    return [str(name) for name in frame if _is_name(frame[name])]


def proposed(frame: pd.DataFrame) -> Row:
    """Return what one row looks to be, by the names of the columns and their values.

    A cell: the other columns are labels, no two rows of which are alike, and all combinations of
    them are there, or half of them if a column is called as counts are.
    A part: a column is called as what names people, and a tenth of the rows repeat one of its
    values, at most 200 times on average.
    """
    counts = _counting(frame)
    if counts and _is_count(frame[counts]) and frame[counts].sum() <= MOST_RECORDS:
        return Row("cell", counts)
    for name in map(str, frame):
        bare = re.fullmatch(f"{_PERSON}s?", _stem(name))
        if (bare or _NAME.fullmatch(_stem(name))) and _is_name(frame[name]):
            rows, names = len(frame), frame[name].nunique()
            if rows / 200 <= names <= 0.9 * rows and (names >= 10 or not bare):
                return Row("part", name)
    return Row()


def _counting(frame: pd.DataFrame) -> str:
    """Return the column that looks to count the records of cells, "" if none does."""
    if len(frame) > MOST_CELLS:
        return ""
    unique = {str(name): frame[name].nunique() for name in frame}
    labels = {name for name in unique if frame[name].dtype.kind not in "iufM"}
    running = {name for name in unique if _RUNNING.fullmatch(name) and unique[name] == len(frame)}
    for name in (str(name) for name in frame if _is_number(frame[name])):
        others = [other for other in unique if other not in (name, *running)]
        sizes = [unique[other] for other in others]
        if not sizes or min(sizes) < 2 or max(sizes) > MOST_LABELS or any(map(KEY.search, others)):
            continue
        words = re.split(r"[\W\d_]+", f" {name.lower()} ")[1:-1] or [""]
        known = _COUNT if len(sizes) == 1 else _COUNTED
        share = len(frame) / math.prod(sizes)
        if any(re.fullmatch(known, word) for word in (words[0], words[-1])):
            cells = share >= 0.5 and (len(sizes) > 1 or labels.issuperset(others))
        else:
            cells = share == 1 and labels.issuperset(others) and 2 <= len(sizes) <= max(sizes) <= 12
        if cells and not frame[others].duplicated().any():
            return name
    return ""


def tell_row(frame: pd.DataFrame) -> list[Notice]:
    """Return notices where one row does not look to be a record, or stands for several."""
    row, counts = proposed(frame), _counting(frame)
    if row.kind == "part":
        return [Notice(text, row.column) for text in _tell_parts(frame, row.column)]
    for name in () if counts else map(str, frame):
        crowd = _CROWD.search(name) and _is_count(frame[name]) and frame[name].mean() >= 20
        if crowd or (_CALLED.fullmatch(name) and _is_of_groups(frame, name)):
            counts = name
    if not counts:
        return _tell_weights(frame)
    text = f"Each row may stand for as many records as {counts!r} counts"
    if row.kind == "record" and _is_count(frame[counts]):
        text += ", but figures count it once"
    elif row.kind == "record":
        text += ", but not all of these are whole numbers; round them"
    return [Notice(f"{text}; choose what one row is.", counts)]


def _is_of_groups(frame: pd.DataFrame, name: str) -> bool:
    """Tell whether a column counts, and the labels beside it name each row by what it has."""
    some = frame.head(MOST_CELLS).select_dtypes(["category", "str", "object"])
    keys = any(map(KEY.search, map(str, frame)))
    return _is_count(frame[name]) and not (keys or some.empty or some.duplicated().any())


def _tell_parts(frame: pd.DataFrame, column: str) -> list[str]:
    """Tell what differs within a record, and which columns are never filled in one row."""
    frame = frame[frame[column].factorize()[0] < MOST_NAMES]
    others = frame.drop(columns=column).iloc[:, :MOST_COLUMNS]
    most = others.groupby(frame[column], observed=True).nunique().max()
    visits = _listed(others.columns[most.to_numpy() > 1])
    differ = f", within which {visits} may differ" if visits else ""
    start = f"Several rows may belong to one record, which {column!r} names"
    texts = [f"{start}{differ}; choose what one row is."]
    gaps = others.loc[:, others.isna().any() & others.notna().any()]
    gaps = gaps.loc[:, [not str(name).startswith("redcap_repeat_") for name in gaps]]
    filled = gaps.notna().to_numpy(float)
    apart = filled.T @ filled == 0
    if apart.any():
        blank = apart[np.argmax(apart.any(axis=1))]
        full = _listed(gaps.columns[apart[np.argmax(blank)]])
        text = f"Rows that have {full} leave {_listed(gaps.columns[blank])} blank"
        texts.append(f"{text}; take one record for each {column!r} to bring them together.")
    return texts


def _listed(names: pd.Index[str]) -> str:
    return listed([*map(repr, names[:5]), *["others"] * (len(names) > 5)])


def _tell_weights(frame: pd.DataFrame) -> list[Notice]:
    """Tell of a survey's weights, and of the label whose share they change most."""
    for name in (str(name) for name in frame if _is_number(frame[name])):
        weights = frame[name].fillna(0).to_numpy(float)
        mean, spread = frame[name].mean(), weights.std()
        survey = 0.9 < mean < 1.1 or (mean > 100 and spread > mean / 2)
        if _BODY.fullmatch(_stem(name)) and not survey:
            continue
        if not _WEIGHTS.fullmatch(_stem(name)) or weights.min() < 0 or spread <= 0 or mean <= 0:
            continue
        text, most = "so figures are those of the rows, not of all whom they stand for", 0.0005
        for other in frame.select_dtypes(["category", "bool", "str", "object"]):
            codes, labels = frame[other].factorize()
            if not 1 < len(labels) <= MOST_LABELS:
                continue
            here = codes >= 0
            shares = np.bincount(codes[here]) / here.sum()
            by_weight = np.bincount(codes[here], weights[here]) / weights[here].sum()
            place = int(np.argmax(np.abs(shares - by_weight)))
            if abs(shares[place] - by_weight[place]) > most:
                most = abs(shares[place] - by_weight[place])
                text = (
                    f"by it, the share of {other} = {excerpt(labels[place])} would be "
                    f"{100 * by_weight[place]:.1f} %, not {100 * shares[place]:.1f} %"
                )
        return [
            Notice(f"{name!r} looks like a survey's weight. Each row counts once; {text}.", name)
        ]
    return []


def as_records(frame: pd.DataFrame, row: Row) -> pd.DataFrame:
    """Return a table with one row a record.

    Parameters
    ----------
    frame : DataFrame
    row : Row
        "cell": each row is repeated as often as its column counts. "part": the rows that share a
        name become one, with the first value of each column that is not missing; columns that
        differ within a record are noted (:func:`distpriv.how_read`). The column of counts or names
        is left out.

    Raises
    ------
    ReadError
        If the column is not there or does not count records, or there are more than 2 million.
    """
    if row.kind == "record":
        return frame
    if row.column not in frame:
        raise ReadError(f"The table has no column {row.column!r}; choose what one row is again.")
    return (_repeat if row.kind == "cell" else _merge)(frame, row.column)


def _repeat(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    counts = frame[column]
    if counts.dtype.kind in "iuf" and counts.sum() > MOST_RECORDS:
        raise ReadError(
            f"The rows stand for {whole(counts.sum())} records by {column!r} and at most "
            f"{whole(MOST_RECORDS)} are read; choose another column or a part of the table."
        )
    if not _is_count(counts):
        raise ReadError(
            f"Column {column!r} does not count records: it needs whole numbers of 0 or more; "
            "choose another one."
        )
    times = counts.fillna(0).to_numpy(np.int64)
    records = frame.drop(columns=column).take(np.repeat(np.arange(len(frame)), times))
    text = f"The {len(frame)} rows stand for {whole(times.sum())} records, by {column!r}"
    zeros, blanks = int((counts == 0).sum()), int(counts.isna().sum())
    if zeros + blanks:
        text += f"; of {zeros} with 0 and {blanks} without a count there are none"
    return _with(frame, records.reset_index(drop=True), [Notice(f"{text}.", column)])


def _with(frame: pd.DataFrame, records: pd.DataFrame, notices: list[Notice]) -> pd.DataFrame:
    """Note how records were made, beside how the rows were read."""
    options, former = how_read(frame) if "distpriv" in frame.attrs else (ReadOptions(), ())
    records.attrs = {**frame.attrs, "distpriv": how_as_json(options, (*former, *notices))}
    return records


def _merge(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    import pandas as pd

    records, names = pd.factorize(frame[column])
    if (records < 0).any():
        raise ReadError(
            f"Column {column!r} is missing in {int((records < 0).sum())} rows, so it does not name "
            "their records; choose another one."
        )
    merged, notices = {}, []
    for name in frame.columns.drop(column):
        values = frame[name].reset_index(drop=True)
        places, differing = _first(records, pd.factorize(values)[0], len(names))
        merged[name] = values.reindex(places).reset_index(drop=True)
        if differing:
            text = (
                f"{name!r} differs within {differing} of {len(names)} records; the first value "
                "that is not missing stands for each."
            )
            notices.append(Notice(text, str(name)))
    return _with(frame, pd.DataFrame(merged), notices)


def _first(records: IntArray, codes: IntArray, count: int) -> tuple[IntArray, int]:
    """Find the row of each record's first value (-1: all missing), and count those that differ."""
    present = np.flatnonzero(codes >= 0)
    places = np.full(count, -1)
    places[records[present[::-1]]] = present[::-1]  # the last assignment stays
    unequal = codes[present] != codes[places[records[present]]]
    return places, len(np.unique(records[present][unequal]))
