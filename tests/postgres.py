"""A throwaway PostgreSQL server with files and a socket of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a server that lives as long as the block, without a port on the network."""
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
        run("pg_ctl", "-D", str(files), "-l", str(folder / "log"), "-o", settings, "-w", "start")
        try:
            yield f"postgresql://tester@/postgres?host={quote(str(folder), safe='')}"
        finally:
            run("pg_ctl", "-D", str(files), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
