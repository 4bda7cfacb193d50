"""One session's state: the scenario, its revision, what can be undone, and the address.

The scenario is the state. A control's key carries the revision (``epsilon-7``); what the controls
of this revision hold is folded into the scenario at the start of every run, so that nothing rests
on a callback that a second click may cut off. When the program chooses (a link, undo, "Check"),
it replaces the scenario and counts the revision up: all controls are made anew from it, and
whatever an older browser still sends is about keys that nobody reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn
from uuid import UUID, uuid4

from distpriv.analysis import Evaluation, evaluate, tables
from distpriv.analysis.cache import Cache
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.fields import (
    BY_NAME,
    CHOICES,
    FIELDS,
    PRIVATE,
    Field,
    from_query,
    on_table,
    put_first,
    to_query,
)
from distpriv.errors import DistprivError
from distpriv.queries import Pair, SensitiveProperty, Statistic
from distpriv.sources import Source, named_source, named_sources
from distpriv.tables.options import ReadOptions, Row

__all__ = ["File", "State"]

EXAMPLES = Cache(8)  # results on examples, which all sessions share: a class asks the same
SETTLED = 2.0  # seconds after which the browser has surely got an address
STEPS = 50  # that can be undone

How = tuple[ReadOptions | None, Row]
Request = tuple[ReadOptions | None, tuple[tuple[str, Any], ...]]
Brought = tuple[Source, Scenario]


@dataclass(eq=False)
class File:
    """Hold a visitor's file and how it is to be read: by which options, changed in what."""

    key: str
    name: str
    data: bytes = field(repr=False)
    request: Request = (None, ())
    former: Request | None = None
    first: ReadOptions | None = None  # that were guessed at first

    def __getstate__(self) -> NoReturn:
        raise TypeError("A file does not leave its session.")

    def change(self, options: ReadOptions | None, changes: tuple[tuple[str, Any], ...]) -> None:
        """Ask for the file to be read by options with some changes; by None, as at first."""
        if self.request != (options, changes):  # a click counts once
            self.former, self.request = self.request, (options, changes)


@dataclass
class State:
    """Hold what one visitor has chosen and brought; knows nothing of Streamlit."""

    scenario: Scenario = field(default_factory=lambda: tables.start(tables.source_by_key("")))
    past: list[Scenario] = field(default_factory=list)  # that undo leads to
    future: list[Scenario] = field(default_factory=list)  # that redo leads to
    revision: int = 0  # of the controls' keys
    errors: dict[str, str] = field(default_factory=dict)  # by field: what its control cannot hold
    notes: list[str] = field(default_factory=list)  # what was dropped, to be shown once
    uploads: dict[str, dict[How, Brought]] = field(default_factory=dict)
    """The visitor's tables, "upload" and "open", each as it is or was read, and the scenario that
    it then begins with."""
    files: dict[str, File | None] = field(default_factory=dict)
    """What they were read from; None for tables that stay where they lie."""
    file: File | None = None  # that the open dialog is about
    wait: Callable[[str], AbstractContextManager[Any]] = nullcontext
    """Given words, returns a context in which a table is opened."""
    jobs: dict[str, Any] = field(default_factory=dict)  # what is being computed
    memory: Cache = field(default_factory=Cache)  # what was computed
    typing: bool = False  # whether the shares are typed, not dragged
    dialog: str = ""  # that is open
    answered: bool = True  # whether the page that is being drawn has its title
    saved: dict[str, Scenario] = field(default_factory=dict)  # by name, of all tables
    tokens: dict[str, int] = field(default_factory=dict)  # numbers of forms, see `agree.token`
    identity: UUID = field(default_factory=uuid4)  # that tokens are made with
    names: dict[str, str] = field(default_factory=dict)  # typed for tables, by fingerprint
    author: str = ""  # who wrote last
    present: bool = False  # whether a projector shows the pages, without sidebar and menu
    started: bool = False  # whether an address was read
    opened: set[str] = field(default_factory=set)  # tables of the server
    written: dict[str, str] = field(default_factory=dict)  # the address
    written_at: float = 0.0

    # --- tables and results
    def source(self, key: str = "") -> Source:
        """Return a table by its key; the scenario's without one.

        SourceError if a table that the server offers cannot be opened.
        """
        key = key or self.scenario.source
        if key in self.uploads:
            return self._brought(key)[0]
        if key in tables.EXAMPLE_TITLES:
            return tables.source_by_key(key)
        title = named_sources().get(key, key)
        with nullcontext() if key in self.opened else self.wait(f"Opening {title} …"):
            source = named_source(key)
        self.opened.add(key)
        return source

    def start(self, key: str) -> Scenario:
        """Return the scenario that a table begins with."""
        if key in self.uploads:
            return self._brought(key)[1]
        source = self.source(key)
        return self.memory(("start", key, source.fingerprint), lambda: tables.start(source))

    def _brought(self, key: str) -> Brought:
        """Return a visitor's table as the scenario reads it, or as it was read last."""
        readings, now = self.uploads[key], self.scenario
        how = (now.reading, now.row) if now.source == key else None
        return readings[how] if how in readings else readings[[*readings][-1]]

    def evaluation(self) -> Evaluation:
        """Return the results of the scenario."""
        example = self.scenario.source in tables.EXAMPLE_TITLES
        return evaluate(self.scenario, self.source(), EXAMPLES if example else self.memory)

    def range_of(self, secret: SensitiveProperty) -> Pair:
        """Return the pair that a secret begins with: the fixed grid's cell of the table's share.

        A DistprivError where the table cannot tell who has the property.
        """
        first = self.start(self.scenario.source).secrets[0]
        return first if first.secret == secret else tables.grid_pair(self.source(), secret)

    def offered(self, name: str) -> Mapping[Any, str]:
        """Return what can be chosen of a field, with its words; nothing where any value can be.

        What is chosen already is among it.
        """
        now = self.scenario
        if name == "source":
            brought = {key: self._brought(key)[0].title for key in self.uploads}
            return named_sources() | tables.EXAMPLE_TITLES | brought
        if name == "secret":
            first = now.secrets[0].secret
            return self._listed()[0] | {first: first.label}
        if name == "statistics":
            return self._listed()[1] | {one: one.title for one in now.statistics}
        return CHOICES.get(name, {})

    def _listed(self) -> tuple[dict[SensitiveProperty, str], dict[Statistic, str]]:
        source = self.source()
        return self.memory(
            ("options", source.fingerprint),
            lambda: (tables.secrets(source), tables.statistics(source)),
        )

    # --- changes by the program
    def take(self, scenario: Scenario) -> None:
        """Replace the scenario; can be undone, and makes all controls anew."""
        if scenario != self.scenario:
            self._change(scenario)
        self.revision += 1

    def change(self, **values: Any) -> None:
        """Replace some attributes of the scenario, as :meth:`take`."""
        self.take(replace(self.scenario, **values))

    def bring(self, source: Source, start: Scenario, file: File | None = None) -> None:
        """Take a visitor's table: a new one, in place of an older one, or the same read otherwise.

        Of a new one, it begins with its start; else all is kept that is not about how it is read.
        """
        key, how = source.key, (start.reading, start.row)
        begun = start
        if file is not None and file is self.files.get(key):
            used = {(one.reading, one.row) for one in (*self.past, self.scenario, *self.future)}
            former = {one: self.uploads[key][one] for one in self.uploads[key] if one in used}
            secrets = (start.secrets[0], *self.scenario.secrets[1:])
            begun = replace(self.scenario, reading=start.reading, row=start.row, secrets=secrets)
        else:
            former = {}
            self.past = [one for one in self.past if one.source != key]
            self.saved = {name: one for name, one in self.saved.items() if one.source != key}
            if self.scenario.source == key:  # about the table that goes
                self.scenario = tables.start(tables.source_by_key(""))
        former.pop(how, None)
        self.uploads[key] = {**former, how: (source, start)}
        self.files[key] = file
        self.take(on_table(self.scenario, start) if begun is start else begun)

    def reread(self) -> None:
        """Open the dialog on how the table in use was read."""
        self.dialog, self.file = "reading", self.files.get(self.scenario.source)
        if self.file is not None:
            now = self.scenario.reading
            self.file.request = (None if now == self.file.first else now, ())
            self.file.former = None

    def reseed(self) -> None:
        """Take other random numbers for simulations."""
        self.change(seed=self.scenario.seed + 1)

    def undo(self) -> None:
        """Go back by one step."""
        self._step(self.past, self.future)

    def redo(self) -> None:
        """Go forward by one step."""
        self._step(self.future, self.past)

    def _step(self, back: list[Scenario], ahead: list[Scenario]) -> None:
        if back:
            ahead.append(self.scenario)
            self._set(back.pop())
            self.revision += 1

    def _change(self, scenario: Scenario) -> None:
        self.past = [*self.past[1 - STEPS :], self.scenario]
        self.future.clear()
        self._set(scenario)

    def _set(self, scenario: Scenario) -> None:
        """Every change ends here: what is being computed for another scenario ends."""
        self.scenario = scenario
        for name in [name for name, job in self.jobs.items() if job.running]:
            self.jobs.pop(name).cancel()

    # --- changes by controls and address
    @property
    def typed(self) -> bool:
        """Whether the shares are typed: by choice, or because the slider has no place for them."""
        low, high, step = BY_NAME["shares"].bounds
        shares = BY_NAME["shares"].get(self.scenario)
        return self.typing or any(p % step or not low <= p <= high for p in shares)

    def key(self, field: Field) -> str:
        """Return the key of a field's control."""
        typed = "-typed" if field.kind == "range" and self.typed else ""
        return f"{field.name}{typed}-{self.revision}"

    def read_controls(self, values: Any) -> bool:
        """Fold what the controls of this revision hold into the scenario; True if it changed.

        `values` is a mapping of keys to values, as ``st.session_state``.
        """
        before, changed, moved, self.errors = self.scenario, self.scenario, set(), {}
        for entry in FIELDS:
            if (key := self.key(entry)) not in values:
                continue
            try:
                value = _value(entry, values[key])
                if value != entry.get(before):
                    moved.add(entry.name)
                    changed = entry.put(changed, value)
            except DistprivError as error:
                self.errors[entry.name] = str(error)
        if changed == before:
            return False
        if "source" in moved:
            changed = self._moved(changed, before)
        elif "secret" in moved and "shares" not in moved:
            try:
                changed = put_first(changed, self.range_of(changed.secrets[0].secret))
            except DistprivError as error:
                self.notes.append(str(error))
        if changed.by == "epsilon" and changed.epsilon is None:
            led = None  # to where the limit on right guesses led, or 1 where it needs no noise
            with suppress(DistprivError):
                led = self.evaluation().epsilon
            changed = replace(changed, epsilon=float(f"{led or 1:.2g}"))
        if moved & {"source", "secret"}:  # controls have to follow that were not moved
            self.revision += 1
        if changed != before:
            self._change(changed)
        return True

    def _moved(self, changed: Scenario, before: Scenario) -> Scenario:
        """Begin with another table; the former one stays if that cannot be opened."""
        try:
            return on_table(changed, self.start(changed.source))
        except DistprivError as error:
            self.errors["source"] = str(error)
            return replace(changed, source=before.source)

    def read_address(self, query: Mapping[str, str], moved: bool) -> None:
        """Adopt an address that somebody else wrote: a link, or the browser's Back.

        A click may carry an address that is older than the one written last, for the browser had
        not got that yet. So an address counts only if no control changed with it (`moved`), and
        once the last one has settled.
        """
        first, self.started = not self.started, True
        late = time.monotonic() - self.written_at < SETTLED
        if not first and (moved or dict(query) == self.written or not query or late):
            return
        source = query.get("table", "open" if first and "open" in self.uploads else Scenario.source)
        if source not in self.offered("source"):
            gone = "is gone; bring it again" if source in PRIVATE else "is not there"
            self.notes.append(f"The table of this link {gone}.")
            source = Scenario.source
        try:
            start = self.start(source)
        except DistprivError as error:  # the former table stays
            self.notes.append(str(error))
            self.written = dict(query)
            return
        if source in PRIVATE and source == self.scenario.source:
            for entry in FIELDS:  # what no address carries about a visitor's table
                start = (
                    entry.put(start, entry.get(self.scenario)) if entry.about == "rows" else start
                )
        scenario, problems = from_query(query, start)
        self.notes += problems
        self.written = dict(query)
        if scenario != self.scenario:
            self.take(scenario)
        if first:
            self.past.clear()

    def fit(self) -> None:
        """Replace what the scenario's table does not have by what that begins with."""
        now, start = self.scenario, self.start(self.scenario.source)
        secrets = tuple(pair for pair in now.secrets if self.fits(pair.secret))
        statistics = tuple(one for one in now.statistics if self.fits(one))
        dropped = [pair.secret.label for pair in now.secrets if pair not in secrets]
        dropped += [one.label for one in now.statistics if one not in statistics]
        dropped += [] if now.mechanism in CHOICES["mechanism"] else [now.mechanism]
        if not dropped:
            return
        noise = now.mechanism if now.mechanism in CHOICES["mechanism"] else start.mechanism
        statistics = statistics or start.statistics if now.statistics else ()
        secrets = secrets or start.secrets
        self._set(replace(now, secrets=secrets, statistics=statistics, mechanism=noise))
        self.revision += 1
        self.notes.append(f"Not in this table: {', '.join(dropped)}.")

    def fits(self, item: SensitiveProperty | Statistic) -> bool:
        """Whether a property or statistic can be computed of the scenario's table."""
        source = self.source()
        listed = any(item in offered for offered in self._listed())
        key = ("fits", source.fingerprint, item)
        return listed or self.memory(key, lambda: tables.fits(source, item))

    def write_address(self, address: Any) -> None:
        """Write the scenario to the browser's address (``st.query_params``), if it is not there.

        What the browser has sent is not enough to know: it may not have got the last one written.
        """
        query = to_query(self.scenario, self.start(self.scenario.source))
        query |= {"present": "1"} if self.present else {}
        if query != address.to_dict() or query != self.written:
            address.from_dict(query)
            self.written_at = time.monotonic()
        self.written = query


def _value(field: Field, value: Any) -> Any:
    """Read a field's value from what its control holds."""
    if field.kind in ("text", "number or all", "range") and not isinstance(value, tuple):
        return field.read(value or "")
    return tuple(value) if field.kind in ("range", "multiselect") else value
