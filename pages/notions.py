"""Show what an ε means to somebody who tests a record, and how notions of privacy relate."""

from dataclasses import replace
from typing import Any

import streamlit as st

from distpriv.analysis import evaluate, explanations, notions
from distpriv.charts import attack, bars, notions as charts, style
from distpriv.composition import compose
from distpriv.dashboard import page
from distpriv.dashboard.controls import ask
from distpriv.dashboard.fields import number
from distpriv.errors import DistprivError
from distpriv.hypothesis import FRAMEWORKS, RELATIONS, RecordTest, max_epsilon
from distpriv.model import Promise
from distpriv.text import listed, percent, significant, times

VIEWS = {"tests": "Hypothesis tests", "map": "Map", "wasserstein": "Wasserstein"}
VIEWS |= {"composition": "Composition"}
NOISE = {"laplace": "Laplace", "exact": "Gaussian", "classical": "Gaussian, classical (to ε = 1)"}
EPSILONS = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0]
BETAS = [0.25, 0.5, 1.0, 2.0, 4.0]
KNOWN = {
    "prior": "From a prior that is not even (ρ_p)",
    "records": "From records that depend on it (ρ_c)",
    "time": "From the same record at other times (ρ_t)",
}
FIRST: dict[str, Any] = {"noise": "laplace", "epsilon": 1.0, "delta": "0.001", "threshold": 0.5}
FIRST |= {"beta": 1.0, "bound": 0.75} | dict.fromkeys(KNOWN, 0.0)
FIRST |= {"notion": "BP", "map-epsilon": 1.0, "independent": False}
FIRST |= {"correlation": 0.9, "deviation": 0.5}

_, now = page.current()
# Streamlit forgets what a run does not draw, such as controls of another view.
kept = st.session_state.setdefault("notions", dict(FIRST))
for name in FIRST:
    kept[name] = st.session_state.get(f"notions-{name}", kept[name])


def key(name: str) -> str:
    """Return the key of a control that is drawn next, which has what it had before."""
    st.session_state.setdefault(f"notions-{name}", kept[name])
    return f"notions-{name}"


def written(promise: Promise) -> str:
    """Write a promise."""
    return f"ε = {significant(promise.epsilon)} at δ = {significant(promise.delta)}"


def answer(title: str, lead: str) -> None:
    """Write the answer, and choose what is shown."""
    page.headline(title, lead)
    page.choice("Shown", VIEWS, "tests", "notions-view")


def tests() -> None:
    """Draw a record's two densities and a threshold, F-scores against ε, and the user's shares."""
    head = st.container()
    first, second, third = st.columns(3, gap="medium")
    first.selectbox("Noise", NOISE, format_func=NOISE.__getitem__, key=key("noise"))
    second.select_slider("ε", EPSILONS, key=key("epsilon"), help=page.tip("ε"))
    third.slider("Says yes above", -4.0, 5.0, step=0.1, key=key("threshold"))
    if kept["noise"] != "laplace":
        ask("δ", "", key("delta"), (1e-12, 0.5), first)
    second.select_slider("β, above 1 finding counts more", BETAS, key=key("beta"))
    with third.popover("What the attacker knows", width="stretch"):
        for name, label in KNOWN.items():
            st.slider(label, 0.0, 0.9, step=0.05, key=key(name))
    beta, threshold, knowledge = kept["beta"], kept["threshold"], [kept[name] for name in KNOWN]
    try:
        delta = None if kept["noise"] == "laplace" else number(kept["delta"], 1e-12, 0.5)
        calibration = "classical" if kept["noise"] == "classical" else "exact"
        test = RecordTest(kept["epsilon"], delta, calibration, *knowledge)
    except DistprivError as problem:
        with head:
            answer("No answer for this", page.escape(problem))
        return
    recall, precision, _ = test.scores(threshold, beta)
    best = float(test.f_score(beta))
    with head:
        answer(
            f"F-score up to {best:.2f}",
            "Is a record in a noisy count? An attacker who says yes above the line is right "
            f"**{times(100 * float(precision))}**, and misses {100 - 100 * recall:.0f} of 100 "
            "records.",
        )
    left, right = st.columns([7, 4], gap="large")
    with left:
        frame = notions.density_frame(test)
        page.show(
            charts.densities(frame, threshold, float(test.threshold(beta))),
            frame.round(4),
            charts.densities_alt(frame),
            key="densities",
            note="Beyond the line: orange is found, blue is a false alarm. The record counts 1.",
        )
    with right:
        st.table(notions.rates_table(test, threshold, beta))
        ratio, largest = map(significant, test.likelihood_ratio([threshold, 9.0]))
        bounded = f" No count speaks more than {largest} : 1 for it." * (delta is None)
        st.caption(f"Plausible deniability: the line speaks {ratio} : 1 for the record.{bounded}")
    st.header("Which ε keeps a bound?", anchor=False)
    left, right = st.columns([7, 4], gap="large")
    with left:
        frame = notions.score_frame(test, beta)
        page.show(
            charts.scores(frame, bound=kept["bound"], here=(kept["epsilon"], best)),
            frame.round(4),
            charts.scores_alt(frame),
            key="scores",
            note="F-scores weigh precision against recall. Where a line is flat, always saying yes "
            "is best.",
        )
    with right:
        st.slider(
            "F-score at most", 0.5, 0.99, step=0.01, key=key("bound"), help=page.tip("F-score")
        )
        try:
            noise: Any = {"delta": delta, "calibration": calibration}
            largest = significant(float(max_epsilon(kept["bound"], beta, *knowledge, **noise)))
            st.markdown(f"**ε = {largest}** is the largest that keeps this bound.")
        except DistprivError as problem:
            st.markdown(f":red[{page.escape(problem)}]")
    st.header("And for your two shares?", anchor=False)
    with page.sentences():
        frame = now.recalls()
        lead = explanations.recall_lead(frame, now.way.key, now.exposed_shares[1], page.WORDS)
        st.markdown(lead)
        page.show(
            attack.recall(frame),
            frame.round(2),
            attack.recall_alt(frame),
            key="recalls",
            note=f"The best possible attacker, {explanations.basis(now)}, at even odds.",
        )


def relate() -> None:
    """Draw the map of notions, and write the scenario in two of them."""
    chosen, epsilon = FRAMEWORKS[kept["notion"]], kept["map-epsilon"]
    frame = notions.map_frame(epsilon, kept["notion"], kept["independent"])
    bounded = frame[(frame["largest"] < float("inf")) & (frame["notion"] != kept["notion"])]
    words = listed(f"{row.notion} by {significant(row.largest)}" for row in style.rows(bounded))
    answer(
        f"{kept['notion']} bounds {len(bounded) or 'no'} other notion{'s' * (len(bounded) != 1)}",
        f"{chosen.name} with ε = {significant(epsilon)} bounds {words or 'no other'}.",
    )
    first, second, third = st.columns(3, gap="medium", vertical_alignment="bottom")
    names = {short: f"{one.name} ({short})" for short, one in FRAMEWORKS.items()}
    first.selectbox("Notion", names, format_func=names.__getitem__, key=key("notion"))
    second.select_slider("ε", EPSILONS, key=key("map-epsilon"), help=page.tip("ε"))
    third.toggle("Records are independent", key=key("independent"))
    left, right = st.columns([7, 5], gap="large")
    with left:
        page.show(
            charts.notions(frame, RELATIONS, kept["notion"], independent=kept["independent"]),
            frame,
            charts.notions_alt(frame),
            key="map",
            note="An arrow leads from the smaller ε to the larger, at equal attackers (Liu et al. "
            "2019, Theorem 7; Chen & Ohrimenko 2023, Theorem 3.1).",
        )
    with right:
        for short, one in FRAMEWORKS.items():
            more = f"  \nNeighbours: {one.neighbours} {one.source}." * (short == kept["notion"])
            st.markdown(f"**{short}**, {one.name}. {one.protects}{more}")
    st.header("Your question in two notions", anchor=False)
    with page.sentences():
        for text in notions.pufferfish(now, page.WORDS):
            st.markdown(text)
        st.caption("Both promise the same: every release delivers the same δ in either.")


def together() -> None:
    """Draw two releases whose promises do not add up."""
    frame = notions.composition_frame(kept["correlation"], kept["deviation"])
    alone, _, both = frame["guesses"]
    answer(
        "Promises do not add up" if both > alone + 0.05 else "Here they add up",
        f"Alone, the first figure lets an attacker be right **{times(alone)}**, and the second "
        f"tells nothing. Together they let an attacker be right **{times(both)}**.",
    )
    first, second = st.columns(2, gap="medium")
    first.slider("Correlation of the two figures", 0.0, 0.99, step=0.01, key=key("correlation"))
    second.slider("Noise, in deviations", 0.0, 3.0, step=0.1, key=key("deviation"))
    page.show(
        bars.picture(frame),
        frame.round(2),
        bars.alt(frame),
        key="together",
        note="Right guesses of 100. The secret moves the first figure only. The second shows how "
        "much of the first is chance.",
    )
    st.header("When do they add up?", anchor=False)
    st.markdown(
        "Promises add up where tables are **drawn independently** (Proposition A.5), or each θ is "
        "**one known table** (A.4). For several releases of your own table, see Guarantee."
    )
    with page.sentences():
        twice = compose([now.promise, now.promise], "independent")
        once, both = written(now.promise), written(twice)
        st.markdown(f"Your promise once is {once}; twice it is then {both}.")


def moved() -> None:
    """Draw how far one figure's law moves, and what hiding that costs."""
    head = st.container()
    names = [label[:1].upper() + label[1:] for label in now.labels]
    place = st.selectbox("Figure", range(len(names)), format_func=names.__getitem__)
    single = replace(now.scenario, statistics=(now.scenario.statistics[place],))
    one = evaluate(single, now.source, now.cache, reference=now.reference)
    epsilon, delta, unit = now.epsilon or 1.0, now.scenario.delta, page.escape(now.units[place])
    frame = notions.laws_frame(one.model)
    moves = notions.moves_frame(frame, delta)
    shares = percent(now.pair.low), percent(now.pair.high)
    with head:
        answer(*notions.moves_words(one.model, shares, delta, unit, page.WORDS))
    page.show(
        charts.laws(frame, moves, shares, style.short(names[place])),
        frame,
        charts.laws_alt(moves),
        key="laws",
        note="Arrows show the longest moves that turn blue into orange; δ ignores dotted ones.",
    )
    st.header("What does hiding it cost?", anchor=False)
    st.table(now.cache.once(notions.costs_table, one.model, epsilon, delta, unit))


views = {"tests": tests, "map": relate, "wasserstein": moved, "composition": together}
views[st.session_state.get("notions-view") or "tests"]()
