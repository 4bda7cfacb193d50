"""The sidebar: the data of the session and the scenario's controls, on every page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv import mechanisms
from distpriv.analysis.for_persons import bounds_from_data
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell import (
    allowed,
    choices,
    opening,
    presenting,
    presets,
    putting,
    scanning,
    selecting,
    settings,
    sizes,
)
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.pages import PageSpec
from distpriv.dashboard.shell.places import of_page, points, said
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError
from distpriv.glossary import hover
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query, Statistic
from distpriv.words import escape, listed, share

__all__ = ["EPSILONS", "draw", "keep_upload", "replace_upload"]

EPSILONS = (
    0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8,
    1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0,
)  # fmt: skip
DEFAULT_MECHANISM = "OptM"


def keep_upload(dataset: Dataset) -> None:
    """Make an uploaded table the session's data, with a scenario that fits it."""
    state = st.session_state
    state[Key.UPLOAD], state[Key.BEGUN] = dataset, True
    for key in ("own_secret", "own_stat", "own_also", "own_bounds"):
        state.pop(key, None)
    if state.get(Key.UPLOAD_WANTED):  # the address has said them
        putting.put({Key.DATA: opening.UPLOAD})
    else:
        selecting.show(opening.UPLOAD)
        putting.put({Key.N: dataset.start_n, Key.WHOLE: True, Key.CENTER: 0.5, Key.DP: 0.1})
        if Key.AWAITING not in state:  # what it says of ε stays
            allowed.begin()
    opening.arrived(dataset)


def replace_upload(dataset: Dataset) -> None:
    """Put the same upload with other column types in its place."""
    st.session_state[Key.UPLOAD] = dataset
    opening.arrived(dataset)


def draw(page: PageSpec) -> None:
    """Draw the controls and put the scenario they describe into the session.

    They stand in the sidebar of the pages that they act on, and on the first screen in a sentence.
    On others they are out of sight, so that what they say, and the address says, is kept.
    """
    state = st.session_state
    state.setdefault(Key.BEGUN, bool(st.query_params))
    if (arrived := state.pop(Key.SPOOLED_OPENED, None)) is not None:
        keep_upload(arrived)
    putting.again()
    putting.put(state.get(Key.PENDING, {}))  # asked for by a page, after its widget had been drawn
    state.pop(Key.PENDING, None)  # last: whatever cuts this run short, the next one has it
    presenting.hide_values()
    places = of_page(page)
    data = places.blank("data", escape(selecting.in_words()))
    with data:
        dataset = selecting.current()
    secrets = _secrets(dataset)
    with places.secret:
        secret = _secret(dataset, secrets, labelled=not places.in_sentence)
    with places.blank("width", points(_figure(Key.DP, 0.1, 0.01))):
        width = st.slider(
            "Δp: distance of the two shares",
            0.01,
            1.0,
            0.1,
            0.01,
            key=Key.DP,
            bind="query-params",
            help=hover("Δp"),
        )
    with places.blank("statistics", _statistics_in_words(dataset)):
        query = _query(dataset)
    if Key.SOURCE_OPENING not in state:  # the size hangs on the answer
        scanning.ask(dataset, query, secret)
    whole, n, all_records = sizes.draw(places, dataset, query, secret)
    with places.mechanism:
        mechanism = _mechanism()
    with places.budget:
        epsilon, delta = _budget(with_slider=not places.in_sentence)
    with places.persons:
        persons = settings.persons()
        about_bounds = st.container()
    with places.blank("center", share(_figure(Key.CENTER, 0.5, 0.0))):
        center = st.slider(
            "Centre of the two shares", 0.0, 1.0, 0.5, 0.01, key=Key.CENTER, bind="query-params"
        )
        settings.known_range()
    with places.finer:
        pairs_grid = settings.grid()
        others = settings.further_pairs(dataset, secrets, secret, center, width)
        calibration = settings.calibration(query, all_records or n)
        if mechanisms.get(mechanism).from_records:
            st.caption(f"Not for {escape(mechanism)}, which needs no curve to calibrate to.")
        units, report, tolerances = settings.units(dataset, query)
        replacement = st.toggle(
            "Draw with replacement",
            key=Key.REPL,
            bind="query-params",
            disabled=whole,
            help="Whether a record may occur twice in the released dataset. The paper draws "
            "without replacement.",
        )
        share_of = sizes.share_of(whole, several=any(pair.secret != secret for pair in others))
        distances = settings.distances()
        seed = st.number_input(
            "Seed of the simulations", 0, 2**31 - 1, 1, key=Key.SEED, bind="query-params"
        )
        settings.image_format()
    with places.view:
        settings.view()
    with places.presets:
        presets.draw(dataset)
    state[Key.DATASET] = dataset
    reference = state.get(Key.REFERENCES, {}).get(dataset.digest) if whole else None
    scenario = Scenario(
        digest=dataset.digest,
        reference="" if reference is None else reference.digest,
        secret=secret,
        center=round(center, 4),
        width=round(width, 4),
        grid=pairs_grid,
        others=others,
        n=n,
        whole=whole,
        query=query,
        mechanism=mechanism,
        epsilon=epsilon,
        delta=delta,
        calibration=calibration,
        units=units,
        report=report,
        tolerances=tolerances,
        replacement=replacement or whole,
        share_of=share_of,
        bounds=settings.bounds(dataset, query, needed=persons is not None),
        persons=persons,
        seed=int(seed),
        view=state[Key.VIEW],
        distances=distances,
    )
    if persons is not None and (columns := bounds_from_data(scenario, dataset.records)):
        about_bounds.caption(
            f"The bounds of {escape(listed(list(columns)))} come from the data; give public ones "
            "on the page Question."
        )
    with places.look, suppress(DistprivError):  # the page says what is wrong with the pairs
        scenario = replace(scenario, look=settings.look(dataset, scenario.pairs))
    if Key.SCENARIO not in state:
        putting.from_address(st.query_params)
    else:
        allowed.hold(state[Key.SCENARIO], scenario, in_sentence=places.in_sentence)
    state[Key.SCENARIO], state[Key.PLACES] = scenario, replace(places, data=data)
    putting.drawn()
    state[Key.NOTICED] = state.pop(Key.NOTICE, None)
    if state[Key.NOTICED]:
        st.error(state[Key.NOTICED], icon=":material/error:")
    opening.banner(dataset)


def _figure(key: str, default: float, low: float) -> float:
    """Return what a slider from `low` to 1 says or the address asks for, if it does not refuse."""
    with suppress(TypeError, ValueError):
        figure = float(said(key, default))
        return figure if low <= figure <= 1 else default
    return default


def _statistics_in_words(dataset: Dataset) -> str:
    key = settings.own_key(dataset, Key.STAT)
    chosen = st.session_state.get(key) or settings.linked(key) or dataset.query
    return "one statistic" if len(chosen) == 1 else f"{len(chosen)} statistics"


def _mechanism() -> str:
    names = mechanisms.names()
    return st.selectbox(
        "Mechanism",
        names,
        index=names.index(DEFAULT_MECHANISM),
        key=Key.MECH,
        bind="query-params",
        help="\n".join(
            [
                f"{hover('mechanism')}\n",
                *(f"- **{escape(name)}**: {mechanisms.get(name).summary}" for name in names),
            ]
        ),
    )


def _budget(*, with_slider: bool) -> tuple[float, float]:
    """ε by slider or to the digit, and δ."""
    state = st.session_state
    slider = st.container()
    left, right = st.columns(2) if with_slider else _side_by_side()
    epsilon = left.number_input(
        "ε, exactly" if with_slider else "ε",
        0.001,
        100.0,
        1.0,
        0.1,
        format="%g",
        key=Key.EPS,
        bind="query-params",
        help=f"{hover('ε')} Any value from 0.001 to 100.",
    )
    delta = right.number_input(
        "δ",
        1e-12,
        0.5,
        1e-3,
        1e-3,
        format="%g",
        key=Key.DELTA,
        bind="query-params",
        help=hover("δ"),
    )
    if with_slider:
        # The value of the box has its place on the slider, whatever it is: they never disagree.
        if state.get(Key.EPS_SLIDER) != float(epsilon):
            putting.put({Key.EPS_SLIDER: float(epsilon)})
        slider.select_slider(
            "ε: more private ← → more accurate",
            sorted({*EPSILONS, float(epsilon)}),
            key=Key.EPS_SLIDER,
            format_func=lambda value: f"{value:g}",
            on_change=_follow_slider,
            help=hover("ε"),
        )
    return round(float(epsilon), 6), float(delta)


def _side_by_side() -> tuple[DeltaGenerator, DeltaGenerator]:
    """On a phone too, where columns would stand below one another."""
    row = st.container(horizontal=True)
    return row.container(width=105), row.container(width=105)


def _follow_slider() -> None:
    putting.put({Key.EPS: float(st.session_state[Key.EPS_SLIDER])})


def _secrets(dataset: Dataset) -> dict[str, SensitiveProperty]:
    """Every property to choose from, by label."""
    state, key = st.session_state, settings.own_key(dataset, Key.SECRET)
    options = dict(dataset.secrets) | {dataset.secret.label: dataset.secret}
    wanted = [*([state[key]] if key in state else []), *settings.linked(key)]
    options |= _parsed(wanted, options, dataset, choices.parse_secret)
    return options | state.get(Key.OWN_SECRETS, {}).get(dataset.digest, {})


def _secret(
    dataset: Dataset, options: Mapping[str, SensitiveProperty], *, labelled: bool
) -> SensitiveProperty:
    state, key = st.session_state, settings.own_key(dataset, Key.SECRET)
    if state.get(key) not in (None, *options):
        del state[key]
    labels = list(options)
    chosen = st.selectbox(
        "Secret: share of records with …",
        labels,
        index=labels.index(dataset.secret.label),
        key=key,
        bind=settings.bound(dataset),
        label_visibility="visible" if labelled else "collapsed",
        on_change=_follow_secret,
        args=(dataset, options),
        help="The global property to hide. Thresholds and groups of values are defined on the "
        "page Question.",
    )
    return options[chosen]


def _follow_secret(dataset: Dataset, secrets: Mapping[str, SensitiveProperty]) -> None:
    # A browser that still shows another example's secret says so after the data have changed.
    secret = secrets.get(st.session_state.get(settings.own_key(dataset, Key.SECRET), ""))
    if secret is not None:
        putting.put(settings.beside(dataset, secret))


def _query(dataset: Dataset) -> Query:
    state, key = st.session_state, settings.own_key(dataset, Key.STAT)
    defaults = {statistic.label: statistic for statistic in dataset.query}
    options = dict(dataset.statistics) | defaults
    options |= state.get(Key.OWN_STATISTICS, {}).get(dataset.digest, {})
    options |= _parsed(
        [*state.get(key, []), *settings.linked(key)], options, dataset, choices.parse_statistic
    )
    if any(label not in options for label in state.get(key, [])):
        state[key] = [label for label in state[key] if label in options] or list(defaults)
    chosen = st.multiselect(
        "Released statistics",
        list(options),
        default=list(defaults),
        key=key,
        bind=settings.bound(dataset),
        help="Means, sums, counts and shares of n records.",
    )
    if not chosen:
        st.caption("A release needs at least one statistic; here are the ones to start with.")
    return Query([options[label] for label in chosen] or list(defaults.values()))


def _parsed(
    labels: Iterable[str], known: Mapping[str, object], dataset: Dataset, parse: Any
) -> dict[str, Any]:
    """Choices that only a link or an earlier run names, read from their labels."""
    options: dict[str, SensitiveProperty | Statistic] = {}
    for label in labels:
        if label not in known and (choice := parse(label, dataset.table)) is not None:
            options[choice.label] = choice
    return options
