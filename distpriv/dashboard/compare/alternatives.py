"""The Compare page's parts: kept scenarios side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

from distpriv.analysis.comparison import Summary, best_of, choices_in_words, differences
from distpriv.analysis.error_sizes import (
    ErrorSize,
    error_sizes,
    sampling_note,
    short,
    size_in_words,
    worst,
)
from distpriv.analysis.for_persons import RECORD_COLUMN
from distpriv.analysis.meaning import reading
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.sweeps import attack_accuracies, expected_errors
from distpriv.charts.comparison import (
    accuracies_against_epsilon,
    accuracy_bars,
    error_bars,
    errors_against_epsilon,
)
from distpriv.dashboard.shell import opening, sources
from distpriv.dashboard.shell.frame import View, quiet
from distpriv.dashboard.shell.kept import (
    LONGEST_NAME,
    MOST,
    NOW,
    Kept,
    free_name,
    kept,
    same,
)
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.curves import epsilon_grid, remembered, sweep_of
from distpriv.errors import DistprivError, ScenarioError
from distpriv.mechanisms.curves import Curves
from distpriv.words import escape, exact, number, percent, with_unit

__all__ = ["answer", "bars", "compared", "curves", "keep", "keep_now", "kept", "lists", "scenarios"]


def compared(view: View | None) -> dict[str, Summary]:
    """What is compared: the current scenario and those that were kept, or other ε if none was."""
    summaries: dict[str, Summary] = {}
    for name, one in _shown().items():
        if one.summary is None and (summary := _worked_out(one, view)) is not None:
            one = kept()[name] = Kept(one.scenario, one.data, summary)
        if one.summary is not None:
            summaries[name] = one.summary
    if view is None:
        return summaries
    now = st.session_state[Key.SCENARIO]
    known = next((name for name, one in kept().items() if same(one.scenario, now)), None)
    if known is not None and known in summaries:
        return summaries
    current = {NOW: _summary(view, now)}
    if summaries:
        return current | summaries
    for factor, words in ((0.5, "half the ε"), (2.0, "twice the ε")):
        try:
            other = view.at(round(now.epsilon * factor, 6))
            scenario = replace(now, epsilon=other.scenario.epsilon)
            current[words] = _summary(other, scenario, current[NOW])
        except DistprivError:
            continue
    return current


def answer(summaries: Mapping[str, Summary]) -> str:
    """Which scenario is safest and which costs least, in a sentence."""
    if not summaries:
        return "There is nothing to compare yet: the current scenario has no result."
    end = (
        ""
        if kept()
        else " Nothing is kept yet: this is the current scenario beside the same at other ε."
    )
    safest, cheapest = best_of(summaries)
    sentence = (
        f"Of {len(summaries)} scenarios "
        if len(summaries) > 1
        else "There is one scenario to show: "
    )
    sentence += (
        f"**{escape(safest)}** is the safest: the best attacker is right in "
        f"**{percent(summaries[safest].accuracy)}** of cases"
    )
    if cheapest is None:
        return (
            f"{sentence}. They release different statistics, or count their error in different "
            f"units, so compare their errors statistic by statistic.{end}"
        )
    sizes = _sizes(summaries[cheapest])
    if cheapest == safest:
        also = ", and it is the most exact too" if len(summaries) > 1 else ""
        return f"{sentence}{also}.{_changes(sizes)}{end}"
    return (
        f"{sentence}. **{escape(cheapest)}** is the most exact, and there the attacker is right in "
        f"{percent(summaries[cheapest].accuracy)}."
        f"{_changes(sizes, _sizes(summaries[safest]))}{end}"
    )


def _sizes(summary: Summary) -> list[ErrorSize]:
    """The errors; kept with the values, whatever view they are shown in now."""
    presenting = st.session_state[Key.SCENARIO].presenting
    return [size.unvalued() if presenting else size for size in summary.errors]


def _changes(sizes: list[ErrorSize], beside: list[ErrorSize] | None = None) -> str:
    """What the noise changes most, and by how much that is in another scenario."""
    if not sizes:
        return ""
    most = worst(sizes)
    there = next((each for each in beside or () if each.label == most.label), None)
    instead = "" if there is None else f" instead of {size_in_words(there)}"
    return f" It changes {escape(most.label)} most: **{size_in_words(most)}**{instead}."


def bars(summaries: Mapping[str, Summary]) -> None:
    """Attack and error of every scenario as bars."""
    left, right = st.columns(2, gap="large")
    with left:
        display.chart(accuracy_bars(summaries), "compare_accuracy")
    with right:
        display.chart(error_bars(summaries), "compare_error")


def curves(summaries: Mapping[str, Summary]) -> None:
    """Attack and error of every scenario's mechanism at other ε."""
    left, right = st.columns(2, gap="large")
    with left:
        display.chart(accuracies_against_epsilon(summaries), "compare_accuracies")
    with right:
        display.chart(errors_against_epsilon(summaries), "compare_errors")


def lists(summaries: Mapping[str, Summary]) -> None:
    """What the scenarios choose and what comes of it, as tables."""
    st.header("Where they differ")
    everything = st.toggle(
        "Show what they have in common too", key="compare_all", persist_state="session"
    )
    chosen = {
        name: choices_in_words(summary.scenario, summary.data)
        for name, summary in summaries.items()
    }
    rows = differences(list(chosen.values()))
    if everything:
        rows = list(next(iter(chosen.values())))
    if rows:
        display.wrapped(
            pd.DataFrame(
                {"Choice": rows}
                | {name: [choices[row] for row in rows] for name, choices in chosen.items()}
            )
        )
    else:
        st.caption("They make the same choices.")
    st.header("What comes of it")
    results = {name: _results(summary) for name, summary in summaries.items()}
    rows = list(dict.fromkeys(row for result in results.values() for row in result))
    display.wrapped(
        pd.DataFrame(
            {"Result": rows}
            | {name: [result.get(row, "–") for row in rows] for name, result in results.items()}
        )
    )
    for n in dict.fromkeys(size.n for summary in summaries.values() for size in summary.errors):
        st.caption(sampling_note(n))


def keep(view: View | None) -> None:
    """Keep the current scenario under a name."""
    state, now = st.session_state, st.session_state[Key.SCENARIO]
    if message := state.pop(Key.COMPARE_ERROR_TEXT, None):
        st.error(message, icon=":material/error:")
    full = len(kept()) >= MOST
    with st.form("keep", border=False):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        name = left.text_input(
            "Name for the current scenario",
            value=f"{now.mechanism}, ε = {now.epsilon:g}",
            max_chars=LONGEST_NAME,
            help="Kept in this tab of the browser; *Kept and files* has what to do with it, and a "
            "file to have it another day.",
        )
        wanted = right.form_submit_button(
            "Keep it", icon=":material/bookmark_add:", disabled=full or view is None
        )
    if full:
        st.caption(f"At most {MOST} are kept at once; forget one to keep another.")
    if wanted and view is not None:
        keep_now(view, name)
        st.rerun()


def _shown() -> dict[str, Kept]:
    """Those that whoever sees the screen may see."""
    return {name: one for name, one in kept().items() if not sources.hidden(one.data)}


def scenarios() -> None:
    """Rename, open or forget what is kept."""
    shown = _shown()
    if shown:
        st.header("Kept scenarios")
    for place, (label, one) in enumerate(shown.items()):
        _row(place, label, one)


def keep_now(view: View, name: str = "") -> str:
    """Keep what the controls say, under a name of its own; return the name.

    What is kept already stays as it is, unless another name is given.

    Raises
    ------
    ScenarioError
        If as many are kept as can be.
    """
    now = st.session_state[Key.SCENARIO]
    known = next((kept_as for kept_as, one in kept().items() if same(one.scenario, now)), None)
    if known is not None and name.strip() in ("", known):
        return known
    if len(kept()) >= MOST:
        raise ScenarioError(
            f"At most {MOST} scenarios are kept at once; forget one on the page Compare."
        )
    free = free_name(name.strip()[:LONGEST_NAME] or f"{now.mechanism}, ε = {now.epsilon:g}")
    kept()[free] = Kept(now, view.dataset.title, _summary(view, now))
    return free


def _row(place: int, label: str, one: Kept) -> None:
    name, show, forget = st.columns([4, 1, 1], vertical_alignment="bottom")
    name.text_input(
        f"Name of kept scenario {place + 1}",
        value=label,
        key=f"kept_name_{place}_{label}",
        max_chars=LONGEST_NAME,
        label_visibility="collapsed",
        on_change=_rename,
        args=(label, f"kept_name_{place}_{label}"),
    )
    show.button(
        "Open",
        key=f"kept_show_{place}",
        on_click=_open,
        args=(one,),
        icon=":material/open_in_new:",
        help="Put every control back to this scenario.",
    )
    forget.button(
        "Forget",
        key=f"kept_forget_{place}",
        on_click=_forget,
        args=(label,),
        icon=":material/delete:",
    )
    if one.summary is None:
        st.caption(
            "Not compared yet: its table is not here, or it has to be simulated first; open it."
        )


def _open(one: Kept) -> None:
    try:
        opening.open_scenario(one.scenario, one.data)
    except DistprivError as error:
        st.session_state[Key.COMPARE_ERROR_TEXT] = escape(error)


def _forget(label: str) -> None:
    del kept()[label]


def _rename(label: str, key: str) -> None:
    wanted = str(st.session_state[key]).strip()
    if wanted in ("", label):
        return
    renamed = {(free_name(wanted) if name == label else name): one for name, one in kept().items()}
    kept().clear()
    kept().update(renamed)


def _worked_out(one: Kept, view: View | None) -> Summary | None:
    """Results of a scenario from a file, if its data are here and nothing has to be simulated."""
    scenario = one.scenario
    if view is None or not same(st.session_state[Key.SCENARIO], scenario):
        dataset = opening.dataset_of(scenario, one.data)
        view = None if dataset is None else quiet(dataset, scenario)
    return None if view is None else _summary(view, scenario)


def _summary(view: View, scenario: Scenario, like: Summary | None = None) -> Summary:
    """What comes of a scenario, which is as the controls have it.

    The curves are those of a summary that is like it but for ε.
    """
    accuracies, costs = _curves(view) if like is None else (like.accuracies, like.costs)
    return Summary(
        **view.figures.plain(),
        scenario=scenario,
        data=view.dataset.title,
        errors=error_sizes(view.model, view.noise, view.units, valued=True),
        accuracies=accuracies,
        costs=costs,
    )


def _curves(view: View) -> tuple[Curves, Curves]:
    """Accuracy of the best attack and total error of the scenario's mechanism, against ε."""
    names = (view.scenario.mechanism,)
    epsilons = epsilon_grid(view.scenario, names)
    sweep = sweep_of(view)
    accuracies = remembered(
        view,
        f"accuracy by ε {names} {view.focus}",
        lambda: sweep(attack_accuracies(view.focus), "epsilon", epsilons, view.model, names),
        epsilon=False,
        names=names,
    )
    costs = remembered(
        view,
        f"error by ε {names} {view.scenario.report}",
        lambda: sweep(
            expected_errors(units=view.report_sizes), "epsilon", epsilons, view.model, names
        ),
        epsilon=False,
        names=names,
    )
    return accuracies, costs


def _results(summary: Summary) -> dict[str, str]:
    delivered = "not computed" if summary.delivered is None else number(summary.delivered)
    figures = {
        "Best attacker right in, without noise": percent(summary.undefended),
        "Best attacker right in, with the noise": percent(summary.accuracy),
        "As good as reading": reading(summary.accuracy, summary.scenario),
        "Promise": summary.promise or "not known",
        "Promised δ": exact(summary.promised),
        "Delivered δ": delivered,
        RECORD_COLUMN: summary.per_record or "–",
        "Total error": with_unit(summary.error, summary.unit),
    }
    return figures | {size.label: short(size) for size in _sizes(summary)}
