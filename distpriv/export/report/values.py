"""What a report holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import pandas as pd
from plotly import graph_objects as go

from distpriv.analysis.scenario import Scenario
from distpriv.model.sampling import Interval
from distpriv.robustness.verdicts import Verdict

__all__ = ["Contents", "Finding", "Picture", "Truth"]


@dataclass(frozen=True, eq=False)
class Finding:
    """What comes of one mechanism.

    Attributes
    ----------
    mechanism : str
    summary : str
        What it does, in a sentence.
    protects : bool
        Whether it promises anything about the secret.
    epsilon, delta : float
        What it promises.
    delivered_delta, delivered_epsilon : float or None
        δ at the promised ε and ε at the promised δ that the fitted normals with the covariance
        each of them has get; None where that is not known.
    kept : bool or None
        Whether that is no more than promised; None where it is not known.
    guarantee : str
        The same in words.
    caveats : tuple of str
        Where the promise does not hold as it stands.
    accuracy : float
        How often the best possible attacker is right, as a share of cases.
    simulated : Interval
        The same of the simulated attacker.
    error : float
        Expected L2 error, in the report's unit.
    errors : tuple of float
        Expected absolute error of each statistic, in its own unit.
    assumptions : tuple of Verdict
        On what the promise rests on.
    """

    mechanism: str
    summary: str
    protects: bool
    epsilon: float
    delta: float
    delivered_delta: float | None
    delivered_epsilon: float | None
    kept: bool | None
    guarantee: str
    caveats: tuple[str, ...]
    accuracy: float
    simulated: Interval
    error: float
    errors: tuple[float, ...]
    assumptions: tuple[Verdict, ...]


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
    records: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class Contents:
    """What a report says of a scenario.

    Attributes
    ----------
    question, answer : str
        One or a few plain sentences each.
    scenario : Scenario
    choices : dict of str to str
        Every choice in words.
    labels, units : tuple of str
        The released statistics and their units.
    error_unit : str
        What L2 errors are counted in; empty for the statistics' own units, mixed.
    findings : tuple of Finding
        One a mechanism, the one the answer is about first.
    left_out : dict of mechanism to sentence
        Those that cannot be calibrated here.
    undefended : float
        How often the best possible attacker is right without noise.
    undefended_simulated : Interval
        The same of the simulated attacker.
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
    """

    question: str
    answer: str
    scenario: Scenario
    choices: dict[str, str]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    error_unit: str
    findings: tuple[Finding, ...]
    left_out: dict[str, str]
    undefended: float
    undefended_simulated: Interval
    attacker: str
    pictures: tuple[Picture, ...]
    versions: dict[str, str]
    link: str
    made: datetime
    truth: Truth | None = None

    @property
    def confidential(self) -> bool:
        """Whether it holds what must not be shown."""
        return self.truth is not None
