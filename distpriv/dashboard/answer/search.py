"""The parts of the page Answer: the limit, what it asks for, and what a promise means in people."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.design import Design, Kind, Limit, promised_epsilon
from distpriv.analysis.error_sizes import (
    error_sizes,
    sampling_note,
    short,
    size_in_words,
    worst,
)
from distpriv.analysis.for_persons import RECORD_COLUMN
from distpriv.analysis.recommendation import ALIKE, Recommendation, candidates, down
from distpriv.attacks.hypothesis import PromiseTest, best_accuracy, release_test
from distpriv.charts.choosing import attackers_in_100
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display, promise, recommended
from distpriv.dashboard.widgets.scenario import pair_words
from distpriv.errors import HypothesisError
from distpriv.words import escape, number, percent, share

__all__ = [
    "ask",
    "attackers",
    "beta",
    "down",
    "epsilons_to_compare",
    "feasible",
    "formulas",
    "mechanisms_of",
    "sentence",
    "table",
    "told",
    "weight",
]

_EPSILONS = (0.01, 0.1, 0.4, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0)

_KINDS: dict[Kind, str] = {
    "guesses": "right guesses of 100",
    "precision": "how sure they may be (precision)",
    "f_score": "F-score",
    "belief": "what they may believe afterwards",
    "accuracy": "accuracy, to the digit",
}
_HELP = (
    "What the best possible attacker may achieve at most. *Right guesses*: they name one of the "
    "two shares every time. *Precision*: they speak up only when they are surest, and this share "
    "of what they say is right. *F-score*: one figure for being right and missing little. "
    "*Belief*: the probability that they give the true share after seeing the release."
)


def ask(view: View) -> Limit | None:
    """What the user allows an attacker; None, with a sentence, where it makes no sense."""
    kind = st.selectbox(
        "What you limit",
        list(_KINDS),
        format_func=_KINDS.__getitem__,
        key=Key.LIMIT_KIND,
        persist_state="session",
        help=_HELP,
    )
    value = _value(kind)
    second = share(view.fit.pair.p_j)
    base_rate = _percent(
        f"How often the share is {second}, as they know",
        "limit_base_rate",
        50,
        "The base rate. At 50\u00a0% the attacker has no hunch before the release.",
    )
    options = {}
    if kind == "precision":
        options["recall"] = _percent(
            "… while they find this much of the true cases",
            "limit_recall",
            50,
            f"The recall: of the releases with {second}, the share in which they say so.",
        )
    elif kind == "f_score":
        options["beta"] = beta()
    elif kind == "belief":
        options["confidence"] = _percent(
            "… in this share of the releases",
            "limit_confidence",
            95,
            "Gaussian noise allows a rare release that gives much away; the limit is for the rest.",
        )
    try:
        return Limit(kind, value, base_rate, **options)
    except HypothesisError as error:
        st.error(escape(error), icon=":material/error:")
        return None


def _value(kind: Kind) -> float:
    if kind == "guesses":
        return float(
            st.slider(
                "At most this many right of 100", 1, 100, 60, key="limit_guesses",
                persist_state="session",
                help="By tossing a coin 50 of 100 are right.",
            )
        )  # fmt: skip
    label = {"f_score": "F-score at most", "belief": "Believed at most, in %"}.get(
        kind, "At most, in %"
    )
    if kind == "f_score":
        return st.number_input(
            label, 0.0, 1.0, 0.75, 0.01, key="limit_f_score", persist_state="session"
        )
    return (
        st.number_input(label, 0.0, 100.0, 60.0, 0.5, key=f"limit_{kind}", persist_state="session")
        / 100
    )


def beta() -> float:
    """β of an F-score."""
    return st.slider(
        "β: finding counts this much more than being right",
        0.1,
        5.0,
        1.0,
        0.1,
        key=Key.CHOOSING_BETA,
        persist_state="session",
        help="Weight of recall against precision in the F-score. 1: alike; 0.5: being right "
        "matters more; 2: missing nobody matters more.",
    )


def weight() -> float:
    """β, by the slider of a limit on the F-score or one here."""
    state = st.session_state
    return state[Key.CHOOSING_BETA] if state[Key.LIMIT_KIND] == "f_score" else beta()


def epsilons_to_compare(key: str, current: float) -> list[float]:
    """The current ε and those that the user puts beside it."""
    chosen = st.multiselect(
        "ε to compare",
        _EPSILONS,
        default=[0.1, 3.0],
        format_func=lambda value: f"{value:g}",
        key=key,
        persist_state="session",
        max_selections=5,
        help="Beside the current ε.",
    )
    return sorted({*chosen, current})


def _percent(label: str, key: str, default: int, tip: str) -> float:
    return (
        st.slider(label, 1, 99, default, format="%d %%", key=key, persist_state="session", help=tip)
        / 100
    )


def mechanisms_of(view: View) -> list[str]:
    """The mechanisms that are searched through; see :func:`.candidates`."""
    # One that draws records for it has its search further down, where the page does not wait.
    return candidates(view)


def told(limit: Limit, value: float) -> str:
    """A figure in the limit's measure, in words."""
    if limit.kind == "guesses":
        return f"{number(value)} right guesses of 100"
    if limit.kind == "f_score":
        return f"an F-score of {number(value)}"
    names = {"accuracy": "an accuracy of", "precision": "a precision of", "belief": "a belief of"}
    return f"{names[limit.kind]} {percent(value)}"


def _promised(view: View, limit: Limit, delta: float) -> float | str:
    try:
        return promised_epsilon(limit, delta)
    except HypothesisError as error:
        return str(error)


def sentence(view: View, limit: Limit, found: Recommendation) -> None:
    """The limit and its consequence, and both ways to the largest ε."""
    design, best = found.design, found.first
    others = len(view.model.pairs) - 1
    allowed = f"**{told(limit, limit.value)}**"
    attacker = f"an attacker who tells {pair_words(view)}" + (
        f", or the shares of {others} more pairs," if others else ""
    )
    if design.needs_no_noise:
        st.markdown(
            f"**No noise** is needed: even without any, {attacker} reaches only "
            f"{told(limit, design.undefended)}; you allow {allowed}. A limit below that asks for "
            "noise" + (", and so does each person's promise." if view.scenario.persons else ".")
        )
    elif best is not None:
        shown = not view.scenario.presenting
        most = worst(error_sizes(view.model, best.noise, view.units, valued=shown))
        st.markdown(
            f"**ε\u00a0=\u00a0{down(best.epsilon)}** with **{escape(best.mechanism)}** is small "
            f"enough: {attacker} then reaches {allowed} at most. {_standing(found)} It changes "
            f"{escape(most.label)} most: {size_in_words(most)} on average."
        )
    else:
        st.markdown(f"No ε here is small enough: {attacker} reaches more than {allowed}.")
    promised = _promised(view, limit, view.scenario.delta)
    model, alone, free = st.columns(3)
    model.metric(
        "Largest ε on these data",
        "any" if design.needs_no_noise else "none" if best is None else down(best.epsilon),
        help="By the exact best attack on the fitted model, with the mechanism of the least "
        "error among those that keep their promise, as computed. It holds as far as the model "
        "does.",
    )
    alone.metric(
        "Largest ε by the promise alone",
        down(promised) if isinstance(promised, float) else "none",
        help="Whatever the data and the mechanism: (ε, δ) by itself allows no attacker more. "
        + (promised if isinstance(promised, str) else ""),
    )
    free.metric(
        "No noise needed from ε on",
        number(design.noiseless),
        help="From here on the statistics vary so much by themselves that the mechanisms which "
        "take that into account (EigM, DauM, OptM) add nothing.",
    )
    promise.by_normals(view, "What attackers reach, here and below, and the ε that follow")


def _standing(found: Recommendation) -> str:
    """Why that mechanism, in words."""
    if found.best is None:
        return "It has the least error, but no mechanism here keeps its promise, as computed."
    return (
        "It is recommended: of the mechanisms that keep their promise none has an error smaller by "
        f"more than {percent(ALIKE)}."
    )


def feasible(limit: Limit, design: Design) -> None:
    """Which limits make sense here."""
    st.caption(
        f"Limits that ask for something here lie between {told(limit, limit.floor)}, which takes "
        f"no release at all, and {told(limit, design.undefended)} without noise."
    )


def attackers(view: View, limit: Limit | None) -> None:
    """A hundred attackers at the current ε, beside the promise alone and no noise at all."""
    scenario, noise, said = view.scenario, view.noise, []
    base_rate = limit.base_rate if limit else 0.5
    test, clear = release_test(view.model, noise), release_test(view.model)
    right = round(100 * float(best_accuracy(test, base_rate)))
    open_ = round(100 * float(best_accuracy(clear, base_rate)))
    luck = round(100 * max(base_rate, 1 - base_rate))
    groups = [(f"with {scenario.mechanism}", right)]
    if mechanisms.get(scenario.mechanism).protects:
        ceiling = PromiseTest(scenario.epsilon, noise.delta)
        allowed = math.floor(100 * float(best_accuracy(ceiling, base_rate)) + 1e-9)
        groups.append(("by the promise alone", allowed))
        if allowed > open_:
            said.append(
                "The promise alone, whatever the data, allows more than anybody gets here without "
                "noise."
            )
    else:
        said.append(f"{escape(scenario.mechanism)} promises nothing about the share.")
    if limit is not None:
        reached = limit.reached(test)
        kept = reached <= limit.value + 1e-9
        badge = (
            ":green-badge[:material/check: limit kept]"
            if kept
            else ":red-badge[:material/close: limit exceeded]"
        )
        # The picture tells right guesses to the whole one.
        drawn = limit.kind == "guesses" and round(reached) != round(limit.value)
        reaches = "" if drawn else f": the best attacker reaches {told(limit, reached)}"
        said.insert(
            0,
            f"{badge} at ε\u00a0=\u00a0{scenario.epsilon:g} with {escape(scenario.mechanism)}"
            f"{reaches}. You allow {told(limit, limit.value)}.",
        )
    if said:
        st.markdown(" ".join(said))
    display.chart(
        attackers_in_100([*groups, ("without noise", open_)], by_chance=luck), "attackers"
    )


def table(view: View, found: Recommendation) -> None:
    """Every mechanism at its largest ε, the least error first, and a way to take one."""
    design, best = found.design, found.first
    if best is None:
        return
    shown = not view.scenario.presenting
    sizes = {
        choice.mechanism: error_sizes(view.model, choice.noise, view.units, valued=shown)
        for choice in design.choices
    }
    most = {name: worst(each) for name, each in sizes.items()}
    display.table(
        pd.DataFrame(
            {
                "Mechanism": choice.mechanism,
                "Largest ε": down(choice.epsilon),
                "Total error": number(choice.error),
                RECORD_COLUMN: view.record_label(choice.noise),
                "Changes most": most[choice.mechanism].label,
                "By": size_in_words(most[choice.mechanism]),
            }
            for choice in design.choices
        )
    )
    st.button(
        f"Take ε = {down(best.epsilon)} with {best.mechanism}",
        icon=":material/done:",
        key="take_choice",
        on_click=recommended.take,
        args=(best.mechanism, best.epsilon),
    )
    for name, why in design.skipped.items():
        st.caption(f"{escape(name)} is left out: {escape(why)}")
    with st.expander("The error of each statistic", icon=":material/table:"):
        display.wrapped(
            pd.DataFrame(
                {"Statistic": view.labels}
                | {name: [short(size) for size in each] for name, each in sizes.items()}
            ),
            "errors_by_mechanism",
        )
        st.caption(sampling_note(view.model.n))


def formulas() -> None:
    """The rules behind the page."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\text{precision}=\frac{1}{1+\kappa\,\mathrm{GSR}/\mathrm{RSR}},\quad"
            r"\text{recall}=\mathrm{RSR},\quad F_\beta=\frac{(1+\beta^2)\,PR}{\beta^2P+R},\quad"
            r"\kappa=1-\rho_p-(2-\rho_p)(\rho_c+\rho_t(1-\rho_c))"
        )
        st.latex(
            r"F^*_\beta=\begin{cases}\dfrac{1+\beta^2}{1+\beta^2+\kappa}&"
            r"\varepsilon<\ln(1+\beta^2/\kappa)\\[2ex]\dfrac{(1+\beta^2)(r-1)}"
            r"{(1+\beta^2)r-1+\beta^2}&\text{else, }r=\sqrt{1+4\beta^2e^\varepsilon/\kappa}"
            r"\end{cases}"
        )
        st.markdown(
            "RSR and GSR are the rates of right and of false alarms of the likelihood-ratio test, "
            "which no attacker beats (Neyman & Pearson; Liu et al. 2019, Theorems 2 to 6, "
            "Equations 9 to 24). For a share of the records κ = (1 − π)/π, π being the base "
            "rate, and the rates are those of the best attack on the fitted normals, each share "
            "with its own covariance: exact for Gaussian noise; simulated, to a few tenths of a "
            "percentage point, for Laplace noise. The promise alone allows RSR ≤ e^ε GSR + δ and "
            "the same of the errors the other way round (Kairouz et al. 2015), at equal base rates "
            "an accuracy of at most (e^ε + δ)/(1 + e^ε)."
        )
