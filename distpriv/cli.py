"""The command ``distpriv``: open the dashboard, or compute the papers' tables and figures."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from distpriv import __version__
from distpriv.errors import DistprivError
from distpriv.site import APP
from distpriv.text import near

if TYPE_CHECKING:
    import pandas as pd

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
    words = sys.argv[1:] if arguments is None else [*arguments]
    if words[:1] == ["papers"]:
        return _papers(words[1:])
    parser = argparse.ArgumentParser(
        prog="distpriv",
        description="Open the dashboard in the browser, on this machine only.",
        epilog="distpriv papers computes the papers' tables and figures; see distpriv papers -h. "
        "A file of this name opens as ./papers.",
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
    try:
        frame = _computed(options)
        if options.write:
            writer = frame.to_csv if options.write.suffix == ".csv" else frame.to_parquet
            writer(options.write, index=False)
    except (DistprivError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _computed(options: argparse.Namespace) -> pd.DataFrame:
    """Compute the items that are asked for, print each when it is there, and return all rows."""
    import pandas as pd

    from distpriv import papers

    keys = dict.fromkeys(options.items or papers.ITEMS)
    items = {key: papers.named(key) for key in keys}
    if options.write and options.write.suffix not in (".csv", ".parquet"):
        raise DistprivError(f"{options.write} must end in .csv or .parquet; name it so.")
    if options.write and not os.access(options.write.parent, os.W_OK):
        raise DistprivError(f"{options.write} cannot be written; name a folder that can.")
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
    frame.attrs = about
    return frame
