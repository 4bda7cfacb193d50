"""The command ``distpriv``: open the dashboard, report, release, or compute the papers anew."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distpriv import __version__
from distpriv.errors import DistprivError
from distpriv.site import APP
from distpriv.text import listed, near

if TYPE_CHECKING:
    from distpriv.analysis import Evaluation, Scenario, Way
    from distpriv.records.ledger import Entry
    from distpriv.records.store import Store
    from distpriv.sources import Source

__all__ = ["main"]

OPEN = "DISTPRIV_OPEN"  # where the server finds the path of the table that it begins with
_LARGE = 50_000_000  # bytes of a text that stays where it lies


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
    words = sys.argv[1:] if arguments is None else [*arguments]
    if words[:1] == ["papers"]:
        return _papers(words[1:])
    if words and words[0] in _COMMANDS:
        return _command(words[0], words[1:])
    parser = argparse.ArgumentParser(
        prog="distpriv",
        description="Open the dashboard in the browser, on this machine only.",
        epilog="distpriv report writes what a release gives away, distpriv release draws one and "
        "puts it on record, distpriv decisions lists what is on record, and distpriv papers "
        "computes the papers' tables and figures; each has -h. A file of such a name opens as "
        "./papers.",
    )
    parser.add_argument(
        "table",
        nargs="?",
        help="a table to begin with: a file, such as CSV, Excel or Parquet, or a folder of CSV or "
        "Parquet files; large ones are computed where they lie",
    )
    parser.add_argument("--port", type=_port, help="8501 or the next free one unless given")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--version", action="version", version=f"distpriv {__version__}")
    options = parser.parse_args(words)
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


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count < 2**32:
        raise ValueError
    return count


_port.__name__, _count.__name__ = "port", "count"  # argparse names it when it refuses a value


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


def _serve(flags: Sequence[str]) -> None:
    """Run Streamlit's own command in this process."""
    sys.argv = ["streamlit", "run", str(APP), *flags]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _papers(words: Sequence[str]) -> int:
    """Print tables and figures of the papers, printed beside ours, with verdicts and a tally."""
    parser = argparse.ArgumentParser(
        prog="distpriv papers", description="Compute the papers' tables and figures anew."
    )
    parser.add_argument("items", nargs="*", metavar="ITEM", help="such as table-3; default: all")
    parser.add_argument(
        "--table",
        action="append",
        metavar="FILE",
        help="UCI's adult.data, adult.test, or a table with their columns; may be repeated; "
        "default: the example census, which is synthetic",
    )
    parser.add_argument("--repetitions", type=_count, default=50, help="of each attack (50)")
    parser.add_argument("--seed", type=_count, default=2023, help="of what is random (2023)")
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

        def progress(done: int, total: int, name: str = key) -> None:
            if sys.stderr.isatty():
                print(f"\r{name}: {done} of {total} pieces ", end="", file=sys.stderr, flush=True)

        frames[key] = papers.recompute(key, run, progress)
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
    """Run one of the commands on what is decided and released."""
    run, about, flags = _COMMANDS[name]
    parser = argparse.ArgumentParser(prog=f"distpriv {name}", description=about)
    for flag in flags.split():
        parser.add_argument(flag, **_ARGUMENTS[flag])
    return _ended(run, parser.parse_args(words))


_ARGUMENTS: dict[str, Any] = {
    "scenario": {"nargs": "?", "default": "", "help": "a scenario that the dashboard saved"},
    "table": {"nargs": "?", "default": "", "help": "its file or folder; none for an example"},
    "--way": {"default": "", "help": "such as BalM; default: as agreed, or recommended"},
    "--name": {"default": "", "help": "of the table on record"},
    "--author": {"default": "", "help": "who releases it"},
    "--reason": {"default": "", "help": "why, where no agreed decision covers it"},
    "--identifier": {"default": "", "metavar": "COLUMN", "help": "names the records"},
    "--newer": {"action": "store_true", "help": "the table is a newer version of that name's"},
    "--decision": {"default": "", "metavar": "KEY", "help": "one on record, instead of both files"},
    "--json": {"action": "store_true", "help": "as JSON"},
    "-o": {"dest": "output", "type": Path, "metavar": "FILE", "help": "how, its ending tells"},
}


def _write_report(options: argparse.Namespace) -> None:
    from distpriv import report
    from distpriv.records import decisions, ledger, store

    writers = {".md": report.markdown, ".html": report.page, ".json": _dumped}
    write = _writer(options.output, writers)
    if options.decision:
        records = store.Store()
        one = decisions.decision(records, options.decision)
        entries = [entry for entry in ledger.releases(records) if entry.decision == one.key]
        write(report.with_decision(one.proposal.body["record"], one, entries))
    else:
        now = _evaluated(options)
        write(report.record(now, _way(now, options.way), name=options.name))


def _write_release(options: argparse.Namespace) -> None:
    from distpriv import report
    from distpriv.records import decisions, drawing, ledger, store

    def label(entry: Entry) -> str:
        key = entry.decision
        return report.label(entry, decisions.decision(records, key) if key else None)

    writers = {".csv": report.csv_of, ".json": report.json_of, ".md": label}
    write, records, now = _writer(options.output, writers), store.Store(), _evaluated(options)
    source, name = now.source, options.name
    way = _way(now, options.way or _agreed(records, now, name))
    who = {"author": options.author, "reason": options.reason, "names": options.identifier}
    # The same command has the same token, so that after an interruption nothing is drawn twice.
    about = [name, source.fingerprint, now.scenario.key, way.key, *who.values()]
    token = blake2b(json.dumps(about).encode(), digest_size=16).hexdigest()
    standing = ledger.standing(records, name)
    entry = next((one for one in standing.releases if one.token == token), None)
    if entry is None:
        columns = source.cells if hasattr(source, "cells") else source.frame.columns
        title = source.fingerprint, source.title, tuple(map(str, columns))
        naming = ledger.Naming(name, *title, options.newer)
        way = drawing.fitting(now, way, standing)
        entry = drawing.release(records, now, way, naming, token=token, **who)
    print(f"Release no. {entry.number} of {entry.name} is on record.", file=sys.stderr)
    write(entry)


def _agreed(records: Store, now: Evaluation, name: str) -> str:
    """Return the way that was agreed for a scenario and its table, "" for none."""
    from distpriv.records.decisions import decisions

    scenario = json.loads(now.scenario.to_json())
    for one in decisions(records, now.source.fingerprint):
        body = one.proposal.body
        if one.agreed and body["scenario"] == scenario and one.now.name == name:
            return str(body["way"])
    return ""


def _print_decisions(options: argparse.Namespace) -> None:
    import pandas as pd

    from distpriv.records import decisions, ledger, store

    records = store.Store()
    frames = {
        "decisions": [
            {"decision": one.key, "table": one.now.name, "way": one.proposal.body["way"]}
            | {"status": one.now.act, "proposed by": one.proposal.author}
            | {"answered by": "" if one.open else one.now.author, "in force": one.agreed}
            for one in decisions.decisions(records)
        ],
        "releases": [
            {"release": one.number, "at": f"{one.at:%Y-%m-%d %H:%M}", "table": one.name}
            | {"way": one.body["way"], "released by": one.author, "decision": one.decision}
            for one in ledger.releases(records)
        ],
    }
    if options.json:
        print(_dumped(frames), end="")
    for title, rows in {} if options.json else frames.items():
        print(pd.DataFrame(rows).to_string(index=False) if rows else f"No {title} are on record.")


def _evaluated(options: argparse.Namespace) -> Evaluation:
    """Evaluate the scenario that a command names, on its table."""
    from distpriv.analysis import Scenario, evaluate
    from distpriv.tables import read_table

    if not options.scenario:
        raise DistprivError("Name the file of a scenario that the dashboard saved, and its table.")
    scenario = Scenario.load(options.scenario)
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
        raise DistprivError("The scenario is of no example; name its table's file, too.")
    file = Path(path)
    large = file.is_file() and file.stat().st_size > _LARGE
    if scenario.reading is None and (file.is_dir() or file.suffix in (".parquet", ".pq") or large):
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


def _writer(path: Path | None, texts: Mapping[str, Callable[[Any], str]]) -> Callable[[Any], None]:
    """Return what writes to a file in the way of its ending, or prints in the first way."""
    _check_target(path, *texts)

    def write(value: Any) -> None:
        if path is None:
            print(next(iter(texts.values()))(value), end="")
        else:
            path.write_text(texts[path.suffix](value), encoding="utf-8")

    return write


_RELEASE = "Draw a release and put it on record. The same command again writes the same release; "
_COMMANDS = {
    "report": (
        _write_report,
        "Write what a release gives away, for whoever decides.",
        "scenario table --way --name --decision -o",
    ),
    "release": (
        _write_release,
        f"{_RELEASE}another reason makes it another one.",
        "scenario table --name --author --reason --way --identifier --newer -o",
    ),
    "decisions": (_print_decisions, "List the decisions and releases on record.", "--json"),
}
