"""The way into a page: the scenario's fitted model, and what stands around every page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page as StreamlitPage

from distpriv import mechanisms
from distpriv.dashboard import cache
from distpriv.dashboard.dataset import Dataset
from distpriv.dashboard.scenario import Scenario
from distpriv.dashboard.text import escape
from distpriv.errors import DistprivError
from distpriv.models import GaussianModel, model_from_moments
from distpriv.noise import Noise

__all__ = ["ICON", "View", "attempt", "footer", "modelled", "open_page"]

# A file of our own: an icon by name would be fetched from another host.
ICON = str(Path(__file__).with_name("icon.svg"))


@dataclass(frozen=True, eq=False)
class View:
    """What a page works with.

    Attributes
    ----------
    dataset : Dataset
    scenario : Scenario
    model : GaussianModel
    noise : Noise
        Of the chosen mechanism.
    """

    dataset: Dataset
    scenario: Scenario
    model: GaussianModel
    noise: Noise

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the statistics, in order."""
        return self.scenario.query.units(self.dataset.units)


def open_page() -> tuple[Dataset, Scenario]:
    """First line of every page: the data and the scenario that the frame describes."""
    return st.session_state["dataset"], st.session_state["scenario"]


def modelled() -> View:
    """Open a page that needs the fitted model; a scenario that has none ends in a sentence."""
    dataset, scenario = open_page()
    view = attempt(dataset, scenario)
    if isinstance(view, str):
        st.error(view, icon=":material/error:")
        st.page_link("app_pages/secret.py", label="Change the secret or the release")
        st.stop()
    return view


def footer(page: StreamlitPage, pages: Sequence[StreamlitPage]) -> None:
    """Links to the page before and the page after, so that the pages can be read in order."""
    here = next(index for index, other in enumerate(pages) if other.url_path == page.url_path)
    st.divider()
    left, right = st.columns(2)
    if here > 0:
        left.page_link(pages[here - 1], icon=":material/arrow_back:")
    if here + 1 < len(pages):
        right.page_link(pages[here + 1], icon=":material/arrow_forward:")


def attempt(dataset: Dataset, scenario: Scenario) -> View | str:
    """Fit the scenario's model and calibrate its mechanism, or say in a sentence why not."""
    try:
        model = model_from_moments(
            {scenario.secret: cache.moments(dataset, scenario.query, scenario.secret)},
            scenario.query,
            [scenario.pair],
            scenario.n,
            replacement=scenario.replacement,
            bounds=dict(scenario.bounds),
        )
        noise = mechanisms.calibrate(
            scenario.mechanism, model, scenario.epsilon, scenario.delta, scenario.calibration
        )
    except DistprivError as error:
        return escape(error)
    return View(dataset, scenario, model, noise)
