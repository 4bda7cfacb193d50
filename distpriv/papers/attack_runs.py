"""The attacks of Chen & Ohrimenko (2023, full version), ready to go on from where they stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.attacks.property_inference import AttackResult, PropertyInferenceAttack
from distpriv.errors import AttackError
from distpriv.model.run import Progress, completed
from distpriv.papers import printed
from distpriv.papers.cells import Standing
from distpriv.papers.records import DELTA, QUERY, SECRETS, SEED, SIZE, PaperRecords
from distpriv.papers.standing import as_published, standing_of
from distpriv.papers.tables import PAIR
from distpriv.privacy.noise import Noise

__all__ = [
    "ADAPTIVE",
    "CURVE_EPSILONS",
    "CURVE_MECHANISMS",
    "PANELS",
    "REPETITIONS",
    "WIDTHS",
    "PaperAttacks",
    "noise_name",
]

REPETITIONS = 50
"""As many as in the paper."""

WIDTHS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
"""Δp of Figure 4a."""

PANELS = {"income": 0.1, "work class": 0.2}
"""Δp of Figures 4b and 4c."""

CURVE_EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
CURVE_MECHANISMS = ("ExpM", "EigM", "DauM", "GroupDP")
"""ε and mechanisms of Figures 4b and 4c."""

ADAPTIVE = "adaptive"

Key = tuple[str, float]


def noise_name(mechanism: str, epsilon: float, delta: float) -> str:
    """What a noise is called among those that an attack meets."""
    return f"{mechanism}, ε = {epsilon:g}, δ = {delta:g}"


@dataclass
class PaperAttacks:
    """All attacks of Table 4 and Figure 4, one repetition of one attack at a time.

    Every Δp of Figure 4a is an attack on undefended statistics; those of Figures 4b and 4c meet
    their noises too, that of Table 4 once more with an adaptive attacker. All repetitions of the
    same number come before the next, so that everything sharpens at the same pace. The seed
    decides every figure. The noise is as published; none of these attackers knows that arithmetic
    undoes some of it.

    Attributes
    ----------
    records : PaperRecords
    repetitions : int, at least 1
        May be raised while they are under way, and afterwards.
    seed : int
    """

    records: PaperRecords
    repetitions: int = REPETITIONS
    seed: int = SEED
    _attacks: dict[Key, PropertyInferenceAttack] = field(default_factory=dict)
    _runs: dict[Key, list[dict[str, float]]] = field(default_factory=dict)
    _standing: dict[tuple[str, float, str], Standing] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.repetitions < 1:
            raise AttackError(f"An attack needs at least one repetition, got {self.repetitions}.")
        for name in SECRETS:
            for width in WIDTHS:
                self._attacks[name, width] = self._undefended(name, width)
        table = self._attacks["income", PANELS["income"]]
        defences = self._table4_noises()
        with_table = replace(table, noises={**table.noises, **defences})
        self._attacks["income", PANELS["income"]] = with_table
        self._attacks[ADAPTIVE, PANELS["income"]] = replace(table, noises=defences, adaptive=True)
        self._runs = {key: [] for key in self._attacks}

    @property
    def attacks(self) -> int:
        """How many attacks there are."""
        return len(self._attacks)

    @property
    def wanted(self) -> int:
        """Repetitions of all attacks together."""
        return self.attacks * self.repetitions

    @property
    def done(self) -> int:
        """Those that are done."""
        return sum(map(len, self._runs.values()))

    @property
    def rounds(self) -> int:
        """Repetitions that every attack has behind it."""
        return min(map(len, self._runs.values()))

    def steps(self) -> Iterator[Progress[PaperAttacks]]:
        """Do what is left, for a :class:`.Run`; the first progress comes before any of it.

        Raises
        ------
        AttackError
            If a part of the records has too few of a kind.
        """
        yield Progress(self.done, self.wanted, lambda: self)
        while self.done < self.wanted:
            key = min(self._runs, key=lambda attack: len(self._runs[attack]))
            self._runs[key].append(self._attacks[key].repetition(len(self._runs[key])))
            yield Progress(self.done, self.wanted, lambda: self)

    def run(self) -> PaperAttacks:
        """Do all that is left; errors are those of :meth:`steps`."""
        return completed(self.steps())

    def result(self, attack: str, width: float) -> AttackResult | None:
        """Accuracies so far of an attack on "income", "work class" or the adaptive one.

        None before its first repetition.
        """
        runs = self._runs[attack, width]
        if not runs:
            return None
        chosen = self._attacks[attack, width]
        accuracy = {name: np.array([run[name] for run in runs]) for name in chosen.noises}
        return AttackResult(accuracy, chosen.tests, chosen.adaptive, chosen.seed)

    def attack(self, name: str, width: float) -> PropertyInferenceAttack:
        """One of the attacks: on "income" or "work class" at a Δp, or the adaptive one."""
        return self._attacks[name, width]

    def standing(self, attack: str, width: float, name: str) -> Standing:
        """What no attacker passes against a noise by its name, on paper and in fact."""
        key = (attack, width, name)
        if key not in self._standing:
            chosen = self._attacks[attack, width]
            self._standing[key] = standing_of(self.records, chosen.pair, chosen.noises[name])
        return self._standing[key]

    def _undefended(self, name: str, width: float) -> PropertyInferenceAttack:
        secret = SECRETS[name]
        pair = secret.pair(0.5, width)
        noises: dict[str, Noise | None] = {UNDEFENDED: None}
        if PANELS[name] == width:
            for mechanism in CURVE_MECHANISMS:
                for epsilon in CURVE_EPSILONS:
                    noises[noise_name(mechanism, epsilon, DELTA)] = as_published(
                        mechanism, self.records, pair, epsilon
                    )
        groups = self.records.groups[secret]
        return PropertyInferenceAttack(groups, QUERY, pair, SIZE, noises, False, seed=self.seed)

    def _table4_noises(self) -> dict[str, Noise | None]:
        return {
            noise_name(name, epsilon, delta): as_published(name, self.records, PAIR, epsilon, delta)
            for name, epsilon in printed.TABLE_4
            for delta in printed.DELTAS
        }
