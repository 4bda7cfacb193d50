"""Attribute-privacy examples as JSON files: read with every value checked, and written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from distpriv.arguments import checked, is_unicode
from distpriv.attribute.assumptions import AttributeAssumption
from distpriv.attribute.network import BayesianNetwork
from distpriv.errors import AttributePrivacyError, DatasetError, NetworkError
from distpriv.resources import DATA
from distpriv.words import exact

__all__ = [
    "AssumptionFile",
    "NetworkFile",
    "QuiltQuery",
    "hospital",
    "load_assumptions",
    "load_network",
    "save_assumptions",
    "save_network",
    "school",
]

_LARGEST_FILE = 5_000_000
_MOST_ITEMS = 1_000  # of a list; a set of tables takes a millisecond to check
_LONGEST_NAME, _LONGEST_TEXT = 200, 10_000
ASSUMPTIONS, NETWORK = "distpriv assumptions", "distpriv network"
_RANGES = ("slope", "difference", "deviation")


@dataclass(frozen=True)
class AssumptionFile:
    """Releases of a dataset and what is assumed of them.

    Attributes
    ----------
    title, description : str
    assumptions : tuple of AttributeAssumption
    """

    title: str
    description: str
    assumptions: tuple[AttributeAssumption, ...]


@checked(AttributePrivacyError)
@dataclass(frozen=True, eq=False)
class QuiltQuery:
    """A released value and how far it can move.

    Attributes
    ----------
    name : str
    attributes : tuple of str
        What it is computed from.
    sensitivity : mapping of frozenset of str to float
        Δ of sets of its attributes.
    """

    name: str
    attributes: tuple[str, ...]
    sensitivity: Mapping[frozenset[str], float]


@dataclass(frozen=True, eq=False)
class NetworkFile:
    """A network, what is protected in it, and queries.

    Attributes
    ----------
    title, description : str
    networks : tuple of BayesianNetwork
        Θ: one graph, one or several sets of tables.
    protected : tuple of str
    queries : tuple of QuiltQuery
    """

    title: str
    description: str
    networks: tuple[BayesianNetwork, ...]
    protected: tuple[str, ...]
    queries: tuple[QuiltQuery, ...]


def hospital() -> AssumptionFile:
    """The hospital of Zhang et al. (2022), Section 4.2: data/hospital.json.

    Raises
    ------
    DatasetError
        If the file is not there.
    """
    return load_assumptions(_embedded("hospital.json"))


def school() -> NetworkFile:
    """The school of Zhang et al. (2022), Example 1, with tables of our own.

    From data/school_network.json.

    Raises
    ------
    DatasetError
        If the file is not there.
    """
    return load_network(_embedded("school_network.json"))


def _embedded(name: str) -> bytes:
    try:
        return (DATA / name).read_bytes()
    except OSError:
        raise DatasetError(
            f"The embedded example is missing: there is no data/{name} beside the package; run "
            "distpriv from a complete checkout of its repository."
        ) from None


@checked(AttributePrivacyError)
def load_assumptions(content: bytes | str) -> AssumptionFile:
    """Read a file of assumptions; the format is described in data/README.md.

    Parameters
    ----------
    content : bytes or str
        JSON.

    Raises
    ------
    AttributePrivacyError
        If it is no such file, a value makes no sense, there are more than 1 000 rows or a name has
        more than 200 characters.
    """
    whole = _Reader(_parsed(content, ASSUMPTIONS, AttributePrivacyError), AttributePrivacyError)
    rows = []
    for index, row in enumerate(whole.objects("assumptions"), 1):
        row.where = f" in row {index} of the assumptions"
        ranges = {name: row.range(name) for name in _RANGES}
        rows.append(
            AttributeAssumption(
                release=row.text("release"),
                unit=row.text("unit", ""),
                protected=row.text("protected"),
                diameter=row.number("diameter"),
                n=row.whole("records"),
                paper_error=row.number("paper_error") if row.has("paper_error") else None,
                **ranges,
            )
        )
    return AssumptionFile(whole.text("title", ""), whole.text("description", ""), tuple(rows))


@checked(AttributePrivacyError)
def save_assumptions(file: AssumptionFile) -> str:
    """The file as JSON; :func:`load_assumptions` reads it back."""
    rows = []
    for assumption in file.assumptions:
        row: dict[str, Any] = {
            "release": assumption.release,
            "unit": assumption.unit,
            "protected": assumption.protected,
            "records": assumption.n,
            "diameter": assumption.diameter,
        }
        row |= {name: list(getattr(assumption, name)) for name in _RANGES}
        rows.append(
            row
            | ({} if assumption.paper_error is None else {"paper_error": assumption.paper_error})
        )
    return _written(ASSUMPTIONS, file, {"assumptions": rows})


@checked(AttributePrivacyError)
def load_network(content: bytes | str) -> NetworkFile:
    """Read a file of a network; the format is described in data/README.md.

    Parameters
    ----------
    content : bytes or str
        JSON.

    Raises
    ------
    NetworkError
        If it is no such file, what it describes is no Bayesian network, a list has more than
        1 000 entries or a name more than 200 characters.
    """
    whole = _Reader(_parsed(content, NETWORK, NetworkError), NetworkError)
    states = {}
    for index, node in enumerate(whole.objects("attributes"), 1):
        node.where = f" of attribute {index}"
        states[node.text("name")] = node.texts("states")
    edges = []
    for edge in whole.items("edges"):
        if not (isinstance(edge, list) and len(edge) == 2 and all(map(_is_name, edge))):
            raise NetworkError('Every edge must be a pair of names, such as ["gender", "height"].')
        edges.append((edge[0], edge[1]))
    networks = []
    for number, tables in enumerate(whole.objects("tables"), 1):
        missing = [node for node in states if node not in tables.values]
        if missing or len(tables.values) > len(states):
            other = missing or [node for node in tables.values if node not in states]
            raise NetworkError(
                f"The tables and the attributes do not match: {other[0]!r:.100} is not in both "
                f"(set {number} of the tables)."
            )
        ordered = {node: tables.values[node] for node in states}
        networks.append(BayesianNetwork(edges, ordered, states))
    if not networks:
        raise NetworkError('The file has no set of tables; give at least one under "tables".')
    protected = tuple(whole.texts("protected"))
    networks[0].check_known(protected)
    queries = tuple(
        _query(query, index, networks[0]) for index, query in enumerate(whole.objects("queries"), 1)
    )
    return NetworkFile(
        whole.text("title", ""), whole.text("description", ""), tuple(networks), protected, queries
    )


def _query(entry: _Reader, index: int, network: BayesianNetwork) -> QuiltQuery:
    entry.where = f" of query {index}"
    attributes = tuple(dict.fromkeys(entry.texts("attributes")))
    network.check_known(attributes)
    sensitivity = {}
    for row in entry.objects("sensitivity"):
        row.where = f" in a sensitivity of query {index}"
        names = frozenset(row.texts("attributes"))
        if names in sensitivity or not names <= set(attributes):
            raise row.wrong("attributes", "some of the query's own, which no other row has")
        sensitivity[names] = row.number("value")
    return QuiltQuery(entry.text("name"), attributes, sensitivity)


@checked(AttributePrivacyError)
def save_network(file: NetworkFile) -> str:
    """The file as JSON; :func:`load_network` reads it back.

    Raises
    ------
    NetworkError
        If a sensitivity is not finite.
    """
    first = file.networks[0]
    for query in file.queries:
        if not all(map(math.isfinite, query.sensitivity.values())):
            raise NetworkError(f"A sensitivity of {query.name!r} is not finite; change it first.")
    return _written(
        NETWORK,
        file,
        {
            "attributes": [
                {"name": node, "states": list(first.names(node))} for node in first.nodes
            ],
            "edges": [list(edge) for edge in first.edges],
            "tables": [
                {node: np.round(network.table(node), 12).tolist() for node in network.nodes}
                for network in file.networks
            ],
            "protected": list(file.protected),
            "queries": [
                {
                    "name": query.name,
                    "attributes": list(query.attributes),
                    "sensitivity": [
                        {"attributes": [a for a in query.attributes if a in names], "value": value}
                        for names, value in query.sensitivity.items()
                    ],
                }
                for query in file.queries
            ],
        },
    )


def _written(kind: str, file: AssumptionFile | NetworkFile, body: Mapping[str, Any]) -> str:
    head = {"format": kind, "title": file.title, "description": file.description}
    return json.dumps(head | dict(body), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _parsed(content: bytes | str, kind: str, error: type[ValueError]) -> dict[str, Any]:
    if len(content) > _LARGEST_FILE:
        raise error(
            f"The file is larger than {_LARGEST_FILE // 1_000_000} MB, more than any network or "
            "table of assumptions that can be worked with."
        )
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        whole = json.loads(text, parse_constant=_no_constant)
        unicode = is_unicode(whole)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as problem:
        line = f" (line {problem.lineno})" if isinstance(problem, json.JSONDecodeError) else ""
        raise error(f"The file is not JSON{line}; choose one that was saved here.") from None
    except ValueError:
        raise error("The file holds a number that is not finite; put a number there.") from None
    if not unicode:
        raise error("The file holds half a character in a name; write that name anew.")
    if not isinstance(whole, dict) or whole.get("format") != kind:
        raise error(f'The file is not of the format "{kind}"; choose one that was saved here.')
    return whole


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _is_name(value: object) -> bool:
    if not isinstance(value, str) or len(value) > _LONGEST_NAME:
        return False
    return bool(value.strip()) and not any(ord(letter) < 32 for letter in value)


class _Reader:
    """An object of the file whose entries are read by name and kind."""

    def __init__(self, values: Mapping[str, Any], error: type[ValueError]) -> None:
        self.values, self.error = values, error
        self.where = ""

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def wrong(self, name: str, wanted: str) -> ValueError:
        return self.error(f'"{name}"{self.where} must be {wanted}.')

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name, default)
        if default is None and not _is_name(value):
            raise self.wrong(name, f"a text of one line and at most {_LONGEST_NAME} characters")
        if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
            raise self.wrong(name, f"a text of at most {exact(_LONGEST_TEXT)} characters")
        return value

    def number(self, name: str) -> float:
        value: Any = self.values.get(name)
        if not _is_number(value):
            raise self.wrong(name, "a finite number")
        return float(value)

    def whole(self, name: str) -> int:
        value = self.number(name)
        if value % 1:
            raise self.wrong(name, "a whole number")
        return int(value)

    def range(self, name: str) -> tuple[float, float]:
        value = self.items(name)
        if len(value) != 2 or not all(map(_is_number, value)):
            raise self.wrong(name, "two numbers, the lowest and the highest")
        return float(value[0]), float(value[1])

    def items(self, name: str) -> Sequence[Any]:
        value = self.values.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        if len(value) > _MOST_ITEMS:
            raise self.wrong(name, f"a list of at most {exact(_MOST_ITEMS)} entries")
        return value

    def texts(self, name: str) -> list[str]:
        value = self.items(name)
        if not all(map(_is_name, value)):
            raise self.wrong(
                name, f"a list of names, each of one line and at most {_LONGEST_NAME} characters"
            )
        return list(value)

    def objects(self, name: str) -> list[_Reader]:
        value = self.items(name)
        if not all(isinstance(item, dict) for item in value):
            raise self.wrong(name, "a list of objects")
        return [_Reader(item, self.error) for item in value]


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
