"""What a scenario comes to: scenario and file, sweeps over an axis, choosing ε, comparing."""

from distpriv.analysis.acceptable_error import (
    ErrorChoice,
    ErrorDesign,
    ErrorLimit,
    choose_by_error,
)
from distpriv.analysis.brackets import Brackets, audit, bracket
from distpriv.analysis.design import Choice, Design, Limit, choose, promised_epsilon
from distpriv.analysis.equal_terms import Contender, EqualTerms, compare_mechanisms
from distpriv.analysis.error_sizes import ErrorSize, error_sizes, expected_values
from distpriv.analysis.frontier import Frontier, FrontierLine, frontier
from distpriv.analysis.hiding import Hiding, center_of, hiding
from distpriv.analysis.meaning import Meaning, meaning
from distpriv.analysis.recommendation import Recommendation, recommend
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import (
    pack_scenario,
    read_scenario,
    unpack_scenario,
    write_scenario,
)
from distpriv.analysis.sweeps import (
    attack_accuracies,
    delivered_deltas,
    delivered_epsilons,
    expected_errors,
    models_along,
    sweep,
)
from distpriv.analysis.without_curves import CurvePrice, curve_price

__all__ = [
    "Brackets",
    "Choice",
    "Contender",
    "CurvePrice",
    "Design",
    "EqualTerms",
    "ErrorChoice",
    "ErrorDesign",
    "ErrorLimit",
    "ErrorSize",
    "Frontier",
    "FrontierLine",
    "Hiding",
    "Limit",
    "Meaning",
    "Recommendation",
    "Scenario",
    "attack_accuracies",
    "audit",
    "bracket",
    "center_of",
    "choose",
    "choose_by_error",
    "compare_mechanisms",
    "curve_price",
    "delivered_deltas",
    "delivered_epsilons",
    "error_sizes",
    "expected_errors",
    "expected_values",
    "frontier",
    "hiding",
    "meaning",
    "models_along",
    "pack_scenario",
    "promised_epsilon",
    "read_scenario",
    "recommend",
    "sweep",
    "unpack_scenario",
    "write_scenario",
]
