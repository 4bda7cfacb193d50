"""Privacy frameworks beside distribution privacy: the map of notions, and Pufferfish."""

from distpriv.frameworks.map import (
    FRAMEWORKS,
    RECORDS,
    RELATIONS,
    Framework,
    Range,
    Records,
    Relation,
    convert,
)
from distpriv.frameworks.pufferfish import (
    DistributionPrivacy,
    Pufferfish,
    to_distribution_privacy,
    to_pufferfish,
)

__all__ = [
    "FRAMEWORKS",
    "RECORDS",
    "RELATIONS",
    "DistributionPrivacy",
    "Framework",
    "Pufferfish",
    "Range",
    "Records",
    "Relation",
    "convert",
    "to_distribution_privacy",
    "to_pufferfish",
]
