"""Cached calls.

Streamlit hashes large tables from a sample, so a table is never an argument that it hashes:
each call is keyed by the table's full-content digest. What comes from a table lives in the
session that brought it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.analysis.design import Design
from distpriv.attribute.influence import Quilt
from distpriv.composition.rules import JointRelease
from distpriv.dashboard.shell.dataset import Dataset, from_example
from distpriv.distances.outcomes import Outcomes
from distpriv.mechanisms.curves import Curves
from distpriv.model.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.model.monte_carlo import SimulatedFit, simulated_outcomes, simulated_statistics
from distpriv.model.theta import Theta
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.robustness.bootstrap import MomentReplicates, bootstrap_moments
from distpriv.tables.examples import EXAMPLES

__all__ = [
    "computed",
    "curves",
    "design",
    "example",
    "figure",
    "joint",
    "moments",
    "outcomes",
    "quilts",
    "records",
    "resampled",
    "simulated",
    "simulated_fit",
]

T = TypeVar("T")


def computed(key: str, compute: Callable[[], T]) -> T:
    """Anything that is made once for everything its key names, a table's digest among it."""
    return cast(T, _computed(key, compute))


@st.cache_resource(show_spinner=False, max_entries=32, scope="session")
def _computed(key: str, _compute: Callable[[], object]) -> object:
    return _compute()


@st.cache_resource(show_spinner="Loading the records …", max_entries=4)
def example(key: str) -> Dataset:
    """An embedded or fetched example; the same for everybody."""
    return from_example(next(example for example in EXAMPLES if example.key == key))


def moments(dataset: Dataset, query: Query, secret: SensitiveProperty) -> GroupMoments:
    """Group moments of a table, computed once."""
    return _moments(dataset.digest, repr(query), repr(secret), dataset, query, secret)


@st.cache_resource(show_spinner=False, max_entries=64, scope="session")
def _moments(
    digest: str,
    query_key: str,
    secret_key: str,
    _dataset: Dataset,
    _query: Query,
    _secret: SensitiveProperty,
) -> GroupMoments:
    return group_moments(_dataset.table, _query, _secret)


def records(dataset: Dataset, query: Query, secret: SensitiveProperty) -> RecordGroups:
    """Record-level values split by the property, for simulations."""
    return _records(dataset.digest, repr(query), repr(secret), dataset, query, secret)


@st.cache_resource(show_spinner=False, max_entries=6, scope="session")
def _records(
    digest: str,
    query_key: str,
    secret_key: str,
    _dataset: Dataset,
    _query: Query,
    _secret: SensitiveProperty,
) -> RecordGroups:
    return record_groups(_dataset.table, _query, _secret)


@st.cache_resource(show_spinner="Computing …", max_entries=32, scope="session")
def curves(key: str, _compute: Callable[[], Curves]) -> Curves:
    """Curves that take long, computed once for everything their key names."""
    return _compute()


@st.cache_resource(show_spinner="Computing …", max_entries=32, scope="session")
def joint(key: str, _compute: Callable[[], JointRelease]) -> JointRelease:
    """Two releases of one dataset, computed once for everything their key names."""
    return _compute()


@st.cache_resource(show_spinner="Searching for ε …", max_entries=32, scope="session")
def design(key: str, _search: Callable[[], Design]) -> Design:
    """What a limit asks of a release, searched for once for everything its key names."""
    return _search()


@st.cache_resource(show_spinner=False, max_entries=32, scope="session")
def figure(key: str, _draw: Callable[[], go.Figure]) -> go.Figure:
    """A figure, drawn once for everything its key names; it is not to be changed afterwards."""
    return _draw()


@st.cache_resource(show_spinner="Looking for quilts …", max_entries=16, scope="session")
def quilts(
    key: str, _find: Callable[[], dict[str, tuple[Quilt, ...]]]
) -> dict[str, tuple[Quilt, ...]]:
    """Quilts of every protected attribute, which depend on neither the query nor ε."""
    return _find()


def simulated_fit(
    dataset: Dataset,
    query: Query,
    pairs: tuple[Pair, ...],
    n: int,
    replacement: bool,
    bounds: tuple[tuple[str, tuple[float, float]], ...],
    seed: int,
) -> SimulatedFit:
    """A fit by simulation, begun at most once; whoever needs it takes it further."""
    key = repr((dataset.digest, query, pairs, n, replacement, bounds, seed))
    return _simulated_fit(
        key,
        lambda: SimulatedFit(
            {pair.secret: records(dataset, query, pair.secret) for pair in pairs},
            query,
            pairs,
            n,
            replacement,
            seed=seed,
            bounds=dict(bounds),
        ),
    )


@st.cache_resource(show_spinner=False, max_entries=8, scope="session")
def _simulated_fit(key: str, _begin: Callable[[], SimulatedFit]) -> SimulatedFit:
    return _begin()


def simulated(
    dataset: Dataset, query: Query, thetas: tuple[Theta, ...], subsets: int, seed: int
) -> NDArray[np.float64]:
    """Statistics of datasets drawn under each θ, shape (len(thetas), subsets, m)."""
    return _simulated(
        dataset.digest, repr(query), repr(thetas), subsets, seed, dataset, query, thetas
    )


@st.cache_resource(show_spinner="Simulating datasets …", max_entries=8, scope="session")
def _simulated(
    digest: str,
    query_key: str,
    thetas_key: str,
    subsets: int,
    seed: int,
    _dataset: Dataset,
    _query: Query,
    _thetas: tuple[Theta, ...],
) -> NDArray[np.float64]:
    groups = records(_dataset, _query, _thetas[0].secret)
    return simulated_statistics(groups, _query, _thetas, subsets, seed)


def outcomes(
    dataset: Dataset, query: Query, thetas: tuple[Theta, Theta], subsets: int, seed: int
) -> Outcomes:
    """Simulated outcomes of a pair, with the distances that were computed of them."""
    key = repr((dataset.digest, query, thetas, subsets, seed))
    return _outcomes(
        key,
        lambda: simulated_outcomes(
            records(dataset, query, thetas[0].secret), query, thetas, subsets, seed
        ),
    )


@st.cache_resource(show_spinner="Simulating datasets …", max_entries=24, scope="session")
def _outcomes(key: str, _simulate: Callable[[], Outcomes]) -> Outcomes:
    return _simulate()


def resampled(
    dataset: Dataset, query: Query, secret: SensitiveProperty, replicates: int, seed: int
) -> MomentReplicates:
    """Group moments of resampled records, which depend on neither the pair nor a mechanism."""
    return _resampled(
        dataset.digest, repr(query), repr(secret), replicates, seed, dataset, query, secret
    )


@st.cache_resource(show_spinner="Drawing the records again …", max_entries=8, scope="session")
def _resampled(
    digest: str,
    query_key: str,
    secret_key: str,
    replicates: int,
    seed: int,
    _dataset: Dataset,
    _query: Query,
    _secret: SensitiveProperty,
) -> MomentReplicates:
    groups = records(_dataset, _query, _secret)
    # A stream of its own: those of the simulated datasets are the children of the same seed.
    return bootstrap_moments(groups, replicates, rng=np.random.default_rng((seed, replicates)))
