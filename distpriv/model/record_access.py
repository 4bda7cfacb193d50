"""What holds records, or reaches them, is pickled and copied without them.

A pickle goes where a table must not: into a cache, to a colleague, to another machine. A copy is
one for the same reason.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, ClassVar, NoReturn

from distpriv.errors import ModelError

__all__ = ["HoldsRecords", "MissingRecords", "ReachesRecords"]


class MissingRecords:
    """Stand for records that a pickle or a copy was made without.

    Raises
    ------
    ModelError
        Whatever it is asked for.
    """

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self()

    def __call__(self) -> NoReturn:
        """Raise ModelError."""
        raise ModelError(
            "The records are no longer here, because pickles and copies are made without them; fit "
            "the model again to the table."
        )


class HoldsRecords:
    """Be nothing but records: a pickle or a copy is :class:`MissingRecords`."""

    def __reduce_ex__(self, protocol: object) -> tuple[type[MissingRecords], tuple[()]]:
        return MissingRecords, ()


class ReachesRecords:
    """Leave attributes that hold or reach records out of a pickle or a copy of a dataclass.

    Fields without a default factory become :class:`MissingRecords`, the others empty; cached
    properties are dropped.

    Parameters
    ----------
    through : tuple of str
        Names of these attributes, beside those of the base class.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    _through: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, through: tuple[str, ...] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._through = (*cls._through, *through)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name not in self._through}
        for field in fields(self):
            if field.name in self._through:
                empty = field.default_factory
                state[field.name] = MissingRecords() if empty is MISSING else empty()
        return state
