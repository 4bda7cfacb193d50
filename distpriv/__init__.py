"""Distribution privacy: what released statistics give away about a global property, and its cost.

Start with :func:`read_table`, :class:`Query` and :class:`SensitiveProperty`; then
:func:`fit_gaussian`, :func:`calibrate`, and the functions on their results.
"""

from distpriv import frameworks, mechanisms
from distpriv.analysis.design import Limit, choose, promised_epsilon
from distpriv.analysis.evaluation import Evaluation, evaluate
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import (
    pack_scenario,
    read_scenario,
    unpack_scenario,
    write_scenario,
)
from distpriv.attacks import hypothesis, posterior
from distpriv.attacks.audit import Audit, audit_attack
from distpriv.attacks.best_attack import (
    optimal_attack_accuracies,
    optimal_attack_accuracy,
    optimal_attack_estimate,
    pooled_attack_accuracy,
)
from distpriv.attacks.optimal import binding_pair, optimal_precision_recall, optimal_roc
from distpriv.attacks.property_inference import (
    AttackResult,
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
from distpriv.composition.counterexample import CompositionExample
from distpriv.composition.releases import Part, Standing, accumulate, joint_noise
from distpriv.composition.rules import (
    JointRelease,
    Promise,
    compose,
    delivered_after,
    joint_release,
    mixture,
    repeated_release,
)
from distpriv.distances.coupling import Coupling, optimal_coupling
from distpriv.distances.normals import normal_closeness
from distpriv.distances.outcomes import Outcomes
from distpriv.distances.wasserstein import closeness, wasserstein_inf
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
from distpriv.export.report import ReportRun, build_report
from distpriv.export.report.report import Report
from distpriv.frameworks.pufferfish import (
    DistributionPrivacy,
    Pufferfish,
    to_distribution_privacy,
    to_pufferfish,
)
from distpriv.mechanisms import calibrate
from distpriv.mechanisms.release import Release, draw_release
from distpriv.model.fit import fit_gaussian
from distpriv.model.gaussian import GaussianModel, PairModel, model_from_moments
from distpriv.model.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.model.monte_carlo import SimulatedFit, simulate
from distpriv.model.sampling import Interval
from distpriv.model.theta import Theta
from distpriv.privacy.calibrated_for import CalibratedFor
from distpriv.privacy.calibration import gaussian_distance
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.delivered import (
    delivered_delta,
    delivered_epsilon,
    privacy_profile,
    worst_case,
)
from distpriv.privacy.exact_laws import ExactLaw, exact_law, known_law
from distpriv.privacy.noise import Noise
from distpriv.queries.nonlinear import Correlation, Median, Quantile, StandardDeviation
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Proportion, Query, Statistic, Sum
from distpriv.robustness.bootstrap import bootstrap_model, bootstrap_moments, delivered_intervals
from distpriv.robustness.diagnostics import fit_diagnostics
from distpriv.robustness.relaxation_runs import RelaxationRun, distance_measure, eta_measure
from distpriv.robustness.relaxations import (
    close_attacker_divergence,
    errors_with_extra_noise,
    max_divergence,
    normal_etas,
    relaxed_promise,
)
from distpriv.robustness.verdicts import (
    Assumption,
    Evidence,
    Shift,
    Verdict,
    fitted_shift,
    verdicts,
)
from distpriv.tables import column_types, digest, read_table, retype, summarise
from distpriv.tables.examples import load_adult, load_census_income
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
    "Evaluation",
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
    "evaluate",
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
