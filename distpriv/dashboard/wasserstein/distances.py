"""How far the statistics of the release have to move, and the noise that hides it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.charts.coupling import closeness_curves, moves_in_plane, moves_on_line, noise_bars
from distpriv.charts.style import group_names
from distpriv.dashboard.shell import live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import code, display
from distpriv.distances.normals import normal_closeness
from distpriv.distances.outcomes import Outcomes
from distpriv.errors import DistprivError, InapplicableError
from distpriv.glossary import hover
from distpriv.mechanisms import calibrate
from distpriv.mechanisms.wasserstein import swap_reach
from distpriv.model.run import Progress, Run, repeated
from distpriv.privacy.noise import Noise
from distpriv.words import escape, exact, number, percent, share

__all__ = ["formulas", "release"]

DELTAS = (0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2)
BETWEEN, AGAIN, NORMALS = "the two shares", "one share simulated twice", "the fitted normals"
COMPARED = ("ExpM(L)", "Wasserstein", "ApproxWasserstein", "BoundedWasserstein")
ANY_DATA = "no assumption at all"

Distances = dict[str, dict[float, float]]  # W by δ, of each pair of distributions


def release(view: View) -> None:
    """How far the statistics of the scenario have to move, and the noise that hides it."""
    result_first = st.container()
    place, start, stop = st.columns([2, 1, 1], vertical_alignment="bottom")
    exact = view.fit.outcomes is not None and view.fit.outcomes.exact
    count = place.select_slider(
        "Simulated datasets for each share",
        (250, 500, 1000, 2000),
        value=1000,
        key="wasserstein_datasets",
        persist_state="session",
        disabled=exact or not view.scenario.query.is_linear,
        help="More of them come closer to the true distributions, and take longer: a matching of "
        "every dataset with another. A single count has exact distributions; statistics without "
        "a closed form are simulated when the model is fitted.",
    )
    code.note("wasserstein", datasets=count)
    outcomes, run = _begun(view, count)
    labels = live.Labels(again="", go_on="Go on")
    live.buttons("wasserstein", lambda: run, labels, (start, stop))

    def draw(run: Run[Distances]) -> None:
        distances = run.result() or {name: {} for name in outcomes}
        compared = _compared(view, outcomes[BETWEEN], distances[BETWEEN])
        st.markdown(_sentence(view, distances, compared))
        if run.running or run.failure:
            live.bar(run, f"{run.done} of {len(outcomes) * len(_deltas(view))} distances")
        left, right = st.columns(2, gap="large")
        with left:
            curves = {**distances, NORMALS: _normals(view)}
            display.chart(
                closeness_curves(curves, delta=view.scenario.delta, largest=DELTAS[-1]),
                "wasserstein_closeness",
            )
        with right:
            display.chart(
                noise_bars(
                    compared.errors,
                    selected=view.scenario.mechanism,
                    unit=view.error_unit or "mixed units",
                ),
                "wasserstein_noise",
            )
        display.table(_table(view, compared))
        if compared.missing:
            st.caption(escape(compared.missing))

    with result_first:
        # A slider must not wait for a distance.
        at_once = outcomes[BETWEEN].dimension == 1
        live.growing(run, draw, at_once=at_once, page_waits=True)
    if not run.running and run.done:
        _moves(view, outcomes[BETWEEN])


def _begun(view: View, count: int) -> tuple[dict[str, Outcomes], Run[Distances]]:
    """What the distances of this scenario are between, and their measuring, begun once."""
    scenario, fit = view.scenario, view.fit
    known = fit.outcomes
    if known is None or (not known.exact and scenario.query.is_linear):
        known = view.groups.outcomes(scenario.query, fit.thetas, count, scenario.seed)
    deltas = _deltas(view)
    # Exact outcomes are computed anew in every run of the page: they are no key.
    key = (view.source.digest, scenario.query, fit.thetas, count, scenario.seed, deltas)
    outcomes = {BETWEEN: known}
    if not known.exact and scenario.query.is_linear:
        # Another seed: with the same one the first of the two would be the release's own again.
        first = fit.thetas[0]
        twice = (scenario.query, (first, first), count, scenario.seed + 1)
        outcomes[AGAIN] = view.groups.outcomes(*twice)
    return outcomes, live.begun("wasserstein", key, lambda: _measured(outcomes, deltas))


def _deltas(view: View) -> tuple[float, ...]:
    return tuple(dict.fromkeys([0.0, view.scenario.delta, *DELTAS]))


def _measured(
    outcomes: Mapping[str, Outcomes], deltas: Sequence[float]
) -> Iterator[Progress[Distances]]:
    """W by δ, all pairs of distributions at one δ before the next."""
    places = [(name, delta) for delta in deltas for name in outcomes]

    def collect(distances: list[float]) -> Distances:
        known = dict(zip(places, distances, strict=False))
        return {
            name: {delta: known[name, delta] for delta in deltas if (name, delta) in known}
            for name in outcomes
        }

    return repeated(
        lambda index: outcomes[places[index][0]].closeness(places[index][1]), len(places), collect
    )


@dataclass(frozen=True)
class _Compared:
    """Noises side by side: expected error and the W behind it by name, and what is missing."""

    errors: dict[str, float]
    reaches: dict[str, float]
    missing: str = ""


def _compared(view: View, outcomes: Outcomes, known: Mapping[float, float]) -> _Compared:
    """The noises whose distances are known so far."""
    scenario = view.scenario
    fit = replace(view.fit, outcomes=outcomes)
    model = replace(view.focused, pairs=(fit,))
    wait = {"Wasserstein": 0.0, "ApproxWasserstein": scenario.delta}
    noises, missing = dict[str, Noise](), ""
    for name in COMPARED:
        if wait.get(name, 0.0) in known or name == "ExpM(L)":
            try:
                noises[name] = calibrate(
                    name,
                    model,
                    scenario.epsilon,
                    scenario.delta,
                    persons=scenario.promise_to_persons,
                )
            except InapplicableError as error:
                missing = f"{name}: {error}"
    reach = swap_reach(model)
    noises[ANY_DATA] = replace(
        noises["ExpM(L)"], scales=np.full(len(scenario.query), reach / scenario.epsilon)
    )
    return _Compared(
        {name: view.reported(noise).expected_error() for name, noise in noises.items()},
        {name: float(noise.scales[0]) * scenario.epsilon for name, noise in noises.items()},
        missing,
    )


def _normals(view: View) -> dict[float, float]:
    fit = view.fit
    return {
        delta: normal_closeness(fit.difference, fit.pooled, delta)
        for delta in (*DELTAS, view.scenario.delta)
    }


def _sentence(view: View, distances: Distances, compared: _Compared) -> str:
    scenario, fit = view.scenario, view.fit
    between = distances[BETWEEN]
    pair = fit.pair
    start = (
        f"To turn the statistics of datasets with {share(pair.p_i)} of "
        f"**{escape(pair.secret.label)}** into those with {share(pair.p_j)}, some have to move by "
        f"**{number(between[0.0]) if 0.0 in between else '…'}** in all"
    )
    if scenario.delta in between:
        start += (
            f"; without the {percent(scenario.delta, 2)} that would move furthest, by "
            f"**{number(between[scenario.delta])}**"
        )
    start += f". The fitted normals are {number(_normals(view)[0.0])} apart."
    again = distances.get(AGAIN, {})
    if 0.0 in again:
        start += (
            f" Two simulations of one and the same share are already {number(again[0.0])} apart: "
            "that much is the simulation's own doing, and it shrinks slowly with more datasets."
        )
    errors = compared.errors
    if "Wasserstein" in errors:
        start += (
            f" Hiding it takes an L2 error of **{number(errors['Wasserstein'])}** at "
            f"ε\u00a0=\u00a0{scenario.epsilon:g}, against {number(errors['ExpM(L)'])} with "
            "ExpM(L), which takes the one distribution for the other one shifted."
        )
    return start


def _table(view: View, compared: _Compared) -> pd.DataFrame:
    errors, reaches = compared.errors, compared.reaches
    why = {
        "ExpM(L)": "the two distributions are shifts of each other",
        "Wasserstein": "the distributions are as simulated",
        "ApproxWasserstein": f"the same, up to δ = {exact(view.scenario.delta)}",
        "BoundedWasserstein": f"only how far they stray from their means, up to "
        f"δ = {exact(view.scenario.delta)}",
        ANY_DATA: "every value lies in its column's range (records are exchanged)",
    }
    if view.fit.outcomes is not None and view.fit.outcomes.exact:
        why["Wasserstein"] = "the distributions are computed exactly"
    return pd.DataFrame(
        {
            "Noise": list(errors),
            "W, how far in L1": [number(reaches[name]) for name in errors],
            "Laplace scale W/ε": [number(reaches[n] / view.scenario.epsilon) for n in errors],
            "Error, L2": [number(value) for value in errors.values()],
            "Holds if": [why[name] for name in errors],
        }
    )


def _moves(view: View, outcomes: Outcomes) -> None:
    """The coupling, as moves on a line or between points of a plane."""
    labels, names = view.scenario.query.labels, group_names(view.fit.pair)
    st.header("The moves behind it", help=hover("Wasserstein distance"))
    if len(labels) > 1:
        order = np.argsort(-np.abs(view.fit.difference)).tolist()
        left, right = st.columns(2)
        across = left.selectbox(
            "Across",
            range(len(labels)),
            index=order[0],
            format_func=lambda index: labels[index],
            key="wasserstein_across",
            persist_state="session",
        )
        others = [index for index in range(len(labels)) if index != across]
        up = right.selectbox(
            "Up",
            others,
            index=others.index(next(index for index in order if index != across)),
            format_func=lambda index: labels[index],
            key="wasserstein_up",
            persist_state="session",
        )
    try:
        with st.spinner("Pairing the datasets …"):
            coupling = outcomes.coupling(view.scenario.delta)
    except DistprivError as error:
        st.info(escape(error), icon=":material/info:")
        return
    first, second = outcomes.points
    if len(labels) == 1:
        figure = moves_on_line(
            first[:, 0], second[:, 0], outcomes.masses, coupling, names=names, axis_title=labels[0]
        )
    else:
        figure = moves_in_plane(
            first,
            second,
            coupling,
            across=across,
            up=up,
            labels=labels,
            units=view.units,
            names=names,
        )
    display.chart(figure, "wasserstein_moves")


def formulas() -> None:
    """The distance, and the mechanisms that take it."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"W_\infty(\mu,\nu)=\inf_{\gamma\in\Gamma(\mu,\nu)}\ "
            r"\max_{(x,y)\in\mathrm{supp}\,\gamma}\lVert x-y\rVert_1,"
            r"\qquad Z_k\sim\mathrm{Lap}(W/\varepsilon)"
        )
        st.markdown(
            "γ is a coupling: a way to move the mass of one distribution until it is the other. "
            "The Wasserstein mechanism takes W∞ (Chen & Ohrimenko 2023, Theorem 3.1), the "
            "approximate one the least W for which all but δ moves by at most W (Theorem 3.2), "
            "the bounded one the distance of the means plus twice how far the statistics stray "
            "from theirs, except with probability δ/2 (Theorem 3.3). The paper's \"(W, 0)-close if "
            'and only if W∞ = W" means W∞ ≤ W. In several dimensions W is the bottleneck of a '
            "matching of simulated datasets; for two normals with the same covariance it is the "
            "least ‖e‖₁ with (d − e)ᵀΣ⁻¹(d − e) ≤ (2Φ⁻¹((1 + δ)/2))², d being the distance of "
            "their means."
        )
