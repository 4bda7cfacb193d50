"""Long work in small steps, so that the page stays alive, shows progress and can stop."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from distpriv.attacks.property_inference import AttackResult, PropertyInferenceAttack, Repetition
from distpriv.distances.outcomes import Outcomes
from distpriv.errors import AttackError

__all__ = ["AttackRun", "DistanceRun"]


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
    _runs: list[Repetition] = field(default_factory=list)

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
                self._runs.append(self.attack.run(self.done))
            except AttackError as error:
                self.failure = str(error)
            if time.perf_counter() >= until:
                return

    def result(self) -> AttackResult | None:
        """What has come in so far, or None before the first repetition."""
        return self.attack.collect(self._runs) if self._runs else None


@dataclass
class DistanceRun:
    """Closeness at several δ, for one or more pairs of distributions, one at a time.

    Attributes
    ----------
    outcomes : dict of name to Outcomes
    deltas : tuple of float
        In the order they are computed, all pairs at one before the next.
    key : object
        What it was set up from; another key is another run.
    stopped : bool
    """

    outcomes: dict[str, Outcomes]
    deltas: tuple[float, ...]
    key: object
    stopped: bool = False
    _found: dict[tuple[str, float], float] = field(default_factory=dict)

    @property
    def wanted(self) -> int:
        """How many distances there are."""
        return len(self.outcomes) * len(self.deltas)

    @property
    def done(self) -> int:
        """Distances computed so far."""
        return len(self._found)

    @property
    def running(self) -> bool:
        """Whether there is more to do."""
        return not self.stopped and self.done < self.wanted

    def step(self, budget_seconds: float) -> None:
        """Compute distances until the budget is spent; at least one."""
        until = time.perf_counter() + budget_seconds
        while self.running:
            place, index = divmod(self.done, len(self.outcomes))
            name, delta = list(self.outcomes)[index], self.deltas[place]
            self._found[name, delta] = self.outcomes[name].closeness(delta)
            if time.perf_counter() >= until:
                return

    def found(self, name: str) -> dict[float, float]:
        """W by δ, as far as it is known."""
        return {delta: value for (other, delta), value in self._found.items() if other == name}
