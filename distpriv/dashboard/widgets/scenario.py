"""What several pages say of a scenario: its pair, its best attacker, its error."""

from __future__ import annotations

from distpriv.attacks.best_attack import optimal_attack_accuracies
from distpriv.dashboard.shell.frame import View
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.noise import Noise
from distpriv.words import escape, number, share

__all__ = ["accuracy", "l2", "pair_words"]


def accuracy(model: GaussianModel, noise: Noise | None) -> float:
    """Accuracy of the optimal attack; simulated to 1.5e-3 where it has to be."""
    return float(optimal_attack_accuracies([(model, noise)])[0])


def pair_words(view: View) -> str:
    """The two shares of the secret, in words."""
    pair = view.fit.pair
    return f"{share(pair.p_i)} from {share(pair.p_j)} of **{escape(pair.secret.label)}**"


def l2(view: View, noise: Noise) -> str:
    """Expected L2 error in the units it is reported in: ``8.5 in L2``."""
    error = number(view.reported(noise).expected_error())
    name = view.error_unit
    return f"{error}\u00a0{name} in L2" if name else f"{error} in L2"
