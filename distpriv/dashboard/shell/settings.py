"""The sidebar's finer settings: which pairs are hidden, and in which units noise is measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast, get_args

import streamlit as st

from distpriv.analysis.fitting import SIMULATED
from distpriv.analysis.for_persons import rounded_bounds
from distpriv.analysis.hiding import center_of, center_reveals
from distpriv.analysis.scenario import Distances, Units, ViewKind
from distpriv.charts.style import ImageFormat
from distpriv.dashboard.shell import choices, putting
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.errors import ModelError, PropertyError
from distpriv.privacy.calibration import CALIBRATIONS, Calibration
from distpriv.privacy.exact_laws import check_statistics
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.words import escape, exact, listed

__all__ = [
    "beside",
    "bound",
    "bounds",
    "calibration",
    "distances",
    "further_pairs",
    "grid",
    "image_format",
    "known_range",
    "linked",
    "look",
    "own_key",
    "persons",
    "units",
    "view",
]

STEPS = (0.01, 0.02, 0.05, 0.1)
MOST_VALUES = 3  # of a column
_BY_LAW: Calibration = "exact-law"
# What a link leaves out means the same whatever the statistics: the default hangs on none of them.
_DEFAULT: Calibration = "guarded"


def bound(dataset: Dataset) -> Any:
    """Nothing that comes from an upload goes into the address, where logs would keep it."""
    return "query-params" if dataset.origin == "example" else None


def own_key(dataset: Dataset, name: str) -> str:
    """Session key of a choice among labels, which uploads have to themselves."""
    return name if dataset.origin == "example" else f"own_{name}"


def beside(dataset: Dataset, secret: SensitiveProperty) -> dict[str, list[str]]:
    """The statistics that are released beside a secret just chosen, if not all of them can be.

    Returns them under their session key, without those that are the share of the secret itself.
    """
    key = own_key(dataset, Key.STAT)
    known = dict(dataset.statistics) | {statistic.label: statistic for statistic in dataset.query}
    chosen = st.session_state.get(key) or [statistic.label for statistic in dataset.query]
    out = [
        label
        for label in chosen
        if label in known and choices.is_the_secret(known[label], secret, dataset.table)
    ]
    if not out or len(out) == len(chosen):
        return {}
    told = escape(listed(out))
    st.toast(f"Left out, as it is the share of the secret itself: {told}.", icon=":material/lock:")
    return {key: [label for label in chosen if label not in out]}


def linked(key: str) -> list[str]:
    """What the address asks for, before its widget is drawn for the first time."""
    return st.query_params.get_all(key) if key in st.query_params else []


def calibration(query: Query, n: int) -> Calibration:
    """How noise is calibrated; by the exact law of the statistics where there is one.

    Who was asked for it by a link, or has it chosen from before, where there is none is told why.
    """
    state, options = st.session_state, list(CALIBRATIONS)
    try:
        check_statistics(query, n)
    except ModelError as error:
        options.remove(_BY_LAW)
        if ([state[Key.CAL]] if Key.CAL in state else linked(Key.CAL)) == [_BY_LAW]:
            state[Key.CAL] = _DEFAULT
            state[Key.NOTICE] = (
                f"{escape(str(error).rstrip('.'))}; until then the calibration is {_DEFAULT}."
            )
    return st.segmented_control(
        "Calibration",
        options,
        default=_DEFAULT,
        required=True,
        key=Key.CAL,
        bind="query-params",
        help="*exact-law*, for one to three counts or proportions and for a single sum or mean, "
        "assumes nothing but how records are drawn: noise is scaled until what it delivers by the "
        "exact law of the statistics is what is promised. *guarded* adds noise until the promise "
        "holds for normal curves with the covariance that each share has. The others take the two "
        "covariances of a pair for their "
        "mean: *exact* (Balle & Wang 2018) for every ε; *classical* is the papers' constant "
        "√(2 ln(1.25/δ))/ε, proven for ε ≤ 1 only.",
    )


def persons() -> tuple[float, float] | None:
    """What each record is promised besides: ε and δ, or None."""
    on = st.toggle(
        "Protect each person as well",
        key=Key.PERSONS,
        bind="query-params",
        help="One noise for two promises: nobody can tell the two shares apart, and nobody can "
        "tell whether any one record was replaced by another (differential privacy). Hiding the "
        "share alone may leave single records open. How far one record can move a statistic "
        "follows from the public bounds of its column, on the page Question.",
    )
    if not on:
        return None
    left, right = st.columns(2)
    epsilon = left.number_input(
        "ε per person",
        0.001,
        100.0,
        1.0,
        0.1,
        format="%g",
        key=Key.PERSONS_EPS,
        bind="query-params",
        help="However the release comes out, its probability differs by a factor of at most e^ε "
        "whichever record is replaced (up to δ).",
    )
    delta = right.number_input(
        "δ per person",
        1e-12,
        0.5,
        1e-3,
        1e-3,
        format="%g",
        key=Key.PERSONS_DELTA,
        bind="query-params",
        help="With this probability the promise to a person may fail; below one in the number of "
        "records is usual.",
    )
    return round(float(epsilon), 6), float(delta)


def bounds(
    dataset: Dataset, query: Query, *, needed: bool
) -> tuple[tuple[str, tuple[float, float]], ...]:
    """Public bounds of numeric columns; those of an example stand in the address.

    Those that are needed and missing are the data's own range, rounded outwards.
    """
    state, key = st.session_state, own_key(dataset, Key.BOUNDS)
    linkable = bound(dataset) is not None
    known = state.get(key)
    if known is None:
        known = _linked_bounds(dataset) if linkable else {}
    if needed and any(s.takes_bounds and s.column not in known for s in query):
        known = rounded_bounds(dataset.records, query) | dict(dataset.bounds) | known
    state[key] = known
    bounds = tuple(sorted(known.items()))
    if not linkable:
        return bounds
    written = [f"{low!r} to {high!r} {column}" for column, (low, high) in bounds]
    if written != linked(Key.BOUNDS):
        if written:
            st.query_params["bounds"] = written
        else:
            st.query_params.pop("bounds", None)
    return bounds


def _linked_bounds(dataset: Dataset) -> dict[str, tuple[float, float]]:
    bounds = {}
    for text in linked(Key.BOUNDS):
        low, _, rest = text.partition(" to ")
        high, _, column = rest.partition(" ")
        with suppress(ValueError):
            ends = float(low), float(high)
            if dataset.types.get(column) == "number" and -math.inf < ends[0] < ends[1] < math.inf:
                bounds[column] = ends
    return bounds


def distances() -> Distances:
    """Where Wasserstein mechanisms take their distances from."""
    chosen: Distances = st.segmented_control(
        "Distances for Wasserstein mechanisms",
        get_args(Distances),
        default="normals",
        required=True,
        key=Key.DIST,
        bind="query-params",
        help="*normals*: between the fitted normals, which gives the noise of ExpM(L); a single "
        f"count is exact. *simulated*: between {exact(SIMULATED)} datasets simulated for each "
        "share, whatever their distribution; statistics without a closed form are always "
        "simulated.",
    )
    return chosen


def image_format() -> ImageFormat:
    """What the camera of a chart's tool bar saves."""
    chosen: ImageFormat = st.segmented_control(
        "Save charts as",
        get_args(ImageFormat),
        default="SVG",
        required=True,
        key=Key.IMAGE_FORMAT,
        help="What the camera in a chart's tool bar saves: *SVG*, a drawing that stays sharp at "
        "any size, or *PNG*, an image of pixels.",
    )
    return chosen


def grid() -> tuple[float, float, float] | None:
    """Ends and step of a grid of shares, or None if one pair is hidden."""
    kind = st.segmented_control(
        "Shares of the secret to hide",
        ["one pair", "grid"],
        default="one pair",
        required=True,
        key=Key.PAIRS,
        bind="query-params",
        help="*one pair*: centre − Δp/2 from centre + Δp/2. *grid*: every share of a grid from "
        "every other within Δp, so that the promise holds wherever the true share lies on it.",
    )
    if kind == "one pair":
        return None
    low, high = st.slider(
        "Ends of the grid", 0.0, 1.0, value=(0.3, 0.7), step=0.01, key=Key.GRID, bind="query-params"
    )
    step = st.selectbox("Step of the grid", STEPS, index=2, key=Key.STEP, bind="query-params")
    return round(low, 4), round(high, 4), float(step)


def further_pairs(
    dataset: Dataset,
    secrets: Mapping[str, SensitiveProperty],
    chosen: SensitiveProperty,
    center: float,
    width: float,
) -> tuple[Pair, ...]:
    """Pairs to hide beside those of the main secret, of any property."""
    state, key = st.session_state, own_key(dataset, Key.ALSO)
    wanted = [*state.get(key, []), *linked(key)]
    options = {pair.label: pair for pair in _offered(secrets, chosen, center, width)}
    options |= state.get(Key.OWN_PAIRS, {}).get(dataset.digest, {})
    for label in wanted:
        if label not in options and (pair := choices.parse_pair(label, dataset.table, secrets)):
            options[pair.label] = pair
    if any(label not in options for label in state.get(key, [])):
        state[key] = [label for label in state[key] if label in options]
    labels = st.multiselect(
        "Hide as well",
        list(options),
        key=key,
        bind=bound(dataset),
        placeholder="Other secrets",
        help="More pairs of shares, of any property, that the same noise has to hide. Other "
        "centres and distances are set on the page Question.",
    )
    return tuple(options[label] for label in labels)


def _offered(
    secrets: Mapping[str, SensitiveProperty],
    chosen: SensitiveProperty,
    center: float,
    width: float,
) -> list[Pair]:
    """The main values of other columns, at the centre and distance of the main secret."""
    offered: list[Pair] = []
    seen = Counter[str]()
    for secret in secrets.values():
        seen[secret.column] += 1
        if secret.column != chosen.column and seen[secret.column] <= MOST_VALUES:
            try:
                offered.append(secret.pair(center, width))
            except PropertyError:
                break
    return offered


def look(dataset: Dataset, pairs: Sequence[Pair]) -> str:
    """Label of the pair that charts and attack are about; empty for the one hardest to hide."""
    if len(pairs) < 2:
        return ""
    labels = ["", *(pair.label for pair in pairs)]
    key = own_key(dataset, Key.LOOK)
    if st.session_state.get(key) not in (None, *labels):
        del st.session_state[key]
    return st.selectbox(
        "Look at",
        labels,
        format_func=lambda label: label or "the pair hardest to hide",
        key=key,
        bind=bound(dataset),
        help=f"{len(pairs)} pairs are hidden at once; charts and attack show one of them.",
    )


def known_range() -> None:
    """The range that everybody knows the share to lie in; its middle becomes the centre."""
    st.slider(
        "Or: everybody knows that the share lies between",
        0,
        100,
        (0, 100),
        format="%d %%",
        key=Key.KNOWN_RANGE,
        on_change=_center_on_range,
        persist_state="session",
        help="Its middle becomes the centre of the two shares.",
    )
    low, high = (share / 100 for share in st.session_state[Key.KNOWN_RANGE])
    st.caption(
        f"{center_reveals(low, high)} To hide every share in it from every other, choose a grid "
        "among the settings."
    )


def _center_on_range() -> None:
    low, high = (share / 100 for share in st.session_state[Key.KNOWN_RANGE])
    if low < high:
        center = center_of(low, high, float(st.session_state.get(Key.DP, 0.1)))
        putting.put({Key.CENTER: round(center, 2)})


def view() -> None:
    """Who looks at the screen."""
    st.segmented_control(
        "View",
        get_args(ViewKind),
        default="analyst",
        required=True,
        key=Key.VIEW,
        bind="query-params",
        help="*presentation* leaves out everything computed from single records or from the "
        "data's true shares, so that the screen can be shown in a meeting.",
    )


_UNITS_HELP = (
    "*raw*: a year counts as much as a record. *standardised*: each statistic in its own standard "
    "deviations. *custom*: in the tolerances you set."
)


def units(dataset: Dataset, query: Query) -> tuple[Units, Units, tuple[float, ...]]:
    """Units for calibrating and for reporting, and the tolerances of the custom ones."""
    calibrating = st.segmented_control(
        "Units for calibrating",
        get_args(Units),
        default="raw",
        required=True,
        key=Key.UNITS,
        bind="query-params",
        help=f"What counts as equally much noise. {_UNITS_HELP} The promise is the same in each.",
    )
    reporting = st.segmented_control(
        "Units of the total error",
        get_args(Units),
        default="raw",
        required=True,
        key=Key.REPORT,
        bind="query-params",
        help=_UNITS_HELP,
    )
    if "custom" not in (calibrating, reporting):
        return cast(Units, calibrating), cast(Units, reporting), ()
    named = query.units(dataset.units)
    tolerances = tuple(
        float(
            st.number_input(
                f"Tolerance of {escape(label)}" + (f" ({escape(unit)})" if unit else ""),
                1e-9,
                1e12,
                1.0,
                format="%g",
                key=own_key(dataset, f"tol{index}"),
                bind=bound(dataset),
                help="An error of this size counts as 1.",
            )
        )
        for index, (label, unit) in enumerate(zip(query.labels, named, strict=True))
    )
    return cast(Units, calibrating), cast(Units, reporting), tolerances
