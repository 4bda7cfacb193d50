"""Parts of a report, each worked out on its own."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.analysis.scenario import Scenario, Units
from distpriv.analysis.sweeps import expected_error, profiles
from distpriv.attacks.best_attack import optimal_attack_accuracies, optimal_attack_estimate
from distpriv.errors import InapplicableError
from distpriv.export.report import words
from distpriv.export.report.values import Finding, Truth
from distpriv.mechanisms.curves import Curves
from distpriv.model.gaussian import GaussianModel
from distpriv.model.sampling import Interval
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import SensitiveProperty
from distpriv.robustness.verdicts import Verdict
from distpriv.version import VERSION

__all__ = ["RECORDS", "curves", "finding", "sizes", "true_values", "versions"]

FloatArray = NDArray[np.float64]

RECORDS = 100  # shown at most
_MANY, _FEW = 17, 9  # points of a curve; of one that takes a search each
_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "plotly", "streamlit")


def sizes(kind: Units, scenario: Scenario, model: GaussianModel) -> FloatArray | None:
    """Units of the statistics, shape (m,); None for raw ones."""
    if kind == "raw":
        return None
    return model.standard_deviations if kind == "standardised" else np.array(scenario.tolerances)


def finding(
    name: str,
    noise: Noise,
    scenario: Scenario,
    model: GaussianModel,
    focus: int,
    judged: Sequence[Verdict],
    simulated: Interval,
) -> Finding:
    """What comes of one mechanism."""
    mechanism = mechanisms.get(name)
    wanted = mechanism.assumptions(model, scenario.calibration)
    told, delta, epsilon, kept = words.guarantee(mechanism, model, noise)
    units = sizes(scenario.report, scenario, model)
    best = optimal_attack_estimate(model.only(focus), noise, rng=0, tolerance=1.5e-3)
    return Finding(
        mechanism=name,
        summary=mechanism.summary,
        protects=mechanism.protects,
        epsilon=noise.epsilon,
        delta=noise.delta,
        delivered_delta=delta,
        delivered_epsilon=epsilon,
        kept=kept,
        guarantee=told,
        caveats=noise.caveats,
        accuracy=best.estimate,
        simulated=simulated,
        error=(noise if units is None else noise.in_units(units)).expected_error(),
        errors=tuple(map(float, noise.expected_absolute_errors())),
        assumptions=tuple(each for each in judged if each.assumption in wanted),
    )


def curves(
    found: dict[str, Curves],
    scenario: Scenario,
    model: GaussianModel,
    noises: Mapping[str, Noise],
    focus: int,
) -> Iterator[tuple[float, str]]:
    """Work out error, accuracy and profile, point by point, so that it can be stopped.

    Parameters
    ----------
    found : dict
        Takes them under "error", "accuracy" and "profile".

    Yields
    ------
    tuple of (share done, what is under way)
    """
    epsilons = np.geomspace(0.1, 10, _FEW if scenario.calibration == "guarded" else _MANY)
    epsilons = np.unique(np.append(epsilons, np.clip(scenario.epsilon, 0.1, 10)))
    rows: dict[str, list[tuple[float, float]]] = {name: [] for name in noises}
    for place, (name, epsilon) in enumerate(product(noises, epsilons)):
        rows[name].append(_measured(name, float(epsilon), scenario, model, focus))
        yield 0.9 * (place + 1) / (len(noises) * len(epsilons)), f"Curves of {name}"
    for place, kind in enumerate(("error", "accuracy")):
        y = {name: np.array([row[place] for row in each]) for name, each in rows.items()}
        known = {name: values for name, values in y.items() if np.isfinite(values).any()}
        found[kind] = Curves(epsilons, known)
    grid = np.linspace(0, max(2.0, 2 * scenario.epsilon), 25)
    grid = np.unique(np.append(grid, scenario.epsilon))
    found["profile"] = Curves(grid, {})
    for name, noise in noises.items():
        if mechanisms.get(name).protects:
            found["profile"].y.update(profiles(model, {name: noise}, grid).y)
            yield 0.95, f"What {name} delivers"


def _measured(
    name: str, epsilon: float, scenario: Scenario, model: GaussianModel, focus: int
) -> tuple[float, float]:
    """Error and the best attacker's accuracy; NaN where there is none, or it takes long."""
    units, report = (sizes(kind, scenario, model) for kind in (scenario.units, scenario.report))
    budget = (epsilon, scenario.delta, scenario.calibration)
    try:
        noise = mechanisms.calibrate(name, model, *budget, units)
    except InapplicableError:
        return math.nan, math.nan
    error = expected_error(noise, units=report)
    (accuracy,) = optimal_attack_accuracies([(model.only(focus), noise)], directions=1)
    return error, float(accuracy)


def true_values(
    table: pd.DataFrame,
    scenario: Scenario,
    secret: SensitiveProperty,
    *,
    statistics: bool,
    records: bool,
) -> Truth | None:
    """What was asked for knowingly; None if nothing was."""
    if not (statistics or records):
        return None
    used = list(dict.fromkeys([secret.column, *scenario.query.columns]))
    known = table[used].dropna()
    found = Truth()
    if statistics:
        share = float(secret.mask(known).mean())
        answer = tuple(map(float, scenario.query.answer(known)))
        found = replace(found, share=share, statistics=answer)
    return replace(found, records=known.head(RECORDS)) if records else found


def versions() -> dict[str, str]:
    """Of this package, Python, and the packages it computes and draws with."""
    found = {"distpriv": VERSION, "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
