"""Scenarios as files: what is read back, and what is said of the rest."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pandas as pd
import pytest

from distpriv.analysis import Scenario
from distpriv.analysis.tables import start
from distpriv.dashboard import page, scenarios
from distpriv.dashboard.scenarios import open_file
from distpriv.dashboard.state import State
from distpriv.errors import ReadError
from distpriv.privacy import Persons
from distpriv.queries import Count, Mean, Pair, SensitiveProperty
from distpriv.sources import FrameSource

SHOPS = pd.DataFrame({"age": range(40), "buyer": [*"yn"] * 20, "town": [*"abcd"] * 10})


@pytest.fixture
def state():
    return State()


def test_file_brings_back_every_choice(state):
    pair = Pair(SensitiveProperty("sex", "Female"), 0.31, 0.47)
    values = {"secrets": (pair, *state.scenario.secrets), "statistics": (Mean("age"),)}
    values |= {"records": None, "by": "epsilon", "epsilon": 0.7, "delta": 0.01, "seed": 3}
    values |= {"mechanism": "DauM", "calibration": "exact", "units": "raw", "grid_safe": False}
    values |= {"persons": Persons(1.0, 0.01), "known_records": 4, "reference_share": 0.4}
    chosen = replace(state.scenario, **values)
    open_file(state, chosen.to_json().encode())
    assert state.scenario == chosen
    assert not state.notes
    state.undo()
    assert state.scenario == State().scenario


def test_file_of_a_table_that_is_not_here_keeps_what_fits(state):
    source = FrameSource("upload", "shops.csv", SHOPS)
    brought = replace(start(source), guesses=70.0, statistics=(Mean("age"), Mean("gone")))
    open_file(state, brought.to_json().encode("utf-8-sig"))
    state.fit()
    assert state.scenario.source == "census-income"
    assert (state.scenario.guesses, state.scenario.statistics) == (70.0, (Mean("age"),))
    assert state.scenario.secrets == State().scenario.secrets
    assert "is not here" in state.notes[0]
    assert "buyer" in state.notes[-1]
    state.bring(source, replace(start(source), source="upload"))
    open_file(state, brought.to_json().encode())
    assert (state.scenario.source, state.scenario.secrets) == ("upload", brought.secrets)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfe\x00", "not text"),
        (b"[1]", "not a scenario"),
        (b'{"format": "distpriv scenario", "version": 9}', "version 9"),
        (Scenario(by="epsilon").to_json().encode(), "add epsilon"),
    ],
)
def test_wrong_file_is_one_sentence_and_nothing_changes(state, data, words):
    before = state.scenario
    with pytest.raises(ReadError, match=words):
        open_file(state, data)
    assert state.scenario is before


def test_numbers_outside_their_domain_are_left_out_and_said(state):
    open_file(state, replace(state.scenario, guesses=300.0, known_records=-2).to_json().encode())
    assert state.scenario == State().scenario
    assert len(state.notes) == 2


def test_side_by_side_shows_the_figures_of_the_page(state, monkeypatch):
    """Also where a law decides that workers have computed, on an example of all sessions."""
    laws = import_module("distpriv.privacy.exact_law")
    monkeypatch.setattr(laws, "_QUICK", (0, 0))  # as of many records
    figures = Count("sex", "Female"), Count("race", "White")
    state.scenario = replace(state.scenario, statistics=figures, records=71)
    _, work, shared, calls = state.evaluation().law()
    state.evaluation().take_law(work(shared(), *calls[0]))
    now, frames = state.evaluation(), []
    monkeypatch.setattr(scenarios, "_save", lambda *_: None)  # outside a page, its form stays open
    monkeypatch.setattr(page, "show", lambda _, frame, *more, **look: frames.append(frame))
    scenarios.side_by_side(state, now)
    [frame] = frames
    assert now.way.rests == "exact"
    assert frame.query("scenario == 'Now'")["error"].item() == now.way.percent
