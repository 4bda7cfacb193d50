"""Building a report, at once or a little at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from distpriv import mechanisms
from distpriv.analysis.brackets import Brackets
from distpriv.analysis.comparison import choices_in_words
from distpriv.analysis.decision import Alternative, Decision
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.arguments import Within, checked
from distpriv.attacks.classifiers import get_classifier
from distpriv.attacks.knowledge import known_in_words
from distpriv.attacks.results import AttackResult
from distpriv.errors import ReportError
from distpriv.export.report import parts
from distpriv.export.report.figures import pictures
from distpriv.export.report.report import Report
from distpriv.mechanisms.curves import Curves
from distpriv.model.run import Progress, completed
from distpriv.model.sampling import Interval

__all__ = ["ReportRun", "build_report"]


@checked(ReportError)
@dataclass(eq=False)
class ReportRun:
    """A report in the making, a little at a time.

    Attributes
    ----------
    evaluation : Evaluation
        Of the scenario.
    names : sequence of str
        Mechanisms to report on; the answer is about the scenario's own if it is among them.
    data : str
        Title of the data.
    link : str
        Address that opens the scenario.
    truth, records : bool
        Whether to include the true statistics, and the first records: only for those who may
        see them.
    repetitions : int
        Of the simulated attack.
    prior, so_far : float, str
        For the label, see :class:`.Contents`.
    alternatives : sequence of Alternative
        That were compared.
    decision : Decision or None
        For exactly this release.
    report : Report or None
        The result, once there is one.

    Raises
    ------
    ReportError
        If no mechanism is named, or one that does not exist.
    """

    evaluation: Evaluation
    names: Sequence[str]
    data: str = "the table"
    link: str = ""
    truth: bool = False
    records: bool = False
    repetitions: int = 50
    prior: float = 0.5
    so_far: str = ""
    alternatives: Sequence[Alternative] = ()
    decision: Decision | None = None
    report: Report | None = None

    def __post_init__(self) -> None:
        known, own = mechanisms.names(), self.evaluation.scenario.mechanism
        if not self.names:
            raise ReportError(
                "A report needs a mechanism, and none is chosen; choose at least one, for example "
                f"{own}."
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
        if not 0 < self.prior < 1:
            raise ReportError(f"The prior must lie between 0 and 1, got {self.prior:g}.")
        self.names = sorted(dict.fromkeys(self.names), key=lambda name: name != own)

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
        findings = self._findings()
        main = findings[0]
        yield 0.02, "Simulating datasets"
        assert main.unsimulated or len(main.simulated)
        yield 0.08, "Testing the assumptions"
        for finding in findings:
            assert finding.verdicts
            yield 0.12, "Testing the assumptions"
        noises = {finding.mechanism.name: finding.noise for finding in findings}
        runs, attack = [], main.attack({UNDEFENDED: None, **noises})
        for index in range(0 if main.unsimulated else self.repetitions):
            runs.append(attack.scores(index))
            yield 0.15 + 0.4 * (index + 1) / self.repetitions, "Simulating attacks"
        brackets: dict[str, Brackets] = {}
        for done, doing in parts.brackets(brackets, findings):
            yield 0.55 + 0.05 * done, doing
        curves: dict[str, Curves] = {}
        for share, doing in parts.curves(curves, findings):
            yield 0.6 + 0.35 * share, doing
        yield 0.97, "Drawing the figures"
        self.report = self._collect(
            findings,
            attack.collect(runs) if runs else None,
            known_in_words(attack),
            brackets,
            curves,
        )

    def _findings(self) -> tuple[Evaluation, ...]:
        """One of every mechanism that applies, all of them about the same pair."""
        asked = self.evaluation
        noises = asked.noises(self.names)
        if not noises:
            reasons = "; ".join(f"{name}: {why}" for name, why in self._left_out.items())
            raise ReportError(
                f"None of the mechanisms chosen for the report applies; choose another. {reasons}"
            )
        first, *others = noises
        main = asked.of(first, asked.looked_at)
        return (main, *(main.of(name, main.focus) for name in others))

    @property
    def _left_out(self) -> dict[str, str]:
        known = self.evaluation.left_out
        return {name: known[name] for name in self.names if name in known}

    def _collect(
        self,
        findings: tuple[Evaluation, ...],
        attack: AttackResult | None,
        knows: str,
        brackets: Mapping[str, Brackets],
        curves: Mapping[str, Curves],
    ) -> Report:
        main, scenario = findings[0], self.evaluation.scenario
        names = ", ".join(finding.mechanism.name for finding in findings)
        kind, simulated, told = "", {}, main.unsimulated
        if attack is None:
            unknown = Interval(math.nan, math.nan, math.nan)
            simulated = dict.fromkeys((UNDEFENDED, *(f.mechanism.name for f in findings)), unknown)
            told = f"No attacker is simulated: {told[:1].lower()}{told[1:]}"
        else:
            kind = f"{get_classifier(attack.classifier).title.lower()}, adaptive"
            simulated = {name: attack.interval(name) for name in attack.accuracy}
            told = (
                f"The simulated attacker ({kind}) trains on {attack.tests} datasets with the "
                f"noise of the mechanism and guesses {attack.tests} others, {attack.repetitions} "
                f"times; 95\u00a0% intervals, seed {attack.seed}. {knows}"
            )
        return Report(
            findings=findings,
            choices=choices_in_words(scenario, self.data)
            | {"Mechanism": names, "Fingerprint of the data": scenario.digest},
            left_out=self._left_out,
            brackets=brackets,
            simulated=simulated,
            attacker=told,
            pictures=pictures(findings, attack, kind, knows, curves),
            versions=parts.versions(),
            link=self.link,
            made=datetime.now(UTC).replace(microsecond=0),
            truth=parts.true_values(main, statistics=self.truth, records=self.records),
            prior=self.prior,
            so_far=self.so_far,
            alternatives=tuple(self.alternatives),
            decision=self.decision,
        )


@checked(ReportError)
def build_report(
    evaluation: Evaluation,
    names: Sequence[str] | None = None,
    *,
    data: str = "the table",
    link: str = "",
    truth: bool = False,
    records: bool = False,
    repetitions: Annotated[int, Within(high=10**6)] = 50,
    prior: Annotated[float, Within(0, 1)] = 0.5,
    so_far: str = "",
    alternatives: Sequence[Alternative] = (),
    decision: Decision | None = None,
) -> Report:
    """Build a report on a scenario: answer, guarantee, errors, assumptions, attacks and figures.

    Parameters
    ----------
    evaluation : Evaluation
        Of the scenario, see :func:`distpriv.evaluate`; records are drawn from its data for the
        simulations, with the scenario's seed.
    names : sequence of str, optional
        Mechanisms to report on; by default the scenario's.
    data : str
        Title of the data.
    link : str
        Address that opens the scenario.
    truth, records : bool
        Include the table's true statistics, and its first 100 records in the columns in use: for
        those who may see them. The report is marked then.
    repetitions : int, at least 2
        Of the simulated attack.
    prior : float in (0, 1)
        How likely somebody holds the second share before the release, for the label.
    so_far : str
        What everything released so far comes to, for the label.
    alternatives : sequence of Alternative
        That were compared; a decision brings its own.
    decision : Decision or None
        For exactly this release, as :func:`distpriv.store.matching` finds it.

    Raises
    ------
    ReportError
        If no mechanism is named, or none of them applies.
    AttackError
        If the data are too few to simulate an attack.
    """
    chosen = (evaluation.scenario.mechanism,) if names is None else tuple(names)
    return ReportRun(
        evaluation,
        chosen,
        data,
        link,
        truth=truth,
        records=records,
        repetitions=repetitions,
        prior=prior,
        so_far=so_far,
        alternatives=alternatives,
        decision=decision,
    ).run()
