"""Laws of the privacy loss, and the privacy that a release delivers."""

from distpriv.privacy.delivered import (
    Verdict,
    WorstLoss,
    accuracies,
    delivered_delta,
    delivered_epsilon,
    optimal_attack_accuracy,
    pair_loss,
    privacy_loss,
    verdict,
    verdicts,
)
from distpriv.privacy.loss import FiniteLoss, NormalLoss, PrivacyLoss
from distpriv.privacy.persons import Bound, Persons

__all__ = [
    "Bound",
    "FiniteLoss",
    "NormalLoss",
    "Persons",
    "PrivacyLoss",
    "Verdict",
    "WorstLoss",
    "accuracies",
    "delivered_delta",
    "delivered_epsilon",
    "optimal_attack_accuracy",
    "pair_loss",
    "privacy_loss",
    "verdict",
    "verdicts",
]
