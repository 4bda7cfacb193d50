"""A session's state without Streamlit: controls, undo, address, and the visitor's own tables."""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from dataclasses import replace

import pandas as pd
import pytest

from distpriv.analysis import Scenario
from distpriv.analysis.tables import start
from distpriv.dashboard.fields import BY_NAME, to_query
from distpriv.dashboard.state import File, State
from distpriv.queries import Count, Mean, SensitiveProperty
from distpriv.sources import FrameSource
from distpriv.tables import ReadOptions

FEMALE = SensitiveProperty("sex", "Female")
SHOPS = pd.DataFrame({"age": range(40), "buyer": [*"yn"] * 20, "town": [*"abcd"] * 10})


class Address(dict):
    """What ``st.query_params`` does."""

    def to_dict(self):
        return dict(self)

    def from_dict(self, values):
        self.clear()
        self.update(values)
        self.written = True


class Work:
    running, cancelled = True, False

    def cancel(self):
        self.cancelled = True


@pytest.fixture
def state():
    state = State()
    state.read_address({}, moved=False)
    return state


def bring(state, frame=SHOPS, key="upload"):
    source = FrameSource(key, "shops.csv", frame)
    state.bring(source, replace(start(source), source=key))


@pytest.mark.parametrize("text", ["abc", "−1", "nan", "1e999", ""])
def test_what_cannot_be_read_is_named_and_the_last_value_stays(state, text):
    state.read_controls({"by-0": "epsilon"})
    state.read_controls({"by-0": "epsilon", "epsilon-0": "0,7"})
    assert not state.read_controls({"epsilon-0": text, "delta-0": "0.001"})
    assert state.scenario.epsilon == 0.7
    assert state.errors["epsilon"].endswith(".")


def test_equal_ends_and_controls_of_an_older_revision_change_nothing(state):
    assert not state.read_controls({"shares-0": (30.0, 30.0)})
    assert "differ" in state.errors["shares"]
    state.change(guesses=70.0)
    assert not state.read_controls({"guesses-0": 55.0})


@pytest.mark.parametrize(("text", "records"), [("250", 250), ("45 000", 45_000), ("all", None)])
def test_number_of_records_is_written_or_all(state, text, records):
    state.read_controls({"records-0": text})
    assert state.scenario.records == records


def test_undo_and_redo_go_back_and_forth(state):
    state.read_controls({"guesses-0": 55.0})
    state.undo()
    assert state.scenario.guesses == 60.0
    state.redo()
    assert state.scenario.guesses == 55.0


def test_another_secret_takes_its_own_range_unless_the_range_moved_with_it(state):
    state.read_controls({"secret-0": FEMALE, "shares-0": (20.0, 30.0)})
    assert BY_NAME["shares"].get(state.scenario) == (30.0, 40.0)
    state.undo()
    key = state.revision
    state.read_controls({f"secret-{key}": FEMALE, f"shares-{key}": (25.0, 45.0)})
    assert BY_NAME["shares"].get(state.scenario) == (25.0, 45.0)


def test_another_table_starts_anew_and_keeps_the_limit(state):
    state.read_controls({"source-0": "bank", "guesses-0": 70.0, "secret-0": FEMALE})
    assert state.scenario == replace(state.start("bank"), guesses=70.0)


def test_shares_off_the_slider_are_typed(state):
    assert not state.typed
    state.take(BY_NAME["shares"].put(state.scenario, (2.5, 4.0)))
    assert state.typed
    state.read_controls({state.key(BY_NAME["shares"]): "3-5"})
    assert BY_NAME["shares"].get(state.scenario) == (3.0, 5.0)
    assert not state.typed


def test_address_that_has_not_reached_the_browser_does_not_undo_a_click(state):
    address = Address()
    state.read_controls({"guesses-0": 55.0})
    state.write_address(address)
    assert address == {"limit": "55"}
    state.read_address({"limit": "70"}, moved=True)
    state.read_address({"limit": "70"}, moved=False)
    assert state.scenario.guesses == 55.0
    state.written_at -= 10
    state.read_address({"limit": "70"}, moved=False)
    assert state.scenario.guesses == 70.0


def test_address_on_its_way_to_the_browser_is_written_over(state):
    """The browser sends 64, while 65, written since, has not got there."""
    address = Address()
    for guesses in (64.0, 65.0, 64.0):
        state.read_controls({"guesses-0": guesses})
        address.from_dict({"limit": "64"})
        address.written = False
        state.write_address(address)
    assert address.written


def test_back_is_not_written_again(state):
    address = Address(limit="70")
    state.written, state.written_at = {"limit": "65"}, 0
    state.read_address(address.to_dict(), moved=False)
    address.written = False
    state.write_address(address)
    assert not address.written


def test_link_with_unknown_columns_is_mended_and_named(state):
    state.take(replace(state.scenario, statistics=(Mean("pay"), Count("sex", "x"), Mean("age"))))
    state.take(BY_NAME["secret"].put(state.scenario, SensitiveProperty("colour", "red")))
    state.fit()
    assert state.scenario.statistics == (Mean("age"),)
    assert state.scenario.secrets == state.start("census-income").secrets
    assert all(word in state.notes[0] for word in ("colour = red", "mean pay", "count sex = x"))


def test_what_was_built_is_offered(state):
    built = SensitiveProperty("age", above=50)
    state.take(BY_NAME["secret"].put(state.scenario, built))
    state.fit()
    assert state.offered("secret")[built] == "age > 50"
    assert state.range_of(built).low < 0.3


def test_link_to_an_own_table_that_is_gone_says_so():
    state = State()
    state.read_address({"table": "upload", "limit": "70"}, moved=False)
    assert (state.scenario.source, state.scenario.guesses) == ("census-income", 70.0)
    assert "bring it again" in state.notes[0]


def test_back_on_an_own_table_keeps_what_no_address_holds(state):
    bring(state)
    state.change(statistics=(Mean("age"),), guesses=65.0)
    state.read_address({"table": "upload", "limit": "70"}, moved=False)
    assert (state.scenario.statistics, state.scenario.guesses) == ((Mean("age"),), 70.0)


def test_second_table_replaces_the_first_and_its_past(state):
    bring(state)
    state.change(guesses=65.0)
    bring(state, SHOPS.rename(columns={"buyer": "client"}))
    assert state.scenario.secrets[0].secret.column == "client"
    while state.past:
        state.undo()
        state.fit()
        assert state.scenario.source == "census-income"


def test_table_that_is_read_otherwise_keeps_what_fits_and_can_be_undone(state):
    file = File("1", "shops.csv", b"")
    for year in (None, 1):
        source = FrameSource("upload", "shops.csv", SHOPS.assign(age=SHOPS["age"] + (year or 0)))
        reading = ReadOptions(types={"age": "number"}) if year else ReadOptions()
        begun = replace(start(source), reading=reading)
        state.bring(source, begun, file)
        if not year:
            state.change(statistics=(Mean("age"),), guesses=65.0)
    read = state.scenario
    assert (read.statistics, read.guesses, read.reading) == ((Mean("age"),), 65.0, reading)
    assert Scenario.from_json(read.to_json()) == read
    assert state.source().columns(["age"])["age"].min() == 1
    state.reread()
    assert (state.dialog, state.file, file.request) == ("reading", file, (reading, ()))
    state.undo()
    assert state.scenario.reading == ReadOptions()
    assert state.source().columns(["age"])["age"].min() == 0
    state.redo()
    assert state.source().columns(["age"])["age"].min() == 1
    with pytest.raises(TypeError):
        pickle.dumps(file)
    assert "b''" not in repr(file)


def test_table_that_the_owner_offers_is_opened_when_chosen(state, tmp_path, monkeypatch):
    SHOPS.to_parquet(tmp_path / "shops.parquet")
    path = tmp_path / "sources.toml"
    path.write_text('[shops]\ntitle = "Shops"\nscan = "shops.parquet"\n[gone]\nscan = "none"\n')
    monkeypatch.setenv("DISTPRIV_SOURCES", str(path))
    assert {"shops", "gone", "bank"} <= state.offered("source").keys()
    waits = []
    state.wait = lambda words: waits.append(words) or nullcontext()
    before = state.scenario
    state.read_controls({"source-0": "gone", "guesses-0": 70.0})
    assert "cannot be opened" in state.errors["source"]
    assert state.scenario == replace(before, guesses=70.0)
    state.read_controls({f"source-{state.revision}": "shops"})
    assert (state.source().title, state.source().rows) == ("Shops", 40)
    assert waits == ["Opening gone …", "Opening Shops …"]
    link = to_query(replace(state.scenario, statistics=(Mean("age"),)), state.start("shops"))
    assert link["release"] == "mean:age"
    other = State()
    other.read_address(link, moved=False)
    assert (other.scenario.source, other.scenario.statistics) == ("shops", (Mean("age"),))
    other.read_address({"table": "gone"}, moved=False)
    other.written_at = 0
    other.read_address({"table": "gone"}, moved=False)
    assert "cannot be opened" in other.notes[-1]
    assert other.scenario.source == "shops"


def test_opened_table_is_what_a_session_begins_with():
    state = State()
    source = FrameSource("open", "shops.csv", SHOPS)
    begun = replace(start(source), source="open")
    state.uploads["open"] = {(begun.reading, begun.row): (source, begun)}
    state.read_address({}, moved=False)
    assert state.scenario.source == "open"
    assert state.offered("source")["open"] == "shops.csv"


def test_another_scenario_ends_what_is_being_computed(state):
    job = state.jobs["attack"] = Work()
    state.read_controls({"guesses-0": 55.0})
    assert job.cancelled
    assert not state.jobs
