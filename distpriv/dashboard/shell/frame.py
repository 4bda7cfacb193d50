"""The way into a page: the scenario's fitted model, and what stands around every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.fitting import Groups, resolved
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.verdict import right_of_hundred
from distpriv.dashboard.shell import cache, live, scanning, simulations
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.places import Places
from distpriv.dashboard.shell.state import Key
from distpriv.distances.outcomes import Outcomes
from distpriv.errors import DistprivError, ModelError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.moments import GroupMoments, RecordGroups
from distpriv.model.run import Progress, Run, repeated
from distpriv.model.source import SampledGroups
from distpriv.model.theta import Theta
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.words import escape, percent

__all__ = [
    "ICON",
    "LOGO",
    "View",
    "attempt",
    "modelled",
    "open_page",
    "places",
    "quiet",
    "sampled",
    "sources",
]

# A file of our own: an icon by name would be fetched from another host.
ICON = str(Path(__file__).with_name("icon.svg"))
LOGO = str(Path(__file__).with_name("logo.svg"))

T = TypeVar("T")

_MOST_SIMULATED = 12
_SIMULATING = "Simulating datasets …"


class _Cached(Groups):
    """Records of a dataset and what is simulated of them, from the session's caches."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset.records)
        self.dataset = dataset

    def computed(self, key: str, compute: Callable[[], T]) -> T:
        return cache.computed(compute, f"{self.dataset.digest} {key}")

    def moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        return cache.computed(Dataset.moments, self.dataset, query, secret)

    def records(self, query: Query, secret: SensitiveProperty) -> RecordGroups:
        return cache.computed(Dataset.groups, self.dataset, query, secret)

    def simulated(
        self, query: Query, thetas: tuple[Theta, ...], subsets: int, seed: int
    ) -> NDArray[np.float64]:
        arguments = (self.dataset.digest, query, thetas, subsets, seed)
        return cache.computed(super().simulated, *arguments, saying=_SIMULATING)

    def outcomes(
        self, query: Query, thetas: tuple[Theta, Theta], subsets: int, seed: int
    ) -> Outcomes:
        arguments = (self.dataset.digest, query, thetas, subsets, seed)
        return cache.computed(super().outcomes, *arguments, saying=_SIMULATING)


@dataclass(frozen=True, eq=False, kw_only=True)
class View(Evaluation, through=("dataset", "source")):
    """The scenario evaluated, and the datasets of the session that it is about.

    Attributes
    ----------
    dataset : Dataset
    source : Dataset
        What the model is fitted to: the dataset, or reference data in its place.
    """

    dataset: Dataset
    source: Dataset

    @property
    def common(self) -> bool:
        """Whether what follows from it is nobody's own: example records, and none beside them."""
        return self.dataset.origin == self.source.origin == "example"

    def apart(self) -> Evaluation:
        """The same without the session's caches, to be worked on beyond this run of the page."""
        for fit in self.model.pairs:  # they would come from a cache when they are first asked for
            assert fit.population is None or fit.population.groups
        return Evaluation(
            self.scenario,
            self.table,
            Groups(self.source.records),
            self.model,
            self.column_units,
            self.focus,
            dict(self.calibrated),
        )


def open_page() -> tuple[Dataset, Scenario]:
    """First line of every page: the data and the scenario that the frame describes."""
    return st.session_state[Key.DATASET], st.session_state[Key.SCENARIO]


def places() -> Places:
    """Where the controls of this run stand, for the page to draw among them."""
    places: Places = st.session_state.pop(Key.PLACES)
    return places


def modelled() -> View:
    """Open a page that needs the fitted model; a scenario that has none ends in a sentence."""
    dataset, scenario = open_page()
    view = attempt(dataset, scenario)
    if view is None:
        link("question", "Change the question")
        st.stop()
    return view


def attempt(dataset: Dataset, scenario: Scenario) -> View | None:
    """Fit the scenario's model and calibrate its mechanism.

    None where that cannot be, which a sentence explains, or while a simulation or its distances
    are under way, whose progress shows.
    """
    try:
        if (asked := scanning.missing(dataset, scenario.query, _secrets(scenario))) is not None:
            scanning.waiting(asked, "asking")
            return None
        view = _fitted(_begun(dataset, scenario))
        if isinstance(view, Run):
            names = ", ".join(
                escape(statistic.label) for statistic in scenario.query if not statistic.linear
            )
            st.markdown(f"{names}: no closed form, so the model is fitted to simulated datasets.")
            _waiting(view, "simulation_stop")
            return None
        if unmeasured := _unmeasured(view):
            key = (view.scenario, *(fit.outcomes for fit in view.model.pairs))
            measuring = live.begun("distances", key, lambda: _measured(unmeasured), waits=True)
            if not _finished(measuring):
                _waiting(measuring, "distances_stop")
                return None
        ready = _ready(view)
        _headline(ready)
        return ready
    except DistprivError as error:
        st.error(escape(error), icon=":material/error:")
        if (place := st.session_state.pop(Key.HEADLINE, None)) is not None:
            place.caption("\u00a0")  # what it said is about another scenario
        return None


def _secrets(scenario: Scenario) -> tuple[SensitiveProperty, ...]:
    """What a source is asked about, the scenario's own secret first."""
    return tuple(dict.fromkeys((scenario.secret, *(pair.secret for pair in scenario.pairs))))


def _headline(view: View) -> None:
    """Which table the page is about, and what comes of it, below its heading."""
    place: DeltaGenerator | None = st.session_state.pop(Key.HEADLINE, None)
    if place is None:
        return
    scenario = view.scenario
    end = (
        "no noise is needed"
        if view.noise.is_zero and view.mechanism.protects
        else f"an attacker is right {right_of_hundred(view.accuracy)} times"
    )
    said = (
        f"**{escape(view.dataset.title)}** · {escape(scenario.secret.label)} · "
        f"{escape(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g}: {end}, "
        f"{right_of_hundred(view.undefended)} without noise"
    )
    st.session_state[Key.HEADLINE_SAID] = said
    if drawn := sampled(view):
        said += f"  \n{drawn}"
    place.caption(said)


def sampled(view: View) -> str:
    """What simulations rest on where that is not all records, as a sentence; else empty."""
    if view.source.source is None:
        return ""
    groups = view.groups.records(view.scenario.query, view.fit.pair.secret)
    return groups.in_words if isinstance(groups, SampledGroups) else ""


def quiet(dataset: Dataset, scenario: Scenario) -> View | None:
    """The same for a scenario that is not the current one, without a word and without simulation.

    None where it has no model, or one that would have to be simulated.
    """
    if not scenario.query.is_linear or scenario.distances == "simulated":
        return None
    try:
        view = _fitted(_begun(dataset, scenario))
        return None if isinstance(view, Run) or _unmeasured(view) else _ready(view)
    except DistprivError:
        return None


def sources(dataset: Dataset) -> dict[str, Groups]:
    """What models are fitted to: the table under the empty text, reference data by their digest."""
    reference = st.session_state.get(Key.REFERENCES, {}).get(dataset.digest)
    found: dict[str, Groups] = {"": _Cached(dataset)}
    return found if reference is None else found | {reference.digest: _Cached(reference)}


def _begun(dataset: Dataset, scenario: Scenario) -> View:
    """With n resolved and what the model is fitted to, and nothing computed."""
    source = dataset
    if scenario.whole:
        source = st.session_state.get(Key.REFERENCES, {}).get(dataset.digest, dataset)
    return View(
        scenario=resolved(scenario, _Cached(dataset)),
        table=dataset.records,
        groups=_Cached(source),
        column_units=dataset.units,
        dataset=dataset,
        source=source,
    )


def _fitted(view: View) -> View | Run[GaussianModel]:
    """With its model, or the simulation of it that has to go on."""
    scenario = view.scenario
    if scenario.query.is_linear:
        if scenario.distances == "simulated" and len(scenario.pairs) > _MOST_SIMULATED:
            raise ModelError(
                f"Distances are simulated for at most {_MOST_SIMULATED} pairs of shares, there "
                f"are {len(scenario.pairs)}; take those of the normals under More settings, or "
                "fewer pairs."
            )
        return view
    run = cache.computed(
        simulations.fit,
        view.source,
        scenario.query,
        scenario.pairs,
        scenario.n,
        scenario.replacement,
        scenario.hidden_share,
        scenario.bounds,
        scenario.seed,
    )
    model = run.result() if _finished(run) else None
    return run if model is None else replace(view, fitted=model)


def _ready(view: View) -> View:
    """With its noise and the pair looked at; raises CalibrationError."""
    assert view.noise
    assert view.focus >= 0
    return view


def _finished(run: Run[Any]) -> bool:
    """Take work a little further that the page cannot do without; whether that was the last."""
    run.step(0.3)
    if run.failure:
        raise ModelError(run.failure)
    return run.finished


def _waiting(run: Run[Any], stop: str) -> None:
    """Take it further, with its progress and a way to stop it, until the page can be drawn."""
    live.growing(
        run,
        lambda run: live.bar(
            run, f"{run.doing}: {percent(run.share_done, 0)}" + (", stopped" if run.stopped else "")
        ),
        page_waits=True,
    )
    live.toggle(run, stop, icons=False)


def _unmeasured(view: View) -> list[tuple[Outcomes, float]]:
    """Distances between simulated outcomes that the page will ask for and that take time."""
    if not (view.scenario.distances == "simulated" or view.mechanism.from_outcomes):
        return []
    sizes = view.sizes
    pairs = [fit.outcomes for fit in view.model.pairs if fit.outcomes is not None]
    return [
        (outcomes, delta)
        for outcomes in (pairs if sizes is None else [pair.in_units(sizes) for pair in pairs])
        for delta in (0.0, view.scenario.delta)
        if not outcomes.knows(delta)
    ]


def _measured(unmeasured: Sequence[tuple[Outcomes, float]]) -> Iterator[Progress[int]]:
    def measure(index: int) -> float:
        outcomes, delta = unmeasured[index]
        return outcomes.closeness(delta)

    doing = f"Matching simulated datasets for {len(unmeasured)} distances"
    return repeated(measure, len(unmeasured), len, doing)
