"""Tables that a dashboard's owner offers in a file."""

import pandas as pd
import pytest

from distpriv.errors import SourceError
from distpriv.sources import named_source, named_sources

FILE = """
[people]
title = "People"
scan = "people.parquet"
units = {pay = "€"}
options = {types = {zip = "category"}}
[crew]
address = "postgresql://me:hush@127.0.0.1:1/secret"
table = "people"
[gone]
scan = "/hush/*.parquet"
[both]
scan = "hush"
address = "hush"
[odd]
scan = "hush"
tabel = "hush"
[kind]
scan = "hush"
timeout = "hush"
[bank]
scan = "people.parquet"
[long]
scan = "%s"
[late]
scan = "people.parquet"
timeout = 0
[figure]
address = 5
[option]
scan = "people.parquet"
options = {hush = 3}
"""


@pytest.fixture
def offered(tmp_path, monkeypatch):
    path = tmp_path / "sources.toml"
    path.write_text(FILE % ("long" * 100))
    monkeypatch.setenv("DISTPRIV_SOURCES", str(path))
    table = pd.DataFrame({"pay": [1, 2, 3], "zip": [10, 11, 12]})
    table.to_parquet(tmp_path / "people.parquet")
    return tmp_path


def test_source_is_opened_once_and_again_where_its_file_changed(offered):
    assert named_sources()["people"] == "People"
    assert named_sources()["crew"] == "crew"
    source = named_source("people")
    assert (source.key, source.title, source.rows, source.units["pay"]) == (
        "people",
        "People",
        3,
        "€",
    )
    assert source.numbers == ("pay",)
    assert named_source("people") is source
    pd.DataFrame({"pay": [1, 2], "zip": [10, 11]}).to_parquet(offered / "people.parquet")
    with pytest.raises(SourceError, match="changed since it was opened"):
        source.columns(["pay"])
    assert named_source("people").rows == 2


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("peple", "No table is offered as 'peple'. Did you mean 'people'?"),
        ("crew", "'crew' cannot be opened; its owner finds out why by connect"),
        ("gone", "'gone' cannot be opened"),
        ("long", "'long' cannot be opened"),
        ("both", "'both' is offered wrongly: it needs either scan or address"),
        ("odd", "'tabel' is unknown. Did you mean 'table'?"),
        ("kind", "its timeout must be a number of seconds above 0"),
        ("late", "its timeout must be a number of seconds above 0"),
        ("figure", "its address must be a text"),
        ("option", "cannot be opened"),
        ("bank", "its key is that of another table"),
    ],
)
def test_bad_entry_is_one_sentence_without_an_address(offered, key, message):
    with pytest.raises(SourceError) as error:
        named_source(key)
    assert message in str(error.value)
    assert "hush" not in str(error.value)
    assert str(offered) not in str(error.value)


def test_what_the_engine_says_of_a_named_table_stays_with_it(offered):
    source = named_source("people")
    with pytest.raises(SourceError) as error:
        source.engine.rows("FROM '/hush/x.parquet'")
    assert "hush" not in str(error.value)


def test_unreadable_file_is_told_where_a_table_is_chosen(offered, monkeypatch):
    (offered / "sources.toml").write_text("[people\n")
    assert named_sources() == {"sources": "sources"}
    with pytest.raises(SourceError, match=r"the file cannot be read \(.*line 1"):
        named_source("sources")
    monkeypatch.delenv("DISTPRIV_SOURCES")
    assert named_sources() == {}
