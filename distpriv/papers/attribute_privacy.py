"""The worked examples of Zhang et al. (2022): the hospital of Section 4.2 and Example 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.attribute.assumptions import AttributeAssumption
from distpriv.attribute.files import hospital, school
from distpriv.attribute.gaussian import AttributeGaussian, attribute_private_gaussian
from distpriv.attribute.influence import max_influence
from distpriv.attribute.network import BayesianNetwork
from distpriv.attribute.quilt import QuiltResult, markov_quilt
from distpriv.papers import printed
from distpriv.papers.cells import Cell
from distpriv.privacy.calibration import Calibration

__all__ = [
    "EPSILON",
    "PAPER_QUILT",
    "example1",
    "hospital_cells",
    "hospital_noise",
    "school_network",
    "school_results",
]

FloatArray = NDArray[np.float64]

EPSILON, DELTA = 1.0, 1e-3
PAPER_QUILT = frozenset({"gender"})

_RUNS = 100
_PATIENTS = 50
_WOMEN = 0.6
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class _Patients:
    """How the paper's simulated patients have a quantity: normal around a mean by gender."""

    women: float
    others: float
    deviation: float

    @property
    def mean(self) -> float:
        return _WOMEN * self.women + (1 - _WOMEN) * self.others

    @property
    def standard_error(self) -> float:
        between = _WOMEN * (1 - _WOMEN) * (self.women - self.others) ** 2
        return math.sqrt((self.deviation**2 + between) / _PATIENTS)


# Weight is N(3.6·height − 90, 15), height N(65, 3) for women and N(70, 3) for others.
_SLOPE, _OFFSET = 3.6, -90.0
_PATIENTS_BY_RELEASE = (
    _Patients(_SLOPE * 65 + _OFFSET, _SLOPE * 70 + _OFFSET, math.sqrt(15**2 + (_SLOPE * 3) ** 2)),
    _Patients(100.0, 106.0, 3.0),
    _Patients(98.6, 98.6, 0.5),
)


def hospital_noise(
    assumption: AttributeAssumption, calibration: Calibration = "classical"
) -> AttributeGaussian:
    """Algorithm 1 at the paper's ε = 1 and δ = 0.001."""
    return attribute_private_gaussian(
        [assumption.sensitivity], [assumption.variance], EPSILON, DELTA, calibration
    )


def hospital_cells() -> tuple[Cell, ...]:
    """The three releases of Section 4.2: Δ F, variance, true average and mean absolute error.

    The errors are expectations, the paper's means of 100 runs. Erratum: for the temperature the
    paper adds no noise, where Algorithm 1 asks for a variance of 0.00022. What the paper says of
    its simulated patients gives an average weight of 151.2, not the 161.33 it prints.
    """
    cells: list[Cell] = []
    for assumption, release, patients in zip(
        hospital().assumptions, printed.HOSPITAL, _PATIENTS_BY_RELEASE, strict=True
    ):
        name = assumption.release
        cells += [
            _exact(name, "Δ F", release.sensitivity, assumption.sensitivity),
            _exact(name, "Var(F | s)", release.variance, assumption.variance),
            _average(name, release.average, patients),
            _error(name, release.error, assumption),
        ]
    return tuple(cells)


def _exact(row: str, column: str, text: str, ours: float) -> Cell:
    note = ""
    if column == "Δ F":
        note = (
            "with the paper's |a − b| = 0.25; its secrets, shares of 0.25 to 0.5 and of 0.5 to "
            "0.75, can be 0.5 apart, which doubles Δ F"
        )
    return Cell("hospital", row, column, text, float(text), 1e-9, ours, note=note)


def _average(row: str, text: str, patients: _Patients) -> Cell:
    reach = _NORMAL_95 * patients.standard_error
    repeats = (patients.mean - reach, patients.mean + reach)
    note = f"of {_PATIENTS} patients drawn as Section 4.2 says"
    if not repeats[0] <= float(text) <= repeats[1] and row == hospital().assumptions[0].release:
        tall = _Patients(patients.others, patients.others, patients.deviation)
        off = abs(float(text) - tall.mean) / tall.standard_error
        note += (
            f", which makes {patients.mean:.1f} to be expected; {text} would fit if the height of "
            f"everybody were N(70, 3): {tall.mean:g}, {off:.1f} standard errors away. No erratum "
            "is known"
        )
    return Cell(
        "hospital",
        row,
        "true average",
        text,
        float(text),
        0.005,
        patients.mean,
        repeats=repeats,
        note=note,
    )


def _error(row: str, text: str, assumption: AttributeAssumption) -> Cell:
    noise = hospital_noise(assumption)
    expected = noise.expected_absolute_error
    # |Z| of a normal has the standard deviation σ√(1 − 2/π).
    reach = _NORMAL_95 * noise.standard_deviation * math.sqrt((1 - 2 / math.pi) / _RUNS)
    silent = float(text) == 0
    exact = hospital_noise(assumption, "exact").variance
    return Cell(
        "hospital",
        row,
        "mean error",
        text,
        float(text),
        1e-9 if silent else 0.005,
        expected,
        repeats=None if silent else (expected - reach, expected + reach),
        erratum=6 if silent and noise.variance > 0 else None,
        note=f"σ² = {noise.variance:.2g}; with the exact calibration {exact:.2g}" if silent else "",
    )


def school_network() -> BayesianNetwork:
    """The network of Figure 1; its tables are ours, the paper has none."""
    return school().networks[0]


def school_results() -> tuple[QuiltResult, QuiltResult]:
    """Algorithm 2 on the two releases of Example 1 at ε = 1."""
    file = school()
    tall, both = (
        markov_quilt(file.networks, file.protected, query.attributes, query.sensitivity, EPSILON)
        for query in file.queries[:2]
    )
    return tall, both


def example1() -> tuple[Cell, ...]:
    """Example 1: no noise for heights; Δ_SAT F/(ε − e(gender | income)) for heights and scores.

    The paper prints a formula, worked out here with an influence of its own.
    """
    file = school()
    tall, both = school_results()
    quilt = next(scaled for scaled in both.quilts if scaled.quilt == PAPER_QUILT)
    sensitivity = file.queries[1].sensitivity[frozenset({"SAT score"})]
    influence = max_influence(file.networks, PAPER_QUILT, file.protected[0])
    stated = sensitivity / (EPSILON - influence)
    return (
        Cell(
            "example-1",
            "taller than 66 inches",
            "noise scale",
            "no noise",
            0.0,
            1e-12,
            tall.scale,
        ),
        Cell(
            "example-1",
            "taller than 66 inches and SAT score above 1300, quilt {gender}",
            "noise scale",
            "Δ_SAT/(ε − e)",
            stated,
            1e-9 * stated,
            quilt.scale,
            note=f"a formula in the paper, {stated:.1f} with our tables; Algorithm 2 takes the "
            f"empty quilt, {both.scale:g}"
            if both.scale < quilt.scale and not both.quilt
            else "a formula in the paper",
        ),
    )
