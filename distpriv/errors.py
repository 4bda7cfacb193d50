"""Errors that a user can cause; each message is one sentence: what, where, what to do."""

from __future__ import annotations

__all__ = [
    "AttackError",
    "DistprivError",
    "NotApplicable",
    "ReadError",
    "SourceError",
    "StoreError",
]


class DistprivError(ValueError):
    """Report that something chosen has no answer."""


class ReadError(DistprivError):
    """Report that a file cannot be read as a table."""


class SourceError(DistprivError):
    """Report that a table cannot give what was asked of it."""


class NotApplicable(DistprivError):
    """Report that a mechanism cannot keep a promise under a model."""


class AttackError(DistprivError):
    """Report that an attack cannot be simulated as asked."""


class StoreError(DistprivError):
    """Report that a record of a decision or a release cannot be kept."""
