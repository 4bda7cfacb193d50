"""The ledger of releases: what came out, when, and the noise that was in it.

What came out is public by then; the true statistics and the records are not among it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import numpy as np
from sqlalchemy.orm import Session, defer

from distpriv.analysis.person import Verified, signed
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import read_scenario, write_scenario
from distpriv.errors import ScenarioError
from distpriv.privacy.noise import Noise
from distpriv.store import trail
from distpriv.store.engine import Store
from distpriv.store.models import ReleaseRow
from distpriv.store.rows import BROKEN, Found, Unreadable, read
from distpriv.store.texts import cleaned, title
from distpriv.store.trail import OLD

__all__ = ["LedgerEntry", "entries_in", "ledger", "noise_in", "noise_out", "row_of"]


@dataclass(frozen=True, eq=False)
class LedgerEntry:
    """A release that was drawn.

    Attributes
    ----------
    scenario : Scenario or None
        What it was drawn for, the number of records resolved; None if another version of
        distpriv wrote it in words that this one does not know.
    data : str
        Title of the data.
    values : tuple of float
        The released numbers, in the order of the statistics.
    units : tuple of str
        Of the statistics.
    noise : Noise
        The distribution of the noise, not the noise that was drawn.
    author, note : str
    at : datetime
        In UTC.
    token : str
        Tells it from every other release, so that it is recorded once.
    about : str
        Fingerprint of the data if that is not the scenario's: a table whose columns were given
        other types is still the same table.
    reason : str
        Why it went out though no agreed decision is for it, or though its promise is not kept;
        empty if it needed none.
    decision : str
        Key of the agreed decision that it rests on, which :func:`distpriv.store.record` finds;
        empty if there is none.
    verified : Verified or None
        Who vouches for the author's name; None where it was typed.
    """

    scenario: Scenario | None
    data: str
    values: tuple[float, ...]
    units: tuple[str, ...]
    noise: Noise
    author: str = ""
    note: str = ""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    token: str = field(default_factory=lambda: uuid4().hex)
    about: str = ""
    reason: str = ""
    decision: str = ""
    verified: Verified | None = None

    @property
    def signed(self) -> str:
        """The author, and who vouches for the name; perhaps nothing."""
        return signed(self.author, self.verified)

    @property
    def digest(self) -> str:
        """Fingerprint of the data that it counts for."""
        if self.about or self.scenario is None:
            return self.about
        return self.scenario.digest


def ledger(store: Store, *digests: str) -> Found[LedgerEntry]:
    """Every release, or those of the data of any of some fingerprints, the first one first.

    What cannot be read is left out and listed beside them.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with store.reading() as session:
        return entries_in(session, *digests)


def entries_in(session: Session, *digests: str) -> Found[LedgerEntry]:
    """The same in a session of the store that is open already."""
    old = session.info.get(OLD) == 1
    options = (defer(ReleaseRow.reason), defer(ReleaseRow.decision)) if old else ()
    where = ReleaseRow.digest.in_(digests) if digests else None
    rows, unreadable = read(session, ReleaseRow, where, options)
    known = trail.vouched(session, [row.token for row in rows])
    entries = []
    for row in sorted(rows, key=lambda row: (row.at, row.number)):
        try:
            entries.append(_entry(row, known.get((row.token, 0))))
        except BROKEN:
            unreadable.append(Unreadable("release", str(row.number), row.digest))
    return Found(entries, unreadable)


def row_of(entry: LedgerEntry) -> ReleaseRow:
    """A release as the database keeps it.

    Raises
    ------
    StoreError
        If the note, the name or the reason is too long.
    ScenarioError
        If its scenario is not known.
    """
    if entry.scenario is None:
        raise ScenarioError("A release without its scenario cannot be recorded; draw it again.")
    return ReleaseRow(
        token=entry.token,
        at=entry.at,
        author=cleaned(entry.author, "name"),
        note=cleaned(entry.note, "note"),
        digest=entry.digest,
        data=title(entry.data),
        scenario=write_scenario(entry.scenario),
        units=list(entry.units),
        values=list(map(float, entry.values)),
        noise=noise_out(entry.noise),
        reason=cleaned(entry.reason, "reason"),
        decision=entry.decision,
    )


def noise_out(noise: Noise) -> dict[str, Any]:
    """A noise as plain numbers for JSON."""
    return {
        "mechanism": noise.mechanism,
        "distribution": noise.distribution,
        "directions": noise.directions.tolist(),
        "scales": noise.scales.tolist(),
        "epsilon": noise.epsilon,
        "delta": noise.delta,
        "calibration": noise.calibration,
        "floor": None if noise.floor is None else noise.floor.tolist(),
    }


def noise_in(plain: dict[str, Any]) -> Noise:
    """A noise from what :func:`noise_out` made of it."""
    scales = np.asarray(plain["scales"], dtype=np.float64)
    directions = np.asarray(plain["directions"], dtype=np.float64)
    directions = directions.reshape(len(directions), len(scales))  # (m, 0) where nothing is added
    floor = None if plain.get("floor") is None else np.asarray(plain["floor"], dtype=np.float64)
    return Noise(**plain | {"directions": directions, "scales": scales, "floor": floor})


def _entry(row: ReleaseRow, verified: Verified | None) -> LedgerEntry:
    try:
        scenario = read_scenario(row.scenario)
    except ScenarioError:
        scenario = None
    noise = noise_in(row.noise)
    count = len(row.values)
    if not (isinstance(row.values, list) and isinstance(row.units, list)):
        raise TypeError("no lists")
    if len(row.units) != count or any(not isinstance(unit, str) for unit in row.units):
        raise ValueError("units are no texts, or not as many as values")
    if noise.dimension != count:
        raise ValueError("the noise is of another number of statistics")
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in row.values):
        raise TypeError("values are no figures")
    return LedgerEntry(
        scenario=scenario,
        data=row.data,
        values=tuple(row.values),
        units=tuple(row.units),
        noise=noise,
        author=row.author,
        note=row.note,
        at=row.at,
        token=row.token,
        about=row.digest,
        # Where a database of version 1 can only be read they are not there to be loaded.
        reason=vars(row).get("reason", ""),
        decision=vars(row).get("decision", ""),
        verified=verified,
    )
