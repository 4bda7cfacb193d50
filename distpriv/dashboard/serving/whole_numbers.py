"""A box for whole numbers refuses what is no number, as boxes for other numbers do."""

from __future__ import annotations

import math
from functools import wraps

from streamlit.elements.widgets.number_input import NumberInputSerde

__all__ = ["at_start"]


def at_start() -> None:
    """Have boxes for whole numbers show their default where they are sent NaN or infinity.

    Streamlit turns what a browser sends into a whole number before it asks whether it is finite,
    and a run of the page ends in an exception (streamlit/streamlit#15799 mended boxes for other
    numbers alone).
    """
    read = NumberInputSerde.deserialize
    if hasattr(read, "__wrapped__"):
        return

    @wraps(read)
    def finite(serde: NumberInputSerde, sent: float | None) -> float | None:
        infinite = isinstance(sent, float) and not math.isfinite(sent)
        return read(serde, None if infinite else sent)

    NumberInputSerde.deserialize = finite  # type: ignore[assignment]
