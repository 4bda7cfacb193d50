"""Templates of reports: how they write numbers, days, and what comes from tables and people.

Whatever a template writes is escaped in the way of its format, unless it is the template's own.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import cache, partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from distpriv.analysis.frames import separation
from distpriv.text import FIXED, THIN, percent, right_of_100, significant, whole

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["bells", "day", "digits", "line", "minute", "render"]

_SIGNS = re.compile(r"[\\`*_{}\[\]<>#!|~$&@]|:(?=[^\s\d])|(?<=www)\.", re.IGNORECASE)
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")  # signs that turn the direction of text, and the like


def render(template: str, **values: Any) -> str:
    """Return a template's text: HTML, Markdown, JSON or Python, by its ending."""
    return _environment(template.rpartition(".")[2]).get_template(template).render(**values)


@cache
def _environment(ending: str) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    write = _WRITE[ending]
    environment = Environment(
        loader=PackageLoader("distpriv.report"),
        autoescape=ending == "html",  # noqa: S701 - the others have their own way
        finalize=lambda value: value if hasattr(value, "__html__") else write(value),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "cap": lambda text: text[:1].upper() + text[1:],
        "day": day,
        "first": _first,
    }
    environment.filters |= {"num": _number, "pct": percent, "right": right_of_100, "whole": whole}
    environment.filters |= {
        "digits": digits,
        "guesses": _guesses,
        "minute": minute,
        "words": _words,
    }
    environment.globals["bells"] = bells
    return environment


def line(value: Any) -> Any:
    """Write text on one line, without signs that nobody sees."""
    if not isinstance(value, str):
        return value
    signs = (sign for sign in value if sign.isspace() or unicodedata.category(sign) not in _UNSEEN)
    return "".join(" " if sign.isspace() and sign not in (THIN, FIXED) else sign for sign in signs)


def _in_markdown(value: Any) -> Any:
    """Make text stand for itself: without formatting, links, pictures, cells and lines."""
    if not isinstance(value, str):
        return value
    return _SIGNS.sub(r"\\\g<0>", " ".join(filter(None, line(value).split(" "))))


def _first(text: str, letters: int = 170) -> str:
    """Cut a long text, which stands in full elsewhere."""
    return text if len(text) <= letters else f"{text[: letters - 1].rstrip()}…"


def day(text: str) -> str:
    """Write an ISO date or time as people do: "28 November 2026"."""
    one = date.fromisoformat(text[:10]) if text else None
    return f"{one.day} {one:%B %Y}" if one else ""


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else significant(value, digits)


def minute(at: datetime) -> str:
    """Write a time in UTC, as a record has it."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def digits(value: float, count: int = 3, up: bool = False) -> float | None:
    """Round to significant digits, perhaps up; None for what is not a number."""
    if not math.isfinite(value) or not value:
        return 0.0 if value == 0 else None
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - count + 1)
    return float(f"{(math.ceil if up else round)(value / unit) * unit:.{count}g}")


def _guesses(guesses: float) -> float:
    """Round right guesses of 100; what is not certain does not become 100."""
    return 100.0 if guesses >= 100 else round(min(guesses, 99.9), 1)


def _words(value: Any) -> str:
    """Write a value of JSON in words."""
    if isinstance(value, dict):
        return "; ".join(f"{name.replace('_', ' ')}: {_words(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return significant(value, 4) if isinstance(value, int | float) else str(value or "–")


_WRITE: dict[str, Callable[[Any], Any]] = {"html": line, "md": _in_markdown, "txt": repr}
_WRITE["json"] = partial(json.dumps, allow_nan=False, default=methodcaller("item"))


def bells(guesses: float) -> dict[str, Any]:
    """Return paths of two bells that an attacker tells apart so often of 100, and their overlap.

    In a box of 300 by 130 with the vertical axis downwards, and where words stand over them.
    """
    apart, scores = separation(guesses), [place / 5 for place in range(-20, 21)]

    def path(*sides: float) -> str:
        heights = [min(math.exp(-((x - side) ** 2) / 2) for side in sides) for x in scores]
        points = zip(scores, heights, strict=True)
        return "M" + " ".join(f"{37.5 * (x + 4):.4g},{130 - 125 * y:.4g}" for x, y in points)

    low, high = -apart / 2, apart / 2
    words = [37.5 * (4 + side * max(high, 0.85)) for side in (-1, 1)]
    paths = {"low": path(low), "high": path(high), "both": path(low, high), "words": words}
    return paths | {"alike": apart < 0.08, "apart": math.exp(-(high**2) / 2) < 0.3}
