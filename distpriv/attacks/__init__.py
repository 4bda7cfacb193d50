"""Whoever wants the share: the best attacker, trained ones, one who knows the grid; beliefs.

An attacker who is registered, :func:`register`, is offered wherever one is chosen.
"""

from distpriv.attacks import hypothesis, posterior
from distpriv.attacks.audit import Audit, audit_attack
from distpriv.attacks.best_attack import (
    optimal_attack_accuracies,
    optimal_attack_accuracy,
    optimal_attack_estimate,
    pooled_attack_accuracy,
)
from distpriv.attacks.classifiers import (
    Attacker,
    Classifier,
    attacker_names,
    get_attacker,
    register,
    unregister,
)
from distpriv.attacks.joint_audit import JointAudit, audit_attackers
from distpriv.attacks.optimal import (
    binding_pair,
    linear_attack_accuracy,
    optimal_precision_recall,
    optimal_roc,
)
from distpriv.attacks.property_inference import PropertyInferenceAttack, run_attack
from distpriv.attacks.record_equivalent import (
    draws_to_match,
    leaked_records,
    reading_accuracy,
    records_to_match,
)
from distpriv.attacks.results import AttackResult
from distpriv.attacks.two_shares import ShareBelief, share_belief

__all__ = [
    "AttackResult",
    "Attacker",
    "Audit",
    "Classifier",
    "JointAudit",
    "PropertyInferenceAttack",
    "ShareBelief",
    "attacker_names",
    "audit_attack",
    "audit_attackers",
    "binding_pair",
    "draws_to_match",
    "get_attacker",
    "hypothesis",
    "leaked_records",
    "linear_attack_accuracy",
    "optimal_attack_accuracies",
    "optimal_attack_accuracy",
    "optimal_attack_estimate",
    "optimal_precision_recall",
    "optimal_roc",
    "pooled_attack_accuracy",
    "posterior",
    "reading_accuracy",
    "records_to_match",
    "register",
    "run_attack",
    "share_belief",
    "unregister",
]
