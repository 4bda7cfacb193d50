"""The way into a page: the scenario's fitted model, and what stands around every page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.navigation.page import Page as StreamlitPage

from distpriv import mechanisms
from distpriv.analysis.scenario import Scenario, Units
from distpriv.attacks.optimal import binding_pair
from distpriv.dashboard.shell import cache, settings
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.pages import file_of
from distpriv.distances.outcomes import Outcomes
from distpriv.errors import CalibrationError, DistprivError, ModelError
from distpriv.mechanisms.guarded import Search, settled, side_by_side
from distpriv.model.gaussian import GaussianModel, PairModel, model_from_moments
from distpriv.model.moments import GroupMoments
from distpriv.model.monte_carlo import SimulatedFit
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import SensitiveProperty
from distpriv.words import escape

__all__ = ["ICON", "View", "attempt", "footer", "modelled", "moments_of", "open_page", "quiet"]

# A file of our own: an icon by name would be fetched from another host.
ICON = str(Path(__file__).with_name("icon.svg"))


_MOST_SIMULATED = 12


@dataclass(frozen=True, eq=False)
class View:
    """What a page works with.

    Attributes
    ----------
    dataset : Dataset
    source : Dataset
        What the model is fitted to: the dataset, or reference data in its place.
    scenario : Scenario
        With n resolved if the whole table is released.
    model : GaussianModel
        Of every pair, the main one first.
    noise : Noise
        Of the chosen mechanism.
    focus : int
        The pair that charts and attack are about.
    """

    dataset: Dataset
    source: Dataset
    scenario: Scenario
    model: GaussianModel
    noise: Noise
    focus: int

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the statistics' units, in order."""
        return self.scenario.query.units(self.dataset.units)

    @property
    def fit(self) -> PairModel:
        """The pair looked at."""
        return self.model.pairs[self.focus]

    @property
    def focused(self) -> GaussianModel:
        """The model of the pair looked at alone."""
        return self.model.only(self.focus)

    @property
    def sizes(self) -> NDArray[np.float64] | None:
        """Units for calibrating, shape (m,); None for raw ones."""
        return _sizes(self.scenario.units, self.model, self.scenario.tolerances)

    @property
    def report(self) -> NDArray[np.float64] | None:
        """Units for reporting the L2 error, shape (m,); None for raw ones."""
        return _sizes(self.scenario.report, self.model, self.scenario.tolerances)

    @property
    def report_name(self) -> str:
        """What the L2 error is counted in."""
        names = {"raw": "", "standardised": "standard deviations", "custom": "tolerances"}
        return names[self.scenario.report]

    def calibrate(self, name: str) -> Noise:
        """Noise of another mechanism in the same scenario; raises CalibrationError."""
        (found,) = self._calibrated((name,))
        if isinstance(found, CalibrationError):
            raise found
        return found

    def noises(self, names: Sequence[str]) -> dict[str, Noise]:
        """Noise of several mechanisms in the same scenario; those that cannot are left out."""
        found = zip(names, self._calibrated(names), strict=True)
        return {name: noise for name, noise in found if isinstance(noise, Noise)}

    def _calibrated(self, names: Sequence[str]) -> list[Noise | CalibrationError]:
        """Each once in a run of the page, and those that are new together."""
        new = [name for name in dict.fromkeys(names) if name not in self._known]
        searches = [_search(name, self.model, self.scenario) for name in new]
        self._known.update(zip(new, side_by_side(searches), strict=True))
        return [self._known[name] for name in names]

    @cached_property
    def _known(self) -> dict[str, Noise | CalibrationError]:
        return {self.scenario.mechanism: self.noise}

    def at(self, epsilon: float) -> View:
        """The same scenario at another ε; raises CalibrationError."""
        scenario = replace(self.scenario, epsilon=epsilon)
        noise = settled(_search(scenario.mechanism, self.model, scenario))
        return replace(self, scenario=scenario, noise=noise)

    def reported(self, noise: Noise) -> Noise:
        """The noise in the units that its L2 error is reported in."""
        return noise if self.report is None else noise.in_units(self.report)


def _sizes(
    kind: Units, model: GaussianModel, tolerances: tuple[float, ...]
) -> NDArray[np.float64] | None:
    if kind == "raw":
        return None
    return model.standard_deviations if kind == "standardised" else np.array(tolerances)


def open_page() -> tuple[Dataset, Scenario]:
    """First line of every page: the data and the scenario that the frame describes."""
    return st.session_state["dataset"], st.session_state["scenario"]


def modelled() -> View:
    """Open a page that needs the fitted model; a scenario that has none ends in a sentence."""
    dataset, scenario = open_page()
    view = attempt(dataset, scenario)
    if view is None:
        st.page_link(file_of("secret"), label="Change the secret or the release")
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


def attempt(dataset: Dataset, scenario: Scenario) -> View | None:
    """Fit the scenario's model and calibrate its mechanism.

    None where that cannot be, which a sentence explains, or while a simulation or its distances
    are under way, whose progress shows.
    """
    try:
        source, scenario = _resolved(dataset, scenario)
        model = _model(source, scenario)
        if isinstance(model, SimulatedFit):
            _simulating(model)
            return None
        if (unmeasured := _unmeasured(model, scenario)) and (
            _stopped(scenario) or not _measure(unmeasured, 0.3)
        ):
            _measuring(unmeasured, scenario)
            return None
        return _view(dataset, source, scenario, model)
    except DistprivError as error:
        st.error(escape(error), icon=":material/error:")
        return None


def quiet(dataset: Dataset, scenario: Scenario) -> View | None:
    """The same for a scenario that is not the current one, without a word and without simulation.

    None where it has no model, or one that would have to be simulated.
    """
    if not scenario.query.is_linear or scenario.distances == "simulated":
        return None
    try:
        source, scenario = _resolved(dataset, scenario)
        model = _model(source, scenario)
        if isinstance(model, SimulatedFit) or _unmeasured(model, scenario):
            return None
        return _view(dataset, source, scenario, model)
    except DistprivError:
        return None


def _resolved(dataset: Dataset, scenario: Scenario) -> tuple[Dataset, Scenario]:
    """What the model is fitted to, and the scenario with n resolved."""
    if not scenario.whole:
        return dataset, scenario
    source = st.session_state.get("references", {}).get(dataset.digest, dataset)
    return source, replace(scenario, n=_size(dataset, scenario))


def _view(dataset: Dataset, source: Dataset, scenario: Scenario, model: GaussianModel) -> View:
    noise = settled(_search(scenario.mechanism, model, scenario))
    labels = [fit.pair.label for fit in model.pairs]
    focus = labels.index(scenario.look) if scenario.look in labels else binding_pair(model, noise)
    return View(dataset, source, scenario, model, noise, focus)


def _size(dataset: Dataset, scenario: Scenario) -> int:
    """Complete records of the table."""
    known = cache.moments if scenario.query.is_linear else cache.records
    return sum(known(dataset, scenario.query, scenario.secret).counts)


def _model(source: Dataset, scenario: Scenario) -> GaussianModel | SimulatedFit:
    """In closed form, or by a simulation that may have to go on."""
    pairs = scenario.pairs
    if scenario.query.is_linear:
        model = model_from_moments(
            moments_of(source, scenario),
            scenario.query,
            pairs,
            scenario.n,
            replacement=scenario.replacement,
            bounds=dict(scenario.bounds),
        )
        return model if scenario.distances == "normals" else _with_outcomes(model, source, scenario)
    run = cache.simulated_fit(
        source,
        scenario.query,
        pairs,
        scenario.n,
        scenario.replacement,
        scenario.bounds,
        scenario.seed,
    )
    if not _stopped(run):
        run.step(0.3)
    return run.model() if run.done else run


def _with_outcomes(model: GaussianModel, source: Dataset, scenario: Scenario) -> GaussianModel:
    """The same with simulated outcomes where there are no exact ones."""
    if len(model.pairs) > _MOST_SIMULATED:
        raise ModelError(
            f"Distances are simulated for at most {_MOST_SIMULATED} pairs of shares, there are "
            f"{len(model.pairs)}; take those of the normals under More settings, or fewer pairs."
        )
    fits = [
        fit
        if fit.outcomes is not None
        else replace(
            fit,
            outcomes=cache.outcomes(
                source, scenario.query, fit.thetas, settings.SIMULATED, scenario.seed
            ),
        )
        for fit in model.pairs
    ]
    return replace(model, pairs=tuple(fits))


def _simulating(run: SimulatedFit) -> None:
    """Take a simulation further, with its progress and a way to stop it."""
    stopped = _stopped(run)

    @st.fragment(run_every=None if stopped else 0.2)
    def progress() -> None:
        if not stopped:
            run.step(0.15)
        st.progress(
            run.share_done,
            text=f"Simulating {run.subsets} datasets of {run.n} records for each share: "
            f"{run.share_done:.0%}" + (", stopped" if stopped else ""),
        )
        if run.done:
            st.rerun()

    names = ", ".join(escape(each.label) for each in run.query if not each.linear)
    st.markdown(f"{names}: no closed form, so the model is fitted to simulated datasets.")
    progress()
    _stop_button(run, "simulation_stop")


def _unmeasured(model: GaussianModel, scenario: Scenario) -> list[tuple[Outcomes, float]]:
    """Distances between simulated outcomes that the page will ask for and that take time."""
    wanted = scenario.distances == "simulated"
    if not (wanted or mechanisms.get(scenario.mechanism).from_outcomes):
        return []
    sizes = _sizes(scenario.units, model, scenario.tolerances)
    pairs = [fit.outcomes for fit in model.pairs if fit.outcomes is not None]
    return [
        (each, delta)
        for each in (pairs if sizes is None else [pair.in_units(sizes) for pair in pairs])
        for delta in (0.0, scenario.delta)
        if not each.knows(delta)
    ]


def _measure(unmeasured: Sequence[tuple[Outcomes, float]], budget_seconds: float) -> bool:
    """Compute distances until the budget is spent; whether none is left."""
    until = time.perf_counter() + budget_seconds
    for outcomes, delta in unmeasured:
        if time.perf_counter() >= until:
            return False
        outcomes.closeness(delta)
    return True


def _measuring(unmeasured: Sequence[tuple[Outcomes, float]], scenario: Scenario) -> None:
    """Go on measuring distances, with progress and a way to stop it."""
    stopped = _stopped(scenario)

    @st.fragment(run_every=None if stopped else 0.2)
    def progress() -> None:
        left = [each for each in unmeasured if not each[0].knows(each[1])]
        done = not left or (not stopped and _measure(left, 0.15))
        share = 1 - len(left) / len(unmeasured)
        st.progress(
            share,
            text=f"Matching simulated datasets for {len(unmeasured)} distances: {share:.0%}"
            + (", stopped" if stopped else ""),
        )
        if done:
            st.rerun()

    progress()
    _stop_button(scenario, "distances_stop")


def _stopped(work: SimulatedFit | Scenario) -> bool:
    return bool(st.session_state.get("stopped") == work)


def _stop_button(work: SimulatedFit | Scenario, key: str) -> None:
    stopped = _stopped(work)

    def turn() -> None:
        st.session_state["stopped"] = None if stopped else work

    st.button("Go on" if stopped else "Stop", key=key, on_click=turn)


def _search(name: str, model: GaussianModel, scenario: Scenario) -> Search:
    budget = (scenario.epsilon, scenario.delta, scenario.calibration)
    sizes = _sizes(scenario.units, model, scenario.tolerances)
    return mechanisms.searching(name, model, *budget, sizes)


def moments_of(source: Dataset, scenario: Scenario) -> dict[SensitiveProperty, GroupMoments]:
    """Group moments for every secret of the scenario."""
    secrets = dict.fromkeys(pair.secret for pair in scenario.pairs)
    return {secret: cache.moments(source, scenario.query, secret) for secret in secrets}
