"""Distribution privacy: what released statistics give away about a global property, and its cost.

Start with :func:`read_table`, :class:`Query` and :class:`SensitiveProperty`; then
:func:`fit_gaussian`, :func:`calibrate`, and the functions on their results.
"""

from distpriv.attacks import (
    AttackResult,
    Interval,
    PropertyInferenceAttack,
    linear_attack_accuracy,
    run_attack,
)
from distpriv.audit import Audit, audit_attack
from distpriv.best_attack import optimal_attack_accuracy, optimal_attack_estimate
from distpriv.calibration import gaussian_distance
from distpriv.composition import (
    JointRelease,
    Promise,
    compose,
    delivered_after,
    joint_release,
    mixture,
    repeated_release,
)
from distpriv.composition_example import CompositionExample
from distpriv.coupling import Coupling, optimal_coupling
from distpriv.datasets import load_adult, load_census_income
from distpriv.distances import closeness, wasserstein_inf
from distpriv.errors import (
    AttackError,
    CalibrationError,
    DatasetError,
    DistanceError,
    DistprivError,
    FrameworkError,
    InapplicableError,
    ModelError,
    PropertyError,
    QueryError,
    TableError,
)
from distpriv.fitting import fit_gaussian
from distpriv.guarantees import accuracy_ceiling
from distpriv.mechanisms import calibrate
from distpriv.models import GaussianModel, PairModel, Theta, model_from_moments
from distpriv.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.noise import Noise
from distpriv.nonlinear import Correlation, Median, Quantile, StandardDeviation
from distpriv.optimal import optimal_precision_recall, optimal_roc
from distpriv.outcomes import Outcomes
from distpriv.profiles import delivered_delta, delivered_epsilon, privacy_profile, worst_case
from distpriv.properties import Pair, SensitiveProperty
from distpriv.pufferfish import (
    DistributionPrivacy,
    Pufferfish,
    to_distribution_privacy,
    to_pufferfish,
)
from distpriv.queries import Count, Mean, Proportion, Query, Statistic, Sum
from distpriv.simulation import SimulatedFit, simulate
from distpriv.tables import column_types, digest, read_table, retype, summarise

__all__ = [
    "AttackError",
    "AttackResult",
    "Audit",
    "CalibrationError",
    "CompositionExample",
    "Correlation",
    "Count",
    "Coupling",
    "DatasetError",
    "DistanceError",
    "DistprivError",
    "DistributionPrivacy",
    "FrameworkError",
    "GaussianModel",
    "GroupMoments",
    "InapplicableError",
    "Interval",
    "JointRelease",
    "Mean",
    "Median",
    "ModelError",
    "Noise",
    "Outcomes",
    "Pair",
    "PairModel",
    "Promise",
    "PropertyError",
    "PropertyInferenceAttack",
    "Proportion",
    "Pufferfish",
    "Quantile",
    "Query",
    "QueryError",
    "RecordGroups",
    "SensitiveProperty",
    "SimulatedFit",
    "StandardDeviation",
    "Statistic",
    "Sum",
    "TableError",
    "Theta",
    "accuracy_ceiling",
    "audit_attack",
    "calibrate",
    "closeness",
    "column_types",
    "compose",
    "delivered_after",
    "delivered_delta",
    "delivered_epsilon",
    "digest",
    "fit_gaussian",
    "gaussian_distance",
    "group_moments",
    "joint_release",
    "linear_attack_accuracy",
    "load_adult",
    "load_census_income",
    "mixture",
    "model_from_moments",
    "optimal_attack_accuracy",
    "optimal_attack_estimate",
    "optimal_coupling",
    "optimal_precision_recall",
    "optimal_roc",
    "privacy_profile",
    "read_table",
    "record_groups",
    "repeated_release",
    "retype",
    "run_attack",
    "simulate",
    "summarise",
    "to_distribution_privacy",
    "to_pufferfish",
    "wasserstein_inf",
    "worst_case",
]
