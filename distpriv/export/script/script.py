"""A script in sections, and values as the Python text that makes them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, fields

from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Statistic

__all__ = ["Script", "Section", "call", "listing", "literal", "property_text"]

_WIDTH = 88
# Modules whose statistics are public names of the package; others go by their kind.
_PUBLIC = ("distpriv.queries.statistics", "distpriv.queries.nonlinear")


@dataclass(frozen=True)
class Section:
    """A step of a script.

    Attributes
    ----------
    title : str
        A few words of our own; nothing from the data, which could break out of a comment.
    code : str
    """

    title: str
    code: str


@dataclass(frozen=True)
class Script:
    """A short Python script.

    Attributes
    ----------
    title : str
    sections : tuple of Section
    """

    title: str
    sections: tuple[Section, ...]

    @property
    def text(self) -> str:
        """The whole script, to be saved as a file."""
        parts = [f'"""{self.title}"""']
        parts += [f"# {section.title}\n{section.code}" for section in self.sections]
        return "\n\n".join(parts) + "\n"


def literal(value: object) -> str:
    """The Python text of a value, whatever stands in its names."""
    if isinstance(value, str):
        # What does not print, such as marks that turn the direction of writing, is spelled out.
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(str(value))
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, SensitiveProperty):
        return property_text(value)
    if isinstance(value, Pair):
        return f"dp.Pair({property_text(value.secret)}, {value.p_i!r}, {value.p_j!r})"
    if isinstance(value, Statistic):
        given = [literal(getattr(value, field.name)) for field in fields(value)]
        own = type(value).__module__ in _PUBLIC
        name = type(value).__name__ if own else f"queries.get({literal(value.kind)})"
        return call(f"dp.{name}", given)
    if isinstance(value, dict):
        items = [f"{literal(key)}: {literal(item)}" for key, item in value.items()]
        return f"{{{', '.join(items)}}}"
    if isinstance(value, frozenset):
        return f"frozenset({literal(sorted(value))})"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if hasattr(value, "item"):
        return literal(value.item())
    raise TypeError(f"{type(value).__name__} has no literal.")


def property_text(secret: SensitiveProperty) -> str:
    """The Python text of a sensitive property."""
    column = literal(secret.column)
    if len(secret.values) == 1:
        return f"dp.SensitiveProperty({column}, {literal(secret.values[0])})"
    if secret.values:
        return f"dp.SensitiveProperty({column}, values={literal(list(secret.values))})"
    if secret.closed:
        return f"dp.SensitiveProperty({column}, between={literal((secret.low, secret.high))})"
    if math.isinf(secret.high):
        return f"dp.SensitiveProperty({column}, above={literal(secret.low)})"
    return f"dp.SensitiveProperty({column}, below={literal(secret.high)})"


def call(function: str, arguments: Iterable[str]) -> str:
    """A call, in one line where it fits."""
    given = list(arguments)
    one_line = f"{function}({', '.join(given)})"
    if len(one_line) <= _WIDTH:
        return one_line
    indented = (argument.replace("\n", "\n    ") for argument in given)
    return f"{function}(\n" + "".join(f"    {argument},\n" for argument in indented) + ")"


def listing(items: Iterable[str]) -> str:
    """A list of texts of Python, in one line where it fits."""
    given = list(items)
    one_line = f"[{', '.join(given)}]"
    if len(one_line) <= _WIDTH - 10:
        return one_line
    return "[\n" + "".join(f"    {item},\n" for item in given) + "]"
