"""Every choice as one value: hashable, to JSON and back. The address is the dashboard's (fields)."""
from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from distpriv.queries import Pair, SensitiveProperty, Statistic

VERSION = 1


@dataclass(frozen=True)
class Row:
    kind: str = "record"  # "record" | "cell" (column counts records) | "part" (column names the record)
    column: str = ""


@dataclass(frozen=True)
class Persons:
    epsilon: float
    delta: float


@dataclass(frozen=True)
class Scenario:
    source: str = "census-income"
    reading: tuple[tuple[str, Any], ...] = ()  # ReadOptions.arguments(), as pairs: mappings do not hash
    row: Row = Row()
    reference_data: str = ""
    secrets: tuple[Pair, ...] = ()
    statistics: tuple[Statistic, ...] = ()
    records: int | None = 100
    replacement: bool = True
    by: str = "guesses"  # "guesses" | "epsilon"
    guesses: float = 60.0
    epsilon: float | None = None  # None: where the guesses led to
    delta: float = 1e-3
    mechanism: str = "OptM"
    calibration: str = "guarded"
    grid_safe: bool = True
    units: str = "percent"
    bounds: tuple[tuple[str, float, float], ...] = ()
    persons: Persons | None = None
    reference_share: float | None = None
    known_records: int = 0
    seed: int = 0

    def to_json(self) -> str:
        return json.dumps({"format": "distpriv scenario", "version": VERSION} | asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Scenario:
        plain = json.loads(text)
        if plain.pop("format") != "distpriv scenario" or plain.pop("version") != VERSION:
            raise ValueError("This file is no scenario of this version.")
        deep = lambda x: tuple(map(deep, x)) if isinstance(x, list) else x
        values = {name: deep(value) for name, value in plain.items()}
        secret = lambda p: SensitiveProperty(**{n: deep(v) for n, v in p["secret"].items()})
        values["secrets"] = tuple(Pair(secret(p), p["low"], p["high"]) for p in plain["secrets"])
        values["statistics"] = tuple(Statistic(**p) for p in plain["statistics"])
        values["row"] = Row(**plain["row"])
        values["persons"] = plain["persons"] and Persons(**plain["persons"])
        return cls(**values)
