"""The experiments of Chen & Ohrimenko (2023) on a table with Adult's columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from distpriv.arrays import FloatArray
from distpriv.attacks import AttackResult, PropertyInferenceAttack
from distpriv.errors import DistprivError
from distpriv.mechanisms import MECHANISMS, calibrate_all
from distpriv.mechanisms.base import differences
from distpriv.mechanisms.gaussian import classical_distance
from distpriv.model import GaussianModel, Groups, Promise, Release, fit_groups
from distpriv.queries import Count, Mean, Query, SensitiveProperty
from distpriv.sources import source_of
from distpriv.tables import load_census_income, read_table

__all__ = ["QUERY", "SECRETS", "Run", "Task", "on_example", "perform", "read_adult"]

Task = tuple[Any, ...]
"""("attack", secret, width, first, end of the repetitions) or ("refits", first, end)."""
Setting = tuple[str, float, float]
"""Mechanism, ε and δ."""

_COUNTS = Count("marital-status", "Never-married"), Count("sex", "Female")
QUERY = Query((Mean("age"), Mean("education-num"), *_COUNTS, Mean("hours-per-week")))
INCOME, WORK = SensitiveProperty("income", (">50K",)), SensitiveProperty("workclass", ("Private",))
SECRETS = {"income": INCOME, "work class": WORK}
DELTA, DELTAS, EPSILONS = 1e-3, (1e-4, 1e-3, 1e-2), (0.2, 1.0, 5.0)
CURVE = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # ε of Figure 4
PANELS = {"income": 0.1, "work class": 0.2}  # Δp of Figure 4
WIDTHS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.14, 0.2, 0.24, 0.3, 0.34, 0.4)
GAUSSIAN = ("ExpM", "EigM", "DauM")
VARIANTS, BASELINES = ("ExpM(L)", "DirM(L)", *GAUSSIAN), ("GroupDP(L)", "GroupDP")
RECORDS, SUBSETS, DRAWS = 100, 1000, 50  # of a dataset, of the paper's fit, of its mean errors
REFITS = 200
_PIECE = {"attack": 5, "refits": 20}  # repetitions that take some tenths of a second
_COLUMNS = (  # UCI's files have no header
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
)


@dataclass(eq=False, repr=False)
class Run:
    """Hold the groups of a table and what has been simulated of them.

    `groups`, by "income" and "work class", are of the complete records; attacks need their records.
    The paper has 50 repetitions of each attack. `results` are those of the tasks that are done.
    """

    groups: Mapping[str, Groups]
    repetitions: int = 50
    seed: int = 2023
    results: dict[Task, Any] = field(default_factory=dict, repr=False)
    _attacks: dict[Any, PropertyInferenceAttack] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"Run({self.repetitions} repetitions, seed {self.seed}, {len(self.results)} done)"

    @classmethod
    def of(cls, table: pd.DataFrame, **settings: Any) -> Run:
        """Return the run on the complete records of a table with Adult's columns.

        It is a DistprivError if a column or label is not there.
        """
        source = source_of(table.dropna())
        groups = {name: source.groups(QUERY, secret) for name, secret in SECRETS.items()}
        return cls(groups, **settings)

    def model(self, secret: str, width: float) -> GaussianModel:
        """Return the exact model of 100 records drawn without replacement."""
        pair = SECRETS[secret].pair(0.5, width)
        return fit_groups([self.groups[secret]], QUERY, [pair], RECORDS)

    def noises(self, model: GaussianModel, settings: Iterable[Setting]) -> list[Release]:
        """Return the noise of mechanisms as published: classical calibration, no floor.

        Where the figures need no noise (Theorem 4.4) the paper adds that of the mechanism.
        """
        jobs = [(m, Promise(e, 0.0 if m.endswith("(L)") else d)) for m, e, d in settings]
        apart, pooled, noises = differences(model), model.pairs[0].pooled[None, None], []
        some = calibrate_all(jobs, model, calibration="classical", grid_safe=False)
        for (name, promise), one in zip(jobs, some, strict=True):
            if not isinstance(one, Release):
                raise one
            shape = MECHANISMS[name].shape
            if shape and not one.total(len(QUERY)).any():
                mu = classical_distance(np.array([promise.epsilon]), np.array([promise.delta]))
                one = Release(name, shape(apart, pooled, mu)[0], promise=promise)  # noqa: PLW2901
            noises.append(one)
        return noises

    def errors(self, model: GaussianModel, settings: Iterable[Setting]) -> list[float]:
        """Return expected L2 errors."""
        return [one.expected_error() for one in self.noises(model, settings)]

    # --- what is simulated
    def tasks(self, kind: str, *which: Any) -> list[Task]:
        """Return the pieces of refits, or of the attack on a secret of a width."""
        total, size = (REFITS if kind == "refits" else self.repetitions), _PIECE[kind]
        starts = range(0, total, size)
        return [(kind, *which, start, min(start + size, total)) for start in starts]

    def perform(self, task: Task) -> list[Any]:
        """Compute a task; a pure function of table, seed and task."""
        kind, *which, first, end = task
        once = self._refit if kind == "refits" else self.attack(*which).repetition
        return [once(index) for index in range(first, end)]

    def done(self, kind: str, *which: Any) -> list[Any]:
        """Return the repetitions that are there."""
        return [one for task in self.tasks(kind, *which) for one in self.results.get(task, ())]

    def attack(self, secret: str, width: float) -> PropertyInferenceAttack:
        """Return the paper's attacker, against every noise of Table 4 and Figure 4."""
        if (secret, width) not in self._attacks:
            model, settings = self.model(secret, width), set[Setting]()
            if width == PANELS[secret]:
                settings = {(m, e, DELTA) for m in (*GAUSSIAN, "GroupDP") for e in CURVE}
                settings |= {(m, e, d) for m in GAUSSIAN for e in EPSILONS for d in DELTAS}
            noises: dict[Any, Release | None] = {"none": None}
            noises |= zip(some := sorted(settings), self.noises(model, some), strict=True)
            attack = PropertyInferenceAttack.of(model, noises, adaptive=False, seed=self.seed)
            self._attacks[secret, width] = attack
        return self._attacks[secret, width]

    def attacked(self, secret: str, width: float) -> AttackResult | None:
        """Return the result of the repetitions that are there; None without any."""
        runs = self.done("attack", secret, width)
        return self.attack(secret, width).collect(runs) if runs else None

    def _refit(self, index: int) -> FloatArray:
        """Mean errors of Table 3's draws after a fit to simulated subsets, (mechanisms, ε)."""
        model = self.model("income", PANELS["income"])
        pair, rng = model.pairs[0], np.random.default_rng([self.seed, index])
        roots = np.linalg.cholesky(pair.covariances).swapaxes(1, 2)
        drawn = rng.standard_normal((2, SUBSETS, len(QUERY))) @ roots + pair.means[:, None]
        fitted = np.array([np.cov(side.T) for side in drawn])
        again = replace(pair, means=drawn.mean(axis=1), covariances=fitted)
        settings = [(m, e, DELTA) for m in (*VARIANTS, *BASELINES) for e in EPSILONS]
        noises = self.noises(replace(model, pairs=(again,)), settings)
        lengths = [np.linalg.norm(one.sample(DRAWS, rng), axis=1).mean() for one in noises]
        return np.reshape(lengths, (-1, len(EPSILONS)))


@lru_cache(1)
def on_example(repetitions: int = 50, seed: int = 2023) -> Run:
    """Return the run on the example census, which is synthetic and close to Adult in moments."""
    return Run.of(load_census_income(), repetitions=repetitions, seed=seed)


def perform(_: bytes, seed: int, task: Task) -> list[Any]:
    """Compute a task on the example, for a worker."""
    return on_example(seed=seed).perform(task)


def read_adult(paths: str | Path | Iterable[str | Path]) -> pd.DataFrame:
    """Read UCI's files, adult.data and adult.test, or tables with their columns.

    It is a DistprivError if a file cannot be read, or has other columns.
    """
    tables, names = [], _COLUMNS.split()
    for path in [paths] if isinstance(paths, str | Path) else paths:
        table = read_table(path)
        if "income" not in table and len(table.columns) == len(names):
            table.columns = names
        for name in (*QUERY.columns, *(one.column for one in SECRETS.values())):
            if name not in table:
                raise DistprivError(f"{path} has no column {name!r}, which UCI's Adult has.")
        income = table["income"].astype("string").str.removesuffix(".")  # of adult.test
        tables.append(table.assign(income=income))
    return pd.concat(tables, ignore_index=True)
