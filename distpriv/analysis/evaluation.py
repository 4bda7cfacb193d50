"""A scenario evaluated: all that it comes to, each figure computed when it is first asked for.

What the dashboard, the report, the scripts, the decisions and the ledger say of a scenario they
read from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.analysis.basis import figure_laws
from distpriv.analysis.comparison import Figures
from distpriv.analysis.fitting import SIMULATED, Groups, fitted_model
from distpriv.analysis.for_persons import check_records, per_record_label
from distpriv.analysis.keeping import NO_PROMISE, Keeping, keeping
from distpriv.analysis.measuring import measured, unsimulated
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.units import ERROR_UNITS, unit_sizes
from distpriv.attacks.best_attack import optimal_attack_accuracies, optimal_attack_accuracy
from distpriv.attacks.optimal import binding_pair
from distpriv.attacks.property_inference import PropertyInferenceAttack
from distpriv.errors import CalibrationError
from distpriv.mechanisms import Mechanism
from distpriv.mechanisms.guarded import side_by_side
from distpriv.mechanisms.release import Release, draw_release
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.record_access import ReachesRecords
from distpriv.model.sampling import Interval
from distpriv.model.source import Source
from distpriv.privacy.covered import is_undone
from distpriv.privacy.delivered import (
    WorstCase,
    delivered_delta,
    delivered_epsilon,
    delivered_interval,
    worst_case,
)
from distpriv.privacy.exact_laws import ExactLaw
from distpriv.privacy.known_laws import known_law
from distpriv.privacy.noise import Noise
from distpriv.privacy.per_record import PerRecord
from distpriv.privacy.record_moves import RecordMoves, record_moves
from distpriv.robustness.verdicts import Assumption, Evidence, Verdict

__all__ = ["Evaluation"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation(ReachesRecords, through=("table",)):
    """What a scenario comes to on a table; made by :func:`distpriv.evaluate`.

    Nothing is computed before it is asked for, and nothing twice. Whatever is asked for may raise
    the errors of what it takes: QueryError, PropertyError or ModelError where the scenario does not
    fit the data, CalibrationError where its mechanism does not apply.

    Attributes
    ----------
    scenario : Scenario
        With n resolved if the whole table is released.
    table : DataFrame or Source
        What is released.
    groups : Groups
        Of what the model is fitted to: the table, or reference data in its place.
    fitted : GaussianModel or None
        The model, if it is there already.
    column_units : mapping of column to str
        Unit of each numeric column.
    looked_at : int or None
        The pair that attacks are about, if it is known already.
    calibrated : dict of mechanism to Noise or CalibrationError
        What has been calibrated so far.
    guard_laplace : bool
        See :func:`distpriv.calibrate`.
    """

    scenario: Scenario
    table: pd.DataFrame | Source = field(repr=False)
    groups: Groups = field(repr=False)
    fitted: GaussianModel | None = field(default=None, repr=False)
    column_units: Mapping[str, str] = field(default_factory=dict, repr=False)
    looked_at: int | None = None
    calibrated: dict[str, Noise | CalibrationError] = field(default_factory=dict, repr=False)
    guard_laplace: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the m statistics."""
        return self.scenario.query.labels

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the statistics' units, in order; empty for those that have none."""
        return self.scenario.query.units(self.column_units)

    @property
    def mechanism(self) -> Mechanism:
        """The scenario's mechanism."""
        return mechanisms.get(self.scenario.mechanism)

    @cached_property
    def model(self) -> GaussianModel:
        """The fitted model of every pair, the main one first."""
        return fitted_model(self.scenario, self.groups) if self.fitted is None else self.fitted

    @cached_property
    def focus(self) -> int:
        """The pair looked at: the scenario's, or the one hardest to hide with its noise."""
        if self.looked_at is not None:
            return self.looked_at
        labels = [fit.pair.label for fit in self.model.pairs]
        look = self.scenario.look
        return labels.index(look) if look in labels else binding_pair(self.model, self.noise)

    @property
    def fit(self) -> PairModel:
        """The pair looked at."""
        return self.model.pairs[self.focus]

    @cached_property
    def focused(self) -> GaussianModel:
        """The model of the pair looked at alone."""
        return self.model.only(self.focus)

    @cached_property
    def sizes(self) -> FloatArray | None:
        """Units that noise is calibrated in, shape (m,); None for raw ones."""
        return unit_sizes(self.scenario.units, self.model, self.scenario.tolerances)

    @cached_property
    def report_sizes(self) -> FloatArray | None:
        """Units that the L2 error is reported in, shape (m,); None for raw ones."""
        return unit_sizes(self.scenario.report, self.model, self.scenario.tolerances)

    @property
    def error_unit(self) -> str:
        """What the L2 error is counted in; empty for the statistics' own units, mixed."""
        return ERROR_UNITS[self.scenario.report]

    @property
    def noise(self) -> Noise:
        """Noise of the scenario's mechanism."""
        return self.noise_of(self.scenario.mechanism)

    def noise_of(self, mechanism: str) -> Noise:
        """Noise of any mechanism in the same scenario; raises CalibrationError."""
        noise = self._calibrate((mechanism,))[mechanism]
        if isinstance(noise, CalibrationError):
            raise noise
        return noise

    def noises(self, names: Iterable[str]) -> dict[str, Noise]:
        """Noise of several mechanisms, each once; `left_out` says why some are missing."""
        known = self._calibrate(tuple(names)).items()
        return {name: noise for name, noise in known if isinstance(noise, Noise)}

    @property
    def left_out(self) -> dict[str, str]:
        """Mechanisms that were asked for and cannot be calibrated here, and why."""
        known = self.calibrated.items()
        return {name: str(error) for name, error in known if isinstance(error, CalibrationError)}

    @property
    def calibrating(self) -> dict[str, Any]:
        """What noise of this scenario is calibrated to besides ε, for whatever calibrates it."""
        return {
            "delta": self.scenario.delta,
            "calibration": self.scenario.calibration,
            "units": self.sizes,
            "persons": self.scenario.promise_to_persons,
        }

    def _calibrate(self, names: tuple[str, ...]) -> dict[str, Noise | CalibrationError]:
        """Those that are new together, which is faster than one by one."""
        new = [name for name in dict.fromkeys(names) if name not in self.calibrated]
        if new:
            epsilon, others = self.scenario.epsilon, self.calibrating
            others["guard_laplace"] = self.guard_laplace
            searches = [mechanisms.searching(name, self.model, epsilon, **others) for name in new]
            self.calibrated.update(zip(new, side_by_side(searches), strict=True))
        return {name: self.calibrated[name] for name in names}

    def at(self, epsilon: float) -> Self:
        """The same at another ε, about the same pair."""
        scenario = replace(self.scenario, epsilon=epsilon)
        return replace(
            self, scenario=scenario, fitted=self.model, looked_at=self.focus, calibrated={}
        )

    def of(self, mechanism: str, looked_at: int | None = None) -> Self:
        """The same with another mechanism, about the pair hardest to hide with it by default."""
        scenario = replace(self.scenario, mechanism=mechanism)
        return replace(self, scenario=scenario, fitted=self.model, looked_at=looked_at)

    def per_record(self, noise: Noise | None = None) -> PerRecord:
        """What a noise, the scenario's by default, promises about each record."""
        return (self.noise if noise is None else noise).against(self.record_moves)

    def record_label(self, noise: Noise | None = None, *, handed: bool = False) -> str:
        """The same as :func:`.per_record_label` tells it in a table."""
        return per_record_label(self.scenario, self.per_record(noise), handed=handed)

    @cached_property
    def record_moves(self) -> RecordMoves:
        """How far one record can move the statistics, by the public bounds or the data's range."""
        return record_moves(self.model.query, self.model.record_sensitivities)

    def reported(self, noise: Noise | None = None) -> Noise:
        """Noise, the scenario's by default, in the units that the L2 error is reported in."""
        noise = self.noise if noise is None else noise
        return noise if self.report_sizes is None else noise.in_units(self.report_sizes)

    @cached_property
    def error(self) -> float:
        """Expected L2 error, in `error_unit`."""
        return self.reported().expected_error()

    @cached_property
    def errors(self) -> tuple[float, ...]:
        """Expected absolute error of each statistic, in its own unit."""
        return tuple(map(float, self.noise.expected_absolute_errors()))

    @cached_property
    def undefended(self) -> float:
        """Accuracy of the best attack on the pair looked at without noise, in [0.5, 1]."""
        return self.accuracy_of(None)

    @cached_property
    def accuracy(self) -> float:
        """Accuracy of the best attack on the pair looked at with the noise, in [0.5, 1]."""
        return self.accuracy_of(self.noise)

    def accuracy_of(self, noise: Noise | None) -> float:
        """The same with any noise, by the exact law where that is known."""
        if (laws := self.laws_for(noise)) is not None:
            return optimal_attack_accuracy(self.focused, noise, law=laws[self.focus])
        return float(optimal_attack_accuracies([(self.focused, noise)])[0])

    def attack(self, noises: Mapping[str, Noise | None], **options: Any) -> PropertyInferenceAttack:
        """A simulated attack on the pair looked at, with the scenario's seed.

        On a whole table datasets vary less than two parts of its records differ, so the attacker
        knows all of them there, unless ``split`` says otherwise.

        Parameters
        ----------
        noises : mapping of name to Noise or None
        **options
            Of :class:`distpriv.attacks.PropertyInferenceAttack`.
        """
        scenario, pair = self.scenario, self.fit.pair
        options.setdefault("split", not scenario.whole)
        return PropertyInferenceAttack(
            self.groups.records(scenario.query, pair.secret),
            scenario.query,
            pair,
            self.model.n,
            noises,
            replacement=scenario.replacement,
            share_of=scenario.hidden_share,
            seed=scenario.seed,
            **options,
        )

    @cached_property
    def undone(self) -> bool:
        """Whether arithmetic on the grid of the statistics undoes the noise."""
        return self.laws_for(self.noise) is None and is_undone(self.model, self.noise)

    def laws_for(self, noise: Noise | None) -> tuple[ExactLaw, ...] | None:
        """The exact laws that the figures of a noise rest on; None where these are of normals."""
        key = id(noise)
        if key not in self._laws:
            self._laws[key] = noise, figure_laws(self.model, noise)
        return self._laws[key][1]

    @cached_property
    def _laws(self) -> dict[int, tuple[Noise | None, tuple[ExactLaw, ...] | None]]:
        """By the noise's identity, which lives as long as it is kept here."""
        return {}

    @cached_property
    def worst(self) -> WorstCase:
        """The pair and order for which the noise keeps the least of its promise."""
        noise = self.noise
        return worst_case(self.model, noise, noise.epsilon, law=self.laws_for(noise))

    @cached_property
    def delivered_delta(self) -> float:
        """δ that the noise delivers at the ε that it promises."""
        return self.delivered(self.noise)

    @cached_property
    def delivered_epsilon(self) -> float | None:
        """ε that the noise delivers at the δ that it promises.

        None where the noise promises δ = 0.
        """
        noise = self.noise
        if not noise.delta:
            return None
        return delivered_epsilon(self.model, noise, noise.delta, law=self.laws_for(noise))

    def delivered(self, noise: Noise) -> float:
        """δ that any noise delivers at the ε that it promises."""
        return self.delivered_interval(noise).estimate

    def delivered_interval(self, noise: Noise) -> Interval:
        """The same with its 95 % interval, of no width but for Laplace noise."""
        laws = self.laws_for(noise)
        if laws is not None or noise.distribution == "gaussian" or noise.is_zero:
            delta = delivered_delta(self.model, noise, noise.epsilon, law=laws)
            return Interval(delta, delta, delta)
        return self.delivered_by_normals(noise)

    def delivered_by_normals(self, noise: Noise) -> Interval:
        """The same by the fitted normals, whatever law is known."""
        if noise.distribution == "gaussian" or noise.is_zero:
            delta = delivered_delta(self.model, noise, noise.epsilon)
            return Interval(delta, delta, delta)
        # Laplace noise takes long: once for everything that its model and its size depend on.
        scenario = replace(
            self.scenario, mechanism="", epsilon=1.0, look="", view="analyst", report="raw",
            seed=self.scenario.model_seed,
        )  # fmt: skip
        about = (scenario, noise.mechanism, noise.epsilon, noise.scales.tolist())
        return self.groups.computed(
            f"delivered {about!r}", lambda: delivered_interval(self.model, noise, noise.epsilon)
        )

    @property
    def promise(self) -> Keeping:
        """How well the promise about the secret is kept, as computed or as attacks have proven."""
        if self.refuted is None:
            return self._promise
        delivered = max(self.refuted, self.delivered(self.noise))
        return keeping(delivered, self.noise.delta, self.scenario.delta)

    @property
    def refuted(self) -> float | None:
        """δ that attacks prove, where that is more than the promised one; else None."""
        proven = self._refutations.get(self._refutable, 0.0)
        return proven if proven > self.noise.delta else None

    @cached_property
    def _promise(self) -> Keeping:
        return self.promise_of(self.noise)

    def refute(self, delta: float) -> None:
        """Remember, for whoever evaluates the scenario, what δ attacks prove at the promised ε."""
        self._refutations[self._refutable] = max(delta, self._refutations.get(self._refutable, 0.0))

    @property
    def _refutations(self) -> dict[Scenario, float]:
        return self.groups.computed("refutations", lambda: dict[Scenario, float]())

    @property
    def _refutable(self) -> Scenario:
        """All of the scenario that shapes its noise, and its datasets."""
        return replace(self.scenario, look="", view="analyst", report="raw")

    def promise_of(self, noise: Noise) -> Keeping:
        """The same of any noise."""
        mechanism = mechanisms.get(noise.mechanism)
        if not mechanism.protects:
            return NO_PROMISE
        by_law = self.laws_for(noise) is not None
        if mechanism.from_records and not by_law:
            return Keeping("kept")  # by its bound, whatever the normals say
        undone = not by_law and is_undone(self.model, noise)
        return keeping(self.delivered(noise), noise.delta, self.scenario.delta, undone=undone)

    @property
    def kept(self) -> bool | None:
        """Whether the promise is kept, as computed; None if there is none about the secret."""
        return None if self.promise is NO_PROMISE else self.promise.kept

    @property
    def figures(self) -> Figures:
        """What is kept of it."""
        return Figures(
            undefended=self.undefended,
            accuracy=self.accuracy,
            error=self.error,
            unit=self.error_unit,
            promised=self.noise.delta,
            delivered=self.delivered_delta,
            per_record=self.record_label(handed=True),
            promise=self.promise.state,
        )

    @property
    def simulated(self) -> FloatArray:
        """Statistics of 1000 datasets under each share of the pair looked at, (2, 1000, m)."""
        scenario = self.scenario
        return self.groups.simulated(scenario.query, self.fit.thetas, SIMULATED, scenario.seed)

    @cached_property
    def unsimulated(self) -> str:
        """Why datasets of this size cannot be simulated, as a sentence; empty if they can."""
        return unsimulated(self.groups, self.scenario.query, self.fit)

    @cached_property
    def law(self) -> ExactLaw | None:
        """The exact law of the pair looked at, where the statistics are a few counts."""
        return known_law(self.fit)

    @cached_property
    def verdicts(self) -> dict[Assumption, Verdict]:
        """What was measured about every assumption, for the pair looked at."""
        drawn = None if self.unsimulated else self.simulated
        laws = self.laws_for(self.noise)
        evidence = Evidence(self.model, self.focus, self.noise, None, None, laws)
        return measured(self.groups, self.scenario, drawn, evidence)

    @property
    def assumed(self) -> tuple[Verdict, ...]:
        """Verdicts on what the promise of the mechanism rests on."""
        wanted = self.mechanism.assumptions(self.model, self.scenario.calibration)
        known = self.verdicts.items()
        return tuple(verdict for assumption, verdict in known if assumption in wanted)

    def draw(self) -> Release:
        """Release the statistics, once and for good; see :func:`distpriv.draw_release`."""
        scenario = self.scenario
        if scenario.persons is not None:
            check_records(self.table, self.model, dict(scenario.bounds))
        return draw_release(
            self.table,
            scenario.query,
            scenario.secret,
            self.noise,
            n=None if scenario.whole else scenario.n,
            replacement=scenario.replacement,
            share_of=scenario.hidden_share,
        )
