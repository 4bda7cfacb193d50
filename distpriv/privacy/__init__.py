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
from distpriv.privacy.exact_law import ExactLaw, compute_law, exact_law, known_law
from distpriv.privacy.loss import FiniteLoss, NormalLoss, PrivacyLoss
from distpriv.privacy.persons import (
    Bound,
    Bounds,
    PerRecord,
    Persons,
    as_bounds,
    check_bounds,
    per_record,
    record_moves,
)

__all__ = ["Bound", "Bounds", "ExactLaw", "FiniteLoss", "NormalLoss", "PerRecord", "Persons"]
__all__ += ["PrivacyLoss", "Verdict", "WorstLoss", "accuracies", "as_bounds", "check_bounds"]
__all__ += ["compute_law", "delivered_delta", "delivered_epsilon", "exact_law", "known_law"]
__all__ += ["optimal_attack_accuracy", "pair_loss", "per_record", "privacy_loss", "record_moves"]
__all__ += ["verdict", "verdicts"]
