"""What ε means for an attacker who tests two hypotheses: precision, recall, F_β, and the inverse.

Liu et al. (2019), *Investigating statistical privacy frameworks from the perspective of hypothesis
testing*, for a single record, and the same lens on a share that distribution privacy hides.
"""

from distpriv.attacks.hypothesis.auxiliary import auxiliary_factor, knowledge_before, odds_against
from distpriv.attacks.hypothesis.releases import (
    f_score_against_epsilon,
    optimal_f_score,
    release_test,
)
from distpriv.attacks.hypothesis.scores import (
    believed_after,
    best_accuracy,
    best_f_score,
    epsilon_table,
    f_score,
    f_score_floor,
    max_epsilon,
    max_f_score,
    plausible_deniability,
    precision_at,
    turning_point,
)
from distpriv.attacks.hypothesis.trials import (
    CurveTest,
    GaussianTest,
    LaplaceTest,
    NormalsTest,
    OptimalTest,
    PromiseTest,
    Rates,
    WorstTest,
    record_rates,
    record_test,
)

__all__ = [
    "CurveTest",
    "GaussianTest",
    "LaplaceTest",
    "NormalsTest",
    "OptimalTest",
    "PromiseTest",
    "Rates",
    "WorstTest",
    "auxiliary_factor",
    "believed_after",
    "best_accuracy",
    "best_f_score",
    "epsilon_table",
    "f_score",
    "f_score_against_epsilon",
    "f_score_floor",
    "knowledge_before",
    "max_epsilon",
    "max_f_score",
    "odds_against",
    "optimal_f_score",
    "plausible_deniability",
    "precision_at",
    "record_rates",
    "record_test",
    "release_test",
    "turning_point",
]
