"""What a decision is: its revisions, and the alternatives that were weighed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from distpriv.analysis.comparison import Figures
from distpriv.analysis.error_sizes import ErrorSize
from distpriv.analysis.person import Verified, signed
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import read_scenario
from distpriv.errors import DistprivError

__all__ = ["Alternative", "Decision", "Revision", "Status", "moment"]

Status = Literal["proposed", "agreed", "rejected"]


@dataclass(frozen=True, kw_only=True)
class Alternative(Figures):
    """A scenario that was looked at, with the figures that it came to then.

    Attributes
    ----------
    name : str
    scenario : str
        As :func:`distpriv.write_scenario` writes it.
    mechanism : str
    epsilon, delta : float
        As chosen.
    errors : tuple of ErrorSize
        Of each statistic, without the value it is an error of: whoever decides may not know it.
        Empty where another version of distpriv wrote it.
    """

    name: str
    scenario: str
    mechanism: str
    epsilon: float
    delta: float
    errors: tuple[ErrorSize, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "errors", tuple(size.unvalued() for size in self.errors))

    def read(self) -> Scenario | None:
        """The scenario; None where another version of distpriv wrote it."""
        try:
            return read_scenario(self.scenario)
        except DistprivError:
            return None


@dataclass(frozen=True)
class Revision:
    """A decision as it stood at one time.

    Attributes
    ----------
    version : int
        From 1 on.
    at : datetime
        In UTC.
    author : str
        Who made this revision: proposed, changed, agreed or rejected.
    status : "proposed", "agreed" or "rejected"
    reason : str
        Why this ε.
    comment : str
        What who agreed or rejected had to say.
    chosen : str
        Name of the proposed alternative.
    alternatives : tuple of Alternative
        Those that were seen, the chosen one among them.
    verified : Verified or None
        Who vouches for the author's name; None where it was typed.
    """

    version: int
    at: datetime
    author: str
    status: Status
    reason: str
    comment: str
    chosen: str
    alternatives: tuple[Alternative, ...]
    verified: Verified | None = None

    @property
    def signed(self) -> str:
        """The author, and who vouches for the name."""
        return signed(self.author, self.verified)

    @property
    def choice(self) -> Alternative:
        """The proposed alternative."""
        return next(
            alternative for alternative in self.alternatives if alternative.name == self.chosen
        )


@dataclass(frozen=True)
class Decision:
    """A decision with its history.

    Attributes
    ----------
    key : str
    data : str
        Title of the data it is about.
    digest : str
        Fingerprint of the data.
    revisions : tuple of Revision
        The first one first; never empty.
    """

    key: str
    data: str
    digest: str
    revisions: tuple[Revision, ...]

    @property
    def now(self) -> Revision:
        """The latest revision."""
        return self.revisions[-1]

    @property
    def proposed_by(self) -> str:
        """Who proposed it first."""
        return self.revisions[0].author

    @property
    def proposers(self) -> tuple[str, ...]:
        """Everybody who proposed or changed it, each once; none of them agrees to it."""
        changed = (each.author for each in self.revisions if each.status == "proposed")
        return tuple(dict.fromkeys(changed))

    @property
    def signers(self) -> tuple[str, ...]:
        """The same, with who vouches for each name."""
        changed = (each.signed for each in self.revisions if each.status == "proposed")
        return tuple(dict.fromkeys(changed))


def moment(at: datetime) -> str:
    """A time as people read it: ``2025-01-31 14:03 UTC``."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
