"""The page Answer the other way round: from errors one can live with, and both in a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeVar

import pandas as pd
import streamlit as st

from distpriv.analysis.acceptable_error import (
    CountedIn,
    ErrorChoice,
    ErrorDesign,
    ErrorLimit,
    choose_by_error,
)
from distpriv.analysis.error_sizes import error_sizes, sampling_note, short
from distpriv.dashboard.answer import search
from distpriv.dashboard.shell import live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import curves, display, promise
from distpriv.dashboard.widgets.scenario import pair_words
from distpriv.errors import DistprivError
from distpriv.model.run import Progress, Run
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise
from distpriv.words import escape, listed, number, percent, with_unit

__all__ = [
    "Start",
    "allowed_words",
    "ask",
    "from_error",
    "left_out",
    "start",
    "take",
    "waiting",
]

Start = Literal["the attacker", "the error", "both"]

_STARTS: dict[Start, str] = {
    "the attacker": "what an attacker may achieve",
    "the error": "the error you accept",
    "both": "both, in one picture",
}
_COUNTED: dict[CountedIn, str] = {
    "unit": "its own unit",
    "value": "% of value",
    "deviation": "% of sampling",
}
_SHARE_OF = {"value": "its value", "deviation": "its sampling deviation"}

T = TypeVar("T")

_MOST = 4  # statistics that are limited at first
_AT_FIRST = {"value": 5.0, "deviation": 150.0}


def start() -> Start:
    """Which side the choice of ε starts from."""
    return st.segmented_control(
        "Start from",
        list(_STARTS),
        default="the attacker",
        format_func=_STARTS.__getitem__,
        required=True,
        key=Key.CHOOSING_START,
        persist_state="session",
        help="*Attacker*: the largest ε that allows no more than you say. *Error*: the least ε "
        "that keeps the errors you can live with. *Both*: what satisfies the two.",
    )


def ask(view: View) -> tuple[ErrorLimit, ...] | None:
    """The errors that the user accepts; None, with a sentence, where they make no sense."""
    labels, state = list(view.labels), st.session_state
    known = [label for label in state.get(Key.ERROR_STATISTICS, labels[:_MOST]) if label in labels]
    state[Key.ERROR_STATISTICS] = known or labels[:_MOST]
    chosen = st.multiselect(
        "Statistics that must stay exact enough",
        labels,
        key=Key.ERROR_STATISTICS,
        persist_state="session",
        wrap=True,
        help="Each gets a limit on its expected absolute error: how far the noise moves it on "
        "average, the figure that is shown everywhere else.",
    )
    limits = [_ask_one(view, labels.index(label)) for label in chosen]
    st.caption(_note(view))
    try:
        given = tuple(limit() for limit in limits)
        for limit in given:
            limit.allowed(view.model)
    except DistprivError as error:
        st.error(escape(error), icon=":material/error:")
        return None
    if not given:
        st.error("Choose at least one statistic to limit the error of.", icon=":material/error:")
        return None
    return given


def _ask_one(view: View, place: int) -> Callable[[], ErrorLimit]:
    """The limit on one statistic's error, made when all controls are drawn."""
    label, state = view.labels[place], st.session_state
    # An error in per cent of a value gives the value away, as the error itself is shown.
    offered = [kind for kind in _COUNTED if not (kind == "value" and view.scenario.presenting)]
    key = f"error_counted_in_{label}"
    if state.get(key) not in offered:
        state[key] = "deviation"
    left, right = st.columns(2, vertical_alignment="bottom")
    kind = right.selectbox(
        f"Counted in, {label}",
        offered,
        format_func=lambda kind: (
            view.units[place] or _COUNTED[kind] if kind == "unit" else _COUNTED[kind]
        ),
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )
    deviation = float(view.model.standard_deviations[place])
    value = left.number_input(
        f"{escape(label)}: ± at most",
        0.0,
        1e12,
        _AT_FIRST[kind] if kind in _AT_FIRST else float(f"{1.5 * deviation:.2g}"),
        format="%g",
        key=f"error_limit_{kind}_{label}",
        persist_state="session",
    )
    return lambda: ErrorLimit(place, value if kind == "unit" else value / 100, kind)


def _note(view: View) -> str:
    """What the limits may be counted in here."""
    n = view.model.n
    sampling = f"Sampling: the standard deviation that drawing n = {n} records gives it anyway."
    if view.scenario.presenting:
        return (
            f"{sampling} Limits in per cent of a value are for the analyst view: with the error, "
            "which is shown, they would give the value away."
        )
    return (
        f"{sampling} Its value: what the model expects, halfway between the two shares. An ε that "
        "follows from a value tells something of it, so do not publish such a limit."
    )


def allowed_words(view: View, design: ErrorDesign) -> str:
    """The limits in words, in each statistic's unit."""
    told = []
    for limit, allowed in zip(design.limits, design.allowed, strict=True):
        words = f"{escape(view.labels[limit.statistic])}\u00a0± "
        words += with_unit(allowed, view.units[limit.statistic])
        if limit.counted_in != "unit":
            words += f" ({number(100 * limit.value)}\u00a0% of {_SHARE_OF[limit.counted_in]})"
        told.append(words)
    return listed(told)


def from_error(view: View, limits: tuple[ErrorLimit, ...]) -> None:
    """The least ε that keeps the limits: in a sentence, in attackers, and by mechanism."""
    names = search.mechanisms_of(view)
    key = curves.key_of(view, f"least ε {limits!r} {names}", epsilon=False)

    def steps() -> Iterator[Progress[ErrorDesign]]:
        """Nothing at all, for the page is not to wait; then the search, in one piece."""
        yield Progress(0, 1, lambda: None, "Looking for the least ε that keeps the errors")
        design = choose_by_error(
            limits,
            view.model,
            names,
            report=view.report_sizes,
            **view.calibrating,
        )
        yield Progress(1, 1, lambda: design)

    run = live.begun("least_epsilon", key, steps)
    live.growing(run, lambda run: _draw(view, run))


def _draw(view: View, run: Run[ErrorDesign]) -> None:
    design = run.result()
    if design is None:
        waiting(run)
        search.attackers(view, None)
        return
    _sentence(view, design)
    st.markdown(_used_now(view, design))
    search.attackers(view, None)
    _table(view, design)


def waiting(run: Run[T]) -> None:
    """What is looked for, or why it cannot be."""
    if run.failure:
        st.error(escape(run.failure), icon=":material/error:")
    else:
        st.markdown(f"{run.doing} …")


def _used_now(view: View, design: ErrorDesign) -> str:
    """Whether the current noise keeps the limits."""
    label, used = _largest(view, design, view.noise)
    if used <= 1:
        badge = ":green-badge[:material/check: errors accepted]"
    else:
        badge = ":red-badge[:material/close: error too large]"
    return (
        f"{badge} At ε\u00a0=\u00a0{view.scenario.epsilon:g} with "
        f"{escape(view.scenario.mechanism)} the error of {escape(label)} is "
        f"{percent(used, 0)} of its limit, more than any other."
    )


def _largest(view: View, design: ErrorDesign, noise: Noise) -> tuple[str, float]:
    """The statistic whose error is the largest share of its limit, and that share."""
    errors = noise.expected_absolute_errors().tolist()
    shares = {
        view.labels[limit.statistic]: errors[limit.statistic] / allowed
        for limit, allowed in zip(design.limits, design.allowed, strict=True)
    }
    label = max(shares, key=shares.__getitem__)
    return label, shares[label]


def _sentence(view: View, design: ErrorDesign) -> None:
    accepted = f"You accept {allowed_words(view, design)}."
    if not design.choices:
        st.markdown(f"**No mechanism here keeps these errors at any ε**; below is why. {accepted}")
        return
    best = design.choices[0]
    st.markdown(
        f"These errors take at least **ε\u00a0=\u00a0{best.epsilon:g}** with "
        f"**{escape(best.mechanism)}**, which gives the least away of those that keep them: the "
        f"best possible attacker who tells {pair_words(view)} is then right in "
        f"**{percent(best.accuracy)}** of cases; guessing is right in 50\u00a0%. {accepted}"
    )
    least, right, alone = st.columns(3)
    least.metric("Least ε on these data", f"{best.epsilon:g}")
    right.metric(
        "Best attacker right in",
        percent(best.accuracy),
        help="By the exact best attack on the fitted model, at that ε with that mechanism. It "
        "holds as far as the model does.",
    )
    alone.metric(
        "By the promise alone, at most",
        percent(accuracy_ceiling(best.epsilon, best.noise.delta)),
        help="Whatever the data: (ε, δ) by itself allows no attacker to be right more often.",
    )
    promise.by_normals(view, "What attackers reach here")


def _table(view: View, design: ErrorDesign) -> None:
    """Every mechanism at its least ε, the least attack first, and a way to take the first."""
    if design.choices:
        display.table(
            pd.DataFrame([_row(view, choice) for choice in design.choices]), "least_epsilon"
        )
        st.caption(sampling_note(view.model.n))
        take(design.choices[0].mechanism, design.choices[0].epsilon, "take_choice")
    left_out(design.skipped)


def _row(view: View, choice: ErrorChoice) -> dict[str, str]:
    shown = not view.scenario.presenting
    sizes = error_sizes(view.model, choice.noise, view.units, valued=shown)
    return {
        "Mechanism": choice.mechanism,
        "Least ε": f"{choice.epsilon:g}",
        "Best attack right in": percent(choice.accuracy),
        "Total error": number(choice.error),
    } | {size.label: short(size) for size in sizes}


def take(mechanism: str, epsilon: float, key: str) -> None:
    """A button that takes a mechanism at an ε."""
    if st.button(f"Take ε = {epsilon:g} with {mechanism}", icon=":material/done:", key=key):
        st.session_state[Key.PENDING] = {Key.MECH: mechanism, Key.EPS: epsilon}
        st.rerun()  # the whole page: the button stands in a fragment


def left_out(skipped: dict[str, str]) -> None:
    """Which mechanisms cannot, and why."""
    for name, why in skipped.items():
        st.caption(f"{escape(name)} is left out: {escape(why)}")
