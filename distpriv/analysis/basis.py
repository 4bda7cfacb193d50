"""What the figures about a noise rest on: the exact law of the statistics, or normal curves."""

from __future__ import annotations

from distpriv import mechanisms
from distpriv.analysis.scenario import Scenario
from distpriv.errors import ModelError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.exact_laws import ExactLaw
from distpriv.privacy.known_laws import known_laws
from distpriv.privacy.noise import Noise
from distpriv.words import SPACE, number

__all__ = [
    "basis_in_words",
    "drawn_in_words",
    "figure_laws",
    "normals_in_words",
    "refuted_in_words",
    "remedy_in_words",
]


_INTEGRABLE = 2  # statistics, of which any Gaussian noise is


def figure_laws(model: GaussianModel, noise: Noise | None) -> tuple[ExactLaw, ...] | None:
    """Return the exact law of every pair, if it decides the figures of a noise; else None.

    It does wherever it is known, whatever the noise was calibrated by: of Gaussian noise, of
    Laplace noise on a single statistic, and of none. Three counts under noise too small to be
    integrated over are left to the normals, and so is a floor that is narrow beside many records.
    """
    laplace = noise is not None and not noise.is_zero and noise.distribution == "laplace"
    if laplace and len(model.query) > 1:
        return None
    laws = known_laws(model)
    if laws is not None and noise is not None and (laplace or len(model.query) > _INTEGRABLE):
        try:
            for law in laws:
                law.delivered_delta(noise, noise.epsilon)
        except ModelError:
            return None
    return laws


def drawn_in_words(scenario: Scenario) -> str:
    """Say how a release draws its records, and so whose share is hidden; plain."""
    if scenario.hidden_share == "table":
        return "at random; what is hidden is the table's share"
    return "with exactly the table's share of the property, which is what is hidden"


def basis_in_words(laws: tuple[ExactLaw, ...] | None) -> str:
    """What figures that are delivered rest on."""
    if laws is None:
        return "by the fitted normals with the covariance each of them has"
    return "by the exact law of these statistics, with no normal curve assumed"


def normals_in_words(what: str, scenario: Scenario, *, by_law: bool) -> str:
    """That figures are by the fitted normals though the promise is not; empty where both are.

    Parameters
    ----------
    what : str
        The figures, the beginning of a sentence in the plural.
    scenario : Scenario
    by_law : bool
        Whether an exact law decides the promise.
    """
    if by_law:
        rests = "the promise is judged by the exact law"
    elif mechanisms.get(scenario.mechanism).from_records:
        rests = f"the promise of {scenario.mechanism} rests on the sampling of the records alone"
    else:
        return ""
    return f"{what} are by the fitted normals; {rests}."


def remedy_in_words(noise: Noise, *, by_law: bool, refuted: bool = False) -> str:
    """Say what makes up for a promise that is missed, or why it is; a clause.

    Parameters
    ----------
    noise : Noise
    by_law : bool
        Whether an exact law decides the promise.
    refuted : bool
        Whether attacks have proven it.
    """
    if refuted:
        return "the curves promise too much, and CoupM needs none"
    if noise.distribution == "laplace":
        return "the two shares do more than shift the statistics"
    if by_law:
        return "the curves promise too much, and the exact-law calibration needs none"
    return "the guarded calibration makes up for it"


def refuted_in_words(delta: float | None) -> str:
    """Say what attacks prove about a promise, from a δ; empty where they refute nothing."""
    if delta is None:
        return ""
    return f" Simulated attacks prove δ{SPACE}={SPACE}{number(delta)} at least."
