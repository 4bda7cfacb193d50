"""The Secret & release page's parts: the question, the release, and what can be added."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.attacks.optimal import binding_pair
from distpriv.dashboard import widgets
from distpriv.dashboard.shell import choices
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.settings import own_key
from distpriv.errors import DistprivError
from distpriv.privacy.delivered import delivered_delta
from distpriv.queries.properties import SensitiveProperty
from distpriv.words import escape, number, percent, share, with_unit

__all__ = [
    "bounds_editor",
    "formulas",
    "pair_builder",
    "pairs_table",
    "question",
    "release_table",
    "secret_builder",
    "statistic_builder",
]


def question(view: View) -> str:
    """What is hidden, from what, in a sentence."""
    fit = view.fit
    counts = [theta.having for theta in fit.thetas]
    names = ", ".join(escape(label) for label in view.scenario.query.labels)
    dropped = (
        f" {view.model.dropped} records miss a value in a column in use and are left out."
        if view.model.dropped
        else ""
    )
    return (
        f"Whoever sees {names} of {view.scenario.n} records must not be able to tell whether "
        f"**{counts[0]}** or **{counts[1]}** of them have the property "
        f"**{escape(fit.pair.secret.label)}** ({share(fit.pair.p_i)} or "
        f"{share(fit.pair.p_j)}).{dropped}"
    )


def release_table(view: View) -> None:
    """What each statistic is under the two shares, and how far the secret moves it."""
    fit = view.fit
    first, second, deviations = (
        [with_unit(value, unit) for value, unit in zip(values, view.units, strict=True)]
        for values in (*fit.means, np.sqrt(np.diag(fit.pooled)))
    )
    columns = {
        "Statistic": view.scenario.query.labels,
        f"At {share(fit.pair.p_i)}": first,
        f"At {share(fit.pair.p_j)}": second,
        "Varies by (std. dev.)": deviations,
        "Moves in": moves(view),
        "Shift in std. deviations": [
            number(shift) for shift in -fit.difference / np.sqrt(np.diag(fit.pooled))
        ],
    }
    if view.scenario.whole and not view.scenario.presenting:
        table = view.dataset.table
        known = table[table[fit.pair.secret.column].notna()]
        columns["Your table (not to be shown)"] = [
            with_unit(value, unit)
            for value, unit in zip(view.scenario.query.answer(known), view.units, strict=True)
        ]
    widgets.table(pd.DataFrame(columns), "release")
    if (view.fit.grid > 0).any():
        st.caption(
            "A count moves in steps of 1, an average of whole numbers in steps of 1/n. Whoever "
            "knows that could subtract noise that leaves directions bare, so the noise here lies "
            "on every statistic, half a step of it at least."
        )


def moves(view: View) -> list[str]:
    """The grid of each statistic in words."""
    return [
        "steps not known"
        if np.isnan(step)
        else f"steps of {'1 record' if (step, unit) == (1, 'records') else with_unit(step, unit)}"
        if step > 0
        else "no steps"
        for step, unit in zip(view.fit.grid.tolist(), view.units, strict=True)
    ]


def pairs_table(view: View) -> None:
    """Every pair that is hidden, how well, and which of them binds."""
    if len(view.model.pairs) < 2:
        return
    binding = binding_pair(view.model, view.noise)
    rows = []
    for index, fit in enumerate(view.model.pairs):
        alone = view.model.only(index)
        protected = widgets.accuracy(alone, view.noise)
        delivered = number(delivered_delta(alone, view.noise, view.scenario.epsilon))
        rows.append(
            {
                "Pair": fit.pair.label,
                "Binds": index == binding,
                "Best attack without noise": percent(optimal_attack_accuracy(alone)),
                "With noise": percent(protected),
                "Delivered δ": delivered,
            }
        )
    st.subheader(f"{len(rows)} pairs are hidden at once")
    st.markdown(
        f"The noise is as large as it is because of **{escape(rows[binding]['Pair'])}**: no other "
        "pair is told apart more often."
    )
    widgets.table(pd.DataFrame(rows), "pairs")


def pair_builder(dataset: Dataset, scenario: Scenario) -> None:
    """Hide another pair of shares as well, of any secret known."""
    st.subheader("Hide another pair as well")
    state = st.session_state
    own = state.get("own_secrets", {}).get(dataset.digest, {})
    secrets = dict(dataset.secrets) | {scenario.secret.label: scenario.secret} | own
    label = st.selectbox(
        "Share of records with", list(secrets), key="pair_secret", persist_state="session"
    )
    left, right = st.columns(2)
    center = left.number_input(
        "Centre", 0.0, 1.0, 0.5, 0.01, key="pair_center", persist_state="session"
    )
    width = right.number_input(
        "Δp", 0.001, 1.0, 0.1, 0.01, format="%g", key="pair_width", persist_state="session"
    )
    if st.button("Hide it too", icon=":material/add:", key="build_pair"):
        try:
            pair = secrets[label].pair(center, width)
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
            return
        key = own_key(dataset, "also")
        state.setdefault("own_pairs", {}).setdefault(dataset.digest, {})[pair.label] = pair
        state["pending"] = {key: list(dict.fromkeys([*state.get(key, []), pair.label]))}
        st.rerun()
    st.caption("Pairs are taken out, and grids of shares chosen, under More settings.")


def secret_builder(dataset: Dataset) -> None:
    """Define a property by several values or by thresholds, and make it the secret."""
    st.subheader("Another secret")
    state = st.session_state
    columns = [c for c, kind in dataset.types.items() if kind in ("number", "category", "boolean")]
    column = st.selectbox("Column", columns, key="build_secret_column", persist_state="session")
    if dataset.types[column] == "number":
        values = dataset.table[column].dropna()
        kind = st.segmented_control(
            "Records whose value is",
            ["above", "below", "between"],
            default="above",
            required=True,
            key="build_secret_kind",
            persist_state="session",
        )
        middle = float(values.median())
        low, high = st.columns(2)
        first = low.number_input("Threshold", value=middle, format="%g", key="build_secret_low")
        arguments: dict[str, object] = {str(kind): first}
        if kind == "between":
            last = high.number_input(
                "Upper threshold", value=float(values.max()), format="%g", key="build_secret_high"
            )
            arguments = {"between": (first, last)}
    else:
        arguments = {
            "values": st.multiselect(
                "Records whose value is one of",
                choices.levels(dataset.table, column),
                key="build_secret_values",
            )
        }
    if st.button("Make it the secret", icon=":material/lock:", key="build_secret"):
        try:
            secret = SensitiveProperty(column, **arguments)  # type: ignore[arg-type]
            having = int(secret.mask(dataset.table).sum())
            if having in (0, len(dataset.table)):
                st.error(
                    f"{having} of the {len(dataset.table)} records have that property, so there "
                    "is nothing to hide; choose other values or thresholds.",
                    icon=":material/error:",
                )
                return
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
            return
        state.setdefault("own_secrets", {}).setdefault(dataset.digest, {})[secret.label] = secret
        state["pending"] = {own_key(dataset, "secret"): secret.label}
        st.rerun()


_STATISTICS = {
    "mean": "Mean of a numeric column",
    "sum": "Sum of a numeric column",
    "count": "Count of a value",
    "share": "Share of a value",
    "median": "Median of a numeric column",
    "quantile": "Quantile of a numeric column",
    "std": "Standard deviation of a numeric column",
    "correlation": "Correlation of two numeric columns",
}
_OF_VALUES = ("count", "share")
_SIMULATED = ("median", "quantile", "std", "correlation")


def statistic_builder(dataset: Dataset) -> None:
    """Add a statistic to the release, or take one out."""
    st.subheader("Another statistic")
    state = st.session_state
    kind = st.selectbox(
        "Kind",
        list(_STATISTICS),
        format_func=_STATISTICS.__getitem__,
        key="build_stat_kind",
        persist_state="session",
    )
    numeric = kind not in _OF_VALUES
    kinds = ("number",) if numeric else ("category", "boolean")
    columns = [column for column, its in dataset.types.items() if its in kinds]
    if len(columns) < (2 if kind == "correlation" else 1):
        st.info("The table has too few such columns; correct a column's type on the Data page.")
        return
    column = st.selectbox("Of column", columns, key=f"build_stat_column_{numeric}")
    label = f"{kind} {column}"
    if not numeric:
        value = st.selectbox("Value", choices.levels(dataset.table, column), key="build_stat_value")
        label += f" = {value}"
    elif kind == "quantile":
        q = st.slider("Quantile", 0.0, 1.0, 0.9, 0.01, key="build_stat_q", persist_state="session")
        label = f"quantile {q:g} {column}"
    elif kind == "correlation":
        others = [name for name in columns if name != column]
        label += f" and {st.selectbox('And column', others, key='build_stat_other')}"
    key = own_key(dataset, "stat")
    released = list(state[key])
    if st.button(
        "Release it too",
        icon=":material/add:",
        key="build_stat",
        disabled=label in released,
        help="It is already released." if label in released else None,
    ):
        state["pending"] = {key: [*released, label]}
        st.rerun()
    st.caption(
        (
            "It has no closed form: the model is fitted to simulations. "
            if kind in _SIMULATED
            else ""
        )
        + "Statistics are taken out, or put back, under More settings in the sidebar."
    )


def bounds_editor(dataset: Dataset, scenario: Scenario) -> None:
    """Public bounds of the numeric columns in use, for differential privacy's baselines."""
    columns = list(dict.fromkeys(s.column for s in scenario.query if s.takes_bounds))
    if not columns:
        return
    with st.expander("Public bounds for the baselines of differential privacy"):
        st.markdown(
            "Group DP and DP need to know how far one record can move a statistic. Give each "
            "column bounds that are public knowledge; where there are none, the data's own range "
            "is used, which leaks it."
        )
        known = dict(scenario.bounds)
        start = pd.DataFrame(
            {
                "column": columns,
                "lowest": [known.get(column, (None, None))[0] for column in columns],
                "highest": [known.get(column, (None, None))[1] for column in columns],
            }
        ).astype({"lowest": "float64", "highest": "float64"})
        edited = st.data_editor(
            start, hide_index=True, disabled=["column"], key=f"bounds_{dataset.digest}"
        )
        if st.button("Apply bounds", key="apply_bounds", icon=":material/check:"):
            bounds = {}
            for column, low, high in zip(
                edited["column"],
                edited["lowest"].to_numpy(dtype=float),
                edited["highest"].to_numpy(dtype=float),
                strict=True,
            ):
                if np.isnan(low) and np.isnan(high):
                    continue
                if not low < high:
                    st.error(
                        f"The bounds of {escape(column)} must be two numbers, the lower one "
                        "first; fill in both, or neither.",
                        icon=":material/error:",
                    )
                    return
                bounds[column] = (float(low), float(high))
            st.session_state[own_key(dataset, "bounds")] = bounds
            st.rerun()


def formulas() -> None:
    """The definition behind the page."""
    with st.expander("The definition", icon=":material/function:"):
        st.latex(
            r"\Pr(M(\mathit{Data})\in S\mid\theta_i)\le e^{\varepsilon}"
            r"\Pr(M(\mathit{Data})\in S\mid\theta_j)+\delta"
        )
        st.markdown(
            "for both orders of the two shares and every set S of outcomes: (ε, δ)-distribution "
            "privacy, Chen & Ohrimenko (2023), Definition 2.2."
        )
