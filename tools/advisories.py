"""Asks whether anything is known against the locked packages; never silent where nobody answers."""

from __future__ import annotations

import json
import os
import subprocess  # nosec B404 # pip-audit has a command and no stable package
import sys
from pathlib import Path

__all__ = ["ALLOWED", "LOCKS", "main", "verdict"]

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements-lock.txt", "requirements-dev-lock.txt")
ALLOWED = "OFFLINE_ADVISORIES"
"""The variable that lets a run go on where the advisory service cannot be reached."""


def verdict(printed: str, said: str, status: int, *, offline: bool) -> tuple[int, str]:
    """What an audit comes to.

    Parameters
    ----------
    printed : str
        By pip-audit, as JSON.
    said : str
        By pip-audit, in words.
    status : int
        With which it ended.
    offline : bool
        Whether an audit that could not be made is let pass.

    Returns
    -------
    tuple of int and str
        The exit status, and the line to print.
    """
    try:
        packages = json.loads(printed)["dependencies"]
    except (ValueError, KeyError, TypeError):
        packages = []
    known = [
        f"{each['name']} {each['version']}: {one['id']}"
        for each in packages
        for one in each.get("vulns", ())
    ]
    if known:
        return 1, "advisories: " + "; ".join(known)
    missed = sum("skip_reason" in each for each in packages)
    if packages and not missed and status == 0:
        return 0, f"advisories: none known against {len(packages)} locked packages"
    reason = f"{missed} of {len(packages)} packages are unknown to it" if missed else ""
    reason = reason or (said.strip().splitlines() or ["it gave no answer"])[-1][:200]
    line = f"advisories: NOT CHECKED, the service cannot be reached ({reason})"
    if offline:
        return 0, line
    return 1, f"{line}; {ALLOWED}=1 lets lint pass without"


def main() -> int:
    """Audit both locks."""
    command = [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off"]
    command += ["--require-hashes", "--disable-pip", "--timeout=15"]
    for lock in LOCKS:
        command += ["--requirement", str(ROOT / lock)]
    # The command is written above, and no shell reads it.
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)  # nosec B603
    except subprocess.TimeoutExpired:
        status, line = verdict("", "no answer in five minutes", 1, offline=bool(_offline()))
    else:
        status, line = verdict(done.stdout, done.stderr, done.returncode, offline=bool(_offline()))
    print(line)
    return status


def _offline() -> str:
    return os.environ.get(ALLOWED, "").strip()


if __name__ == "__main__":
    raise SystemExit(main())
