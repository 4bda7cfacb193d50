"""Parts of a report, each worked out on its own."""

from __future__ import annotations

import math
import platform
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import metadata
from itertools import product

import numpy as np
import pandas as pd

from distpriv.analysis.brackets import Brackets, steps
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.sweeps import profiles
from distpriv.attacks.best_attack import optimal_attack_accuracies
from distpriv.errors import InapplicableError
from distpriv.export.report.values import Truth
from distpriv.mechanisms.curves import Curves
from distpriv.model.source import Source
from distpriv.version import VERSION

__all__ = ["RECORDS", "brackets", "curves", "true_values", "versions"]

RECORDS = 100  # shown at most
_ROUNDS = 10  # of attacks for each bracket
_MANY, _FEW = 17, 9  # points of a curve; of one that takes a search each
_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "plotly", "streamlit")


def brackets(
    found: dict[str, Brackets], findings: Sequence[Evaluation]
) -> Iterator[tuple[float, str]]:
    """Work out what each mechanism delivers at least and at most, a round of attacks at a time.

    Parameters
    ----------
    found : dict
        Takes them under the mechanisms' names.

    Yields
    ------
    tuple of (share done, what is under way)
    """
    for place, finding in enumerate(findings):
        name = finding.mechanism.name
        for progress in steps(finding, _ROUNDS):
            done = (place + progress.done / progress.wanted) / len(findings)
            yield done, f"What {name} delivers at least and at most"
        result = progress.result()
        assert result is not None
        found[name] = result


def curves(found: dict[str, Curves], findings: Sequence[Evaluation]) -> Iterator[tuple[float, str]]:
    """Work out error, accuracy and profile, point by point, so that it can be stopped.

    Parameters
    ----------
    found : dict
        Takes them under "error", "accuracy" and "profile".

    Yields
    ------
    tuple of (share done, what is under way)
    """
    main = findings[0]
    scenario, names = main.scenario, [finding.mechanism.name for finding in findings]
    slow = scenario.calibration in ("exact-law", "guarded")
    epsilons = np.geomspace(0.1, 10, _FEW if slow else _MANY)
    epsilons = np.unique(np.append(epsilons, np.clip(scenario.epsilon, 0.1, 10)))
    rows: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for place, (name, epsilon) in enumerate(product(names, epsilons)):
        rows[name].append(_measured(main.at(float(epsilon)), name))
        yield 0.9 * (place + 1) / (len(names) * len(epsilons)), f"Curves of {name}"
    for place, kind in enumerate(("error", "accuracy")):
        y = {name: np.array([row[place] for row in column]) for name, column in rows.items()}
        known = {name: values for name, values in y.items() if np.isfinite(values).any()}
        found[kind] = Curves(epsilons, known)
    grid = np.linspace(0, max(2.0, 2 * scenario.epsilon), 25)
    grid = np.unique(np.append(grid, scenario.epsilon))
    found["profile"] = Curves(grid, {})
    for finding in findings:
        if finding.mechanism.protects:
            noises = {finding.mechanism.name: finding.noise}
            found["profile"].y.update(
                profiles(finding.model, noises, grid, law=finding.laws_for(None)).y
            )
            yield 0.95, f"What {finding.mechanism.name} delivers"


def _measured(there: Evaluation, name: str) -> tuple[float, float]:
    """Error and the best attacker's accuracy; NaN where there is none, or it takes long."""
    try:
        noise = there.noise_of(name)
    except InapplicableError:
        return math.nan, math.nan
    if there.laws_for(noise) is None:
        accuracy = float(optimal_attack_accuracies([(there.focused, noise)], directions=1)[0])
    else:
        accuracy = there.accuracy_of(noise)
    return there.reported(noise).expected_error(), accuracy


def true_values(asked: Evaluation, *, statistics: bool, records: bool) -> Truth | None:
    """What was asked for knowingly; None if nothing was."""
    if not (statistics or records):
        return None
    query, secret = asked.scenario.query, asked.fit.pair.secret
    used = list(dict.fromkeys([secret.column, *query.columns]))
    truth = Truth()
    if not isinstance(asked.table, pd.DataFrame):
        return _of_source(asked, asked.table, statistics=statistics, records=records)
    known = asked.table[used].dropna()
    if statistics:
        share = float(secret.mask(known).mean())
        answer = tuple(map(float, query.answer(known)))
        truth = replace(truth, share=share, statistics=answer)
    return replace(truth, records=known.head(RECORDS)) if records else truth


def _of_source(asked: Evaluation, table: Source, *, statistics: bool, records: bool) -> Truth:
    """The same of a table that stays where it is; its records are some at random."""
    query, secret = asked.scenario.query, asked.fit.pair.secret
    truth = Truth()
    if statistics:
        without, having = table.sample(query, secret).totals
        answer, _ = table.answer(query, secret, entropy=random.SystemRandom())
        share = having / (without + having)
        truth = replace(truth, share=share, statistics=tuple(map(float, answer)))
    if not records:
        return truth
    used = list(dict.fromkeys([secret.column, *query.columns]))
    return replace(truth, records=table.profile().sample[used].dropna().head(RECORDS))


def versions() -> dict[str, str]:
    """Of this package, Python, and the packages it computes and draws with."""
    known = {"distpriv": VERSION, "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            known[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return known
