"""What a simulated attacker knows of the records, and what the best possible one has over it."""

from __future__ import annotations

from distpriv.attacks.property_inference import ARITHMETIC, PropertyInferenceAttack
from distpriv.words import exact

__all__ = ["known_in_words"]


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
    if not attack.split:
        return (
            "The simulated attacker knows all the records that datasets are drawn from, as the "
            f"best possible one does{learns}."
        )
    part = exact(attack.part_size)
    lacks = learns or ", where the best possible one knows how all of them are distributed"
    return (
        f"The simulated attacker knows {part} of the records and meets datasets drawn from {part} "
        f"others{lacks}: it may be right less often for that alone."
    )
