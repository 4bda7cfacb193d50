"""The page Answer with both limits: the frontier of error against attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from distpriv.analysis.acceptable_error import ErrorLimit
from distpriv.analysis.design import Kind, Limit
from distpriv.analysis.frontier import Frontier, frontier_steps
from distpriv.charts.frontier import error_against_attack
from distpriv.dashboard.answer import acceptable, search
from distpriv.dashboard.shell import live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import curves, display, promise
from distpriv.dashboard.widgets.scenario import pair_words
from distpriv.model.run import Progress, Run
from distpriv.words import escape, listed, percent, with_unit

__all__ = ["section"]

_ATTACKS: Mapping[Kind, str] = {
    "guesses": "right guesses of 100",
    "accuracy": "accuracy of the best attacker (%)",
    "precision": "precision of the best attacker (%)",
    "f_score": "F-score of the best attacker",
    "belief": "what the best attacker may believe (%)",
}


def section(view: View, limit: Limit, limits: tuple[ErrorLimit, ...]) -> None:
    """What keeps both limits: in a sentence, as a picture that grows, and by mechanism."""
    names = search.mechanisms_of(view)
    key = curves.key_of(view, f"frontier {limit!r} {limits!r} {names}", epsilon=False)

    def begin() -> Iterator[Progress[Frontier]]:
        return frontier_steps(
            limit,
            limits,
            view.model,
            names,
            report=view.report_sizes,
            **view.calibrating,
        )

    run = live.begun("frontier", key, begin)
    live.growing(run, lambda run: _draw(view, run))


def _draw(view: View, run: Run[Frontier]) -> None:
    found = run.result()
    if found is None:
        acceptable.waiting(run)
        return
    _sentence(view, found, whole=run.finished)
    display.chart(_picture(view, found), "frontier")
    if not run.finished:  # buttons and table would be drawn anew at every tick
        st.caption(f"{run.doing} …")
        return
    _buttons(found)
    _table(view, found)
    promise.by_normals(view, "What attackers reach here, and the ε that follow")


def _sentence(view: View, found: Frontier, *, whole: bool) -> None:
    limit = found.limit
    asked = (
        f"You accept {acceptable.allowed_words(view, found.by_error)}, and allow "
        f"**{search.told(limit, limit.value)}** to an attacker who tells {pair_words(view)}."
    )
    if found.both:
        first, *others = found.both
        spans = f"from ε\u00a0=\u00a0{first.low:g} " + (
            "on" if np.isinf(first.high) else f"to {search.down(max(first.high, first.low))}"
        )
        also = [escape(one.mechanism) for one in others]
        st.markdown(
            f"**{escape(first.mechanism)}** satisfies both {spans}"
            + (
                f"; so {'do' if len(also) > 1 else 'does'} {listed(also)}, at ε of their own"
                * bool(also)
            )
            + f". {asked}"
        )
        return
    nearest = f" {_compromise(view, found)}" if whole else ""
    st.markdown(f"**Nothing satisfies both.**{nearest} {asked}")


def _compromise(view: View, found: Frontier) -> str:
    """The nearest on either side."""
    limit, limits, parts = found.limit, found.by_error.limits, []
    if found.least_attack is not None:
        choice, reached = found.least_attack
        parts.append(
            f"with these errors the attacker reaches {search.told(limit, reached)} "
            f"({escape(choice.mechanism)} at ε\u00a0=\u00a0{choice.epsilon:g})"
        )
    else:
        parts.append("no mechanism keeps these errors at any ε")
    if (other := found.least_error) is not None:
        place, allowed = limits[other.worst].statistic, found.by_error.allowed[other.worst]
        parts.append(
            f"with this limit on the attacker the largest error is {percent(other.used, 0)} of its "
            f"limit, {escape(view.labels[place])} ±\u00a0"
            f"{with_unit(other.used * allowed, view.units[place])} ({escape(other.mechanism)} at "
            f"ε\u00a0=\u00a0{search.down(other.epsilon)})"
        )
    else:
        parts.append("no mechanism keeps the limit on the attacker at any ε")
    return f"The nearest on either side: {'; '.join(parts)}."


def _picture(view: View, found: Frontier) -> go.Figure:
    limit, limits = found.limit, found.by_error.limits
    about: dict[str, Any] = {"measure": "largest error, of its limit", "unit": "%", "scale": 100.0}
    if len(limits) == 1:
        place = limits[0].statistic
        about = {
            "measure": f"expected error of {view.labels[place]}",
            "unit": view.units[place],
            "scale": found.by_error.allowed[0],
        }
    return error_against_attack(
        found,
        attack=_ATTACKS[limit.kind],
        percent=limit.kind in ("accuracy", "precision", "belief"),
        say=lambda value: search.told(limit, value),
        selected=view.scenario.mechanism,
        **about,
    )


def _buttons(found: Frontier) -> None:
    """Take what keeps both, or the nearest on either side."""
    row = st.container(horizontal=True)
    with row:
        if found.both:
            acceptable.take(found.both[0].mechanism, found.both[0].low, "take_choice")
            return
        if found.least_attack is not None:
            choice = found.least_attack[0]
            acceptable.take(choice.mechanism, choice.epsilon, "take_choice")
        if found.least_error is not None:
            other = found.least_error
            acceptable.take(other.mechanism, float(search.down(other.epsilon)), "take_other")


def _table(view: View, found: Frontier) -> None:
    """Every mechanism at the two ends: where the errors are just kept, and the attack just is."""
    limit = found.limit
    both = {one.mechanism for one in found.both}
    least = {choice.mechanism: choice for choice in found.by_error.choices}
    free = found.by_attack is not None and found.by_attack.needs_no_noise
    largest = (
        {}
        if found.by_attack is None
        else {each.mechanism: each for each in found.by_attack.choices}
    )
    rows = []
    for name in found.lines:
        low, high = least.get(name), largest.get(name)
        rows.append(
            {
                "Mechanism": name,
                "Both": "yes" if name in both else "no",
                "Least ε for the errors": "none" if low is None else f"{low.epsilon:g}",
                "Attacker reaches there": "–"
                if low is None
                else search.told(limit, limit.reached(low.test)),
                "Largest ε for the attack": "any"
                if free
                else "none"
                if high is None
                else search.down(high.epsilon),
            }
        )
    display.table(pd.DataFrame(rows), "frontier_table")
    acceptable.left_out(found.by_error.skipped)
