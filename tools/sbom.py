"""Writes dist/distpriv.cdx.json: the bill of materials, in CycloneDX, of the runtime."""

from __future__ import annotations

import subprocess  # nosec B404 # cyclonedx-py is a command
import sys
from pathlib import Path

__all__ = ["PLACE", "main", "write"]

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "dist" / "distpriv.cdx.json"


def write(place: Path) -> None:
    """Write it, from the lock alone: the same lock gives the same file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", "requirements-lock.txt"]
    command += ["--pyproject", "pyproject.toml", "--output-reproducible", "--validate"]
    command += ["--output-format", "JSON", "--output-file", str(place)]
    subprocess.run(command, cwd=ROOT, check=True)  # nosec B603 # written above, without a shell


def main() -> int:
    """Write it where the build puts it."""
    write(PLACE)
    print(PLACE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
