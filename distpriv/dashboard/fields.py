"""One table of the scenario's fields: the control, the place in a link and the words of each.

A choice that users make is an attribute of `Scenario` and a row of `FIELDS`, whose lens says which
part of the scenario it is; a control draws it, a link carries it, and nothing else lists fields.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from distpriv.analysis import links
from distpriv.analysis.comparison import gaussian_names
from distpriv.analysis.scenario import Scenario
from distpriv.errors import DistprivError
from distpriv.mechanisms import MECHANISMS
from distpriv.privacy import Persons
from distpriv.queries import Pair, SensitiveProperty

__all__ = ["BY_NAME", "CHOICES", "FIELDS", "PRIVATE", "Field", "from_query", "number", "on_table"]
__all__ += ["plain", "put_first", "to_query"]

PRIVATE = frozenset({"upload", "open"})
"""Sources whose labels and shares must not stand in an address."""

MOST_OTHERS = 20  # secrets of a link, so that nobody else's keeps the server busy for minutes
Lens = tuple[Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]]


GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([ .,'])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
"""A number with signs between thousands, as in 1.000,5 and 1 000.5."""


def number(
    text: str, lowest: float = -math.inf, highest: float = math.inf, *, whole: bool = False
) -> float:
    """Read a number with a decimal point or comma, also with signs between thousands.

    Raises DistprivError outside its domain, and where 1.500 could be either and is not `whole`.
    """
    line = " ".join(text.split()).replace("−", "-").replace("’", "'")
    values = []
    if match := GROUPED.fullmatch(line):
        values.append(float(line.replace(match[1], "").replace(",", ".")))
    with suppress(ValueError):
        values += [] if whole and values else [float(line.replace(",", "."))]
    if not values:
        raise DistprivError(f"{text[:20]!r} is not a number; write one like 0.7.")
    values = [value for value in values if lowest <= value <= highest]
    if not values:
        raise DistprivError(f"Choose a number from {lowest:g} to {highest:.10g}.")
    if values[0] != values[-1]:
        choices = f"{values[0]:.0f} or {values[-1]:.4f}"
        raise DistprivError(f"{text[:20]!r} can mean {choices}; write one of them.")
    return values[0]


def plain(value: float) -> str:
    """Write a number as `number` reads it, whatever it is for: 1.5000, never 1.500."""
    text = f"{value:.15g}"
    if float(text) != value:  # a few have more digits
        text = repr(float(value))
    return f"{text}0" if GROUPED.fullmatch(text) else text


def _shares(text: str) -> tuple[float, float]:
    """Two shares in per cent, from "20-30", "2,5 – 4" or "20 to 30 %"."""
    parts = re.split("[-–−]|to", text.replace("%", ""))
    if len(parts) != 2:
        raise DistprivError("Write the two shares in per cent, like 20-30.")
    low, high = (number(part, 0, 100) for part in parts)
    return low, high


def _whole(lowest: float, highest: float) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = number(text, lowest, highest, whole=True)
        if value != math.floor(value):
            raise DistprivError("Choose a whole number.")
        return int(value)

    return read


def _records(text: str) -> int | None:
    return None if text.strip() == "all" else _whole(4, 1e9)(text)


def _read_persons(text: str) -> Persons | None:
    parts = text.split(",")
    if not text:
        return None
    if len(parts) != 2:
        raise DistprivError("Write ε and δ of each person, like 1,0.001.")
    return Persons(number(parts[0], 0.01, 50), number(parts[1], 1e-9, 0.5))


def _write_persons(one: Persons | None) -> str:
    return "" if one is None else f"{_plain(one.epsilon)},{_plain(one.delta)}"


def _choice(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise DistprivError(f"Choose one of {', '.join(allowed)}, not {text[:20]!r}.")
        return text

    return read


def _between(lowest: float, highest: float) -> Callable[[str], float]:
    return partial(number, lowest=lowest, highest=highest)


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def _percent(pair: Pair) -> tuple[float, float]:
    return round(100 * pair.low, 9), round(100 * pair.high, 9)


def _pair(secret: SensitiveProperty, shares: tuple[float, float]) -> Pair:
    if shares[0] == shares[1]:
        raise DistprivError("The two shares must differ; move one of them.")
    return Pair(secret, *(round(share / 100, 11) for share in shares))


def put_first(scenario: Scenario, pair: Pair) -> Scenario:
    """Return a scenario with another first secret."""
    return replace(scenario, secrets=(pair, *scenario.secrets[1:]))


def _write_shares(shares: tuple[float, float]) -> str:
    return "-".join(map(_plain, shares))


def _read_others(text: str) -> tuple[Pair, ...]:
    parts = [part.rpartition(":") for part in text.split(",") if part]
    if len(parts) > MOST_OTHERS:
        raise DistprivError(f"A link holds at most {MOST_OTHERS} more secrets; choose them again.")
    return tuple(_pair(links.read_secret(secret), _shares(shares)) for secret, _, shares in parts)


def _write_others(pairs: Iterable[Pair]) -> str:
    each = ((links.write_secret(pair.secret), _write_shares(_percent(pair))) for pair in pairs)
    return ",".join(map(":".join, each))


@dataclass(frozen=True)
class Field:
    """A row of the table of fields."""

    name: str  # of the scenario's attribute, unless there is a lens
    parameter: str  # of the address; "" for a field that no link carries
    read: Callable[[str], Any] = str  # from links and text fields, or DistprivError
    write: Callable[[Any], str] = str  # for both
    kind: str = ""
    """Of its control: select, segmented, multiselect, range, slider, text, "number or all", or ""
    for none."""
    label: str = ""
    term: str = ""  # of the glossary, whose meaning the control shows
    lens: Lens | None = None  # get(scenario) is its value, put(scenario, value) a changed scenario
    bounds: tuple[float, float, float] = (0, 1, 0.1)  # lowest, highest, step of a slider
    about: str = ""
    """Either "table" for what starts anew with another table, or "rows" where its value can come
    from a table's rows, too, so that no link about an upload carries it. "" for limits."""

    def get(self, scenario: Scenario) -> Any:
        """Return the field's value."""
        return self.lens[0](scenario) if self.lens else getattr(scenario, self.name)

    def put(self, scenario: Scenario, value: Any) -> Scenario:
        """Return a scenario with the field changed; raises DistprivError if that cannot be."""
        if self.lens:
            return self.lens[1](scenario, value)
        return replace(scenario, **{self.name: value})


SECRET: Lens = (
    lambda scenario: scenario.secrets[0].secret,
    lambda scenario, secret: put_first(scenario, replace(scenario.secrets[0], secret=secret)),
)
SHARES: Lens = (
    lambda scenario: _percent(scenario.secrets[0]),
    lambda scenario, shares: put_first(scenario, _pair(scenario.secrets[0].secret, shares)),
)
OTHERS: Lens = (
    lambda scenario: scenario.secrets[1:],
    lambda scenario, pairs: replace(scenario, secrets=(scenario.secrets[0], *pairs)),
)
REFERENCE: Lens = (
    lambda scenario: scenario.reference_share and round(100 * scenario.reference_share, 9),
    lambda scenario, share: replace(scenario, reference_share=round(share / 100, 11)),
)

FIELDS = (
    Field("source", "table", str, str, "select", "Table", about="table"),
    Field(
        "secret",
        "secret",
        links.read_secret,
        links.write_secret,
        "select",
        "Secret: share of records with",
        "secret",
        SECRET,
        about="rows",
    ),
    Field(
        "shares",
        "shares",
        _shares,
        _write_shares,
        "range",
        "Must look alike",
        "Δp",
        SHARES,
        bounds=(1, 99, 1),
        about="rows",
    ),
    Field("others", "also", _read_others, _write_others, lens=OTHERS, about="rows"),
    Field(
        "statistics",
        "release",
        links.read_statistics,
        links.write_statistics,
        "multiselect",
        "You release",
        "figure",
        about="rows",
    ),
    Field(
        "records",
        "n",
        _records,
        lambda count: str(count or "all"),
        "number or all",
        "Of how many records",
        "number of records",
        about="table",
    ),
    Field(
        "replacement",
        "replacement",
        lambda text: _choice("yes", "no")(text) == "yes",
        lambda repeat: "yes" if repeat else "no",
    ),
    Field("by", "", str, str, "segmented", "Set the limit by", "limit"),
    Field(
        "guesses",
        "limit",
        _between(51, 99),
        _plain,
        "slider",
        "Right guesses you accept, of 100",
        "right guesses of 100",
        bounds=(51, 99, 1),
    ),
    Field("epsilon", "epsilon", _between(0.01, 50), _plain, "text", "ε", "ε"),
    Field("delta", "delta", _between(1e-9, 0.5), _plain, "text", "δ", "δ"),
    Field("mechanism", "noise", str, str, "select", "Kind of noise", "mechanism"),
    Field("calibration", "calibration", _choice("guarded", "exact", "classical", "exact-law")),
    Field("units", "units", _choice("percent", "raw")),
    Field("reference", "reference", _between(0, 100), _plain, lens=REFERENCE, about="table"),
    Field("bounds", "bounds", links.read_bounds, links.write_bounds, about="rows"),
    Field("persons", "persons", _read_persons, _write_persons, about="table"),
    Field(
        "known_records",
        "known",
        _whole(0, 1e9),
        str,
        "text",
        "Records an attacker already knows",
        "known records",
        about="table",
    ),
    Field("seed", "seed", _whole(0, 2**32 - 1)),
)
BY_NAME = {entry.name: entry for entry in FIELDS}

CHOICES: dict[str, dict[Any, str]] = {
    "mechanism": {name: MECHANISMS[name].title for name in gaussian_names()},
    "by": {"guesses": "Right guesses", "epsilon": "ε and δ"},
}
"""What can be chosen of fields whatever the table, each with its words."""


def on_table(scenario: Scenario, start: Scenario) -> Scenario:
    """Return the same limit and noise, asked of another table."""
    moved = replace(start, by=scenario.by, epsilon=scenario.epsilon)
    for entry in FIELDS:
        if entry.parameter and not entry.about:
            moved = entry.put(moved, entry.get(scenario))
    return moved


def to_query(scenario: Scenario, start: Scenario) -> dict[str, str]:
    """Return a scenario's address: its table, and what differs from where that starts.

    Nothing that can come from the rows of an upload is written.
    """
    query, own = {}, scenario.source in PRIVATE
    for entry in FIELDS:
        usual = Scenario.source if entry.name == "source" else entry.get(start)
        carried = entry.parameter and not (entry.about == "rows" and own)
        carried = carried and (entry.name != "epsilon" or scenario.by == "epsilon")
        if carried and entry.get(scenario) != usual:
            query[entry.parameter] = entry.write(entry.get(scenario))
    return query


def from_query(query: Mapping[str, str], start: Scenario) -> tuple[Scenario, list[str]]:
    """Return the scenario of an address, and a sentence on each part that cannot be read.

    Parameters
    ----------
    query : mapping of parameter to text
    start : Scenario
        Of the address' table; whatever cannot be read stays as it is there.
    """
    scenario, problems = start, []
    for entry in FIELDS:
        if entry.parameter in query and entry.parameter and entry.name != "source":
            try:
                scenario = entry.put(scenario, entry.read(query[entry.parameter]))
            except DistprivError as error:
                problems.append(f"{entry.label or entry.parameter}: {error}")
    if "epsilon" in query and scenario.epsilon is not None:
        scenario = replace(scenario, by="epsilon")
    return scenario, problems
