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

__all__ = [
    "FRAMEWORKS",
    "RECORDS",
    "RELATIONS",
    "Framework",
    "Range",
    "Records",
    "Relation",
    "convert",
]
