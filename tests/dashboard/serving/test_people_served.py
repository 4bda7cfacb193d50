"""Signing in to a dashboard that runs, at a provider that signs: who gets in, and who does not."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from distpriv.store import open_store
from distpriv.store.audit import check_trail, trail
from tests.provider import CLIENT, COOKIE_SECRET, USER, Faceless, Provider

IN, GATE, NOBODY = "Ann Analyst", "Sign in with Test University", "No role yet"


def failed(answer: httpx.Response) -> bool:
    """Whether the way back says that it did not work, and hands out no sign-in."""
    handed = any(
        each.startswith(f"{USER}=") and not each.startswith(f'{USER}=""')
        for each in answer.headers.get_list("set-cookie")
    )
    return answer.headers["location"] == "/?signed=failed" and not handed


def test_nobody_gets_in_without_signing_in(person: Faceless) -> None:
    said = person.visit()
    assert GATE in said
    assert "slider" not in said
    for query in ("role=stakeholder", "workspace=x", "view=presentation", "signed=out"):
        said = person.visit(query)
        assert GATE in said
        assert "waits for" not in said


def test_who_signs_in_gets_in_where_they_came_from_and_out_again(
    person: Faceless, place: dict[str, str], identity: Provider
) -> None:
    answer = person.sign_in("ann", "/decide?role=stakeholder&decision=ab%20c")
    assert answer.status_code == 302
    assert answer.headers["location"] == "/decide?role=stakeholder&decision=ab%20c"
    cookies = [each for each in answer.headers.get_list("set-cookie") if each.startswith(USER)]
    assert cookies
    assert all("HttpOnly" in each and "SameSite=lax" in each for each in cookies)
    said = person.visit("role=stakeholder")
    assert IN in said
    assert "ann@example.org" in said
    assert "No decision waits" in said
    answer = person.web.get("/auth/logout")
    assert answer.headers["Clear-Site-Data"] == '"storage"'
    over = urlsplit(answer.headers["location"])
    assert f"{over.scheme}://{over.netloc}" == identity.address
    asked = parse_qs(over.query)
    assert asked["post_logout_redirect_uri"] == [f"{place['address']}/oauth2callback"]
    assert person.web.get("/oauth2callback").headers["location"] == "/?signed=out"
    assert GATE in person.visit()
    rows = [row for row in trail(open_store(place["database"])) if row.act == "signed in"]
    assert rows[-1].signed.startswith("Ann Analyst (ann@example.org, verified by http://127.0.0.1")
    assert rows[-1].role == "analyst"
    assert check_trail(open_store(place["database"])).wrong == ()


Twist = Callable[[Provider, dict[str, Any], dict[str, Any]], str]


def _none(_: Provider, header: dict[str, Any], claims: dict[str, Any]) -> str:
    parts = ({**header, "alg": "none"}, claims)
    coded = (base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts)
    return ".".join((*coded, ""))


def _changed(**changes: object) -> Twist:
    return lambda identity, header, claims: identity.signed(
        header, {**claims, **changes}, identity.own
    )


def _without(claim: str) -> Twist:
    return lambda identity, header, claims: identity.signed(
        header, {name: each for name, each in claims.items() if name != claim}, identity.own
    )


TWISTS: dict[str, Twist] = {
    "wrong signature": lambda identity, header, claims: identity.signed(
        header, claims, identity.strangers
    ),
    "no signature": _none,
    "for somebody else": _changed(aud="another-client"),
    "for several, and from another": _changed(aud=[CLIENT, "x"], azp="x"),
    "by somebody else": _changed(iss="http://evil.example.org"),
    "long expired": _changed(iat=int(time.time()) - 7200, exp=int(time.time()) - 3600),
    "another nonce": _changed(nonce="replayed"),
    "no nonce": _without("nonce"),
    "no subject": _without("sub"),
    "no expiry": _without("exp"),
    "rubbish": lambda *_: "a.b.c",
}


@pytest.mark.parametrize("name", TWISTS)
def test_a_forged_or_expired_token_is_refused(
    person: Faceless, identity: Provider, name: str
) -> None:
    identity.twist = lambda header, claims: TWISTS[name](identity, header, claims)
    assert failed(person.sign_in("ann"))
    assert GATE in person.visit()


def test_an_honest_token_by_the_same_key_is_taken(person: Faceless, identity: Provider) -> None:
    """So it was not the other key that failed the forged ones."""
    identity.twist = lambda header, claims: identity.signed(header, claims, identity.own)
    assert person.sign_in("ann").headers["location"] == "/"
    assert IN in person.visit()


def test_the_way_back_cannot_be_gone_twice_nor_by_somebody_else(
    person: Faceless, place: dict[str, str]
) -> None:
    callback = person.to_provider("ann")
    other = Faceless(place["address"])
    assert failed(other.web.get(callback))  # has never asked: the state is not theirs
    changed = callback.replace("state=", "state=x")
    assert failed(person.web.get(changed))
    assert person.web.get(callback).headers["location"] == "/"
    assert failed(person.web.get(callback))
    assert failed(person.web.get("/oauth2callback?error=access_denied&state=x"))


@pytest.mark.parametrize(
    "back",
    [
        "//evil.example.org/",
        "https://evil.example.org/",
        "/\\evil.example.org",
        "/%5Cevil.example.org",
        "/x/%2F%2Fevil",
        "/auth/logout",
        "/oauth2callback",
        "javascript:alert(1)",
        "/a\r\nSet-Cookie: x=y",
        "/" + "x" * 4000,
        "/é",
    ],
)
def test_the_way_back_leads_to_no_other_place(person: Faceless, back: str) -> None:
    assert person.sign_in("ann", back).headers["location"] == "/"


def test_a_way_in_that_nobody_was_given_leads_nowhere(person: Faceless) -> None:
    for ticket in ("", "x", "a.b.c"):
        answer = person.web.get("/auth/login", params={"provider": ticket, "back": "//evil"})
        assert (answer.status_code, answer.headers["location"]) == (302, "/")


def now(**changes: object) -> dict[str, Any]:
    begun = int(time.time())
    return {
        "iss": "https://id.example.org", "sub": "9", "aud": CLIENT, "iat": begun, "nonce": "n",
        "exp": begun + 300, "name": "Ann Analyst", "realm": {"roles": ["asks"]}, **changes,
    }  # fmt: skip


def test_a_cookie_is_taken_as_it_was_signed_or_not_at_all(person: Faceless) -> None:
    person.put(now())
    assert IN in person.visit("role=stakeholder")
    whole = person.web.cookies[USER]
    head, stamp, signature = whole.rsplit(".", 2)
    for broken in (
        f"{head[:-2]}AA.{stamp}.{signature}",
        f"{head}.{stamp}.{signature[:-4]}AAAA",
        head,
        "",
        "chunks-2",
    ):
        person.web.cookies.set(USER, broken)
        assert GATE in person.visit()
    person.put(now(), secret="another secret of as many letters as")
    assert GATE in person.visit()
    person.put(now(aud="another-app"))  # whose cookies are signed alike
    assert GATE in person.visit()
    person.put(now())
    with suppress(InvalidStatus):  # the entry may refuse another origin before that
        assert GATE in person.visit(origin="http://localhost:1")


def test_a_sign_in_ends_after_its_hours(person: Faceless) -> None:
    person.put(now(iat=int(time.time()) - 8 * 3600 + 600))
    assert IN in person.visit("role=stakeholder")
    person.put(now(iat=int(time.time()) - 8 * 3600 - 1))
    said = person.visit("role=stakeholder")
    assert "Your sign-in has ended" in said
    assert "No decision waits" not in said
    for wrong in (int(time.time()) + 3600, "now", None, True, float("nan")):
        person.put(now(iat=wrong))
        assert GATE in person.visit("role=stakeholder")


def test_a_sign_in_that_was_ended_does_not_come_back(
    person: Faceless, place: dict[str, str]
) -> None:
    from distpriv.analysis.person import Verified
    from distpriv.store.audit import sign_out

    person.put(now(nonce="stolen"))
    assert IN in person.visit("role=stakeholder")
    store = open_store(place["database"])
    row = next(row for row in reversed(trail(store)) if row.act == "signed in")
    sign_out(store, row.about, row.author, Verified(row.issuer, row.subject))
    said = person.visit("role=stakeholder")  # the cookie itself is good for 30 days
    assert "Your sign-in has ended" in said
    assert "No decision waits" not in said


def test_roles_are_those_of_the_next_sign_in(person: Faceless, identity: Provider) -> None:
    identity.person("vic", name="Vic", email="vic@example.org", email_verified=True)
    person.sign_in("vic")
    assert "viewer" in person.visit()
    identity.person("vic", name="Vic", email="vic@example.org", email_verified=False)
    assert "viewer" in person.visit()
    person.sign_in("vic")
    said = person.visit()
    assert NOBODY in said
    assert "No decision waits" not in said
    identity.person("vic", name="Vic", realm={"roles": ["agrees", "unheard"]})
    person.sign_in("vic")
    assert "approver" in person.visit("role=stakeholder")


def test_a_viewer_sees_decisions_and_nothing_else(person: Faceless, identity: Provider) -> None:
    identity.person("vic", name="Vic", email="vic@example.org", email_verified=True)
    person.sign_in("vic")
    said = person.visit()
    assert "No decision waits" in said
    assert "Open a table" not in said
    assert "file_uploader" not in said


def test_no_secret_and_no_token_is_logged(person: Faceless, log: Path) -> None:
    person.sign_in("ann")
    person.visit()
    said = log.read_text()
    for secret in (COOKIE_SECRET, "secret-of-the-client", person.web.cookies[USER], "eyJ"):
        assert secret not in said
    assert "Traceback" not in said.replace("OAuth token exchange failed", "") or "eyJ" not in said


def test_only_who_could_look_at_a_table_uploads_one(person: Faceless, identity: Provider) -> None:
    def answer() -> httpx.Response:
        return person.web.put("/_stcore/upload_file/no-session/1", files={"file": b"a,b"})

    assert answer().status_code == 403
    person.put(now(), secret="another secret of as many letters as")
    assert answer().status_code == 403
    person.put(now(iat=int(time.time()) - 9 * 3600))
    assert answer().status_code == 403
    person.put(now(realm={"roles": []}, email="vic@example.org", email_verified=True))
    assert answer().status_code == 403
    person.put(now())
    assert "Sign in" not in answer().text  # refused further in: there is no such session
