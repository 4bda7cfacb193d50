"""Workbooks of all kinds: what their cells become, the choice of a sheet, and hostile ones."""

from __future__ import annotations

import datetime as dt
import io
import sys
import zipfile

import openpyxl
import pandas as pd
import pytest
import xlwt

from distpriv.errors import TableError
from distpriv.tables import column_types, digest, excel, how_read, read_table
from distpriv.tables.excel import read_workbook
from distpriv.tables.workbook import rows_of

DAY, MOMENT = dt.date(2020, 1, 2), dt.datetime(2021, 3, 4, 5, 6, 7)
ROWS = [
    ["whole", "real", "label", "flag", "day", "moment"],
    [1, 2.5, "a", True, DAY, MOMENT],
    [2, -0.25, "5", False, DAY, MOMENT],
    [3, None, " b ", None, None, MOMENT],
]
CSV = (
    b"whole,real,label,flag,day,moment\n"
    b"1,2.5,a,true,2020-01-02,2021-03-04 05:06:07\n"
    b"2,-0.25,5,false,2020-01-02,2021-03-04 05:06:07\n"
    b"3,,b,,,2021-03-04 05:06:07\n"
)


def xlsx(*sheets: list[list[object]], names: tuple[str, ...] = ()) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for place, rows in enumerate(sheets):
        sheet = book.create_sheet(names[place] if names else None)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def xls(rows: list[list[object]]) -> bytes:
    book = xlwt.Workbook()
    sheet = book.add_sheet("table")
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            shape = "yyyy-mm-dd hh:mm:ss" if isinstance(value, dt.datetime) else "yyyy-mm-dd"
            dated = isinstance(value, dt.date)
            style = xlwt.easyxf(num_format_str=shape) if dated else xlwt.Style.default_style
            if value is not None:
                sheet.write(i, j, value, style)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def ods(rows: list[list[object]], more: str = "") -> bytes:
    def cell(value: object) -> str:
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, bool):
            return (
                '<table:table-cell office:value-type="boolean" '
                f'office:boolean-value="{str(value).lower()}"/>'
            )
        if isinstance(value, int | float):
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
        if isinstance(value, dt.date):
            return (
                '<table:table-cell office:value-type="date" '
                f'office:date-value="{value.isoformat()}"/>'
            )
        return (
            '<table:table-cell office:value-type="string">'
            f"<text:p>{value}</text:p></table:table-cell>"
        )

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    content = (
        f"<office:document-content{spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="table">{body}{more}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis"></manifest:manifest>'
    return zipped({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


def zipped(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


@pytest.mark.parametrize("content", [xlsx(ROWS), xls(ROWS), ods(ROWS)], ids=["xlsx", "xls", "ods"])
def test_every_kind_gives_the_table_of_its_csv(content: bytes) -> None:
    table = read_table(content)
    wanted = read_table(CSV)
    assert column_types(table) == column_types(wanted)
    assert digest(table) == digest(wanted)


def test_values_of_formulas_and_errors() -> None:
    # What a spreadsheet has computed is kept beside the formula.
    sheet = xlsx([["a", "b"], [1, 7]])
    with zipfile.ZipFile(io.BytesIO(sheet)) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    path = "xl/worksheets/sheet1.xml"
    assert "<v>7</v>" in parts[path]
    parts[path] = parts[path].replace("<v>7</v>", "<f>A2*7</f><v>7</v>")
    assert read_table(zipped(parts))["b"].tolist() == [7]
    broken = xlsx([["a", "b"], [1, "#DIV/0!"], [2, "#N/A"], [3, 4]])
    assert read_table(broken)["b"].isna().tolist() == [True, True, False]


def test_numbers_that_are_whole_and_not() -> None:
    table = read_table(xlsx([["a", "b"], [2**60, "2"], [0.1, 2], [-3, 2.5]]))
    assert table["a"].tolist() == [float(2**60), 0.1, -3.0]
    assert table["b"].tolist() == [2, 2, 2.5]


def test_names_that_are_no_text() -> None:
    table = read_table(xlsx([[2020, 1.5, True, DAY], [1, 2, 3, 4]]))
    assert table.columns.tolist() == ["2020", "1.5", "true", "2020-01-02"]


def test_a_nameless_column_and_blank_rows() -> None:
    table = read_table(xlsx([["a", " ", "a"], [], [1, 2, 3], [None, "  "], [4, 5, 6, 7]]))
    assert table.columns.tolist() == ["a", "column 2", "a (2)", "column 4"]
    assert table["a"].tolist() == [1, 4]


def test_a_choice_of_sheets() -> None:
    content = xlsx([], [["a"], [1], [2]], [["b"], [3]], names=("notes", "first", "ü; --x"))
    reading = how_read(read_table(content))
    assert reading.members == ("notes", "first", "ü; --x")
    assert reading.member == "first"
    assert read_table(content, member="ü; --x")["b"].tolist() == [3]
    with pytest.raises(TableError, match="no sheet 'other'; the workbook has 'notes'"):
        read_table(content, member="other")
    with pytest.raises(TableError, match="'notes' is blank"):
        read_table(content, member="notes")
    with pytest.raises(TableError):
        read_table(content, member="a\0b")


def far(*references: str) -> bytes:
    """A workbook with numbers in some cells, wherever they are."""
    with zipfile.ZipFile(io.BytesIO(xlsx([["a"], [1]]))) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    cells = "".join(
        f'<row r="{"".join(filter(str.isdigit, each))}"><c r="{each}"><v>1</v></c></row>'
        for each in references
    )
    head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    parts["xl/worksheets/sheet1.xml"] = f"{head}<sheetData>{cells}</sheetData></worksheet>"
    return zipped(parts)


REPEATED = (
    '<table:table-row table:number-rows-repeated="1000000000"><table:table-cell '
    'table:number-columns-repeated="16000" office:value-type="float" office:value="1"/>'
    "</table:table-row>"
)


@pytest.mark.parametrize(
    "content", [far("A1", "XFD1048576"), ods(ROWS, REPEATED)], ids=["far corner", "repeated"]
)
def test_a_small_file_of_endless_cells_ends_in_a_sentence(content: bytes) -> None:
    assert len(content) < 10_000
    with pytest.raises(TableError, match=r"too large|damaged|columns"):
        read_table(content)


def test_a_cell_that_is_somewhat_far_is_read() -> None:
    assert read_table(far("A1", "A3000", "C3001")).shape == (2, 2)


def test_bounds_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "CELLS", 10)
    with pytest.raises(TableError, match="too large"):
        read_workbook(xlsx(ROWS))
    assert rows_of(xlsx(ROWS), "", 10)["large"]
    assert rows_of(xlsx(ROWS), "other", 10)["sheet"] is None


def test_a_reader_that_cannot_be_started_ends_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere")
    with pytest.raises(TableError, match="cannot be opened here"):
        read_workbook(xlsx(ROWS))


def test_an_old_workbook_of_nothing() -> None:
    with pytest.raises(TableError, match="damaged"):
        read_table(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000))


def test_many_cells() -> None:
    frame = pd.DataFrame({f"c{j}": [i * (2 * j + 1) / 4 for i in range(500)] for j in range(9)})
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False)
    table = read_table(buffer.getvalue())
    assert digest(table) == digest(read_table(frame.to_csv(index=False).encode()))
