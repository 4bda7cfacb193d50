"""The command ``distpriv``: open the dashboard, report, release, or compute the papers anew."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distpriv import __version__
from distpriv.errors import DistprivError
from distpriv.files import APP, is_large
from distpriv.text import listed, near

if TYPE_CHECKING:
    from distpriv.analysis import Evaluation, Scenario, Way
    from distpriv.sources import Source

__all__ = ["main"]

OPEN = "DISTPRIV_OPEN"  # where the server finds the path of the table that it begins with
Texts = dict[str, Callable[[], str]]
"""A command's result by the endings of files."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command until the server is stopped; 0, or 2 after a sentence on what cannot be done.

    Arguments, if some are given, take the place of the command line's.
    """
    words = sys.argv[1:] if arguments is None else [*arguments]
    if words[:1] == ["papers"]:
        return _papers(words[1:])
    if words and words[0] in _COMMANDS:
        return _command(words[0], words[1:])
    parser = argparse.ArgumentParser(
        prog="distpriv",
        description="Open the dashboard in the browser, on this machine only. Example: distpriv "
        "people.csv",
        epilog="Further commands: distpriv report writes what a release gives away. distpriv "
        "release draws one and puts it on record. distpriv decisions lists what is on record. "
        "distpriv papers computes the papers' tables and figures. Each has -h with an example. A "
        "file of such a name opens as ./papers.",
    )
    parser.add_argument(
        "table",
        nargs="?",
        help="the table to open: a file (CSV, Excel, Parquet, …), or a folder of CSV or Parquet "
        "files; large ones stay where they are",
    )
    port = _whole("port", 65_535)
    parser.add_argument("--port", type=port, help="8501 or the next free one unless given")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--version", action="version", version=f"distpriv {__version__}")
    options = parser.parse_args(words)
    trouble = _trouble(options.table) or _taken(options.port)
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


def _whole(name: str, most: int = 2**32 - 1) -> Callable[[str], int]:
    """Return what reads a whole number from 1 on; argparse says its name where it refuses one."""

    def read(text: str) -> int:
        if not 1 <= (number := int(text)) <= most:
            raise ValueError
        return number

    read.__name__ = name
    return read


def _trouble(table: str | None) -> str:
    """Say in a sentence why the dashboard cannot open; nothing if it can."""
    if find_spec("streamlit") is None:
        return "The dashboard is not installed; run: pip install 'distpriv[dashboard]'"
    if not table:
        return ""
    path = Path(table)
    with suppress(OSError):  # a name that is too long for the system
        if path.exists():
            return ""
    beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    return f"There is no file {path}.{near(path.name, beside)}"


def _taken(port: int | None) -> str:
    """Say in a sentence that a port cannot be had; nothing if it can."""
    try:
        socket.create_server(("127.0.0.1", port or 0)).close()
    except OSError:
        return f"Port {port} is taken or reserved; name another, or none for the next free one."
    return ""


def _serve(flags: Sequence[str]) -> None:
    """Run Streamlit's own command in this process."""
    print("The dashboard starts, which takes some seconds ...", flush=True)
    sys.argv = ["streamlit", "run", str(APP), *flags]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _papers(words: Sequence[str]) -> int:
    """Print tables and figures of the papers, printed beside ours, with verdicts and a tally."""
    parser = argparse.ArgumentParser(
        prog="distpriv papers",
        description="Recompute the papers' tables and figures.",
        epilog="Example: distpriv papers table-3 --write table-3.csv",
    )
    parser.add_argument("items", nargs="*", metavar="ITEM", help="such as table-3; default: all")
    parser.add_argument(
        "--table",
        action="append",
        metavar="FILE",
        help="UCI's adult.data, adult.test, or a table with their columns; may be repeated; "
        "default: the example census, which is synthetic",
    )
    count = _whole("count")
    parser.add_argument("--repetitions", type=count, default=50, help="of each attack (50)")
    parser.add_argument("--seed", type=count, default=2023, help="of all random draws (2023)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="all rows, .csv or .parquet")
    options = parser.parse_args(words)
    return _ended(_print_papers, options)


def _ended(run: Callable[[argparse.Namespace], None], options: argparse.Namespace) -> int:
    """Run a command; 2 after a sentence on what cannot be done."""
    try:
        run(options)
    except (DistprivError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _print_papers(options: argparse.Namespace) -> None:
    """Compute the items that are asked for, print each when it is there, and write all rows."""
    import pandas as pd

    from distpriv import papers

    keys = dict.fromkeys(options.items or papers.ITEMS)
    items = {key: papers.named(key) for key in keys}
    _check_target(options.write, ".csv", ".parquet")
    settings = {"repetitions": options.repetitions, "seed": options.seed}
    if options.table:
        run = papers.Run.of(papers.read_adult(options.table), **settings)
    else:
        run = papers.on_example(**settings)
    records = int(run.groups["income"].counts.sum())
    about = {"table": ", ".join(options.table or ["the example census"]), "records": records}
    about |= settings
    frames = {}
    for key, item in items.items():
        frames[key] = papers.recompute(key, run)
        print(f"\n{item.name} of {item.paper}: {item.title}. {item.about}\n")
        some = frames[key][frames[key]["x"].isna()]
        if len(some):
            shown = some[["series", "at", "printed", "ours", "low", "high", "verdict", "note"]]
            print(shown.to_string(index=False, na_rep="", float_format="{:.4g}".format))
        if len(points := frames[key]) > len(some):
            print(f"{len(points) - len(some)} points of curves, which --write writes.")
        for number in item.errata:
            print(f"Erratum {number}. {papers.ERRATA[number]}")
    frame = pd.concat(frames, names=["item", None]).reset_index(level=0)
    counts = papers.tally(frame["verdict"]).items()
    print("\nPrinted figures:", ", ".join(f"{name} {count}" for name, count in counts) or "none")
    print(", ".join(f"{name}: {value}" for name, value in about.items()))
    if options.write:
        frame.attrs = about
        writer = frame.to_csv if options.write.suffix == ".csv" else frame.to_parquet
        writer(options.write, index=False)


def _check_target(path: Path | None, *endings: str) -> None:
    """Refuse a file that cannot be written before anything is computed."""
    if path is None:
        return
    if path.suffix not in endings:
        raise DistprivError(f"{path} must end in {listed(endings, 'or')}; name it so.")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DistprivError(f"{path} cannot be written; name a folder that can.")


# ---------------------------------------------------------------- reports, releases, decisions


def _command(name: str, words: Sequence[str]) -> int:
    """Write or print what a command on decisions and releases gives."""
    run, about, example, flags, *endings = _COMMANDS[name]
    epilog = f"Example: distpriv {name} {example}"
    parser = argparse.ArgumentParser(prog=f"distpriv {name}", description=about, epilog=epilog)
    parser.set_defaults(output=None)
    for flag in flags.split():
        parser.add_argument(flag, **_ARGUMENTS[flag])

    def write(options: argparse.Namespace) -> None:
        path: Path | None = options.output
        _check_target(path, *endings)
        texts = run(options)
        text = texts[path.suffix if path else endings[0]]()
        if path:
            path.write_text(text, encoding="utf-8")
        else:
            print(text, end="")

    return _ended(write, parser.parse_args(words))


_ARGUMENTS: dict[str, Any] = {
    "scenario": {"nargs": "?", "default": "", "help": "file of a scenario, from the page Decide"},
    "table": {"nargs": "?", "default": "", "help": "file or folder; none for an example"},
    "--way": {"default": "", "help": "way to publish, such as BalM; default: the recommended one"},
    "--name": {"default": "", "help": "name of the table on record"},
    "--author": {"default": "", "help": "who releases it"},
    "--reason": {"default": "", "help": "why it is released without an agreed decision"},
    "--identifier": {"default": "", "metavar": "COLUMN", "help": "column that names the records"},
    "--newer": {"action": "store_true", "help": "it is a newer version of the table of that name"},
    "--another": {"action": "store_true", "help": "it only looks like a table on record"},
    "--decision": {"default": "", "metavar": "KEY", "help": "decision, instead of both files"},
    "--json": {"action": "store_true", "help": "print JSON"},
    "-o": {"dest": "output", "type": Path, "metavar": "FILE", "help": "the file to write"},
}


def _report(options: argparse.Namespace) -> Texts:
    from distpriv import report
    from distpriv.records import decisions, ledger, store

    if options.decision:
        records = store.Store()
        one = decisions.decision(records, options.decision)
        entries = [entry for entry in ledger.releases(records) if entry.decision == one.key]
        record = report.with_decision(one.proposal.body["record"], one, entries)
    else:
        now = _evaluated(options)
        record = report.record(now, _way(now, options.way), name=options.name)
    writers = {".md": report.markdown, ".html": report.page, ".json": _dumped}
    return {ending: partial(write, record) for ending, write in writers.items()}


def _release(options: argparse.Namespace) -> Texts:
    from distpriv import report
    from distpriv.records import decisions, drawing, ledger, store

    records, now, name = store.Store(), _evaluated(options), options.name
    source, way = now.source, _way(now, options.way)
    who = {"author": options.author, "reason": options.reason, "names": options.identifier}
    # The same command has the same token, so that after an interruption nothing is drawn twice.
    about = [name, source.fingerprint, now.scenario.key, way.key, *who.values()]
    token = blake2b(json.dumps(about).encode(), digest_size=16).hexdigest()
    standing = ledger.standing(records, name)
    entry = next((one for one in standing.releases if one.token == token), None)
    if entry is None:
        title, columns = source.title, tuple(source.kinds)
        naming = ledger.Naming(name, source.fingerprint, title, columns, options.newer)
        likely = [one.name for one in ledger.likely(ledger.tables(records), naming)]
        if likely and name not in likely and not options.another:
            raise DistprivError(
                f"This table looks like a version of {listed(map(repr, likely), 'or')}; give that "
                "name and --newer, or say --another."
            )
        way = drawing.fitting(now, way, standing)
        entry = drawing.release(records, now, way, naming, token=token, **who)
    print(f"Release no. {entry.number} of {name}, {way.title}, is on record.", file=sys.stderr)
    decision = decisions.decision(records, entry.decision) if entry.decision else None
    texts: Texts = {".csv": partial(report.csv_of, entry), ".json": partial(report.json_of, entry)}
    return texts | {".md": partial(report.label, entry, decision)}


def _decisions(options: argparse.Namespace) -> Texts:
    import pandas as pd

    from distpriv.records import decisions, ledger, store

    records = store.Store()
    decided = [
        {"decision": one.key, "table": one.now.name, "way": one.proposal.body["way"]}
        | {"status": one.now.act, "proposed by": one.proposal.author}
        | {"answered by": "" if one.open else one.now.author, "in force": one.agreed}
        for one in decisions.decisions(records)
    ]
    released = [
        {"release": one.number, "at": f"{one.at:%Y-%m-%d %H:%M}", "table": one.name}
        | {"way": one.body["way"], "released by": one.author, "decision": one.decision}
        for one in ledger.releases(records)
    ]
    lists = {"decisions": decided, "releases": released}
    if options.json:
        return {"": partial(_dumped, lists)}
    texts = [
        pd.DataFrame(rows).to_string(index=False) if rows else f"No {name} are on record."
        for name, rows in lists.items()
    ]
    return {"": partial("\n".join, [*texts, ""])}


def _evaluated(options: argparse.Namespace) -> Evaluation:
    """Evaluate the scenario that a command names, on its table."""
    from distpriv.analysis import Scenario, evaluate
    from distpriv.tables import read_table

    if not options.scenario:
        raise DistprivError("Name the file of a scenario that the dashboard saved, and its table.")
    scenario = Scenario.from_json(Path(options.scenario))
    public = read_table(scenario.reference_data) if scenario.reference_data else None
    return evaluate(scenario, _opened(options.table, scenario), reference=public)


def _opened(path: str, scenario: Scenario) -> Source:
    """Open a scenario's table as the dashboard does, large ones where they lie."""
    from distpriv.analysis.tables import EXAMPLE_TITLES, example_source
    from distpriv.sources import FrameSource, scan
    from distpriv.tables import as_records, read_table

    if not path and scenario.source in EXAMPLE_TITLES:
        return example_source(scenario.source)
    if not path:
        raise DistprivError("This scenario needs its own table; name its file, too.")
    file = Path(path)
    if scenario.reading is None and is_large(file):
        return replace(scan(file), key=scenario.source)
    frame = as_records(read_table(file, scenario.reading), scenario.row)
    return FrameSource(scenario.source, file.name, frame)


def _way(now: Evaluation, key: str) -> Way:
    """Return a way of releasing, the recommended one without a key."""
    ways = {one.key: one for one in now.ways}
    if key in now.unavailable:
        raise DistprivError(now.unavailable[key])
    if key and key not in ways:
        raise DistprivError(f"There is no way {key!r}; take {listed(ways, 'or')}.{near(key, ways)}")
    return ways[key] if key else now.recommendation.way


def _dumped(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


_SAME = "The same command again writes the same release; another reason makes it another one."
_COMMANDS: dict[str, Any] = {
    "report": (
        _report,
        "Write what a release gives away, for those who decide.",
        "scenario.json people.csv -o report.html",
        "scenario table --way --name --decision -o",
        *(".md", ".html", ".json"),
    ),
    "release": (
        _release,
        f"Draw a release and put it on record. {_SAME}",
        "scenario.json people.csv --name People --author Ana --reason Test -o released.csv",
        "scenario table --name --author --reason --way --identifier --newer --another -o",
        *(".csv", ".json", ".md"),
    ),
    "decisions": (_decisions, "List the decisions and releases on record.", "--json", "--json", ""),
}
