"""Errors that a user can cause; each message is one sentence: what, where, what to do."""

from __future__ import annotations

__all__ = ["AttackError", "DistprivError", "NotApplicable", "ReadError", "SourceError"]
__all__ += ["StoreError"]


class DistprivError(ValueError):
    """Report that something chosen has no answer.

    Examples
    --------
    >>> dp.Query([])
    Traceback (most recent call last):
    distpriv.errors.DistprivError: Nothing is released; choose at least one figure.
    """


class ReadError(DistprivError):
    """Report that a file cannot be read as a table.

    Examples
    --------
    >>> dp.read_table("a.csv")
    Traceback (most recent call last):
    distpriv.errors.ReadError: a.csv cannot be opened (no such file or directory); check its name.
    """


class SourceError(DistprivError):
    """Report that a table cannot give what was asked of it.

    Examples
    --------
    >>> dp.fit_gaussian([1, 2], dp.Mean("age"), dp.SensitiveProperty("sex", "F").pair(0.5, 0.1))
    Traceback (most recent call last):
    distpriv.errors.SourceError: list is not a table; pass a table of pandas, Polars or Arrow, ...
    """


class NotApplicable(DistprivError):
    """Report that a mechanism cannot keep a promise under a model.

    Examples
    --------
    >>> late, table = dp.SensitiveProperty("late", "yes").pair(0.2, 0.2), dp.load_example("bank")
    >>> model = dp.fit_gaussian(table, [dp.Mean("income"), dp.Mean("amount")], late, n=100)
    >>> dp.calibrate("OptM", model, guesses=60, calibration="exact-law")
    Traceback (most recent call last):
    distpriv.errors.NotApplicable: The exact law is known only for one sum, mean or count on ...
    """


class AttackError(DistprivError):
    """Report that an attack cannot be simulated as asked.

    Examples
    --------
    >>> late, table = dp.SensitiveProperty("late", "yes").pair(0.2, 0.2), dp.load_example("bank")
    >>> dp.run_attack(table, dp.Mean("income"), late, n=100, known=1)
    Traceback (most recent call last):
    distpriv.errors.AttackError: An attacker knows an even number of records, ...
    """


class StoreError(DistprivError):
    """Report that a record of a decision or a release cannot be kept.

    Examples
    --------
    >>> dp.records.ledger.releases(dp.records.store.Store("mysql://somewhere"))
    Traceback (most recent call last):
    distpriv.errors.StoreError: The address of the database (ledger=, or DISTPRIV_DATABASE) must ...
    """
