"""One provider, and one dashboard that people sign in to, for all these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.provider import Faceless, Provider, configuration, free_port, provider, served

ROLES = """
claim = ["realm", "roles"]
[roles.values]
analyst = ["asks"]
approver = ["agrees"]
[roles.addresses]
approver = ["Cleo@example.org"]
viewer = ["vic@example.org"]
"""


@pytest.fixture(scope="session")
def identity() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture(scope="module")
def place(identity: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Where the dashboard is, its database and its log."""
    folder, port = tmp_path_factory.mktemp("served"), free_port()
    database, log = f"sqlite:///{folder}/kept.sqlite", folder / "log"
    file = configuration(folder / "in.toml", f"http://127.0.0.1:{port}", identity.metadata, ROLES)
    with served(port, DISTPRIV_SIGN_IN=str(file), DATABASE_URL=database, LOG=str(log)) as (at, _):
        yield {"address": at, "database": database, "log": str(log)}


@pytest.fixture
def person(place: dict[str, str], identity: Provider) -> Iterator[Faceless]:
    """Somebody without a sign-in yet, before a provider that tells the truth."""
    identity.twist = None
    identity.person(
        "ann", name="Ann Analyst", email="ann@example.org", email_verified=True,
        realm={"roles": ["asks"]},
    )  # fmt: skip
    yield Faceless(place["address"])
    identity.twist = None


@pytest.fixture
def log(place: dict[str, str]) -> Path:
    return Path(place["log"])
