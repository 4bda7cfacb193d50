"""Table 4 and Figure 4 of Chen & Ohrimenko (2023, full version): the attack, simulated."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from distpriv.attacks import AttackResult, Interval, PropertyInferenceAttack
from distpriv.best_attack import optimal_attack_accuracy
from distpriv.errors import AttackError
from distpriv.experiments import printed
from distpriv.experiments.cells import Cell
from distpriv.experiments.records import DELTA, QUERY, SECRETS, SEED, SIZE, PaperRecords
from distpriv.experiments.tables import PAIR, SHORTHAND
from distpriv.mechanisms import calibrate
from distpriv.models import GaussianModel
from distpriv.noise import Noise
from distpriv.properties import Pair
from distpriv.utility import UNDEFENDED

__all__ = [
    "PANELS",
    "REPETITIONS",
    "TOLERANCE",
    "WIDTHS",
    "AttackCurve",
    "AttackRow",
    "PaperAttacks",
    "figure4",
    "figure4a_curves",
    "figure4bc_curves",
    "table4",
    "table4_attackers",
]

REPETITIONS = 50
"""As many as in the paper."""

TOLERANCE = 0.02
"""Largest difference of two accuracies that agree."""

WIDTHS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
PANELS = {"income": 0.1, "work class": 0.2}
"""Δp of Figures 4b and 4c."""

_CURVE_EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_CURVE_MECHANISMS = ("ExpM", "EigM", "DauM", "GroupDP")
_ADAPTIVE = "adaptive"

Key = tuple[str, float]


def _noise_name(mechanism: str, epsilon: float, delta: float) -> str:
    return f"{mechanism}, ε = {epsilon:g}, δ = {delta:g}"


@dataclass
class PaperAttacks:
    """All attacks of Table 4 and Figure 4, one repetition of one attack at a time.

    Every Δp of Figure 4a is an attack on undefended statistics; those of Figures 4b and 4c meet
    their noises too, that of Table 4 once more with an adaptive attacker. All repetitions of the
    same number come before the next, so that everything sharpens at the same pace. The seed
    decides every figure: neither the budget of a step nor stopping moves one.

    Attributes
    ----------
    records : PaperRecords
    repetitions : int, at least 1
    seed : int
    stopped : bool
    """

    records: PaperRecords
    repetitions: int = REPETITIONS
    seed: int = SEED
    stopped: bool = False
    _attacks: dict[Key, PropertyInferenceAttack] = field(default_factory=dict)
    _runs: dict[Key, list[dict[str, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.repetitions < 1:
            raise AttackError(f"An attack needs at least one repetition, got {self.repetitions}.")
        for name in SECRETS:
            for width in WIDTHS:
                self._attacks[name, width] = self._attack(name, width)
        table = self._attacks["income", PANELS["income"]]
        defences = self._table4_noises()
        with_table = replace(table, noises={**table.noises, **defences})
        self._attacks["income", PANELS["income"]] = with_table
        self._attacks[_ADAPTIVE, PANELS["income"]] = replace(table, noises=defences, adaptive=True)
        self._runs = {key: [] for key in self._attacks}

    @property
    def wanted(self) -> int:
        """Repetitions of all attacks together."""
        return len(self._attacks) * self.repetitions

    @property
    def done(self) -> int:
        """Those that are done."""
        return sum(map(len, self._runs.values()))

    @property
    def rounds(self) -> int:
        """Repetitions that every attack has behind it."""
        return min(map(len, self._runs.values()))

    @property
    def running(self) -> bool:
        """Whether there is more to do."""
        return not self.stopped and self.done < self.wanted

    def step(self, budget_seconds: float) -> None:
        """Go on until the budget is spent; at least one repetition of one attack.

        Raises
        ------
        AttackError
            If a part of the records has too few of a kind.
        """
        until = time.perf_counter() + budget_seconds
        while self.running:
            key = min(self._runs, key=lambda each: len(self._runs[each]))
            self._runs[key].append(self._attacks[key].repetition(len(self._runs[key])))
            if time.perf_counter() >= until:
                return

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

    def noise(self, attack: str, width: float, name: str) -> Noise | None:
        """A noise that an attack meets, by its name there."""
        return self._attacks[attack, width].noises[name]

    def _attack(self, name: str, width: float) -> PropertyInferenceAttack:
        secret = SECRETS[name]
        pair = secret.pair(0.5, width)
        noises: dict[str, Noise | None] = {UNDEFENDED: None}
        if PANELS[name] == width:
            model = self.records.model(pair)
            for mechanism in _CURVE_MECHANISMS:
                for epsilon in _CURVE_EPSILONS:
                    noises[_noise_name(mechanism, epsilon, DELTA)] = calibrate(
                        mechanism, model, epsilon, DELTA, "classical"
                    )
        groups = self.records.groups[secret]
        return PropertyInferenceAttack(groups, QUERY, pair, SIZE, noises, False, seed=self.seed)

    def _table4_noises(self) -> dict[str, Noise | None]:
        model = self.records.model(PAIR)
        return {
            _noise_name(name, epsilon, delta): calibrate(name, model, epsilon, delta, "classical")
            for name, epsilon in printed.TABLE_4
            for delta in printed.DELTAS
        }


@dataclass(frozen=True)
class AttackRow:
    """What three attackers achieve against one noise of Table 4.

    Attributes
    ----------
    mechanism : str
    epsilon, delta : float
    clean : Interval or None
        The paper's attacker, trained on clean statistics.
    adaptive : Interval or None
        Trained on noisy statistics, as they are released.
    optimal : float
        What no attacker passes on the fitted model.
    """

    mechanism: str
    epsilon: float
    delta: float
    clean: Interval | None
    adaptive: Interval | None
    optimal: float


def table4_attackers(attacks: PaperAttacks) -> tuple[AttackRow, ...]:
    """The paper's attacker of Table 4 beside an adaptive one and the best possible one.

    Erratum: the paper's attacker trains on clean statistics, which understates the leak.
    """
    width, model = PANELS["income"], attacks.records.model(PAIR)
    clean, adaptive = attacks.result("income", width), attacks.result(_ADAPTIVE, width)
    rows = []
    for mechanism, epsilon in printed.TABLE_4:
        for delta in printed.DELTAS:
            name = _noise_name(mechanism, epsilon, delta)
            rows.append(
                AttackRow(
                    mechanism,
                    epsilon,
                    delta,
                    None if clean is None else clean.interval(name),
                    None if adaptive is None else adaptive.interval(name),
                    optimal_attack_accuracy(model, attacks.noise("income", width, name)),
                )
            )
    return tuple(rows)


def table4(attacks: PaperAttacks) -> tuple[Cell, ...]:
    """Accuracies of Table 4: income, Δp = 0.1, the paper's attacker, classical calibration.

    The undefended accuracy of the paper's text comes last.
    """
    width = PANELS["income"]
    cells = []
    for (mechanism, epsilon), row in printed.TABLE_4.items():
        for delta, text in zip(printed.DELTAS, row, strict=True):
            name = _noise_name(mechanism, epsilon, delta)
            cells.append(
                _cell(
                    attacks,
                    ("income", width),
                    name,
                    "table-4",
                    f"{SHORTHAND[mechanism]}, ε = {epsilon:g}",
                    f"δ = {delta:g}",
                    text,
                    float(text),
                )
            )
    undefended = _cell(
        attacks,
        ("income", width),
        UNDEFENDED,
        "table-4",
        "no noise",
        "–",
        printed.UNDEFENDED,
        0.75,
        rounded=0.005,
    )
    return (*cells, undefended)


def figure4(attacks: PaperAttacks) -> tuple[Cell, ...]:
    """What the text says of Figure 4, whose curves have no printed values.

    At Δp = 0.4 without noise; and near guessing for every mechanism at ε = 0.1, for group
    differential privacy even at ε = 10.
    """
    cells = [
        _cell(
            attacks,
            (name, 0.4),
            UNDEFENDED,
            "figure-4",
            f"{name}, no noise",
            "Δp = 0.4",
            text,
            stated,
        )
        for (name, text), stated in zip(printed.FIGURE_4A.items(), (1.0, 0.9), strict=True)
    ]
    guesses = [(mechanism, 0.1) for mechanism in ("ExpM", "EigM", "DauM")] + [("GroupDP", 10.0)]
    for name, width in PANELS.items():
        for mechanism, epsilon in guesses:
            cells.append(
                _cell(
                    attacks,
                    (name, width),
                    _noise_name(mechanism, epsilon, DELTA),
                    "figure-4",
                    f"{name}, {SHORTHAND[mechanism]}",
                    f"ε = {epsilon:g}",
                    printed.NEAR_GUESSING,
                    0.5,
                )
            )
    return tuple(cells)


def _cell(
    attacks: PaperAttacks,
    key: Key,
    noise: str,
    item: str,
    row: str,
    column: str,
    text: str,
    paper: float,
    rounded: float | None = None,
) -> Cell:
    """A printed accuracy; `rounded` is half a unit of its last digit where that matters."""
    result = attacks.result(*key)
    cell = Cell(
        item=item,
        row=row,
        column=column,
        printed=text,
        paper=paper,
        tolerance=TOLERANCE,
        stand_in=attacks.records.stand_in,
        share=True,
        seed=attacks.seed,
    )
    if result is None:
        return cell
    interval = result.interval(noise)
    exact = item == "table-4"  # the others are words, not figures
    return replace(
        cell,
        ours=interval.estimate,
        interval=interval,
        repeats=_repeats(result.accuracy[noise], rounded or 0.0) if exact else None,
        repetitions=result.repetitions,
    )


def _repeats(accuracies: NDArray[np.float64], rounded: float) -> tuple[float, float] | None:
    """Where another mean of 50 repetitions would lie with 95 %, given ours."""
    count = len(accuracies)
    if count < 2:
        return None
    spread = float(np.std(accuracies, ddof=1)) * math.sqrt(1 / count + 1 / REPETITIONS)
    reach = float(stats.t.ppf(0.975, count - 1)) * spread + rounded
    mean = float(np.mean(accuracies))
    return mean - reach, mean + reach


@dataclass(frozen=True)
class AttackCurve:
    """Accuracy of the paper's attacker along an axis, beside the best possible one.

    Attributes
    ----------
    x : tuple of float
        Δp or ε.
    simulated : tuple of Interval
        Empty before the first repetition.
    optimal : tuple of float
    """

    x: tuple[float, ...]
    simulated: tuple[Interval, ...]
    optimal: tuple[float, ...]


def figure4a_curves(attacks: PaperAttacks) -> Mapping[str, AttackCurve]:
    """Accuracy against Δp without noise, for income and work class."""
    curves = {}
    for name, secret in SECRETS.items():
        pairs = [secret.pair(0.5, width) for width in WIDTHS]
        results = [attacks.result(name, width) for width in WIDTHS]
        curves[name] = AttackCurve(
            WIDTHS,
            tuple(result.interval(UNDEFENDED) for result in results if result is not None)
            if None not in results
            else (),
            tuple(optimal_attack_accuracy(model) for model in _each(attacks, pairs)),
        )
    return curves


def figure4bc_curves(attacks: PaperAttacks) -> Mapping[str, Mapping[str, AttackCurve]]:
    """Accuracy against ε at δ = 0.001, by secret and mechanism."""
    found = {}
    for name, width in PANELS.items():
        model = attacks.records.model(SECRETS[name].pair(0.5, width))
        result = attacks.result(name, width)
        found[name] = {
            mechanism: AttackCurve(
                _CURVE_EPSILONS,
                ()
                if result is None
                else tuple(
                    result.interval(_noise_name(mechanism, epsilon, DELTA))
                    for epsilon in _CURVE_EPSILONS
                ),
                tuple(
                    optimal_attack_accuracy(
                        model,
                        attacks.noise(name, width, _noise_name(mechanism, epsilon, DELTA)),
                    )
                    for epsilon in _CURVE_EPSILONS
                ),
            )
            for mechanism in _CURVE_MECHANISMS
        }
    return found


def _each(attacks: PaperAttacks, pairs: Sequence[Pair]) -> list[GaussianModel]:
    return [attacks.records.model(pair) for pair in pairs]
