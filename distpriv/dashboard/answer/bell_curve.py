"""The section of the page Answer on doing without normal curves: price, advice, one click."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.design import Choice, Limit, choose
from distpriv.analysis.sweeps import expected_errors
from distpriv.analysis.without_curves import (
    BY_LAW,
    WITHOUT,
    CurvePrice,
    Priced,
    curve_price,
    price_in_words,
    refused_in_words,
)
from distpriv.charts.frame import pending
from distpriv.charts.utility import error_against_epsilon
from distpriv.dashboard.answer import search
from distpriv.dashboard.shell import cache, live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import curves as sweeps
from distpriv.dashboard.widgets import display
from distpriv.errors import HypothesisError
from distpriv.mechanisms.curves import Curves
from distpriv.model.run import Progress, Run
from distpriv.words import escape, number

__all__ = ["section"]

_EPSILONS = np.geomspace(0.1, 10, 9)
_NAME = "bell_curve"
_HEIGHT = 480


@dataclass(eq=False)
class _Found:
    """What has come in.

    Attributes
    ----------
    price : CurvePrice
    curves : Curves or None
        Errors against ε.
    choice : Choice or None
        CoupM at the largest ε that keeps the limit; None where none does, or there is no limit.
    """

    price: CurvePrice
    curves: Curves | None = None
    choice: Choice | None = None


def section(view: View, limit: Limit | None) -> None:
    """Whether the promise needs the curve, what doing without costs, and a way to take that."""
    st.header("Do I need the bell curve?")
    key = (view.scenario, view.source.digest, view.focus, limit)
    run = live.begun(_NAME, key, lambda: _steps(view, limit))
    # In a fragment even when there is nothing left to do: charts that move into one are drawn anew.
    live.growing(run, lambda run: _draw(view, run))


def _steps(view: View, limit: Limit | None) -> Iterator[Progress[_Found]]:
    """Nothing at all, for the page is not to wait; the draws, which take longest; the rest."""
    price = curve_price(view)
    found = _Found(price)

    def curves() -> None:
        found.curves = _curves(view, price)

    def by_law() -> None:
        known = price.by_law
        if known is not None and found.curves is not None:
            curve = _swept(view, known.title, known)
            found.curves = Curves(_EPSILONS, found.curves.y | curve.y)

    def choice() -> None:
        found.choice = None if limit is None else _choice(view, limit)

    pieces = {
        "Drawing the records that two datasets differ by": lambda: price.without,
        "Errors against ε": curves,
        "Looking for the ε of the same error": lambda: price.epsilon,
        "Holding the curves against simulated datasets": lambda: (price.refused, price.beside),
        "Looking for the law of the statistics": by_law,
        "Looking for the ε that keeps the limit": choice,
    }
    for done, (doing, work) in enumerate(pieces.items()):
        yield Progress(done, len(pieces), lambda: found, doing)
        if done == 0 or price.without is not None:
            work()
    yield Progress(len(pieces), len(pieces), lambda: found)


def _curves(view: View, price: CurvePrice) -> Curves:
    """Errors of the noise that rests on curves and of CoupM."""
    lines = [one for one in (price.relying, price.without) if one is not None]
    y = [_swept(view, one.mechanism, one).y for one in lines]
    return Curves(_EPSILONS, {name: line for each in y for name, line in each.items()})


def _swept(view: View, name: str, one: Priced) -> Curves:
    """The error of one noise against ε under a name, remembered while ε moves."""
    scenario = view.scenario
    calibration = one.noise.calibration or scenario.calibration

    def swept() -> Curves:
        curves = sweeps.sweep_of(view)(
            expected_errors(units=view.report_sizes),
            "epsilon",
            _EPSILONS,
            view.model,
            (one.mechanism,),
            calibration=calibration,
        )
        return Curves(_EPSILONS, {name: curves.y[one.mechanism]})

    key = f"error of {name} {one.mechanism} {calibration} {scenario.report}"
    return cache.computed(swept, sweeps.key_of(view, key, epsilon=False))


def _choice(view: View, limit: Limit) -> Choice | None:
    """CoupM at the largest ε that keeps the limit, remembered while ε moves."""

    def chosen() -> Choice | None:
        try:
            design = choose(
                limit, view.model, (WITHOUT,), report=view.report_sizes, **view.calibrating
            )
        except HypothesisError:
            return None
        return next(iter(design.choices), None)

    return cache.computed(chosen, sweeps.key_of(view, f"limit on CoupM {limit!r}", epsilon=False))


def _draw(view: View, run: Run[_Found]) -> None:
    """The price in words and as a table, beside its picture, as far as it is known."""
    found = run.result() if run.finished else None
    picture, words = st.columns(2, gap="large")
    with picture:
        display.chart(_picture(view, found), "bell_curve_errors")
    with words:
        if run.failure:
            st.error(escape(run.failure), icon=":material/error:")
        elif found is None:
            st.markdown(f"{run.doing or 'Drawing the records that two datasets differ by'} …")
        else:
            _answer(view, found)


def _picture(view: View, found: _Found | None) -> go.Figure:
    names = dict.fromkeys((view.scenario.mechanism, WITHOUT), np.full(2, np.nan))
    curves = Curves(_EPSILONS[[0, -1]], names)
    known = found is not None and found.curves is not None
    figure = error_against_epsilon(
        found.curves if found is not None and found.curves is not None else curves,
        epsilon=view.scenario.epsilon,
        unit=view.error_unit or "mixed units",
        measure="total error",
        selected=view.scenario.mechanism,
    )
    # As high as the words beside it, so that what stands below stays where it is.
    figure.update_layout(height=_HEIGHT)
    return figure if known else pending(figure)


def _answer(view: View, found: _Found) -> None:
    price = found.price
    st.markdown(price_in_words(price, strong=lambda text: f"**{text}**", safe=escape))
    if price.without is None:
        return
    display.table(_table(price), "bell_curve")
    advised = price.advised
    st.markdown(
        escape(refused_in_words(price))
        + (f" **{escape(advised.title)}** is recommended." if advised is not None else "")
    )
    if found.choice is not None:
        st.caption(
            f"Under your limit, on attackers as the fitted curves have them, {WITHOUT} holds up to "
            f"ε\u00a0=\u00a0{search.down(found.choice.epsilon)}, with an error of "
            f"{number(found.choice.error)}."
        )
    _buttons(view, price)


def _table(price: CurvePrice) -> pd.DataFrame:
    """Error and assumptions of each, at the same ε and δ."""
    shown = [price.relying, price.by_law, price.without, price.own, *price.beside]
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for one in shown:
        if one is None or not mechanisms.get(one.mechanism).protects:
            continue
        rests = ", ".join(assumption.title for assumption in one.assumes)
        row = {
            "Mechanism": one.title,
            "Total error": number(one.error),
            "Rests on": rests or "how records are drawn, no more",
        }
        rows.setdefault((one.title, rests), row)
    return pd.DataFrame(list(rows.values()))


def _buttons(view: View, price: CurvePrice) -> None:
    """One click takes the mechanism, or the calibration, that needs no curve."""
    advised, scenario = price.advised, view.scenario
    row = st.container(horizontal=True, vertical_alignment="center")
    if price.by_law is not None and scenario.calibration != BY_LAW:
        row.button(
            f"Take {price.by_law.title}",
            key="take_law",
            icon=":material/done:",
            type="primary" if advised is price.by_law else "secondary",
            on_click=_take,
            args=({Key.MECH: price.by_law.mechanism, Key.CAL: BY_LAW},),
        )
    if scenario.mechanism != WITHOUT:
        row.button(
            f"Take {WITHOUT}",
            key="take_without",
            icon=":material/done:",
            type="primary" if advised is price.without else "secondary",
            on_click=_take,
            args=({Key.MECH: WITHOUT},),
        )
    with row:
        link("fit", "Gaussian fit")


def _take(values: dict[str, str]) -> None:
    st.session_state[Key.PENDING] = values
