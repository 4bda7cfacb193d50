"""What the locks hold: names, versions, hashes, and for which systems."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker
from packaging.utils import canonicalize_name

__all__ = ["Locked", "read"]

_LINE = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?==(?P<version>[^\s;\\]+)(?P<rest>.*)$")


@dataclass(frozen=True)
class Locked:
    """A package of a lock: its canonical name, version, SHA-256 hashes, and marker."""

    name: str
    version: str
    hashes: frozenset[str]
    marker: str

    @property
    def here(self) -> bool:
        """Whether it is installed on this system."""
        return not self.marker or Marker(self.marker).evaluate()


def read(path: Path) -> list[Locked]:
    """The packages of a lock, in its order."""
    packages = []
    for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        found = _LINE.match(line)
        if found is not None:
            marker = re.match(r"\s*;\s*(.*?)\s*(?:--hash|$)", found["rest"])
            packages.append(
                Locked(
                    canonicalize_name(found["name"]),
                    found["version"],
                    frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", line)),
                    marker[1] if marker else "",
                )
            )
    return packages
