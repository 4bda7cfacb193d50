"""Simulated attackers, who guess a share of the records from what is released."""

from distpriv.attacks.audit import Audit, audit_attack
from distpriv.attacks.belief import Belief, posterior
from distpriv.attacks.classifiers import ATTACKERS, Attacker
from distpriv.attacks.property_inference import AttackResult, PropertyInferenceAttack, run_attack

__all__ = ["ATTACKERS", "AttackResult", "Attacker", "Audit", "Belief", "PropertyInferenceAttack"]
__all__ += ["audit_attack", "posterior", "run_attack"]
