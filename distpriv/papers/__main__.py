"""Print the papers' figures beside those that come out here, with a verdict on each."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Sequence

from distpriv.errors import DistprivError
from distpriv.model.sampling import Interval
from distpriv.papers.attack_runs import REPETITIONS, PaperAttacks
from distpriv.papers.attacks import table4_attackers
from distpriv.papers.cells import Cell, tally
from distpriv.papers.errata import ERRATA, evidence
from distpriv.papers.items import ITEMS, Item
from distpriv.papers.records import SEED, PaperRecords, paper_records
from distpriv.papers.report import (
    ON_PAPER,
    arithmetic,
    chance,
    notes,
    row_of,
    standing_row,
    summary,
)
from distpriv.papers.results import closed_results, simulated_results
from distpriv.papers.tables import SHORTHAND
from distpriv.tables.examples import load_adult, load_census_income

_ADULT = """\
Data: UCI Adult, all 45 222 complete records, as in the paper."""
_EXAMPLE = """\
Data: the embedded census income table, 45 222 SYNTHETIC records close to UCI Adult in averages
and correlations. Expect figures near the papers'; for the reproduction set ADULT_DIR to the
folder with UCI's adult.data and adult.test."""
_FITTED = """\
The distributions are fitted to all records in closed form; the paper fits them to 1000 subsets of
the 25 222 records that its attack leaves over."""
_WIDTH = 100


def _format_item(item: Item, cells: Sequence[Cell]) -> str:
    """A table or figure with its figures and the errata that concern it."""
    parts = [f"{item.paper}, {item.name}: {item.title}"]
    if cells:
        listed = [row_of(cell) for cell in cells]
        used = [name for name in listed[0] if any(row[name] for row in listed) and name != "Note"]
        parts.append(_columns(used, [[row[name] for name in used] for row in listed]))
        lines = [_wrapped(f"{about}: {note}") for about, note in notes(cells).items()]
        parts += ["\n".join(lines)] if lines else []
        parts += [_wrapped(undone)] if (undone := arithmetic(cells)) else []
    else:
        parts.append("The paper prints no figures of it.")
    if item.errata:
        parts.append("Errata: " + ", ".join(map(str, item.errata)) + " (below).")
    return "\n\n".join(parts)


def _format_attackers(attacks: PaperAttacks) -> str:
    rows = [
        [
            "no noise"
            if row.epsilon is None
            else f"{SHORTHAND[row.mechanism]}, ε = {row.epsilon:g}, δ = {row.delta:g}",
            _spread(row.clean),
            _spread(row.adaptive),
            f"{row.standing.on_paper:.3f}",
            f"{row.standing.in_fact:.3f}",
        ]
        for row in table4_attackers(attacks)
    ]
    return (
        "Table 4 again: the paper's attacker, trained on clean statistics, understates the leak\n"
        "(erratum 5). Beside it one trained on noisy statistics (adaptive), and the best possible\n"
        f"attacker: {ON_PAPER},\nand in fact, knowing their grid (erratum 12)\n\n"
        + _columns(["release", "clean", "adaptive", "on paper", "in fact"], rows)
    )


def _format_standing(cells: Sequence[Cell]) -> str:
    """What the noise of Table 3 is worth."""
    listed = [
        {"Row": cell.row, "Column": cell.column, **standing_row(cell)}
        for cell in cells
        if cell.standing is not None
    ]
    return (
        "Table 3 again: accuracy of the best possible attacker against the published noise,\n"
        f"{ON_PAPER},\nand in fact, knowing their grid (erratum 12)\n\n"
        + _columns(list(listed[0]), [list(row.values()) for row in listed])
    )


def _format_errata(records: PaperRecords) -> str:
    lines = []
    for erratum in ERRATA.values():
        lines += [
            _wrapped(f"{erratum.number}. {erratum.paper}, {erratum.where}. {erratum.says}"),
            _wrapped(f"   {erratum.instead}"),
            _wrapped(f"   {evidence(erratum.number, records)}"),
        ]
    return "Errata\n\n" + "\n".join(lines)


def _format_tally(cells: Sequence[Cell]) -> str:
    counts = tally(cells)
    return _wrapped(f"{summary(counts)}.") + "\n" + _wrapped(chance(counts))


def _wrapped(line: str) -> str:
    return textwrap.fill(line, _WIDTH, subsequent_indent="   ")


def _spread(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    return f"{interval.estimate:.3f} ± {(interval.high - interval.low) / 2:.3f}"


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of text, the first flush left and the others flush right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for first, *others in (header, *rows):
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return "\n".join(lines)


def _load(choice: str) -> PaperRecords:
    return paper_records(load_adult() if choice == "adult" else load_census_income())


def _run(attacks: PaperAttacks) -> None:
    """All repetitions, with their number on a terminal."""
    for _ in attacks.steps():
        if sys.stderr.isatty():
            end = "\n" if attacks.done == attacks.wanted else ""
            print(f"\r{attacks.rounds} of {attacks.repetitions} repetitions", end=end,
                  file=sys.stderr, flush=True)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Print everything; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m distpriv.papers", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="of each attack")
    parser.add_argument("--seed", type=int, default=SEED, help="of all that is simulated")
    parser.add_argument(
        "--data",
        choices=("adult", "example"),
        default="adult" if os.environ.get("ADULT_DIR") else "example",
        help="default: adult if ADULT_DIR is set, else the embedded synthetic example",
    )
    options = parser.parse_args(arguments)
    if options.repetitions < 1:
        parser.error(f"--repetitions must be at least 1, got {options.repetitions}")
    if options.seed < 0:
        parser.error(f"--seed must not be negative, got {options.seed}")
    try:
        records = _load(options.data)
        print(_EXAMPLE if records.stand_in else _ADULT, _FITTED, sep="\n")
        results = dict(closed_results(records, seed=options.seed))
        attacks = PaperAttacks(records, options.repetitions, options.seed)
        _run(attacks)
        results |= simulated_results(attacks)
    except DistprivError as error:
        print(error, file=sys.stderr)
        return 1
    runs = "1 repetition" if attacks.repetitions == 1 else f"{attacks.repetitions} repetitions"
    print(f"Attacks: {runs}, seed {attacks.seed}.")
    for key, item in ITEMS.items():
        print("", _format_item(item, results[key]), sep="\n")
        if key == "table-3":
            print("", _format_standing(results[key]), sep="\n")
        if key == "table-4":
            print("", _format_attackers(attacks), sep="\n")
    print("", _format_errata(records), sep="\n")
    print("", _format_tally([cell for key in ITEMS for cell in results[key]]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
