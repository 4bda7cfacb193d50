"""What a simulated attacker knows of the records, and what the best possible one has over it."""

from __future__ import annotations

from distpriv.attacks.best_attack import optimal_attack_accuracies
from distpriv.attacks.property_inference import ARITHMETIC, PropertyInferenceAttack
from distpriv.errors import ModelError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.partial_knowledge import conditional_model
from distpriv.privacy.noise import Noise
from distpriv.words import exact, number

__all__ = ["known_in_words", "partial_knowledge_in_words"]

_NOT_COUNTED = "The promise does not count such knowledge."


def partial_knowledge_in_words(model: GaussianModel, noise: Noise | None) -> str:
    """Say how often an attacker who already knows half of the records is right.

    Parameters
    ----------
    model : GaussianModel
        Of the pair that is told apart.
    noise : Noise or None
    """
    known = model.n // 2
    try:
        if model.share_of != "release":
            raise ModelError("The known records tell of the table's share by themselves.")
        conditional = conditional_model(model, known)
    except ModelError:
        return f"Someone who already knows some of the records can learn more. {_NOT_COUNTED}"
    hidden, bare = optimal_attack_accuracies([(conditional, noise), (conditional, None)])
    return (
        f"An attacker who already knows {exact(known)} of the {exact(model.n)} records is right "
        f"{number(100 * float(hidden))} times in 100 by our model, and "
        f"{number(100 * float(bare))} times without noise. {_NOT_COUNTED}"
    )


def known_in_words(attack: PropertyInferenceAttack) -> str:
    """What the attacker knows beside what the best possible one knows, in a sentence.

    Whoever is told how often both are right has to be told that too: an attacker who knows some of
    the records only may be right less often for that alone.

    Parameters
    ----------
    attack : PropertyInferenceAttack
    """
    learns = (
        ""
        if attack.classifier == ARITHMETIC.name
        else f", and learns from {attack.shadows} "
        "datasets where the best one knows how they are distributed"
    )
    subtracts = (
        f" It knows {exact(attack.known_records)} of the {exact(attack.n)} records of each dataset "
        "and subtracts them."
        if attack.known_records
        else ""
    )
    if not attack.split:
        return (
            "The simulated attacker knows all the records that datasets are drawn from, as the "
            f"best possible one does{learns}.{subtracts}"
        )
    part = exact(attack.part_size)
    lacks = learns or ", where the best possible one knows how all of them are distributed"
    return (
        f"The simulated attacker knows {part} of the records and meets datasets drawn from {part} "
        f"others{lacks}: it may be right less often for that alone.{subtracts}"
    )
