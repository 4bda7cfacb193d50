"""A throwaway PostgreSQL server with files and a socket of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

REQUIRED = "DISTPRIV_REQUIRE_POSTGRES"


def _programs() -> Path | None:
    """The folder with initdb and pg_ctl; Debian keeps them out of the path."""
    found = shutil.which("initdb")
    if found and shutil.which("pg_ctl"):
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: p.parts[-3])
    return versions[-1].parent if versions else None


def _as_nobody() -> list[str]:
    """PostgreSQL refuses to run as root: begin commands as somebody else then."""
    if os.getuid() != 0:
        return []
    names = {each.pw_name for each in pwd.getpwall()}
    return ["runuser", "-u", "postgres" if "postgres" in names else "nobody", "--"]


@dataclass(frozen=True)
class Server:
    """A server that can be ended as if by a failure of power, and begun again.

    Attributes
    ----------
    url : str
        Its address, which stays.
    folder : Path
        Where its files lie, and its socket.
    """

    url: str
    folder: Path
    _run: Callable[..., None]
    _begin: tuple[str, ...]

    def stop(self) -> None:
        """End it without a last word to anybody."""
        self._run("pg_ctl", *self._begin[:2], "-m", "immediate", "-w", "stop")

    def start(self) -> None:
        """Begin it again, with what it has kept."""
        self._run("pg_ctl", *self._begin, "-w", "start")


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a server that lives as long as the block, without a port on the network."""
    with postgres_server() as server:
        yield server.url


@contextmanager
def postgres_server() -> Iterator[Server]:
    """A server that lives as long as the block, and whoever has it may stop it."""
    programs = _programs()
    if programs is None:
        message = "no PostgreSQL on this machine: install your system's package `postgresql`"
        if os.environ.get(REQUIRED):
            pytest.fail(message)
        pytest.skip(message)
    # A socket's path has to be short, so this is not pytest's own folder.
    folder = Path(tempfile.mkdtemp(prefix="distpriv-pg-", dir="/tmp"))
    before = _as_nobody()
    if before:
        shutil.chown(folder, before[2])
    files = folder / "data"

    def run(program: str, *options: str) -> None:
        command = [*before, str(programs / program), *options]
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )
        if done.returncode:
            log = folder / "log"
            said = log.read_text() if log.exists() else ""
            raise RuntimeError(f"{program} failed: {done.stdout}{done.stderr}{said}")

    try:
        options = ["-U", "tester", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        run("initdb", "-D", str(files), *options)
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=120"
        begin = ("-D", str(files), "-l", str(folder / "log"), "-o", settings)
        url = f"postgresql://tester@/postgres?host={quote(str(folder), safe='')}"
        server = Server(url, folder, run, begin)
        server.start()
        try:
            yield server
        finally:
            if (files / "postmaster.pid").exists():
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
