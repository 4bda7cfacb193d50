"""What a container runs: secrets from their files into the environment, then the server."""

import os
import sys
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

__all__ = ["healthy", "main", "with_secrets"]

_SECRETS = Path("/run/secrets")


def with_secrets(environment: dict[str, str], folder: Path = _SECRETS) -> dict[str, str]:
    """The environment with each ``NAME_FILE`` that names a file of the secrets read into ``NAME``.

    Raises
    ------
    SystemExit
        If such a file cannot be read, or both ``NAME`` and ``NAME_FILE`` are given.
    """
    found = dict(environment)
    for variable, value in environment.items():
        path = Path(os.path.normpath(value))
        if not variable.endswith("_FILE") or folder not in path.parents:
            continue
        name = variable.removesuffix("_FILE")
        if name in environment:
            raise SystemExit(f"{name} and {variable} are both given; give one of them.")
        try:
            found[name] = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            who = os.getuid()
            raise SystemExit(
                f"The file that {variable} names cannot be read; user {who} must be able to."
            ) from None
        del found[variable]
    return found


def healthy(port: str) -> bool:
    """Whether the server on this port of this machine says that it is well."""
    address = f"http://127.0.0.1:{port}/_stcore/health"
    try:
        with urlopen(address, timeout=4) as answer:  # nosec B310 # the address is written above
            return bool(answer.read(16) == b"ok")
    except (OSError, HTTPException):
        return False


def main() -> None:
    """Answer ``--healthy`` by the exit status, or become the command that is given."""
    if sys.argv[1:] == ["--healthy"]:
        raise SystemExit(not healthy(os.environ.get("STREAMLIT_SERVER_PORT", "8501")))
    if not sys.argv[1:]:
        raise SystemExit("start.py takes the command to run, or --healthy.")
    # The command is the container's own, and no shell reads it.
    os.execvpe(sys.argv[1], sys.argv[1:], with_secrets(dict(os.environ)))  # nosec B606


if __name__ == "__main__":
    main()
