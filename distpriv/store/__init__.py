"""What is kept from one session to the next: decisions, limits, and the ledger of releases.

In a database through SQLAlchemy: SQLite in the user's data folder, or PostgreSQL by
``DATABASE_URL``. Everything is appended and nothing overwritten, so that of several writers none
loses anything; and of several who release at once none gets past an agreed limit.
"""

from distpriv.analysis.decision import Alternative, Decision, Revision
from distpriv.store.checks import Check, Use, check, check_all
from distpriv.store.decisions import all_decisions, one_decision, propose, revise, settle
from distpriv.store.engine import Store, database_url, never_made, open_store
from distpriv.store.ledger import LedgerEntry, ledger
from distpriv.store.limits import AgreedLimit, Budget, LimitVersion, Terms, agree, limits
from distpriv.store.matching import deciding, grounds_missing, matching, same_release
from distpriv.store.planning import Planned, epsilon_that_fits, naive_epsilon, planned
from distpriv.store.recording import OnRecord, on_record, record
from distpriv.store.rooms import Room, Round

__all__ = [
    "AgreedLimit",
    "Alternative",
    "Budget",
    "Check",
    "Decision",
    "LedgerEntry",
    "LimitVersion",
    "OnRecord",
    "Planned",
    "Revision",
    "Room",
    "Round",
    "Store",
    "Terms",
    "Use",
    "agree",
    "all_decisions",
    "check",
    "check_all",
    "database_url",
    "deciding",
    "epsilon_that_fits",
    "grounds_missing",
    "ledger",
    "limits",
    "matching",
    "naive_epsilon",
    "never_made",
    "on_record",
    "one_decision",
    "open_store",
    "planned",
    "propose",
    "record",
    "revise",
    "same_release",
    "settle",
]
