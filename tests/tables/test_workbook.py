"""Excel workbooks, written here cell by cell."""

from __future__ import annotations

import io
import zipfile

import pytest

import distpriv as dp

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
ROWS = [["age", "sex", "pay"], *([20 + k, "FM"[k % 2], 1000.5 + k] for k in range(30))]


def cell(at, value):
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if not isinstance(value, str):
        return f'<c r="{at}"><v>{value}</v></c>' if value is not None else ""
    if value.startswith("#"):
        return f'<c r="{at}" t="e"><v>{value}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t>{value}</t></is></c>'


def sheet(rows, merged):
    cells = ["".join(cell(f"{chr(65 + c)}{r}", v) for c, v in enumerate(row)) for r, row in rows]
    spans = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    data = "".join(f'<row r="{r}">{line}</row>' for (r, _), line in zip(rows, cells, strict=True))
    return f"<worksheet {MAIN}><sheetData>{data}</sheetData><mergeCells>{spans}</mergeCells></worksheet>"


def workbook(sheets, hidden="", merged=()):
    """Write sheets of rows as .xlsx, one of them hidden."""
    listed = related = ""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for k, (name, rows) in enumerate(sheets.items()):
            archive.writestr(f"xl/worksheets/{k}.xml", sheet([*enumerate(rows, 1)], merged))
            state = ' state="hidden"' if name == hidden else ""
            listed += f'<sheet name="{name}" sheetId="{k + 1}" r:id="r{k}"{state}/>'
            related += (
                f'<Relationship Id="r{k}" Type="{RELATED}/worksheet" Target="worksheets/{k}.xml"/>'
            )
        root = f'<Relationship Id="r" Type="{RELATED}/officeDocument" Target="xl/workbook.xml"/>'
        files = {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>',
            "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{RELATED}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{related}</Relationships>',
        }
        for name, text in files.items():
            archive.writestr(name, text)
    return target.getvalue()


def read(rows, **how):
    """Read a workbook of one sheet: the table, and the notices' texts."""
    frame = dp.read_table(workbook({"Data": rows}, **how))
    return frame, [notice.text for notice in dp.how_read(frame)[1]]


def test_cells_are_read_as_what_they_hold():
    errors = ["#DIV/0!" if k % 10 == 0 else k / 8 for k in range(30)]
    names = [*ROWS[0], "late", "rate", "total"]
    rows = [[*row, k % 3 == 0, errors[k], None] for k, row in enumerate(ROWS[1:])]
    frame, notices = read([names, *rows])
    types = ["int64", "category", "float64", "bool", "float64", "category"]
    assert frame.dtypes.astype(str).tolist() == types
    assert frame["pay"].sum() == sum(row[2] for row in ROWS[1:])
    assert frame["late"].sum() == 10
    assert frame["rate"].isna().sum() == 3
    assert any("where it holds formulas" in text for text in notices)
    assert notices[0].endswith("count as missing: 3.")


def test_largest_visible_sheet_is_read_and_the_others_are_told():
    data = workbook(
        {"Lists": [["x", "y"]] * 90, "Notes": [["hello"]], "Data": ROWS}, hidden="Lists"
    )
    frame = dp.read_table(data)
    assert frame.shape == (30, 3)
    assert dp.how_read(frame)[1][0].text == "'Data' was read; the workbook also has 'Notes'."
    assert dp.read_table(data, member="Lists").shape == (90, 2)
    with pytest.raises(dp.ReadError, match="no 'Sheet9'"):
        dp.read_table(data, member="Sheet9")


def test_title_and_groups_above_the_names_are_left_out():
    rows = [["Staff of the north"], [], ["Person", None, "Money"], *ROWS, ["Source: register"]]
    frame, notices = read(rows)
    assert frame.shape == (30, 3)
    assert list(frame) == ["age", "sex", "pay"]
    assert len(notices) == 3


def test_cells_merged_down_are_the_value_of_each_row():
    rows = [["dept", "age"], *([f"D{k // 10}" if k % 10 == 0 else None, k] for k in range(30))]
    frame, notices = read(rows, merged=["A2:A11", "A12:A21", "A22:A31"])
    assert frame["dept"].value_counts().tolist() == [10, 10, 10]
    assert notices[0].endswith("that they span: 3.")
