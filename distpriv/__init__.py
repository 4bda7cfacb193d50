"""Distribution privacy: what released statistics give away about a global property, and its cost.

Start with :func:`read_table`, :class:`Query` and :class:`SensitiveProperty`; then
:func:`fit_gaussian`, :func:`calibrate`, and the functions on their results.
"""

from distpriv import frameworks, hypothesis, mechanisms, posterior
from distpriv.accumulation import Part, Standing, accumulate, joint_noise
from distpriv.assumptions import Assumption, Evidence, Shift, Verdict, fitted_shift, verdicts
from distpriv.attacks import (
    AttackResult,
    Interval,
    PropertyInferenceAttack,
    linear_attack_accuracy,
    run_attack,
)
from distpriv.attribute.assumptions import AttributeAssumption, GaussianBox, noise_by_release
from distpriv.attribute.files import (
    AssumptionFile,
    NetworkFile,
    QuiltQuery,
    hospital,
    load_assumptions,
    load_network,
    save_assumptions,
    save_network,
    school,
)
from distpriv.attribute.gaussian import (
    AttributeGaussian,
    attribute_private_gaussian,
    gaussian_from_model,
)
from distpriv.attribute.influence import Quilt, find_quilts, max_influence
from distpriv.attribute.learning import LearnedNetwork, learn_network
from distpriv.attribute.network import BayesianNetwork
from distpriv.attribute.quilt import QuiltResult, ScaledQuilt, markov_quilt
from distpriv.audit import Audit, audit_attack
from distpriv.best_attack import (
    optimal_attack_accuracies,
    optimal_attack_accuracy,
    optimal_attack_estimate,
    pooled_attack_accuracy,
)
from distpriv.bootstrap import bootstrap_model, bootstrap_moments, delivered_intervals
from distpriv.calibrated_for import CalibratedFor
from distpriv.calibration import gaussian_distance
from distpriv.choosing import Limit, choose, promised_epsilon
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
from distpriv.delivered import delivered_delta, delivered_epsilon, privacy_profile, worst_case
from distpriv.diagnostics import fit_diagnostics
from distpriv.distances import closeness, wasserstein_inf
from distpriv.errors import (
    AttackError,
    AttributePrivacyError,
    CalibrationError,
    ConflictError,
    DatasetError,
    DistanceError,
    DistprivError,
    FrameworkError,
    HypothesisError,
    InapplicableError,
    ModelError,
    NetworkError,
    PropertyError,
    QueryError,
    ReportError,
    ScenarioError,
    StoreError,
    TableError,
)
from distpriv.exact_laws import ExactLaw, exact_law, known_law
from distpriv.fitting import fit_gaussian
from distpriv.guarantees import accuracy_ceiling
from distpriv.mechanisms import calibrate
from distpriv.models import GaussianModel, PairModel, Theta, model_from_moments
from distpriv.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.noise import Noise
from distpriv.nonlinear import Correlation, Median, Quantile, StandardDeviation
from distpriv.normals import normal_closeness
from distpriv.optimal import binding_pair, optimal_precision_recall, optimal_roc
from distpriv.outcomes import Outcomes
from distpriv.properties import Pair, SensitiveProperty
from distpriv.pufferfish import (
    DistributionPrivacy,
    Pufferfish,
    to_distribution_privacy,
    to_pufferfish,
)
from distpriv.queries import Count, Mean, Proportion, Query, Statistic, Sum
from distpriv.relaxation_runs import RelaxationRun, distance_measure, eta_measure
from distpriv.relaxations import (
    close_attacker_divergence,
    errors_with_extra_noise,
    max_divergence,
    normal_etas,
    relaxed_promise,
)
from distpriv.release import Release, draw_release
from distpriv.report import Report, ReportRun, build_report
from distpriv.scenario import Scenario
from distpriv.scenario_file import (
    pack_scenario,
    read_scenario,
    unpack_scenario,
    write_scenario,
)
from distpriv.simulation import SimulatedFit, simulate
from distpriv.tables import column_types, digest, read_table, retype, summarise
from distpriv.tables.reference import align

__all__ = [
    "Assumption",
    "AssumptionFile",
    "AttackError",
    "AttackResult",
    "AttributeAssumption",
    "AttributeGaussian",
    "AttributePrivacyError",
    "Audit",
    "BayesianNetwork",
    "CalibratedFor",
    "CalibrationError",
    "CompositionExample",
    "ConflictError",
    "Correlation",
    "Count",
    "Coupling",
    "DatasetError",
    "DistanceError",
    "DistprivError",
    "DistributionPrivacy",
    "Evidence",
    "ExactLaw",
    "FrameworkError",
    "GaussianBox",
    "GaussianModel",
    "GroupMoments",
    "HypothesisError",
    "InapplicableError",
    "Interval",
    "JointRelease",
    "LearnedNetwork",
    "Limit",
    "Mean",
    "Median",
    "ModelError",
    "NetworkError",
    "NetworkFile",
    "Noise",
    "Outcomes",
    "Pair",
    "PairModel",
    "Part",
    "Promise",
    "PropertyError",
    "PropertyInferenceAttack",
    "Proportion",
    "Pufferfish",
    "Quantile",
    "Query",
    "QueryError",
    "Quilt",
    "QuiltQuery",
    "QuiltResult",
    "RecordGroups",
    "RelaxationRun",
    "Release",
    "Report",
    "ReportError",
    "ReportRun",
    "ScaledQuilt",
    "Scenario",
    "ScenarioError",
    "SensitiveProperty",
    "Shift",
    "SimulatedFit",
    "StandardDeviation",
    "Standing",
    "Statistic",
    "StoreError",
    "Sum",
    "TableError",
    "Theta",
    "Verdict",
    "accumulate",
    "accuracy_ceiling",
    "align",
    "attribute_private_gaussian",
    "audit_attack",
    "binding_pair",
    "bootstrap_model",
    "bootstrap_moments",
    "build_report",
    "calibrate",
    "choose",
    "close_attacker_divergence",
    "closeness",
    "column_types",
    "compose",
    "delivered_after",
    "delivered_delta",
    "delivered_epsilon",
    "delivered_intervals",
    "digest",
    "distance_measure",
    "draw_release",
    "errors_with_extra_noise",
    "eta_measure",
    "exact_law",
    "find_quilts",
    "fit_diagnostics",
    "fit_gaussian",
    "fitted_shift",
    "frameworks",
    "gaussian_distance",
    "gaussian_from_model",
    "group_moments",
    "hospital",
    "hypothesis",
    "joint_noise",
    "joint_release",
    "known_law",
    "learn_network",
    "linear_attack_accuracy",
    "load_adult",
    "load_assumptions",
    "load_census_income",
    "load_network",
    "markov_quilt",
    "max_divergence",
    "max_influence",
    "mechanisms",
    "mixture",
    "model_from_moments",
    "noise_by_release",
    "normal_closeness",
    "normal_etas",
    "optimal_attack_accuracies",
    "optimal_attack_accuracy",
    "optimal_attack_estimate",
    "optimal_coupling",
    "optimal_precision_recall",
    "optimal_roc",
    "pack_scenario",
    "pooled_attack_accuracy",
    "posterior",
    "privacy_profile",
    "promised_epsilon",
    "read_scenario",
    "read_table",
    "record_groups",
    "relaxed_promise",
    "repeated_release",
    "retype",
    "run_attack",
    "save_assumptions",
    "save_network",
    "school",
    "simulate",
    "summarise",
    "to_distribution_privacy",
    "to_pufferfish",
    "unpack_scenario",
    "verdicts",
    "wasserstein_inf",
    "worst_case",
    "write_scenario",
]
