"""Settings to start from: those of the paper, and one of the examples'."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from distpriv.dashboard.shell import putting
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key

__all__ = ["PRESETS", "draw"]

# What each preset sets beside the paper's statistics, n = 100, ε = 1 and δ = 0.001.
PRESETS: Mapping[str, Mapping[str, object]] = {
    "Paper: income, Δp = 0.1": {Key.SECRET: "income = >50K", Key.DP: 0.1, Key.CAL: "classical"},
    "Paper: work class, Δp = 0.04": {
        Key.SECRET: "workclass = Private",
        Key.DP: 0.04,
        Key.CAL: "classical",
    },
    "Share of women, Δp = 0.1": {
        Key.SECRET: "sex = Female",
        Key.DP: 0.1,
        Key.CAL: "guarded",
        Key.STAT: [
            "mean age",
            "mean education-num",
            "mean hours-per-week",
            "count income = >50K",
        ],
    },
}


def draw(dataset: Dataset) -> None:
    """The presets, one button each; they are about the examples."""
    with st.expander("Presets", icon=":material/bookmark:"):
        for label, values in PRESETS.items():
            st.button(
                label,
                on_click=_apply,
                args=(values,),
                width="stretch",
                disabled=dataset.origin != "example" or "workclass" not in dataset.types,
            )


def _apply(values: Mapping[str, object]) -> None:
    common: dict[str, object] = {Key.N: 100, Key.CENTER: 0.5, Key.EPS: 1.0, Key.DELTA: 1e-3}
    common |= {Key.REPL: False, Key.WHOLE: False, Key.PERSONS: False, Key.SHARE_OF: "release"}
    common |= {Key.PAIRS: "one pair", Key.UNITS: "raw", Key.REPORT: "raw"}
    for key in (Key.STAT, Key.ALSO):
        st.session_state.pop(key, None)
    putting.put(common | dict(values))
