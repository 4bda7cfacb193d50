"""What the papers' noise is worth against whoever knows the grid of the statistics.

Counts are whole numbers and averages of whole numbers over n records multiples of 1/n. Noise along
fewer directions than there are statistics leaves the others on their grid to whoever tries the
values of one: arithmetic subtracts it (erratum 12).
"""

from __future__ import annotations

from distpriv.attacks.best_attack import optimal_attack_accuracy, pooled_attack_accuracy
from distpriv.mechanisms import calibrate
from distpriv.papers.cells import Standing
from distpriv.papers.records import DELTA, PaperRecords
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.covered import is_undone
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import Pair

__all__ = ["as_published", "standing_of"]


def as_published(
    name: str,
    records: PaperRecords,
    pair: Pair,
    epsilon: float,
    delta: float = DELTA,
    calibration: Calibration = "classical",
) -> Noise:
    """A mechanism's noise as the paper has it, which covers no grid.

    Parameters
    ----------
    name : str
        Short name of the mechanism.
    records : PaperRecords
    pair : Pair
    epsilon, delta : float
    calibration : "classical" or "exact"
        The paper's own by default.
    """
    return calibrate(name, records.model(pair), epsilon, delta, calibration, grid_safe=False)


def standing_of(records: PaperRecords, pair: Pair, noise: Noise | None) -> Standing:
    """Whether arithmetic undoes a noise, and how often the best attacker is right.

    On paper with the pooled covariance of each pair, as in the papers; in fact with both.

    Parameters
    ----------
    records : PaperRecords
    pair : Pair
    noise : Noise or None
        As published; None for no noise, which there is nothing to undo of.
    """
    model = records.model(pair)
    return Standing(
        is_undone(model, noise),
        pooled_attack_accuracy(records.densities(pair), noise),
        optimal_attack_accuracy(model, noise),
    )
