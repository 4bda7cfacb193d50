"""Boxes for whole numbers, and what is no number."""

from __future__ import annotations

import math

import pytest
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.proto.NumberInput_pb2 import NumberInput

from distpriv.dashboard.serving import whole_numbers

SENT = [math.nan, math.inf, -math.inf]


@pytest.fixture
def unmended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit as it comes, whatever has been mended before."""
    read = NumberInputSerde.deserialize
    monkeypatch.setattr(NumberInputSerde, "deserialize", getattr(read, "__wrapped__", read))


def box() -> NumberInputSerde:
    return NumberInputSerde(value=7, data_type=NumberInput.INT, min_value=2, max_value=90)


@pytest.mark.usefixtures("unmended")
@pytest.mark.parametrize("sent", SENT)
def test_streamlit_ends_a_run_at_them(sent: float) -> None:
    """Where this fails, Streamlit has mended it, and `whole_numbers` can go."""
    with pytest.raises((ValueError, OverflowError)):
        box().deserialize(sent)


@pytest.mark.usefixtures("unmended")
def test_a_box_shows_its_default_instead() -> None:
    whole_numbers.at_start()
    whole_numbers.at_start()  # once is enough
    assert [box().deserialize(sent) for sent in SENT] == [7, 7, 7]
    assert [box().deserialize(sent) for sent in (None, 12, 12.0, 91, 1)] == [7, 12, 12, 7, 7]
    with pytest.raises(ValueError, match="invalid literal"):
        box().deserialize("x")  # Streamlit takes it out of the address
