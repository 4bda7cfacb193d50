"""Who may do what: by the token's claims, by the file, and at the moment of writing."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from distpriv.analysis.person import SIGN_IN, Verified
from distpriv.dashboard.release.panels import Desk
from distpriv.dashboard.serving import people, sign_in, writing
from distpriv.dashboard.serving.people import NotAllowedError, person_of, roles_of
from distpriv.dashboard.shell import sources
from distpriv.errors import SourceError, StoreError
from distpriv.store import Terms, all_decisions, ledger, limits, open_store, propose
from distpriv.store.audit import sign_out, trail
from tests.examples import alternative
from tests.house import PACKAGE
from tests.provider import CLIENT, configuration
from tests.store.writers import entry

ROLES = """
claim = ["realm_access", "roles"]
everybody = ["viewer"]
[roles.values]
analyst = ["asks", "asks too"]
approver = ["agrees"]
[roles.addresses]
approver = ["Bob@Example.org"]
"""


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sign_in.SignIn:
    """People sign in, at a provider that nobody asks here."""
    provider = "https://id.example.org/.well-known/openid-configuration"
    file = configuration(tmp_path / "in.toml", "http://localhost:8501", provider, ROLES)
    monkeypatch.setenv(SIGN_IN, str(file))
    found = sign_in.configured()
    assert found is not None, sign_in.problem()
    return found


def claims(*roles: str, **changes: object) -> dict[str, Any]:
    return {
        "is_logged_in": True, "iss": "https://id.example.org", "sub": "7", "aud": CLIENT,
        "iat": time.time(), "name": "Ann", "realm_access": {"roles": list(roles)}, **changes,
    }  # fmt: skip


@pytest.fixture
def user(known: object, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put somebody before the screen."""

    def is_(*roles: str, **changes: object) -> None:
        said = claims(*roles, **changes)
        found = SimpleNamespace(to_dict=lambda: dict(said))
        monkeypatch.setattr(people.st, "user", found)

    return is_


def test_where_nobody_signs_in_everybody_may_do_everything(monkeypatch) -> None:
    monkeypatch.delenv(SIGN_IN, raising=False)
    assert not people.on()
    assert people.now() is None
    assert (sign_in.configured(), sign_in.problem(), sign_in.secrets()) == (None, "", None)
    for action in ("look", "ask", "propose", "release", "settle", "limit", "audit"):
        assert people.may(action)
        assert people.refusal(action) == ""
        assert people.require(action) is None


def test_where_the_file_is_wrong_nobody_may_do_anything(monkeypatch, caplog) -> None:
    monkeypatch.setenv(SIGN_IN, "/nowhere/at-all.toml")
    assert people.on()
    assert not people.may("look")
    assert "cannot be read" in sign_in.problem()
    with pytest.raises(NotAllowedError):
        people.require("propose")


@pytest.mark.parametrize(
    ("changes", "roles"),
    [
        ({}, ("viewer",)),
        ({"realm_access": {"roles": "asks"}}, ("viewer", "analyst")),
        ({"realm_access": {"roles": ["asks too", "agrees", 7, None]}},
         ("viewer", "analyst", "approver")),
        ({"realm_access": {"roles": ["asks agrees", "Asks", "analyst"]}}, ("viewer",)),
        ({"realm_access": ["asks"]}, ("viewer",)),
        ({"realm_access.roles": ["asks"]}, ("viewer",)),
        ({"email": "bob@example.ORG", "email_verified": True}, ("viewer", "approver")),
        ({"email": "bob@example.org", "email_verified": False}, ("viewer",)),
        ({"email": "bob@example.org", "email_verified": "true"}, ("viewer",)),
        ({"email": "bob@example.org"}, ("viewer",)),
        ({"email": ["bob@example.org"], "email_verified": True}, ("viewer",)),
        ({"email": "bob@example.org.evil.org", "email_verified": True}, ("viewer",)),
    ],
)  # fmt: skip
def test_roles_follow_from_the_claims(known: sign_in.SignIn, changes, roles) -> None:
    assert roles_of(claims(**changes), known) == roles


def test_a_person_is_whom_the_provider_names(known: sign_in.SignIn) -> None:
    found = person_of(claims(email="ann@example.org", email_verified=True), known)
    assert found is not None
    assert found.verified == Verified("https://id.example.org", "7", "ann@example.org", "viewer")
    for changes, name in (
        ({"name": "  Ann \u202e\n Example\x00 "}, "Ann Example"),
        ({"name": "x" * 500}, "x" * 80),
        ({"name": "", "preferred_username": "ann7"}, "ann7"),
        ({"name": 7, "email": "a@b.org", "email_verified": True}, "a@b.org"),
        ({"name": None, "email": "a@b.org"}, "7"),
    ):
        person = person_of(claims(**changes), known)
        assert person is not None
        assert person.name == name
    for wrong in (
        {"sub": ""}, {"sub": 7}, {"iss": None}, {"aud": "another"}, {"aud": None},
        {"iat": None}, {"iat": True}, {"iat": time.time() + 3600}, {"sub": "x" * 5000},
    ):  # fmt: skip
        assert person_of(claims(**wrong), known) is None
    again = person_of(claims(nonce="another"), known)
    assert again is not None
    assert again.mark != found.mark


def _write(action: str) -> None:
    """One write of a kind, under a name that is typed."""
    kept = {"reason": "So.", "data": "x", "digest": "d"}
    store = open_store()
    if action == "propose":
        writing.propose("Typed", **kept, alternatives=[alternative()], chosen="now")
    elif action == "release":
        made = replace(entry(), **writing.releasing("Typed"))
        writing.record(made, {}, out=False)
    elif action == "limit":
        scenario = replace(entry().scenario, digest="e")
        writing.agree(0, "Typed", "So.", "x", "e", scenario, Terms(0.9))
    else:
        made = propose(store, author="Zoe", **kept, alternatives=[alternative()], chosen="now")
        if action == "revise":
            writing.revise(made.key, 1, "Typed", "So.", [alternative()], "now")
        else:
            writing.settle(made.key, 1, "Typed", "agreed", "")


WRITES = {"propose": "asks", "revise": "asks", "release": "asks", "settle": "agrees",
          "limit": "agrees"}  # fmt: skip


@pytest.mark.parametrize("action", WRITES)
def test_what_is_written_bears_the_name_of_the_sign_in(user, action: str) -> None:
    user(WRITES[action])
    _write(action)
    row = trail(open_store())[-1]
    assert (row.author, row.subject, row.issuer) == ("Ann", "7", "https://id.example.org")
    assert "Typed" not in [each.author for each in trail(open_store())]


@pytest.mark.parametrize("action", WRITES)
def test_who_may_not_write_writes_nothing_whatever_they_click(user, action: str) -> None:
    user(*({"asks", "agrees"} - {WRITES[action]}))
    with pytest.raises(NotAllowedError, match="your role here is"):
        _write(action)
    store = open_store()
    assert [each.now.status for each in all_decisions(store) if each.now.author == "Ann"] == []
    assert (ledger(store), limits(store, "e")) == ([], [])


@pytest.mark.parametrize("action", WRITES)
def test_who_has_signed_out_elsewhere_writes_nothing(user, action: str) -> None:
    user("asks", "agrees", nonce=f"ended {action}")
    person = people.now()
    assert person is not None
    sign_out(open_store(), person.mark, person.name, person.verified)
    with pytest.raises(NotAllowedError, match="has ended; sign in again"):
        _write(action)
    assert people.now() is None
    assert people.roles() == ()


def test_a_sign_in_that_has_run_out_grants_nothing(user) -> None:
    user("asks", iat=time.time() - 8 * 3600 - 1)
    assert people.ended()
    assert not people.may("look")


def test_visitors_may_what_the_file_says_under_names_as_typed(
    known: sign_in.SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people.sign_in, "configured", lambda: replace(known, visitors="analyst"))
    _write("propose")
    assert trail(open_store())[-1].signed == "Typed (as typed)"
    with pytest.raises(NotAllowedError, match="Sign in as an approver"):
        _write("settle")
    monkeypatch.setattr(people.sign_in, "configured", lambda: replace(known, visitors="viewer"))
    assert people.may("look")
    with pytest.raises(NotAllowedError, match="Sign in as an analyst"):
        _write("propose")


def test_nothing_is_drawn_for_who_may_not_release(user) -> None:
    user("agrees")
    desk = Desk(token="t")
    desk.draw("t", SimpleNamespace(draw=lambda: pytest.fail("drawn")), "Typed", "", False, {})
    assert "An analyst releases; your role here is viewer and approver." in desk.failure
    assert desk.made == []


def test_tables_of_the_server_are_for_the_roles_that_it_names(
    user, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sources.toml"
    file.write_text(
        "".join(
            f'[[source]]\nname = "{name}"\nkind = "files"\nfiles = "x.csv"\n{roles}\n'
            for name, roles in (
                ("default", ""), ("both", 'roles = ["analyst", "approver"]'),
                ("board", 'roles = ["approver"]'), ("nobody", "roles = []"),
            )
        )
    )  # fmt: skip
    monkeypatch.setenv(sources.VARIABLE, str(file))

    def names() -> list[str]:
        return [each.name for each in sources.named_sources()]

    user("asks")
    assert names() == ["default", "both"]
    with pytest.raises(SourceError, match="no table called 'board'"):
        sources.open_named("board")
    user("agrees")
    assert names() == ["both", "board"]
    user()
    assert names() == []
    monkeypatch.delenv(SIGN_IN)
    assert names() == ["default", "both"]


def test_no_other_place_of_the_dashboard_writes_on_record() -> None:
    """What it imports of the store's writers, it would call past the roles."""
    writers = {"agree", "propose", "record", "revise", "settle"}
    wrong = [
        str(path)
        for path in (PACKAGE / "dashboard").rglob("*.py")
        if path.name != "writing.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("distpriv.store")
        and {name.name for name in node.names} & writers
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[sign_in]", "[sign_on]"), "must hold the tables"),
        (("[sign_in]", "[sign_in"), "is no TOML"),
        (("client_id", "client"), "'client' in [sign_in] is no setting"),
        (('client_id = "distpriv-test"', ""), "'client_id' is missing"),
        (("http://localhost:8501", "http://distpriv.example.org"), "begins with https://"),
        (("http://localhost:8501", "https://u:p@x.org"), "begins with https://"),
        (("http://localhost:8501", "https://x.org/?a"), "neither ? nor #"),
        (("https://id.example.org", "http://id.example.org"), "'provider' must be an address"),
        (("for tests alone, and long enough for them", "short"), "at least 32 characters"),
        (('client_secret = "secret-of-the-client"', ""), "'client_secret' is missing"),
        (('client_secret = "secret-of-the-client"', 'client_secret_env = "NOT_SET_AT_ALL"'),
         "the variable NOT_SET_AT_ALL"),
        (('client_secret =', 'client_secret_env = "X"\nclient_secret ='), "both given"),
        (('name = "Test University"', "hours = 0"), "'hours' must be above 0"),
        (('name = "Test University"', 'hours = "8"'), "'hours' must be above 0"),
        (('name = "Test University"', 'visitors = "approver"'), "'visitors' must be one of"),
        (('name = "Test University"', 'scope = "email"'), "must hold openid"),
        (('name = "Test University"', "name = 7"), "'name' must be a text"),
        (("everybody = [\"viewer\"]", "everybody = [\"boss\"]"), "'everybody' must be a list"),
        (("analyst = [\"asks\", \"asks too\"]", "analyst = \"asks\""), "must be a list of texts"),
        (("analyst = [\"asks\", \"asks too\"]", "boss = [\"asks\"]"), "may hold analyst"),
        (("Bob@Example.org", "bob"), "must hold e-mail addresses"),
        (('claim = ["realm_access", "roles"]', ""), "needs a 'claim'"),
        (('claim = ["realm_access", "roles"]', "claim = [7]"), "'claim' must be"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_file_is_one_sentence_without_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog, change, said: str
) -> None:
    file = tmp_path / "in.toml"
    provider = "https://id.example.org/.well-known/openid-configuration"
    right = configuration(file, "http://localhost:8501", provider, ROLES).read_text()
    assert change[0] in right
    file.write_text(right.replace(*change))
    monkeypatch.setenv(SIGN_IN, str(file))
    assert sign_in.configured() is None
    assert said in sign_in.problem()
    assert sign_in.problem().startswith("Nobody can sign in: ")
    assert said in caplog.text
    for secret in ("secret-of-the-client", "for tests alone"):
        assert secret not in caplog.text + sign_in.problem()


def test_secrets_come_from_variables_and_show_nowhere(
    known: sign_in.SignIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for secret in (known.client_secret, known.cookie_secret):
        assert secret not in repr(known)
    file = tmp_path / "by-variables.toml"
    file.write_text(
        '[sign_in]\naddress = "https://x.org/dp/"\nprovider = "https://id.org/c"\n'
        'client_id = "c"\nclient_secret_env = "ONE"\ncookie_secret_env = "TWO"\nhours = 1\n'
        '[roles]\nclaim = "https://x.org/roles"\n'
    )
    monkeypatch.setenv("ONE", "first")
    monkeypatch.setenv("TWO", "second" * 8)
    monkeypatch.setenv(SIGN_IN, str(file))
    found = sign_in.configured()
    assert found is not None, sign_in.problem()
    assert (found.client_secret, found.cookie_secret) == ("first", "second" * 8)
    assert (found.address, found.origin, found.secure) == (
        "https://x.org/dp", "https://x.org", True,
    )  # fmt: skip
    assert roles_of({"https://x.org/roles": ["analyst"]}, found) == ("analyst",)


def test_a_database_that_is_down_lets_nothing_be_written(user, monkeypatch) -> None:
    user("asks")
    monkeypatch.setenv("DATABASE_URL", "sqlite:////proc/nowhere/kept.sqlite")
    with pytest.raises(StoreError):
        _write("propose")
