"""What a report holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import pandas as pd
from plotly import graph_objects as go

from distpriv.analysis.answer import answer
from distpriv.analysis.brackets import Brackets
from distpriv.analysis.brackets_in_words import in_a_line
from distpriv.analysis.decision import Alternative, Decision
from distpriv.analysis.error_sizes import error_sizes, sampling_note, short
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.recommendation import Recommendation, recommend
from distpriv.analysis.without_curves import CurvePrice, curve_price
from distpriv.errors import HypothesisError
from distpriv.export.report import words
from distpriv.export.report.label import Label, label
from distpriv.export.report.summary import Line, Signature, Weighed, lines, signatures, weighed
from distpriv.model.sampling import Interval

__all__ = ["Contents", "Picture", "Truth"]


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure and what it shows in words.

    Attributes
    ----------
    title, alt, how_to_read : str
        Plain texts.
    figure : Figure
    """

    title: str
    alt: str
    how_to_read: str
    figure: go.Figure


@dataclass(frozen=True, eq=False)
class Truth:
    """What must not be shown to those the secret is kept from.

    Attributes
    ----------
    share : float or None
        True share of the secret in the table; None if it is left out.
    statistics : tuple of float
        The statistics of the table itself; empty if they are left out.
    records : DataFrame or None
        Records, as they are; None if they are left out.
    """

    share: float | None = None
    statistics: tuple[float, ...] = ()
    records: pd.DataFrame | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Contents:
    """What a report says of a scenario.

    Attributes
    ----------
    findings : tuple of Evaluation
        One a mechanism, the one the answer is about first.
    choices : dict of str to str
        Every choice in words.
    left_out : dict of mechanism to sentence
        Those that cannot be calibrated here.
    brackets : mapping of mechanism to Brackets
        What each delivers at least, by the fitted normals, and at most.
    simulated : mapping of mechanism to Interval
        How often the simulated attacker is right; under "none" without noise.
    attacker : str
        What the simulated attacker is and does, in words.
    pictures : tuple of Picture
    versions : dict of str to str
        Of this package and those it computes with.
    link : str
        Address that opens the scenario; empty if there is none.
    made : datetime
    truth : Truth or None
        None unless it was asked for.
    prior : float in (0, 1)
        Of the belief in the second share that the label tells of.
    so_far : str
        What everything released so far comes to, plain; empty where that is not counted.
    alternatives : tuple of Alternative
        That were compared; a decision's own, where there is one.
    decision : Decision or None
        For exactly this release, agreed to or not.
    """

    findings: tuple[Evaluation, ...]
    choices: dict[str, str]
    left_out: dict[str, str]
    brackets: Mapping[str, Brackets]
    simulated: Mapping[str, Interval]
    attacker: str
    pictures: tuple[Picture, ...]
    versions: dict[str, str]
    link: str
    made: datetime
    truth: Truth | None = None
    prior: float = 0.5
    so_far: str = ""
    alternatives: tuple[Alternative, ...] = ()
    decision: Decision | None = None

    @property
    def main(self) -> Evaluation:
        """What the answer is about."""
        return self.findings[0]

    @property
    def question(self) -> str:
        """A plain sentence."""
        return words.question(self.main)

    @property
    def answer(self) -> str:
        """One or a few plain sentences."""
        return answer(self.main, valued=False)

    def sizes(self, finding: Evaluation) -> list[str]:
        """Each statistic's error, beside its value only where the report tells true ones."""
        valued = self.truth is not None and bool(self.truth.statistics)
        sizes = error_sizes(finding.model, finding.noise, finding.units, valued=valued)
        return [short(size) for size in sizes]

    @property
    def sampling(self) -> str:
        """What the errors are held against."""
        return sampling_note(self.main.model.n)

    @cached_property
    def recommendation(self) -> Recommendation | None:
        """What to take at the attack accuracy of the answer's noise; None if nothing is found."""
        try:
            return recommend(self.main)
        except HypothesisError:
            return None

    @cached_property
    def without_curves(self) -> CurvePrice:
        """What the answer's promise costs without normal curves."""
        return curve_price(self.main)

    @cached_property
    def label(self) -> Label:
        """What is promised, on one page."""
        return label(self.main, prior=self.prior, so_far=self.so_far)

    @property
    def advice(self) -> str:
        """What is recommended at the attack accuracy of the answer's noise; perhaps nothing."""
        return words.recommended(self.main, self.recommendation, self.without_curves)

    @cached_property
    def summary(self) -> tuple[Line, ...]:
        """The first page."""
        return lines(self.main, self.label, self.advice, self.decision)

    @property
    def weighed(self) -> tuple[Weighed, ...]:
        """The alternatives that were compared."""
        if self.decision is not None:
            return weighed(self.decision.now.alternatives, self.decision.now.chosen)
        return weighed(self.alternatives, "")

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """Who stands for the decision, and the lines that wait for a name."""
        return signatures(self.decision)

    def bracketed(self, finding: Evaluation) -> str:
        """What a mechanism delivers at least and at most, and what that rests on; plain."""
        return in_a_line(self.brackets[finding.mechanism.name])

    @property
    def confidential(self) -> bool:
        """Whether it holds what must not be shown."""
        return self.truth is not None
