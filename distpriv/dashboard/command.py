"""The command ``distpriv``: the dashboard, reports, the database, the papers' results."""

from __future__ import annotations

import argparse
import socket
import subprocess  # nosec B404 # pip is a program
import sys
from collections.abc import Sequence
from importlib import invalidate_caches
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

from distpriv.analysis.evaluating import evaluate
from distpriv.analysis.scenario_file import read_scenario
from distpriv.errors import DistprivError, ReportError
from distpriv.export.report import Report, build_report
from distpriv.papers.__main__ import main as papers
from distpriv.resources import HOME
from distpriv.tables import digest, read_table
from distpriv.tables.reference import align
from distpriv.version import VERSION

__all__ = ["main"]

_FORMATS = {".html": Report.to_html, ".md": Report.to_markdown, ".json": Report.to_json}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.

    Returns
    -------
    int
        The exit status: 0, 1 if something is wrong with what a database holds, or 2 after one
        sentence on what is wrong.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["papers"]:
        return papers(given[1:])
    options = _parser().parse_args(given)
    try:
        if options.command == "report":
            _report(options)
        elif options.command == "database":
            from distpriv.store.command import run

            return run(options.act, getattr(options, "file", None))
        else:
            _dashboard(options)
    except DistprivError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="distpriv", description="Without a command: open the dashboard in the browser."
    )
    parser.add_argument("--version", action="version", version=f"distpriv {VERSION}")
    parser.add_argument("--port", type=_port, help="default: 8501, or the next one that is free")
    parser.add_argument("--host", help="address to listen on; default: this machine only")
    parser.add_argument("--no-browser", action="store_true", help="open no browser")
    commands = parser.add_subparsers(dest="command", title="commands")
    report = commands.add_parser("report", help="write a report on a scenario and a table")
    report.add_argument("scenario", type=Path, help="JSON file, as the dashboard saves it")
    report.add_argument("table", type=Path, help="CSV, Excel or Parquet file with the records")
    report.add_argument(
        "-o", "--output", type=Path, required=True, help=f"file to write: {', '.join(_FORMATS)}"
    )
    report.add_argument(
        "--reference", type=Path, help="table that the whole of the other is thought of drawn from"
    )
    database = commands.add_parser(
        "database", help="look at the database of DATABASE_URL, copy it, or go back to a copy"
    )
    acts = database.add_subparsers(dest="act", title="commands", required=True)
    acts.add_parser("check", help="count what it holds, and check the audit trail")
    for name, what in (("backup", "write a copy"), ("restore", "have it hold what a copy holds")):
        acts.add_parser(name, help=what).add_argument("file", type=Path)
    acts.add_parser("set-aside", help="keep a damaged SQLite file aside and begin a new one")
    commands.add_parser("papers", help="recompute the figures that the papers print")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535, got {text!r}")
    return int(text)


def _dashboard(options: argparse.Namespace) -> None:
    _have_packages()
    if options.port is not None:
        _check_address(options.host or "127.0.0.1", options.port)
    from streamlit.web import cli

    # The settings lie in .streamlit beside app.py, which wins over the folder the command runs in.
    flags = [f"--server.headless={str(options.no_browser).lower()}"]
    flags += [f"--server.port={options.port}"] * (options.port is not None)
    flags += [f"--server.address={options.host}"] * (options.host is not None)
    cli.main(["run", str(HOME / "app.py"), *flags], prog_name="streamlit")


def _check_address(host: str, port: int) -> None:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        raise DistprivError(
            f"The dashboard cannot listen on port {port} of {host}: {error.strerror}; choose "
            "another one."
        ) from None


def _have_packages() -> None:
    """Refuse to go on without the dashboard's packages, unless the user has them installed now."""
    if find_spec("streamlit") is not None:
        return
    try:
        listed = requires("distpriv") or []
    except PackageNotFoundError:  # run from a checkout
        listed = []
    missing = [text.partition(";")[0] for text in listed if 'extra == "dashboard"' in text]
    if not (missing and sys.stdin.isatty() and _agreed()):
        raise DistprivError(
            "The dashboard's packages are not installed; install distpriv with the extra "
            "[dashboard], in its folder by `pip install '.[dashboard]'`."
        )
    if subprocess.call([sys.executable, "-m", "pip", "install", *missing]):  # nosec B603 # no shell
        raise DistprivError("The dashboard's packages could not be installed; see above.")
    invalidate_caches()


def _agreed() -> bool:
    """Whether the user, asked at the terminal, wants the packages installed."""
    print("The dashboard's packages are not installed here.")
    try:
        return input("Install them now? [Y/n] ").strip().lower() in ("", "y", "yes")
    except EOFError:
        return False


def _report(options: argparse.Namespace) -> None:
    output: Path = options.output
    write = _FORMATS.get(output.suffix.lower())
    if write is None:
        raise ReportError(
            f"A report is written as {', '.join(_FORMATS)}, not {output.suffix or 'without one'!r}."
        )
    try:
        text = options.scenario.read_bytes()
    except OSError as error:
        raise ReportError(f"{options.scenario} cannot be read: {error.strerror}.") from None
    table = read_table(options.table)
    scenario = read_scenario(text, table.columns)
    if scenario.digest not in ("", digest(table)):
        print("The scenario was made on another table than this one.", file=sys.stderr)
    reference = None
    if scenario.whole and options.reference is not None:
        reference = align(read_table(options.reference), table)
    elif scenario.whole and scenario.reference:
        raise ReportError("The scenario has reference data; name their file after --reference.")
    evaluation = evaluate(scenario, table, reference=reference)
    report = build_report(evaluation, data=options.table.name)
    try:
        output.write_text(write(report), encoding="utf-8")
    except OSError as error:
        raise ReportError(f"{output} cannot be written: {error.strerror}.") from None
    print(report.answer)
