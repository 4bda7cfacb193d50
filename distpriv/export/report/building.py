"""Building a report, at once or a little at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.analysis.comparison import choices_in_words
from distpriv.analysis.scenario import Scenario, Units
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.arguments import Within, checked
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.attacks.classifiers import get_classifier
from distpriv.attacks.optimal import binding_pair
from distpriv.attacks.property_inference import AttackResult, PropertyInferenceAttack
from distpriv.errors import CalibrationError, ModelError, ReportError
from distpriv.export.report import parts, words
from distpriv.export.report.figures import pictures
from distpriv.export.report.report import Report
from distpriv.mechanisms.curves import Curves
from distpriv.model.gaussian import GaussianModel
from distpriv.model.moments import RecordGroups, record_groups
from distpriv.model.monte_carlo import simulate
from distpriv.model.run import Progress, completed
from distpriv.privacy.exact_laws import known_law
from distpriv.privacy.noise import Noise
from distpriv.robustness.diagnostics import FitDiagnostics, fit_diagnostics
from distpriv.robustness.verdicts import Assumption, Evidence, Verdict, fitted_shift, verdicts

__all__ = ["ReportRun", "build_report"]

FloatArray = NDArray[np.float64]

SUBSETS = 1000  # simulated datasets for each share
_UNITS: Mapping[Units, str] = {
    "raw": "",
    "standardised": "standard deviations",
    "custom": "tolerances",
}


@checked(ReportError)
@dataclass(eq=False)
class ReportRun:
    """A report in the making, a little at a time.

    Attributes
    ----------
    table : DataFrame
        The data.
    scenario : Scenario
    model : GaussianModel
        As the scenario describes it.
    names : sequence of str
        Mechanisms to report on; the answer is about the scenario's own if it is among them.
    data : str
        Title of the data.
    column_units : mapping of column to its unit
    link : str
        Address that opens the scenario.
    reference : DataFrame or None
        What the model is fitted to in place of the table.
    truth, records : bool
        Whether to include the true statistics, and the first records: only for those who may
        see them.
    repetitions : int
        Of the simulated attack.
    groups : RecordGroups or None
        Records split by the secret of the pair looked at, if they are known already.
    focus : int or None
        The pair looked at, if it is known already: the scenario's, or the one hardest to hide.
    report : Report or None
        The result, once there is one.

    Raises
    ------
    ReportError
        If no mechanism is named, or one that does not exist.
    """

    table: pd.DataFrame
    scenario: Scenario
    model: GaussianModel
    names: Sequence[str]
    data: str = "the table"
    column_units: Mapping[str, str] = field(default_factory=dict)
    link: str = ""
    reference: pd.DataFrame | None = None
    truth: bool = False
    records: bool = False
    repetitions: int = 50
    groups: RecordGroups | None = None
    focus: int | None = None
    report: Report | None = None

    def __post_init__(self) -> None:
        known = mechanisms.names()
        if not self.names:
            raise ReportError(
                "A report needs a mechanism, and none is chosen; choose at least one, for example "
                f"{self.scenario.mechanism}."
            )
        for name in self.names:
            if name not in known:
                raise ReportError(
                    f"There is no mechanism {name!r}; choose among {', '.join(known)}."
                )
        if self.repetitions < 2:
            raise ReportError(
                f"A report needs at least 2 repetitions of the attack, got {self.repetitions}."
            )
        own = self.scenario.mechanism
        self.names = [n for n in dict.fromkeys(self.names) if n == own] + [
            n for n in dict.fromkeys(self.names) if n != own
        ]
        self._left_out: dict[str, str] = {}

    def steps(self) -> Iterator[Progress[Report]]:
        """Build it, counted in percent, for a :class:`.Run`; raises DistprivError."""
        for share, doing in self._steps():
            yield Progress(round(100 * share), 100, lambda: self.report, doing)
        yield Progress(100, 100, lambda: self.report)

    def run(self) -> Report:
        """Build it at once; raises DistprivError where something cannot be."""
        return completed(self.steps())

    def _steps(self) -> Iterator[tuple[float, str]]:
        yield 0.0, "Calibrating"
        if not self._noises:
            reasons = "; ".join(f"{name}: {why}" for name, why in self._left_out.items())
            raise ReportError(
                f"None of the mechanisms chosen for the report applies; choose another. {reasons}"
            )
        yield 0.02, "Simulating datasets"
        drawn = self._drawn()
        yield 0.08, "Testing the assumptions"
        fit = self.model.pairs[self._focus]
        shift = fitted_shift(drawn, fit, self.scenario.seed)
        try:
            found: FitDiagnostics | None = fit_diagnostics(drawn, fit)
        except ModelError:
            found = None
        law = known_law(
            self._groups,
            self.scenario.query,
            fit.pair,
            self.model.n,
            replacement=self.model.replacement,
        )
        judged = {}
        for name, noise in self._noises.items():
            evidence = Evidence(self.model, self._focus, noise, shift, found, law)
            judged[name] = verdicts(Assumption, evidence)
            yield 0.12, "Testing the assumptions"
        runs, attack = [], self._attack()
        for index in range(self.repetitions):
            runs.append(attack.scores(index))
            yield 0.15 + 0.4 * (index + 1) / self.repetitions, "Simulating attacks"
        curves: dict[str, Curves] = {}
        working = parts.curves(curves, self.scenario, self.model, self._noises, self._focus)
        for share, doing in working:
            yield 0.55 + 0.4 * share, doing
        yield 0.97, "Drawing the figures"
        self.report = self._collect(judged, attack.collect(runs), curves)

    @cached_property
    def _noises(self) -> dict[str, Noise]:
        found = {}
        for name in self.names:
            try:
                found[name] = self._calibrated(name)
            except CalibrationError as error:
                self._left_out[name] = str(error)
        return found

    def _calibrated(self, name: str) -> Noise:
        scenario = self.scenario
        budget = (scenario.epsilon, scenario.delta, scenario.calibration)
        return mechanisms.calibrate(
            name, self.model, *budget, parts.sizes(scenario.units, scenario, self.model)
        )

    @cached_property
    def _focus(self) -> int:
        """The pair that attack and figures are about."""
        if self.focus is not None:
            return self.focus
        labels = [fit.pair.label for fit in self.model.pairs]
        if self.scenario.look in labels:
            return labels.index(self.scenario.look)
        return binding_pair(self.model, next(iter(self._noises.values())))

    @cached_property
    def _groups(self) -> RecordGroups:
        source = self.table if self.reference is None else self.reference
        secret = self.model.pairs[self._focus].pair.secret
        return self.groups or record_groups(source, self.scenario.query, secret)

    def _drawn(self) -> FloatArray:
        """Statistics of datasets under both shares, as the pages simulate them."""
        streams = np.random.SeedSequence(self.scenario.seed).spawn(2)
        return np.array(
            [
                simulate(
                    self._groups, self.scenario.query, theta, SUBSETS, np.random.default_rng(stream)
                )
                for theta, stream in zip(self.model.pairs[self._focus].thetas, streams, strict=True)
            ]
        )

    def _attack(self) -> PropertyInferenceAttack:
        return PropertyInferenceAttack(
            self._groups,
            self.scenario.query,
            self.model.pairs[self._focus].pair,
            self.model.n,
            {UNDEFENDED: None, **self._noises},
            replacement=self.scenario.replacement,
            seed=self.scenario.seed,
        )

    def _collect(
        self,
        judged: Mapping[str, tuple[Verdict, ...]],
        attack: AttackResult,
        curves: Mapping[str, Curves],
    ) -> Report:
        scenario, model = self.scenario, self.model
        fit, focused = model.pairs[self._focus], model.only(self._focus)
        undefended = optimal_attack_accuracy(focused)
        findings = tuple(
            parts.finding(
                name, noise, scenario, model, self._focus, judged[name], attack.interval(name)
            )
            for name, noise in self._noises.items()
        )
        main, unit = findings[0], _UNITS[scenario.report]
        attacker = f"{get_classifier(attack.classifier).title.lower()}, adaptive"
        error = words.counted(main.error, unit)
        told = (scenario, model, fit, main.mechanism, undefended, main.accuracy, error)
        return Report(
            question=words.question(scenario, fit, model.n),
            answer=words.answer(*told),
            scenario=scenario,
            choices=choices_in_words(scenario, self.data)
            | {"Mechanism": ", ".join(self._noises), "Fingerprint of the data": scenario.digest},
            labels=scenario.query.labels,
            units=scenario.query.units(self.column_units),
            error_unit=unit,
            findings=findings,
            left_out=dict(self._left_out),
            undefended=undefended,
            undefended_simulated=attack.interval(UNDEFENDED),
            attacker=(
                f"The simulated attacker ({attacker}) trains on {attack.tests} datasets with the "
                f"noise of the mechanism and guesses {attack.tests} others, {attack.repetitions} "
                f"times; 95 % intervals, seed {attack.seed}."
            ),
            pictures=pictures(scenario, fit, findings, undefended, attack, attacker, curves, unit),
            versions=parts.versions(),
            link=self.link,
            made=datetime.now(UTC).replace(microsecond=0),
            truth=parts.true_values(
                self.table,
                scenario,
                fit.pair.secret,
                statistics=self.truth,
                records=self.records,
            ),
        )


@checked(ReportError)
def build_report(
    table: pd.DataFrame,
    scenario: Scenario,
    model: GaussianModel,
    names: Sequence[str] | None = None,
    *,
    data: str = "the table",
    units: Mapping[str, str] | None = None,
    link: str = "",
    reference: pd.DataFrame | None = None,
    truth: bool = False,
    records: bool = False,
    repetitions: Annotated[int, Within(high=10**6)] = 50,
) -> Report:
    """Build a report on a scenario: answer, guarantee, errors, assumptions, attacks and figures.

    Parameters
    ----------
    table : DataFrame
        The data; records are drawn from it for the simulations, with the scenario's seed.
    scenario : Scenario
    model : GaussianModel
        As the scenario describes it, see :func:`distpriv.fit_gaussian`.
    names : sequence of str, optional
        Mechanisms to report on; by default the scenario's.
    data : str
        Title of the data.
    units : mapping of column to str, optional
        Unit of each numeric column.
    link : str
        Address that opens the scenario.
    reference : DataFrame, optional
        What the model is fitted to in place of the table.
    truth, records : bool
        Include the table's true statistics, and its first 100 records in the columns in use: for
        those who may see them. The report is marked then.
    repetitions : int, at least 2
        Of the simulated attack.

    Raises
    ------
    ReportError
        If no mechanism is named, or none of them applies.
    AttackError
        If the data are too few to simulate an attack.
    """
    chosen = (scenario.mechanism,) if names is None else tuple(names)
    return ReportRun(
        table,
        scenario,
        model,
        chosen,
        data=data,
        column_units=units or {},
        link=link,
        reference=reference,
        truth=truth,
        records=records,
        repetitions=repetitions,
    ).run()
