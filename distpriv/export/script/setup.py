"""What the scripts of all pages begin with: the data, the question, the model and the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distpriv import mechanisms
from distpriv.analysis.scenario import Scenario, Units
from distpriv.errors import DistprivError
from distpriv.export.script.script import Section, call, listing, literal, property_text
from distpriv.tables.examples import EXAMPLES

__all__ = ["SIMULATED", "Setting", "Source", "calibrated", "data", "fitted", "noise", "question"]

SIMULATED = 1000  # datasets for each share


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
    """

    name: str
    example: str = ""
    corrected: tuple[tuple[str, str], ...] = ()
    digest: str = ""


@dataclass(frozen=True)
class Setting:
    """What a script is written for.

    Attributes
    ----------
    scenario : Scenario
    source : Source
    reference : Source or None
        Data that the model is fitted to in place of the table.
    """

    scenario: Scenario
    source: Source
    reference: Source | None = None

    @property
    def fitted_to(self) -> str:
        """Name of the table that the model is fitted to."""
        return "table" if self.reference is None or not self.scenario.whole else "reference"

    @property
    def several(self) -> bool:
        """Whether more than one pair is hidden."""
        return bool(self.scenario.grid or self.scenario.others)

    @property
    def gaussian(self) -> bool:
        """Whether the scenario's mechanism adds Gaussian noise."""
        return mechanisms.get(self.scenario.mechanism).distribution == "gaussian"


def data(setting: Setting) -> Section:
    """Read the table, and hold it against the fingerprint."""
    source = setting.source
    example = next((each for each in EXAMPLES if each.key == source.example), None)
    lines = ["import numpy as np", "", "import distpriv as dp", ""]
    if example is not None:
        lines.append(f"table = dp.{example.load.__name__}()")
    else:
        lines.append(f"table = {_read(source)}")
        if source.corrected:
            lines.append(f"table = dp.retype(table, {literal(dict(source.corrected))})")
    if source.digest:
        lines += [
            f"if dp.digest(table) != {literal(source.digest)}:",
            '    print("This is another table: the numbers may differ.")',
        ]
    if setting.fitted_to == "reference" and setting.reference is not None:
        lines.append(f"reference = dp.align({_read(setting.reference)}, table)")
    return Section("The data", "\n".join(lines))


def _read(source: Source) -> str:
    return f"dp.read_table({literal(source.name)})"


def question(setting: Setting) -> Section:
    """The secret, the pairs to hide, and the statistics."""
    scenario = setting.scenario
    lines = [
        f"secret = {property_text(scenario.secret)}",
        f"pairs = {_pairs(scenario)}",
        f"query = dp.Query({listing(map(literal, scenario.query))})",
    ]
    if scenario.whole:
        known = "group_moments" if scenario.query.is_linear else "record_groups"
        lines.append(f"n = sum(dp.{known}(table, query, secret).counts)  # the whole table")
    else:
        lines.append(f"n = {scenario.n}")
    return Section("What is hidden, and what is released", "\n".join(lines))


def _pairs(scenario: Scenario) -> str:
    main = f"secret.pair(center={scenario.center!r}, width={scenario.width!r})"
    if not (scenario.grid or scenario.others):
        return f"[{main}]"
    each = [main]
    if scenario.grid:
        ends = ", ".join(map(repr, scenario.grid))
        each.append(f"*secret.grid({ends}, width={scenario.width!r})")
    each += map(literal, scenario.others)
    return f"list(dict.fromkeys({listing(each)}))"


def fitted(setting: Setting) -> Section:
    """Fit the model: in closed form, or as the dashboard simulates it."""
    scenario, table = setting.scenario, setting.fitted_to
    bounds = dict(scenario.bounds)
    replacement = f"replacement={scenario.replacement}"
    if not scenario.query.is_linear:
        given = ["groups, query, pairs, n", replacement, f"seed={scenario.seed}"]
        given += [f"bounds={literal(bounds)}"] * bool(bounds)
        return Section(
            "The model: some statistic has no closed form, so datasets are simulated",
            "groups = {\n"
            f"    pair.secret: dp.record_groups({table}, query, pair.secret) for pair in pairs\n"
            "}\n"
            f"model = {call('dp.model.SimulatedFit', given)}.run()",
        )
    given = [f"{table}, query, pairs, n=n", replacement]
    given += [f"bounds={literal(bounds)}"] * bool(bounds)
    lines = [f"model = {call('dp.fit_gaussian', given)}"]
    if scenario.distances == "simulated":
        lines = ["from dataclasses import replace", "", *lines, _outcomes(setting)]
    return Section("The model", "\n".join(lines))


def _outcomes(setting: Setting) -> str:
    seed = setting.scenario.seed
    return f"""\
fits = []
for fit in model.pairs:
    if fit.outcomes is None:
        groups = dp.record_groups({setting.fitted_to}, query, fit.pair.secret)
        first, second = (
            dp.model.simulate(
                groups, query, theta, {SIMULATED}, np.random.default_rng(({seed}, {SIMULATED}, k))
            )
            for k, theta in enumerate(fit.thetas)
        )
        fit = replace(fit, outcomes=dp.distances.Outcomes((first, second)))
    fits.append(fit)
model = replace(model, pairs=tuple(fits))"""


def calibrated(setting: Setting, mechanism: str = "", epsilon: str = "") -> str:
    """A call that calibrates a mechanism in the scenario's units.

    Parameters
    ----------
    mechanism, epsilon : str
        Texts of Python; by default those of the scenario.
    """
    scenario = setting.scenario
    given = [
        mechanism or literal(scenario.mechanism),
        "model",
        f"epsilon={epsilon or repr(scenario.epsilon)}",
        f"delta={scenario.delta!r}",
        f"calibration={literal(scenario.calibration)}",
    ]
    if sizes := _sizes(scenario.units, scenario.tolerances):
        given.append(f"units={sizes}")
    return call("dp.calibrate", given)


def _sizes(units: Units, tolerances: Sequence[float]) -> str:
    if units == "raw":
        return ""
    return "model.standard_deviations" if units == "standardised" else literal(list(tolerances))


def noise(setting: Setting, rest: str) -> Section:
    """Calibrate the noise, and define what the rest of the script uses of it.

    Parameters
    ----------
    setting : Setting
    rest : str
        The code that follows.
    """
    scenario = setting.scenario
    parts = [f"noise = {calibrated(setting)}"]
    if "l2_error(" in rest:
        parts.append(_reported(setting))
    if "right(" in rest:
        parts.append(_RIGHT)
    parts.append(
        f"looked_at = {_looked_at(setting)}\n"
        "fit, focused = model.pairs[looked_at], model.only(looked_at)"
    )
    title = "The noise"
    if not mechanisms.get(scenario.mechanism).protects:
        title += ", which promises nothing about the secret"
    return Section(title, ("\n\n\n" if len(parts) > 2 else "\n").join(parts))


def _reported(setting: Setting) -> str:
    sizes = _sizes(setting.scenario.report, setting.scenario.tolerances)
    lines = ["def l2_error(noise):"]
    if sizes:
        lines += [
            f'    """Expected L2 error, in {_UNITS[setting.scenario.report]}."""',
            f"    return noise.in_units({sizes}).expected_error()",
        ]
    else:
        lines += ['    """Expected L2 error."""', "    return noise.expected_error()"]
    return "\n".join(lines)


_RIGHT = '''\
def right(noise):
    """How often the best attacker on the pair looked at is right."""
    return dp.optimal_attack_estimate(focused, noise, rng=0, tolerance=1.5e-3).estimate'''


_UNITS: dict[Units, str] = {
    "standardised": "the statistics' standard deviations",
    "custom": "tolerances",
}


def _looked_at(setting: Setting) -> str:
    scenario = setting.scenario
    try:
        labels = [pair.label for pair in scenario.pairs]
    except DistprivError:  # the script will say so
        labels = []
    if scenario.look in labels:
        return f"{labels.index(scenario.look)}  # the pair chosen to look at"
    return "dp.binding_pair(model, noise)" + "  # the pair hardest to hide" * setting.several
