"""What the scripts of all pages begin with: the data, and the scenario evaluated on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from distpriv import mechanisms
from distpriv.analysis.scenario import Scenario
from distpriv.export.script.script import Section, call, listing, literal
from distpriv.model.source import SAMPLE
from distpriv.tables.examples import EXAMPLES
from distpriv.tables.repairs import AS_FOUND, Choices

__all__ = ["Setting", "Source", "data", "evaluated", "noises", "shown_at_first"]

# What tells a reader most, said even where it is the usual.
_ALWAYS = {"secret", "query", "center", "width", "n", "mechanism", "epsilon", "delta"}
# Fingerprints are held against the tables; how a page is looked at shapes no number.
_NEVER = {"digest", "reference", "view"}


@dataclass(frozen=True)
class Source:
    """Where a table comes from.

    Attributes
    ----------
    name : str
        Of the file.
    example : str
        Key of the embedded or fetched example that it is; empty for a file.
    corrected : tuple of (column, type)
        Types that the user set.
    digest : str
        Its fingerprint.
    kind : "", "files", "postgres" or "spark"
        Of a table that stays where it is, whose place the script leaves open.
    size : int
        Records of each group that are drawn from it at most.
    reading : Choices
        How the file is read, where that was chosen.
    """

    name: str
    example: str = ""
    corrected: tuple[tuple[str, str], ...] = ()
    digest: str = ""
    kind: str = ""
    size: int = SAMPLE
    reading: Choices = AS_FOUND


@dataclass(frozen=True)
class Setting:
    """What a script is written for.

    Attributes
    ----------
    scenario : Scenario
    source : Source
    reference : Source or None
        Data that the model is fitted to in place of the table, if the whole table is released.
    """

    scenario: Scenario
    source: Source
    reference: Source | None = None

    @property
    def referring(self) -> bool:
        """Whether the model is fitted to the reference data."""
        return self.reference is not None and self.scenario.whole

    @property
    def gaussian(self) -> bool:
        """Whether the scenario's mechanism adds Gaussian noise."""
        return mechanisms.get(self.scenario.mechanism).distribution == "gaussian"


def data(setting: Setting) -> Section:
    """Read the table, and hold it against the fingerprint."""
    source = setting.source
    example = next((example for example in EXAMPLES if example.key == source.example), None)
    lines = [*_IMPORTS.get(source.kind, ()), "import numpy as np"]
    lines += [*_OTHERS.get(source.kind, ()), "", "import distpriv as dp", ""]
    if example is not None:
        lines.append(f"table = dp.load_example({literal(example.key)})")
    else:
        lines.append(f"table = {_read(source)}")
        if source.corrected:
            lines.append(f"table = dp.retype(table, {literal(dict(source.corrected))})")
    if source.digest and not source.kind:  # what a catalogue says differs from place to place
        lines += [
            f"if dp.digest(table) != {literal(source.digest)}:",
            '    print("This is another table: the numbers may differ.")',
        ]
    if setting.referring and setting.reference is not None:
        lines.append(f"reference = dp.align({_read(setting.reference)}, table)")
    return Section("The data", "\n".join(lines))


_IMPORTS = {"postgres": ("import os", "")}
_OTHERS = {"spark": ("from pyspark.sql import SparkSession",)}
_PLACES = {
    "files": '"the path of your files"',
    "postgres": 'os.environ["YOUR_DATABASE_URL"], table="the name of your table"',
    "spark": 'SparkSession.builder.getOrCreate().table("the name of your table")',
}
_FUNCTIONS = {"files": "scan", "postgres": "connect", "spark": "from_spark"}


def _read(source: Source) -> str:
    if source.kind:
        size = "" if source.size == SAMPLE else f", size={source.size}"
        return f"dp.{_FUNCTIONS[source.kind]}({_PLACES[source.kind]}{size})"
    given = [f"{name}={literal(value)}" for name, value in source.reading.arguments().items()]
    return call("dp.read_table", [literal(source.name), *given])


def evaluated(setting: Setting) -> Section:
    """The scenario, and what it comes to."""
    scenario = setting.scenario
    given = [
        f"{field.name}={_value(getattr(scenario, field.name))}"
        for field in fields(scenario)
        if field.name not in _NEVER
        and (field.name in _ALWAYS or getattr(scenario, field.name) != field.default)
    ]
    reference = ", reference=reference" * setting.referring
    return Section(
        "The scenario, and what it comes to",
        f"scenario = {call('dp.Scenario', given)}\n"
        f"evaluation = dp.evaluate(scenario, table{reference})",
    )


def _value(value: object) -> str:
    if hasattr(value, "statistics"):
        return f"dp.Query({listing(map(literal, value.statistics))})"
    return literal(value)


def noises(names: Iterable[str]) -> str:
    """Calibrate several mechanisms, and say why some cannot be."""
    return f"""\
noises = evaluation.noises({literal(list(names))})
for name, reason in evaluation.left_out.items():
    print(f"{{name}} is left out: {{reason}}")
result = {{}}
"""


def shown_at_first() -> list[str]:
    """The mechanisms that pages begin with."""
    known = [mechanisms.get(name) for name in mechanisms.names()]
    return [
        mechanism.name for mechanism in known if mechanism.shown_at_first and not mechanism.baseline
    ]
