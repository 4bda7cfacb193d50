"""One session's state: the scenario, its revision, what can be undone, and the address.

The scenario is the state. A control's key carries the revision (``epsilon-7``); what the controls
of this revision hold is folded into the scenario at the start of every run, so that nothing rests
on a callback that a second click may cut off. When the program chooses (a link, undo, "Take it"),
it replaces the scenario and counts the revision up: all controls are made anew from it, and
whatever an older browser still sends is about keys that nobody reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any

from distpriv.dashboard.fields import FIELDS, Field, Options, fitted, from_query, on_table, to_query
from distpriv.analysis.cache import Cache
from distpriv.analysis.scenario import Scenario

StartOf = Callable[[str], Scenario]
"""Where a table, by its key, starts."""

SETTLED = 2.0  # seconds after which the browser has surely got an address


@dataclass
class State:
    """What one browser tab has chosen; knows nothing of Streamlit.

    Attributes
    ----------
    scenario : Scenario
    revision : int
        Of the controls' keys.
    past, future : list of Scenario
        For undo and redo.
    errors : dict of field's name to sentence
        What the controls hold that cannot be read.
    notes : list of str
        What was dropped lately, to be shown once.
    saved : dict of name to Scenario
        For comparison.
    """

    scenario: Scenario = Scenario()
    revision: int = 0
    past: list[Scenario] = field(default_factory=list)
    future: list[Scenario] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    saved: dict[str, Scenario] = field(default_factory=dict)
    upload: Any = None
    jobs: dict[str, Any] = field(default_factory=dict)
    seed: int = 1
    memory: Cache = field(default_factory=Cache)
    started: bool = False
    written: dict[str, str] | None = None
    written_at: float = 0.0

    def key(self, field: Field) -> str:
        """Key of a field's control."""
        return f"{field.name}-{self.revision}"

    def take(self, scenario: Scenario) -> None:
        """Replace the scenario for the program: can be undone, makes all controls anew."""
        if scenario != self.scenario:
            self.past = [*self.past[-49:], self.scenario]
            self.future.clear()
            self.scenario = scenario
        self.revision += 1

    def change(self, **values: Any) -> None:
        """Replace some fields, as :meth:`take`."""
        self.take(replace(self.scenario, **values))

    def undo(self) -> None:
        """Go back by one step."""
        if self.past:
            self.future.append(self.scenario)
            self.scenario = self.past.pop()
            self.revision += 1

    def redo(self) -> None:
        """Go forward by one step."""
        if self.future:
            self.past.append(self.scenario)
            self.scenario = self.future.pop()
            self.revision += 1

    def read_controls(self, widgets: Mapping[str, Any], start_of: StartOf) -> bool:
        """Fold what the controls of this revision hold into the scenario; True if it changed."""
        changed, self.errors = self.scenario, {}
        for each in FIELDS:
            if (key := self.key(each)) not in widgets:
                continue
            value = widgets[key]
            try:
                value = each.read(value or "") if each.kind == "text" else value
                value = tuple(value) if each.kind in ("range", "multiselect") else value
            except ValueError as error:
                self.errors[each.name] = str(error)
                continue
            if each.kind == "range" and value[0] == value[1]:
                continue
            changed = each.put(changed, value)
        if changed == self.scenario:
            return False
        self.past = [*self.past[-49:], self.scenario]
        self.future.clear()
        if changed.source != self.scenario.source:
            changed = on_table(changed, start_of(changed.source))
            self.revision += 1
        self.scenario = changed
        return True

    def read_address(self, query: Mapping[str, str], start_of: StartOf, moved: bool) -> None:
        """Adopt an address that somebody else wrote: a link, or the browser's Back.

        A click may carry an address that is older than the one written last, for the browser had
        not got that yet. So an address counts only if no control changed with it (`moved`), and
        once the last one has settled.
        """
        first, self.started = not self.started, True
        if not first and (moved or dict(query) == self.written or not query):
            return
        if not first and time.monotonic() - self.written_at < SETTLED:
            return
        scenario, problems = from_query(query, start_of)
        self.notes += problems
        if scenario != self.scenario:
            self.take(scenario)
        if first:
            self.past.clear()

    def fit(self, options_of: Callable[[Scenario], Options]) -> Options:
        """Replace what the scenario's table does not offer; return what it does offer."""
        options = options_of(self.scenario)
        scenario, dropped = fitted(self.scenario, options)
        if scenario != self.scenario:
            self.scenario = scenario
            self.revision += 1
            if dropped and self.past:
                self.notes.append(f"Not in this table: {', '.join(dropped)}.")
        return options

    def reseed(self) -> None:
        """Take other random numbers for the simulations."""
        self.seed += 1

    def remember(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was computed before, the last few of each level (the key's first part)."""
        return self.memory(key, make)

    def write_address(self, address: MutableMapping[str, str], start_of: StartOf) -> None:
        """Write the scenario to the browser's address, if it is not there."""
        query = to_query(self.scenario, start_of(self.scenario.source))
        if query != dict(address):
            address.from_dict(query)  # type: ignore[attr-defined]
            self.written_at = time.monotonic()
        self.written = query
