"""The map of privacy frameworks: what each protects, and how their ε relate.

Liu et al. (2019), Section 6, and distribution privacy beside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from distpriv.arguments import checked
from distpriv.errors import FrameworkError, HypothesisError
from distpriv.privacy.calibration import check_epsilon

__all__ = [
    "FRAMEWORKS",
    "RECORDS",
    "RELATIONS",
    "Framework",
    "Range",
    "Records",
    "Relation",
    "convert",
]

Records = Literal["dependent", "independent", "independent and uniform"]
RECORDS: tuple[Records, ...] = ("dependent", "independent", "independent and uniform")


@dataclass(frozen=True)
class Framework:
    """One notion of privacy.

    Attributes
    ----------
    key : str
        Short name, as in the inequalities.
    name : str
    protects : str
        What nobody is to tell, in plain words.
    neighbours : str
        Which two inputs must look alike.
    changed : tuple of bool, or None
        Which of a few records of a picture differ between neighbours: the first one directly,
        the others along with it. None where no two databases are compared.
    source : str
    """

    key: str
    name: str
    protects: str
    neighbours: str
    changed: tuple[bool, ...] | None
    source: str

    @property
    def spoken(self) -> str:
        """The name within a sentence."""
        proper = self.name.startswith(("Blowfish", "Pufferfish"))
        return self.name if proper else self.name[0].lower() + self.name[1:]


class Relation(NamedTuple):
    """ε of one notion is at most a multiple of that of another, at equal attackers.

    Attributes
    ----------
    smaller, larger : str
        Keys of the two notions.
    factor : float
    source : str
    independent : bool
        Whether it takes independent records.
    """

    smaller: str
    larger: str
    factor: float
    source: str
    independent: bool = False


class Range(NamedTuple):
    """What ε can be.

    Attributes
    ----------
    low, high : float
        0 and infinity where nothing is known.
    """

    low: float
    high: float


FRAMEWORKS: Mapping[str, Framework] = {
    framework.key: framework
    for framework in (
        Framework(
            "DP",
            "Differential privacy",
            "Whether one person's record is in the data, or what it says.",
            "Two databases that differ in one record.",
            (True, False, False, False, False),
            "Dwork et al. (2006)",
        ),
        Framework(
            "DDP",
            "Dependent differential privacy",
            "One record, against somebody who knows how others depend on it.",
            "A record is changed, and the records that depend on it may change with it.",
            (True, True, True, False, False),
            "Liu, Chakraborty & Mittal (2016)",
        ),
        Framework(
            "IP",
            "Inferential privacy",
            "What can be inferred about one record, whatever was known before.",
            "A record is changed, and the records that depend on it may change with it.",
            (True, True, True, False, False),
            "Ghosh & Kleinberg (2016)",
        ),
        Framework(
            "BP",
            "Blowfish privacy",
            "One record, against somebody who knows exact counts or margins of the table.",
            "A record is changed, and any other may have to, so that the counts stay right.",
            (True, True, True, True, True),
            "He, Machanavajjhala & Ding (2014)",
        ),
        Framework(
            "MP",
            "Membership privacy",
            "Whether a person is in the data: the belief in it moves by at most e^ε.",
            "None: belief before and after a release is compared, at worst.",
            None,
            "Li et al. (2013)",
        ),
        Framework(
            "MIDP",
            "Mutual-information differential privacy",
            "How much a release tells about one record on average.",
            "None: belief before and after a release is compared, on average.",
            None,
            "Cuff & Yu (2016)",
        ),
        Framework(
            "PP",
            "Pufferfish privacy",
            "Any secret that one can name, under any set of beliefs about the data.",
            "Two ways the data may have come about, one for each of two secrets.",
            (True, True, True, True, True),
            "Kifer & Machanavajjhala (2012)",
        ),
        Framework(
            "DistP",
            "Distribution privacy",
            "A property of the whole, such as the share of records that have it.",
            "Two distributions that the whole data may come from.",
            (True, True, True, True, True),
            "Chen & Ohrimenko (2023)",
        ),
    )
}

_MAIN = "Liu et al. (2019), Theorem 7"
RELATIONS: tuple[Relation, ...] = (
    Relation("DP", "DDP", 1.0, _MAIN),
    Relation("DDP", "IP", 1.0, _MAIN),
    Relation("IP", "DDP", 1.0, _MAIN),
    Relation("DDP", "BP", 1.0, _MAIN),
    Relation("DDP", "MP", 2.0, _MAIN),
    Relation("MIDP", "MP", 1.0, _MAIN),
    Relation("BP", "DP", 1.0, "Liu et al. (2019), Propositions 1 and 2", independent=True),
)


@checked(FrameworkError)
def convert(epsilon: float, framework: str, records: Records = "dependent") -> dict[str, Range]:
    """What ε can be in every notion if an attacker does equally well as at an ε in one of them.

    Every chain of the inequalities of Theorem 7, and under independent records of Propositions
    1 and 2, is followed (Liu et al. 2019). The two propositions state the same relations.

    Blowfish privacy is Pufferfish privacy with a policy of constraints (He et al. 2014), and
    distribution privacy is Pufferfish privacy whose secrets are distributions of the data (Chen &
    Ohrimenko 2023, Section 3); the secrets differ, so no inequality between their ε follows.

    Parameters
    ----------
    epsilon : float > 0
    framework : str
        Key of the notion it is given in.
    records : "dependent", "independent" or "independent and uniform"
        What is assumed of the records.

    Returns
    -------
    dict of key to Range
        From 0 to infinity where no inequality is known.

    Raises
    ------
    HypothesisError
        If there is no such notion or assumption.
    CalibrationError
        If ε is outside its domain.
    """
    epsilon = check_epsilon(epsilon)
    for value, known in ((framework, tuple(FRAMEWORKS)), (records, RECORDS)):
        if value not in known:
            raise HypothesisError(f"There is no {value!r}; choose one of {', '.join(known)}.")
    used = [
        relation for relation in RELATIONS if records != "dependent" or not relation.independent
    ]
    low = dict.fromkeys(FRAMEWORKS, 0.0)
    high = dict.fromkeys(FRAMEWORKS, math.inf)
    low[framework] = high[framework] = epsilon
    # As many rounds as there are notions: a chain visits none twice.
    for _ in FRAMEWORKS:
        for relation in used:
            high[relation.smaller] = min(
                high[relation.smaller], relation.factor * high[relation.larger]
            )
            low[relation.larger] = max(
                low[relation.larger], low[relation.smaller] / relation.factor
            )
    return {key: Range(low[key], high[key]) for key in FRAMEWORKS}
