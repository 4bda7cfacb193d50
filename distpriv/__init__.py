"""Distribution privacy: what released statistics give away about a global property, and its cost.

Start with :func:`read_table`, :class:`Query` and :class:`SensitiveProperty`; then
:func:`fit_gaussian`, :func:`calibrate`, and the functions on their results. What goes further lies
in the packages, each of which says what belongs in it: `tables`, `queries`, `distances`, `model`,
`sources`, `privacy`, `mechanisms`, `attacks` (with `hypothesis`), `attribute`, `frameworks`,
`robustness`, `composition`, `analysis`; and, loaded when they are asked for, `papers`, `lessons`,
`store`, `charts` and `export`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from distpriv import (
    analysis,
    attacks,
    attribute,
    composition,
    distances,
    errors,
    frameworks,
    glossary,
    mechanisms,
    model,
    privacy,
    queries,
    robustness,
    sources,
    tables,
)
from distpriv.analysis.acceptable_error import ErrorLimit, choose_by_error
from distpriv.analysis.design import Limit, choose
from distpriv.analysis.equal_terms import compare_mechanisms
from distpriv.analysis.evaluating import evaluate
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import read_scenario, write_scenario
from distpriv.attacks import hypothesis
from distpriv.attacks.audit import audit_attack
from distpriv.attacks.best_attack import optimal_attack_accuracy, optimal_attack_estimate
from distpriv.attacks.optimal import binding_pair
from distpriv.attacks.property_inference import run_attack
from distpriv.attacks.results import AttackResult
from distpriv.attribute.gaussian import attribute_private_gaussian
from distpriv.attribute.network import BayesianNetwork
from distpriv.attribute.quilt import markov_quilt
from distpriv.composition.rules import Promise, compose
from distpriv.distances.wasserstein import closeness, wasserstein_inf
from distpriv.errors import DistprivError, TableError
from distpriv.mechanisms import calibrate
from distpriv.mechanisms.release import draw_release
from distpriv.mechanisms.release_intervals import release_intervals
from distpriv.model.fit import fit_gaussian
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.moments import group_moments, record_groups
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.coupling_bound import CouplingBound, coupling_bound
from distpriv.privacy.delivered import delivered_delta, delivered_epsilon, privacy_profile
from distpriv.privacy.exact_laws import exact_law
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons
from distpriv.queries.nonlinear import Correlation, Median, Quantile, StandardDeviation
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Proportion, Query, Statistic, Sum
from distpriv.robustness.verdicts import verdicts
from distpriv.sources.opening import connect, from_spark, scan
from distpriv.tables.examples import load_adult, load_census_income, load_example
from distpriv.tables.reading import column_types, digest, how_read, read_table, retype, summarise
from distpriv.tables.reference import align

if TYPE_CHECKING:
    from distpriv import charts, export, lessons, papers, store

__all__ = [
    "AttackResult",
    "BayesianNetwork",
    "Correlation",
    "Count",
    "CouplingBound",
    "DistprivError",
    "ErrorLimit",
    "Evaluation",
    "GaussianModel",
    "Limit",
    "Mean",
    "Median",
    "Noise",
    "Pair",
    "PairModel",
    "Persons",
    "Promise",
    "Proportion",
    "Quantile",
    "Query",
    "Scenario",
    "SensitiveProperty",
    "StandardDeviation",
    "Statistic",
    "Sum",
    "TableError",
    "accuracy_ceiling",
    "align",
    "analysis",
    "attacks",
    "attribute",
    "attribute_private_gaussian",
    "audit_attack",
    "binding_pair",
    "calibrate",
    "charts",
    "choose",
    "choose_by_error",
    "closeness",
    "column_types",
    "compare_mechanisms",
    "compose",
    "composition",
    "connect",
    "coupling_bound",
    "delivered_delta",
    "delivered_epsilon",
    "digest",
    "distances",
    "draw_release",
    "errors",
    "evaluate",
    "exact_law",
    "export",
    "fit_gaussian",
    "frameworks",
    "from_spark",
    "glossary",
    "group_moments",
    "how_read",
    "hypothesis",
    "lessons",
    "load_adult",
    "load_census_income",
    "load_example",
    "markov_quilt",
    "mechanisms",
    "model",
    "optimal_attack_accuracy",
    "optimal_attack_estimate",
    "papers",
    "privacy",
    "privacy_profile",
    "queries",
    "read_scenario",
    "read_table",
    "record_groups",
    "release_intervals",
    "retype",
    "robustness",
    "run_attack",
    "scan",
    "sources",
    "store",
    "summarise",
    "tables",
    "verdicts",
    "wasserstein_inf",
    "write_scenario",
]

_LATER = (
    "charts",
    "export",
    "lessons",
    "papers",
    "store",
)  # they need Plotly, SQLAlchemy, or a second


if not TYPE_CHECKING:

    def __getattr__(name):  # PEP 562
        if name in _LATER:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
