"""What the papers print, figure by figure, and nothing else.

Read off the published papers: M. Chen and O. Ohrimenko, *Protecting Global Properties of Datasets
with Distribution Privacy Mechanisms*, AISTATS 2023 (PMLR 206), whose full version numbers its
tables 1 to 4 and its figures 1 to 6; W. Zhang, O. Ohrimenko and R. Cummings, *Attribute Privacy:
Framework and Mechanisms*, FAccT 2022, Section 4.2 and Example 1; C. Liu, X. He, T. Chanyaswad,
S. Wang and P. Mittal, *Investigating Statistical Privacy Frameworks from the Perspective of
Hypothesis Testing*, PoPETs 2019, Table 1. The AISTATS version repeats four rows of Table 3 as its
Table 2, Table 4 as its Table 3, and Figure 4b as its Figure 4.

Figures are kept as texts, with the digits that are printed.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "BETAS",
    "DELTAS",
    "EPSILONS",
    "FIGURE_1",
    "FIGURE_1_DELTA",
    "FIGURE_1_MASSES",
    "FIGURE_1_POINTS",
    "FIGURE_3",
    "FIGURE_4A",
    "FIGURE_5",
    "F_SCORES",
    "GROUP_TIMES",
    "HOSPITAL",
    "LIU_PRECISION",
    "LIU_TABLE_1",
    "NEAR_GUESSING",
    "RECORDS",
    "TABLE_1",
    "TABLE_2",
    "TABLE_3",
    "TABLE_4",
    "UNDEFENDED",
    "Release",
]

EPSILONS = (0.2, 1.0, 5.0)
DELTAS = (1e-4, 1e-3, 1e-2)

RECORDS = "45 222"
"""Records without a missing value (Section 6.1)."""

TABLE_1 = (
    ("Age", "Average"),
    ("Years of education", "Average"),
    ("Marital status", "Num. of never married individuals"),
    ("Sex", "Num. of female individuals"),
    ("Hours worked per week", "Average"),
)

TABLE_2 = (
    ("Laplace", "ExpM (L)", "ExpM(L)"),
    ("Laplace, Directional", "DirM (L)", "DirM(L)"),
    ("Gaussian", "ExpM (G)", "ExpM"),
    ("Gaussian, Eigenvector", "EigM (G)", "EigM"),
    ("Gaussian, Directional with Adversarial Uncertainty", "DauM (G)", "DauM"),
    ("Laplace Mechanism (GroupDP)", "GDP (L)", "GroupDP(L)"),
    ("Gaussian Mechanism (GroupDP)", "GDP (G)", "GroupDP"),
)
"""What the paper calls a mechanism, its shorthand, and the short name here."""

TABLE_3 = {
    "ExpM(L)": ("99.83", "21.58", "4.13"),
    "DirM(L)": ("35.22", "7.24", "1.38"),
    "ExpM": ("177.28", "34.98", "7.11"),
    "EigM": ("175.65", "34.87", "4.89"),
    "DauM": ("69.85", "13.40", "1.24"),
    "GroupDP(L)": ("5528.52", "1063.39", "213.61"),
    "GroupDP": ("7394.67", "1539.93", "293.17"),
}
"""L2 errors by mechanism, one per ε: income, Δp = 0.1, δ = 0.001, means of 50 repetitions."""

GROUP_TIMES = "an order of magnitude"
"""How much larger the errors of group differential privacy are, at least (Section 6.2)."""

TABLE_4 = {
    ("ExpM", 0.2): ("0.492", "0.500", "0.502"),
    ("ExpM", 1.0): ("0.506", "0.511", "0.520"),
    ("ExpM", 5.0): ("0.530", "0.539", "0.549"),
    ("EigM", 0.2): ("0.507", "0.501", "0.512"),
    ("EigM", 1.0): ("0.510", "0.512", "0.503"),
    ("EigM", 5.0): ("0.537", "0.550", "0.545"),
    ("DauM", 0.2): ("0.517", "0.508", "0.511"),
    ("DauM", 1.0): ("0.548", "0.545", "0.562"),
    ("DauM", 5.0): ("0.714", "0.739", "0.744"),
}
"""Accuracies by mechanism and ε, one per δ: income, Δp = 0.1, means of 50 repetitions."""

UNDEFENDED = "75\u00a0%"
"""Accuracy of the attack on income at Δp = 0.1 without noise (AISTATS version, Section 5.3)."""

FIGURE_1_POINTS = (1.0, 2.0, 3.0, 100.0)
FIGURE_1_MASSES = ((0.6, 0.2, 0.0, 0.2), (0.4, 0.3, 0.2, 0.1))
"""Probabilities of μ and of ν."""

FIGURE_1_DELTA = 0.1
FIGURE_1 = {"W∞(μ, ν)": "97", "W of (W, 0.1)-closeness": "1"}

FIGURE_3 = {"income": "0.12", "work class": "0.28"}
"""Largest Δp at which DauM errs less than differential privacy (Section 6.2; AISTATS 5.2)."""

FIGURE_4A = {"income": "close to 100\u00a0%", "work class": "close to 90\u00a0%"}
"""Accuracy of the undefended attack at Δp = 0.4 (Section 6.3.2)."""

NEAR_GUESSING = "near 50\u00a0%"
"""Every mechanism at ε = 0.1, and group differential privacy even at ε = 10 (Section 6.3.2)."""

FIGURE_5 = ("18.31", "18.03")
"""Variance of the number of females for p = 0.45 and 0.55 (Appendix D.1)."""


@dataclass(frozen=True)
class Release:
    """One release of the hospital (Zhang et al. 2022, Section 4.2), as printed.

    Attributes
    ----------
    sensitivity, variance : str
        Δ F and Var(F | s).
    average : str
        Of the simulated data of 50 patients.
    error : str
        Average absolute error of Algorithm 1 over 100 runs; "0" where the paper says that it
        injects no noise.
    """

    sensitivity: str
    variance: str
    average: str
    error: str


HOSPITAL = (
    Release("6.125", "4.5", "161.33", "18.90"),
    Release("2.5", "2", "102.18", "7.40"),
    Release("0.075", "0.08", "98.58", "0"),
)
"""Average weight, average blood pressure, average temperature; ε = 1, δ = 0.001."""

F_SCORES = (0.55, 0.58, 0.62, 0.67, 0.76, 0.83, 0.9, 0.95)
BETAS = (0.5, 0.6, 0.8, 1.0, 1.5, 2.0)

LIU_TABLE_1 = (
    ("0.22", "0.34", "0.55", "0.82", "1.42", "2.04", "3", "4.29"),
    (None, "0.33", "0.54", "0.83", "1.45", "2.11", "3.11", "4.43"),
    (None, None, "0.49", "0.8", "1.46", "2.16", "3.21", "4.58"),
    (None, None, None, "0.71", "1.4", "2.12", "3.2", "4.6"),
    (None, None, None, None, "1.17", "1.88", "2.99", "4.41"),
    (None, None, None, None, None, "1.61", "2.69", "4.12"),
)
"""Maximal ε by β and bound on F_β; None where the paper has a dash."""

LIU_PRECISION = (0.01, "0.5")
"""At ε = 0.01 the precision is about 0.5 (Section 4.1.3, on Figure 3a)."""
