"""Names with what they rest on."""

from __future__ import annotations

import pytest

from distpriv.analysis.person import SIGN_IN, Verified, same_person, signed, typed_is_said

ANN = Verified("https://id.example.org/realms/a/", "7", "ann@example.org", "analyst")


def test_without_sign_in_a_typed_name_stands_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SIGN_IN, raising=False)
    assert not typed_is_said()
    assert signed("Bob", None) == "Bob"
    assert signed("Ann", ANN) == "Ann (ann@example.org, verified by id.example.org/realms/a)"


def test_where_people_can_sign_in_a_typed_name_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SIGN_IN, "somewhere.toml")
    assert signed("Bob", None) == "Bob (as typed)"
    assert signed("", None) == ""
    plain = Verified("http://localhost:8000", "7")
    assert signed("Ann", plain) == "Ann (verified by http://localhost:8000)"
    assert signed("ann@example.org", ANN).count("ann@example.org") == 1


def test_who_is_the_same() -> None:
    other = Verified(ANN.issuer, "8", ANN.email, ANN.role)
    again = Verified(ANN.issuer, "7", "", "approver")
    assert same_person(ANN, again) is True
    assert same_person(ANN, other) is False
    assert same_person(ANN, Verified("https://evil.example.org", "7")) is False
    assert same_person(ANN, None) is same_person(None, None) is None
