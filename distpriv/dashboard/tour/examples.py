"""The papers' worked examples, each with its picture, its figures and the page to change them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.attribute.assumptions import noise_by_release
from distpriv.attribute.files import hospital, school
from distpriv.attribute.quilt import QuiltResult, markov_quilt
from distpriv.charts.coupling import moves_on_line
from distpriv.charts.network import network_graph, variance_bars
from distpriv.charts.plane import ellipses
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.wasserstein.small_example import FIGURE_1
from distpriv.dashboard.widgets import display
from distpriv.distances.outcomes import Outcomes
from distpriv.lessons import eigenvector_example
from distpriv.lessons.course import DELTA, EPSILON
from distpriv.words import escape, exact, number, percent

__all__ = ["worked_examples"]

_LEFT_OUT = 0.1
_PAPER_QUILT = frozenset({"gender"})
_SETTING = f"ε\u00a0=\u00a0{EPSILON:g} and δ\u00a0=\u00a0{exact(DELTA)}"


def worked_examples() -> None:
    """A section to open, with a tab for each example."""
    place = st.expander(
        "The papers' worked examples",
        icon=":material/menu_book:",
        key="tour_examples",
        on_change="rerun",
    )
    if not place.open:
        return
    with place:
        tabs = st.tabs(list(_EXAMPLES), key="tour_example", on_change="rerun")
        for tab, draw in zip(tabs, _EXAMPLES.values(), strict=True):
            if tab.open:
                with tab:
                    draw()


def _figure_1() -> None:
    weights = [table["Weight"].to_numpy() for table in FIGURE_1.values()]
    points = [table["Value"].to_numpy() for table in FIGURE_1.values()]
    outcomes = Outcomes((points[0], points[1]), (weights[0], weights[1]), exact=True)
    coupling, furthest = outcomes.coupling(_LEFT_OUT), outcomes.closeness()
    st.markdown(
        f"To turn μ into ν some mass has to move by **{number(furthest)}**; leave out the "
        f"{percent(coupling.mass_beyond, 0)} that moves furthest and nothing moves by more than "
        f"**{number(coupling.reach)}**, so that Laplace noise of scale "
        f"{number(coupling.reach / EPSILON)} does instead of {number(furthest / EPSILON)} at "
        f"ε\u00a0=\u00a0{EPSILON:g}, except with probability δ\u00a0=\u00a0{_LEFT_OUT:g}."
    )
    display.chart(
        moves_on_line(
            points[0],
            points[1],
            (weights[0], weights[1]),
            coupling,
            names=("μ", "ν"),
            axis_title="value",
        ),
        "tour_figure_1",
    )
    _source(
        "Chen & Ohrimenko (2023), Figure 1: ∞-Wasserstein distance and (W, δ)-closeness.",
        "wasserstein",
        "Edit the two distributions: Wasserstein, tab *A small example*",
    )


def _eigenvectors() -> None:
    example = eigenvector_example()
    noise, own = example.along("EigM"), example.own
    st.markdown(
        f"At {_SETTING} every direction needs a variance of **{example.needed:.2f}**; the two "
        f"statistics bring {own[0]:g} and {own[1]:g} of it along their axes themselves, so that "
        f"noise of variance **{noise[0]:.2f}** and **{noise[1]:.2f}** is enough."
    )
    picture, figures = st.columns([3, 2], gap="large")
    with picture:
        display.chart(
            ellipses(
                example.model.pairs[0],
                {name: example.noises[name] for name in ("ExpM", "EigM")},
                0,
                1,
                ("first statistic", "second statistic"),
                ("", ""),
                names=("θ = θ₁", "θ = θ₂"),
                to_scale=True,
            ),
            "tour_eigenvectors",
        )
    with figures:
        st.markdown("**Variance of the noise, by mechanism**")
        along = {name: example.along(name) for name in example.noises}
        display.table(
            pd.DataFrame(
                {
                    "Mechanism": list(along),
                    "along v₁": [f"{values[0]:.2f}" for values in along.values()],
                    "along v₂": [f"{values[1]:.2f}" for values in along.values()],
                    "in all": [
                        f"{np.trace(noise.covariance):.2f}" for noise in example.noises.values()
                    ],
                }
            )
        )
        st.caption(
            "v₁ = (1, 2)/√5 and v₂ = (2, −1)/√5 are the axes of variation, and the calibration is "
            "the paper's classical one. DirM, DauM and OptM add noise in one direction, seen here "
            "along the same two axes; the example takes the statistics for densities, which have "
            "no grid that would give that noise away."
        )
    _source(
        "Chen & Ohrimenko (2023), the example after Theorem 4.5. What the theorem calls squared "
        "eigenvalues are the eigenvalues.",
        "directions",
        "See it on your data: Directions",
    )


def _hospital() -> None:
    file = hospital()
    noises = noise_by_release(file.assumptions, EPSILON, DELTA, "classical")
    units = {assumption.release: assumption.unit for assumption in file.assumptions}
    papers = {assumption.release: assumption.paper_error for assumption in file.assumptions}
    moved = [
        f"the {escape(release)} by **{_exactly(noise.expected_absolute_error)}"
        f"\u00a0{escape(units[release])}**"
        for release, noise in noises.items()
    ]
    shares = " and the ".join(
        dict.fromkeys(escape(assumption.protected) for assumption in file.assumptions)
    )
    st.markdown(
        f"A hospital releases averages of {file.assumptions[0].n} patients and hides the {shares}: "
        f"at {_SETTING} noise moves {', '.join(moved[:-1])} and {moved[-1]}, on average."
    )
    display.chart(variance_bars(noises), "tour_hospital")
    display.table(
        pd.DataFrame(
            {
                "Release": list(noises),
                "The share moves it by": [
                    f"{noise.sensitivities[noise.binding]:g}\u00a0{units[release]}"
                    for release, noise in noises.items()
                ],
                "Varies by itself, variance": [
                    number(float(noise.variances[noise.binding])) for noise in noises.values()
                ],
                "Noise, on average": [
                    f"± {_exactly(noise.expected_absolute_error)}" for noise in noises.values()
                ],
                "Paper, 100 runs": [
                    "–" if papers[release] is None else f"± {number(papers[release] or 0.0)}"
                    for release in noises
                ],
            }
        )
    )
    _source(
        "Zhang et al. (2022), Section 4.2, with the classical calibration. For the temperature "
        "the paper reports no noise; its Algorithm 1 asks for a variance of "
        f"{number(min(noise.variance for noise in noises.values()))}.",
        "attribute",
        "Change what is assumed: Attribute privacy",
    )


def _exactly(value: float) -> str:
    """Three decimals, more for what is smaller than a tenth."""
    return f"{value:.3f}" if value >= 0.1 else f"{value:.4f}"


def _school() -> None:
    file = school()
    results: list[QuiltResult] = cache.computed(
        lambda: [
            markov_quilt(
                file.networks, file.protected, query.attributes, query.sensitivity, EPSILON
            )
            for query in file.queries[:2]
        ],
        "tour school",
    )
    free, costly = results
    quilt = next(scaled for scaled in costly.quilts if scaled.quilt == _PAPER_QUILT)
    first, second = (escape(query.name) for query in file.queries[:2])
    st.markdown(
        f"Counting **{first}** tells nothing about family income beyond gender, which changes the "
        f"odds by a factor of {number(math.exp(free.influence))} at most, so at "
        f"ε\u00a0=\u00a0{EPSILON:g} it needs "
        + ("**no noise**" if not free.scale else f"noise of **{number(free.scale)}**")
        + f"; counting **{second}** needs Laplace noise of scale **{number(quilt.scale)}** with "
        f"the quilt gender."
    )
    display.chart(network_graph(file.networks[0], quilt, file.queries[1].attributes), "tour_school")
    st.markdown(
        f"The scale is Δ/(ε − e) = {number(quilt.sensitivity)}/({EPSILON:g} − "
        f"{number(quilt.influence)}): Δ of the scores, which stay nearby, and e, the influence of "
        f"income on gender. Algorithm 2 looks at every quilt and finds {number(costly.scale)}."
    )
    _source(
        "Zhang et al. (2022), Example 1. The paper gives no tables; those here are illustrative.",
        "attribute",
        "Change the network: Attribute privacy, tab *Distribution*",
        {"attribute_tab": "Distribution"},
    )


def _source(cited: str, page: str, label: str, query: dict[str, str] | None = None) -> None:
    st.caption(cited)
    link(page, label, icon=":material/open_in_new:", query=query)


_EXAMPLES: dict[str, Callable[[], None]] = {
    "Figure 1": _figure_1,
    "Two statistics": _eigenvectors,
    "The hospital": _hospital,
    "The school": _school,
}
