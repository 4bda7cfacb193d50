"""What is kept from one session to the next: decisions, and the ledger of releases.

In a database through SQLAlchemy: SQLite in the user's data folder, or PostgreSQL by
``DATABASE_URL``. Everything is appended and nothing overwritten, so that of several writers none
loses anything.
"""

from distpriv.store.decisions import all_decisions, one_decision, propose, revise, settle
from distpriv.store.engine import Store, database_url, open_store
from distpriv.store.ledger import LedgerEntry, ledger, record
from distpriv.store.values import Alternative, Decision, Revision

__all__ = [
    "Alternative",
    "Decision",
    "LedgerEntry",
    "Revision",
    "Store",
    "all_decisions",
    "database_url",
    "ledger",
    "one_decision",
    "open_store",
    "propose",
    "record",
    "revise",
    "settle",
]
