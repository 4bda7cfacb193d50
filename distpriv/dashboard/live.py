"""Long work in small steps, so that the page stays alive, shows progress and can stop."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from distpriv.attacks import AttackResult, PropertyInferenceAttack
from distpriv.errors import AttackError

__all__ = ["AttackRun"]


@dataclass
class AttackRun:
    """An attack that runs a few repetitions at a time.

    Attributes
    ----------
    attack : PropertyInferenceAttack
    wanted : int
        Repetitions to do.
    key : object
        What the attack was set up from; another key is another run.
    stopped : bool
    failure : str
        Why it cannot go on, or empty.
    """

    attack: PropertyInferenceAttack
    wanted: int
    key: object
    stopped: bool = False
    failure: str = ""
    _runs: list[dict[str, NDArray[np.float64]]] = field(default_factory=list)

    @property
    def done(self) -> int:
        """Repetitions done so far."""
        return len(self._runs)

    @property
    def running(self) -> bool:
        """Whether there is more to do."""
        return not self.stopped and not self.failure and self.done < self.wanted

    def step(self, budget_seconds: float) -> None:
        """Do repetitions until the budget is spent; at least one."""
        until = time.perf_counter() + budget_seconds
        while self.running:
            try:
                self._runs.append(self.attack.scores(self.done))
            except AttackError as error:
                self.failure = str(error)
            if time.perf_counter() >= until:
                return

    def result(self) -> AttackResult | None:
        """What has come in so far, or None before the first repetition."""
        return self.attack.collect(self._runs) if self._runs else None
