"""The lines of a Dockerfile, as values: stages, instructions, and what a HEALTHCHECK runs."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass

__all__ = ["Instruction", "command", "environment", "healthcheck", "read"]


@dataclass(frozen=True)
class Instruction:
    """A line of a Dockerfile.

    Attributes
    ----------
    name : str
        In capitals.
    text : str
        The rest of the line, without flags.
    flags : dict of str to str
        What stands before it as ``--flag=value``.
    """

    name: str
    text: str
    flags: dict[str, str]


def read(text: str) -> dict[str, list[Instruction]]:
    """The instructions of each stage; the last stage, which has no name, under the empty one.

    Parameters
    ----------
    text : str
        A Dockerfile, without here-documents.
    """
    stages: dict[str, list[Instruction]] = {}
    stage: list[Instruction] = []
    plain = re.sub(r"(?m)^\s*#.*\n", "", text).replace("\\\n", " ")
    for line in filter(None, map(str.strip, plain.splitlines())):
        name, _, rest = line.partition(" ")
        flags: dict[str, str] = {}
        while found := re.match(r"\s*--([a-z-]+)=(\S+)\s*", rest):
            flags[found[1]] = found[2]
            rest = rest[found.end() :]
        if name.upper() == "FROM":
            stage = stages.setdefault(rest.partition(" AS ")[2].strip(), [])
        stage.append(Instruction(name.upper(), rest.strip(), flags))
    return stages


def command(text: str) -> list[str]:
    """What an instruction runs: its own list, or a shell with its text."""
    return list(json.loads(text)) if text.startswith("[") else ["/bin/sh", "-c", text]


def environment(text: str, known: dict[str, str]) -> dict[str, str]:
    """The variables that an ENV sets, over those that are known."""
    found = {}
    for item in shlex.split(text):
        name, _, value = item.partition("=")
        found[name] = re.sub(r"\$\{?(\w+)\}?", lambda one: known.get(one[1], ""), value)
    return known | found


def healthcheck(stage: list[Instruction]) -> list[str]:
    """What asks whether the container is well."""
    (text,) = [each.text for each in stage if each.name == "HEALTHCHECK"]
    return command(text.removeprefix("CMD").strip())
