"""Templates of reports, and how they write numbers, days, and what comes from tables and people.

Whatever a template writes is escaped, in HTML as in Markdown, unless it is the template's own.
"""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from distpriv.analysis.frames import separation
from distpriv.text import percent, significant, whole

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["bells", "day", "render", "status"]

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#!|~$&:@=])|(?<=www)(\.)", re.IGNORECASE)


def render(template: str, **values: Any) -> str:
    """Return a template's text, HTML or Markdown by its ending."""
    return _environment(template.endswith(".md")).get_template(template).render(**values)


@cache
def _environment(in_markdown: bool) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("distpriv.report"),
        autoescape=not in_markdown,  # noqa: S701 - all Markdown is escaped by finalize
        finalize=_in_markdown if in_markdown else _line,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"cap": _capital, "day": day, "first": _first, "num": _number}
    made.filters |= {"pct": percent, "right": _right, "whole": whole, "words": _words}
    made.globals |= {"bells": bells, "status": status}
    return made


def _line(value: Any) -> Any:
    """Write text on one line, without signs that nobody sees or that turn its direction."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    seen = (sign for sign in value if unicodedata.category(sign) not in ("Cf", "Cs", "Co", "Cn"))
    return " ".join("".join(" " if ord(sign) < 32 else sign for sign in seen).split(" ")).strip()


def _in_markdown(value: Any) -> Any:
    """Make text stand for itself, without formatting, links, pictures and cells of its own."""
    if not isinstance(value, str):
        return value
    return _SIGNS.sub(lambda match: f"\\{match[0]}", " ".join(_line(value).split()))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _first(text: str, letters: int = 280) -> str:
    """Cut a long text, which stands in full elsewhere."""
    return text if len(text) <= letters else f"{text[: letters - 1].rstrip()}…"


def day(text: str) -> str:
    """Write an ISO date or time as people do: "28 November 2026"."""
    try:
        return f"{date.fromisoformat(text[:10]):%-d %B %Y}"
    except ValueError:
        return text


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else significant(value, digits)


def _right(guesses: float) -> str:
    """Write right guesses of 100; all but certainty is not written as 100."""
    return "more than 99" if 99.5 <= guesses < 100 else f"{guesses:.0f}"


def _words(value: Any) -> str:
    """Write a value of JSON in words."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_words(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return significant(value, 4) if isinstance(value, int | float) else str(value)


def status(decision: Any) -> str:
    """Return in a sentence or two what is decided."""
    by, at = decision["answered_by"], day(decision["answered_at"])
    review = day(decision["review"])
    again = f" It is looked at again on {review}." if review else ""
    if decision["status"] == "agreed" and not decision["in_force"]:
        again = f" It had to be looked at again by {review}, so it covers no further release."
    sentences = {
        "not proposed": "Nothing is on record yet. This page is a draft.",
        "proposed": f"Proposed by {decision['proposed_by']} on {day(decision['proposed_at'])}. "
        "Somebody else has yet to answer.",
        "agreed": f"Agreed by {by} on {at}.{again}",
        "changes": f"{by} asked for changes on {at}.",
        "rejected": f"Rejected by {by} on {at}.",
    }
    return sentences.get(decision["status"], str(decision["status"]))


def bells(guesses: float, width: int = 300, height: int = 130) -> dict[str, Any]:
    """Return paths of two bells that an attacker tells apart so often of 100, their overlap, tops.

    In a box with the vertical axis downwards; places of the tops are along its width.
    """
    apart, scores = separation(guesses), [place / 10 for place in range(-40, 41, 2)]

    def path(*sides: float) -> str:
        heights = [min(math.exp(-((x - side) ** 2) / 2) for side in sides) for x in scores]
        points = " ".join(
            f"{width * (x + 4) / 8:.4g},{height * (1 - 0.96 * y):.4g}"
            for x, y in zip(scores, heights, strict=True)
        )
        return f"M{points}"

    tops = [round(width * (4 + side * max(apart / 2, 0.85)) / 8) for side in (-1, 1)]
    one, other = path(-apart / 2), path(apart / 2)
    return {"low": one, "high": other, "both": path(-apart / 2, apart / 2), "tops": tops} | {
        "alike": apart < 0.08
    }
