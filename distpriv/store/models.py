"""The tables of the database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Float, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = ["SCHEMA", "AuditRow", "Base", "LimitRow", "ReleaseRow", "RevisionRow", "SchemaRow"]

SCHEMA = 4
"""Version of the tables: 1 had no limits, and its releases neither reasons nor decisions; 2 had no
audit trail; 3 not always rooms and workspaces; a later one belongs to a later distpriv. The steps
from one to the next are in :mod:`distpriv.store.migrations`."""


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps no time zone, so it gets it back here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Times without a zone would be ambiguous, and there are none."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The same moment, in UTC."""
        if value is None or value.tzinfo is not None:
            return None if value is None else value.astimezone(UTC)
        return value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """What the tables share."""


class SchemaRow(Base):
    """Which version of the tables this is; one row."""

    __tablename__ = "distpriv_schema"

    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class RevisionRow(Base):
    """A decision as it stood at one time: rows are added, never changed.

    The primary key is what keeps two people apart who edit the same version: only one of them
    can add the next.
    """

    __tablename__ = "decision_revisions"

    decision: Mapped[str] = mapped_column(String(32), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(Moment)
    author: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(Text)
    comment: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(128), index=True)
    data: Mapped[str] = mapped_column(Text)
    epsilon: Mapped[float] = mapped_column(Float(53))
    delta: Mapped[float] = mapped_column(Float(53))
    chosen: Mapped[str] = mapped_column(Text)
    alternatives: Mapped[list[dict[str, Any]]] = mapped_column(JSON)


class ReleaseRow(Base):
    """A release that was drawn: what came out, and the noise that was in it."""

    __tablename__ = "releases"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    token: Mapped[str] = mapped_column(String(32), unique=True)
    at: Mapped[datetime] = mapped_column(Moment)
    author: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(128), index=True)
    data: Mapped[str] = mapped_column(Text)
    scenario: Mapped[str] = mapped_column(Text)
    units: Mapped[list[str]] = mapped_column(JSON)
    values: Mapped[list[float]] = mapped_column(JSON)
    noise: Mapped[dict[str, Any]] = mapped_column(JSON)
    # With a default in the database: rows of version 1 get it when the columns are added.
    reason: Mapped[str] = mapped_column(Text, server_default="")
    decision: Mapped[str] = mapped_column(String(32), server_default="")


class LimitRow(Base):
    """An agreed limit as it stood at one time: rows are added, never changed.

    The primary key is what keeps two people apart who change the same version.
    """

    __tablename__ = "limit_revisions"

    agreement: Mapped[str] = mapped_column(String(32), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(Moment)
    author: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(128), index=True)
    data: Mapped[str] = mapped_column(Text)
    scenario: Mapped[str] = mapped_column(Text)
    terms: Mapped[dict[str, Any]] = mapped_column(JSON)


class AuditRow(Base):
    """A row of the audit trail: who did what when, in one chain without gaps."""

    __tablename__ = "audit_trail"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(Moment)
    act: Mapped[str] = mapped_column(String(16))
    about: Mapped[str] = mapped_column(String(64), index=True)
    version: Mapped[int]
    author: Mapped[str] = mapped_column(Text)
    # Empty where the name is as typed.
    issuer: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    email: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    data: Mapped[str] = mapped_column(String(128))
    # Of what it tells; empty where that is nothing but the row itself.
    told: Mapped[str] = mapped_column(String(64))
    before: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))
