"""Readiness: the database is asked, but not by everybody, and not for longer than it may take."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from distpriv.dashboard.serving.ready import Readiness, ask_database
from tests.dashboard.serving.driver import Behind, asked, run


def test_no_database_given_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    reply = asked(Readiness(Behind()), "/ready")
    assert (reply.status, json.loads(reply.body)) == (200, {"ready": True})
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:////proc/nowhere/kept.sqlite",
        "postgresql://me:secret@127.0.0.1:1/name",
        "mysql://me:secret@host/name",
    ],
)
def test_a_database_that_does_not_answer(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    reply = asked(Readiness(Behind()), "/ready")
    assert reply.status == 503
    assert json.loads(reply.body) == {
        "ready": False,
        "problem": "The database does not answer.",
    }


def test_a_database_that_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kept.sqlite"
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{file}")
    assert ask_database() is None
    file.write_bytes(b"no database" * 1000)
    assert ask_database() == "The database does not answer."


def test_it_is_asked_once_for_all_and_not_again_while_it_is_silent() -> None:
    times, silent = [], threading.Event()

    def ask() -> str | None:
        times.append(1)
        silent.wait(30)
        return None

    async def many() -> list[str | None]:
        readiness = Readiness(Behind(), ask=ask, seconds=0.05, fresh=1e9)
        first = await asyncio.gather(*(readiness.problem() for _ in range(50)))
        assert await readiness.problem() is not None
        silent.set()
        while readiness._asked is not None and not readiness._asked.done():
            await asyncio.sleep(0.01)
        return [*set(first), await readiness.problem()]

    assert run(many()) == ["The database does not answer.", None]
    assert len(times) == 1


def test_an_answer_holds_for_a_moment() -> None:
    answers = iter([None, "later"])

    async def twice(fresh: float) -> list[str | None]:
        readiness = Readiness(Behind(), ask=lambda: next(answers), fresh=fresh)
        return [await readiness.problem(), await readiness.problem()]

    assert run(twice(1e9)) == [None, None]
    answers = iter([None, "later"])
    assert run(twice(-1.0)) == [None, "later"]


def test_other_paths_pass() -> None:
    for path in ("/", "/ready/", "/a/ready"):
        assert asked(Readiness(Behind()), path).body == "behind"
    assert asked(Readiness(Behind(), "a", ask=lambda: None), "/a/ready").status == 200
    assert asked(Readiness(Behind(), "/a/", ask=lambda: None), "/ready").body == "behind"
