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
from distpriv.attacks.results import AttackResult

__all__ = [
    "AttackResult",
    "Attacker",
    "Audit",
    "Classifier",
    "JointAudit",
    "PropertyInferenceAttack",
    "attacker_names",
    "audit_attack",
    "audit_attackers",
    "binding_pair",
    "get_attacker",
    "hypothesis",
    "linear_attack_accuracy",
    "optimal_attack_accuracies",
    "optimal_attack_accuracy",
    "optimal_attack_estimate",
    "optimal_precision_recall",
    "optimal_roc",
    "pooled_attack_accuracy",
    "posterior",
    "register",
    "run_attack",
    "unregister",
]
