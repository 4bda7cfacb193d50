"""For teachers: problem sets with their scenarios and notebooks, to be saved."""

from __future__ import annotations

import streamlit as st

from distpriv.dashboard.shell.pages import link
from distpriv.resources import DATA

__all__ = ["FILES", "draw"]

_SETS = {
    "hospital": (
        "What does a hospital's quality report give away?",
        "Five questions: which figure tells most, how often an attacker is right, being the "
        "attacker, adding noise, and reports every month.",
    ),
    "school": (
        "How much noise does a school district need?",
        "Five questions: from right guesses to ε, which mechanism, whether a promise is kept, what "
        "is not hidden, and the single pupil.",
    ),
}
_KINDS = (
    ("questions.ipynb", "Notebook", "application/x-ipynb+json", ":material/edit_note:"),
    ("scenario.json", "Scenario", "application/json", ":material/description:"),
    ("solutions.ipynb", "Solutions", "application/x-ipynb+json", ":material/task_alt:"),
)
FILES = DATA / "problem_sets"
"""Where the files of the sets lie, each named for its set and its kind."""


def draw() -> None:
    """Each set with its three files."""
    st.header("For teachers: two problem sets")
    st.markdown(
        "Students compute the answers in the notebook, beside which the scenario file lies; the "
        "solutions hold code and what it printed. All three run with the package alone."
    )
    columns = st.columns(2, gap="medium")
    for column, (key, (title, about)) in zip(columns, _SETS.items(), strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            st.markdown(about)
            with st.container(horizontal=True):
                for kind, label, mime, icon in _KINDS:
                    st.download_button(
                        label,
                        (FILES / f"{key}-{kind}").read_bytes(),
                        file_name=f"{key}-{kind}",
                        mime=mime,
                        key=f"problems_{key}_{label}",
                        icon=icon,
                        on_click="ignore",
                    )
    link("compare", "Open a scenario file on the page Compare")
