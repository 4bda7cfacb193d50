"""The Release page's closer look: what all releases come to at most, and about each record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from distpriv.analysis.for_persons import record_delta, rounded_bounds
from distpriv.composition.table_releases import TableRelease
from distpriv.dashboard.release.ledger_panel import Releases, joint, table_release
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.errors import DistprivError
from distpriv.store import OnRecord
from distpriv.words import exact, number, percent

__all__ = ["closer"]


@dataclass(frozen=True)
class Together:
    """What releases come to in every measure; None where one cannot be had.

    Attributes
    ----------
    count : int
    accuracy : float
        Of the best attacker, for the worst pair.
    by_normals, at_most, per_record : float or None
        ε.
    exact : bool
        Whether the first two are what the fitted normals deliver, and not bounds.
    """

    count: int
    accuracy: float
    by_normals: float | None
    at_most: float | None
    per_record: float | None
    exact: bool


def closer(view: View, made: Releases, found: OnRecord) -> None:
    """What all releases come to by the fitted normals, at most, and about each record."""
    if not st.toggle(
        "What all releases come to at most, and for each person",
        key="together_open",
        persist_state="session",
        help="A bound that no distribution of the statistics exceeds, and differential privacy of "
        "each record. It takes some seconds.",
    ):
        return
    scenario = view.scenario
    tokens = [entry.token for entry in found.made]
    about = repr((view.source.digest, replace(scenario, view="analyst", look=""), tokens))
    rows = cache.computed(
        lambda: _rows(view, made), f"together {about}", saying="Bounding what is delivered …"
    )
    delta, own = exact(scenario.delta), exact(record_delta(scenario))
    display.table(
        pd.DataFrame(
            {
                "Releases": f"{each.count}, {name}",
                "Best attacker right in": f"{'' if each.exact else 'at most '}"
                f"{percent(each.accuracy)}",
                f"ε at δ = {delta}, by the fitted normals": _epsilon(each.by_normals),
                "At most, whatever the distributions": _epsilon(each.at_most),
                f"ε for each record at δ = {own}": _epsilon(each.per_record),
            }
            for name, each in rows.items()
        ),
        "together",
    )
    st.caption(
        "At most is the coupling bound of all releases stacked, which assumes no normal curve, "
        "only that records are drawn as described; – where a statistic is no sum over records, "
        "datasets overlap, or nothing is known. For each record counts whichever is replaced by "
        "any other within the public bounds."
    )


def _rows(view: View, made: Releases) -> dict[str, Together]:
    """So far, if there are any, and with the next one."""
    following = table_release(view.scenario, view.noise)
    rows = {"released so far": made.counted, "with this release": (*made.counted, following)}
    return {name: _together(view, releases) for name, releases in rows.items() if releases}


def _together(view: View, releases: tuple[TableRelease, ...]) -> Together:
    scenario = view.scenario
    found = joint(view, releases)
    bounds: dict[str, tuple[float, float]] = {}
    for release in releases:
        bounds |= rounded_bounds(view.table, release.query)
    bounds |= dict(scenario.bounds)

    def known(compute: Callable[[], float]) -> float | None:
        try:
            return compute()
        except DistprivError:
            return None

    return Together(
        count=found.count,
        accuracy=found.accuracy,
        by_normals=known(lambda: found.epsilon(scenario.delta)),
        at_most=known(lambda: found.bounded_epsilon(scenario.delta)),
        per_record=known(lambda: found.per_record(bounds).epsilon(record_delta(scenario))),
        exact=found.exact,
    )


def _epsilon(value: float | None) -> str:
    return "–" if value is None else number(value)
