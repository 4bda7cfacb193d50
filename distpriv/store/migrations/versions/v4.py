"""Version 4: rooms, guesses and workspaces in every database.

Until then they were made when they were first needed, so that some databases have them.
"""

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    """Make the tables that are missing."""
    op.create_table(
        "rooms",
        sa.Column("code", sa.String(8), primary_key=True),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rounds", sa.JSON, nullable=False),
        sa.Column("revealed", sa.Boolean, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "guesses",
        sa.Column("code", sa.String(8), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("student", sa.String(32), primary_key=True),
        sa.Column("said", sa.Integer, nullable=False),
        sa.Column("share", sa.Integer, nullable=False),
        sa.Column("best", sa.Integer, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "workspaces",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_index("ix_workspaces_until", "workspaces", ["until"], if_not_exists=True)
