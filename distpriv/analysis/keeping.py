"""Whether a promise is kept, missed slightly or missed: one rule for every page and file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from distpriv.privacy.delivered import ROUNDING
from distpriv.words import number

__all__ = ["NO_PROMISE", "SLIGHTLY", "Keeping", "State", "keeping"]

State = Literal["kept", "missed slightly", "missed", "nothing promised"]

_TENTH = 1.1

SLIGHTLY = (
    "Missed slightly: at most a tenth more than promised, or some δ where none was promised, "
    "but no more than the δ that you allow. By a tenth of δ no attacker gains more right guesses "
    "than one in 20/δ. A release still needs a reason."
)
"""What counts as slight, and why; plain."""

_LOOKS: dict[State, tuple[str, str]] = {
    "kept": ("green", "verified_user"),
    "missed slightly": ("orange", "gpp_maybe"),
    "missed": ("red", "gpp_bad"),
    "nothing promised": ("red", "gpp_bad"),
}


@dataclass(frozen=True)
class Keeping:
    """How well a promise is kept.

    Attributes
    ----------
    state : "kept", "missed slightly", "missed" or "nothing promised"
    ratio : float
        What is delivered over what is promised; ∞ where some δ is delivered though none is
        promised, NaN where nothing is to be compared.
    """

    state: State
    ratio: float = math.nan

    @property
    def kept(self) -> bool:
        """Whether the promise is kept; neither a slight miss nor no promise is."""
        return self.state == "kept"

    @property
    def words(self) -> str:
        """For a table or a badge: ``missed slightly, 1.07 times``; plain."""
        if not self.state.startswith("missed") or not math.isfinite(self.ratio):
            return self.state
        # 1.00 times would be no miss.
        return f"{self.state}, {number(max(self.ratio, 1.01))} times"

    @property
    def color(self) -> str:
        """Green, orange or red."""
        return _LOOKS[self.state][0]

    @property
    def icon(self) -> str:
        """Name of a Material symbol."""
        return _LOOKS[self.state][1]


NO_PROMISE = Keeping("nothing promised")
"""Of noise that promises nothing about the secret."""


def keeping(
    delivered: float, promised: float, allowed: float = 0.0, *, undone: bool = False
) -> Keeping:
    """How well what is delivered keeps what is promised.

    A slight miss is of a tenth at most: by the ceiling (e^ε + δ)/(1 + e^ε) on right guesses, a
    tenth more δ gives an attacker at most δ/20 more of them. Where no δ is promised, as for Laplace
    noise, and some is delivered, no more than `allowed` counts as slight: it is what the
    scenario asks for.

    Parameters
    ----------
    delivered, promised : float >= 0
        δ at the promised ε, or ε at the promised δ.
    allowed : float >= 0
        What the scenario allows where nothing is promised.
    undone : bool
        Whether arithmetic undoes the noise, so that no promise of it is kept.
    """
    ratio = delivered / promised if promised else (math.inf if delivered else 1.0)
    if undone:
        return Keeping("missed", ratio)
    if ratio <= ROUNDING:
        return Keeping("kept", ratio)
    slight = ratio <= _TENTH * ROUNDING if promised else delivered <= allowed * ROUNDING
    return Keeping("missed slightly" if slight else "missed", ratio)
