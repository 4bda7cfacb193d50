"""What a scenario comes to: scenario and file, sweeps over an axis, choosing ε, comparing."""

from distpriv.analysis.brackets import Brackets, audit, bracket
from distpriv.analysis.design import Choice, Design, Limit, choose, promised_epsilon
from distpriv.analysis.meaning import Meaning, meaning
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
    "CurvePrice",
    "Design",
    "Limit",
    "Meaning",
    "Scenario",
    "attack_accuracies",
    "audit",
    "bracket",
    "choose",
    "curve_price",
    "delivered_deltas",
    "delivered_epsilons",
    "expected_errors",
    "meaning",
    "models_along",
    "pack_scenario",
    "promised_epsilon",
    "read_scenario",
    "sweep",
    "unpack_scenario",
    "write_scenario",
]
