"""The glossary: the words of the field as the dashboard uses them, each said once.

Pages show the same sentences where a word stands (:func:`hover`) as the glossary's own page does.
They are written in ``glossary.toml`` beside this file.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from distpriv.words import SPACE

__all__ = ["GROUPS", "TERMS", "Term", "hover", "matching", "term"]


@dataclass(frozen=True)
class Term:
    """A word of the field.

    Attributes
    ----------
    name : str
        As pages write it.
    group : str
        What it belongs to.
    meaning : str
        One sentence in everyday words, of at most 30.
    page : str
        Name of the page where it is seen.
    also : tuple of str
        Other words for it.
    expert : str
        A second sentence, for who knows the field; may be empty.
    """

    name: str
    group: str
    meaning: str
    page: str
    also: tuple[str, ...] = ()
    expert: str = ""


def _read() -> tuple[Term, ...]:
    written = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    given = tomllib.loads(written.replace(" %", f"{SPACE}%"))
    return tuple(Term(**each | {"also": tuple(each.get("also", ()))}) for each in given["terms"])


TERMS = _read()
"""In the order of their groups."""
GROUPS = tuple(dict.fromkeys(each.group for each in TERMS))
"""In the order in which a reader meets them."""

_BY_NAME = {word: each for each in TERMS for word in (each.name, *each.also)}


def term(name: str) -> Term:
    """The term of that name or alias.

    Raises
    ------
    KeyError
        If there is none.
    """
    return _BY_NAME[name]


def hover(name: str) -> str:
    """What a term means, for a tooltip: its sentence, and the one for experts if it has one."""
    found = term(name)
    return f"{found.meaning} {found.expert}".rstrip()


def matching(text: str) -> tuple[Term, ...]:
    """Terms with all words of a text in name, aliases or meaning; those that are called so first.

    Parameters
    ----------
    text : str
        Capitals do not count; the empty text matches all.
    """
    wanted = text.casefold().split()
    named, others = [], []
    for each in TERMS:
        called = " ".join((each.name, *each.also)).casefold()
        if all(word in called for word in wanted):
            named.append(each)
        elif all(word in f"{called} {each.meaning} {each.expert}".casefold() for word in wanted):
            others.append(each)
    return (*named, *others)
