"""One table of fields: address, file, control and words of each; lenses, for some are parts of a value."""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from distpriv.queries import Pair, SensitiveProperty, Statistic
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.tables import EXAMPLES, FrameSource, secrets_of, start_of, statistics_of
from distpriv.mechanisms import MECHANISMS

Get, Put = Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]


def number(text: str | float, least: float = 0.0, most: float = float("inf")) -> float:
    """Read a number with a decimal point or comma; raises ValueError with a sentence."""
    try:
        value = float(str(text).strip().replace(",", "."))
    except ValueError:
        raise ValueError(f"{text!r} is not a number.") from None
    if not least <= value <= most:
        raise ValueError(f"Choose a number from {least:g} to {most:g}.")
    return value


def escape(text: Any) -> str:
    """Names in a link: ~ is the escape, : and , separate."""
    return str(text).replace("~", "~0").replace(":", "~1").replace(",", "~2")


def unescape(text: str) -> str:
    return text.replace("~2", ",").replace("~1", ":").replace("~0", "~")


def write_label(label: Any) -> str:
    """A text as it is, any other label as ! and JSON."""
    return ("\\" + label if label[:1] in ("!", "\\") else label) if isinstance(label, str) else "!" + json.dumps(label)


def read_label(text: str) -> Any:
    return json.loads(text[1:]) if text[:1] == "!" else text[1:] if text[:1] == "\\" else text


def write_statistics(chosen) -> str:
    parts = lambda s: (s.kind, s.column) if s.value is None else (s.kind, s.column, write_label(s.value))
    return ",".join(":".join(map(escape, parts(one))) for one in chosen)


def read_statistics(text: str):
    split = [[*map(unescape, part.split(":"))] for part in text.split(",") if part]
    return tuple(Statistic(kind, column, *map(read_label, value)) for kind, column, *value in split)


def write_secret(secret: SensitiveProperty) -> str:
    return ":".join(map(escape, (secret.column, *map(write_label, secret.values))))


def read_secret(text: str) -> SensitiveProperty:
    column, *values = map(unescape, text.split(":"))
    if not values:
        raise ValueError(f"{text!r} names no value.")
    return SensitiveProperty(column, tuple(map(read_label, values)))


def _shares(text: str) -> tuple[float, float]:
    low, high = (number(part, 0, 100) for part in text.split("-"))
    if low >= high:
        raise ValueError("The first share must be the smaller one.")
    return low, high


def _of(name: str) -> tuple[Get, Put]:
    return lambda s: getattr(s, name), lambda s, v: replace(s, **{name: v})


def _first(change) -> Put:
    return lambda s, v: replace(s, secrets=(change(s.secrets[0], v), *s.secrets[1:]))


@dataclass(frozen=True)
class Field:
    name: str
    parameter: str  # of the address; "" for what must not stand there
    kind: str  # of its control: select, segmented, multiselect, range, slider, number, text; "" for none
    label: str
    help: str
    lens: tuple[Get, Put]
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str
    options: str = ""
    bounds: tuple[float, float, float] = (0, 1, 0.1)
    rows: bool = False  # derived from a table's rows: never in the address of an upload
    table: bool = False  # starts anew with another table

    def get(self, scenario: Scenario) -> Any:
        return self.lens[0](scenario)

    def put(self, scenario: Scenario, value: Any) -> Scenario:
        return self.lens[1](scenario, value)


plain = lambda value: "" if value is None else f"{value:g}"
FIELDS = (
    Field("source", "table", "select", "Table", "An example, or a table of your own.", _of("source"), options="sources", table=True),
    Field("secret", "secret", "select", "Secret: share of records with", "The property whose share in your records nobody should find out.",
          (lambda s: s.secrets[0].secret, _first(lambda p, v: replace(p, secret=v))), read_secret, write_secret, "secrets", rows=True, table=True),
    Field("shares", "shares", "range", "Must look alike", "An attacker guesses which of the two is true. Δp is their distance, in percentage points.",
          (lambda s: (round(100 * s.secrets[0].low, 9), round(100 * s.secrets[0].high, 9)),
           _first(lambda p, v: replace(p, low=round(v[0] / 100, 11), high=round(v[1] / 100, 11)))),
          _shares, lambda v: f"{v[0]:g}-{v[1]:g}", bounds=(1, 99, 1), rows=True, table=True),
    Field("statistics", "release", "multiselect", "You release", "Averages and counts of the records.", _of("statistics"),
          read_statistics, write_statistics, "statistics", rows=True, table=True),
    Field("records", "n", "number", "Of so many records", "Size of the dataset that the statistics describe.", _of("records"),
          lambda text: int(number(text, 4, 1e9)), plain, bounds=(4, 1_000_000_000, 10), table=True),
    Field("by", "", "segmented", "Set the limit by", "Say how often an attacker may be right, or choose the ε and δ of the promise.", _of("by"), options="bys"),
    Field("guesses", "limit", "slider", "Right guesses you accept, of 100", "How often an attacker may guess the right share. 50 is a coin toss, 100 is certainty.",
          _of("guesses"), lambda text: number(text, 51, 99), plain, bounds=(51, 99, 1)),
    Field("mechanism", "noise", "select", "Kind of noise", "OptM adds the least noise that keeps the promise.", _of("mechanism"), options="mechanisms"),
    Field("epsilon", "epsilon", "text", "ε", "How much a release may tell: smaller is safer.", _of("epsilon"), lambda text: number(text, 0.01, 50), plain),
    Field("delta", "delta", "text", "δ", "How often the promise of ε may fail.", _of("delta"), lambda text: number(text, 1e-9, 0.5), plain),
)
BY_NAME = {each.name: each for each in FIELDS}


@dataclass(frozen=True)
class Options:
    sources: Mapping[str, str]
    secrets: Mapping[SensitiveProperty, str]
    statistics: Mapping[Statistic, str]
    mechanisms: Mapping[str, str]
    defaults: Scenario
    bys: Mapping[str, str] = field(default_factory=lambda: {"guesses": "Right guesses", "epsilon": "ε and δ"})


def options_of(source: FrameSource, upload: FrameSource | None) -> Options:
    sources = {key: spec[0] for key, spec in EXAMPLES.items()} | ({"upload": upload.title} if upload else {})
    noisy = {name: one.title for name, one in MECHANISMS.items() if one.noise == "gaussian"}
    return Options(sources, secrets_of(source), statistics_of(source), noisy, start_of(source))


def on_table(scenario: Scenario, start: Scenario) -> Scenario:
    """The same limit and noise, asked of another table."""
    for each in FIELDS:
        if each.table:
            scenario = each.put(scenario, each.get(start))
    return scenario


def to_query(scenario: Scenario, start: Scenario) -> dict[str, str]:
    """Address of a scenario: its table, and what differs from where that starts."""
    upload = scenario.source == "upload"
    return {each.parameter: each.write(value) for each in FIELDS
            if each.parameter and not (each.name == "epsilon" and scenario.by != "epsilon") and not (upload and each.rows)
            and (value := each.get(scenario)) != each.get(Scenario() if each.name == "source" else start)}


def from_query(query: Mapping[str, str], start_of: Callable[[str], Scenario]) -> tuple[Scenario, list[str]]:
    """Read an address; what cannot be read keeps its default and is named."""
    scenario, problems = start_of(query.get("table", Scenario.source)), []
    for each in FIELDS:
        if each.parameter in query and each.name != "source":
            try:
                scenario = each.put(scenario, each.read(query[each.parameter]))
            except (ValueError, TypeError) as error:
                problems.append(f"{each.label}: {error}")
    if "epsilon" in query and scenario.epsilon is not None:
        scenario = BY_NAME["by"].put(scenario, "epsilon")
    return scenario, problems


def fitted(scenario: Scenario, options: Options) -> tuple[Scenario, list[str]]:
    """Replace what the table does not offer by the table's defaults, and name it."""
    dropped = []
    for each in FIELDS:
        if not each.options:
            continue
        offered, value, default = getattr(options, each.options), each.get(scenario), each.get(options.defaults)
        if each.kind == "multiselect":
            left = tuple(item for item in value if item in offered)
            dropped += [getattr(item, "label", repr(item)) for item in value if item not in offered]
            scenario = each.put(scenario, left or default)
        elif value not in offered:
            dropped.append(getattr(value, "label", repr(value)))
            scenario = each.put(scenario, default)
    return scenario, dropped
