"""What the figures about a noise rest on: the exact law of the statistics, or normal curves."""

from __future__ import annotations

from distpriv import mechanisms
from distpriv.analysis.scenario import Scenario
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.exact_laws import ExactLaw
from distpriv.privacy.known_laws import known_laws
from distpriv.privacy.noise import Noise

__all__ = ["basis_in_words", "calibrated_by_law", "figure_laws", "normals_in_words"]


def calibrated_by_law(noise: Noise | None) -> bool:
    """Whether the exact law, where it is known, says what a noise delivers.

    Noise that was not calibrated by the law, such as that of Laplace mechanisms and baselines,
    stands beside it by the fitted normals.
    """
    return noise is None or noise.is_zero or noise.calibration == "exact-law"


def figure_laws(
    scenario: Scenario, model: GaussianModel, noise: Noise | None
) -> tuple[ExactLaw, ...] | None:
    """The exact law of every pair, if the figures of a scenario's noise rest on it; else None."""
    if scenario.calibration != "exact-law" or not calibrated_by_law(noise):
        return None
    return known_laws(model)


def basis_in_words(laws: tuple[ExactLaw, ...] | None) -> str:
    """What figures that are delivered rest on."""
    if laws is None:
        return "by the fitted normals with the covariance each of them has"
    return "by the exact law of these counts, with no normal curve assumed"


def normals_in_words(what: str, scenario: Scenario) -> str:
    """That figures are by the fitted normals though the promise is not; empty where both are.

    Parameters
    ----------
    what : str
        The figures, the beginning of a sentence in the plural.
    scenario : Scenario
    """
    if mechanisms.get(scenario.mechanism).from_records:
        rests = f"the promise of {scenario.mechanism} rests on the sampling of the records alone"
    elif scenario.calibration == "exact-law":
        rests = "the calibration by the exact law does without them"
    else:
        return ""
    return f"{what} are by the fitted normals; {rests}."
