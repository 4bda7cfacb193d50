"""The registry behind mechanisms, statistics and attackers."""

from __future__ import annotations

import pytest

from distpriv.errors import QueryError
from distpriv.registry import Registry


def test_names_stand_in_order_of_place_and_of_arrival() -> None:
    registry: Registry[int] = Registry("thing", QueryError)
    for name, position in (("c", 2), ("a", 1), ("d", 2), ("b", 1)):
        registry.add(name, ord(name), position)
    assert registry.names() == ("a", "b", "c", "d")
    assert registry.get("d") == ord("d")
    registry.remove("d")
    with pytest.raises(QueryError, match=r"There is no thing 'd'; choose one of a, b, c\."):
        registry.get("d")
    with pytest.raises(QueryError, match=r"There is no thing \['a'\]; "):
        registry.get(["a"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a thing named 'a' is already registered"):
        registry.add("a", 1)
