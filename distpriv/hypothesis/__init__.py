"""What an ε means to an attacker who tests a record, and how notions of privacy relate."""

from distpriv.hypothesis.notions import (
    FRAMEWORKS,
    RELATIONS,
    DistributionPrivacy,
    Framework,
    Pufferfish,
    Relation,
    convert,
    delivered,
    to_distribution_privacy,
    to_pufferfish,
)
from distpriv.hypothesis.tests import (
    RecordTest,
    auxiliary_factor,
    f_score_floor,
    max_epsilon,
    max_f_score,
    plausible_deniability,
)

__all__ = ["FRAMEWORKS", "RELATIONS", "DistributionPrivacy", "Framework", "Pufferfish"]
__all__ += ["RecordTest", "Relation", "auxiliary_factor", "convert", "delivered", "f_score_floor"]
__all__ += ["max_epsilon", "max_f_score", "plausible_deniability", "to_distribution_privacy"]
__all__ += ["to_pufferfish"]
