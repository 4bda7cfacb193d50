"""Scripts of the pages on attribute privacy and on the notions of privacy."""

from __future__ import annotations

from distpriv.attribute.files import QuiltQuery
from distpriv.export.script.script import Section, call, literal
from distpriv.export.script.setup import Setting

__all__ = ["attribute", "frameworks"]


def attribute(
    setting: Setting,
    assumptions: str = "",
    network: str | None = None,
    query: QuiltQuery | None = None,
    **_: object,
) -> list[Section]:
    """Noise for the releases of the page's first tab, or the quilts of its second.

    Parameters
    ----------
    setting : Setting
    assumptions : str
        JSON of what is assumed; the hospital if empty.
    network : str, optional
        JSON of the network, if the page shows that; the school if empty.
    query : QuiltQuery, optional
        What is released of the network; the file's first query by default.
    """
    scenario = setting.scenario
    if network is not None:
        return _quilts(scenario.epsilon, network, query)
    file = (
        f"dp.attribute.load_assumptions({literal(assumptions)})"
        if assumptions
        else "dp.attribute.hospital()"
    )
    way = "classical" if scenario.calibration == "classical" else "exact"
    budget = f"{scenario.epsilon!r}, {scenario.delta!r}"
    code = f"""\
file = {file}
noises = dp.attribute.noise_by_release(file.assumptions, {budget}, "{way}")
result = {{}}
for release, each in noises.items():
    result[f"{{release}}: noise moves it by"] = each.expected_absolute_error
    result[f"{{release}}: the share moves it by"] = each.sensitivities[each.binding]
    result[f"{{release}}: variance of the noise"] = each.variance"""
    return [Section("What is assumed, and the noise it takes", code)]


def _quilts(epsilon: float, network: str, query: QuiltQuery | None) -> list[Section]:
    lines = [
        f"file = dp.attribute.load_network({literal(network)})"
        if network
        else "file = dp.attribute.school()"
    ]
    if query is None:
        lines.append("query = file.queries[0]")
    else:
        given = [literal(query.name), literal(query.attributes), literal(dict(query.sensitivity))]
        lines.append(f"query = {call('dp.attribute.QuiltQuery', given)}")
    lines.append(f"""\
quilts = dp.markov_quilt(
    file.networks,
    protected=file.protected,
    query=query.attributes,
    sensitivity=query.sensitivity,
    epsilon={epsilon!r},
)
result = {{
    "noise moves it by": quilts.scale,
    "influence of the quilt": quilts.influence,
    "quilts": len(quilts.quilts),
}}
print("the quilt:", ", ".join(sorted(quilts.quilt)) or "empty")""")
    return [Section("The network, and the noise it takes", "\n".join(lines))]


def frameworks(
    setting: Setting, given: str = "DP", records: str = "dependent", **_: object
) -> list[Section]:
    """What the ε is worth in the other notions."""
    code = f"""\
worth = dp.frameworks.convert({setting.scenario.epsilon!r}, {literal(given)}, {literal(records)})
result = {{}}
for notion, found in worth.items():
    result[f"{{notion}}, from"], result[f"{{notion}}, to"] = found"""
    return [Section("What ε is worth elsewhere", code)]
