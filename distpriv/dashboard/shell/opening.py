"""Scenarios from a link or a file: put into the controls, or kept until their data are there."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import check_columns, unpack_scenario
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.links import SCENARIO
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.settings import STEPS, own_key
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError, ScenarioError
from distpriv.tables.examples import EXAMPLES
from distpriv.words import escape, exact

__all__ = ["UPLOAD", "arrived", "banner", "dataset_of", "follow_link", "open_scenario"]

UPLOAD = "Your file"
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
        open_scenario(unpack_scenario(packed))
    except DistprivError as error:
        state[Key.NOTICE] = escape(error)


def open_scenario(scenario: Scenario) -> None:
    """Put a scenario into the controls of the next run, or keep it until its data are there.

    Raises
    ------
    ScenarioError
        If the data that are here lack a column it names, or a control cannot take its value.
    """
    state = st.session_state
    own = cast("Dataset | None", state.get(Key.UPLOAD))
    dataset = dataset_of(scenario) or (own if own is not None and _fits(scenario, own) else None)
    if dataset is None:
        _values(scenario, cache.example(EXAMPLES[0].key))
        state[Key.AWAITING] = scenario
    else:
        _apply(scenario, dataset)


def arrived(dataset: Dataset) -> None:
    """Go on with a scenario that has waited for an uploaded table, or had another one's types."""
    state = st.session_state
    state.pop(Key.UPLOAD_WANTED, None)
    scenario = cast("Scenario | None", state.get(Key.AWAITING))
    if scenario is None:
        opened = state.get(Key.OPENED)
        if opened is None or opened.digest != dataset.digest:
            return
        scenario = opened
    try:
        _apply(scenario, dataset)
    except ScenarioError as error:
        state[Key.NOTICE] = escape(error)


def dataset_of(scenario: Scenario) -> Dataset | None:
    """The data of the session with the scenario's fingerprint, if they are here."""
    state = st.session_state
    here = [
        dataset
        for dataset in (state.get(Key.DATASET), state.get(Key.UPLOAD))
        if dataset is not None
    ]
    if scenario.digest == "":
        return here[0] if here else cache.example(EXAMPLES[0].key)
    known = (example for example in EXAMPLES if example.digest == scenario.digest)
    dataset = (candidate for candidate in here if candidate.digest == scenario.digest)
    return next(dataset, None) or next((cache.example(example.key) for example in known), None)


def banner(dataset: Dataset) -> None:
    """What a scenario that was opened lacks: its data, or the very same data."""
    state = st.session_state
    awaiting = state.get(Key.AWAITING)
    if awaiting is not None and awaiting.digest == dataset.digest:
        _apply(awaiting, dataset)
        st.rerun()
    if awaiting is not None:
        _lacking(
            "This scenario is about a table that is not here, with the fingerprint "
            f"`{awaiting.digest[:12]}`. It holds every choice but no record: open that table on "
            "the page Question, and the choices are made. Until then the pages show what is open "
            "now."
        )
    elif state.get(Key.UPLOAD_WANTED):
        _lacking(
            "This address is about a table of somebody's own, which nobody else's session holds. "
            "Upload your copy on the page Question. The secret and the statistics are not in such "
            "an address; ask for a link or a file from the page Compare, which has them."
        )
    elif (opened := state.get(Key.OPENED)) is not None:
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
    for key in (Key.AWAITING, Key.UPLOAD_WANTED, Key.OPENED):
        st.session_state.pop(key, None)


def _fits(scenario: Scenario, dataset: Dataset) -> bool:
    try:
        check_columns(scenario, dataset.types)
    except ScenarioError:
        return False
    return True


def _apply(scenario: Scenario, dataset: Dataset) -> None:
    check_columns(scenario, dataset.types)
    values = _values(scenario, dataset)
    state, digest = st.session_state, dataset.digest
    for name, known in (
        (Key.OWN_SECRETS, {scenario.secret.label: scenario.secret}),
        (Key.OWN_PAIRS, {pair.label: pair for pair in scenario.others}),
        (Key.OWN_STATISTICS, {statistic.label: statistic for statistic in scenario.query}),
    ):
        state.setdefault(name, {}).setdefault(digest, {}).update(known)
    state.pop(Key.AWAITING, None)
    state.pop(Key.UPLOAD_WANTED, None)
    state[Key.OPENED], state[Key.OPENED_ON] = replace(scenario, look=""), digest
    state[Key.PENDING] = values


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
