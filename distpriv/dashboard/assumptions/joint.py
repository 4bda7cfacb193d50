"""The scenario's statistics in several releases, beside what adding up promises would say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.charts.composition import added_up
from distpriv.composition.rules import (
    AGAIN,
    SUM_RULE,
    JointRelease,
    delivered_after,
    joint_release,
    repeated_release,
)
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display, promise
from distpriv.dashboard.widgets.curves import remembered
from distpriv.errors import DistprivError
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.delivered import delivered_delta
from distpriv.words import escape, exact, number, percent

__all__ = ["again", "in_two_parts"]

COUNTS = (1, 2, 3, 5, 10)


def _usable(view: View) -> bool:
    """Whether what the mechanism delivers can be computed; if not, say so."""
    name = view.scenario.mechanism
    chosen = mechanisms.get(name)
    if chosen.protects and chosen.distribution == "gaussian":
        return True
    reason = (
        "promises nothing about the secret"
        if not chosen.protects
        else "adds Laplace noise, and what that delivers is not computed here"
    )
    st.info(f"{escape(name)} {reason}; choose another mechanism to see it.", icon=":material/info:")
    return False


def in_two_parts(view: View) -> None:
    """The scenario's statistics in two releases."""
    labels = view.scenario.query.labels
    if len(labels) < 2:
        st.info("There is one statistic only; add another to release them apart.")
        return
    if not _usable(view):
        return
    sentence = st.container()
    chosen = st.multiselect(
        "In the first release; the second holds the others",
        range(len(labels)),
        default=range(len(labels) // 2),
        format_func=lambda index: labels[index],
        key=f"composition_first_{labels!r}",
        persist_state="session",
        wrap=True,
    )
    first = sorted(chosen)
    scenario = view.scenario
    try:
        joint = cache.computed(
            lambda: joint_release(
                view.model,
                first,
                scenario.epsilon,
                scenario.delta,
                scenario.mechanism,
                scenario.calibration,
                view.sizes,
            ),
            f"{view.source.digest} {replace(scenario, look='')!r} {first}",
            saying="Computing …",
        )
    except DistprivError as error:
        sentence.error(escape(error), icon=":material/error:")
        return
    with sentence:
        st.markdown(_parts_words(view, joint))
        promise.by_normals(view, "What is delivered in parts, together and alone")
        _parts_table(view, joint, first)
    left = delivered_after(view.model, view.noise, np.eye(len(labels))[first], scenario.epsilon)
    whole = delivered_delta(view.model, view.noise, scenario.epsilon)
    st.markdown(
        "Leaving something out costs nothing: of the release as it stands, the statistics chosen "
        f"here alone deliver δ\u00a0=\u00a0{number(left)} at "
        f"ε\u00a0=\u00a0{scenario.epsilon:g}, all of them δ\u00a0=\u00a0{number(whole)}. Whatever "
        "is computed from a release delivers no more than it."
    )


def _parts_words(view: View, joint: JointRelease) -> str:
    scenario, rule = view.scenario, joint.rule
    if rule.delta == 1:
        return "Their δ add up to 1 or more, so adding up promises nothing; take a smaller δ."
    words = (
        f"Released apart, each part with noise of {escape(scenario.mechanism)} for "
        f"ε\u00a0=\u00a0{scenario.epsilon:g}, the two deliver "
        f"**ε\u00a0=\u00a0{number(joint.epsilon)}** together at δ\u00a0=\u00a0{exact(rule.delta)}; "
        f"adding up says {rule.epsilon:g}. "
    )
    words += (
        "They stay below it here, which no rule promised."
        if joint.epsilon <= rule.epsilon * (1 + 1e-9)
        else "They deliver **less privacy than adding up says**."
    )
    if max(joint.alone) > scenario.epsilon * (1 + 1e-6):
        words += (
            f" One of them delivers ε\u00a0=\u00a0{number(max(joint.alone))} by itself; the "
            "*guarded* calibration under More settings makes up for that."
        )
    return words


def _parts_table(view: View, joint: JointRelease, first: Sequence[int]) -> None:
    labels, delta, rule = view.scenario.query.labels, view.scenario.delta, joint.rule
    others = [index for index in range(len(labels)) if index not in first]
    rows = []
    for name, indices, noise, alone in zip(
        ("first", "second"), (first, others), joint.parts, joint.alone, strict=True
    ):
        accuracy = optimal_attack_accuracy(view.focused.of_statistics(*indices), noise)
        held = ", ".join(labels[index] for index in indices)
        rows.append((f"{name}: {held}", alone, delta, accuracy))
    ceiling = accuracy_ceiling(rule.epsilon, rule.delta) if rule.delta < 1 else 1.0
    rows += [
        ("both, if promises added up", rule.epsilon, rule.delta, ceiling),
        (
            "both, delivered",
            joint.epsilon,
            rule.delta,
            optimal_attack_accuracy(view.focused, joint.noise),
        ),
    ]
    display.table(
        pd.DataFrame(
            {
                "Release": [row[0] for row in rows],
                "ε": [number(row[1]) for row in rows],
                "at δ": [exact(row[2]) for row in rows],
                "Best attacker right in at most": [percent(row[3]) for row in rows],
            }
        )
    )


def again(view: View) -> None:
    """The scenario's release several times, beside the sum rule."""
    if not _usable(view):
        return
    scenario = view.scenario
    counts = [count for count in COUNTS if count * scenario.delta < 1]
    if len(counts) < 2:
        st.info(
            f"At δ\u00a0=\u00a0{exact(scenario.delta)} two releases promise nothing in any "
            "case; take a "
            "smaller δ to see more.",
            icon=":material/info:",
        )
        return
    name = scenario.mechanism
    curves = remembered(
        view,
        f"repeated {name}",
        lambda: repeated_release(view.model, view.noise, counts, scenario.delta),
        epsilon=True,
    )
    once, last = (float(curves.y[AGAIN][index]) for index in (0, -1))
    st.markdown(
        f"The same statistics released {counts[-1]} times, each time with noise of "
        f"{escape(name)} drawn anew, deliver **ε\u00a0=\u00a0{number(last)}** at "
        f"δ\u00a0=\u00a0{exact(counts[-1] * scenario.delta)}; one release delivers "
        f"ε\u00a0=\u00a0{number(once)} at δ\u00a0=\u00a0{exact(scenario.delta)}, so adding up says "
        f"{number(float(curves.y[SUM_RULE][-1]))}. Repeating the *same* statistics is harmless in "
        "this respect: the data's own variation does not average out."
    )
    promise.by_normals(view, "What several releases deliver together")
    display.chart(
        added_up(
            curves,
            title="The same statistics again",
            x_title="releases of the same statistics",
            x_name="releases",
            current=counts[-1],
            how_to_read=(
                "the ε that so many releases deliver together, at δ times their number, beside so "
                "many times the ε of one."
            ),
        ),
        "composition_repeated",
    )
