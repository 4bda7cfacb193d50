"""Every choice as one value, which hashes and goes to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pandas as pd

from distpriv.analysis.limits import Limit
from distpriv.arrays import integer
from distpriv.display import Result
from distpriv.errors import DistprivError, ReadError
from distpriv.files import File, save_text, text_of
from distpriv.mechanisms.base import Calibration, mechanism_named
from distpriv.model import Promise
from distpriv.privacy import Bound, Persons, as_bounds
from distpriv.queries import Pair, Query, Statistic
from distpriv.tables.options import ReadOptions, Row
from distpriv.text import near, one_of

__all__ = ["Scenario"]

By = Literal["guesses", "epsilon"]
Units = Literal["percent", "raw"]
_RECORD = Row()
_FORMAT, _VERSION = "distpriv scenario", 1


@dataclass(frozen=True, repr=False)
class Scenario(Result):
    """Hold all choices; `evaluate` computes the results on a table.

    Attributes
    ----------
    source : str
        Key of an example, "upload", or an address without password.
    reading, row
        How the file is read, where it is one, and what one row is.
    reference_data : str
        Public table that the groups' laws are taken from; "" for the table itself.
    secrets, statistics : tuple of Pair, tuple of Statistic
        The first secret is the page's.
    records, replacement
        Records that the statistics are of, None for the whole table, and whether they are drawn
        with replacement; whole tables always count so.
    by, guesses, epsilon, delta
        What sets the limit: right guesses of 100 that an attacker may make, or ε and δ.
    mechanism, calibration, grid_safe
        As of `calibrate`.
    units : "percent" or "raw"
        In which noise is made least: by the ruler, or as the statistics come.
    bounds, persons
        Public bounds of columns, and what is promised to every single record besides.
    reference_share : float or None
        Public share that balanced figures mean; None for the middle of the range.
    known_records : int
        That an attacker has already.
    seed : int
        Of simulations.

    Raises
    ------
    DistprivError
        If a name is none of those that there are, a secret is there twice, or bounds are none.

    Examples
    --------
    >>> late = dp.SensitiveProperty("late", "yes")
    >>> scenario = dp.Scenario("bank", secrets=late.pair(0.25, 0.1), statistics=dp.Mean("amount"))
    >>> dp.Scenario.from_json(scenario.to_json()) == scenario
    True
    >>> dp.evaluate(scenario, dp.load_example("bank"))
    Evaluation of Scenario('bank', Query(mean amount), Pair(late = yes, 20 % or 30 %))
    """

    source: str = "census-income"
    reading: ReadOptions | None = None
    row: Row = _RECORD
    reference_data: str = ""
    secrets: tuple[Pair, ...] = ()
    statistics: tuple[Statistic, ...] = ()
    records: int | None = 100
    replacement: bool = True
    by: By = "guesses"
    guesses: float = 60.0
    epsilon: float | None = None
    delta: float = 1e-3
    mechanism: str = "OptM"
    calibration: Calibration = "guarded"
    grid_safe: bool = True
    units: Units = "percent"
    bounds: tuple[Bound, ...] = ()
    persons: Persons | None = None
    reference_share: float | None = None
    known_records: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        statistics = getattr(self.statistics, "statistics", self.statistics)
        object.__setattr__(self, "secrets", _all_of(Pair, self.secrets, "secrets"))
        object.__setattr__(self, "statistics", _all_of(Statistic, statistics, "statistics"))
        _all_of(Persons, self.persons or (), "persons")
        if self.records is not None:
            integer("The number of records", self.records, 1)
        if isinstance(self.bounds, Mapping):
            object.__setattr__(self, "bounds", as_bounds(self.bounds))
        mechanism_named(self.mechanism)
        for name in ("by", "units", "calibration"):
            one_of(name, getattr(self, name), get_args(_TYPES[name]))

    def __repr__(self) -> str:
        if not self.secrets or not self.statistics:
            return f"Scenario({self.source!r}, {len(self.statistics)} statistics)"
        return f"Scenario({self.source!r}, {Query(self.statistics)!r}, {self.secrets[0]!r})"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a choice that differs from the default: setting and value."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        rows = [
            (name, "; ".join(map(str, one)) if isinstance(one, tuple) else one)
            for name, one in values.items()
            if one != _DEFAULTS[name]
        ]
        return pd.DataFrame(rows, columns=["setting", "value"])

    @property
    def limit(self) -> Limit | Promise:
        """Limit that is accepted: right guesses of 100, or ε and δ.

        A DistprivError if ε is to set it and is not chosen, or a number is outside its domain.
        """
        if self.by == "guesses":
            return Limit("guesses", self.guesses)
        if self.epsilon is None:
            raise DistprivError("The limit is set by ε, and there is none; choose a number.")
        return Promise(self.epsilon, self.delta)

    @property
    def promise(self) -> Promise:
        """Promise that the limit means."""
        limit = self.limit
        return limit if isinstance(limit, Promise) else limit.promise

    @property
    def key(self) -> str:
        """Digest of all choices, 32 hexadecimal digits."""
        return blake2b(self.to_json().encode(), digest_size=16).hexdigest()

    def to_json(self, path: str | Path | None = None) -> str:
        """Return what differs from the default as JSON, and write it to a file if one is named."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        changed = {name: one for name, one in values.items() if one != _DEFAULTS[name]}
        plain = {"format": _FORMAT, "version": _VERSION} | changed
        text = json.dumps(plain, ensure_ascii=False, indent=1, default=_plain)
        if path is not None:
            save_text(path, text)
        return text

    @classmethod
    def from_json(cls, file: File) -> Scenario:
        """Read what `to_json` wrote: its text, a path, bytes or an open file.

        Raises
        ------
        DistprivError
            If it is no scenario of this version, or has fields that are none or of another type.
        """
        try:
            plain = json.loads(
                text_of(file), parse_constant=int
            )  # which refuses NaN and ∞: no JSON
        except ReadError:
            raise
        except (ValueError, TypeError, RecursionError):
            raise ReadError(
                "This is not a scenario, because it is not JSON; save it again."
            ) from None
        if not isinstance(plain, dict) or plain.get("format") != _FORMAT:
            raise ReadError("This is not a scenario of distpriv; choose a file that it saved.")
        if plain.get("version") != _VERSION:
            raise ReadError(
                f"The scenario has version {plain.get('version')!r}, and this program reads "
                f"{_VERSION}; open it with a newer distpriv."
            )
        values = {}
        for name in plain.keys() - {"format", "version"}:
            if name not in _DEFAULTS:
                raise ReadError(
                    f"A scenario has no field {name!r}; leave it out.{near(name, _DEFAULTS)}"
                )
            values[name] = _read(name, plain[name])
        if values.get("by") == "epsilon" and values.get("epsilon") is None:
            raise ReadError("The scenario's limit is set by ε, and it has none; add epsilon.")
        return cls(**values)


_DEFAULTS: dict[str, Any] = {one.name: one.default for one in fields(Scenario)}
_TYPES = get_type_hints(Scenario)


def _all_of(kind: type, values: Any, name: str) -> tuple[Any, ...]:
    """Return one or several values of a kind; DistprivError if one is of another."""
    several = tuple(values) if hasattr(values, "__iter__") else (values,)
    for one in several:
        if not isinstance(one, kind):
            raise DistprivError(f"{name} must be of {kind.__name__}, not {one!r}.")
    return several


def _plain(value: Any) -> Any:
    """Write a value that JSON has no form for."""
    if isinstance(value, ReadOptions):
        return value.arguments()
    return value.plain() if isinstance(value, Pair | Statistic) else asdict(value)


def _read(name: str, value: Any) -> Any:
    """Read the value of a field; one of another type is an error in a sentence."""
    try:
        return _as(_TYPES[name], value)
    except DistprivError:
        raise
    except (TypeError, ValueError, AttributeError):
        raise ReadError(
            f"The scenario's field {name!r} cannot be {value!r}; correct it or leave it out."
        ) from None


def _as(kind: Any, value: Any) -> Any:
    """Read a value of JSON as one of a type; TypeError or ValueError if it is none."""
    parts = get_args(kind)
    if get_origin(kind) is Literal:
        return parts[parts.index(value)]
    if get_origin(kind) is UnionType:  # a type or None
        return None if value is None else _as(parts[0], value)
    if get_origin(kind) is tuple:
        kinds = parts[:1] * len(value) if parts[-1] is Ellipsis else parts
        return tuple(_as(*pair) for pair in zip(kinds, value, strict=True))
    if hasattr(kind, "from_plain"):
        return kind.from_plain(value)
    if hasattr(kind, "__post_init__"):  # checks its values itself
        return kind(**value)
    if isinstance(kind, type) and is_dataclass(kind):
        types = get_type_hints(kind)
        return kind(**{name: _as(types[name], one) for name, one in value.items()})
    if type(value) is not kind and (kind, type(value)) != (float, int):  # True is not a number
        raise TypeError
    return value
