"""Tokens, names and links of what is put on record."""

from __future__ import annotations

import pytest

from distpriv.dashboard import agree
from distpriv.dashboard.state import State


def test_token_is_one_a_form_until_it_is_done():
    state, other = State(), State()
    number, token = agree.token(state, "propose")
    assert agree.token(state, "propose") == (number, token)
    assert token not in (agree.token(state, "release")[1], agree.token(other, "propose")[1])
    for _ in range(2):  # two clicks that run side by side
        agree.done(state, "propose", number)
    assert agree.token(state, "propose")[0] == number + 1
    assert agree.token(state, "propose")[1] != token


def test_link_leads_to_the_answer_below_any_address(monkeypatch):
    for url in ("https://host/app/decide?table=staff", "https://host/app/answer?decision=a"):
        monkeypatch.setattr(agree.st, "context", type("Context", (), {"url": url})())
        address, code = agree.link("abc")
        assert address == "https://host/app/answer?decision=abc"
        assert code.startswith("data:image/svg+xml")


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ({}, ""),
        ({"is_logged_in": False, "email": "a@b.c"}, ""),
        ({"is_logged_in": True, "name": "Bo", "email": "a@b.c"}, "a@b.c"),
        ({"is_logged_in": True, "email": "a@b.c", "email_verified": False, "sub": "7"}, "7"),
    ],
)
def test_a_name_that_people_choose_themselves_does_not_count(user, name, monkeypatch):
    monkeypatch.setattr(agree.st, "user", type("User", (), {"to_dict": lambda _: user})())
    assert agree.signed_in() == name
