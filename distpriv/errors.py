"""Every error that a user of the package or the dashboard can cause.

Each message is one sentence that says what is wrong, where, and what to do.
"""

from __future__ import annotations

__all__ = [
    "AttackError",
    "AttributePrivacyError",
    "CalibrationError",
    "ConflictError",
    "DatasetError",
    "DistanceError",
    "DistprivError",
    "FrameworkError",
    "HypothesisError",
    "InapplicableError",
    "LimitError",
    "ModelError",
    "NetworkError",
    "PropertyError",
    "QueryError",
    "ReportError",
    "ScenarioError",
    "ServingError",
    "SourceError",
    "StoreError",
    "TableError",
]


class DistprivError(ValueError):
    """Base class of every error that a user can cause."""


class TableError(DistprivError):
    """A file that cannot be read as a table, or a table that cannot be used."""


class SourceError(TableError):
    """A table that stays where it is and cannot be asked, or has changed meanwhile."""


class DatasetError(DistprivError):
    """A dataset that cannot be found or fetched."""


class QueryError(DistprivError):
    """A statistic that cannot be computed from the table."""


class PropertyError(DistprivError):
    """A sensitive property or a pair of proportions that makes no sense on the table."""


class ModelError(DistprivError):
    """A Gaussian model that the data cannot support."""


class CalibrationError(DistprivError):
    """A privacy parameter or a mechanism outside its domain."""


class InapplicableError(CalibrationError):
    """A mechanism that cannot keep its promise on this model, however much noise it adds."""


class AttackError(DistprivError):
    """A property-inference attack that the data cannot support."""


class DistanceError(DistprivError):
    """Points or weights that make no distribution to measure from."""


class FrameworkError(DistprivError):
    """An instantiation of a privacy framework that does not hang together."""


class AttributePrivacyError(DistprivError):
    """Sensitivities, variances or assumptions that attribute privacy cannot be computed from."""


class NetworkError(DistprivError):
    """A Bayesian network that is none, is too large, or does not have what is asked of it."""


class HypothesisError(DistprivError):
    """A limit on an attacker, or what they know beforehand, outside its domain."""


class ScenarioError(DistprivError):
    """A scenario, or the file or link that holds one, that cannot be read."""


class ReportError(DistprivError):
    """A report that lacks what it is to be about."""


class StoreError(DistprivError):
    """A database that cannot be reached, read or written, or a record that it cannot take."""


class ConflictError(StoreError):
    """A decision that somebody else has changed since it was opened; the message says who."""


class LimitError(DistprivError):
    """A release that would exceed an agreed limit, or that cannot be checked against it."""


class ServingError(DistprivError):
    """A setting of the server that cannot be read, or that would not be safe."""
