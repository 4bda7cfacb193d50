"""The command ``distpriv``: open the dashboard, with a table if one is named."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from distpriv import __version__
from distpriv.site import APP
from distpriv.text import near

__all__ = ["main"]

OPEN = "DISTPRIV_OPEN"  # where the server finds the path of the table that it begins with


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command until the server is stopped.

    Parameters
    ----------
    arguments : sequence of str, optional
        In place of the command line's.

    Returns
    -------
    int
        0, or 2 after a sentence on what cannot be done.
    """
    parser = argparse.ArgumentParser(
        prog="distpriv", description="Open the dashboard in the browser, on this machine only."
    )
    parser.add_argument("table", nargs="?", help="a file to begin with: CSV, XLSX or Parquet")
    parser.add_argument("--port", type=_port, help="8501 or the next free one unless given")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--version", action="version", version=f"distpriv {__version__}")
    options = parser.parse_args(arguments)
    trouble = _trouble(options.table)
    if trouble:
        print(trouble, file=sys.stderr)
        return 2
    os.environ.pop(OPEN, None)
    if options.table:
        os.environ[OPEN] = str(Path(options.table).absolute())
    flags = ["--server.address=127.0.0.1"]
    if options.no_browser:
        flags.append("--server.headless=true")
    if options.port is not None:
        flags.append(f"--server.port={options.port}")
    _serve(flags)
    return 0


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise ValueError
    return port


_port.__name__ = "port"  # argparse names it when it refuses a value


def _trouble(table: str | None) -> str:
    """Say in a sentence why the dashboard cannot open; nothing if it can."""
    if find_spec("streamlit") is None:
        return "The dashboard is not installed; run: pip install 'distpriv[dashboard]'"
    path = Path(table) if table else None
    if path is None or path.is_file():
        return ""
    if path.is_dir():
        return f"{path} is a folder; name one file in it."
    beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    return f"There is no file {path}.{near(path.name, beside)}"


def _serve(flags: Sequence[str]) -> None:
    """Run Streamlit's own command in this process."""
    sys.argv = ["streamlit", "run", str(APP), *flags]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
