"""As code: at the foot of every page, the script that gives its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell import opening, sources
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.pages import PageSpec
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import downloads
from distpriv.export.script import Setting, Source, notebook
from distpriv.tables.examples import EXAMPLES

__all__ = ["foot", "note", "setting_of", "settings"]


def note(page: str, **shown: Any) -> None:
    """Keep what a page's own controls say, for its script.

    Parameters
    ----------
    page : str
        Its name in the address.
    **shown
        By the names of its writer in :mod:`distpriv.export.script`.
    """
    st.session_state[Key.SHOWN_ON_PAGE] = (page, shown)


def foot(spec: PageSpec) -> None:
    """The page's script, written when it is asked for."""
    name, shown = cast(
        "tuple[str, Mapping[str, Any]]", st.session_state.pop(Key.SHOWN_ON_PAGE, ("", {}))
    )
    place = st.expander("As code", icon=":material/code:", key="as_code", on_change="rerun")
    if not place.open:
        return
    state = st.session_state
    setting = setting_of(state[Key.DATASET], state[Key.SCENARIO])
    script = spec.script(setting, shown if name == spec.name else None)
    with place:
        st.markdown(
            "This script gives this page's numbers without the dashboard, with the package "
            "`distpriv`" + ("." if setting.source.example else f" and {_beside(setting.source)}.")
        )
        row = st.container(horizontal=True)
        row.download_button(
            "Script",
            script.text,
            file_name=f"{downloads.file_name(spec.name)}.py",
            mime="text/x-python",
            key="code_script",
            icon=":material/download:",
            on_click="ignore",
        )
        row.download_button(
            "Notebook",
            lambda: notebook(script),
            file_name=f"{downloads.file_name(spec.name)}.ipynb",
            mime="application/x-ipynb+json",
            key="code_notebook",
            icon=":material/download:",
            on_click="ignore",
        )
        st.code(script.text, language="python")


def _beside(source: Source) -> str:
    """What a script needs beside the package, that whoever runs it has."""
    if source.kind:
        return "a table that you may read: say where it is in its first lines"
    return "your table's file beside it"


def setting_of(dataset: Dataset, scenario: Scenario) -> Setting:
    """What a script about the scenario on these data is written for."""
    references: Mapping[str, Dataset] = st.session_state.get(Key.REFERENCES, {})
    known = references.get(dataset.digest) if scenario.whole else None
    return Setting(scenario, _source(dataset), None if known is None else _source(known))


def settings(kept: Mapping[str, Any]) -> dict[str, Setting]:
    """The same for kept scenarios, those whose results are known."""
    others = {}
    for name, one in kept.items():
        dataset = opening.dataset_of(one.scenario, one.data)
        if dataset is not None and one.summary is not None:
            others[name] = setting_of(dataset, one.scenario)
    return others


def _source(dataset: Dataset) -> Source:
    example = next(
        (e.key for e in EXAMPLES if dataset.origin == "example" and e.title == dataset.title), ""
    )
    spec = next((each for each in sources.named_sources() if each.name == dataset.title), None)
    if dataset.source is not None and spec is not None:
        return Source(dataset.title, digest=dataset.digest, kind=spec.kind, size=spec.sample)
    corrected = tuple(dataset.corrected.items())
    return Source(dataset.title, example, corrected, digest=dataset.digest, reading=dataset.read_as)
