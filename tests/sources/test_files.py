"""Tables that stay in their files, read as read_table reads them."""

import datetime
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import distpriv as dp
from distpriv.errors import ReadError, SourceError
from distpriv.queries import Mean, Query, SensitiveProperty
from distpriv.sources import scan, source_of
from distpriv.tables import columns


def test_folders_are_read_by_name(tmp_path):
    for year, order in ((2023, ["age", "sex", "pay"]), (2024, ["pay", "age", "sex"])):
        part = pd.DataFrame({"age": [year, 30], "sex": ["M", "F"], "pay": [5, 6]})[order]
        for kind in ("csv", "parquet"):
            folder = tmp_path / kind / f"year={year}"
            folder.mkdir(parents=True)
            (part.to_csv if kind == "csv" else part.to_parquet)(folder / f"p.{kind}", index=False)
    for path in (tmp_path / "csv", tmp_path / "parquet", tmp_path / "csv/*/*.csv"):
        table = scan(path).columns(["age", "pay", "sex", "year"]).sort_values("age")
        assert table["age"].tolist() == [30, 30, 2023, 2024]
        assert table["pay"].tolist() == [6, 6, 5, 5]
        assert sorted(table["year"]) == [2023, 2023, 2024, 2024]
    (tmp_path / "csv/year=2024/p.csv").write_text("a;b\n1;2\n")
    with pytest.raises(ReadError, match=r"p\.csv is written differently from p\.csv"):
        scan(tmp_path / "csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "cannot be scanned"),
        ("a,b\n1,2,3\n4,5,6\n", "more values than its row of names"),
        ("a,b\n" + "1,2\n2,1\n" * 200_000 + "600000,9\n", "sum of 'a'"),
        ('{"a": [1, 2]}', "not text in UTF-8"),
        ("\na,b\n1,2\n3,4\n", "begins with blank lines"),
        ("a,b\nx,cm\n" + "1,2\n" * 20 + "2,1\n", "not a plain table"),
        ("a,b\n" + "1,2\n" * 300_000 + "Total,600000\n", "not a plain table"),
        ("a,b\n1,\xe9\n".encode("latin-1"), "not in UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "not text in UTF-8"),
        (b"PK\x03\x04", "not text in UTF-8"),
        ("", "is empty"),
    ],
    ids=lambda value: str(value)[-12:],
)
def test_what_read_table_would_read_otherwise_is_refused(tmp_path, text, message):
    path = tmp_path / "t[1].csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ReadError, match=message):
        scan(path)
    with pytest.raises(ReadError, match="has no Parquet or CSV file"):
        scan(tmp_path / "no*.csv")


TYPED = {
    "twin": [1, 2, None],
    "Twin": [True, None, False],
    "": ["nameless", "b", "b"],
    "none": pa.array([None] * 3),
    "single": pa.array([0.1, 1e7 / 3, None], pa.float32()),
    "half": pa.array([0.1, None, 2], pa.float16()),
    "long": pa.array([2**53 + 1, None, 3], pa.uint64()),
    "time": pa.array([datetime.time(9, 30, 1), None, datetime.time(23)], pa.time64("us")),
    "moment": pa.array([1, None, -1], pa.timestamp("ms", "Asia/Tokyo")),
    "labels": pa.array([" x ", "NA", "e\u0301"]).dictionary_encode(),
    "lists": [[1], None, []],
    "spans": pa.array([1, 2, 3], pa.duration("s")),
}
TEXTS = """twin;Twin;drinks;kept;code
1,5;a; Tea; Coffee;90+;007
2,5;;Coffee;12;012
x;b; Milk;3;001
4,0;NA;"Tea; Milk";4;002
""" + "".join(f"{at},5;a;Tea;{at};{at:03}\n" for at in range(100))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_of_files_are_those_of_read_table(tmp_path, kind):
    path, chosen = tmp_path / f"t.{kind}", {}
    if kind == "parquet":
        pq.write_table(pa.table(list(TYPED.values()), names=list(TYPED)), path)
    else:
        path.write_text(TEXTS.replace(" Tea; Coffee", '" Tea; Coffee"'))
        chosen = {"split": {"drinks": ";"}}
    source, memory = scan(path, **chosen), dp.read_table(path, **chosen)
    pd.testing.assert_frame_equal(source.columns(list(memory)), memory, check_flags=False)
    assert list(source.cells) == list(memory)
    ours, theirs = ({one.text for one in x} for x in (source.notices, dp.how_read(memory)[1]))
    if kind == "parquet":
        assert ours == theirs
    else:
        assert ours - theirs == {x.replace("row 4", "record 3") for x in theirs - ours}
        assert "drinks: Coffee" in memory
    (tmp_path / "more").mkdir()
    for part in "ab":
        (tmp_path / "more" / f"{part}.{kind}").write_bytes(path.read_bytes())
    with pytest.raises(ReadError, match=r"in capitals alone \('twin' and 'Twin'\)"):
        scan(tmp_path / "more")


def test_types_of_a_large_file_are_those_of_read_table(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "SAMPLE", 1000)
    count = 2500  # of which every third one is profiled
    rng = np.random.default_rng(2)
    path = tmp_path / "people.csv"
    table = pd.DataFrame(
        {
            "id": np.arange(count),
            "code": rng.integers(0, 9, count).astype(str),
            "word": rng.choice(["yes", "no", " no "], count),
        }
    )
    table.loc[count - 2, "code"], table.loc[count - 2, "word"] = "?", "NULL"
    table.to_csv(path, index=False)
    source, memory = scan(path), dp.read_table(path)
    pd.testing.assert_frame_equal(source.columns(list(memory)), memory, check_flags=False)
    asked = Query([Mean("code")]), SensitiveProperty("word", "yes")
    groups = [one.groups(*asked) for one in (replace(source, most=0), source_of(memory))]
    assert groups[0].counts.tolist() == groups[1].counts.tolist()
    np.testing.assert_allclose(groups[0].means, groups[1].means, rtol=1e-12)
    part = replace(source, most=100).columns(["id"], most=500, seed=1)["id"]
    assert len(part) == 500
    assert part.tolist() == source.columns(["id"], most=500, seed=1)["id"].tolist()
    assert part.tolist() != source.columns(["id"], most=500, seed=2)["id"].tolist()
    path.write_text(path.read_text() + "7,7,yes\n")
    with pytest.raises(SourceError, match="changed since it was opened"):
        source.groups(*asked)
