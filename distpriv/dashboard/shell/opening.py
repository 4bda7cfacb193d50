"""Scenarios from a link or a file: put into the controls, or kept until their data are there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import cast

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import check_columns, unpack_scenario
from distpriv.analysis.workspace import Source
from distpriv.dashboard.shell import cache, putting, sources
from distpriv.dashboard.shell.dataset import UPLOAD, Dataset
from distpriv.dashboard.shell.links import SCENARIO
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.settings import STEPS, own_key
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError, ScenarioError
from distpriv.tables.examples import EXAMPLES
from distpriv.words import escape, exact

__all__ = [
    "UPLOAD",
    "arrived",
    "banner",
    "dataset_of",
    "follow_link",
    "go_on",
    "misfit",
    "open_scenario",
    "put_back",
]

_MOST_RECORDS = 1_000_000  # of the control


def follow_link() -> None:
    """Open what the address asks for, once; a damaged link ends in a sentence."""
    state = st.session_state
    packed = st.query_params.get(SCENARIO)
    if packed is None:
        if st.query_params.get("data") == UPLOAD and Key.UPLOAD not in state:
            state[Key.UPLOAD_WANTED] = True
        return
    del st.query_params[SCENARIO]
    try:
        open_scenario(unpack_scenario(packed), st.query_params.get("data", ""))
    except DistprivError as error:
        state[Key.NOTICE] = escape(error)


def open_scenario(scenario: Scenario, title: str = "", source: Source | None = None) -> None:
    """Put a scenario into the controls of the next run, or keep it until its data are there.

    Parameters
    ----------
    scenario : Scenario
    title : str, optional
        Of its data, if they are an example.
    source : Source, optional
        What is known of its data beside their fingerprint.

    Raises
    ------
    ScenarioError
        If the data that are here lack a column it names, a control cannot take its value, or the
        data are not for whoever looks.
    """
    state = st.session_state
    own = cast("Dataset | None", state.get(Key.UPLOAD))
    if sources.hidden(title):
        raise ScenarioError(
            "The scenario is about a table of this server, which is for analysts and is not shown "
            "while presenting; stop presenting and open the link again."
        )
    dataset = dataset_of(scenario, title)
    if dataset is None and title in sources.offered():
        _open_for(scenario, title)
        return
    if dataset is None and own is not None and source is None and not misfit(scenario, own):
        dataset = own
    if dataset is None:
        _values(scenario, cache.example(EXAMPLES[0].key))
        state[Key.AWAITING], state[Key.AWAITED_SOURCE] = scenario, source
        state.pop(Key.AWAITED_OTHER, None)
    else:
        go_on(scenario, dataset)


def _open_for(scenario: Scenario, title: str) -> None:
    """Go on with a table of the server, once it is open."""
    state = st.session_state
    if (opened := state.get(Key.SOURCES, {}).get(title)) is not None:
        go_on(scenario, opened)
        return
    _values(scenario, cache.example(EXAMPLES[0].key))
    state[Key.SOURCE_AWAITING], state[Key.BEGUN] = scenario, True
    putting.put({Key.DATA: title})


def arrived(dataset: Dataset) -> None:
    """Go on with a scenario that was opened on a table whose columns had other types."""
    state = st.session_state
    state.pop(Key.UPLOAD_WANTED, None)
    scenario = cast("Scenario | None", state.get(Key.OPENED))
    if scenario is None or scenario.digest != dataset.digest:
        return
    try:
        go_on(scenario, dataset)
    except ScenarioError as error:
        state[Key.NOTICE] = escape(error)


def dataset_of(scenario: Scenario, title: str = "") -> Dataset | None:
    """The data with the scenario's fingerprint, if they are in the session or an example.

    Parameters
    ----------
    scenario : Scenario
    title : str, optional
        Of the example, if it is one; without it only the first is tried. One that cannot be loaded
        is not here.
    """
    state = st.session_state
    named = state.get(Key.SOURCES, {}).values()
    here = [
        dataset
        for dataset in (state.get(Key.DATASET), state.get(Key.UPLOAD), *named)
        if dataset is not None and not sources.hidden(dataset.title)
    ]
    first = EXAMPLES[0]
    if scenario.digest == "":
        return here[0] if here else cache.example(first.key)
    found = next((dataset for dataset in here if dataset.digest == scenario.digest), None)
    if found is not None:
        return found
    meant = [e for e in EXAMPLES if scenario.digest == e.digest or e.title == title]
    for example in dict.fromkeys((*meant, first)):
        with suppress(DistprivError):
            if (dataset := cache.example(example.key)).digest == scenario.digest:
                return dataset
    return None


def banner(dataset: Dataset) -> None:
    """What a scenario that was opened lacks: the very same data, or its reference data."""
    opened = st.session_state.get(Key.OPENED)
    if opened is not None:
        _differing(opened, dataset)


def _differing(opened: Scenario, dataset: Dataset) -> None:
    state = st.session_state
    if dataset.digest != state[Key.OPENED_ON]:
        del state[Key.OPENED]
    elif opened.digest not in ("", dataset.digest):
        _lacking(
            f"The scenario was made on another table: its fingerprint is `{opened.digest[:12]}`, "
            f"that of {escape(dataset.title)} is `{dataset.digest[:12]}`. The choices are the "
            "same; the figures may differ."
        )
    elif opened.whole and opened.reference not in ("", state[Key.SCENARIO].reference):
        _lacking(
            "The scenario takes its model from reference data with the fingerprint "
            f"`{opened.reference[:12]}`, which are not here; upload them on the page Question. "
            "Until then the figures may differ."
        )


def _lacking(text: str) -> None:
    with st.container(border=True):
        st.markdown(f":material/link: {text}")
        row = st.container(horizontal=True, vertical_alignment="center")
        with row:
            link("question", "Open the page Question")
        row.button("Dismiss", key="dismiss_opened", on_click=_dismiss, type="tertiary")


def _dismiss() -> None:
    st.session_state.pop(Key.OPENED, None)


def misfit(scenario: Scenario, dataset: Dataset) -> str:
    """Why a scenario's choices cannot be made on a table; empty if they can."""
    try:
        check_columns(scenario, dataset.types)
    except ScenarioError as error:
        return str(error)
    return ""


def go_on(scenario: Scenario, dataset: Dataset) -> None:
    """Put a scenario into the controls of the next run, on a table that may be another version.

    Raises
    ------
    ScenarioError
        As `open_scenario`; nothing has changed then.
    """
    put_back(scenario, dataset)
    state = st.session_state
    for key in (
        Key.AWAITING, Key.AWAITED_SOURCE, Key.AWAITED_OTHER, Key.UPLOAD_WANTED, Key.ALLOWED_WANTED
    ):  # fmt: skip
        state.pop(key, None)
    state[Key.OPENED], state[Key.OPENED_ON] = replace(scenario, look=""), dataset.digest


def put_back(scenario: Scenario, dataset: Dataset) -> None:
    """Put a scenario of the same table into the controls of the next run; raises ScenarioError."""
    check_columns(scenario, dataset.types)
    values = _values(scenario, dataset)
    state, digest = st.session_state, dataset.digest
    offered: dict[str, object] = {
        **dataset.secrets,
        **dataset.statistics,
        **{statistic.label: statistic for statistic in dataset.query},
    }
    for name, things in (
        (Key.OWN_SECRETS, (scenario.secret,)),
        (Key.OWN_PAIRS, scenario.others),
        (Key.OWN_STATISTICS, scenario.query.statistics),
    ):
        own = {thing.label: thing for thing in things if offered.get(thing.label) != thing}
        state.setdefault(name, {}).setdefault(digest, {}).update(own)
    state[Key.PENDING] = values
    state.pop(Key.ALLOWED_HELD, None)


def _values(scenario: Scenario, dataset: Dataset) -> dict[str, object]:
    """What each control is set to."""
    if scenario.n > _MOST_RECORDS and not scenario.whole:
        raise ScenarioError(
            f"The scenario's field 'n' must be at most {exact(_MOST_RECORDS)}, got "
            f"{exact(scenario.n)}."
        )

    def own(name: str) -> str:
        return own_key(dataset, name)

    values: dict[str, object] = {
        Key.DATA: UPLOAD if dataset.origin == "upload" else dataset.title,
        own(Key.SECRET): scenario.secret.label,
        own(Key.STAT): list(scenario.query.labels),
        own(Key.ALSO): [pair.label for pair in scenario.others],
        own(Key.LOOK): scenario.look,
        own(Key.BOUNDS): dict(scenario.bounds),
        Key.DP: scenario.width,
        Key.CENTER: scenario.center,
        Key.PAIRS: "one pair",
        Key.N: min(scenario.n, _MOST_RECORDS),
        Key.WHOLE: scenario.whole,
        Key.MECH: scenario.mechanism,
        Key.EPS: scenario.epsilon,
        Key.DELTA: scenario.delta,
        Key.PERSONS: scenario.persons is not None,
        Key.CAL: scenario.calibration,
        Key.UNITS: scenario.units,
        Key.REPORT: scenario.report,
        Key.REPL: scenario.replacement and not scenario.whole,
        Key.SHARE_OF: scenario.share_of,
        Key.DIST: scenario.distances,
        Key.SEED: scenario.seed,
        Key.VIEW: scenario.view,
    }
    if scenario.grid is not None:
        low, high, step = scenario.grid
        if step not in STEPS:
            raise ScenarioError(
                "The step of the scenario's field 'grid' must be one of "
                f"{', '.join(map(str, STEPS))}, got {step:g}."
            )
        values |= {Key.PAIRS: "grid", Key.GRID: (low, high), Key.STEP: step}
    if scenario.persons is not None:
        values[Key.PERSONS_EPS], values[Key.PERSONS_DELTA] = scenario.persons
    values |= {own(f"tol{place}"): tolerance for place, tolerance in enumerate(scenario.tolerances)}
    return values
