"""Things of one kind under their short names: mechanisms, statistics, attackers."""

from __future__ import annotations

from typing import Generic, TypeVar

from distpriv.errors import DistprivError

__all__ = ["Registry"]

_Kind = TypeVar("_Kind")


class Registry(Generic[_Kind]):
    """What selectors, charts, tables and scripts offer of one kind.

    Whoever adds to it, a module of the package or a script from outside, need do nothing else.

    Parameters
    ----------
    kind : str
        What its entries are called in errors.
    error : type of DistprivError
        What is raised for a name that is not there.
    """

    def __init__(self, kind: str, error: type[DistprivError]) -> None:
        self._kind, self._error = kind, error
        self._entries: dict[str, tuple[int, _Kind]] = {}

    def add(self, name: str, entry: _Kind, position: int = 100) -> None:
        """Make an entry known under its name, in lists behind those of lower or equal position.

        Raises
        ------
        ValueError
            If the name is taken.
        """
        if name in self._entries:
            raise ValueError(f"a {self._kind} named {name!r} is already registered")
        self._entries[name] = position, entry

    def remove(self, name: str) -> None:
        """Forget an entry, for instance to define it anew in a notebook; errors as in `get`."""
        self.get(name)
        del self._entries[name]

    def get(self, name: str) -> _Kind:
        """Return the entry of that name.

        Raises
        ------
        DistprivError
            The registry's own, if there is none.
        """
        try:
            return self._entries[name][1]
        except (KeyError, TypeError):
            raise self._error(
                f"There is no {self._kind} {name!r}; choose one of {', '.join(self.names())}."
            ) from None

    def names(self) -> tuple[str, ...]:
        """Names of all entries, in order."""
        return tuple(sorted(self._entries, key=lambda name: self._entries[name][0]))
