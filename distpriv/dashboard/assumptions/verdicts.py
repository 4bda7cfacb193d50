"""Parts of the page on assumptions: what a promise rests on, and what was measured about it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.fitting import SIMULATED
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.robustness.verdicts import Assumption, Holds, Verdict
from distpriv.words import escape, exact, listed, number, with_unit

__all__ = ["cards", "lead", "overview"]


_BADGES: dict[Holds, str] = {
    "yes": ":green-badge[:material/check: holds exactly]",
    "within chance": ":gray-badge[:material/help: not refuted]",
    "no": ":orange-badge[:material/rule: does not hold exactly]",
    "not measured": ":gray-badge[:material/help: not measured]",
}
_COUNTS = ("no assumption", "one assumption", "two assumptions", "several assumptions")
_RESTS = "rests on"
_SHORT: dict[Holds, str] = {"within chance": "not refuted", "no": "not exactly"}
_UNITS = {
    "percentage points": "p.p.",
    "%": "%",
    "degrees": "°",
    "standard deviations": "std. dev.",
    "correlation": "",
}


def lead(view: View, verdicts: dict[Assumption, Verdict]) -> str:
    """What the promise rests on, and what is left of it, in words."""
    scenario, noise = view.scenario, view.noise
    mechanism, name = mechanisms.get(scenario.mechanism), escape(scenario.mechanism)
    if not mechanism.protects:
        return (
            f"{name} promises nothing about the share of **{escape(view.fit.pair.secret.label)}**, "
            "so there is no such promise to rest on anything; its promise about single records "
            "needs known bounds."
        )
    wanted = mechanism.assumptions(view.model, scenario.calibration)
    start = f"With {name} at ε\u00a0=\u00a0{scenario.epsilon:g} the promise rests on "
    if view.laws_for(noise) is not None:
        return (
            f"{start}**the sampling alone**: the exact law of the statistics is known, and no "
            f"normal curve stands for it. By it the noise delivers **δ\u00a0=\u00a0"
            f"{number(view.delivered(noise))}** of the {exact(noise.delta)} promised."
        )
    if not wanted and not mechanism.from_outcomes:
        return (
            f"{start}**no assumption** about how the statistics are distributed: only on the "
            "sampling, that a dataset is drawn from the records as described."
        )
    if not wanted:
        return (
            f"{start}no assumption about how the statistics are distributed, other than that the "
            "distributions it hides are the true ones."
        )
    titles = listed([assumption.title for assumption in wanted])
    start += f"**{_COUNTS[min(len(wanted), 3)]}**: {titles}. "
    phrases = {
        "no": "not exactly",
        "within chance": "as far as simulated datasets tell",
        "yes": "exactly",
        "not measured": "not measured",
    }
    if len(wanted) == 1:
        start += f"Does that hold here? {phrases[verdicts[wanted[0]].holds].capitalize()}. "
    else:
        verdict = [
            f"{assumption.title}: {phrases[verdicts[assumption].holds]}" for assumption in wanted
        ]
        start += f"Do they hold here? {'; '.join(verdict).capitalize()}. "
    if Assumption.KNOWN_BOUNDS in wanted:
        return start + "It does not matter how the statistics are distributed."
    delivered, kept = view.delivered(noise), view.promise.kept
    return start + (
        "By the fitted normals, with the covariance each of them has, the promise is "
        f"{view.promise.words}: **δ\u00a0=\u00a0{number(delivered)}** "
        + (
            f"of the {exact(noise.delta)} promised."
            if kept
            else f"instead of {exact(noise.delta)}."
        )
    )


def cards(view: View, verdicts: dict[Assumption, Verdict]) -> None:
    """Each assumption of the chosen mechanism with its verdict."""
    mechanism = mechanisms.get(view.scenario.mechanism)
    wanted = mechanism.assumptions(view.model, view.scenario.calibration)
    shown = [
        *wanted,
        *(assumption for assumption in mechanism.dispenses if assumption not in wanted),
    ]
    for place, assumption in zip(st.columns(max(len(shown), 1)), shown, strict=False):
        verdict = verdicts[assumption]
        with place.container(border=True, height="stretch"):
            title = f"**{assumption.title.capitalize()}**"
            if assumption not in wanted:
                title += " (assumed by the theorem, not needed by this noise)"
            st.markdown(f"{title} {_BADGES[verdict.holds]}", help=assumption.meaning)
            st.markdown(escape(verdict.sentence))
    st.caption(
        f"A simulation, not a release: {exact(SIMULATED)} datasets for each share of the pair "
        f"looked at, seed {view.scenario.seed}. Covariances and averages are those of the fitted "
        "model, "
        + ("computed from the records." if view.model.method == "exact" else "itself simulated.")
        + (
            " Every mechanism but the baselines also takes these for the true ones; the Gaussian "
            "fit page tells what other records would have given."
            if wanted
            else ""
        )
    )


def overview(view: View, verdicts: dict[Assumption, Verdict]) -> None:
    """Every mechanism's assumptions, above what was measured about them."""
    st.header("Which mechanism assumes what?")
    calibration = view.scenario.calibration
    rows = [
        {"": "holds here?", _RESTS: ""}
        | {
            assumption.title: _SHORT.get(verdict.holds, verdict.holds)
            for assumption, verdict in verdicts.items()
        },
        {"": "deviation", _RESTS: ""}
        | {assumption.title: _figure(verdict) for assumption, verdict in verdicts.items()},
    ]
    for name in mechanisms.names():
        mechanism = mechanisms.get(name)
        wanted = mechanism.assumptions(view.model, calibration)
        marks = dict.fromkeys(mechanism.dispenses, "theorem only")
        marks |= dict.fromkeys(wanted, "assumed")
        rows.append(
            {"": name, _RESTS: _rests_on(mechanism, wanted)}
            | {assumption.title: marks.get(assumption, "–") for assumption in verdicts}
        )
    display.table(
        pd.DataFrame(rows),
        "assumptions",
        height="content",
        column_config={
            "": st.column_config.TextColumn(width="medium", pinned=True),
            _RESTS: st.column_config.TextColumn(width="medium"),
        }
        | {
            assumption.title: st.column_config.TextColumn(
                assumption.title.capitalize(), help=assumption.meaning
            )
            for assumption in verdicts
        },
    )
    st.caption(
        "“assumed”: the promise needs it. “theorem only”: the published theorem assumes it, the "
        "noise computed here does without. The first two rows are what was measured on these data"
        + (
            "; the guarded calibration needs no equal covariances."
            if calibration == "guarded"
            else "; the exact-law calibration of Gaussian noise takes the law of the counts itself "
            "and assumes none of this."
            if calibration == "exact-law"
            else "."
        )
        + " “the sampling alone”: it is enough that a dataset is drawn from the records as "
        "described. DP and DP(L) promise nothing about the share."
    )


def _rests_on(mechanism: mechanisms.Mechanism, wanted: Sequence[Assumption]) -> str:
    """How many assumptions, or what it rests on without any."""
    if wanted:
        return _COUNTS[min(len(wanted), 3)]
    return "the distributions as computed" if mechanism.from_outcomes else "the sampling alone"


def _figure(verdict: Verdict) -> str:
    if np.isnan(verdict.measured):
        return "–"
    return with_unit(verdict.measured, _UNITS.get(verdict.unit, verdict.unit))
