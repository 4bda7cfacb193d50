"""The papers' tables and figures as functions; ``python -m distpriv.experiments`` prints them."""

from distpriv.experiments.distribution_privacy import (
    AttackCell,
    AttackPoint,
    ErrorRow,
    Figure4a,
    Table3,
    Table4,
    figure4a,
    table3,
    table4,
)

__all__ = [
    "AttackCell",
    "AttackPoint",
    "ErrorRow",
    "Figure4a",
    "Table3",
    "Table4",
    "figure4a",
    "table3",
    "table4",
]
