"""The Release page's plan: several equal releases that keep the limits together."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from distpriv.dashboard.release import limit_panel
from distpriv.dashboard.release.limit_panel import HIGHEST, LOWEST, Left
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View, sources
from distpriv.dashboard.widgets import display
from distpriv.errors import CalibrationError
from distpriv.glossary import hover
from distpriv.store import OnRecord, Planned, Use, epsilon_that_fits, naive_epsilon, planned
from distpriv.words import exact, number, percent, with_unit

__all__ = ["plan"]

_PERIODS: Final = {"day": 365, "week": 52, "month": 12, "quarter": 4, "year": 5}
_MOST = 400


def plan(view: View, found: OnRecord, here: Left) -> None:
    """How many releases, and the ε of each at which all of them keep the limits."""
    st.header("A plan: several releases")
    if not here.can_calibrate:
        st.caption(
            "With an agreed limit, this tells the ε at which a release every month, or as often as "
            "you like, keeps it."
        )
        return
    if not st.toggle(
        "Work out the ε of releases to come",
        key="plan_open",
        persist_state="session",
        help="All with the mechanism and the statistics on screen, after what has been released.",
    ):
        return
    left, right = st.columns(2)
    period = left.selectbox("One release every", list(_PERIODS), index=2, key="plan_period")
    count = int(
        right.number_input(
            "Releases in all", 1, _MOST, _PERIODS[period], key=f"plan_count_{period}"
        )
    )
    about = limit_panel.about(view.dataset, found, view.at(1.0))
    together, alone = cache.computed(
        lambda: _both(view, found, count), f"plan {about} {count}", saying="Accounting …"
    )
    _sentence(view, together, alone, count, period)
    rows = [
        _row(view, "exact accounting", together, count),
        _row(view, "promises added up, the limit divided", alone, count),
    ]
    display.table(pd.DataFrame(rows), "plan")
    if together is not None:
        st.button(
            f"Take ε = {together.epsilon:g}",
            key="plan_take",
            icon=":material/check:",
            on_click=limit_panel.take,
            args=(together.epsilon,),
        )


def _both(view: View, found: OnRecord, count: int) -> tuple[Planned | None, Planned | None]:
    """By exact accounting, and by dividing what promises leave of the limit."""
    known, delta = sources(view.dataset), view.noise.delta

    def at(epsilon: float | None) -> Planned | None:
        if epsilon is None:
            return None
        try:
            return planned(view, epsilon, found.limits, found.made, known, count)
        except CalibrationError:
            return None

    best = epsilon_that_fits(view, found.limits, found.made, known, count, low=LOWEST, high=HIGHEST)
    return at(best), at(naive_epsilon(found.limits, found.made, delta, count))


def _sentence(
    view: View, together: Planned | None, alone: Planned | None, count: int, period: str
) -> None:
    releases = "One release" if count == 1 else f"{count} releases, one every {period},"
    keep = "keeps" if count == 1 else "keep"
    if together is None:
        st.markdown(
            f"{releases} cannot {keep.rstrip('s')} what is agreed: nothing is left for so many, "
            f"even at ε\u00a0=\u00a0{LOWEST:g}."
        )
        return
    said = (
        f"{releases} {keep} what is agreed at **ε\u00a0=\u00a0{exact(together.epsilon)}** each, "
        f"beside what has been released: the total error of each is {_error(view, together)}."
    )
    if alone is None:
        said += " Adding up promises would allow none of them."
    else:
        said += (
            " Dividing the limit by their number would leave "
            f"ε\u00a0=\u00a0{number(alone.epsilon)} each, and {_error(view, alone)}."
        )
    st.markdown(said, help=hover("L2 error"))


def _error(view: View, found: Planned) -> str:
    return with_unit(found.error, view.error_unit) if view.error_unit else number(found.error)


def _row(view: View, name: str, found: Planned | None, count: int) -> dict[str, str]:
    uses = [] if found is None else [use for check in found.checks for use in check.uses]
    tightest = max(uses, key=lambda use: use.part(use.after), default=None)
    after = "After it" if count == 1 else f"After all {count}"
    return {
        "Accounting": name,
        "ε of each": "none" if found is None else number(found.epsilon),
        "Total error of each": "–" if found is None else _error(view, found),
        after: "–" if tightest is None else _reached(tightest),
        "Of the limit": "–" if tightest is None else percent(tightest.part(tightest.after)),
    }


def _reached(use: Use) -> str:
    if use.measure == "accuracy":
        return f"right in {percent(use.after)}"
    return f"ε = {number(use.after)} at δ = {exact(use.delta or 0)}"
