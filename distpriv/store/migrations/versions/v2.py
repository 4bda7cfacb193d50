"""Version 2: agreed limits, and a release's reason and decision."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Make the table, and the columns with a default for the releases there are."""
    op.create_table(
        "limit_revisions",
        sa.Column("agreement", sa.String(32), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("digest", sa.String(128), nullable=False, index=True),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("scenario", sa.Text, nullable=False),
        sa.Column("terms", sa.JSON, nullable=False),
    )
    op.add_column("releases", sa.Column("reason", sa.Text, nullable=False, server_default=""))
    op.add_column(
        "releases", sa.Column("decision", sa.String(32), nullable=False, server_default="")
    )
