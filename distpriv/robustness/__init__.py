"""What a promise rests on: verdicts on assumptions, and what survives where they do not hold.

The verdicts themselves are :func:`distpriv.verdicts`: the name is that of their module here.
"""

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
from distpriv.robustness.shifts import Shift, fitted_shift
from distpriv.robustness.verdicts import Assumption, Evidence, Verdict

__all__ = [
    "Assumption",
    "Evidence",
    "RelaxationRun",
    "Shift",
    "Verdict",
    "bootstrap_model",
    "bootstrap_moments",
    "close_attacker_divergence",
    "delivered_intervals",
    "distance_measure",
    "errors_with_extra_noise",
    "eta_measure",
    "fit_diagnostics",
    "fitted_shift",
    "max_divergence",
    "normal_etas",
    "relaxed_promise",
]
