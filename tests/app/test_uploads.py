"""Uploads: what is done to a file and undone; they start whole, and examples stay as they are."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Callable
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from distpriv.analysis.workspace import Source, Workspace, read_workspace, write_workspace
from distpriv.dashboard.shell import spooling
from distpriv.dashboard.shell.uploads import from_upload
from distpriv.tables import digest
from distpriv.tables.examples import EXAMPLES
from distpriv.words import number
from tests.app.driver import (
    OF_THE_SCENARIO,
    clean,
    records,
    release,
    sampled,
    table,
    texts,
    turn_to,
    upload,
)

SIZE = 1800


def size(app):
    """The whole, n, and what the box says."""
    scenario = app.session_state["scenario"]
    key = "n_whole" if scenario.whole else "n"
    return scenario.whole, scenario.n, app.number_input(key=key).value


def test_an_upload_starts_with_all_of_its_records(open_app):
    mine = records(SIZE)
    mine.loc[:24, "salary"] = np.nan
    app = upload(open_app("question"), mine)
    clean(app)
    assert size(app) == (True, 100, SIZE - 25)
    assert app.number_input(key="n_whole").disabled
    assert f"statistics of {number(SIZE - 25)} records" in texts(app)
    # The number of records follows the columns in use, and is none of the address's business.
    app.multiselect(key="own_stat").set_value(["mean hours"]).run()
    assert size(app) == (True, 100, SIZE)
    assert str(SIZE) not in str(app.query_params)


def test_every_page_takes_the_whole_table(open_app):
    app = upload(open_app("question"), records(300))
    for page in OF_THE_SCENARIO:
        clean(turn_to(app, page))


def test_what_is_released_is_the_whole_table(open_app):
    app = release(turn_to(upload(open_app("question"), records(SIZE)), "release"))
    clean(app)
    assert "statistics of all of **mine\\.csv**" in texts(app)


def test_a_sample_of_an_upload_is_a_switch_away(open_app):
    app = sampled(upload(open_app("question"), records(SIZE)), 70)
    clean(app)
    assert size(app) == (False, 70, 70)
    app.toggle(key="whole").set_value(True).run()
    assert size(app) == (True, 70, SIZE)
    app.toggle(key="whole").set_value(False).run()
    assert size(app) == (False, 70, 70)


def test_examples_keep_their_size(open_app):
    app = open_app("question", n="300")
    assert size(app) == (False, 300, 300)
    upload(app, records(SIZE))
    assert size(app)[0]
    app.selectbox(key="data").set_value(EXAMPLES[0].title).run()
    clean(app)
    assert size(app) == (False, 300, 300)
    app.selectbox(key="data").set_value("Your file").run()
    clean(app)
    assert size(app) == (True, 100, SIZE)


def test_the_size_set_for_an_upload_is_there_again(open_app):
    app = sampled(upload(open_app("question"), records(SIZE)), 70)
    app.selectbox(key="data").set_value(EXAMPLES[0].title).run()
    assert size(app) == (False, 100, 100)
    app.selectbox(key="data").set_value("Your file").run()
    assert size(app) == (False, 70, 70)
    upload(turn_to(app, "question"), records(900), "another.csv")
    assert size(app) == (True, 100, 900)


def test_a_link_to_a_whole_example_keeps_its_n(open_app):
    app = open_app("question", whole="true", n="300")
    clean(app)
    assert size(app) == (True, 300, 45222)
    app.toggle(key="whole").set_value(False).run()
    assert size(app) == (False, 300, 300)
    assert not open_app(whole="true", n="nonsense").exception


def test_the_errors_are_those_of_the_whole_table(open_app):
    app = upload(open_app("question"), records(SIZE))
    whole = table(app, "Noise")["Noise"].tolist()
    assert whole != table(sampled(app, 70), "Noise")["Noise"].tolist()


@pytest.fixture
def ticket() -> Callable[[bytes, str], bytes]:
    """Lay a file where a large upload lies, and give what Streamlit is handed in its place."""

    def laid(content: bytes, name: str) -> bytes:
        folder = tempfile.TemporaryDirectory(prefix="distpriv-upload-")
        path = Path(folder.name) / "upload"
        path.write_bytes(content)
        state = blake2b(content, digest_size=32).hexdigest()
        key = state
        spooling._waiting[key] = spooling.Spooled(path, name, len(content), "me", state, folder)
        return f"distpriv-spooled:{key}".encode()

    return laid


def parquet(frame: pd.DataFrame) -> bytes:
    file = BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def test_a_large_upload_is_asked_where_it_lies(open_app, ticket):
    mine = records(SIZE)
    app = upload(open_app("question"), ticket(parquet(mine), "mine.parquet"), "mine.parquet")
    for _ in range(40):
        if app.session_state["dataset"].title == "mine.parquet":
            break
        app.run()
    clean(app)
    dataset = app.session_state["dataset"]
    assert dataset.source is not None
    assert dataset.file.path.exists()
    assert size(app) == (True, 100, SIZE)
    small = upload(open_app("question"), parquet(mine), "mine.parquet")
    assert small.session_state["dataset"].source is None
    for app_ in (app, small):
        app_.run()
    told = [re.findall(r"\d+ of 100", texts(each)) for each in (app, small)]
    assert told[0] == told[1] != []
    for page in OF_THE_SCENARIO:
        clean(turn_to(app, page))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04 a workbook", "only Parquet and CSV are read beyond 200 MB"),
        (b"PAR1 nothing PAR1", "cannot be read as a table"),
    ],
)
def test_a_large_upload_that_is_no_table_ends_in_a_sentence(open_app, ticket, content, said):
    app = upload(open_app("question"), ticket(content, "mine.parquet"), "mine.parquet")
    for _ in range(40):
        if any(button.key == "opening_leave" for button in app.button):
            break
        app.run()
    assert any(said in each.value for each in (*app.error, *app.warning))
    app.button(key="opening_leave").click().run()
    clean(app)
    assert app.session_state["dataset"].title == EXAMPLES[0].title


def odd(size: int = 300) -> bytes:
    """Somebody's file with a name that stands twice, a row of types, and words for no answer."""
    mine = records(size)
    mine["test"] = np.where(np.arange(size) % 3 == 0, "None", mine["sector"])
    mine["age"] = [str(20 + i % 50) for i in range(size - 1)] + ["99999999999"]
    head = "salary,hours,sector,active,test,age,salary\nfloat,int,string,bool,string,int,int\n"
    rows = mine.to_csv(index=False, header=False).splitlines()
    return (head + "".join(f"{row},{i % 9}\n" for i, row in enumerate(rows))).encode()


def line(app):
    """What stands above the list of what was done."""
    return next(each.label for each in app.expander if each.label.startswith("Read "))


def mine(app):
    return app.session_state["dataset"]


def test_what_was_done_is_one_line_and_undone_by_item(open_app):
    app = upload(open_app("question"), odd())
    clean(app)
    assert line(app) == "Read 300 records; 2 things were done to the file; 1 thing to look at"
    first = mine(app)
    assert "salary (2)" in first.types
    app.button(key=f"repair_double_names_{first.digest}").click().run()
    clean(app)
    second = mine(app)
    assert "salary (2)" not in second.types
    assert second.digest != first.digest
    assert second.fingerprints[0] == first.digest  # the ledger knows the file all the same
    assert line(app).startswith("Read 300 records; 1 thing was done")
    app.button(key=f"repair_double_names_{second.digest}").click().run()
    clean(app)
    assert mine(app).digest == first.digest


def test_missing_values_and_bounds_are_chosen_and_kept(open_app):
    app = upload(open_app("question"), odd())
    first = mine(app)
    app.selectbox(key=f"missing_column_{first.digest}").set_value("test")
    app.text_input(key=f"missing_text_{first.digest}").set_value("None")
    app.button(key=f"missing_apply_{first.digest}").click().run()
    clean(app)
    second = mine(app)
    assert second.table["test"].isna().sum() == 100
    place = next(i for i, one in enumerate(second.reading.notices) if one.kind == "outliers")
    app.number_input(key=f"high_{first.digest}_age").set_value(120.0)
    app.button(key=f"bound_{place}_{second.digest}").click().run()
    clean(app)
    third = mine(app)
    assert third.read_as.bounds == (("age", 0.0, 120.0),)
    assert third.table["age"].isna().sum() == 1
    assert third.table["test"].isna().sum() == 100
    # Whatever is chosen stays while something else is undone, and a bound is taken back.
    app.button(key=f"repair_types_row_{third.digest}").click().run()
    clean(app)
    assert mine(app).table["test"].isna().sum() == 100
    app.button(key=f"repair_types_row_{mine(app).digest}").click().run()
    assert mine(app).digest == third.digest
    place = next(i for i, one in enumerate(mine(app).reading.notices) if one.kind == "bounds")
    app.button(key=f"unbound_{place}_{third.digest}").click().run()
    clean(app)
    assert mine(app).digest == second.digest


def test_what_cannot_be_read_otherwise_ends_in_a_sentence(open_app):
    app = upload(open_app("question"), odd())
    first = mine(app)
    place = next(i for i, one in enumerate(first.reading.notices) if one.kind == "outliers")
    app.number_input(key=f"low_{first.digest}_age").set_value(500.0)
    app.button(key=f"bound_{place}_{first.digest}").click().run()
    assert "must be below" in app.error[0].value
    assert mine(app).digest == first.digest


def test_a_first_row_can_be_a_record_and_types_and_choices_wait_for_their_column(open_app):
    app = upload(open_app("question"), odd())
    first = mine(app)
    app.checkbox(key=f"header_{first.digest}").uncheck().run()
    clean(app)
    assert next(iter(mine(app).types)) == "column 1"
    app.checkbox(key=f"header_{mine(app).digest}").check().run()
    assert mine(app).digest == first.digest


def test_another_table_of_an_archive(open_app):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("notes.txt", "nothing but words\n" * 9_000)
        archive.writestr("a.csv", records(SIZE).to_csv(index=False))
        archive.writestr("b.csv", records(300, 2).to_csv(index=False))
    app = upload(open_app("question"), buffer.getvalue(), "mine.zip")
    clean(app)
    first = mine(app)
    assert first.reading.member == "a.csv"  # the words are no table to ask about
    app.selectbox(key=f"member_{first.digest}").set_value("b.csv").run()
    clean(app)
    assert (mine(app).reading.member, mine(app).size) == ("b.csv", 300)
    app.selectbox(key=f"member_{mine(app).digest}").set_value("notes.txt").run()
    assert app.error
    assert mine(app).reading.member == "b.csv"


def test_the_reading_goes_into_the_script_and_the_workspace(open_app, tmp_path, monkeypatch):
    app = upload(open_app("question"), odd())
    app.button(key=f"repair_double_names_{mine(app).digest}").click().run()
    dataset = mine(app)
    app.session_state["as_code"] = True
    clean(app.run())
    script = app.get("code")[-1].value
    assert 'undo=["double_names"]' in script
    reading = dataset.read_as
    saved = Source(title="mine.csv", uploaded=True, digest=dataset.fingerprints[0], reading=reading)
    workspace = Workspace(scenario=app.session_state["scenario"], source=saved)
    assert read_workspace(write_workspace(workspace)) == workspace
    again = from_upload(odd(), "mine.csv", saved.reading)
    assert again.digest == dataset.digest
    assert again.fingerprints == dataset.fingerprints
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_bytes(odd())
    first, _, _ = script.partition("scenario = ")
    names: dict[str, object] = {}
    exec(first, names)
    assert digest(names["table"]) == dataset.digest


def test_columns_that_a_large_upload_leaves_out_are_told(open_app, ticket):
    nested = records(SIZE).assign(visits=[[1, 2]] * SIZE)
    app = upload(open_app("question"), ticket(parquet(nested), "mine.parquet"), "mine.parquet")
    for _ in range(40):
        if mine(app).title == "mine.parquet":
            break
        app.run()
    clean(app)
    told = next(each.label for each in app.expander if "left out" in each.label)
    assert told == f"Found {number(SIZE)} records; 1 column was left out"
    assert "visits" in texts(app)
