"""Version 1: decisions and releases."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "distpriv_schema", sa.Column("version", sa.Integer, primary_key=True, autoincrement=False)
    )
    op.create_table(
        "decision_revisions",
        sa.Column("decision", sa.String(32), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("digest", sa.String(128), nullable=False, index=True),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("epsilon", sa.Float(53), nullable=False),
        sa.Column("delta", sa.Float(53), nullable=False),
        sa.Column("chosen", sa.Text, nullable=False),
        sa.Column("alternatives", sa.JSON, nullable=False),
    )
    op.create_table(
        "releases",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("token", sa.String(32), nullable=False, unique=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("digest", sa.String(128), nullable=False, index=True),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("scenario", sa.Text, nullable=False),
        sa.Column("units", sa.JSON, nullable=False),
        sa.Column("values", sa.JSON, nullable=False),
        sa.Column("noise", sa.JSON, nullable=False),
    )
