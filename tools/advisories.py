"""Asks whether anything is known against the locked packages.

Where the service cannot be reached lint passes and says that nothing was checked; REQUIRED makes
that an error, and OFFLINE does not even ask.
"""

from __future__ import annotations

import json
import os
import subprocess  # nosec B404 # pip-audit has a command and no stable package
import sys
from pathlib import Path

__all__ = ["LOCKS", "OFFLINE", "REQUIRED", "main", "verdict"]

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements-lock.txt", "requirements-dev-lock.txt")
OFFLINE = "OFFLINE"
"""The variable with which the advisory service is not asked."""
REQUIRED = "REQUIRE_ADVISORIES"
"""The variable that fails a run in which the advisory service gave no answer."""


def verdict(printed: str, said: str, status: int, *, required: bool) -> tuple[int, str]:
    """What an audit comes to.

    Parameters
    ----------
    printed : str
        By pip-audit, as JSON.
    said : str
        By pip-audit, in words.
    status : int
        With which it ended.
    required : bool
        Whether an audit that could not be made is an error.

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
    return int(required), f"advisories: NOT CHECKED, the service gave no answer ({reason})"


def main() -> int:
    """Audit both locks."""
    required = _is_set(REQUIRED)
    if _is_set(OFFLINE):
        print(f"advisories: NOT CHECKED, {OFFLINE} is set")
        return int(required)
    command = [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off"]
    command += ["--require-hashes", "--disable-pip", "--timeout=15"]
    for lock in LOCKS:
        command += ["--requirement", str(ROOT / lock)]
    # The command is written above, and no shell reads it.
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)  # nosec B603
    except subprocess.TimeoutExpired:
        status, line = verdict("", "nothing in two minutes", 1, required=required)
    else:
        status, line = verdict(done.stdout, done.stderr, done.returncode, required=required)
    print(line)
    return status


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "").strip() not in ("", "0")


if __name__ == "__main__":
    raise SystemExit(main())
